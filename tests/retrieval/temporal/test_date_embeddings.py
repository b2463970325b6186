"""Dates as words, and joined with texts."""

import numpy as np
import pytest

from qtie.document import Document
from qtie.document_time import parse_time
from qtie.errors import ConfigError
from qtie.interval import TimeInterval
from qtie.retrieval.temporal.date_fusion import DATE_FUSIONS, date_fusion
from qtie.retrieval.temporal.date_texts import date_text, document_interval


@pytest.mark.parametrize(
    ("interval", "text"),
    [
        ("2001", "2001"),
        ("2001-02", "February 2001"),
        ("2001-02-03", "February 2001"),
        ("1999-05/2001-02", "May 1999 to February 2001"),
        ("1990/1999", "1990 to 1999"),
        ("../1990-06-30", "until June 1990"),
        ("1990/..", "since 1990"),
        ("-0044-03", "March -44"),
    ],
)
def test_an_interval_is_said_in_months_or_whole_years(interval: str, text: str) -> None:
    assert date_text(TimeInterval.parse(interval)) == text


def test_no_time_is_no_words() -> None:
    assert date_text(None) == date_text(TimeInterval(None, None)) == ""


def test_a_document_s_own_time_comes_before_what_its_text_tells() -> None:
    told = Document(doc_id="a", text="He led the club from 1999 to 2003.")
    dated = told.with_times({"timestamp": [parse_time("2010-05-01")], "born": [parse_time("1950")]})
    assert str(document_interval(told)) == "1999-01-01/2003-12-31"
    assert str(document_interval(dated)) == "2010-05-01/2010-05-01"
    assert document_interval(Document(doc_id="b", text="He led the club.")) is None


def test_other_facets_serve_where_there_is_no_better_one() -> None:
    document = Document(doc_id="a", text="x").with_times({"born": [parse_time("1950")], "died": [parse_time("1999")]})
    assert str(document_interval(document)) == "1950-01-01/1999-12-31"


@pytest.mark.parametrize("name", list(DATE_FUSIONS))
def test_without_a_date_the_text_keeps_its_direction(name: str) -> None:
    text, fusion = np.array([[0.6, 0.8]]), date_fusion(name)
    joined = fusion.join(text, np.full_like(text, fusion.no_date), np)
    assert joined[0, :2].tolist() == [0.6, 0.8]
    assert not joined[0, 2:].any()


def test_an_unknown_fusion_is_named() -> None:
    with pytest.raises(ConfigError, match="'mean'; one of concatenation, sum, difference, product"):
        date_fusion("mean")
