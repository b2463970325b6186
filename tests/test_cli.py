"""The command line end to end on real files: its formats, and what it says to bad input."""

import contextlib
import gzip
import json
import os
import pty
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from qtie.cli import main

SCRIPT = Path(sys.executable).with_name("qtie")
CORPUS = [
    {"_id": "b16", "title": "Budget", "text": "The budget was passed", "date": "2016-05-09", "score": 3},
    {"_id": "b19", "title": "Budget", "text": "The budget was voted", "metadata": {"date": "2019"}, "score": 2.5},
    {"_id": "undated", "text": "A budget in 2019 of no known day", "score": 2},
    {"_id": "flood", "text": "The river rose", "times": {"timestamp": "2019-03"}, "score": -1},
]
QUERIES = [{"_id": "q1", "text": "budget in 2019"}, {"_id": "q2", "text": "river", "reference_date": "2020-01-01"}]
QRELS = "query-id\tcorpus-id\tscore\nq1\tb19\t1\nq2\tflood\t1\n"
RUN = "q1 Q0 b19 1 2 t\nq1 Q0 b16 2 1 t\nq2 Q0 flood 1 1 t\n"


def json_lines(records: list[Any]) -> str:
    return "".join(json.dumps(record) + "\n" for record in records)


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    Path("c.jsonl").write_text(json_lines(CORPUS))
    Path("q.jsonl").write_text(json_lines(QUERIES))
    Path("qrels.tsv").write_text(QRELS)
    Path("run").write_text(RUN)
    return tmp_path


def qtie(*arguments: str, stdin: bytes = b"") -> Result:
    """The command in this process; it may end, but not by an error of its own."""
    result = CliRunner().invoke(main, arguments, input=stdin, prog_name="qtie")
    if result.exception and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result


def records(*arguments: str, stdin: bytes = b"") -> list[dict[str, Any]]:
    result = qtie(*arguments, stdin=stdin)
    assert (result.exit_code, result.stderr) == (0, "")
    return [json.loads(line) for line in result.stdout.splitlines()]


def ids(*arguments: str) -> list[str]:
    return [record["doc_id"] for record in records(*arguments, "--json")]


def complaint(result: Any, *, stdout: str | None = "") -> str:
    """The one line that a refusal writes."""
    assert result.stderr.startswith("qtie: "), result.stderr[-500:]
    assert result.stderr.count("\n") == 1
    assert len(result.stderr) < 700
    assert stdout is None or result.stdout == stdout
    status = result.exit_code if isinstance(result, Result) else result.returncode
    assert status == 2
    return str(result.stderr)[6:-1]


def shell(command: str, stdin: bytes = b"", **environment: str) -> "subprocess.CompletedProcess[str]":
    """A line of bash, where `qtie` is the installed command."""
    line = ["bash", "-c", f'set -o pipefail; qtie() {{ {SCRIPT} "$@"; }}; {command}']
    done = subprocess.run(line, input=stdin, capture_output=True, timeout=60, env=os.environ | environment)
    return subprocess.CompletedProcess(line, done.returncode, done.stdout.decode(), done.stderr.decode())


