"""Complex rewrites of the Nobel benchmark's simple queries: other words for the same interval of time.

"Who won the Nobel Prize in Physics between 1920 and 1922?" becomes "In the three years before 1923, who won the Nobel
Prize in Physics?". A file of frames has one frame a line:

    frame     the words about time; `{Y+3}` is filled in, also as `{n:word}`, `{n:ordinal}`, `{D%100:decade}`, `{Y:02}`
    form      what the frame stands for: the year Y, the range Y1..Y2 (n years), or a part of the decade D of birth
    operator  what it asks of a reader of time
    place     where it stands: in place of the query's own words (default), at the front, or after "Who"
    needs     a condition without which the words would be wrong, ambiguous or odd
    check     the interval computed from the numbers that stand in the text, for tests

The rewrites keep the query's gold interval, and with it its relevant documents.
"""

import ast
import functools
import operator
import random
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from qtie.errors import EvaluationError
from qtie.evaluation.datasets.files import field_errors, json_lines
from qtie.interval import TimeInterval

__all__ = [
    "PLACEHOLDER",
    "PLACES",
    "Frame",
    "Rewrite",
    "evaluate",
    "gold_interval",
    "instantiated",
    "placeholder_names",
    "read_frames",
    "rewritten",
]

FORMS = {
    "prize YYYY": "year",
    "in Y": "year",
    "between Y1 and Y2": "range",
    "born_decade": "birth_plain",
    "born_early": "birth_early",
    "born_mid": "birth_mid",
    "born_late": "birth_late",
}
# What the gold interval adds to the query's first and to its last year.
OFFSETS = {
    "year": (0, 0),
    "range": (0, 0),
    "birth_plain": (0, 9),
    "birth_early": (0, 2),
    "birth_mid": (3, 6),
    "birth_late": (7, 9),
}
# The words about time in the benchmark's own queries.
TIME = re.compile(r" (?:between \d{4} and \d{4}|in the (?:\w+ )?\d{4}s|(?:in )?\d{4})(?=\?| and won )")
PLACES: dict[str, Callable[[str, str, str], str]] = {
    "in place": lambda time, before, rest: f"{before} {time}{rest}",
    "front": lambda time, before, rest: f"{time[0].upper()}{time[1:]}, {before[0].lower()}{before[1:]}{rest}",
    "after who": lambda time, before, rest: f"Who, {time},{before.removeprefix('Who')}{rest}",
}

