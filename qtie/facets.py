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
    "died": (Facet("died"), r"die[ds]|(?:date of )?death|passed (?:away|on|peacefully)|deceased|\bd\."),
    "updated": (
        Facet("updated"),
        r"updated?|last (?:modified|changed|reviewed|edited|checked|revised|saved)|modified|revised|edited(?! by)|amended",
    ),
    "published": (
        Facet("published"),
        r"(?:re-?)?(?:published|released|issued|posted|printed|uploaded)|publication(?: date)?|release(?: date)?|general availability"
        r"|filed|filing date|date of (?:report|patent|issue|publication|release)|report date|issue date|dated|sent|edition|copyright|copr",
    ),
    "ends": (
        Facet("validity", "end", of_text=True),
        r"(?:valid|in force|in effect|remains? in (?:force|effect)|good|supported|effective|applicable|applies) (?:until|till|through|thru|to)"
        r"|(?:valid|good)[ -](?:until|through|thru)|expire[sd]?|expir(?:y|ation)(?: date)?|expiring|repeal(?:ed)?|revoked|lapse[sd]|rescinded"
        r"|support end(?:s|ed)|end of (?:support|life|service|sale)|ceased to (?:have effect|apply)|best before|use by|sell by|abrogated",
    ),
    "starts": (
        Facet("validity", "start", of_text=True),
        r"(?:in|into) (?:force|effect|operation)(?: (?:from|since|on|as of|as from))?|effective(?: date| from| as of)?|with effect (?:from|on)"
        r"|takes? effect|took effect|valid (?:from|since|as of)|commence(?:ment|[sd])(?: date)?|(?:applicable|applies|apply|as) from"
        r"|in support from|supported (?:from|since)|validity|in support|valid",
    ),
    "until": (Facet("validity", "end"), r"until|till|left office"),
    "since": (Facet("validity", "start"), r"since|took office|assumed office|in office from|(?:term|reign|tenure) (?:began|started)"),
    "lasting": (
        Facet("validity"),
        r"in office|reign(?:ed|s)?|terms?(?: of office)?|tenure|years active|active|incumbent|in production|in service|held the (?:post|office)"
        r"|served|serving|employ(?:ed|ment)|worked|(?:has|had) been|period of validity|lease|appointment",
    ),
    "event": (
        Facet("event"),
        r"fought|lasted|lasting|war|took place|take place|takes place|(?:be|been|was|were) held|held (?:on|in|at|from)|studied|enrolled|harvested"
        r"|built|construction|constructed|dates?|closed|closes?|opened|founded|established|won|received|accepted|signed|ratified|enacted"
        r"|ordained|married|launched|as (?:of|at)|copied|travell?ed|toured|survey(?:ed)?|collected|recorded|observed|between",
    ),
}
_CUE = re.compile(
    r"(?<![\w-])(?:" + "|".join(f"(?P<{name}>{pattern})" for name, (_, pattern) in _CUES.items()) + r")(?![\w-])|(?P<sign>©|\(c\))"
)
_BLOCK = re.compile(
    r"(?<!\w)(?!(?:aged|raised|surrounded|revised|related|united|signed|limited|advanced|based|so-called|red|bed)\b)"
    r"(?:\w{2,}ed|was|were|is|had|has|went|came|became|began|took|made|won|wrote|left|moved|who|which|because)(?!\w)"
)
_RELATIVE = re.compile(
    r"\b(?:wife|husband|father|mother|parents|son|sons|daughters?|brothers?|sisters?|widow|partner|child|children|twins?)(?:,| was| were| had)? *$"
)
_DAY_AFTER = re.compile(r"(?:with effect|effective|as) +(?:from|as of|on)?|from")


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
    facet = Facet("published") if last["sign"] else _CUES[last.lastgroup or ""][0]
    if _BLOCK.search(words, last.end()):
        return None
    earlier = [_CUES[match.lastgroup or ""][0] for match in found[:-1] if not match["sign"]]
    if facet.bound == "start" and any(cue.bound == "end" and cue.of_text for cue in earlier):
        return Facet("validity", "until_before", of_text=True)
    if last.lastgroup == "ends" and re.search(r"\bfrom *$", words[last.end() :]):
        return Facet("validity", "until_before", of_text=True)
    if facet.name in ("born", "died") and _RELATIVE.search(words[: last.start()]):
        return Facet("event")
    return facet


