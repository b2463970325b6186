"""When a lone number is a year: "floods 2013" but not "router 1941", "room 2013" or "2013 guests".

A number that an operator, a month or another year stands beside is a year. One that stands alone is taken for a year
only where nothing in the query speaks for a thing's name or a count; what remains doubtful is no time.
"""

import re
from itertools import pairwise

from qtie.intent import TemporalConstraint
from qtie.interval import Granularity, TimeInterval, civil_date
from qtie.tie.cascade import Found, Rule, rules
from qtie.tie.en.lexicon import MONTH_NAME
from qtie.tie.timex import Timex, widened

__all__ = ["LONE_YEARS", "without_doubtful"]

LONE_YEARS: list[Rule] = []
_year = rules(LONE_YEARS)

_END = r"(?![.:]?\d|,\d{3}(?!\d)|[-/]\d{1,3}(?!\d)|%)"
_CUE = re.compile(
    r"(?:(?<!\w)(?:in|since|before|after|until|till|by|during|from|to|of|for|on|over|within|throughout|through|between|and|or|vs"
    r"|versus|with|predat\w+|antedat\w+|postdat\w+|following|preceding|beyond|past|exceed\w*|effective|starting|beginning|ending"
    r"|commencing|dated|dating|thru|newer|older|later|earlier|circa|c|ca|around|about|early|mid|late|pre|post|as of|as at|than|prior to|year|years|the|and including|not|ad|except"
    r"|excluding|omitting|season|summer|winter|spring|autumn|fall|q[1-4]|h[12]|world cup|olympics|election|elections|class|vintage|anno"
    rf"|roughly|approximately|approx|compared|sans|counting|{MONTH_NAME})|[<>=≤≥~(,/→.-])\.?[ -]?$"
)
_FOLLOWS = re.compile(
    r" ?(?:-|--|->|→|\.\.+|to|up to|through to|until|through|or|and|,|/|vs|versus|&|\+) ?(?:the )?(?:\d{4}|later|earlier|before|after|onwards?|newer|older|beyond|since)|\+|'s\b|s\b"
    r"| (?:or so|or thereabouts|give or take|plus or minus)\b| ?(?:±|\+/-)"
    r"| (?:onwards?|edition|season|era|election|elections|olympics|world cup|census|budget|report|games)\b"
)
_HISTORY = re.compile(
    r"(?<!\w)(?:wars?|battle|treaty|kings?|queens?|emperors?|popes?|revolutions?|uprising|rebellion|siege|famine|plague|cholera"
    r"|epidemic|pandemic|smallpox|influenza|census|constitution|elections?|act|slave\w*|colon\w+|histor\w+|parish|regiment|napoleon\w*"
    r"|victorian|tudor|ottoman|empire|kingdom|republic|peace|famines?|eruption|earthquake|fire of|gold rush|map|maps|painting|letter"
    r"|letters|diary|famous|born|died|baptism\w*|marriage\w*|emigra\w+|immigra\w+|railway|flood|invasion|conquest|hastings)(?!\w)"
)
_ARTIFACT = re.compile(
    r"(?<!\w)(?:replac\w+|batter(?:y|ies)|driver\w*|manual|router|printer|scanner|cartridge\w*|filter\w*|hinge|keyboard|firmware|settings?"
    r"|adapter|cable|charger|gasket|carburet\w+|clutch|gearbox|engine|tractor|mower|chainsaw|baler|transmission|tow|towing|payload"
    r"|horsepower|torque|bobbin|sewing|thread|drill|grinder|collet|chuck|saw|grill|burner|pump|hydraulic\w*|wiring|pinout|schematic"
    r"|socket|cooler|motherboard|cpu|gpu|lcd|arduino|console|reset|install\w*|uninstall|upgrade|troubleshoot\w*|specs?|specifications?"
    r"|dimensions|seat height|cab|camera|lens|amplifier|synth|pickup|remote|modem|switch|vlan|trunk|ssh|docker|regex|sql|mysql|postgres"
    r"|query|null|buffer|compiler|exception|undefined|stack ?trace|download|drill press|lathe|dremel|lego|holster|scope mount|ammo|rifle"
    r"|spare|parts?(?= list| diagram| number|$)|diagram|belt|smudges|toner|jam|paper jam|paint code|tyre|tire|brake\w*|suspension|fuse|headlight"
    r"|bulb|chess|rating|elo|fide|lichess|glicko|sat score|alloy|steel grade|rpm|pulley|unicode|utf|chmod|bash|checksum|aerosols|overture"
    r"|boot space|carburettor|hotel|cafe|restaurant|tequila|bourbon|beer|ingredients|recipe)(?!\w)"
)
_ACRONYM = re.compile(r"(?<![\w.])([A-Z][A-Z0-9.&+-]{0,5})[ -]$")
_KNOWN_ACRONYMS = frozenset(
    [
        "GDP",
        "USA",
        "UK",
        "EU",
        "US",
        "NBA",
        "NFL",
        "NHL",
        "MLB",
        "MLS",
        "FIFA",
        "UEFA",
        "IPL",
        "ICC",
        "ODI",
        "CES",
        "CEO",
        "CFO",
        "IPO",
        "NATO",
        "CPI",
        "EPL",
        "F1",
        "WHO",
        "IMF",
        "ECB",
        "FED",
        "UN",
        "COP",
        "G7",
        "G8",
        "G20",
        "BRICS",
        "NASA",
        "ESA",
        "WWDC",
        "SXSW",
        "IPCC",
        "OECD",
        "BBC",
        "NCAA",
        "WNBA",
        "PGA",
        "ATP",
        "WTA",
        "UFC",
        "WWE",
        "AGM",
        "ESG",
        "R&D",
        "COVID",
        "COVID-19",
        "ACL",
        "EMNLP",
        "CVPR",
        "ICML",
        "ICLR",
        "SIGIR",
        "TREC",
        "GRE",
        "USSR",
        "GDR",
        "PRC",
        "NYC",
        "LA",
        "DC",
        "SEC",
        "FDA",
        "FOMC",
        "NHS",
        "GP",
        "GPS",
        "AI",
        "ML",
        "QE",
        "FY",
        "Q1",
        "Q2",
        "Q3",
        "Q4",
        "H1",
        "H2",
        "BC",
        "AD",
        "CE",
        "PM",
        "MP",
        "MEP",
        "EURO",
    ]
)