PLACEHOLDER = re.compile(r"\{([^{}:]+)(?::(\w+))?\}")
NUMBERS = ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
DECADES = ("twenties", "thirties", "forties", "fifties", "sixties", "seventies", "eighties", "nineties")
FORMATS: dict[str, Callable[[int], str]] = {
    "": str,
    "02": "{:02}".format,
    "word": lambda n: NUMBERS[n],
    "ordinal": lambda n: f"{n}{'th' if n % 100 in (11, 12, 13) else {1: 'st', 2: 'nd', 3: 'rd'}.get(n % 10, 'th')}",
    "decade": lambda n: DECADES[n // 10 - 2],
}
OPERATORS: dict[type[ast.AST], Callable[[int, int], int]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
}


@dataclass(frozen=True, slots=True)
class Frame:
    """Words about time with placeholders, and when they fit; the fields are those of the file."""

    frame: str
    form: str
    operator: str
    check: str
    place: str = "in place"
    needs: str = "1"


@dataclass(frozen=True, slots=True)
class Rewrite:
    """A query in other words; `interval` is its gold interval, of the award or, by `axis`, of the birth."""

    query_id: str
    text: str
    interval: TimeInterval
    axis: str
    frame: str
    operator: str


def read_frames(path: str | Path) -> list[Frame]:
    """The frames of a file.

    Raises:
        EvaluationError: it cannot be read, is empty, or a line is no frame.
    """
    frames = []
    for where, record in json_lines(path):
        with field_errors(where):
            frames.append(Frame(**record))
    if not frames:
        raise EvaluationError(f"{path}: no frames in it")
    return frames


def gold_interval(analysis: Mapping[str, Any]) -> TimeInterval:
    """The days, of the award or the birth, that a query asks for by its analysis (`template`, `years`).

    Raises:
        EvaluationError: no query is of that template.

    Example:
        >>> str(gold_interval({"template": "born_late", "years": [1920]}))
        '1927-01-01/1929-12-31'
    """
    if analysis["template"] not in FORMS:
        raise EvaluationError(f"unknown template {analysis['template']!r}; one of {', '.join(FORMS)}")
    first, last = OFFSETS[FORMS[analysis["template"]]]
    return TimeInterval.years(analysis["years"][0] + first, analysis["years"][-1] + last)


def rewritten(
    queries: Sequence[Mapping[str, Any]], analysis: Sequence[Mapping[str, Any]], frames: Sequence[Frame], seed: int
) -> list[Rewrite]:
    """One rewrite of each query: among the frames that fit it an operator is drawn, then one of its frames.

    The operator comes first, so that one with many frames does not crowd out the others. A query's rewrite depends
    on no other query.

    Args:
        queries: records of `queries.jsonl` (`_id`, `text`).
        analysis: records of `query_analysis.jsonl` (`_id`, `template`, `years`, `axis`), in any order.
        frames: as `read_frames` gives them.
        seed: another one draws other frames.

    Raises:
        EvaluationError: a query is not analysed, is not of its template, or no frame fits it.
    """
    by_id = {record["_id"]: record for record in analysis}
    if missing := [query["_id"] for query in queries if query["_id"] not in by_id]:
        raise EvaluationError(f"{len(missing)} queries are not analysed, the first is {missing[0]!r}")
    return [_rewritten(query, by_id[query["_id"]], frames, seed) for query in queries]


def _rewritten(query: Mapping[str, Any], analysis: Mapping[str, Any], frames: Sequence[Frame], seed: int) -> Rewrite:
    form, years = FORMS[analysis["template"]], analysis["years"]
    names = placeholder_names(form, years)
    fitting = [frame for frame in frames if frame.form == form and evaluate(frame.needs, names)]
    if not fitting:
        raise EvaluationError(f"query {query['_id']!r}: no frame fits {form} {years}")
    draw = random.Random(f"{seed} {query['_id']}")
    drawn = draw.choice(sorted({frame.operator for frame in fitting}))
    frame = draw.choice([frame for frame in fitting if frame.operator == drawn])
    before, rest = _around_time(query, years)
    return Rewrite(
        query_id=query["_id"],
        text=PLACES[frame.place](instantiated(frame.frame, names), before, rest),
        interval=gold_interval(analysis),
        axis=analysis["axis"],
        frame=frame.frame,
        operator=frame.operator,
    )


def _around_time(query: Mapping[str, Any], years: Sequence[int]) -> tuple[str, str]:
    """The query before and after its words about time."""
    found = list(TIME.finditer(query["text"]))
    if len(found) != 1 or [int(year) for year in re.findall(r"\d{4}", found[0].group())] != list(years):
        raise EvaluationError(f"query {query['_id']!r}: {query['text']!r} does not name {years} as its template does")
    return query["text"][: found[0].start()], query["text"][found[0].end() :]


def placeholder_names(form: str, years: Sequence[int]) -> dict[str, int]:
    """What the names in a frame of that form stand for."""
    if form == "range":
        return {"Y1": years[0], "Y2": years[1], "n": years[1] - years[0] + 1}
    return {"Y" if form == "year" else "D": years[0]}


def instantiated(frame: str, names: Mapping[str, int]) -> str:
    """The frame's words with its placeholders filled in.

    Example:
        >>> instantiated("in the {n:word} years before {Y2+1}", {"Y1": 1920, "Y2": 1922, "n": 3})
        'in the three years before 1923'
    """
    return PLACEHOLDER.sub(lambda match: FORMATS[match[2] or ""](evaluate(match[1], names)), frame)


def evaluate(expression: str, names: Mapping[str, int]) -> int:
    """The value of whole-number arithmetic and comparisons over `names`; nothing else can be written.

    Raises:
        EvaluationError: the expression has anything else in it.

    Example:
        >>> evaluate("Y1 % 10 == 0 and n > 2", {"Y1": 1920, "n": 3}), evaluate("Y+3", {"Y": 1917})
        (True, 1920)
    """
    return _value(_parsed(expression), names)


@functools.cache
def _parsed(expression: str) -> ast.expr:
    try:
        return ast.parse(expression, mode="eval").body
    except SyntaxError as error:
        raise EvaluationError(f"not an expression: {expression!r}") from error


def _value(node: ast.expr, names: Mapping[str, int]) -> int:
    match node:
        case ast.Constant(value=int(number)):
            return number
        case ast.Name(id=name) if name in names:
            return names[name]
        case ast.BinOp(left=left, op=op, right=right) if type(op) in OPERATORS:
            return OPERATORS[type(op)](_value(left, names), _value(right, names))
        case ast.Compare(left=left, ops=[op], comparators=[right]) if type(op) in OPERATORS:
            return OPERATORS[type(op)](_value(left, names), _value(right, names))
        case ast.BoolOp(op=ast.And(), values=values):
            return all(_value(value, names) for value in values)
    raise EvaluationError(f"not whole-number arithmetic over {', '.join(names)}: {ast.unparse(node)!r}")
