"""How a language model is asked for a query's time, and how its answer is read: strictly, or not at all.

The prompt has the three parts of Q-TIE (arXiv 2609.23880), Instruction, Query and Response, and ends at `Answer:`.
An answer is two bounds, `2019-01, 2019-12` by the month (that paper's label, `TemporalIntent.month_pair`) or
`2019-01-01, 2019-12-31` by the day (`TemporalIntent.interval`), with None for a side that is open.
"""

import json
import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import date
from typing import Any, Literal

from qtie.errors import ConfigError, IntentParseError, IntervalError
from qtie.interval import TimeInterval
from qtie.tie.values import find_timexes

__all__ = [
    "MAX_SHOTS",
    "Bounds",
    "Unit",
    "answer_schema",
    "answer_text",
    "intent_prompt",
    "parse_answer",
    "repair_answer",
    "training_text",
]

Unit = Literal["month", "day"]
Bounds = tuple[str | None, str | None]
"""First and last month (`YYYY-MM`) or day (`YYYY-MM-DD`); None is an open side, (None, None) no time at all."""


@dataclass(frozen=True, slots=True)
class _Demonstration:
    query: str
    month: Bounds
    day: Bounds


_DEMONSTRATIONS = (
    _Demonstration(  # relative offset
        "Which minister took office exactly two months before 14 May 2003?",
        ("2003-03", None),
        ("2003-03-14", "2003-03-14"),
    ),
    _Demonstration("Who headed the agency after 30 June 2011?", ("2011-06", None), ("2011-07-01", None)),  # open-ended
    _Demonstration(  # explicit start and end
        "Who became director in April 1996 and left in October 1999?",
        ("1996-04", "1999-10"),
        ("1996-04-01", "1999-10-31"),
    ),
    _Demonstration(  # bounded period
        "Which club did she play for between 2004 and 2008?", ("2004-01", "2008-12"), ("2004-01-01", "2008-12-31")
    ),
)
MAX_SHOTS = len(_DEMONSTRATIONS)
_INSTRUCTIONS: dict[Unit, str] = {
    "month": "Give the first and the last month that the query asks for, as YYYY-MM, YYYY-MM. "
    "An open side is None; no time at all is None, None.",
    "day": "Give the first and the last day that the query asks for, as YYYY-MM-DD, YYYY-MM-DD. "
    "An open side is None; no time at all is None, None.",
}


def intent_prompt(
    query: str, *, shots: int = 0, granularity: Unit = "month", reference_date: date | None = None
) -> str:
    """The prompt that asks for a query's time; it ends at `Answer:`, where the model goes on.

    Args:
        query: as typed; its line breaks become blanks, so that it cannot look like another part of the prompt.
        shots: how many demonstrations stand before it, in [0, 4]: relative offset, open-ended, explicit start and
            end, bounded period.
        granularity: whether months or days are asked for.
        reference_date: what "last year" counts from; the prompt names it where it is given.

    Raises:
        ConfigError: another number of demonstrations, or another granularity.

    Example:
        >>> print(intent_prompt("who won in 2017", reference_date=date(2025, 6, 15)))
        ### Instruction:
        Give the first and the last month that the query asks for, as YYYY-MM, YYYY-MM. An open side is None; no time
        at all is None, None.
        <BLANKLINE>
        ### Query:
        who won in 2017 (asked on 2025-06-15)
        <BLANKLINE>
        ### Response:
        Answer:
    """
    if granularity not in _INSTRUCTIONS:
        raise ConfigError(f"granularity must be one of {', '.join(_INSTRUCTIONS)}, not {granularity!r}")
    if not 0 <= shots <= MAX_SHOTS:
        raise ConfigError(f"shots must be from 0 to {MAX_SHOTS}, not {shots!r}")
    asked = " ".join(query.split()) + (f" (asked on {reference_date})" if reference_date else "")
    shown = [
        f"{_turn(demonstration.query)} {answer_text(getattr(demonstration, granularity))}"
        for demonstration in _DEMONSTRATIONS[:shots]
    ]
    return "\n\n".join([f"### Instruction:\n{_INSTRUCTIONS[granularity]}", *shown, _turn(asked)])