class TestFormats:
    """What scripts rely on."""

    def test_intent_lines(self) -> None:
        second = {"query": "last year", "reference_date": "2020-03-01", "n": [1, {"é": None}]}
        lines = f"\ufeffbudget in 2019\r\n\n{json.dumps(second, ensure_ascii=False)}\n  red\n"
        found = records("intent", "-", "--reference-date", "2025-06-15", stdin=lines.encode())
        keys = (
            *("query", "interval", "intervals", "constraints", "preference", "preference_span", "month_pair"),
            *("semantic_query", "reference_date", "extractor", "options"),
        )
        assert [record["query"] for record in found] == ["budget in 2019", "last year", "red"]
        assert [set(record) - {"n"} for record in found] == [set(keys)] * 3
        assert tuple(found[0]) == keys
        assert found[0]["interval"] == {"start": "2019-01-01", "end": "2019-12-31"}
        assert (found[0]["month_pair"], found[0]["semantic_query"]) == (["2019-01", "2019-12"], "budget")
        assert (found[0]["reference_date"], found[0]["extractor"]) == ("2025-06-15", "ensemble (both)")
        (constraint,) = found[0]["constraints"]
        expected = {"operator": "in", "relation": "intersects", "target": "any", "negated": False, "span": [7, 14]}
        assert constraint | expected | {"granularity": "year", "confidence": 1.0} == constraint
        assert constraint["interval"] == found[0]["interval"]
        assert found[1]["n"] == [1, {"é": None}]
        assert (found[1]["reference_date"], found[1]["interval"]["start"]) == ("2020-03-01", "2019-01-01")
        atemporal = found[2]
        assert (atemporal["interval"], atemporal["constraints"], atemporal["preference"]) == (None, [], None)
        assert (atemporal["month_pair"], atemporal["semantic_query"]) == ([None, None], "red")

    def test_open_sides_are_null(self) -> None:
        (found,) = records("intent", "budget before 2019", "--json")
        assert found["interval"] == {"start": None, "end": "2018-12-31"}
        assert found["month_pair"] == [None, "2019-01"]

    @pytest.mark.parametrize("command", ["search", "rerank"])
    @pytest.mark.parametrize("query", ["budget in 2019", "budget"])
    def test_rankings(self, command: str, query: str) -> None:
        ranked = records(command, query, "c.jsonl", "--json")
        assert [record["rank"] for record in ranked] == list(range(1, len(CORPUS) + 1))
        for record in ranked:
            assert list(record) == ["rank", "doc_id", "score", "semantic_score", "temporal_score", "time"]
            assert all(type(record[key]) is float for key in ("score", "semantic_score", "temporal_score"))
        times = {record["doc_id"]: record["time"] for record in ranked}
        assert (times["b19"], times["undated"]) == ("2019-01-01/2019-12-31", None)

    def test_run_and_evaluate(self) -> None:
        assert qtie("run", "c.jsonl", "q.jsonl", "--out", "out", "-k", "2", "--tag", "mine").output == ""
        rows = [line.split() for line in Path("out").read_text().splitlines()]
        assert [row[:4] for row in rows][::2] == [["q1", "Q0", "b19", "1"], ["q2", "Q0", "flood", "1"]]
        assert {row[5] for row in rows} == {"mine"}
        assert len(rows) == 4
        assert qtie("evaluate", "qrels.tsv", "out").stdout == "P@1\t1.0000\nnDCG@10\t1.0000\n"
        by_query = qtie("evaluate", "qrels.tsv", "out", "P@1", "--per-query").stdout
        assert by_query == "q1\tP@1\t1.0000\nq2\tP@1\t1.0000\nall\tP@1\t1.0000\n"
        qtie("run", "c.jsonl", "q.jsonl", "--ignore-time", "--out", "base")
        assert Path("base").read_text().startswith("q1 Q0 undated 1")
        given = ("--corpus", "c.jsonl", "--queries", "q.jsonl", "--baseline", "base", "--json", "--per-query")
        (measured,) = records("evaluate", "qrels.tsv", "out", "violation@2", "harm", *given)
        assert measured["measures"] == {"violation@2": 0.0, "harm": 0.0}
        assert measured["per_query"] == {"violation@2": {"q1": 0.0}, "harm": {"q2": 0.0}}

    def test_a_mean_of_nothing_is_null(self) -> None:
        Path("q.jsonl").write_text(json_lines([{"_id": q, "text": "in 2019"} for q in ("q1", "q2")]))
        arguments = ("evaluate", "qrels.tsv", "run", "harm", "--queries", "q.jsonl", "--baseline", "run", "--json")
        assert records(*arguments) == [{"measures": {"harm": None}}]

    def test_any_query_id_can_be_measured_by_any_tool(self) -> None:
        assert qtie("evaluate", "qrels.tsv", "run", "ERR@10").exit_code == (0 if shutil.which("perl") else 2)

    def test_inspect(self) -> None:
        Path("c.jsonl").write_text(json_lines([*CORPUS, {"_id": "z", "text": "", "date": "2031-01-01"}]))
        (report,) = records("inspect", "c.jsonl", "--json", "--reference-date", "2030-01-01")
        assert (report["n_documents"], report["n_dated"], report["share_dated"]) == (5, 4, 0.8)
        assert list(report) == ["n_documents", "n_dated", "share_dated", "facets", "keys", "suspicious"]
        assert [found["examples"] for found in report["suspicious"] if "reference" in found["reason"]] == [
            ["z: '2031-01-01'"]
        ]
        assert qtie("inspect", "c.jsonl").stdout.startswith("5 documents, 4 dated (80.0%)\n")

    def test_inspect_tells_forms_apart(self) -> None:
        values = ("2019", "-0026", "2019-03", "2019-12-31", "2019-21", "199X")
        Path("c.jsonl").write_text(json_lines([{"_id": value, "text": "", "date": value} for value in values]))
        (report,) = records("inspect", "c.jsonl", "--json")
        assert report["keys"][0]["formats"] == {"EDTF": 2, "year": 2, "day": 1, "month": 1}

    def test_demo(self) -> None:
        (report,) = records("demo", "--json", "-k", "1")
        assert report["n_right_after"] > 2 * report["n_right_before"]
        assert {len(query["after"]) for query in report["queries"]} == {1}