_VERB_AFTER = re.compile(
    r"[ ,]*(?:(?!\d)[\w'’.-]+[ ,]+){1,7}?(?:(?P<born>was born)|(?P<died>died|passed away)|(?P<published>(?:was|were) (?:first )?(?:published|released|issued))"
    r"|(?P<starts>(?:came|comes|entered|enters) into (?:force|effect)|takes? effect|took effect)|(?P<ends>(?:was|were|is) repealed|expires|expired))(?!\w)"
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
    r"(?:(?P<n>three|six|nine|twelve|thirteen|3|6|9|12) months?|(?P<quarter>(?:fiscal )?quarter(?:ly)?(?: period)?)|(?P<half>half[- ]year)"
    r"|(?P<year>(?:(?:fiscal|financial|tax) )?year))(?: period)?,? (?:that )?end(?:ed|ing)(?: on)? *$"
)
_N = {"three": 3, "six": 6, "nine": 9, "twelve": 12, "thirteen": 13}


def months_ended(words: str) -> int | None:
    """How many months up to the date are meant by words such as "for the fiscal year ended"; None for other words.

    Example:
        >>> months_ended("for the quarterly period ended "), months_ended("six months ended "), months_ended("ended ")
        (3, 6, None)
    """
    match = _PERIOD.search(words)
    if match is None:
        return None
    if match["n"]:
        return _N.get(match["n"]) or int(match["n"])
    return 3 if match["quarter"] else 6 if match["half"] else 12


_THING = re.compile(
    r"\b(?:war|wars|uprising|revolt|rebellion|revolution|battle|siege|campaign|expedition|crisis|treaty|pact|peace|strike|riots?|flood|famine|plague"
    r"|festival|games|cup|championship|tournament|exhibition|congress|conference|council|parliament|empire|kingdom|dynasty|republic|period|era|age"
    r"|movement|school|college|university|academy|company|ltd|inc|corp|works|factory|mill|mine|bank|club|society|union|league|party|band|orchestra"
    r"|theatre|museum|gallery|library|church|abbey|castle|palace|bridge|pier|tower|station|railway|line|canal|road|street|park|harbour|port|airport"
    r"|island|river|lake|mission|programme|program|project|plan|act|law|order|magazine|journal|newspaper|times|series|show|class|ship|squadron"
    r"|regiment|division|ministry|government|administration|presidency|reign|hotel|hospital|house|team|group|owls|brothers|sisters)\b"
)
_NAME = re.compile(
    r"(?:^|(?<=[\s\"“(]))(?P<name>(?:(?:[^\W\da-z_][\w.'’-]*|\"[^\"]+\"|“[^”]+”|d[eiua]|del|della|v[ao]n|der|den|la|le|of|bin|ibn|al|y|zu|the),? +)*[^\W\da-z_][\w.'’-]*) *[\[(]?$"
)


def is_person(words: str, *, n_years: float) -> bool:
    """Whether the words before "(1881 – 1950)" end in a person's name, as far as name and length of life tell.

    Example:
        >>> is_person("Elspeth Gaunt (", n_years=67), is_person("The Kolm Uprising (", n_years=0.2)
        (True, False)
    """
    match = _NAME.search(words)
    if match is None or not 12 <= n_years <= 115:
        return False
    name = match["name"]
    return not name.startswith(("The ", "THE ")) and len(name.split()) <= 7 and not _THING.search(name.lower())
