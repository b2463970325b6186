"""Breadth: what the generator's carriers lack, made from its records by rules whose labels are known.

Six kinds of records: numbers and words that are no times in many more surroundings; records with such numbers beside
their time phrase; records' time phrases in other carriers; plain "in X", the commonest thing a query says; programs
written into carriers; and preferences.
"""

import re
import tomllib
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from importlib.resources import files
from random import Random
from typing import Any

from qtie.tie.dataset.negatives import draw_negative
from qtie.tie.dataset.wording import carriers

__all__ = ["broadened", "varied"]

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
        (0.18, lambda rng, _: _negative(rng, "number_alone")),
        (0.05, lambda rng, _: _negative(rng, "otherwise")),
        (0.04, lambda rng, _: _work(rng)),
        (0.08, lambda rng, _: _negative(rng, "frame")),
        (0.06, lambda rng, _: _negative(rng, "plain")),
    ]
    if timed:
        makers += [
            (0.12, _beside),
            (0.15, _bare),
            (0.12, _carried),
            (0.15, _composed),
            (0.25, _worded),
            (0.05, _ordered),
        ]
    made = 0
    while made < n:
        maker = rng.choices([m for _, m in makers], [weight for weight, _ in makers])[0]
        row = maker(rng, timed)
        if row is not None:
            made += 1
            yield row


def varied(rows: Sequence[Row], *, seed: int, n: int) -> Iterator[Row]:
    """The rows over and over, `n` in all; from the second time on the years of those that ask for a time are moved.

    Example:
        >>> step = {"span": [7, 11], "operator": "in", "role": "none", "target": "any", "negated": False}
        >>> [row["query"] for row in varied([{"query": "won in 1984", "steps": [step]}], seed=2, n=2)]
        ['won in 1984', 'won in 1958']
    """
    rng = Random(f"varied {seed}")
    for at in range(n):
        row = rows[at % len(rows)]
        fixed = at < len(rows) or not row["steps"] or _JOINED_YEARS.search(row["query"])
        yield row if fixed else _moved_years(row, rng)


_YEAR = re.compile(r"(?<![\d.,])(?:1[5-9]|20)\d\d(?!\d)")
_JOINED_YEARS = re.compile(r"\d{4}[-/–]\d\d?(?!\d)")
"""Whose second part would have to move with the first."""


def _moved_years(row: Row, rng: Random) -> Row:
    """The row with all its years moved by the same number, none past 2040."""
    years = [int(match[0]) for match in _YEAR.finditer(row["query"])]
    if not years:
        return row
    by = rng.randint(max(1500 - min(years), -40), min(2040 - max(years), 15)) if max(years) <= 2040 else 0
    return row | {"query": _YEAR.sub(lambda match: str(int(match[0]) + by), row["query"])}


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
        "{N}": lambda: _number(rng),
        "{M}": lambda: _number(rng),
        "{S}": lambda: str(rng.randint(1, 60)),
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


def _work(rng: Random) -> Row:
    """A title with a number in it."""
    words = _fillers()
    title = rng.choice(words["work"])
    frames = (
        "{w}", f"{{w}} {rng.choice(words['about'])}", "who wrote {w}", f"{rng.choice(words['about'])} of {{w}}",
        f"{{w}} and {rng.choice(words['topic'])}",
    )  # fmt: skip
    query = rng.choice(frames).replace("{w}", title)
    return _row(_cased(query, rng), [], reference_date=rng.choice(_REFERENCE_DATES))


def _value(rng: Random, timed: Sequence[Row]) -> str | None:
    """A time value: of a record, a year, or one said without a date."""
    kind = rng.random()
    if kind < 0.40:
        row = rng.choice(timed)
        values = [step["span"] for step in row["steps"] if step.get("role", "none") == "none"]
        if not values:
            return None
        start, end = rng.choice(values)
        return str(row["query"][start:end])
    if kind < 0.72:
        return str(rng.randint(1700, 2030))
    if kind < 0.84:
        return rng.choice(_fillers()["relative"])
    year = rng.randrange(1850, 2024)
    decade = year // 10 * 10
    return rng.choice(
        (
            f"the {decade}s", f"{decade}s", f"{decade % 100 or 80}s",
            f"{year}/{(year + 1) % 100:02}", f"{year}-{(year + 1) % 100:02} season",
            f"{rng.randint(20, 800)} BC", f"{rng.randint(20, 400)} BCE", f"AD {rng.randint(30, 999)}",
            f"{rng.randint(30, 999)} AD", f"Q{rng.randint(1, 4)} {year}", f"Easter {year}", f"Christmas {year}",
            f"Thanksgiving {year}", f"the {rng.randint(12, 20)}th century",
        )
    )  # fmt: skip


def _bare(rng: Random, timed: Sequence[Row]) -> Row | None:
    """One value, alone or under "in", in a carrier; an event with its year; a weekday or month after "on" or "in"."""
    words, kind = _fillers(), rng.random()
    value: str | None
    if kind < 0.2:
        value = str(rng.randint(1800, 2030))
        event = rng.choice(words["occasion"])
        template = rng.choice(words["occasion_frame"]).replace("{o}", event)
    elif kind < 0.28:
        value = rng.choice(words["weekday"])
        on = "in" if value in _MONTHS else "on"
        template = rng.choice(words["weekday_frame"]).replace("ON", on)
    elif kind < 0.5:
        value, template = _value(rng, timed), _inserted(rng)
    else:
        value, template = _value(rng, timed), rng.choice(words["bare"])
    if value is None:
        return None
    before, slot, after = _cased(_filled(template, rng), rng).replace("{x}", "{X}").partition("{X}")
    if not slot:
        return None
    begin = len(before)
    first = begin - next((len(w) for w in _IN if before.lower().endswith(w)), 0)
    step = {"span": [begin, begin + len(value)], "operator": "in", "role": "none", "target": "any", "negated": False}
    step["phrase"] = [first, begin + len(value)]
    made = _row(before + value + after, [step], reference_date=rng.choice(_REFERENCE_DATES))
    return _beside(rng, [made]) if rng.random() < 0.25 else made


