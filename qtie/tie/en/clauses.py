"""Clauses: constraints joined, excluded, tied to the start or end of a validity or to a facet; preferences."""

import re
from collections.abc import Iterable
from dataclasses import replace
from itertools import pairwise

from qtie.allen import AllenRelation
from qtie.intent import TemporalConstraint
from qtie.interval import Granularity, TimeInterval
from qtie.tie.cascade import Found, Rule, rules
from qtie.tie.en.operators import constraint
from qtie.tie.operators import Reading

__all__ = ["CLAUSES", "joined_bounds", "of_their_year", "target_of"]

CLAUSES: list[Rule] = []
_clause = rules(CLAUSES)

_EXCEPT = r"except(?:ing)?(?: for)?|excluding|excl\.?|other than|apart(?: from)?|aside(?: from)?|but not|outside(?: of)?|not|leaving out|leave out|not counting|sans|omitting|omit|skipping|skip|without|minus|save for|save|ignoring|ignore|bar|barring|and not|with the exception(?: of)?|exclude|everything but|anything but|all(?: years| months| of it)? but|(?:any|every) (?:year|month|day) but|any ?time but|but(?= (?:\S+ )?not)|n't"


@_clause(
    "except X",
    rf"(?:{_EXCEPT})(?: for)?(?: the(?: (?:period|years?|months?|time))?| everything| anything| that| those| any(?:thing)?| results?| the ones?| ones?| data| anything)?(?: (?:was|is|from|in|of|dated))? ?<c:C>",
)
def _except(found: Found) -> TemporalConstraint | None:
    c = found.constraint("c")
    if c.negated or c.interval is None:
        return None
    words = found.match[0]
    lower, upper = (
        c.interval.start is not None and c.interval.end is None,
        c.interval.start is None and c.interval.end is not None,
    )
    if words.startswith("not ") and (lower or upper):
        return None  # "not since 2010" has its own rule
    return replace(c, negated=True)


@_clause("X excepted", r"<c:C> (?:excepted|excluded|aside|apart)")
def _excepted(found: Found) -> TemporalConstraint | None:
    c = found.constraint("c")
    return None if c.negated or c.interval is None else replace(c, negated=True)


@_clause("bounded but a bound", r"<a:C>,? but (?:only )?<b:C>")
def _bounded(found: Found) -> TemporalConstraint | None:
    a, b = found.constraint("a"), found.constraint("b")
    if a.negated or b.negated or a.interval is None or b.interval is None or a.target != b.target:
        return None
    if _side(a) != "both" or _side(b) == "both":
        return None
    shared = a.interval.intersection(b.interval)
    if shared is None:
        return None
    return replace(constraint("between", Reading(shared, shared), b.granularity), target=a.target)


@_clause(
    "lower and upper bound",
    r"<a:C>,?(?: ?(?:and|but|yet|as well as|to|though|&)?)?(?: (?:also|still|then|only|not))? ?<b:C>",
)
def _joined(found: Found) -> TemporalConstraint | None:
    a, b = found.constraint("a"), found.constraint("b")
    return joined_bounds(a, b)


def joined_bounds(a: TemporalConstraint, b: TemporalConstraint) -> TemporalConstraint | None:
    """One lower and one upper bound on one target as one constraint, or None where they are not that."""
    if a.negated or b.negated or a.target != b.target or a.interval is None or b.interval is None:
        return None
    sides = {_side(a), _side(b)}
    if sides != {"lower", "upper"} or "as of" in (a.operator, b.operator):
        return None
    interval = a.interval.intersection(b.interval)
    raw = a.raw.intersection(b.raw) if a.raw and b.raw else None
    if interval is None or raw is None:
        return None
    granularity = min(a.granularity, b.granularity, key=lambda g: g.days)
    return replace(constraint("between", Reading(interval, raw), granularity), target=a.target)


def _side(c: TemporalConstraint) -> str:
    assert c.interval is not None
    if c.interval.start is None:
        return "both" if c.interval.end is None else "upper"
    return "lower" if c.interval.end is None else "both"


@_clause("never after X", r"(?:never|not) (?P<c><C>)")
def _never(found: Found) -> TemporalConstraint | None:
    """ "never after 2010", "not since 2010": the other side of a bound."""
    c = found.constraint("c")
    if c.negated or c.interval is None or _side(c) == "both" or c.operator not in ("after", "since", "before"):
        return None
    other = c.interval.complement()[0]
    return replace(c, interval=other, raw=other, readings=(), operator="before" if _side(c) == "lower" else "since")


@_clause("except X and Y", r"<c:C>,? (?:and|or|nor|&|,)? ?(?P<d><C>)", at="d")
def _except_also(found: Found) -> TemporalConstraint | None:
    c, d = found.constraint("c"), found.constraint("d")
    return replace(d, negated=True) if c.negated and not d.negated and d.operator in ("in", "between") else None