class TestOptions:
    def test_atemporal_queries_keep_order_and_scores(self) -> None:
        order = [str(record["_id"]) for record in CORPUS]
        for query in ("budget", "room 2099", "error 2013", "Windows 2000"):
            ranked = records("rerank", query, "c.jsonl", "--json", "--strict", "--missing", "drop")
            assert [record["doc_id"] for record in ranked] == order
            assert [record["score"] for record in ranked] == [record["score"] for record in CORPUS]
        assert ids("rerank", "budget", "c.jsonl", "-k", "2") == order[:2]

    def test_the_reference_date(self) -> None:
        assert ids("search", "budget three years ago", "c.jsonl", "--reference-date", "2019-06-01")[0] == "b16"
        assert ids("search", "budget three years ago", "c.jsonl", "--reference-date", "2022-06-01")[0] == "b19"

    def test_interval_strict_missing_and_weight(self) -> None:
        assert ids("rerank", "budget", "c.jsonl", "--interval", "2019")[0] == "b19"
        assert ids("search", "budget since 2015", "c.jsonl", "--interval", "../2017", "--strict") == ["b16", "undated"]
        assert ids("rerank", "budget in 2019", "c.jsonl", "--strict", "--missing", "drop") == ["b19", "flood"]
        first, second = (
            records("rerank", "in 2019", "c.jsonl", "--missing", m, "--json") for m in ("estimate", "neutral")
        )
        assert [r["time"] for r in first if r["doc_id"] == "undated"] == ["2019-01-01/2019-12-31"]
        assert [r["time"] for r in second if r["doc_id"] == "undated"] == [None]
        assert ids("rerank", "budget in 2019", "c.jsonl", "--temporal-weight", "0")[0] == "b16"

    def test_explain(self) -> None:
        shown = qtie("search", "budget in 2019", "c.jsonl", "--explain", "-k", "1").stdout
        for part in ("budget [in 2019]", '"in 2019" → 2019-01-01/2019-12-31', "S_sem^", "1 without a time: neutral"):
            assert part in shown
        assert shown.splitlines()[-1].split()[:3] == ["1", "2", "b19"]
        assert "confidence 1.00" in qtie("intent", "budget in 2019", "--explain").stdout

    def test_explain_says_where_a_time_was_read_and_how_surely(self) -> None:
        write("own.jsonl", json_lines([CORPUS[0], {"_id": "told", "text": "Budget of 3 May 2019 read", "score": 1}]))
        asked = ("rerank", "budget in 2019", "own.jsonl", "--missing", "estimate", "--explain")
        told, dated = records(*asked, "--json")
        assert (dated["doc_id"], dated["time_source"], dated["time_confidence"]) == ("b16", "date", 1.0)
        assert (told["time_source"], told["time"], told["relation"]) == ("text", "2019-05-03/2019-05-03", "during")
        assert 0 < told["time_confidence"] < 1
        assert told["temporal_score"] < 1  # its time fits, but is not sure
        shown = qtie(*asked).stdout
        assert "2019-05-03  text " + format(told["time_confidence"], ".2f") in shown
        assert "2016-05-09  date " in shown
        assert records(*asked[:-1], "--json")[0].keys() == told.keys() - {
            *("rank_before", "relation", "time_source", "time_confidence")
        }

    def test_explain_of_a_time_read_for_this_query_alone(self) -> None:
        write("own.jsonl", json_lines([{"_id": "a", "text": "Ada, born 3 May 1881", "date": "1911"}]))
        (ada,) = records("rerank", "who was born in 1881", "own.jsonl", "--explain", "--json")
        assert (ada["time"], ada["time_source"], ada["time_confidence"]) == ("1881-05-03/1881-05-03", "text", None)

    @pytest.mark.parametrize(
        ("query", "warning"),
        [
            ("zebra in 2019", "qtie: warning: no document matches the words of the query: ranked by time alone\n"),
            ("zebra", "qtie: warning: no document matches the words of the query: in the order of their ids\n"),
            ("budget in 2030", ""),
            ("in 2019", ""),
        ],
    )
    def test_a_search_that_no_word_matches_says_so(self, query: str, warning: str) -> None:
        assert qtie("search", query, "c.jsonl").stderr == warning

    def test_strict_keeps_undated_documents_and_says_so(self) -> None:
        help_text = " ".join(qtie("search", "--help").stdout.split())
        assert "undated documents stay (--missing drop removes them)" in help_text
        strict = ("search", "budget in 2019", "c.jsonl", "--strict", "--json")
        assert "undated" in [record["doc_id"] for record in records(*strict)]
        assert "undated" not in [record["doc_id"] for record in records(*strict, "--missing", "drop")]

    def test_the_order_of_day_and_month_holds_for_texts_too(self) -> None:
        write("own.jsonl", json_lines([{"_id": "a", "text": "Opened on 05/06/2018"}]))
        asked = ("search", "opened in 2018", "own.jsonl", "--missing", "estimate", "--json")
        assert records(*asked)[0]["time"] == "2018-05-06/2018-05-06"
        write("qtie.toml", '[intent]\ndate_order = "dmy"\n')
        assert records(*asked)[0]["time"] == "2018-06-05/2018-06-05"

    def test_settings(self) -> None:
        write("mine.toml", "[intent]\nfiscal_year_start = 10\n[documents]\ntime_keys = []\nmissing = 'drop'\n")
        assert ids("search", "budget in 2019", "c.jsonl", "--config", "mine.toml") == ["flood"]
        assert len(ids("search", "budget in 2019", "c.jsonl", "--config", "mine.toml", "--missing", "neutral")) == 4
        (found,) = records("intent", "in FY2020", "--json", "--config", "mine.toml")
        assert found["interval"] == {"start": "2019-10-01", "end": "2020-09-30"}
        Path("qtie.toml").write_text("[ranking]\nmode = 'strict'\n")
        assert ids("search", "budget in 2019", "c.jsonl") == ["b19", "undated", "flood"]
        assert (
            "[ranking]" in complaint(qtie("intent", "x", "--config", "bad.toml"))
            if write("bad.toml", "[ranking]\nmode = 'x'")
            else None
        )
        Path("qtie.toml").write_text("[ranking]\nkernel = 'square'\n")
        assert complaint(qtie("inspect", "c.jsonl")).startswith("qtie.toml: [ranking] kernel must be one of graded,")

    @pytest.mark.parametrize("name", ["c.csv", "c.TSV", "c.jsonl.gz", "c.csv.GZ", "notes", "c.ndjson"])
    def test_kinds_of_corpora(self, name: str) -> None:
        rows = [{**{k: v for k, v in record.items() if k != "times"}, "date": "2019"} for record in CORPUS[:2]]
        rows[0]["date"] = "2016"
        tab = "\t" if "TSV" in name else ","
        table = "\n".join(
            [tab.join(("_id", "text", "date")), *(tab.join((r["_id"], r["text"], r["date"])) for r in rows)]
        )
        text = table if "jso" not in name else json_lines(rows)
        if name == "notes":
            Path("notes", "sub.md").mkdir(parents=True)  # a folder with a note's name
            os.mkfifo("notes/pipe.md")  # would be waited for
            Path("notes/link.md").symlink_to("nowhere")
            for row in rows:
                Path("notes/sub.md", f"{row['_id']}.md").write_text(f"---\ndate: {row['date']}\n---\n{row['text']}\n")
        else:
            Path(name).write_bytes(gzip.compress(text.encode()) if "gz" in name.lower() else text.encode())
        prefix, suffix = ("sub.md/", ".md") if name == "notes" else ("", "")
        assert ids("search", "budget in 2016", name) == [f"{prefix}{i}{suffix}" for i in ("b16", "b19")]

    def test_aliases_in_front_matter_do_not_unfold(self) -> None:
        lines = ["a0: &a0 [x]", *(f"a{n}: &a{n} [{','.join([f'*a{n - 1}'] * 10)}]" for n in range(1, 10))]
        write("notes/a.md", "\n".join(["---", *lines, "---", "text"]))
        assert "notes/a.md: front matter is not YAML: aliases" in complaint(qtie("search", "x", "notes"))


