"""Breadth: what the generator's carriers lack, made from its records by rules whose labels are known.

Four kinds of records: numbers and words that are no times in many more surroundings; records with such numbers beside
their time phrase; records' time phrases in other carriers; and plain "in X", the commonest thing a query says.
"""

import tomllib
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from importlib.resources import files
from random import Random
from typing import Any

__all__ = ["broadened"]

Row = dict[str, Any]
_REFERENCE_DATES = ("2019-08-21", "2022-03-05", "2024-06-15", "2025-11-30")


def broadened(rows: Sequence[Row], *, seed: int, n: int) -> Iterator[Row]:
    """`n` further records, made from `rows` where they take a time phrase.

    Example:
        >>> first = next(broadened([], seed=1, n=1))
        >>> first["steps"], first["intervals"]
        ([], [])
    """
    rng = Random(f"breadth {seed}")
    timed = [row for row in rows if row["steps"]]
    makers: list[tuple[float, Callable[[Random, Sequence[Row]], Row | None]]] = [
        (0.25, lambda rng, _: _negative(rng, "number_alone")),
        (0.10, lambda rng, _: _negative(rng, "frame")),
        (0.08, lambda rng, _: _negative(rng, "plain")),
    ]
    if timed:
        makers += [(0.22, _beside), (0.20, _bare), (0.15, _carried)]
    made = 0
    while made < n:
        maker = rng.choices([m for _, m in makers], [weight for weight, _ in makers])[0]
        row = maker(rng, timed)
        if row is not None:
            made += 1
            yield row


@cache
def _fillers() -> dict[str, tuple[str, ...]]:
    table = tomllib.loads(files(__package__).joinpath("breadth.toml").read_text(encoding="utf-8"))["fillers"]
    return {name: tuple(part.strip() for part in text.replace("\n", " ").split("; ")) for name, text in table.items()}


def _number(rng: Random) -> str:
    """A number, most often one that could be a year."""
    kind = rng.random()
    if kind < 0.5:
        return str(rng.randint(1500, 2060) if rng.random() < 0.7 else rng.randint(1000, 2999))
    if kind < 0.6:
        return str(rng.choice((100, 150, 200, 250, 300, 400, 500, 600, 750, 800, 900, 1000, 1200, 1500, 1800, 2000)))
    if kind < 0.75:
        return str(rng.randint(20, 999))
    if kind < 0.85:
        return f"{rng.randint(1, 99)},{rng.randint(0, 999):03}"
    return str(rng.randint(2, 31))


def _duration(rng: Random) -> str:
    n = rng.choice((2, 3, 4, 5, 6, 7, 10, 12, 14, 20, 24, 30, 48, 60, 90))
    return f"{n} {rng.choice(('hours', 'days', 'days', 'weeks', 'weeks', 'months', 'months', 'years', 'years'))}"


def _compound(rng: Random) -> str:
    n, unit = (
        rng.choice((2, 3, 5, 7, 10, 14, 15, 20, 25, 28, 30, 50, 90)),
        rng.choice(("year", "year", "day", "month", "week")),
    )
    what = rng.choice(_fillers()["compound"])
    return f"{n}{rng.choice('- ')}{unit} {what}"


def _filled(template: str, rng: Random, **given: str) -> str:
    words = _fillers()
    slots: dict[str, Callable[[], str]] = {
        "{t}": lambda: rng.choice(words["topic"]),
        "{t2}": lambda: rng.choice(words["topic"]),
        "{q}": lambda: rng.choice(words["question"]),
        "{p}": lambda: rng.choice(words["phrase"]),
        "{v}": lambda: rng.choice(words["event"]),
        "{c}": lambda: f"{_number(rng)} {rng.choice(words['counted'])}",
        "{u}": lambda: f"{_number(rng)}{rng.choice(('', ' ', ' '))}{rng.choice(words['unit'])}",
        "{m}": lambda: f"{rng.choice(words['maker'])}{rng.choice((' ', ' ', ' ', ''))}{_number(rng)}",
        "{k}": lambda: (
            f"{rng.choice(words['code'])} {_number(rng)}{rng.choice(('', '', '', '-' + str(rng.randint(1, 99))))}"
        ),
        "{d}": lambda: _duration(rng),
        "{e}": lambda: _compound(rng),
    }
    for slot, word in slots.items():
        while slot in template:
            template = template.replace(slot, word(), 1)
    for name, text in given.items():
        template = template.replace(f"{{{name}}}", text)
    return template


