"""The query without the words that state its time, put right as a sentence."""

import re

__all__ = ["semantic_query"]

_HOLE = "\uf000"
_JOIN = r"(?:and|or|but|to|versus|vs\.?|with|nor|as well as|&|/|-|,|;)"
_VERB = (
    r"(?:started|starting|starts|begun|began|beginning|begins|ended|ending|ends|finished|concluded|expired"
    r"|took office|left office|stepped down)"
)
_TERM = r"(?:(?:their|his|her|the|its) )?(?:term|tenure|reign|mandate|rule|time in office|contract|validity)s?"
_RELATIVE = (
    rf"(?<=\w)\s+(?:(?:whose|with a|with) {_TERM}|who|that|which)\s+{_VERB}(?: {_TERM})?"
    rf"(?:\s*{_HOLE}\s*(?:and|but) {_VERB}(?: it| {_TERM})?)?\s*(?:{_HOLE}\s*)+(?=[?.!]*\s*$)"
)
_FACET = r"(?:born|died|published|released|issued)"
_SUBJECT = r"(?:who|what|that|which|it|he|she|they|we|i|was|were|is|are|be|been|has|have|had|being|get|got|first)"
_REPAIRS = [
    (re.compile(rf"{_HOLE}(?:\s*{_JOIN}?\s*{_JOIN}?\s*{_HOLE})+"), _HOLE),
    (re.compile(rf"[(\[]\s*{_HOLE}\s*[)\]]"), _HOLE),
    (re.compile(rf"^\s*{_HOLE}\s*[,:;-]\s*"), _HOLE),
    (re.compile(rf"\s*,\s*{_HOLE}\s*,\s*"), f" {_HOLE} "),
    (re.compile(rf"\s*[,;:–-]?\s*{_HOLE}\s*(?=[?.!]*\s*$)"), _HOLE),
    (
        re.compile(
            r"(?i)(?:\s+(?:in|on|at|of|for|from|during|by|the|and|or|but|since|between|to|only|dated"
            rf"|(?<!over )(?<!on )year))+\s*{_HOLE}(?=\s*[?.!]*\s*$)"
        ),
        _HOLE,
    ),
    (re.compile(rf"(?i){_RELATIVE}"), _HOLE),
    (
        re.compile(rf"(?i)\s+(?:(?:was|were|is|are)\s+)?{_FACET}\s*{_HOLE}\s*(?:and|but)\s+(?:(?:who|that)\s+)?(?=\w)"),
        " ",
    ),
    (re.compile(rf"(?i)(?<=\w)\s+(?:who|that|which)\s+(?:(?:was|were|is|are)\s+)?{_FACET}\s*{_HOLE}"), _HOLE),
    (re.compile(rf"(?i)(?P<noun>\b(?!{_SUBJECT}\b)\w+)\s+{_FACET}\s*{_HOLE}"), rf"\g<noun>{_HOLE}"),
    (re.compile(rf"(?i)^\s*{_HOLE}\s*(?:and|or|but|of|,|'s)\s+"), _HOLE),
    (re.compile(_HOLE), " "),
    (re.compile(r"\s+([?.!,;:])"), r"\1"),
    (re.compile(r"\(\s*\)|\[\s*\]"), " "),
    (re.compile(r"[,;:]+(?=[?.!]|\s*$)"), ""),
    (re.compile(r"\s+"), " "),
]


def semantic_query(query: str, removed: list[tuple[int, int]]) -> str:
    """`query` without the characters of the spans `removed`; the query itself where no word would be left.

    Example:
        >>> semantic_query("Who led it, in 2010 or 2014, and why?", [(12, 19), (23, 27)])
        'Who led it and why?'
    """
    text, at = "", 0
    for start, end in sorted(removed):
        if start >= at:
            text += query[at:start] + _HOLE
        at = max(at, end)
    text += query[at:]
    for pattern, replacement in _REPAIRS:
        text = pattern.sub(replacement, text)
    text = text.strip(" ,;:-")
    return text if re.search(r"\w", text) else query
