"""Programs drawn at random and put in words: operators, offsets, ranges, unions, exceptions, targets, preferences."""

import re
from dataclasses import dataclass, field, replace
from datetime import date
from random import Random

from qtie.intent import Preference
from qtie.interval import Granularity, TimeInterval
from qtie.tie.dataset.calendar_values import MONTHS
from qtie.tie.dataset.marked import Marked, expanded, filled
from qtie.tie.dataset.times import Duration, Value, draw_bounds, draw_duration, draw_value
from qtie.tie.dataset.wording import Family, Position, Split, draw_family
from qtie.tie.program import Operator, Role
from qtie.tie.timex import Timex

__all__ = ["Draw", "Planned", "Worded", "counted", "over", "piece", "ranged", "rolling", "single"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Planned:
    """What is meant by one value or duration; the worded text marks it `c<index>` and its phrase `p<index>`."""

    index: int
    operator: Operator
    value: Value | None = None
    duration: Duration | None = None
    role: Role = "none"
    target: str = "any"
    negated: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Worded:
    """A program and its words."""

    marked: Marked
    steps: tuple[Planned, ...]
    kind: str
    family: str
    position: Position = "any"
    carriers: str = ""
    """The kinds of carrier that take it; by its position where empty."""
    preference: Preference | None = None
    preference_word: str = ""


@dataclass(slots=True)
class Draw:
    """The source of chance, the reference date, the split whose wording is used, and the next step's number."""

    rng: Random
    reference: date
    split: Split
    count: int = 0
    forms: tuple[str, ...] | None = field(default=None)

    def index(self) -> int:
        """A new number for a step."""
        self.count += 1
        return self.count - 1

    def family(self, operator: str, *, slots: str = "", nested: bool = False) -> Family:
        """A wording family of the operator for this split."""
        return draw_family(operator, self.split, self.rng, slots=slots, nested=nested)


def piece(text: str, index: int) -> Marked:
    """The words of the value or duration with that number."""
    return Marked(text, {f"c{index}": (0, len(text))})


def _spoken(template: str, value: Value, rng: Random) -> str:
    """The template with the preposition that the value takes."""
    if template == "in {X}":
        if value.form in ("day", "holiday") or (
            value.form == "yearless" and value.timex.granularity is Granularity.DAY
        ):
            return "on {X}" if rng.random() < 0.9 else template
        if value.text.startswith("on ") or (value.form == "relative" and rng.random() < 0.9):
            return "{X}"
        if value.form == "turn":
            return "at {X}"
        if value.form == "edge":
            return rng.choice(("at {X}", "towards {X}", "in {X}"))
    if value.text.startswith(("early in", "late in", "on ")):
        return template.replace("in {X}", "{X}")
    return template


_SINGLE: dict[Operator, float] = {
    "in": 34, "before": 11, "after": 11, "since": 12, "by": 7, "until": 6, "through": 2.5, "as of": 5, "around": 6,
}  # fmt: skip
_WIDENED = ("year", "month", "day", "decade", "century")


def single(draw: Draw, operator: Operator | None = None, *, nested: bool = False) -> Worded:
    """One operator over one value: "before the spring of 1990"."""
    operator = operator or draw.rng.choices(list(_SINGLE), list(_SINGLE.values()))[0]
    among = _WIDENED if operator == "around" else draw.forms
    value = draw_value(draw.rng, draw.reference, among=among)
    if value.timex.interval is None and operator != "in":
        return single(draw, operator, nested=nested)
    family, i = draw.family(operator, nested=nested), draw.index()
    template = _spoken(expanded(family.template, draw.rng), value, draw.rng)
    marked = filled(template, {"X": piece(value.text, i)}).marked(f"p{i}")
    kind = "unknown" if value.timex.interval is None else operator
    preference: Preference | None = "latest" if operator == "as of" else None
    step = Planned(index=i, operator=operator, value=value)
    return Worded(
        marked=marked, steps=(step,), kind=kind, family=family.name, position=family.position, preference=preference
    )


def ranged(draw: Draw) -> Worded:
    """From X to Y: "between May 1940 and June 1941", "from May to July 2012", "from 2010 to the present"."""
    rng, nth = draw.rng, draw.rng.random()
    family = draw.family("between")
    x, y = draw_bounds(rng, draw.reference)
    if nth < 0.12:
        x, y = _elliptical(rng) if nth < 0.09 else _of_one_era(rng)
    elif nth < 0.2:
        family = _to_present(rng)
        words = ("now", "the present", "present", "today", "this day", "the present day", "date")
        word = rng.choice(words if " to {Y}" in family.template else words[:4])
        day = draw.reference.toordinal() - date(1970, 1, 1).toordinal()
        y = Value(word, Timex(interval=TimeInterval(day, day), granularity=Granularity.DAY), "present")
        x = draw_value(rng, draw.reference, among=("year", "month", "day", "decade"))
        while (x.timex.known.start or 0) > day:
            x = draw_value(rng, draw.reference, among=("year", "month", "day", "decade"))
    elif nth < 0.23:
        x, y = y, x
    i, j = draw.index(), draw.index()
    marked = filled(expanded(family.template, rng), {"X": piece(x.text, i), "Y": piece(y.text, j)}).marked("whole")
    start, end = marked.marks.pop("whole")
    middle = marked.marks[f"c{i}"][1]
    marked.marks |= {f"p{i}": (start, middle), f"p{j}": (middle, end)}
    steps = (Planned(index=i, operator="from", value=x), Planned(index=j, operator="to", value=y))
    return Worded(marked=marked, steps=steps, kind="between", family=family.name, position=family.position)


def _to_present(rng: Random) -> Family:
    templates = (
        "from {X} to {Y}",
        "from {X} until {Y}",
        "from {X} up to {Y}",
        "from {X} through {Y}",
        "{X} to {Y}",
        "{X}-{Y}",
    )
    template = rng.choice(templates)
    return Family(f"between: {template}", template, "any", "train")


def _elliptical(rng: Random) -> tuple[Value, Value]:
    """ "May", "July 2012": the first takes its year from the second."""
    year = rng.randint(1900, 2026)
    a = rng.randint(1, 11)
    b = rng.randint(a + 1, 12)
    if rng.random() < 0.5:
        x, y = TimeInterval.month(year, a), TimeInterval.month(year, b)
        texts, unit = (MONTHS[a - 1], f"{MONTHS[b - 1]} {year}"), Granularity.MONTH
    else:
        c, d = rng.randint(1, 28), rng.randint(1, 28)
        x, y = TimeInterval.day(year, a, c), TimeInterval.day(year, b, d)
        texts, unit = (f"{c} {MONTHS[a - 1]}", f"{d} {MONTHS[b - 1]} {year}"), Granularity.DAY
        if rng.random() < 0.5:
            texts = (f"{MONTHS[a - 1]} {c}", f"{MONTHS[b - 1]} {d}, {year}")
    return (
        Value(texts[0], Timex(interval=x, granularity=unit), "elliptical"),
        Value(texts[1], Timex(interval=y, granularity=unit), "elliptical"),
    )


def _of_one_era(rng: Random) -> tuple[Value, Value]:
    """ "500", "400 BC": the era is said once."""
    a, b = sorted(rng.sample(range(101, 1000), 2))
    if rng.random() < 0.5:
        first, last, texts = 1 - b, 1 - a, (str(b), f"{a} {rng.choice(('BC', 'BCE', 'B.C.', 'bc'))}")
    else:
        first, last = a, b
        texts = rng.choice(((f"AD {a}", str(b)), (str(a), f"{b} AD"), (str(a), f"{b} CE"), (str(a), str(b))))
    x, y = (Timex(interval=TimeInterval.year(year), granularity=Granularity.YEAR) for year in (first, last))
    return Value(texts[0], x, "era"), Value(texts[1], y, "era")


_DETERMINED = re.compile(
    r"(?:the|past|last|previous|next|coming|these|first|final|recent|trailing|upcoming|following|preceding|forthcoming"
    r"|opening|good) \{D\}"
)
_COUNTED: dict[Role, float] = {
    "shift back": 20, "shift on": 20, "adjoin back": 14, "adjoin on": 14, "ending": 10, "starting": 10, "within": 12,
}  # fmt: skip
_OPERANDS = ("year", "month", "day", "decade", "quarter", "holiday")
_FITTING = {
    Granularity.DAY: ("day", "week", "month", "year", "decade"), Granularity.QUARTER: ("month", "quarter", "year"),
    Granularity.MONTH: ("week", "month", "quarter", "year", "decade"),
    Granularity.YEAR: ("month", "year", "decade", "century"),
    Granularity.DECADE: ("year", "decade", "century"),
}  # fmt: skip


def counted(draw: Draw, role: Role | None = None, *, operator: Operator = "in") -> Worded:
    """A duration and the value it counts from: "three years before 2019", "the decade after 1945"."""
    rng = draw.rng
    role = role or rng.choices(list(_COUNTED), list(_COUNTED.values()))[0]
    value = draw_value(rng, draw.reference, among=_OPERANDS)
    family = draw.family(role)
    least = 2 if role in ("adjoin back", "adjoin on", "ending", "starting") else 1
    units = _FITTING[value.timex.granularity]
    duration = draw_duration(rng, least=least, units=units, vague=role != "within")
    if "{U}" in family.template:
        duration = replace(duration, text=duration.unit_text, n=1)
        if duration.unit_text == "week" and duration.unit is not Granularity.WEEK:
            return counted(draw, role, operator=operator)
    if "{O}" in family.template:
        duration = replace(duration, text=duration.ordinal, n=max(duration.n, 1))
        if duration.text.startswith("one") or duration.n > 20 or " " not in duration.text:
            return counted(draw, role, operator=operator)
    i, j = draw.index(), draw.index()
    slots = {name: piece(duration.text, i) for name in "DUO"} | {"X": piece(value.text, j)}
    template = expanded(family.template, rng)
    if _DETERMINED.search(template):
        slots["D"] = slots["D"] if not duration.text.startswith("a ") else piece(duration.text[2:], i)
    if operator == "in" and template.startswith("the "):
        template = rng.choice(("in ", "over ", "during ", "within ", "throughout ", "")) + template
    marked = filled(template, slots).marked(f"p{i}").marked(f"p{j}")
    steps = (
        Planned(index=i, operator=operator, duration=duration, role=role),
        Planned(index=j, operator="operand", value=value),
    )
    return Worded(marked=marked, steps=steps, kind=role, family=family.name, position=family.position)


_ROLLING: dict[Role, float] = {"ago": 18, "past": 34, "next": 14, "hence": 6, "older": 16, "newer": 12}


def rolling(draw: Draw, role: Role | None = None, *, operator: Operator = "in") -> Worded:
    """A duration counted from the reference date: "three years ago", "older than 30 days"."""
    role = role or draw.rng.choices(list(_ROLLING), list(_ROLLING.values()))[0]
    family, i = draw.family(role, nested=operator != "in"), draw.index()
    duration = draw_duration(draw.rng, least=1 if role in ("ago", "hence", "older", "newer") else 2, vague=True)
    if draw.rng.random() < 0.04:
        n = draw.rng.choice((1, 1, 2, 3))
        duration = Duration(f"{24 * n} {draw.rng.choice(('hours', 'hours', 'hrs'))}", n, Granularity.DAY, "day", "")
    if role in ("older", "newer") and duration.n == 1:
        duration = replace(duration, text=f"{draw.rng.choice(('a', 'one', '1'))} {duration.unit_text}")
    if _DETERMINED.search(family.template) and duration.n > 1:
        duration = replace(duration, text=duration.text.removeprefix("a "))
    marked = filled(expanded(family.template, draw.rng), {"D": piece(duration.text, i)}).marked(f"p{i}")
    step = Planned(index=i, operator=operator, duration=duration, role=role)
    return Worded(marked=marked, steps=(step,), kind=role, family=family.name, position=family.position)


def over(draw: Draw, operator: Operator, value: Value, *, family: Family | None = None) -> Worded:
    """That operator over that value."""
    family, i = family or draw.family(operator, nested=True), draw.index()
    template = _spoken(expanded(family.template, draw.rng), value, draw.rng)
    marked = filled(template, {"X": piece(value.text, i)}).marked(f"p{i}")
    step = Planned(index=i, operator=operator, value=value)
    return Worded(marked=marked, steps=(step,), kind=operator, family=family.name)
