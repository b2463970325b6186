"""The report: what it shows, that text stays text, and that damaged input is named."""

import json
import re
from base64 import b64decode, b64encode
from gzip import decompress
from hashlib import sha256
from pathlib import Path
from random import Random
from typing import Any

import pytest
from pages import HOSTILE, Elements, needs_browser, rendered

from qtie import TemporalReranker
from qtie.errors import EvaluationError
from qtie.evaluation.report import page as report_page
from qtie.evaluation.report import write_report
from qtie.evaluation.report.standings import standings
from qtie.tie.extractors import make_extractor

SVG = "<svg xmlns='http://www.w3.org/2000/svg' width='9' height='9'><rect width='9' height='9'/></svg>"


def cell(ranker: str, value: float, **changed: Any) -> dict[str, Any]:
    told = {"experiment": "overall", "dataset": "sample", "subset": "all", "retriever": "bm25", "condition": {}}
    return {**told, "ranker": ranker, "n_queries": 9, "measures": {"P@1": value, "nDCG@10": value}, **changed}


def results() -> dict[str, Any]:
    columns = [{"name": "ranker"}, {"name": "P@1", "best": "max", "digits": 1}]
    rows = [{"ranker": "none", "P@1": 21.44}, {"ranker": "qtie", "P@1": 97.0}, {"ranker": HOSTILE, "P@1": None}]
    about = {
        "name": "overall-sample",
        "experiment": "overall",
        "title": f"sample {HOSTILE}",
        "note": f"`P@1` {HOSTILE}",
    }
    plot = {"name": "sample", "experiment": "overall", "title": HOSTILE, "file": "plots/sample.svg"}
    return {
        "command": f"qtie bench overall --data {HOSTILE}",
        "experiments": ["overall"],
        "titles": {"overall": "Every ranker"},
        "seed": 0,
        "seconds": 3.14,
        "versions": {"qtie": "0.1.0"},
        "config": {"datasets": ["sample"], "retrievers": ["bm25"], "rankers": ["none", "qtie"], "n_queries": 9},
        "data": {"sample": {"sha256": "0123456789abcdef0123", "documents": 1451, "queries": 9}},
        "cells": [
            *(cell("none", 0.21), cell("qtie", 0.97)),
            *(cell("filter", 0.98, subset=HOSTILE), cell("qtie", 0.9, subset=HOSTILE)),
        ],
        "failed": [{**cell("mrag", 0), "reason": HOSTILE}],
        "tables": [{**about, "columns": columns, "rows": rows}],
        "plots": [plot],
    }  # fmt: skip


def query(number: int, *, text: str = "who led the ministry in 2016") -> dict[str, Any]:
    """A record of a query whose first document is wrong before and right after."""
    intent = make_extractor().extract(text)
    documents = [
        {"_id": f"a {HOSTILE}", "text": "Brandt leads it", "title": HOSTILE, "date": "2019-05-06", "score": 0.8},
        {"_id": "b", "text": f"Weber takes over {HOSTILE}", "date": "2016", "score": 0.7},
        {"_id": "c", "text": "Vogt", "score": 0.1},
    ]
    ranking = TemporalReranker().rank(text, documents, intent=intent)
    after = [
        {
            "rank": ranked.rank, "doc_id": ranked.doc_id, "title": ranked.document.title, "text": ranked.document.text,
            "time": None if ranked.time is None else str(ranked.time), "relation": ranked.relation,
            "score": ranked.score, "semantic_score": ranked.semantic_score, "temporal_score": ranked.temporal_score,
            "rank_before": ranked.rank_before, "relevant": ranked.doc_id == "b",
        }
        for ranked in ranking
    ]  # fmt: skip
    before = [{**row, "rank": row["rank_before"]} for row in sorted(after, key=lambda row: row["rank_before"])]
    return {
        "query_id": f"q{number}", "text": text, "reference_date": None, "subset": "simple", "expression": "in",
        "gold_interval": "2016-01-01/2016-12-31", "intent": intent.to_dict(), "relevant": ["b"],
        "measures": {"none": {"P@1": 0.0, "nDCG@10": 0.63}, "qtie": {"P@1": 1.0, "nDCG@10": 1.0}},
        "rankings": {"none": before, "qtie": after},
    }  # fmt: skip


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """What `qtie bench` wrote, with hostile text wherever text may stand."""
    (tmp_path / "plots").mkdir()
    (tmp_path / "queries").mkdir()
    (tmp_path / "plots" / "sample.svg").write_text(SVG, encoding="utf-8")
    (tmp_path / "results.json").write_text(json.dumps(results()), encoding="utf-8")
    queries = [query(1), query(2, text=f"who led the ministry since 2016 {HOSTILE}")]
    write_queries(tmp_path, queries)
    return tmp_path


