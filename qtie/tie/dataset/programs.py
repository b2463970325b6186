"""Programs drawn at random and put in words: operators, offsets, ranges, unions, exceptions, targets, preferences."""

import re
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from datetime import date
from random import Random

from qtie.intent import Preference
from qtie.interval import Granularity, TimeInterval
from qtie.tie.dataset.marked import Marked, expanded, filled
from qtie.tie.dataset.times import MONTHS, Duration, Value, draw_bounds, draw_duration, draw_value
from qtie.tie.dataset.wording import Family, Position, Split, draw_family
from qtie.tie.program import Operator, Role
from qtie.tie.timex import Timex

__all__ = ["Draw", "Planned", "Worded", "draw_program"]


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


def _piece(text: str, index: int) -> Marked:
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
    marked = filled(template, {"X": _piece(value.text, i)}).marked(f"p{i}")
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
        x, y = _elliptical(rng)
    elif nth < 0.2:
        word = rng.choice(("now", "the present", "present", "today", "date", "this day", "the present day"))
        family = next(f for f in _to_present(draw))
        day = draw.reference.toordinal() - date(1970, 1, 1).toordinal()
        y = Value(word, Timex(interval=TimeInterval(day, day), granularity=Granularity.DAY), "present")
        x = draw_value(rng, draw.reference, among=("year", "month", "day", "decade"))
        while (x.timex.known.start or 0) > day:
            x = draw_value(rng, draw.reference, among=("year", "month", "day", "decade"))
    elif nth < 0.23:
        x, y = y, x
    i, j = draw.index(), draw.index()
    marked = filled(expanded(family.template, rng), {"X": _piece(x.text, i), "Y": _piece(y.text, j)}).marked("whole")
    start, end = marked.marks.pop("whole")
    middle = marked.marks[f"c{i}"][1]
    marked.marks |= {f"p{i}": (start, middle), f"p{j}": (middle, end)}
    steps = (Planned(index=i, operator="from", value=x), Planned(index=j, operator="to", value=y))
    return Worded(marked=marked, steps=steps, kind="between", family=family.name, position=family.position)


def _to_present(draw: Draw) -> list[Family]:
    templates = (
        "from {X} to {Y}",
        "from {X} until {Y}",
        "from {X} up to {Y}",
        "from {X} through {Y}",
        "{X} to {Y}",
        "{X}-{Y}",
        "between {X} and {Y}",
        "{X} - {Y}",
    )
    template = draw.rng.choice(templates)
    return [Family(f"between: {template}", template, "any", "train")]


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
    Granularity.MONTH: ("week", "month", "quarter", "year", "decade"), Granularity.YEAR: ("month", "year", "decade", "century"),
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
    slots = {name: _piece(duration.text, i) for name in "DUO"} | {"X": _piece(value.text, j)}
    template = expanded(family.template, rng)
    if _DETERMINED.search(template):
        slots["D"] = slots["D"] if not duration.text.startswith("a ") else _piece(duration.text[2:], i)
    if operator == "in" and role not in ("shift back", "shift on", "within"):
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
    if role in ("older", "newer") and duration.n == 1:
        duration = replace(duration, text=f"{draw.rng.choice(('a', 'one', '1'))} {duration.unit_text}")
    if _DETERMINED.search(family.template) and duration.n > 1:
        duration = replace(duration, text=duration.text.removeprefix("a "))
    marked = filled(expanded(family.template, draw.rng), {"D": _piece(duration.text, i)}).marked(f"p{i}")
    step = Planned(index=i, operator=operator, duration=duration, role=role)
    return Worded(marked=marked, steps=(step,), kind=role, family=family.name, position=family.position)


def nested(draw: Draw) -> Worded:
    """An operator over a counted value: "since three years before 2019", "until two weeks ago"."""
    operator = draw.rng.choice(("since", "before", "after", "by", "until"))
    outer = draw.family(operator, nested=True)
    word = {"since": "since", "before": "before", "after": "after", "by": "by", "until": "until"}[operator]
    operators: dict[str, Operator] = {
        "since": "since",
        "before": "before",
        "after": "after",
        "by": "by",
        "until": "until",
    }
    if draw.rng.random() < 0.5:
        inner = rolling(draw, "ago", operator=operators[operator])
    else:
        inner = counted(
            draw, draw.rng.choice(("shift back", "shift on", "adjoin back", "adjoin on")), operator=operators[operator]
        )
    template = outer.template if draw.rng.random() < 0.4 and outer.template.count(" ") < 3 else f"{word} {{X}}"
    marked = filled(expanded(template, draw.rng), {"X": inner.marked})
    for name in [name for name in inner.marked.marks if name.startswith("p")]:
        marked = marked.marked(name)
    family = f"{operator}: {template} + {inner.family}"
    return replace(inner, marked=marked, kind=f"{operator} {inner.kind}", family=family, position="any")