def write(name: str, content: str | bytes) -> str:
    Path(name).parent.mkdir(exist_ok=True)
    Path(name).write_bytes(content.encode() if isinstance(content, str) else content)
    return name


BAD_LINES = [
    (b"", "no documents in it"),
    (b"\n \r\n", "no documents in it"),
    (b'{"_id": "a",', "line 1: broken JSON at column 13"),
    (b"[1]", "line 1: expected a JSON object"),
    (b'{"_id": "a", "text": 5}', "line 1: field 'text': expected a string, got int 5"),
    (b'{"text": "x"}', "line 1: field '_id': missing"),
    (b'{"_id": "a"}', "line 1: field 'text': missing"),
    (b'{"_id": true, "text": "x"}', "line 1: field '_id': expected a non-empty string"),
    (b'\n{"_id": "a", "text": "x", "score": NaN}', "line 2: field 'score': expected a finite number"),
    (b'{"_id": "a", "text": "x", "score": 1e999}', "line 1: field 'score': expected a finite number"),
    (b'{"_id": "a", "text": "x", "score": "1"}', "line 1: field 'score': expected a finite number"),
    (b'{"_id": "a", "text": "x", "metadata": "m"}', "line 1: field 'metadata': expected an object"),
    (b'{"_id": "a", "text": "x", "times": [1]}', "line 1: field 'times': expected an object"),
    (b'{"_id": "a", "text": "x"}\n{"_id": "a", "text": "y"}', "line 2: field '_id': 'a' stands already in"),
    (b'{"_id": "a", "text": "caf\xe9"}', "line 1: not UTF-8 at byte 26"),
    ('{"_id": "a"}'.encode("utf-16"), "line 1: not UTF-8 at byte 1"),
    (b"\0\0", "line 1: broken JSON at column 1"),
    (b'{"_id": "a", "text": "\\ud800"}', "line 1: holds half a surrogate pair"),
    (b'{"a": ' + b"[" * 100_000, "line 1: broken JSON: maximum recursion depth"),
    (b'{"_id": ' + b"9" * 5_000 + b"}", "line 1: broken JSON: Exceeds the limit"),
]


