"""Each rewrite of a Nobel query denotes the query's gold interval, computed from the numbers that its words show.

A frame's placeholders are filled in first. What then stands in the text is read as a, b, c, … from left to right, and
the frame's `check` says in these letters what the words mean: "three years prior to 2022" has a = 3 and b = 2022, and
its check is `span(b - a)`. So a wrong offset in a frame fails, as does a number that the check leaves out. The meaning
of the functions is that of the intent specification; days are marked in an array, so `&`, `|` and `~` are sets'.
"""

import ast
import re
import string
import sys
from collections import Counter
from datetime import date, timedelta
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest

REPOSITORY = Path(__file__).resolve().parent.parent
sys.path.append(str(REPOSITORY / "benchmarks"))

from nobel_rewrites import load_frames, read_lines  # noqa: E402

from qtie.errors import EvaluationError  # noqa: E402
from qtie.evaluation.datasets.nobel_rewrites import (  # noqa: E402
    PLACEHOLDER,
    PLACES,
    Frame,
    evaluate,
    instantiated,
    placeholder_names,
    rewritten,
)
from qtie.interval import civil_date  # noqa: E402

DATA = REPOSITORY.parent / "shared" / "data" / "nobel_prize"
FRAMES = load_frames()
BY_WORDS = {(frame.form, frame.frame): frame for frame in FRAMES}
N_SAMPLES = 12  # instances of each frame, evenly spaced over all that fit

# The first and the last year that each form stands for, and the years it is filled with.
CLAIMED = {
    "year": lambda names: (names["Y"], names["Y"]),
    "range": lambda names: (names["Y1"], names["Y2"]),
    "birth_plain": lambda names: (names["D"], names["D"] + 9),
    "birth_early": lambda names: (names["D"], names["D"] + 2),
    "birth_mid": lambda names: (names["D"] + 3, names["D"] + 6),
    "birth_late": lambda names: (names["D"] + 7, names["D"] + 9),
}
DECADES = [[year] for year in range(1810, 2000, 10)]
YEARS = {
    "year": [[year] for year in range(1901, 2023)],
    "range": [[year, year + more] for year in range(1901, 2022) for more in (1, 2, 3, 4)],
    "birth_plain": DECADES,
    "birth_early": DECADES,
    "birth_mid": DECADES,
    "birth_late": DECADES,
}


class Unit(NamedTuple):
    """A stretch of days, both included; a year is written as a plain number instead."""

    first: date
    last: date