def write_queries(folder: Path, queries: list[dict[str, Any]]) -> None:
    lines = "".join(json.dumps(record) + "\n" for record in queries)
    (folder / "queries" / "sample.bm25.jsonl").write_text(lines, encoding="utf-8")


def read(folder: Path) -> str:
    return write_report(folder).read_text(encoding="utf-8")


def unpacked(page: str, part: str) -> Any:
    found = re.search(rf'id="packed-{part}">([^<]*)<', page)
    assert found
    return json.loads(decompress(b64decode(found[1])))


def test_summary_says_where_it_is_first_and_where_not(folder: Path) -> None:
    text = re.sub(r"\s+", " ", re.sub(r"<[^>]*>", "", read(folder)))
    assert "qtie is first in 2 of 2 comparisons" in text
    assert "Where qtie is not first (2, with subsets)" in text
    assert "97.0 +76.0 none 21.0" in text
    assert "documents1,451" in text


def test_tables_carry_best_and_second(folder: Path) -> None:
    table = unpacked(read(folder), "content")["tables"]["overall-sample"]
    assert table["rows"] == [["none", "21.4"], ["qtie", "97.0"], [HOSTILE, ""]]
    assert sorted(table["places"]) == [[0, 1, 2], [1, 1, 1]]
    assert [head["numeric"] for head in table["heads"]] == [False, True]


@pytest.mark.parametrize(
    ("groups", "starts"), [(["a", "a", "b", "b"], [2]), (["a", "b", "a", "b"], []), (["a", "b", "c", "d"], [])]
)
def test_rules_stand_between_groups_that_lie_together(folder: Path, groups: list[str], starts: list[int]) -> None:
    told = results()
    told["tables"][0]["rows"] = [{"group": group, "ranker": "r", "P@1": 1.0} for group in groups]
    (folder / "results.json").write_text(json.dumps(told), encoding="utf-8")
    assert unpacked(read(folder), "content")["tables"]["overall-sample"]["starts"] == starts


def test_cases_carry_both_rankings_and_the_reading(folder: Path) -> None:
    case = unpacked(read(folder), "cases")[0]
    assert case["pieces"] == [["who led the ministry ", False], ["in 2016", True], ["", False]]
    assert case["intervals"] == ["2016-01-01/2016-12-31"]
    assert case["right"] == {"none": False, "qtie": True}
    first = case["rankings"]["qtie"][0]
    assert (first["doc_id"], first["rank_before"], first["coarse"], first["relation"]) == ("b", 2, True, "equals")


def test_a_score_that_is_no_number_is_named_and_a_measure_left_out(folder: Path) -> None:
    record = query(1)
    record["measures"]["qtie"]["P@1"] = float("nan")
    write_queries(folder, [record])
    assert list(unpacked(read(folder), "cases")[0]["measures"]["qtie"]) == ["nDCG@10"]
    record["rankings"]["qtie"][0]["score"] = float("nan")
    write_queries(folder, [record])
    with pytest.raises(EvaluationError, match="a score is nan"):
        write_report(folder)


def test_page_holds_no_element_from_data(folder: Path) -> None:
    page = Elements(read(folder))
    assert page.names.count("script") == 3
    assert page.names.count("img") == 1
    assert not [key for key in page.attributes if key.startswith("on") or key in ("src", "style")]
    assert all(attributes["href"].startswith("#") for _, attributes in page.found if attributes.get("href"))


def test_policy_allows_this_script_and_style_alone(folder: Path) -> None:
    page = read(folder)
    policy = re.search(r'Security-Policy" content="([^"]*)"', page)
    assert policy
    assert policy[1].startswith("default-src &#39;none&#39;") or policy[1].startswith("default-src 'none'")
    for name in ("script", "style"):
        source = re.search(rf"<{name}>(.*?)</{name}>", page, re.DOTALL)
        assert source
        digest = b64encode(sha256(source[1].encode()).digest()).decode()
        assert f"{name}-src 'sha256-{digest}'" in policy[1].replace("&#39;", "'").replace("&#43;", "+")


