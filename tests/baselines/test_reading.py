"""What the baselines make of a question."""

from collections.abc import Callable
from datetime import date

import pytest

from qtie.baselines.ranker import Pool, Question
from qtie.baselines.reading import compared_times, read_intent, read_keywords, read_last_date, read_strict_keywords
from qtie.document import Document

Ask = Callable[..., Question]


@pytest.mark.parametrize(
    ("text", "kind", "interval"),
    [
        ("Who won the prize between 1901 and 1903?", "between", "1901-01-01/1903-12-31"),
        ("Who led it from 2003 to 2006?", "between", "2003-01-01/2006-12-31"),
        ("mayors before 1950", "before", "../1950-12-31"),
        ("mayor as of 10 January 2008", "before", "../2008-01-10"),
        ("papers by the year 2010", "before", "../2010-12-31"),
        ("laws until May 2001", "before", "../2001-05-31"),
        ("news since 2015-06", "after", "2015-06-01/.."),
        ("news from 2015", "after", "2015-01-01/.."),
        ("news after June 4, 2015", "after", "2015-06-04/.."),
        ("Prize in Physics 1999?", "in", "1999-01-01/1999-12-31"),
        ("fires during 1666", "in", "1666-01-01/1666-12-31"),
        ("3000 metres winner", None, None),
        ("who won on 2010-02-31", None, None),
        ("who was in office three years ago", None, None),
        ("the Boeing 747-2000", None, None),
    ],
)
def test_keywords(ask: Ask, text: str, kind: str | None, interval: str | None) -> None:
    reading = read_keywords(ask(text))
    assert reading.kind == kind
    assert (reading.interval and str(reading.interval)) == interval


@pytest.mark.parametrize(
    ("text", "condition", "left"),
    [
        ("Who was the first mayor after 1990?", "first", "Who was the mayor?"),
        ("What was the most recent law before 2001?", "last", "What was the law?"),
        ("Who won between 1901 and 1903?", None, "Who won?"),
        ("latest budget", "last", "budget"),
    ],
)
def test_condition_word_and_time_phrase_are_taken_out(ask: Ask, text: str, condition: str | None, left: str) -> None:
    reading = read_keywords(ask(text))
    assert (reading.condition, reading.text) == (condition, left)


def test_strict_bounds(ask: Ask) -> None:
    assert str(read_strict_keywords(ask("before May 2010")).interval) == "../2010-04-30"
    assert str(read_strict_keywords(ask("in 2010")).interval) == "2010-01-01/2010-12-31"


def test_last_date_counts_from_the_reference_date_where_none_is_named(ask: Ask) -> None:
    assert str(read_last_date(ask("between 1901 and 1903")).interval) == "../1903-12-31"
    assert str(read_last_date(ask("who leads it", date(2020, 5, 1))).interval) == "../2020-05-01"
    assert read_last_date(ask("who leads it")).interval is None


@pytest.mark.parametrize(
    ("text", "kind", "interval", "condition"),
    [
        ("won before 2019", "before", "../2018-12-31", None),
        ("won after 2019", "after", "2020-01-01/..", None),
        ("won three years before 2019", "between", "2016-01-01/2016-12-31", None),
        ("who won", None, None, None),
        ("first winner after 2019", "after", "2020-01-01/..", "first"),
    ],
)
def test_intent(ask: Ask, text: str, kind: str | None, interval: str | None, condition: str | None) -> None:
    reading = read_intent(ask(text))
    assert (reading.kind, reading.interval and str(reading.interval), reading.condition) == (kind, interval, condition)


def test_a_named_facet_is_compared_with_that_facet(ask: Ask) -> None:
    person = Document.from_record({"_id": "p", "text": "", "timestamp": "2001", "times": {"born": "1950"}})
    question, pool = ask("winners born in 1950"), Pool([person])
    assert compared_times(read_intent(question), question, pool).start[0] < 0
    assert compared_times(read_keywords(question), question, pool).start[0] > 0