def month(year: int, number: int) -> Unit:
    """Month 13 is the next year's January, month 0 the year before's December."""
    starts = [date(year + (number + n - 1) // 12, (number + n - 1) % 12 + 1, 1) for n in (0, 1)]
    return Unit(starts[0], starts[1] - timedelta(days=1))


def months(unit: Unit, n: int) -> Unit:
    """The month `n` months after one, before it if negative."""
    return month(unit.first.year, unit.first.month + n)


def decade(year: int) -> Unit:
    return Unit(date(year, 1, 1), date(year + 9, 12, 31))


ORIGIN, END = date(1700, 1, 1), date(2200, 12, 31)


def span(first: int | Unit, last: int | Unit | None = None) -> np.ndarray:
    start, end = _unit(first).first, _unit(first if last is None else last).last
    assert ORIGIN < start <= end < END
    days = np.zeros((END - ORIGIN).days + 1, dtype=bool)
    days[(start - ORIGIN).days : (end - ORIGIN).days + 1] = True
    return days


def since(unit: int | Unit) -> np.ndarray:
    days = np.zeros((END - ORIGIN).days + 1, dtype=bool)
    days[(_unit(unit).first - ORIGIN).days :] = True
    return days


def after(unit: int | Unit) -> np.ndarray:
    return since(unit) & ~span(unit)


def before(unit: int | Unit) -> np.ndarray:
    return ~since(unit)


def until(unit: int | Unit) -> np.ndarray:
    return ~after(unit)


def half(year: int, number: int) -> np.ndarray:
    return span(month(year, 6 * number - 5), month(year, 6 * number))


def _unit(value: int | Unit) -> Unit:
    return value if isinstance(value, Unit) else Unit(date(value, 1, 1), date(value, 12, 31))


FUNCTIONS = {f.__name__: f for f in (span, since, after, before, until, half, month, months, decade)}

NUMBERS = ("one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve")
ORDINALS = {"second": 2, "third": 3, "fourth": 4, "fifth": 5}
DECADE_WORDS = {"thirties": 1930, "forties": 1940, "fifties": 1950, "sixties": 1960, "seventies": 1970}
WORDS = {word: n for n, word in enumerate(NUMBERS, 1)} | ORDINALS | DECADE_WORDS | {"eighties": 1980, "nineties": 1990}
ITEM = re.compile(
    r"(?P<iso>\d{4}-\d\d-\d\d)"
    r"|(?:(?P<day>\d{1,2}) )?(?P<month>January|December)(?: (?P<american>\d{1,2}),)?(?: (?P<year>\d{4}))?"
    r"|\b(?P<number>\d+)(?:s|st|nd|rd|th)?\b"
    rf"|\b(?P<word>{'|'.join(WORDS)})\b"
)


def items(text: str) -> list[int | Unit]:
    """Numbers, months and days as they stand in the text; a year and a decade's first year are numbers."""
    last_year = int((re.findall(r"\d{4}", text) or [0])[-1])
    return [_item(match, last_year) for match in ITEM.finditer(text)]


def _item(match: re.Match[str], last_year: int) -> int | Unit:
    if match["iso"]:
        return Unit(date.fromisoformat(match["iso"]), date.fromisoformat(match["iso"]))
    if not match["month"]:
        return int(match["number"]) if match["number"] else WORDS[match["word"]]
    year, number = int(match["year"] or last_year), {"January": 1, "December": 12}[match["month"]]
    if day := match["day"] or match["american"]:
        return Unit(date(year, number, int(day)), date(year, number, int(day)))
    return month(year, number)


def denoted(frame: Frame, text: str) -> np.ndarray:
    """The days that the text denotes by the frame's check."""
    letters = dict(zip(string.ascii_lowercase, items(text), strict=False))
    used = {node.id for node in ast.walk(ast.parse(frame.check)) if isinstance(node, ast.Name)} - set(FUNCTIONS)
    assert used == set(letters), f"the check uses {sorted(used)}, the text has {letters}"
    return eval(frame.check, {"__builtins__": {}}, FUNCTIONS | letters)  # the checks are ours, from the repository


def instances(frame: Frame) -> list[dict[str, int]]:
    names = [placeholder_names(frame.form, years) for years in YEARS[frame.form]]
    fitting = [each for each in names if evaluate(frame.needs, each)]
    return fitting[:: -(-len(fitting) // N_SAMPLES)] + fitting[-1:]


@pytest.mark.parametrize("frame", FRAMES, ids=[f"{frame.form}: {frame.frame}" for frame in FRAMES])
def test_a_frame_denotes_the_interval_of_its_form(frame):
    names = instances(frame)
    assert names
    for each in names:
        text = instantiated(frame.frame, each)
        assert np.array_equal(denoted(frame, text), span(*CLAIMED[frame.form](each))), text


@pytest.mark.parametrize("frame", FRAMES, ids=[f"{frame.form}: {frame.frame}" for frame in FRAMES])
def test_a_frame_is_well_formed_and_unambiguous(frame):
    assert frame.place in PLACES
    assert PLACEHOLDER.search(frame.frame)
    assert frame.form in CLAIMED
    assert frame.frame.endswith(",") <= frame.form.startswith("birth"), "the comma closes what stands before 'and won'"
    assert frame.place == "in place" or not frame.form.startswith("birth"), "elsewhere it would be the award's time"
    for each in instances(frame):
        text = instantiated(frame.frame, each)
        assert not re.search(r"[{}]|  ", text)
        assert not re.search(r"\b(?:1[89]|20)00s", text), "a century, by the specification's first reading"
        assert not re.search(r"[1-9]s\b", text), "no decade"
        assert not re.search(r"\d{4}[-–/](?:0\d|1[0-2])\b(?!-)", text), "a month, by the specification"


def test_frames_are_many_and_each_does_more_than_swap_the_years():
    assert len(FRAMES) >= 75
    assert len(BY_WORDS) == len(FRAMES)
    assert all(count >= 12 for count in Counter(frame.form for frame in FRAMES).values())
    assert len({frame.operator for frame in FRAMES}) >= 15
    simple = re.compile(r"(?:in )?\{Y\}|(?:between \{Y1\} and|from \{Y1\} to) \{Y2\}|in the (?:\w+ )?\{D\}s")
    assert not [frame.frame for frame in FRAMES if simple.fullmatch(frame.frame)]


def test_numbers_months_and_days_are_read_from_left_to_right():
    assert items("three years before the 1920s, in the second half of the 20th century") == [3, 1920, 2, 20]
    assert items("from 1 January to 31 December 1920") == [
        Unit(date(1920, 1, 1), date(1920, 1, 1)),
        Unit(date(1920, 12, 31), date(1920, 12, 31)),
    ]
    assert items("on January 1, 1920, or in December 1921") == [
        Unit(date(1920, 1, 1), date(1920, 1, 1)),
        Unit(date(1921, 12, 1), date(1921, 12, 31)),
    ]


@pytest.mark.parametrize(
    "expression", ["Y.real", "f(Y)", "__import__('os')", "Y ** 9", "Z", "'a'", "1.5", "[Y]", "Y +", "1 < Y < 3"]
)
def test_a_placeholder_can_hold_whole_number_arithmetic_only(expression):
    with pytest.raises(EvaluationError):
        evaluate(expression, {"Y": 1920})


def test_a_query_that_its_analysis_does_not_describe_is_an_error():
    query = {"_id": "q", "text": "Who was the winner of the Nobel Prize in Physics 1901?"}
    analysis = {"_id": "q", "template": "prize YYYY", "years": [1902], "axis": "award_year"}
    with pytest.raises(EvaluationError, match="does not name"):
        rewritten([query], [analysis], FRAMES, 0)
    with pytest.raises(EvaluationError, match="not analysed"):
        rewritten([query], [], FRAMES, 0)


@pytest.fixture(scope="module")
def benchmark() -> tuple[list[dict], list[dict]]:
    if not DATA.is_dir():
        pytest.skip(f"the Nobel Prize benchmark is not at {DATA}")
    return read_lines(DATA / "queries.jsonl"), read_lines(DATA / "query_analysis.jsonl")


def test_every_query_is_rewritten_and_keeps_its_gold_interval(benchmark):
    queries, analysis = benchmark
    rewrites = rewritten(queries, analysis, FRAMES, 0)
    assert [rewrite.query_id for rewrite in rewrites] == [query["_id"] for query in queries]
    by_id = {record["_id"]: record for record in analysis}
    forms = {"prize YYYY": "year", "in Y": "year", "between Y1 and Y2": "range", "born_decade": "birth_plain"}
    for query, rewrite in zip(queries, rewrites, strict=True):
        record = by_id[query["_id"]]
        form = forms.get(record["template"], record["template"].replace("born", "birth"))
        gold = span(*CLAIMED[form](placeholder_names(form, record["years"])))
        stated = Unit(*(date(*civil_date(day)) for day in (rewrite.interval.start, rewrite.interval.end)))
        assert np.array_equal(span(stated), gold)
        assert np.array_equal(denoted(BY_WORDS[form, rewrite.frame], rewrite.text), gold), rewrite.text
        assert rewrite.axis == record["axis"]


def test_a_rewrite_keeps_all_words_of_the_query_but_those_about_time(benchmark):
    queries, analysis = benchmark
    time = re.compile(r" between \d{4} and \d{4}| in the (?:early |mid |late )?\d{4}s| (?:in )?\d{4}(?=\?)")
    for query, rewrite in zip(queries, rewritten(queries, analysis, FRAMES, 0), strict=True):
        kept = re.findall(r"\w+", time.sub("", query["text"]).lower())
        assert not Counter(kept) - Counter(re.findall(r"\w+", rewrite.text.lower()))
        assert rewrite.text.rstrip().endswith("?")


def test_rewrites_are_the_same_for_a_seed_and_others_for_another(benchmark):
    queries, analysis = benchmark
    rewrites = rewritten(queries, analysis, FRAMES, 0)
    assert rewritten(queries[:50], analysis[::-1], FRAMES, 0) == rewrites[:50]
    assert rewritten(queries, analysis, FRAMES, 1) != rewrites
    assert {rewrite.operator for rewrite in rewrites} == {frame.operator for frame in FRAMES}