def union(draw: Draw) -> Worded:
    """Several values, any of which suffices: "in 1990, 1994 or 1998", "before 1950 or in 1975"."""
    rng = draw.rng
    if rng.random() < 0.12:
        first, second = single(draw, nested=True), single(draw, nested=True)
        return _both(draw, first, second, rng.choice((" or ", " or else ", ", or ")), "union")
    family = draw.family("or")
    form = rng.choices(("year", "month", "decade", "day", "quarter", "century"), (50, 15, 15, 10, 6, 4))
    values = [draw_value(rng, draw.reference, among=tuple(form)) for _ in range(2 if rng.random() < 0.7 else 3)]
    if "/" in family.template and form[0] not in ("year", "decade"):
        return union(draw)
    pieces = [(value, draw.index()) for value in values]
    (x, i), (y, j) = pieces[-2:]
    marked = filled(family.template, {"X": _piece(x.text, i), "Y": _piece(y.text, j)})
    if len(pieces) == 3:
        marked = filled("{Z}, {R}", {"Z": _piece(pieces[0][0].text, pieces[0][1]), "R": marked})
    preposition = rng.choice(("in ", "in ", "during ", "from ", "for ", ""))
    if form[0] == "day":
        preposition = rng.choice(("on ", ""))
    marked = filled(preposition + "{R}", {"R": marked})
    at = 0
    for _, index in pieces:
        end = marked.marks[f"c{index}"][1]
        marked.marks[f"p{index}"] = (at, end)
        at = end
    steps = tuple(Planned(index=index, operator="in", value=value) for value, index in pieces)
    position: Position = "any" if preposition not in ("", "from ") else "post"
    return Worded(marked=marked, steps=steps, kind="union", family=family.name, position=position)


def _both(draw: Draw, first: Worded, second: Worded, joint: str, kind: str) -> Worded:
    marked = filled("{A}" + joint + "{B}", {"A": first.marked, "B": second.marked})
    preference = first.preference or second.preference
    family = f"{first.family} + {second.family}"
    return Worded(marked=marked, steps=(*first.steps, *second.steps), kind=kind, family=family, preference=preference)


def bounds(draw: Draw) -> Worded:
    """A lower and an upper bound: "after the start of 2003 but before mid-2006"."""
    rng = draw.rng
    x, y = draw_bounds(rng, draw.reference)
    lower: Operator = rng.choice(("after", "since"))
    upper: Operator = rng.choice(("before", "by", "until"))
    first, second = _over(draw, lower, x), _over(draw, upper, y)
    if rng.random() < 0.2:
        first, second = second, first
    family = draw.family("join")
    joint = family.template.removeprefix("{A}").removesuffix("{B}")
    return _both(draw, first, second, joint, "bounds")


def _over(draw: Draw, operator: Operator, value: Value, *, family: Family | None = None) -> Worded:
    family, i = family or draw.family(operator, nested=True), draw.index()
    template = _spoken(expanded(family.template, draw.rng), value, draw.rng)
    marked = filled(template, {"X": _piece(value.text, i)}).marked(f"p{i}")
    step = Planned(index=i, operator=operator, value=value)
    return Worded(marked=marked, steps=(step,), kind=operator, family=family.name)


def excepted(draw: Draw) -> Worded:
    """A time with a hole, or all but a time: "since 1990 except 1994", "not in 2012"."""
    rng, family = draw.rng, draw.family("except")
    hole = draw_value(rng, draw.reference, among=("year", "month", "season", "decade", "quarter"))
    hidden = _over(draw, "in", hole, family=family)
    hidden = replace(hidden, steps=(replace(hidden.steps[0], negated=True),))
    if rng.random() < 0.35:
        return replace(hidden, kind="except")
    around = draw_value(rng, draw.reference, among=("decade", "century", "year"))
    operator: Operator = rng.choice(("in", "since", "before", "after"))
    base = ranged(draw) if rng.random() < 0.25 else _over(draw, operator, around)
    if base.position != "any":
        return excepted(draw)
    return replace(
        _both(draw, base, hidden, rng.choice((" ", ", ", ", but ") if rng.random() < 0.4 else " "), "except")
    )


def targeted(draw: Draw, target: str | None = None, inner: Worded | None = None) -> Worded:
    """A time of a named side or facet: "who took office before 2010", "born around 1950"."""
    rng = draw.rng
    target = target or rng.choices(("start", "end", "born", "died", "published"), (30, 26, 18, 10, 16))[0]
    family = draw.family(target)
    if inner is None:
        shapes: tuple[Callable[[Draw], Worded], ...] = (single, single, single, single, ranged, counted, rolling, union)
        inner = rng.choice(shapes)(draw)
        if inner.position == "pre" or inner.kind in ("as of", "unknown"):
            return targeted(draw, target)
    marked = filled(expanded(family.template, rng) + " {T}", {"T": inner.marked})
    steps = tuple(replace(step, target=target if step.operator != "operand" else "any") for step in inner.steps)
    kinds = {"start": "rt", "end": "rt", "born": "b", "died": "b", "published": "w"}[target]
    if kinds == "rt":
        kinds = "r" if family.template.startswith("who") else "t"
    return replace(inner, marked=marked, steps=steps, kind=f"{target} {inner.kind}", family=f"{family.name} + {inner.family}",
                   position="post", carriers=kinds)  # fmt: skip


