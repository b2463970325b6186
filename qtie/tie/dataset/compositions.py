"""Programs of several parts: nested operators, unions, exceptions, bounds, targets, Allen's relations, preferences."""

from collections.abc import Callable
from dataclasses import replace

from qtie.intent import Preference
from qtie.tie.dataset.marked import Marked, expanded, filled
from qtie.tie.dataset.programs import Draw, Planned, Worded, counted, over, piece, ranged, rolling, single
from qtie.tie.dataset.times import Value, draw_bounds, draw_value
from qtie.tie.dataset.wording import Family, Position
from qtie.tie.program import Operator

__all__ = ["draw_program"]


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
    plain = family.template.startswith("{X}")
    values = [
        draw_value(rng, draw.reference, among=tuple(form)) for _ in range(3 if plain and rng.random() < 0.4 else 2)
    ]
    if "/" in family.template and form[0] not in ("year", "decade"):
        return union(draw)
    pieces = [(value, draw.index()) for value in values]
    (x, i), (y, j) = pieces[-2:]
    marked = filled(family.template, {"X": piece(x.text, i), "Y": piece(y.text, j)})
    if len(pieces) == 3:
        marked = filled("{Z}, {R}", {"Z": piece(pieces[0][0].text, pieces[0][1]), "R": marked})
    preposition = rng.choice(("in ", "in ", "during ", "from ", "for ", ""))
    if form[0] == "day":
        preposition = rng.choice(("on ", ""))
    marked = filled((preposition if plain else "") + "{R}", {"R": marked})
    at = 0
    for _, index in pieces:
        end = marked.marks[f"c{index}"][1]
        marked.marks[f"p{index}"] = (at, end)
        at = end
    steps = tuple(Planned(index=index, operator="in", value=value) for value, index in pieces)
    position: Position = family.position
    if position == "any" and plain and preposition in ("", "from "):
        position = "post"
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
    first, second = over(draw, lower, x), over(draw, upper, y)
    if rng.random() < 0.2:
        first, second = second, first
    family = draw.family("join")
    joint = family.template.removeprefix("{A}").removesuffix("{B}")
    return _both(draw, first, second, joint, "bounds")


def excepted(draw: Draw) -> Worded:
    """A time with a hole, or all but a time: "since 1990 except 1994", "not in 2012"."""
    rng, family = draw.rng, draw.family("except")
    x = rng.random()
    if x < 0.72:
        hole = draw_value(rng, draw.reference, among=("year", "month", "season", "decade", "quarter"))
        hidden = over(draw, "in", hole, family=family)
    elif x < 0.86:
        hidden = _left_out(_within(draw, *draw_bounds(rng, draw.reference)), family.template)
    else:
        operator: Operator = rng.choice(("before", "after"))
        hole = draw_value(rng, draw.reference, among=("year", "month"))
        word = rng.choice(
            {"before": ("before", "prior to", "earlier than"), "after": ("after", "later than", "past")}[operator]
        )
        bare = Family(f"{operator}: {word} {{X}}", f"{word} {{X}}", "any", "train")
        template = rng.choice(("but not {X}", "just not {X}", "not {X}", "but nothing {X}", "excluding anything {X}"))
        hidden = _left_out(over(draw, operator, hole, family=bare), template)
    hidden = replace(hidden, steps=tuple(replace(step, negated=True) for step in hidden.steps))
    if x < 0.3:
        return replace(hidden, kind="except")
    around = draw_value(rng, draw.reference, among=("decade", "century", "year"))
    base = ranged(draw) if rng.random() < 0.25 else over(draw, rng.choice(("in", "since", "before", "after")), around)
    if base.position != "any":
        return excepted(draw)
    return replace(
        _both(draw, base, hidden, rng.choice((" ", ", ", ", but ") if rng.random() < 0.4 else " "), "except")
    )


def _left_out(inner: Worded, template: str) -> Worded:
    """What is said, within words that leave it out."""
    marked = filled(template, {"X": inner.marked})
    names = [name for name in inner.marked.marks if name.startswith("p")]
    first, last = min(names, key=lambda n: marked.marks[n]), max(names, key=lambda n: marked.marks[n])
    marked.marks[first] = (0, marked.marks[first][1])
    marked.marks[last] = (marked.marks[last][0], len(marked.text))
    return replace(inner, marked=marked, family=f"except: {template} + {inner.family}")


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
    names = f"{family.name} + {inner.family}"
    return replace(inner, marked=marked, steps=steps, kind=f"{target} {inner.kind}", family=names,
                   position="post", carriers=kinds)  # fmt: skip


def _within(draw: Draw, x: Value, y: Value) -> Worded:
    """Between X and Y, for the start or the end of something."""
    i, j = draw.index(), draw.index()
    template = draw.rng.choice(
        ("between {X} and {Y}", "from {X} to {Y}", "between {X} and {Y}", "from {X} through {Y}")
    )
    marked = filled(template, {"X": piece(x.text, i), "Y": piece(y.text, j)})
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
            sides.append(over(draw, _operator(operator), (x, y)[nth]))
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