_RECENT = r"latest|newest|most[- ]recent(?:ly)?|most current|most up[- ]to[- ]date|recent|recently|lately|current|currently|now|right now|at present|at the moment|these days|nowadays|presently|up[- ]to[- ]date|today's|as of now|as of today"


@_clause("current, latest, recent", rf"(?:the )?(?P<w>{_RECENT})(?! (?:than|to [\ue800-\uefff]))")
def _recent(found: Found) -> TemporalConstraint | None:
    reference = found.context.reference
    word = found["w"]
    after = found.skeleton.text[found.match.end() :]
    if word == "current" and re.match(r"$|\?| (?:with|in|through|of|to|from|at|and|for|is|on)(?!\w)", after):
        return None
    if word == "now" and re.match(r" (?:that|what|how|known|called|defunct|former)", after):
        return None
    operator = "current" if word in _CURRENT else "latest"
    if reference is None:
        return constraint(operator, Reading(TimeInterval(), TimeInterval()), Granularity.DAY)
    until = TimeInterval(None, reference)
    readings = (TimeInterval(reference, reference),) if operator == "current" else ()
    return constraint(operator, Reading(until, until, readings), Granularity.DAY)


_CURRENT = (
    "current",
    "currently",
    "now",
    "right now",
    "at present",
    "at the moment",
    "these days",
    "nowadays",
    "presently",
    "today's",
)


_PARTS_OF_THINGS = (
    r"(?:year|month|week|day|night|hour|minute|second|decade|centur|quarter|season|weekend|half|halves|letter|word|line|verse"
    r"|chapter|page|digit|character|column|row|bit|lap|hole|round|leg|step|stop|place)"
)


@_clause(
    "last thing",
    r"(?P<w>(?:the |our |his |her |their |my |its |(?:(?<=^)|(?<='s )|(?<=in )|(?<=of )|(?<=on )))last(?: ever)?)"
    r"(?= (?!long|forever|for\b)(?!few|several|couple|year|month|week|day|decade|century|quarter|night|time\b.*\b(?:i|we)\b)"
    r"(?:[a-z]{3,}|(?:us|uk|eu|un|tv) [a-z]{3,}"
    rf"|(?:[2-9]|1\d|20) (?!{_PARTS_OF_THINGS})(?:[a-z]+ (?!{_PARTS_OF_THINGS}))?[a-z]{{2,}}s\b))",
    at="w",
)
def _last_thing(found: Found) -> TemporalConstraint | None:
    reference = found.context.reference
    until = TimeInterval(None, reference)
    return constraint("latest", Reading(until, until), Granularity.DAY, confidence=0.8)


@_clause(
    "first with a time",
    r"(?P<w>(?:the |our |his |her |their |its )?(?:(?:very )?first(?: ever)?|earliest|original|oldest))(?= [a-z(\ue800-\uefff])",
    at="w",
)
def _first_thing(found: Found) -> TemporalConstraint | None:
    text = found.skeleton.text
    others = [
        node for char, node in found.skeleton.nodes.items() if char in text and isinstance(node, TemporalConstraint)
    ]
    if not any(c.interval is not None and c.operator not in ("earliest", "latest", "current") for c in others):
        return None
    return constraint("earliest", Reading(TimeInterval(), TimeInterval()), Granularity.DAY)


_START_WORDS = (
    r"start(?:ed|ing|s)|beg(?:an|ins|inning(?! of)|un)|commenc(?:ed|ing|es)|will (?:start|begin|commence)|(?:start|starting) dates?(?: is| was| falls)?|(?:took|take[sn]?|taking|assum(?:ed|es|ing|e)|enter(?:ed|ing|s)?|came (?:in)?to|coming (?:in)?to|sworn in(?:to)?) (?:up |over |into |on )?(?:the |his |her |their )?(?:office|post|role|position|power|charge|job|duties|reins|helm|throne|presidency|leadership|command|seat|effect|force)"
    r"|took over|taking over|takes over|assumed|sworn in|inaugurated|appointed|joined|joining|joins|hired|ascended|acceded|took on the (?:role|position|job)|term (?:start|begin)|onset|kicked off|took effect|entered into force|came into force|came to power|enrolled|onboarded|became|inception|installed as|signed (?:with|for)"
)
_END_WORDS = r"end(?:ed|ing|s)|finish(?:ed|ing|es)|will (?:end|finish|expire|conclude)|(?:end|ending) dates?(?: is| was| falls)?|(?:term|tenure|role|mandate|contract)s? (?:end|conclude|expire|finish)|left(?= ?$)|departure|extend(?:ed|ing|s)|conclud(?:ed|ing|es)|(?:left|leav(?:e|es|ing)) (?:the |his |her |their )?(?:office|power|job|post|role|position|company|presidency|government|cabinet|board|team|club|band|throne)|step(?:ped|ping|s)? down|expir(?:ed|ing|es?|y)|ceas(?:ed|ing|es?)|terminat(?:ed|ing|es)|depart(?:ed|ing|s)?|vacated|ousted|dismissed|quit|was over|wrapped up|ran out|lapsed|completed|complet(?:es|ing)|relinquished|stopped|out of office|dissolved|abolished|repealed"
_FACETS = {
    "start": _START_WORDS,
    "end": _END_WORDS,
    "born": r"born|birth ?dates?|birth ?days?|date of birth|birth ?year",
    "died": r"died|dies|deceased|passed away|death date|date of death",
    "published": r"publish(?:ed|ing|es)|publications?|issued|posted|released|printed|publication date",
}
_FACET_WORDS = re.compile("|".join(rf"(?P<{facet}>(?<!\w)(?:{words})(?!\w))" for facet, words in _FACETS.items()))
_BARRIER = re.compile(r"[,;:?!]|(?<!\w)(?:and|but|or|who|which|that|while|when|whose|did|was|were|is|are|then)(?!\w)")