def _within(draw: Draw, x: Value, y: Value) -> Worded:
    """Between X and Y, for the start or the end of something."""
    i, j = draw.index(), draw.index()
    template = draw.rng.choice(
        ("between {X} and {Y}", "from {X} to {Y}", "between {X} and {Y}", "from {X} through {Y}")
    )
    marked = filled(template, {"X": _piece(x.text, i), "Y": _piece(y.text, j)})
    middle = marked.marks[f"c{i}"][1]
    marked.marks |= {f"p{i}": (0, middle), f"p{j}": (middle, len(marked.text))}
    steps = (Planned(index=i, operator="from", value=x), Planned(index=j, operator="to", value=y))
    return Worded(marked=marked, steps=steps, kind="between", family=f"between: {template}")


_PAIRS: dict[str, tuple[str, str]] = {
    "equals": ("in", "in"), "starts": ("in", "before"), "finishes": ("after", "in"), "during": ("after", "before"),
    "contains": ("before", "after"), "overlaps": ("before", "between"), "overlapped-by": ("between", "after"),
}  # fmt: skip
_ONES: dict[str, tuple[str, str]] = {
    "before": ("end", "before"), "after": ("start", "after"), "meets": ("end", "shift back"),
    "met-by": ("start", "shift back"), "started-by": ("start", "in"), "finished-by": ("end", "in"),
}  # fmt: skip


def allen(draw: Draw) -> Worded:
    """One of Allen's relations in words: "whose term started before 1990 and ended between 1991 and 1993"."""
    relation = draw.rng.choice([*_PAIRS, *_ONES])
    if relation in _ONES:
        target, operator = _ONES[relation]
        draw.forms = ("year", "month", "day", "quarter", "decade")
        inner = (
            counted(draw, "shift back") if operator == "shift back" else single(draw, _operator(operator), nested=True)
        )
        return replace(targeted(draw, target, inner), kind=f"allen {relation}")
    x, y = draw_bounds(draw.rng, draw.reference)
    sides = []
    for nth, operator in enumerate(_PAIRS[relation]):
        if operator == "between":
            sides.append(_within(draw, x, y))
        else:
            sides.append(_over(draw, _operator(operator), (x, y)[nth]))
    targets = ("start", "end")
    for nth, side in enumerate(sides):
        sides[nth] = replace(side, steps=tuple(replace(step, target=targets[nth]) for step in side.steps))
    family = draw.family("pair")
    marked = filled(expanded(family.template, draw.rng), {"S": sides[0].marked, "E": sides[1].marked})
    names = f"{family.name} + {sides[0].family} + {sides[1].family}"
    return Worded(marked=marked, steps=(*sides[0].steps, *sides[1].steps), kind=f"allen {relation}", family=names,
                  position="post", carriers="r" if family.template.startswith("who") else "t")  # fmt: skip


def _operator(name: str) -> Operator:
    operators: dict[str, Operator] = {"in": "in", "before": "before", "after": "after"}
    return operators[name]


def preferred(draw: Draw) -> Worded:
    """A preference: "latest … since 2019", "first … in the 1990s", "current", "right now"."""
    rng = draw.rng
    nth = rng.random()
    if nth < 0.25:
        family = draw.family("now")
        return Worded(marked=Marked(family.template, {"pref": (0, len(family.template))}), steps=(), kind="now",
                      family=family.name, preference="latest")  # fmt: skip
    preference: Preference = "latest" if nth < 0.75 else "earliest"
    family = draw.family(preference)
    if preference == "latest" and nth < 0.55:
        return Worded(marked=Marked("", {}), steps=(), kind="latest", family=family.name, carriers="s",
                      preference="latest", preference_word=family.template)  # fmt: skip
    shapes: tuple[Callable[[Draw], Worded], ...] = (single, single, ranged, counted, rolling)
    inner = rng.choice(shapes)(draw)
    if inner.position == "pre" or inner.kind in ("as of", "unknown"):
        return preferred(draw)
    return replace(inner, kind=f"{preference} {inner.kind}", family=f"{family.name} + {inner.family}", carriers="l",
                   preference=preference, preference_word=family.template)  # fmt: skip


_SHAPES: tuple[tuple[Callable[[Draw], Worded], float], ...] = (
    (single, 36), (ranged, 10), (counted, 13), (rolling, 10), (nested, 2), (union, 5), (bounds, 4), (excepted, 4),
    (targeted, 8), (allen, 5), (preferred, 7),
)  # fmt: skip


def draw_program(draw: Draw) -> Worded:
    """A program of any shape, in the words of the draw's split."""
    shape = draw.rng.choices([shape for shape, _ in _SHAPES], [weight for _, weight in _SHAPES])[0]
    return shape(draw)
