"""Candidates: every time value and duration of a query, each once, whether or not it is used as a time."""

from datetime import date

import pytest

from qtie.errors import IntentParseError
from qtie.interval import Granularity
from qtie.tie.program import Candidate, Step, candidates, execute

REFERENCE = date(2024, 6, 15)


def values(query: str) -> list[tuple[str, str]]:
    """Each value's words and days."""
    found = candidates(query, reference_date=REFERENCE)
    return [(query[c.start : c.end], str(c.timex.interval)) for c in found if c.timex]


def durations(query: str) -> list[tuple[str, int, Granularity]]:
    found = candidates(query, reference_date=REFERENCE)
    return [(query[c.start : c.end], c.n, c.unit) for c in found if c.unit]


@pytest.mark.parametrize(
    ("query", "words", "n", "unit"),
    [
        ("100 days after 20 January 2009", "100 days", 100, Granularity.DAY),
        ("a hundred years after 44 BC", "a hundred years", 100, Granularity.YEAR),
        ("the 1000-year reich", "1000-year", 1000, Granularity.YEAR),
        ("over the past half a dozen months", "half a dozen months", 6, Granularity.MONTH),
        ("16 wks before May 2010", "16 wks", 16, Granularity.WEEK),
        ("floods 48 hours ago", "48 hours", 2, Granularity.DAY),
        ("three years before 2019", "three years", 3, Granularity.YEAR),
    ],
)
def test_a_counted_unit_is_a_duration_and_its_number_no_year(query: str, words: str, n: int, unit: Granularity) -> None:
    assert durations(query) == [(words, n, unit)]
    assert words.split()[0] not in [said for said, _ in values(query)]


@pytest.mark.parametrize(
    "query", ["1,800 people", "12,500.5 tons", "pi is 3.1415", "$1900", "£2000", "800% more", "v2.2019"]
)
def test_parts_of_numbers_and_prices_are_no_candidates(query: str) -> None:
    assert candidates(query, reference_date=REFERENCE) == []


@pytest.mark.parametrize(
    ("query", "years"),
    [
        ("medals 1972,1976,1984", ["1972", "1976", "1984"]),
        ("events 1964, 1980 and 547 AD", ["1964", "1980", "0547"]),
        ("from AD 439 to 847", ["0439", "0847"]),
        ("80 to 120 AD", ["0080", "0120"]),
        ("500-400 BC", ["-0499", "-0399"]),
        ("between 500 and 400 BCE", ["-0499", "-0399"]),
        ("room 2099 or 812", ["2099", "0812"]),
    ],
)
def test_each_number_that_may_be_a_year_is_one_candidate(query: str, years: list[str]) -> None:
    assert [days for _, days in values(query)] == [f"{year}-01-01/{year}-12-31" for year in years]


@pytest.mark.parametrize(
    ("query", "day"),
    [
        ("room 2099 on 3 May", "2024-05-03/2024-05-03"),
        ("800 guests on 3 May", "2024-05-03/2024-05-03"),
        ("on 3 May, not in June 2019", "2019-05-03/2019-05-03"),
    ],
)
def test_a_day_takes_its_year_from_a_year_and_from_no_other_number(query: str, day: str) -> None:
    assert day in [days for _, days in values(query)]


def test_a_program_has_one_step_for_each_candidate() -> None:
    with pytest.raises(IntentParseError, match="1 and 0"):
        execute([Candidate(0, 4)], [], reference_date=None)
    with pytest.raises(IntentParseError, match="not a step"):
        Step(operator="sometime")  # type: ignore[arg-type]