_GOES_ON = re.compile(
    r"(?<!\w)(?:continu(?:ed|ing|es)|remain(?:ed|ing|s)?|still|stay(?:ed|ing)|kept)(?!\w)[^,;]{0,40}$"
)


def target_of(text: str, at: int, *, goes_on: bool) -> str:
    """The target that the words around the constraint at index `at` of a skeleton name, else any.

    `goes_on`: it has only a lower bound, so that "continued past X" speaks of the end.
    """
    before = text[:at]
    if goes_on and (going := _GOES_ON.search(before)) and not re.search(r"[\ue800-\uefff]", going[0]):
        return "end"
    found = [*_FACET_WORDS.finditer(before)]
    if found:
        last = found[-1]
        between = before[last.end() :]
        if _binds(between, backward=True):
            return last.lastgroup or "any"
    after = text[at + 1 :]
    following = _FACET_WORDS.match(after.lstrip(" ,-")) if after else None
    if following and following.lastgroup in ("born", "died", "published") and not re.search(r"[\ue800-\uefff]", after):
        return following.lastgroup
    if (
        following
        and following.lastgroup in ("start", "end")
        and re.match(r" ?-?(?:start(?:ed|ing)|end(?:ed|ing))(?!\w)", after)
    ):
        return following.lastgroup
    return "any"


def _binds(between: str, *, backward: bool) -> bool:
    """Whether so little stands between a verb and a time that the one speaks of the other."""
    words = between.split()
    return len(words) <= 11 and not _BARRIER.search(_without_joined(between))


def _without_joined(between: str) -> str:
    """The words between, where a constraint already joined by "and" or "or" is no barrier."""
    return re.sub(r"[\ue800-\uefff],? ?(?:and|or|but)?", "", between)


_WORDS_BETWEEN = re.compile(
    r"(?i)(?:'s)? (?!(?:and|or|nor|but|to|than|not|with|except|versus|vs)(?!\w))[a-z-]+(?: (?!(?:and|or|to|than|versus|vs)(?!\w))[a-z-]+)? "
)


def of_their_year(constraints: Iterable[TemporalConstraint], query: str) -> list[TemporalConstraint]:
    """The constraints, where a unit and the year said after it are one: "Q3 results of 2019" asks for that quarter."""
    items = list(constraints)
    for part, year in pairwise(list(items)):
        if _is_of(part, year, query):
            whole = replace(part, more_spans=(*part.more_spans, year.span))
            items = [whole if c is part else c for c in items if c is not year]
    return items


def _is_of(part: TemporalConstraint, year: TemporalConstraint, query: str) -> bool:
    if part.interval is None or year.interval is None or part.granularity.days >= Granularity.YEAR.days:
        return False
    plain = all(c.operator == "in" and c.target == "any" and not c.negated for c in (part, year))
    is_year = year.granularity is Granularity.YEAR and year.interval.granularity is Granularity.YEAR
    says_year = re.search(r"\d{4}|'\d\d", query[slice(*part.span)])
    within = part.interval.intersection(year.interval) == part.interval
    return (
        plain
        and is_year
        and within
        and not says_year
        and bool(_WORDS_BETWEEN.fullmatch(query[part.span[1] : year.span[0]]))
    )


def paired(constraints: Iterable[TemporalConstraint]) -> list[TemporalConstraint]:
    """ "started before X and ended after Y" as one constraint that the document must contain."""
    items = list(constraints)
    starts = [c for c in items if c.target == "start" and c.interval and c.operator in ("before", "by")]
    ends = [c for c in items if c.target == "end" and c.interval and c.operator in ("after", "since")]
    if len(starts) != 1 or len(ends) != 1 or len(items) != 2:
        return items
    first, last = starts[0], ends[0]
    if (
        first.raw is None
        or last.raw is None
        or first.raw.end is None
        or last.raw.start is None
        or first.raw.end > last.raw.start
    ):
        return items
    interval = TimeInterval(first.raw.end, last.raw.start)
    span = (min(first.span[0], last.span[0]), max(first.span[1], last.span[1]))
    merged = constraint("started before and ended after", Reading(interval, interval), first.granularity)
    return [replace(merged, relation=AllenRelation.CONTAINS, span=span, rule=first.rule)]