def _cased(text: str, rng: Random) -> str:
    kind = rng.random()
    return text.lower() if kind < 0.35 else text[:1].upper() + text[1:] if kind < 0.6 else text


def _row(query: str, steps: list[Row], *, reference_date: str, intervals: Sequence[str] = ()) -> Row:
    return {
        "query": query,
        "reference_date": reference_date,
        "steps": steps,
        "preference": None,
        "preference_span": None,
        "intervals": list(intervals),
        "kind": "breadth",
    }


def _negative(rng: Random, frames: str) -> Row:
    query = _cased(_filled(rng.choice(_fillers()[frames]), rng), rng)
    if rng.random() < 0.15:
        query += rng.choice(("?", ".", " please", " thanks"))
    return _row(query, [], reference_date=rng.choice(_REFERENCE_DATES))


def _moved(row: Row, query: str, by: int) -> Row:
    """The record with its spans `by` characters further on."""
    steps = []
    for step in row["steps"]:
        moved = dict(step, span=[at + by for at in step["span"]])
        if step.get("phrase"):
            moved["phrase"] = [at + by for at in step["phrase"]]
        steps.append(moved)
    span = row.get("preference_span")
    return dict(row, query=query, steps=steps, preference_span=span and [at + by for at in span], kind="breadth")


def _beside(rng: Random, timed: Sequence[Row]) -> Row:
    """A record with a number that is no time before or after it."""
    row = rng.choice(timed)
    if rng.random() < 0.7:
        words = _filled(rng.choice(_fillers()["joiner"]), rng)
        space = "" if words[0] == "," else " "
        end = len(row["query"].rstrip("?. "))
        return _moved(row, row["query"][:end] + space + words + row["query"][end:].rstrip(), 0)
    words = _filled(rng.choice(_fillers()["lead"]), rng) + " "
    return _moved(row, words + row["query"], len(words))


def _bare(rng: Random, timed: Sequence[Row]) -> Row | None:
    """One value of a record, alone or under "in", in a carrier."""
    row = rng.choice(timed)
    values = [step for step in row["steps"] if step.get("role", "none") == "none"]
    if not values:
        return None
    start, end = rng.choice(values)["span"]
    value = row["query"][start:end]
    if rng.random() < 0.45:
        value = str(rng.randint(1700, 2030)) if rng.random() < 0.85 else f"the {rng.choice(range(1850, 2030, 10))}s"
    template = _cased(_filled(rng.choice(_fillers()["bare"]), rng), rng)
    before, slot, after = template.partition("{X}") if "{X}" in template else template.partition("{x}")
    if not slot:
        return None
    begin = len(before)
    query = before + value + after
    first = begin - next((len(w) for w in _IN if before.lower().endswith(w)), 0)
    step = {"span": [begin, begin + len(value)], "operator": "in", "role": "none", "target": "any", "negated": False}
    made = _row(query, [step | {"phrase": [first, begin + len(value)]}], reference_date=row["reference_date"])
    return _beside(rng, [made]) if rng.random() < 0.25 else made


_IN = ("as reported in ", "throughout ", "back in ", "during ", "dated ", "from ", "in ", "of ", "for ")


def _carried(rng: Random, timed: Sequence[Row]) -> Row | None:
    """A record's time phrase in another carrier."""
    row = rng.choice(timed)
    if row["preference"] or any(step.get("target", "any") != "any" for step in row["steps"]):
        return None
    spans = [step.get("phrase") or step["span"] for step in row["steps"]]
    start, end = min(s for s, _ in spans), max(e for _, e in spans)
    if end - start > 60:
        return None
    phrase = row["query"][start:end]
    phrase, start = phrase.lstrip(), start + len(phrase) - len(phrase.lstrip())
    template = _filled(rng.choice(_fillers()["carrier"]), rng)
    before, _, after = template.partition("{T}")
    return _moved(dict(row, query=""), before + phrase + after, len(before) - start)
