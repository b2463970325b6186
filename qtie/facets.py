"""The words that say which time of a document a stated date is: born, died, published, updated, validity, event."""

import re
from typing import Literal, NamedTuple

__all__ = ["Facet", "cue_after", "cue_before", "is_person", "months_ended"]

Bound = Literal["at", "start", "end", "until_before"]


class Facet(NamedTuple):
    """What the words around a date make of it."""

    name: str
    """The facet: born, died, published, updated, validity, event."""
    bound: Bound = "at"
    """Of a validity: its start or end, included, or (until_before) the day after its end; else "at"."""
    of_text: bool = False
    """It tells when the text itself is in force, rather than how long someone did something."""


_CUES: dict[str, tuple[Facet, str]] = {
    "born": (Facet("born"), r"born|(?:date of )?birth(?: ?date)?|d\.?o\.?b\b\.?|\bb\."),
    "died": (
        Facet("died"),
        r"die[ds]|(?:was|were|is) (?:killed|murdered|assassinated|executed)|(?:date of )?death"
        r"|passed (?:away|on|peacefully)|deceased|\bd\.",
    ),
    "updated": (
        Facet("updated"),
        r"updated?|last (?:modified|changed|reviewed|edited|checked|revised|saved)|modified|revised|edited(?! by)"
        r"|amended",
    ),
    "published": (
        Facet("published"),
        r"(?:re-?)?(?:published|released|issued|posted|printed|uploaded)|publication(?: date)?|release(?: date)?"
        r"|general availability|filed|filing date|date of (?:report|patent|issue|publication|release)|report date"
        r"|issue date|dated|sent|first available|listed(?= ?:)|(?<=\[)submitted(?= on)|edition|copyright|copr",
    ),
    "ends": (
        Facet("validity", "end", of_text=True),
        r"(?:valid|in force|in effect|remains? in (?:force|effect)|good|supported|effective|applicable|applies)"
        r"[ -](?:until|till|through|thru|to)|expire[sd]?|expir(?:y|ation)(?: date)?|expiring|repeal(?:ed)?|revoked"
        r"|lapse[sd]|rescinded|abrogated|support end(?:s|ed)|end of (?:support|life|service|sale)|ceased to have effect"
        r"|best before|use by|sell by|end date|termination date",
    ),
    "starts": (
        Facet("validity", "start", of_text=True),
        r"(?:in|into|have|has) (?:force|effect|operation)(?: (?:from|since|on|as of|as from))?"
        r"|effective(?: date| from| as of)?|with effect (?:from|on)|takes? effect|took effect"
        r"|valid (?:from|since|as of)|commence(?:ment|[sd])(?: date)?|(?:applicable|applies|apply|as) from"
        r"|supported (?:from|since)|validity|in support(?: from)?|valid",
    ),
    "until": (
        Facet("validity", "end"),
        r"until|till|left office|leaves? office"
        r"|(?:term|reign|tenure|contract|mandate|membership|lease)[^.;\d]{0,30} end(?:s|ed)",
    ),
    "since": (
        Facet("validity", "start"),
        r"since|took office|assumed office|in office from|(?:term|reign|tenure) (?:began|started)",
    ),
    "lasting": (
        Facet("validity"),
        r"in office|reign(?:ed|s)?|terms?(?: of office)?|tenure|years active|active|incumbent|in production|in service"
        r"|held the (?:post|office)|served|serving|employ(?:ed|ment)|worked|(?:has|had) been|lease|appointment",
    ),
    "event": (
        Facet("event"),
        r"fought|lasted|lasting|war|took place|takes? place|(?:be|been|was|were) held|held (?:on|in|at|from)|studied"
        r"|enrolled|harvested|built|construction|constructed|dates?|closed?|closes|opened|founded|established|won"
        r"|received|accepted|signed|ratified|enacted|ordained|married|launched|as (?:of|at)|copied|travell?ed|toured"
        r"|survey(?:ed)?|collected|recorded|observed",
    ),
}
_CUE = re.compile(
    r"(?<![\w-])(?:"
    + "|".join(f"(?P<{name}>{pattern})" for name, (_, pattern) in _CUES.items())
    + r")(?![\w-])|(?P<sign>©|\(c\))|(?P<star>(?<=\()\*|⋆)|(?P<dagger>[†‡✝])"
)
_BLOCK = re.compile(
    r"(?<!\w)(?!(?:aged|raised|surrounded|revised|related|united|signed|limited|advanced|based|so-called|red|bed)\b)"
    r"(?:\w{2,}ed|was|were|is|had|has|went|came|became|began|took|made|won|wrote|left|moved|who|which|because)(?!\w)"
)
_RELATIVE = re.compile(
    r"\b(?:wife|husband|father|mother|parents|sons?|daughters?|brothers?|sisters?|widow|partner|child|children|twins?)"
    r"(?:,? [\w'’.-]+){0,3}?(?:,| was| were| had)? *$"
)


