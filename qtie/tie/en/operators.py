"""Operators: from a time value to the constraint that the query puts on documents."""

import re
from dataclasses import replace

from qtie.intent import TemporalConstraint
from qtie.interval import Granularity, TimeInterval, civil_date, shift_day
from qtie.tie.cascade import Found, Rule, rules
from qtie.tie.en.lexicon import number_of, unit_named
from qtie.tie.operators import OPERATORS, Reading, between
from qtie.tie.timex import Timex, in_year

__all__ = ["OPERATIONS", "RANGES", "constraint", "share_range"]

RANGES: list[Rule] = []
"""Two values and what joins them: from X to Y."""
OPERATIONS: list[Rule] = []
"""One value and its operator: before X."""
_range, _operation = rules(RANGES), rules(OPERATIONS)


def constraint(
    operator: str, reading: Reading | None, granularity: Granularity, *, confidence: float = 1.0
) -> TemporalConstraint:
    """A constraint as the grammar makes it; a reading of None is a time whose date is not known."""
    if reading is None:
        return TemporalConstraint(interval=None, operator=operator, granularity=granularity, confidence=confidence)
    return TemporalConstraint(
        interval=reading.interval,
        raw=reading.raw,
        operator=operator,
        granularity=granularity,
        readings=reading.readings,
        confidence=confidence,
    )


def _apply(operator: str, x: Timex) -> TemporalConstraint | None:
    if x.interval is None:
        return constraint(operator, None, x.granularity)
    if operator != "in" and (x.interval.start is None or x.interval.end is None):
        return None
    return constraint(operator, OPERATORS[operator](x), x.granularity)


_THE = r"(?:the )?(?:year of |year |end of year |months of |month of |date |time of |period of |period |years |dates |era of )?"
_X = rf"{_THE}<x:V>"