class TestBadFiles:
    @pytest.mark.parametrize(("content", "problem"), BAD_LINES, ids=lambda value: repr(value)[:40])
    def test_corpora(self, content: bytes, problem: str) -> None:
        write("bad.jsonl", content)
        violation = ("evaluate", "qrels.tsv", "run", "violation@1", "--queries", "q.jsonl", "--corpus", "bad.jsonl")
        for command in (("search", "x", "bad.jsonl"), ("rerank", "x", "bad.jsonl"), violation):
            assert f"bad.jsonl{',' if 'line' in problem else ':'} {problem}" in complaint(qtie(*command))
        assert problem in complaint(qtie("run", "bad.jsonl", "q.jsonl", "--out", "new"))
        assert not Path("new").exists()
        assert f"<stdin>{',' if 'line' in problem else ':'} {problem}" in complaint(
            qtie("search", "x", "-", stdin=content)
        )
        inspected = qtie("inspect", "bad.jsonl")  # looks at the times alone
        assert inspected.exit_code == 0 or f"bad.jsonl{',' if 'line' in problem else ':'}" in complaint(inspected)

    def test_a_score_that_only_some_have(self) -> None:
        write("bad.jsonl", '{"_id": "a", "text": "x", "score": 1}\n{"_id": "b", "text": "x"}')
        assert complaint(qtie("rerank", "in 2019", "bad.jsonl")).startswith("bad.jsonl: document 'b': field 'score'")

    @pytest.mark.parametrize(
        ("content", "problem"),
        [
            (b"", "no queries in it"),
            (b"[1]", "line 1: expected a JSON object"),
            (b'{"_id": "a"}', "line 1: no text"),
            (b'{"_id": [1], "text": "x"}', "line 1: _id must be"),
            (b'{"_id": "a", "text": "x"}\n{"_id": "a", "text": "y"}', "line 2: _id 'a' stands already in"),
            (b'{"_id": "a b", "text": "x"}', "_id must be one word"),
            (b'{"_id": "a", "text": "x", "reference_date": "99999-01-01"}', "line 1: reference_date must be"),
            (b'{"_id": "a", "text": "x", "metadata": [1]}', "line 1: metadata must be an object"),
            (b'{"_id": "a", "text": "\\ud800"}', "line 1: not JSON"),
            (b'{"_id": "a", "text": "x", "n": NaN}', "line 1: not JSON"),
            (b'{"_id": ' + b"9" * 5_000 + b"}", "line 1: not JSON"),
            (b"[" * 100_000, "line 1: not JSON"),
            (b'{"_id": "\xe9"}', "line 1: not UTF-8"),
        ],
        ids=lambda value: repr(value)[:40],
    )
    def test_queries(self, content: bytes, problem: str) -> None:
        write("bad.jsonl", content)
        message = complaint(qtie("run", "c.jsonl", "bad.jsonl", "--out", "new"))
        assert "bad.jsonl" in message
        assert problem in message
        assert not Path("new").exists()

    @pytest.mark.parametrize(
        ("content", "problem"),
        [
            (b'{"query": ', "line 1: not JSON"),
            (b'{"q": 1}', "line 1: field 'query': expected a text"),
            (b'\n{"query": 1}', "line 2: field 'query': expected a text"),
            (b'{"query": "x", "n": NaN}', "line 1: not JSON"),
            (b'{"query": "x", "n": 1e999}', "line 1: not JSON"),
            (b'{"query": "\\ud800"}', "line 1: not JSON"),
            (b'{"query": "x", "n": "\\udfff"}', "line 1: not JSON"),
            (b'{"query": "x", "reference_date": "2019-02-30"}', "line 1: reference_date must be YYYY-MM-DD"),
            (b'{"query": "x", "reference_date": 0}', "line 1: reference_date must be YYYY-MM-DD"),
            (b'{"a": ' + b"[" * 100_000, "line 1: not JSON"),
            (b"caf\xe9", "line 1: not UTF-8"),
        ],
        ids=lambda value: repr(value)[:40],
    )
    def test_intent_lines(self, content: bytes, problem: str) -> None:
        assert f"<stdin>, {problem}" in complaint(qtie("intent", "-", stdin=content))

    def test_lines_before_a_bad_one_are_whole(self) -> None:
        result = qtie("intent", "-", stdin=b'in 2019\n{"query": 1}\nnever\n')
        assert "line 2" in complaint(result, stdout=None)
        assert json.loads(result.stdout)["query"] == "in 2019"

    def test_bad_lines_are_skipped_where_that_is_asked_for(self, tmp_path: Path) -> None:
        place = tmp_path / "skipped.jsonl"
        lines = b'in 2019\n{"query": 1}\ncaf\xe9\nin 2020\n'
        result = qtie("intent", "-", "--on-error", "skip", "--skipped", str(place), stdin=lines)
        assert (result.exit_code, result.stderr) == (0, f"qtie: 2 skipped: {place}\n")
        assert [json.loads(line)["query"] for line in result.stdout.splitlines()] == ["in 2019", "in 2020"]
        assert [json.loads(line)["line"] for line in place.read_text("utf-8").splitlines()] == [
            '{"query": 1}',
            "caf\ufffd",
        ]

    def test_what_is_skipped_never_goes_into_the_input(self, tmp_path: Path) -> None:
        lines = tmp_path / "lines.jsonl"
        lines.write_text('{"query": 1}\nin 2019\n')
        refused = shell(f"qtie intent - --on-error skip --skipped {lines} < {lines}")
        assert (refused.returncode, refused.stdout) == (2, "")
        assert refused.stderr == f"qtie: --skipped: {lines} is the input itself\n"
        assert lines.read_text() == '{"query": 1}\nin 2019\n'

    @pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no /dev/full")
    def test_what_is_skipped_finds_no_room(self) -> None:
        full = qtie("intent", "-", "--on-error", "skip", "--skipped", "/dev/full", stdin=b'{"query": 1}\n')
        assert complaint(full) == "/dev/full: cannot be written: No space left on device"

    @pytest.mark.parametrize(
        ("content", "problem"),
        [
            ("", "no rankings"),
            ("q1 Q0 b19 1 2", "line 1: expected 6 columns, found 5"),
            ("q1 Q0 b19 1 nan t", "line 1: score must be finite"),
            ("q1 Q0 b19 1 1e999 t", "line 1: score must be finite"),
            ("q1 Q0 b 1 2 t\nq1 Q0 b 2 1 t", "line 2: 'b' is ranked twice"),
            ("zz Q0 b19 1 2 t", "unknown queries in the run, not in the qrels: 'zz'"),
            ("q1 Q0 b\0x 1 2 t", "line 1: holds a NUL byte"),
            (b"q\xff", "cannot be read"),
        ],
    )
    def test_runs(self, content: str | bytes, problem: str) -> None:
        write("bad.run", content)
        assert problem in complaint(qtie("evaluate", "qrels.tsv", "bad.run"))
        assert problem in complaint(
            qtie("evaluate", "qrels.tsv", "run", "harm", "--baseline", "bad.run", "--queries", "q.jsonl")
        )

    @pytest.mark.parametrize(
        ("content", "problem"),
        [
            ("", "no judgements"),
            ("query-id\tcorpus-id\tscore\n", "no judgements"),
            ("q1 0 b 0", "the qrels hold no relevant document"),
            ("q1 0 b 1.5", "line 1: relevance must be a whole number"),
            ("q1 0 b " + "9" * 20, "line 1: relevance must be a whole number"),
            ("q1 0 b " + "9" * 5_000, "line 1: relevance must be a whole number"),
            ("q1 0 b\0x 1", "line 1: holds a NUL byte"),
            ("q1 0 b 1\nq1 0 b 1", "line 2: 'b' is judged twice"),
        ],
        ids=lambda value: repr(value)[:40],
    )
    def test_qrels(self, content: str, problem: str) -> None:
        assert problem in complaint(qtie("evaluate", write("bad.qrels", content), "run"))

    @pytest.mark.parametrize("name", ["c", "q", "qrels"])
    @pytest.mark.parametrize("damage", [slice(0, -9), slice(5, None)])
    def test_damaged_gzip(self, name: str, damage: slice) -> None:
        text = {"c": json_lines(CORPUS), "q": json_lines(QUERIES), "qrels": QRELS}[name]
        packed = gzip.compress(text.encode(), mtime=0)
        broken = write(f"{name}.jsonl.gz", packed[:10] * (damage.start > 0) + packed[damage])
        command = {"c": ("search", "x", broken), "q": ("run", "c.jsonl", broken), "qrels": ("evaluate", broken, "run")}
        assert broken in complaint(qtie(*command[name]))

    @pytest.mark.parametrize(
        "name", ["none.jsonl", "", "folder", "loop", "x" * 5_000, "c.jsonl/x", "c.parquet", "\x1b[31m.md"]
    )
    def test_what_is_no_file(self, name: str) -> None:
        Path("folder").mkdir(exist_ok=True)
        Path("loop").symlink_to("loop")
        commands = (
            *(("search", "x", name), ("rerank", "x", name), ("inspect", name), ("run", "c.jsonl", name)),
            *(("evaluate", name, "run"), ("evaluate", "qrels.tsv", name), ("intent", "x", "--config", name)),
        )
        for command in commands:
            assert "\x1b" not in complaint(qtie(*command))

    def test_unreadable_files(self) -> None:
        if os.geteuid() == 0:
            pytest.skip("root reads everything")
        Path("c.jsonl").chmod(0)
        assert complaint(qtie("search", "x", "c.jsonl")) == "c.jsonl: Permission denied"

    @pytest.mark.parametrize(
        "text",
        [
            *("x", "[nope]", "ranking = 1", "[ranking]\nnope = 1", "[ranking]\nfusion = 'x'", "[ranking]\nkernel = 1"),
            *("[ranking]\nkernel = 'x'", "[ranking]\nmode = 'x'", "[documents]\nmissing = 'x'", "[retrieval]\nk = 1"),
            *("[ranking]\nnormalization = 'x'", "[ranking]\ntemporal_weight = nan", "[ranking]\ntemporal_weight = 2"),
            *("[retrieval]\nretriever = 'x'", "[retrieval]\ndense_weight = -1", "[intent]\ntime_zone = '/etc/passwd'"),
            *("[intent]\nweek_start = 7", "[documents]\ntime_keys = 'date'", "[documents]\nfacet_keys = {a = 1}"),
            *("a = " + "[" * 100_000, "[ranking]\ntemporal_weight = 1" + "0" * 5_000, "\0", "\udcff"),
        ],
        ids=lambda value: repr(value)[:40],
    )
    def test_settings(self, text: str) -> None:
        write("bad.toml", text.encode(errors="surrogateescape"))
        for command in (("search", "x in 2019", "c.jsonl"), ("intent", "x"), ("inspect", "c.jsonl")):
            assert complaint(qtie(*command, "--config", "bad.toml")).startswith("bad.toml: ")

    @given(content=st.binary(max_size=60) | st.text(max_size=40).map(str.encode))
    @example(b"---\n? [a]\n: b\n---\n")
    @settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
    @pytest.mark.filterwarnings("ignore")
    def test_any_bytes(self, content: bytes) -> None:
        for name in ("any.jsonl", "any.csv", "any.jsonl.gz", "notes/a.md", "any.toml", "any.run", "any.qrels"):
            write(name, content)
        commands = (
            *(("search", "in 2019", "any.jsonl"), ("rerank", "in 2019", "any.csv"), ("inspect", "any.jsonl.gz")),
            *(("search", "x", "notes"), ("intent", "x", "--config", "any.toml"), ("run", "c.jsonl", "any.jsonl")),
            *(("evaluate", "qrels.tsv", "any.run"), ("evaluate", "any.qrels", "run"), ("inspect", "any.csv")),
        )
        for command in commands:
            result = qtie(*command)
            assert result.exit_code == 0 or complaint(result)
        assert qtie("intent", "-", stdin=content).exit_code in (0, 2)

    JSON = st.recursive(
        st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5) | st.sampled_from(["2019", "a"]),
        lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
        max_leaves=6,
    )
    KEYS = st.sampled_from(
        ["_id", "text", "title", "score", "metadata", "times", "date", "valid_from", "valid_to", "born", "parent_id"]
    )

    @given(given=st.lists(st.dictionaries(KEYS, JSON, max_size=6), min_size=1, max_size=3))
    @example(given=[{"_id": 0, "text": "", "date": 1e300, "valid_from": "99999", "valid_to": -99999}])
    @settings(max_examples=80, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
    def test_any_records(self, given: list[dict[str, Any]]) -> None:
        filled = [{"_id": str(n), "text": "x"} | record for n, record in enumerate(given)]
        write("any.jsonl", json_lines(filled))
        estimating = ("rerank", "x in 2019", "any.jsonl", "--missing", "estimate", "--json")
        born = ("search", "born in 2019", "any.jsonl", "--json")
        for command in (born, estimating, ("inspect", "any.jsonl", "--json"), ("run", "c.jsonl", "any.jsonl")):
            result = qtie(*command)
            errors = [line for line in result.stderr.splitlines() if not line.startswith("qtie: warning: ")]
            assert (result.exit_code, len(errors)) in ((0, 0), (2, 1))
            assert "NaN" not in result.stdout or "NaN" in json.dumps(filled)


class TestBadArguments:
    @pytest.mark.parametrize(
        "options",
        [
            *(["-k", "0"], ["-k", "-1"], ["-k", "x"], ["-k", "9" * 5_000], ["--temporal-weight", "nan"]),
            *(["--temporal-weight", "1.1"], ["--temporal-weight", "x"], ["--reference-date", "99999-01-01"]),
            *(["--reference-date", "2019-02-30"], ["--reference-date", ""], ["--interval", "x"], ["--interval", ""]),
            *(["--interval", "2020/2019"], ["--interval", "Y999999999"], ["--interval", "2019-13"], ["--nope"]),
            *(["--kernel", "x"], ["--fusion", "x"], ["--normalization", "x"], ["--missing", "x"], ["--retriever", "x"]),
            *(["--retriever", "dense", "--encoder", "none"], ["--retriever", "hybrid", "--encoder", "."]),
            *(["--extractor", "x"], ["extra"], ["--config", "none.toml"]),
        ],
        ids=lambda value: " ".join(value)[:40],
    )  # fmt: skip
    def test_options(self, options: list[str]) -> None:
        complaint(qtie("search", "budget in 2019", "c.jsonl", *options))

    def test_messages_name_the_option(self) -> None:
        message = complaint(qtie("search", "x", "c.jsonl", "--interval", "2020/2019"))
        assert message.startswith("Invalid value for '--interval': interval ends before it starts")
        assert complaint(qtie("--nope")) == "No such option '--nope'; see qtie --help"
        for command in ("search", "rerank", "intent", "run", "evaluate", "inspect", "nope"):
            assert complaint(qtie(command)).endswith(f"; see qtie{'' if command == 'nope' else ' ' + command} --help")

    def test_what_would_fail_after_the_work_fails_before_it(self) -> None:
        write("broken.jsonl", "{")  # not looked at
        cases = {
            ("--out", "none/run"): "none/run: cannot be written: no folder",
            ("--out", "."): ".: cannot be written: is a folder",
            ("--out", "x" * 5_000): "File name too long",
            ("--out", ""): "cannot be written",
            ("--tag", "two words"): "tag must be one word",
            ("--tag", "\udcff"): "'--tag': not UTF-8",
            ("--interval", "2019"): "No such option '--interval'",
            ("--retriever", "dense", "--encoder", "none"): "sentence_transformers is missing",
        }
        for options, problem in cases.items():
            assert problem in complaint(qtie("run", "broken.jsonl", "q.jsonl", *options))
        write("notes/two words.md", "budget")
        assert "notes: _id must be one word" in complaint(qtie("run", "notes", "q.jsonl", "--out", "new"))
        assert sorted(path.name for path in Path().glob("*run*")) == ["run"]

    def test_standard_input_is_read_once(self) -> None:
        assert "can be read once" in complaint(qtie("run", "-", "-"))
        assert "can be read once" in complaint(qtie("evaluate", "-", "-"))
        assert qtie("run", "c.jsonl", "-", stdin=json_lines(QUERIES).encode()).stdout.startswith("q1 Q0 b19 1 ")
        assert qtie("run", "-", "q.jsonl", stdin=json_lines(CORPUS).encode()).stdout.startswith("q1 Q0 b19 1 ")

    @pytest.mark.parametrize(
        "measure",
        [
            *("nope", "P@0", "P@-1", "P@1@2", "P@", "", "violation@0", "violation@" + "9" * 5_000, "__import__('os')"),
            *("P@" + "9" * 5_000, "nDCG(gains={0: 9**99})@10", "(" * 500, "-" * 100_000, "harm", "violation@1"),
        ],
        ids=lambda value: value[:20],
    )
    def test_measures(self, measure: str) -> None:
        complaint(qtie("evaluate", "qrels.tsv", "run", measure))

    @pytest.mark.parametrize(
        "query",
        [
            *("", "   ", "?!.,;:", "😀" * 1_000, "\u202eabc\u202c in 2019", "\x01\x1b[31m 2019", "في 2019"),
            *("\n\r\u2028", "word " * 20_000, "in 2019 and " * 3_000, "9" * 100_000, "99999999999 years ago"),
        ],
        ids=lambda value: repr(value)[:20],
    )
    def test_queries(self, query: str) -> None:
        result = qtie("search", "--json", "--", query, "c.jsonl")
        assert len(result.stdout.splitlines()) == 4
        assert result.stderr == "" or result.stderr.startswith("qtie: warning: no document matches the words")
        assert result.stderr.count("\n") <= 1
        assert len(records("rerank", "--json", "--", query, "c.jsonl")) == 4
        assert qtie("intent", "--", query or "''").exit_code == 0
        complaint(qtie("search", "\udcff" + query, "c.jsonl"))

    @pytest.mark.parametrize(
        ("module", "arguments"),
        [
            ("ir_measures", ["evaluate", "qrels.tsv", "run"]),
            ("tokenizers", ["search", "x", "c.jsonl", "--retriever", "dense", "--encoder", "bert"]),
            ("onnxruntime", ["search", "x", "c.jsonl", "--retriever", "hybrid", "--encoder", "onnx"]),
        ],
    )
    def test_missing_extras(self, module: str, arguments: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
        write("onnx/model.onnx", b"")
        for name in ("config.json", "tokenizer.json", "model.safetensors"):
            write(f"bert/{name}", b'{"model_type": "bert"}')

        class Absent:
            def find_spec(self, name: str, *_: object) -> None:
                if name == module:
                    raise ModuleNotFoundError(f"No module named {name!r}", name=name)

        for loaded in [name for name in sys.modules if name.split(".")[0] == module]:
            monkeypatch.delitem(sys.modules, loaded)
        monkeypatch.setattr(sys, "meta_path", [Absent(), *sys.meta_path])
        message = complaint(qtie(*arguments))
        assert f"{module} is missing; try: pip install" in message or module == "tokenizers"


class TestProcess:
    """What only a process of its own shows."""

    def test_pipes(self) -> None:
        write("big.jsonl", json_lines([{"_id": str(n), "text": "budget " * 9, "date": "2019"} for n in range(3_000)]))
        done = shell("qtie search 'budget in 2019' big.jsonl -k 3000 --json | head -n 1")
        assert (json.loads(done.stdout)["rank"], done.returncode, done.stderr) == (1, 0, "")
        done = shell("qtie run big.jsonl q.jsonl -k 3000 | head -n 1")
        assert (len(done.stdout.split()), done.returncode, done.stderr) == (6, 0, "")
        done = shell("echo 'budget in 2019' | qtie intent - | qtie intent - | cut -c1-26")
        assert (done.stdout, done.returncode, done.stderr) == ('{"query": "budget in 2019"\n', 0, "")
        done = shell("qtie run - q.jsonl < c.jsonl | qtie evaluate qrels.tsv - P@1; qtie rerank x <(cat c.jsonl) -k 1")
        assert (done.stdout.split("\n", 1)[0], done.returncode, done.stderr) == ("P@1\t1.0000", 0, "")

    def test_a_line_is_answered_before_the_next_is_there(self) -> None:
        with subprocess.Popen([SCRIPT, "intent", "-"], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
            assert process.stdin
            assert process.stdout
            process.stdin.write(b"in 2019\n")
            process.stdin.flush()
            assert b"2019-12-31" in process.stdout.readline()
            process.stdin.close()
            assert process.wait(timeout=20) == 0

    @pytest.mark.parametrize(
        ("command", "problem"),
        [
            ("qtie search x - <&-", "<stdin>: is closed"),
            ("qtie intent - <&-", "<stdin>: is closed"),
            ("qtie evaluate qrels.tsv - <&-", "standard input is closed"),
            ("qtie intent x >&-", "standard output is closed"),
            ("qtie intent x > /dev/full", "No space left on device"),
            ("qtie run c.jsonl q.jsonl > /dev/full", "No space left on device"),
        ],
    )
    def test_closed_and_full_streams(self, command: str, problem: str) -> None:
        assert problem in complaint(shell(command))

    def test_other_encodings_and_warnings(self) -> None:
        write("c.jsonl", '{"_id": "a", "text": "café in 2019", "date": "never"}')
        done = shell("qtie search 'café in 2019' c.jsonl --explain", PYTHONIOENCODING="latin-1", PYTHONWARNINGS="error")
        assert "→ 2019-01-01/2019-12-31" in done.stdout
        assert done.stderr.startswith("qtie: warning: 'date' holds values that cannot be read as times")
        assert done.returncode == 0
        assert shell("qtie search x c.jsonl 2>&-").returncode == 0

    def test_an_interrupt(self) -> None:
        process = self._started("intent", "-", stdin=subprocess.PIPE)
        process.send_signal(signal.SIGINT)
        assert process.wait(timeout=20) == 130  # before its input ends
        assert process.communicate()[1] == b""

    def test_a_killed_run_leaves_nothing(self) -> None:
        os.mkfifo("pipe")
        before = set(Path().iterdir())
        process = self._started("run", "pipe", "q.jsonl", "--out", "new")
        with Path("pipe").open("w") as corpus, contextlib.suppress(BrokenPipeError):
            corpus.write(json_lines(CORPUS))
            corpus.flush()
            process.kill()
            process.communicate(timeout=20)
        assert process.returncode == -signal.SIGKILL
        assert set(Path().iterdir()) == before

    def _started(self, *arguments: str, **streams: Any) -> "subprocess.Popen[bytes]":
        """The command once it has begun its work."""
        process = subprocess.Popen(
            [SCRIPT, *arguments],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),  # a job in the background ignores it
            **streams,
        )
        if process.stdin:
            assert process.stdout
            process.stdin.write(b"in 2019\n")
            process.stdin.flush()
            process.stdout.readline()
        return process

    def test_a_run_replaces_its_file_whole(self) -> None:
        Path("old").write_text("before")
        Path("link").symlink_to("old")
        qtie("run", "c.jsonl", "q.jsonl", "--out", "link")
        assert Path("link").is_symlink()
        assert Path("old").read_text().startswith("q1 Q0 b19 1")
        assert not list(Path().glob(".*"))

    def test_colour_and_progress_only_on_a_terminal(self) -> None:
        on_terminal = self._on_terminal([str(SCRIPT), "intent", "budget in 2019"])
        assert "budget \x1b[32m[" in on_terminal
        assert "\x1b" not in qtie("intent", "budget in 2019").stdout
        shown = self._on_terminal([str(SCRIPT), "run", "c.jsonl", "q.jsonl", "--out", "new"])
        assert "reading" in shown
        assert "searching" in shown
        assert "100%" in shown
        assert Path("new").read_text().startswith("q1 Q0 b19 1 ")

    def test_a_corpus_cannot_command_the_terminal(self) -> None:
        write("c.jsonl", json.dumps({"_id": "a\x1b[2J", "title": "\x9b31m\x07", "text": "x", "date": "\x1b]0;x"}))
        for command in (["search", "x in 2019", "c.jsonl"], ["inspect", "c.jsonl"]):
            shown = self._on_terminal([str(SCRIPT), *command])
            assert not [control for control in ("\x9b", "\x07", "\x1b[2J", "\x1b]") if control in shown]

    def _on_terminal(self, command: list[str]) -> str:
        ours, theirs = pty.openpty()
        process = subprocess.Popen(command, stdin=theirs, stdout=theirs, stderr=theirs)
        os.close(theirs)
        shown, deadline = b"", time.monotonic() + 30
        with contextlib.suppress(OSError):  # the end of a terminal
            while time.monotonic() < deadline and (more := os.read(ours, 4096)):
                shown += more
        os.close(ours)
        assert process.wait(timeout=20) == 0
        return shown.decode()


def test_run_writes_json_lines_and_demo_takes_a_day(tmp_path):
    (tmp_path / "corpus.jsonl").write_text('{"_id": "a", "text": "budget", "date": "2019"}\n', encoding="utf-8")
    (tmp_path / "queries.jsonl").write_text('{"_id": "q", "text": "budget in 2019"}\n', encoding="utf-8")
    files = [str(tmp_path / "corpus.jsonl"), str(tmp_path / "queries.jsonl")]
    result = CliRunner().invoke(main, ["run", *files, "--json"])
    record = json.loads(result.stdout)
    assert (record["query_id"], record["rank"], record["doc_id"]) == ("q", 1, "a")
    assert CliRunner().invoke(main, ["run", *files, "--json", "--out", "x"]).exit_code == 2
    assert CliRunner().invoke(main, ["demo", "--reference-date", "2025-06-15"]).exit_code == 0