@_year(
    "the year", r"(?<![\da] )(?:the )?(?:(?:tax|school|academic|calendar) )?year:? ?(?:of )?(?P<y>\d{3,4})(?![\w,.]*\d)"
)
@_year(
    "early year after a preposition",
    rf"(?:in|since|before|after|until|by|as of|as at|circa|c\.?|around|between|between \d+ and|(?:beginning|start|end|middle) of|early|mid|late|spring|summer|autumn|winter|(?:from|between) \d{{3,4}} (?:to|until|through|and)|anno domini) (?P<y>[1-9]\d\d|1[0-3]\d\d|2[1-9]\d\d){_END}(?=$|[?.!,;)]|-| (?:and|or|to|until|by|in|on|at|was|were|did|but|bc|ad|onwards?)\b)",
    at="y",
)
@_year(
    "early year of a range",
    r"(?:from )?(?P<y>[1-9]\d\d|1[0-3]\d\d)(?= ?(?:-|to|until|through) ?(?:the )?(?:1[0-9]\d\d|\d\d?th century|(?:beginning|end|start|middle) of \d{4}|(?:early |mid |late )?1\d\d\d)\b)",
    at="y",
)
@_year(
    "early year closing a range",
    rf"1[0-3]\d\d ?(?:-|to|until|through) ?(?P<y>1[0-3]\d\d){_END}(?=$|[?.!,;)]| (?:was|were|did|and|in|at)\b)",
    at="y",
)
@_year("early year at the end", rf"(?<=[a-z]{{4}} )(?P<y>1[0-3]\d\d){_END}(?=$|[?.!])")
@_year(
    "early year of an event",
    rf"(?:the|anno|circa|c\.|{MONTH_NAME}\.?,?) (?P<y>1[0-3]\d\d){_END}(?= (?!of\b)[a-z]|$|[?.!,])",
    at="y",
)
@_year("year after its month", rf"{MONTH_NAME}\.?(?:,| of)? (?P<y>[1-9]\d{{2,3}}){_END}(?!\w)", at="y")
def _said_year(found: Found) -> Timex:
    return _as_year(found["y"])