def _inserted(rng: Random) -> str:
    """The words of a keyword carrier with the place for a value somewhere between them."""
    plain = [c.template for c in carriers("n", "train") if re.fullmatch(r"[^{}()<>]*\{T\}", c.template)]
    words = rng.choice(plain).removesuffix("{T}").split()
    at = rng.randint(0, len(words))
    return " ".join([*words[:at], rng.choice(("{X}", "{X}", "in {X}", "from {X}")), *words[at:]])


_MONTHS = ("March", "April", "June", "September", "October", "November", "December")
_PART = re.compile(r"\[(?P<not>-?)(?P<say>!?)(?P<operator>[a-z ]+)(?:/(?P<role>[a-z ]+))?:(?P<words>[^\]]*)\]")


def _composed(rng: Random, timed: Sequence[Row]) -> Row | None:
    """A carrier with a program written in."""
    return _written(_filled(rng.choice(_fillers()["composed"]), rng), rng, timed)


def _worded(rng: Random, timed: Sequence[Row]) -> Row | None:
    """A wording of an operator in a carrier."""
    words = _fillers()
    frame = _filled(rng.choice(words["wording_frame"]), rng)
    return _written(frame.replace("{W}", rng.choice(words["wording"])), rng, timed)


def _ordered(rng: Random, timed: Sequence[Row]) -> Row | None:
    """A preference, in most cases beside a time; the earliest always so."""
    words = _fillers()
    which, holder = rng.choice(words["superlative"]), rng.choice(words["holder"])
    frames = ["the {S} {H} {W}", "{S} {H} {W}", "{W}, the {S} {H}", "what is the {S} {H} {W}", "find the {S} {H} {W}"]
    if "latest" in which and rng.random() < 0.5:
        frames = [
            "the {S} {H}",
            "{S} {H}",
            "who is the {S} {H}",
            "what is the {S} {H}",
            "{S} {H} please",
            "show the {S} {H}",
        ]
    frame = rng.choice(frames).replace("{S}", which).replace("{H}", holder)
    return _written(frame.replace("{W}", rng.choice(words["wording"])), rng, timed)


def _written(template: str, rng: Random, timed: Sequence[Row]) -> Row | None:
    """The record of a text with its program in it: `[operator/role:words {X}]`, `-` negated, `!` a preference."""
    query, at, steps = "", 0, list[Row]()
    preference: tuple[str, list[int]] | None = None
    for part in _PART.finditer(template):
        query += template[at : part.start()]
        at, begin, words = part.end(), len(query), part["words"]
        slot = re.search(r"\{[XYZD]\}", words)
        value = "" if slot is None else _duration_words(rng) if slot[0] == "{D}" else _value(rng, timed)
        if value is None:
            return None
        query += words if slot is None else words[: slot.start()] + value + words[slot.end() :]
        phrase = [begin, len(query)]
        if part["say"]:
            preference = part["operator"], phrase
            continue
        start, operator = begin + (slot.start() if slot else 0), part["operator"]
        if operator == "around":  # read with its value, which it widens
            start, value, operator = begin, query[begin:], "in"
        if operator == "operand":
            steps[-1]["phrase"][1] = len(query)
        step = {"span": [start, start + len(value)], "operator": operator, "role": part["role"] or "none"}
        steps.append(step | {"target": "any", "negated": bool(part["not"]), "phrase": phrase})
    made = _row(query + template[at:], steps, reference_date=rng.choice(_REFERENCE_DATES))
    made["query"] = _case_kept(made["query"], rng)
    if preference or any(step["operator"] == "as of" for step in steps):
        made["preference"] = preference[0] if preference else "latest"
        made["preference_span"] = preference and preference[1]
    return _beside(rng, [made]) if rng.random() < 0.2 and steps else made


def _duration_words(rng: Random) -> str:
    """A number of days or more, in digits or in words."""
    n, unit = rng.choice(list(_NUMBER_WORDS)), rng.choice(("day", "week", "month", "year", "year", "year", "decade"))
    return f"{n if rng.random() < 0.5 else _NUMBER_WORDS[n]} {unit}s"


_NUMBER_WORDS = {
    2: "two", 3: "three", 4: "four", 5: "five", 6: "six", 7: "seven", 8: "eight", 10: "ten", 12: "twelve",
    15: "fifteen", 20: "twenty", 30: "thirty",
}  # fmt: skip


def _case_kept(text: str, rng: Random) -> str:
    """The text in lower case or with a capital; every character stays in its place."""
    kind = rng.random()
    return text.lower() if kind < 0.4 else text[:1].upper() + text[1:] if kind < 0.6 else text


_IN = ("as reported in ", "throughout ", "back in ", "during ", "dated ", "from ", "in ", "of ", "for ")


def _carried(rng: Random, timed: Sequence[Row]) -> Row | None:
    """A record's time phrase in another carrier, or beside a whole query that asks for no time."""
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
    if len(phrase) > sum(e - s for s, e in (step["span"] for step in row["steps"])) + 1 and rng.random() < 0.6:
        template = draw_negative(rng, "train")[0] + rng.choice((" ", " ", ", ")) + "{T}"
    before, _, after = template.partition("{T}")
    return _moved(dict(row, query=""), before + phrase + after, len(before) - start)