_OPERATOR_WORDS: list[tuple[str, str, str]] = [
    # rule, operator, pattern; the longest match wins
    (
        "in X",
        "in",
        rf"(?:back in|as early as in|early on in|some ?time in|only in|already in|again in|in and around|in|during|throughout|all through|over|within|inside|on|at|for|of|from|across|around the time of|dated|dating (?:from|to|back to)|dates? (?:from|to|back to)|circa|amid|amidst|in the course of|over the course of|at the time of|in the middle of|via|@|:|-) {_X}(?:'s)?",
    ),
    ("X alone", "in", r"(?:the )?(?:year )?<x:V>(?:'s| era| edition)?"),
    ("not only before", "in", rf"(?:effective|as) from {_X} only"),
    (
        "before X",
        "before",
        rf"(?:any ?time before|just before|shortly before|right before|immediately before|well before|long before|not long before|up to but (?:not including|excluding)|before|prior to|predating|predates?|pre-? ?dating|antedating|ahead of|earlier than|older than|preceding|previous to|in the run[- ]up to|in the lead[- ]up to|leading up to|running up to|(?:in )?(?:the )?build-? ?up to|(?:that |which |what )?led up to|any sooner than|sooner than|in advance of|in anticipation of|pre-? ?|<|(?:on )?the eve of) ?{_X}",
    ),
    ("X still to come", "before", r"(?:with )?<x:V> (?:still to come|yet to come|not yet (?:here|come|begun|started))"),
    (
        "after X",
        "after",
        rf"(?:any ?time after|just after|shortly after|right after|immediately after|soon after|well after|long after|after|following|later than|newer than|younger than|more recent than|post-? ?|postdating|post-dating|subsequent to|in the wake of|in the aftermath of|in the years after|once|beyond|past|>|exceed(?:s|ing)?|from after) ?{_X}(?: (?:was|is|were|are) (?:over|out|done|through|past|gone|behind (?:us|them)))?",
    ),
    (
        "since X",
        "since",
        rf"(?:ever since|since|since after|from and including|from|starting(?: from| in| on| with)?|beginning(?: from| in| on| with)?|commencing(?: on| in)?|effective(?: from| as of| on)?|as from|no earlier than|not earlier than|not a (?:day|year|month) (?:before|earlier than)|(?:dating |going |go(?:es)? )?no further back than|no sooner than|not before|never before|not older than|no older than|on or after|in or after|at or after|in or later than|during or after|not until|only after the start of|at least|>=|=>|≥|dating from|with effect from|not prior to|nothing (?:before|older than|prior to|earlier than|predating)|none (?:before|older than)|anything but before) ?{_X}(?: (?:on|onwards?|on ?wards?|forwards?|and (?:on(?! or)|onwards?|later|after|beyond|newer|up(?! to)|above|since)|or (?:later|newer|after|beyond|more recent)|at the earliest|to (?:present|now|date|today)))",
    ),
    (
        "since X alone",
        "since",
        rf"(?:ever since|since(?: and including)?|(?:ever )?since (?:way )?back in|starting(?: from| in| on| with)|starting|beginning(?: from| in| on| with)|beginning|commencing(?: on| in)?|effective(?: from| as of| on)?|as from|as of and after|no earlier than|not earlier than|not a (?:day|year|month) (?:before|earlier than)|(?:dating |going |go(?:es)? )?no further back than|no sooner than|not any earlier than|not before|not older than|no older than|on or after|in or after|at or after|during or after|not until|not till|only since|at least|>=|=>|≥|with effect from|not prior to|nothing (?:before|older than|prior to|earlier than|predating)|no (?:results|articles|papers|documents|posts|news|studies)? ?(?:before|older than|earlier than)|none (?:before|older than|earlier than)|exclude (?:anything |everything )?(?:before|older than|prior to)) ?{_X}",
    ),
    (
        "X onwards",
        "since",
        rf"{_X},? ?(?:onwards?|on ?wards?|upwards?|forwards?|(?:and|&) (?:onwards?|upwards?|later|after|beyond|newer|up(?! to)|above|since then|thereafter)(?! (?:the )?<V>)|or (?:later|newer|after|beyond|more recent|above|thereafter)(?! (?:the )?<V>)|at the earliest|(?:plus|\+)(?! ?(?:the )?<V>)|and all (?:later|following) years|/ ?later|-(?= *$|\)))",
    ),
    (
        "from X on",
        "since",
        rf"(?:from|since|starting(?: in)?|beginning(?: in)?|as of|effective) {_X} (?:on|onwards?|upwards?|forwards?|going forwards?|out|up)",
    ),
    (
        "by X",
        "by",
        rf"(?:by the time|by|as late as|no later than|not later than|not a (?:day|year|month) (?:after|later than)|nothing later than|nothing (?:after|newer than|past|beyond)|none (?:after|newer than|later than)|not after|not beyond|not past|not newer than|no newer than|no more recent than|before or (?:in|on|during|at)|on or before|in or before|at or before|during or before|at the latest by|latest by|by no later than|at most|<=|=<|≤|not any later than) ?{_X}(?: (?:came|comes?) (?:round|around|along)| (?:rolled|rolls) (?:round|around)| arrived?| at the latest| or (?:before|earlier|sooner)| latest)?",
    ),
    (
        "X or earlier",
        "by",
        rf"{_X},? ?(?:(?:or|and|&) (?:earlier|before|older|prior|sooner|previous)(?! (?:to )?(?:the )?<V>)|at the latest|and all (?:earlier|previous) years|/ ?earlier)",
    ),
    ("X being the last", "by", rf"(?:with )?{_X} (?:being|as|is) (?:the )?last (?:year|month|day|one)"),
    ("X being the first", "since", rf"(?:with )?{_X} (?:being|as|is) (?:the )?first (?:year|month|day|one)"),
    (
        "until X",
        "until",
        rf"(?:up until|until|till|up till|right up until|all the way until|only until|lasting until) {_X}",
    ),
    (
        "up to X",
        "by",
        rf"(?:up to and including|up to|right up to|all the way up to|to|through to|not exceeding) {_X}",
    ),
    ("through X", "through", rf"(?:through|up through|through the end of|all the way through) {_X}"),
    (
        "as of X",
        "as of",
        rf"(?:as of|as at|as on|as it stood (?:in|on)|as they stood (?:in|on)|as known (?:in|on)|as it was (?:in|on)) {_X}",
    ),
]