def _turn(query: str) -> str:
    return f"### Query:\n{query}\n\n### Response:\nAnswer:"


def training_text(query: str, label: Bounds, *, granularity: Unit = "month", reference_date: date | None = None) -> str:
    """The prompt without demonstrations, and its answer; the tokenizer's end-of-sequence token comes after it.

    Example:
        >>> training_text("who won in 2017", ("2017-01", "2017-12")).splitlines()[-1]
        'Answer: 2017-01, 2017-12'
    """
    prompt = intent_prompt(query, granularity=granularity, reference_date=reference_date)
    return f"{prompt} {answer_text(label)}"


def answer_text(bounds: Bounds) -> str:
    """The bounds as a model is to write them.

    Example:
        >>> answer_text(("2017-01", None))
        '2017-01, None'
    """
    return ", ".join(bound or "None" for bound in bounds)


def answer_schema(granularity: Unit = "month") -> dict[str, Any]:
    """The JSON schema of an answer, for servers that constrain decoding; `parse_answer` reads such answers too.

    Example:
        >>> answer_schema("month")["properties"]["start"]["anyOf"][0]["pattern"]
        '^[0-9]{4}-[0-9]{2}$'
    """
    pattern = "^[0-9]{4}-[0-9]{2}$" if granularity == "month" else "^[0-9]{4}-[0-9]{2}-[0-9]{2}$"
    bound = {"anyOf": [{"type": "string", "pattern": pattern}, {"type": "null"}]}
    return {
        "type": "object",
        "properties": {"start": bound, "end": bound},
        "required": ["start", "end"],
        "additionalProperties": False,
    }


_BOUND: dict[Unit, re.Pattern[str]] = {
    "month": re.compile(r"-?[0-9]{4}-[0-9]{2}"),
    "day": re.compile(r"-?[0-9]{4}-[0-9]{2}-[0-9]{2}"),
}
_SHAPE: dict[Unit, str] = {"month": "YYYY-MM, YYYY-MM", "day": "YYYY-MM-DD, YYYY-MM-DD"}
_OPEN = ("none", "null")
_BRACKETS = {"(": ")", "[": "]", "<": ">", "⟨": "⟩"}
_QUOTES = "\"'`"
_LONGEST = 500
"""Characters of an answer that the lenient reader looks at."""


def parse_answer(answer: str, granularity: Unit = "month") -> Bounds:
    """The bounds that a model answered with.

    An answer is `YYYY-MM, YYYY-MM` or, by the day, `YYYY-MM-DD, YYYY-MM-DD`, with None for an open side. Besides, only
    these harmless variants are read:

    - lines after the first that is not blank, and blanks anywhere around a bound;
    - `Answer:` in front, a full stop at the end;
    - one pair of brackets around both bounds: `(…)`, `[…]`, `<…>` or `⟨…⟩`;
    - quotation marks around a bound or around both;
    - `none` and `null` in any case; a single one stands for both;
    - a JSON object with `start` and `end` and nothing else, each a text or null (see `answer_schema`), over one or
      more lines.

    Raises:
        IntentParseError: anything else, a month or a day that no calendar has, and an end before its start. The
            answer stands in the error's `answer`.

    Example:
        >>> parse_answer(" (2017-01, none).")
        ('2017-01', None)
        >>> parse_answer("January 2017")
        Traceback (most recent call last):
        qtie.errors.IntentParseError: expected 'YYYY-MM, YYYY-MM', a bound may be None, but the model answered otherwise
    """
    return _read(answer, granularity, _strictly)