@_year(
    "year",
    rf"(?<![\d:$€£#^*§+])(?<!\d[.,])(?<![^\da-z]\d/)(?<![^\da-z]\d\d/)(?:c\.?)?(?P<y>1[4-9]\d\d|20\d\d|21[0-4]\d){_END}(?!'(?!s\b))",
    at="y",
)
def _lone_year(found: Found) -> Timex | None:
    start, end = found.match.span("y")
    text = found.skeleton.text
    if _CUE.search(text[:start]) or _FOLLOWS.match(text[end:]):
        return _as_year(found["y"])
    return _as_year(found["y"]) if _plausible(int(found["y"]), start, end, found) else None


@_year("year-ish", r"(?P<y>1[4-9]\d\d|20\d\d)-?ish")
def _yearish(found: Found) -> Timex:
    return widened(_as_year(found["y"]))


def _as_year(digits: str) -> Timex:
    return Timex(interval=TimeInterval.year(int(digits)), granularity=Granularity.YEAR)


def _plausible(year: int, start: int, end: int, found: Found) -> bool:
    """Whether a number with nothing of time beside it may be a year."""
    text, query = found.skeleton.text, found.skeleton.query
    before = query[: found.skeleton.origins[start][0]]
    acronym = _ACRONYM.search(before)
    if acronym and not query.isupper() and acronym[1] not in _KNOWN_ACRONYMS:
        return False
    if _ARTIFACT.search(text):
        return False
    reference = found.context.reference
    latest = (2030 if reference is None else civil_date(reference)[0]) + 10
    if 1900 <= year <= latest:
        return True
    at_the_end = not text[end:].strip(" ?.!")
    return year < 1900 and (at_the_end or _HISTORY.search(text) is not None)


def without_doubtful(
    constraints: list[TemporalConstraint], text: str, spans: list[tuple[int, int]]
) -> list[TemporalConstraint]:
    """The constraints without lone numbers that no word of time supports, where another one has such support.

    In "tickets since 2019 about fault 1812" the second number names something. A preference supports no other reading of
    a number that stands by itself: "latest report 2019" asks for 2019.

    Args:
        constraints: as read, n of them.
        text: the query in lower case.
        spans: the characters of each in `text`.
    """
    lone = [
        _is_lone(c, text, span) and not _is_joined(text, spans, at)
        for at, (c, span) in enumerate(zip(constraints, spans, strict=True))
    ]
    supporting = [c for c, doubtful in zip(constraints, lone, strict=True) if not doubtful and not c.negated]
    if not supporting:
        return constraints
    by_order = all(c.operator in ("latest", "current", "earliest") for c in supporting)  # "latest report 2019"
    return [
        c
        for c, (start, _), doubtful in zip(constraints, spans, lone, strict=True)
        if not doubtful or (by_order and not text.startswith("of ", start))
    ]


def _is_lone(c: TemporalConstraint, text: str, span: tuple[int, int]) -> bool:
    start, end = span
    if (
        c.target != "any"
        or c.rule not in ("X alone", "in X")
        or not re.fullmatch(r"(?:of |for )?(?:the )?\d{4}", text[start:end].strip())
    ):
        return False
    if text[start:end].strip().startswith(("of", "for")):
        return bool(re.match(r" [a-z]+(?: [a-z]+)?s\b", text[end:]))
    return not re.match(r"'s\b", text[end:])


_JOIN = re.compile(
    r"(?:'s)?,? ?(?:,|and|or|compared (?:to|with)|as well as|alongside|relative to|vs\.?|versus|with|&|/|not|to|than|,? but)? ?(?:in )?(?:the )?"
)


def _is_joined(text: str, spans: list[tuple[int, int]], at: int) -> bool:
    """Whether a neighbour is joined to it, as in "last year and 2015"."""
    gaps = [(first[1], second[0]) for first, second in pairwise(spans)]
    return any(_JOIN.fullmatch(text[start:end]) for start, end in gaps[max(at - 1, 0) : at + 1])
