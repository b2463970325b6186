"""Whether a text uses a number such as 1950 as a year: "in 1950", not "room 1950" or "1950 patients"."""

import re

from qtie.intent import IntentOptions
from qtie.tie.cascade import MASK, Context, Skeleton, run_stage
from qtie.tie.en.masks import MASKS

__all__ = ["follows_label", "used_as_year"]

_NUMBER_LABEL = re.compile(
    r"(?:\b(?:nos?|nr|number(?:s|ed)?|items?|articles?|art|lines?|room|lots?|pages?|pp?|vol|volume|model|codes?|version"
    r"|order|route|ref|section|extension|ext|sizes?|plot|road|flat|unit|box|case|form|plant|building|error|track|channel"
    r"|bus|flight|rows?|plates?|figures?|fig|table|id|n|isbn|serial|patent)\b\.?|[=<>#×x*+])[ ]*(?:\.|:)? *$"
)
_BEFORE_YEAR = re.compile(
    r"(?:\b(?:in|since|until|till|from|during|by|before|after|between|circa|through|throughout|of|to|the|early|mid|late"
    r"|year|season|vintage|spring|summer|autumn|winter|founded|established|est|estd|built|opened|closed|completed"
    r"|created|released|published|launched|born|died|b|d|copyright|copr|made|issued|expire[sd]|effective|repealed"
    r"|dated|awarded|class of|ed|edition|revised|harvest(?:ed)?|bottled|produced|(?<=\()m)\b\.?|©|\(c\)"
    r"|\(\d+\) ?[:,] ?[\d\u2013-]+,|\b(?:born|died)\b[^\d;.()\n]{1,30},)"
    r"[ ,:]*(?:the |the year |year )?$"
)
_AFTER_YEAR = re.compile(
    r" *(?:$|[.,;:!?)\]\n\"'—–|-]|(?:and|or|to|he|she|it|they|we|i|the|an?|by|at|in|on|with|for|when|where|which|who|as"
    r"|was|were|is|his|her|their|its|this|that|until|but|after|before|from|of|onwards?|because|while|following|under"
    r"|has|had|edition|season)\b)"
)
_SET_OFF_AFTER = re.compile(r"[ \t]*(?:[:|,\n\t]|$|(?:--|[-\u2010-\u2015])[ \t]|  )")
_LINE_START = re.compile(r"(?:^|\n)[ \t*•|>-]*$")
_ONE_WORD = re.compile(r"(?:^|\n)[ \t*•-]*[^\W\d_]{4,} $")  # "Budget 2021: draft accepted"
_SUBJECT = re.compile(r"(?:^|\n)[ \t]*(?:subject|title|re)[ \t]*:[^\n]*$")
_LINE_END = re.compile(r"[ \t.*|,;)]*(?:\n|$)")


def follows_label(text: str, start: int) -> bool:
    """Whether the number at `start` of a text in lower case is one of a thing: "no. 1950", "pages 1950".

    Example:
        >>> follows_label("item 1950", 5), follows_label("in 1950", 3)
        (True, False)
    """
    return _NUMBER_LABEL.search(text[max(0, start - 40) : start]) is not None


def used_as_year(text: str, start: int, end: int, *, in_title: bool = False, n_units: int = 1) -> bool:
    """Whether the words around the characters from `start` to before `end` use them as a year or several.

    Args:
        text: in lower case.
        start: the first character of the number, or of the first of several that are joined.
        end: one after the last.
        in_title: it stands in a title, where no preposition is needed.
        n_units: how many numbers are joined; a range set off by layout is surer than a lone number.

    Example:
        >>> used_as_year("he left in 1950.", 11, 15), used_as_year("he counted 1950 coins", 11, 15)
        (True, False)
    """
    before, after = text[max(0, start - 60) : start], text[end : end + 24]
    in_brackets = before.endswith("(") and after.startswith((")", ",", ";"))
    said = _BEFORE_YEAR.search(before[-40:]) is not None
    goes_on = _AFTER_YEAR.match(after) is not None
    if in_brackets or (said and goes_on) or _heads_line(before, after, n_units=n_units):
        return True
    in_title = in_title and (goes_on or _LINE_START.search(before) is not None)
    set_off = before.endswith("  ") or before.rstrip(" ").endswith((",", ":", "|", "\t", "\u2013", "\u2014", "·"))
    if n_units > 1 and set_off:
        return _LINE_END.match(after) is not None or after[:1] in ".,;)"
    if not (said or in_title or (set_off and _LINE_END.match(after))):
        return False
    words = before[-28:].rpartition("\n")[2]
    return not _is_masked(words + text[start:end] + after.partition("\n")[0], len(words))


def _heads_line(before: str, after: str, *, n_units: int) -> bool:
    """ "2015: Gold medal", "Budget 2021: draft", "Subject: Tour 2009"."""
    if _SUBJECT.search(before) and _LINE_END.match(after):
        return True
    if _ONE_WORD.search(before) and after.startswith(":"):
        return True
    return _LINE_START.search(before) is not None and (n_units > 1 or _SET_OFF_AFTER.match(after) is not None)


def _is_masked(words: str, at: int) -> bool:
    """Whether the grammar knows that number for something else, such as "Windows 2000" or "2000 metres"."""
    skeleton = Skeleton(words, Context(None, IntentOptions()))
    run_stage(skeleton, MASKS, once=True)
    origins = zip(skeleton.text, skeleton.origins, strict=True)
    return any(first <= at < last for char, (first, last) in origins if char == MASK)
