"""Timelines and rankings as HTML: what they show, and that text stays text."""

import re
from datetime import date
from pathlib import Path
from typing import Any

import pytest
from pages import HOSTILE, Elements, needs_browser, rendered

from qtie import TemporalReranker
from qtie.display.html import PAGE_SCRIPTS, display_file, embedded_json
from qtie.display.timeline import TimelineBar, is_coarse, timeline
from qtie.intent import TemporalIntent
from qtie.interval import TimeInterval
from qtie.ranking import Ranking


@pytest.fixture
def ranking() -> Ranking:
    documents: list[dict[str, Any]] = [
        {"_id": "day", "text": "Weber takes over the ministry", "date": "2016-03-14", "score": 0.9},
        {"_id": "year", "text": "The ministry moves", "date": "2015", "score": 0.8},
        {"_id": "open", "text": "Vogt is minister", "valid_from": "2014-02-01", "score": 0.7},
        {"_id": "undated", "text": HOSTILE, "score": 0.6},
    ]
    query = f"who led the ministry since 2016 {HOSTILE}"
    return TemporalReranker().rank(query, documents, reference_date=date(2020, 6, 1))


def test_timeline_of_a_ranking(ranking: Ranking) -> None:
    data = ranking.timeline()
    assert data["intervals"] == ["2016-01-01/.."]
    assert data["reference_date"] == "2020-06-01"
    by_id = {document["doc_id"]: document for document in data["documents"]}
    assert [document["rank"] for document in data["documents"]] == [1, 2, 3, 4]
    assert {doc_id: document["time"] for doc_id, document in by_id.items()} == {
        "day": "2016-03-14/2016-03-14",
        "year": "2015-01-01/2015-12-31",
        "open": "2014-02-01/..",
        "undated": None,
    }
    assert {doc_id for doc_id, document in by_id.items() if document["coarse"]} == {"year"}
    assert by_id["year"]["granularity"] == "year"
    assert by_id["day"]["temporal_score"] == 1.0
    assert by_id["undated"]["granularity"] is None


def test_timeline_of_the_first_k(ranking: Ranking) -> None:
    assert [document["rank"] for document in ranking.timeline(k=2)["documents"]] == [1, 2]


def test_timeline_of_no_documents_and_no_time() -> None:
    assert timeline([], []) == {"intervals": [], "reference_date": None, "documents": []}


@pytest.mark.parametrize(
    ("time", "coarse"),
    [
        ("2019", True),
        ("2019-02", True),
        ("199X", True),
        ("2019-02-03", False),
        ("1997-05-02/2007-06-27", False),
        ("2019/..", False),
    ],
)
def test_coarse_is_a_whole_unit_longer_than_a_day(time: str, coarse: bool) -> None:
    assert is_coarse(TimeInterval.parse(time)) is coarse


def test_years_before_one_and_beyond_9999_keep_their_form() -> None:
    bar = TimelineBar(doc_id="a", label="", time=TimeInterval.years(-44, 12345), temporal_score=0.1, rank=1)
    assert bar.to_dict()["time"] == "-0044-01-01/+12345-12-31"


def test_embedded_json_cannot_end_its_script() -> None:
    text = embedded_json({"text": HOSTILE + "<!-- \u2028"})
    assert not set("<>&\u2028") & set(text)


def test_html_holds_no_element_from_data(ranking: Ranking) -> None:
    page = Elements(ranking._repr_html_())
    assert page.names.count("script") == 1
    assert "img" not in page.names
    assert not [key for key in page.attributes if key.startswith("on") or key in ("src", "href")]


def test_html_shows_query_reading_and_documents(ranking: Ranking) -> None:
    page = ranking._repr_html_()
    assert "<mark>since 2016</mark>" in page
    assert "2016-01-01/.." in page
    assert "Weber takes over the ministry" in page
    assert "2016-03-14" in page


def test_html_is_the_same_for_the_same_ranking(ranking: Ranking) -> None:
    assert ranking._repr_html_() == ranking._repr_html_()


def test_html_says_what_it_leaves_out(ranking: Ranking) -> None:
    longer = Ranking(ranking.ranked * 6, ranking.intent)
    assert "4 more documents are not shown" in longer._repr_html_()
    assert "more documents" not in ranking._repr_html_()


def test_html_of_an_intent(ranking: Ranking) -> None:
    html = ranking.intent._repr_html_()
    page = Elements(html)
    assert "<mark>since 2016</mark>" in html
    assert page.names.count("script") == 1
    assert "img" not in page.names
    assert "2016-01-01/.." in html
    assert "table" not in page.names


def test_html_of_an_atemporal_intent_draws_nothing() -> None:
    html = TemporalIntent(query=HOSTILE)._repr_html_()
    assert "asks for no time" in html
    assert "script" not in Elements(html).names


@pytest.mark.parametrize("name", [*PAGE_SCRIPTS, "timeline.css", "ranking.css", "page.css"])
def test_component_asks_the_network_for_nothing_and_parses_no_html(name: str) -> None:
    source = display_file(name)
    assert "</" not in source
    assert not re.search(
        r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|eval\(|fetch\(|import |url\(h|@import", source
    )


@needs_browser
def test_rankings_in_a_browser(ranking: Ranking, tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    shown = ranking._repr_html_() + ranking.intent._repr_html_()
    page.write_text(f"<!doctype html><title>whole</title>{shown}", encoding="utf-8")
    dom = rendered(page)
    assert "<title>whole</title>" in dom
    assert dom.count("<svg height=") == 2
    assert len(re.findall(r'class="row"', dom)) == 4
    assert len(re.findall(r'class="bar coarse"', dom)) == 1
    assert len(re.findall(r'class="bar undated"', dom)) == 1
    assert re.search(r'aria-label="1\. [^"]*S_temp 1\.000"', dom)