def _register(name: str, operator: str, pattern: str) -> None:
    @_operation(name, pattern)
    def _read_operator(found: Found) -> TemporalConstraint | None:
        x = found.timex("x")
        words = found.match[0]
        before = found.skeleton.text[: found.match.start()]
        if name == "up to X" and words.startswith("to ") and x.granularity is Granularity.DAY and x.template:
            return None
        if name == "since X" and words.startswith("from") and not _closes(words):
            return None
        if name == "since X" and words.startswith("since") and words.endswith(" on") and _goes_on(found):
            return None  # "since 2021 on protein folding"
        if name == "up to X" and words.startswith("to ") and _is_no_bound(found, before):
            return None
        if name == "in X" and words.startswith(("-", ":")) and not before.endswith(" "):
            return None
        return _apply(operator, x)


def _is_no_bound(found: Found, before: str) -> bool:
    """Whether "to X" states no end: "compared to 2015", "reactions to 9/11"."""
    named = found.skeleton.rule_of[found.match["x"]] in ("9/11", "holiday", "holiday after its year")
    return named or before.endswith(("compared ", "relative ", "close "))


def _goes_on(found: Found) -> bool:
    return bool(re.match(r" \w", found.skeleton.text[found.match.end() :]))


def _closes(words: str) -> bool:
    """Whether something follows the value: "from X on"."""
    return not "\ue000" <= words[-1] < "\ue800"


_AT_LEAST = r"more than|longer than|at least|upwards of|no less than|not less than"


@_operation(
    "more than N ago",
    rf"(?P<w>{_AT_LEAST}|over|less than|under|fewer than|within|not more than|no more than|at most) <x:V>",
)
def _more_than_ago(found: Found) -> TemporalConstraint | None:
    x, reference = found.timex("x"), found.context.reference
    if x.point is None or reference is None or x.point >= reference or x.recurring:
        return constraint("in", None, x.granularity) if x.interval is None and reference is None else None
    if found["w"] == "over" or re.fullmatch(_AT_LEAST, found["w"]):
        interval = TimeInterval(None, x.point)
        return constraint("before", Reading(interval, interval), x.granularity)
    interval = TimeInterval(x.point, reference)
    return constraint("since", Reading(interval, interval), x.granularity)


@_operation("at least N before X", rf"(?:{_AT_LEAST}) <x:V>")
def _at_least_shifted(found: Found) -> TemporalConstraint | None:
    """ "at least five years before 2000": from the shifted value away from where it was counted."""
    x, rule = found.timex("x"), found.skeleton.rule_of[found.match["x"]]
    if rule == "N units before X":
        return _apply("by", x)
    return _apply("since", x) if rule == "N units after X" else None


@_operation(
    "not until X",
    r"(?:not|n't|never|couldnt|didnt|wasnt|wont|cannot|only)(?: \w+){0,4} (?P<op>(?:until|till) (?:the )?<x:V>)",
    at="op",
)
def _not_until(found: Found) -> TemporalConstraint | None:
    return _apply("since", found.timex("x"))


_ENDING = r"ending|concluding|finishing|leaving|terminating|expiring|ended|concluded|finished|left"


@_operation(
    "starting X and ending",
    rf"(?P<op>(?:starting|beginning|commencing)(?: in| on| from)? {_X})(?=.{{1,40}}(?:{_ENDING})(?!\w))",
    at="op",
)
def _starting_and_ending(found: Found) -> TemporalConstraint | None:
    made = _apply("in", found.timex("x"))
    return made and replace(made, target="start")


@_operation(
    "ending in X",
    rf"(?:ending|concluding|finishing|terminating|expiring)(?: (?:it|their (?:term|tenure|role)|his (?:term|tenure|role)|her (?:term|tenure|role)))? ?(?:in|on|at)? {_X}",
)
def _ending_in(found: Found) -> TemporalConstraint | None:
    made = _apply("in", found.timex("x"))
    return made and replace(made, target="end")


