"""What kind of thing a question asks for: a name, a role, a date, a number, a duration, or text."""

import re
from typing import Literal

__all__ = ["AnswerKind", "answer_kind", "asks_whether", "asks_who", "is_question"]

AnswerKind = Literal["name", "role", "date", "number", "duration", "text"]

_DATED = r"(?:day|date|year|month|decade|century)s?\b"
_HAPPENING = r"(?:birth|death|release|publication|founding|foundation|opening|marriage|wedding|launch|issue)"
_NUMBERED = (
    r"(?:number|percentage|share|population|price|rate|amount|score|height|length|distance|age|size|temperature"
    r"|(?:zip|post|postal|area|phone|dialing) ?code)\b"
)
_ROLE = r"(?:position|post|office|title|job|role|rank|occupation|profession|function)s?\b"
_OF = r"(?: is| was|['’]s)?(?: the)?"
_KINDS: tuple[tuple[AnswerKind, str], ...] = (
    ("date", rf"when\b|(?:what|which){_OF} (?:exact )?{_DATED}"),
    ("duration", r"(?:for )?how long\b"),
    (
        "number",
        rf"how (?:many|much|old|tall|high|far|big|large|fast|deep)\b|what{_OF} {_NUMBERED}"
        r"|what (?:do|does|did)\b.*\b(?:cost|weigh|measure|earn)\b",
    ),
    (
        "text",
        r"(?:what|which) (?:colou?r|material|shape|gauge|flavou?r|ingredient|substance|metal|fabric)s?\b"
        r"|what (?:is|are|was|were)\b.*\b(?:made|built|composed|constructed|formed|woven|carved) (?:of|from|out of)\b"
        r"|what (?:do|does|did)\b.*\b(?:do|mean|say|eat|wear|contain|consist of|look like)\W*$",
    ),
    ("role", rf"(?:what|which){_OF} (?:[\w'’]+ ){{0,2}}?{_ROLE}"),
    ("name", r"(?:who|whom|whose|where|which|what)\b"),
)
_PATTERNS = [(kind, re.compile(pattern, re.IGNORECASE)) for kind, pattern in _KINDS]
_DATE_OF = re.compile(
    rf"(?:what{_OF} )?(?:[\w.'’-]+ ){{0,4}}?(?:(?:date|day|year)s? of {_HAPPENING}|{_HAPPENING} ?(?:date|day|year))\b",
    re.IGNORECASE,
)
_OPENING = re.compile(r"(?:(?:in|on|since|from|until|till|by|of|at|for|to|with|and|so) )?", re.IGNORECASE)
_OTHER = re.compile(r"(?:why|how|is|are|was|were|do|does|did|has|have|had|will|should)\b", re.IGNORECASE)
_REQUEST = re.compile(r"(?:(?:can|could|would) you |please )*(?:name|identify|list)\b", re.IGNORECASE)
_INNER = re.compile(r"\b(?:who|whom|whose|where|which|what)\b|\btell me (?=when)", re.IGNORECASE)


def answer_kind(question: str) -> AnswerKind:
    """What a question asks for; text where it is no question for a name, a role, a date or a number.

    Its word for that may stand inside ("the square was named after whom"), unless it opens as another question.

    Example:
        >>> [answer_kind(text) for text in ("Who led it?", "In which year was it?", "how many came", "why did it fail")]
        ['name', 'date', 'number', 'text']
        >>> [answer_kind(text) for text in ("It was led by whom?", "What post did she hold?", "Ada's date of birth")]
        ['name', 'role', 'date']
        >>> [answer_kind(text) for text in ("What is the mill built of?", "What colour is it?", "What did they eat?")]
        ['text', 'text', 'text']
    """
    stripped = question.strip()
    if _DATE_OF.match(stripped):
        return "date"
    starts = [opening.end()] if (opening := _OPENING.match(stripped)) else []
    if not _OTHER.match(stripped):
        starts += [inner.end() if inner[0].endswith(" ") else inner.start() for inner in _INNER.finditer(stripped)][:1]
    for start in (0, *starts):
        for kind, pattern in _PATTERNS:
            if pattern.match(stripped, start):
                return kind
    return "name" if _REQUEST.match(stripped) else "text"


def is_question(text: str) -> bool:
    """Whether a text is worded as a question, and no keywords.

    Example:
        >>> is_question("Did the bridge close?"), is_question("bridge closes")
        (True, False)
    """
    return _OTHER.match(text.strip()) is not None or text.rstrip().endswith("?")


def asks_whether(question: str) -> bool:
    """Whether yes or no is asked, of what is or was so.

    Example:
        >>> asks_whether("Was the pool open in 2010?"), asks_whether("Who was mayor?")
        (True, False)
    """
    return re.match(r"\W*(?:is|are|was|were)\b", question, re.IGNORECASE) is not None


def asks_who(question: str) -> bool:
    """Whether a question asks for a person or whoever acts.

    Example:
        >>> asks_who("Who won?"), asks_who("It was led by whom?"), asks_who("Which team won?")
        (True, True, False)
    """
    word = re.search(r"\b(?:who(?:m|se)?|which|what|when|where|why|how)\b", question, re.IGNORECASE)
    return word is not None and word[0].lower().startswith("who")