@pytest.mark.parametrize("name", ["page.css", "tables.js", "browser.js", "page.js"])
def test_sources_ask_the_network_for_nothing_and_parse_no_html(name: str) -> None:
    source = (Path(report_page.__file__).parent / name).read_text(encoding="utf-8")
    assert "</" not in source
    assert not re.search(
        r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|eval\(|fetch\(|import |url\(|@import", source
    )


def test_same_results_give_the_same_bytes(folder: Path) -> None:
    assert write_report(folder).read_bytes() == write_report(folder).read_bytes()


def test_page_stays_small_and_says_what_it_leaves_out(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    random = Random(0)
    texts = [f"who led it in 2016 {random.getrandbits(4000):x}" for _ in range(60)]
    write_queries(folder, [query(number, text=text) for number, text in enumerate(texts)])
    limit = len(read(folder)) - 10_000
    monkeypatch.setattr(report_page, "LARGEST_PAGE", limit)
    page = read(folder)
    n_cases = len(unpacked(page, "cases"))
    assert 1 < n_cases < 60
    assert len(page) <= limit
    assert f"{n_cases} of 60 recorded queries" in page


def test_without_queries_there_is_no_browser(folder: Path) -> None:
    (folder / "queries" / "sample.bm25.jsonl").unlink()
    assert 'id="queries"' not in read(folder)


def test_without_the_overall_experiment_nothing_is_said_of_first(folder: Path) -> None:
    told = {
        **results(),
        "cells": [cell("qtie", 0.9, experiment="depth")],
        "tables": [],
        "plots": [],
        "experiments": ["depth"],
    }
    (folder / "results.json").write_text(json.dumps(told), encoding="utf-8")
    page = read(folder)
    assert "is not part of these results" in page
    assert "is first in" not in page


@pytest.mark.parametrize(
    ("file", "text", "named"),
    [
        ("results.json", None, "results.json"),
        ("results.json", "{", "results.json"),
        ("results.json", "[]", "results.json"),
        ("results.json", '{"cells": []}', "results.json"),
        ("results.json", json.dumps({**results(), "cells": [{"experiment": "overall"}]}), "results.json"),
        ("plots/sample.svg", None, "sample.svg"),
        ("queries/sample.bm25.jsonl", "{}\n", "sample.bm25.jsonl:1"),
        ("queries/sample.bm25.jsonl", "{\n", "sample.bm25.jsonl:1"),
    ],
)
def test_damaged_input_is_named_and_nothing_written(folder: Path, file: str, text: str | None, named: str) -> None:
    (folder / file).unlink()
    if text is not None:
        (folder / file).write_text(text, encoding="utf-8")
    with pytest.raises(EvaluationError, match=re.escape(named)):
        write_report(folder)
    assert not (folder / "report.html").exists()


def test_standings_share_a_place_where_the_shown_values_are_equal() -> None:
    (found,) = standings([cell("qtie", 0.9001, measures={"P@1": 0.9001}), cell("sum", 0.9, measures={"P@1": 0.9004})])
    assert (found.place, found.lead, found.standing) == (1, 0.0, "shared")


def test_standings_count_who_is_ahead() -> None:
    cells = [cell(name, value, measures={"P@1": value}) for name, value in (("qtie", 0.5), ("a", 0.6), ("b", 0.7))]
    (found,) = standings(cells)
    assert (found.place, found.rival, found.lead, found.standing) == (3, "b", -20.0, "behind")


def test_standings_pass_over_conditions_and_lone_rankers() -> None:
    assert standings([cell("qtie", 0.5), cell("none", 0.6, condition={"depth": 10})]) == []


@needs_browser
def test_report_in_a_browser(folder: Path) -> None:
    dom = rendered(write_report(folder))
    assert "<title>qtie: experiments</title>" in dom  # no script of the data ran
    assert dom.count("<strong>97.0</strong>") == 1
    assert len(re.findall(r"<li><button", dom)) >= 2
    assert "<mark>in 2016</mark>" in dom
    assert len(re.findall(r'class="row"', dom)) == 3
    assert re.search(r'<img[^>]* src="blob:', dom)