def repair_answer(answer: str, granularity: Unit = "month") -> Bounds:
    """What a lenient reader would make of an answer: to tell failures of format from failures of understanding.

    What `parse_answer` reads stays as it is. Of another answer it takes the first two dates or open sides anywhere,
    whatever their unit; a single date is both bounds; bounds in reverse order are swapped. It guesses, so it is for
    measuring only, and no extractor uses it.

    Raises:
        IntentParseError: there is no date and no open side in it.

    Example:
        >>> repair_answer("It was from March 2017 to 2018!")
        ('2017-03', '2018-12')
    """
    try:
        return parse_answer(answer, granularity)
    except IntentParseError:
        return _read(answer, granularity, _leniently)


def _read(answer: str, granularity: Unit, read: Callable[[str, Unit], Bounds | None]) -> Bounds:
    try:
        bounds = read(answer, granularity)
    except (IntervalError, ValueError, RecursionError):  # no date of any calendar; no JSON
        bounds = None
    if bounds is None:
        expected = f"expected {_SHAPE[granularity]!r}, a bound may be None, but the model answered otherwise"
        raise IntentParseError(expected, answer=answer)
    return bounds


def _strictly(answer: str, granularity: Unit) -> Bounds | None:
    text = answer.strip()
    if text.startswith("{"):
        record = json.loads(text)
        if set(record) != {"start", "end"} or not all(
            value is None or isinstance(value, str) for value in record.values()
        ):
            return None
        written = ["none" if record[side] is None else record[side] for side in ("start", "end")]
    else:
        line = text.partition("\n")[0].removeprefix("Answer:").strip().removesuffix(".").strip()
        written = _unquoted(_without_brackets(_unquoted(line))).split(",")
        if len(written) == 1 and written[0].strip().lower() in _OPEN:
            written *= 2
    bounds = [_unquoted(each) for each in written]
    if len(bounds) != 2:
        return None
    is_open = [bound.lower() in _OPEN for bound in bounds]
    if not all(open_ or _BOUND[granularity].fullmatch(bound) for open_, bound in zip(is_open, bounds, strict=True)):
        return None
    start, end = (None if open_ else TimeInterval.parse(bound) for open_, bound in zip(is_open, bounds, strict=True))
    TimeInterval(start.start if start else None, end.end if end else None)  # raises where it ends before it starts
    return (None if is_open[0] else bounds[0]), (None if is_open[1] else bounds[1])


def _without_brackets(text: str) -> str:
    return text[1:-1] if len(text) > 1 and _BRACKETS.get(text[0]) == text[-1] else text


def _unquoted(text: str) -> str:
    """The text without blanks and one pair of quotation marks around it, where those are not of two texts."""
    text = text.strip()
    quoted = len(text) > 1 and text[0] == text[-1] and text[0] in _QUOTES and text.count(text[0]) == 2
    return text[1:-1].strip() if quoted else text


_LENIENTLY_OPEN = re.compile(r"\b(?:none|null|open|present|unknown)\b", re.IGNORECASE)


def _leniently(answer: str, granularity: Unit) -> Bounds | None:
    answer = answer[:_LONGEST]
    found: list[tuple[int, TimeInterval]] = [
        (timex.start, timex.timex.interval) for timex in find_timexes(answer) if timex.timex.interval is not None
    ]
    found += [(match.start(), TimeInterval()) for match in _LENIENTLY_OPEN.finditer(answer)]
    if not found:
        return None
    bounds = [interval for _, interval in sorted(found, key=lambda item: item[0])[:2]]
    first, last = bounds[0], bounds[-1]
    if first.start is not None and last.end is not None and first.start > last.end:
        first, last = last, first
    return _written(first.start, granularity), _written(last.end, granularity)


def _written(day: int | None, granularity: Unit) -> str | None:
    """The day, or its month, as an answer states it."""
    if day is None:
        return None
    text = str(TimeInterval(day, day)).partition("/")[0]
    return text if granularity == "day" else text.rpartition("-")[0]