def cue_before(words: str) -> Facet | None:
    """The facet that the words before a date, in lower case and of its own clause, give it; None where they give none.

    Example:
        >>> cue_before("born in cadiz, ").name, cue_before("was repealed with effect from ").bound
        ('born', 'until_before')
    """
    found = list(_CUE.finditer(words))
    if not found:
        return None
    last = found[-1]
    facet = _facet_of(last)
    if _BLOCK.search(words, last.end()):
        return None
    if facet.bound == "start" and any(match["ends"] for match in found[:-1]):
        return Facet("validity", "until_before", of_text=True)
    if last.lastgroup == "ends" and re.search(r"\bfrom *$", words[last.end() :]):
        return Facet("validity", "until_before", of_text=True)
    if facet.name in ("born", "died") and _RELATIVE.search(words[: last.start()]):
        return Facet("event")
    return facet


_SIGNS = {"sign": "published", "star": "born", "dagger": "died"}


def _facet_of(match: re.Match[str]) -> Facet:
    name = match.lastgroup or ""
    return Facet(_SIGNS[name]) if name in _SIGNS else _CUES[name][0]


_VERB_AFTER = re.compile(
    r"[ ,]*(?:(?!\d)[\w'’.-]+[ ,]+){1,7}?(?:(?P<born>was born)|(?P<died>died|passed away)"
    r"|(?P<published>(?:was|were) (?:first )?(?:published|released|issued))"
    r"|(?P<starts>(?:came|comes|entered|enters) into (?:force|effect)|takes? effect|took effect)"
    r"|(?P<ends>(?:was|were|is) repealed|expires|expired))(?!\w)"
)


def cue_after(words: str) -> Facet | None:
    """The facet that the clause after a date gives it: "On 3 April 2012 Ms Starck passed away".

    Example:
        >>> cue_after(", the order was repealed.").bound
        'end'
    """
    match = _VERB_AFTER.match(words)
    if match is None or match.lastgroup is None or _RELATIVE.search(words[: match.start(match.lastgroup)]):
        return None
    if _BLOCK.search(words[: match.start(match.lastgroup)]):
        return None
    return _CUES[match.lastgroup][0]


_PERIOD = re.compile(
    r"(?:(?P<n>three|six|nine|twelve|thirteen|3|6|9|12) months?|(?P<quarter>(?:fiscal )?quarter(?:ly)?(?: period)?)"
    r"|(?P<half>half[- ]year)|(?P<year>(?:(?:fiscal|financial|tax) )?year))(?: period)?,? (?:that )?"
    r"end(?:ed|ing)(?: on)? *$"
)
_ENDED = re.compile(r"end(?:ed|ing)(?: on)? *$")
_N = {"three": 3, "six": 6, "nine": 9, "twelve": 12, "thirteen": 13}


def months_ended(words: str) -> int | None:
    """How many months up to the date are meant by words such as "for the fiscal year ended"; None for other words.

    Example:
        >>> months_ended("for the quarterly period ended "), months_ended("six months ended "), months_ended("ended ")
        (3, 6, None)
    """
    match = _PERIOD.search(words) if _ENDED.search(words) else None
    if match is None:
        return None
    if match["n"]:
        return _N.get(match["n"]) or int(match["n"])
    return 3 if match["quarter"] else 6 if match["half"] else 12


_THING = re.compile(
    r"\b(?:war|wars|uprising|revolt|rebellion|revolution|battle|siege|campaign|expedition|crisis|treaty|pact|peace"
    r"|strike|riots?|flood|famine|plague|festival|games|cup|championship|tournament|exhibition|congress|conference"
    r"|council|parliament|empire|kingdom|dynasty|republic|period|era|age|movement|school|college|university|academy"
    r"|company|ltd|inc|corp|works|factory|mill|mine|bank|club|society|union|league|party|band|orchestra|theatre"
    r"|museum|gallery|library|church|abbey|castle|palace|bridge|pier|tower|station|railway|line|canal|road|street"
    r"|park|harbour|port|airport|island|river|lake|mission|programme|program|project|plan|act|law|order|magazine"
    r"|journal|newspaper|times|series|show|class|ship|squadron|regiment|division|ministry|government|administration"
    r"|presidency|reign|hotel|hospital|house|team|group|brothers|sisters)\b"
)
_CAPITAL = r"[^\W\da-z_][\w.'’-]*"
_NAME = re.compile(
    rf"(?:^|(?<=[\s\"“(]))(?P<name>(?:(?:{_CAPITAL}|\"[^\"]+\"|“[^”]+”"
    rf"|d[eiua]|del|della|v[ao]n|der|den|la|le|of|bin|ibn|al|y|zu|the),? +)*{_CAPITAL}) *[\[(]?$"
)


def is_person(words: str, *, n_years: float) -> bool:
    """Whether the words before "(1881 – 1950)" end in a person's name, as far as name and length of life tell.

    Example:
        >>> is_person("Elspeth Gaunt (", n_years=67), is_person("The Kolm Uprising (", n_years=0.2)
        (True, False)
    """
    if not 12 <= n_years <= 115:
        return False
    if words == words.lower():  # tokenised text, where case tells nothing
        name = re.split(r"[.;:\n]", words)[-1].replace("-lrb-", "").strip(" ([")
        return 0 < len(name.split()) <= 5 and not name.startswith("the ") and not _THING.search(name)
    match = _NAME.search(words)
    if match is None:
        return False
    name = match["name"]
    return not name.startswith(("The ", "THE ")) and len(name.split()) <= 7 and not _THING.search(name.lower())