for _name, _operator, _pattern in _OPERATOR_WORDS:
    _register(_name, _operator, _pattern)


_AGES = (
    *("older than", "newer than", "more recent than", "younger than"),
    *("not older than", "no older than", "nothing older than", "none older than"),
)


@_operation(
    "older than N units",
    r"(?:(?:is|are|was|were) )?(?P<w>(?:nothing |none |not? )?older than|more than|over|newer than|more recent than|younger than|less than|not older than|no older than|under|at most) (?P<n><N>) (?P<u><U>)(?P<old> old| of age)?",
)
def _older_than(found: Found) -> TemporalConstraint | None:
    if found["w"] not in _AGES and not found["old"]:
        return None
    unit, multiple = unit_named(found["u"])
    reference = found.context.reference
    if reference is None:
        return constraint("in", None, unit)
    point = shift_day(reference, -multiple * number_of(found["n"]), unit)
    older = found["w"] in ("older than", "more than", "over")
    interval = TimeInterval(None, point) if older else TimeInterval(point, None)
    return constraint("before" if older else "since", Reading(interval, interval), unit)


@_range(
    "between X and Y",
    rf"(?:any ?time |some ?time |somewhere |(?:in|during|over|for) the (?:period|years?|time|months|interval|window|decades?) |in |period |dates? )?(?:(?:in )?between|betwixt|from between|b/w) {_THE}<x:V>,? (?:and|&|to|-|n|through|until|with|or) {_THE}<y:V>(?:,? inclusive(?:ly)?| \(inclusive\))?",
)
@_range(
    "from X to Y",
    rf"(?:(?:in|during|over|for|throughout|within|across) (?:the )?(?:period|years?|time|time ?frame|months|interval|window|span) )?(?:of )?(?:from|since|starting(?: in| from)?|beginning(?: in)?|in|during|between|dated|for|over|running from|spanning|covering) ?{_THE}<x:V>,? ?(?:all the way |right |on )?(?:to|until|till|through(?: to)?|up to(?: and including)?|up until|-|--|/|\.\.+|→|->|into) ?{_THE}<y:V>(?:,? inclusive(?:ly)?| \(inclusive\))?",
)
@_range(
    "X to Y",
    rf"<x:V> ?(?:-|to|until|till|through|up to|/|--|\.\.+|→|->|thru|up until) ?{_THE}<y:V>(?:,? inclusive(?:ly)?| \(inclusive\))?",
)
def _between(found: Found) -> TemporalConstraint | None:
    x, y = found.timex("x"), found.timex("y")
    x, y = share_range(x, y)
    if x.interval is None and y.interval is not None and not x.template and found.context.reference is None:
        return constraint("between", None, y.granularity)
    if x.interval is None or y.interval is None:
        if x.interval is not None and x.interval.start is not None:  # "from 2011 to the present" with no reference date
            interval = TimeInterval(x.interval.start, None)
            return constraint("since", Reading(interval, interval), x.granularity)
        return constraint("between", None, x.granularity)
    if x.interval.start is None or y.interval.end is None or x.interval.end is None or y.interval.start is None:
        return None
    granularity = min(x.granularity, y.granularity, key=lambda g: g.days)
    return constraint("between", between(x, y), granularity)


def share_range(x: Timex, y: Timex) -> tuple[Timex, Timex]:
    """Bounds said without a year take it from the other one, else both from the reference date, in order."""
    if x.template is None and y.template is None:
        return x, y
    if x.template is not None and y.template is None and y.interval is not None and y.interval.start is not None:
        year = civil_date(y.interval.start)[0]
        if y.granularity.days > Granularity.YEAR.days:
            return x, y
        moved = in_year(x, year)
        if (moved.known.start or 0) > y.interval.start:
            moved = in_year(x, year - 1)
        return moved, y
    if x.interval is None or x.interval.start is None or y.template is None:
        return x, y
    moved = in_year(y, civil_date(x.interval.start)[0])
    if (moved.known.start or 0) < x.interval.start:
        moved = in_year(y, civil_date(x.interval.start)[0] + 1)
    return replace(x, template=None), moved
