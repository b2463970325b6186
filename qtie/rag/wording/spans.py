"""What kind of thing a question asks for, and the words of a text that may be one: names, dates, numbers."""

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Literal, NamedTuple

from qtie.rag.wording.words import content_words, is_past, stem
from qtie.stated_dates import StatedDate

__all__ = [
    "AnswerKind",
    "Span",
    "answer_kind",
    "asks_who",
    "is_numbered",
    "is_role",
    "sentences",
    "spans",
    "stated_amount",
]

AnswerKind = Literal["name", "role", "date", "number", "text"]


class Span(NamedTuple):
    """Characters of a text: first, and one after the last."""

    start: int
    end: int

    def gap(self, other: "Span") -> int:
        """Characters between the two, 0 where they touch."""
        return max(0, other.start - self.end, self.start - other.end)


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
    (
        "number",
        rf"how (?:many|much|old|long|tall|high|far|big|large|fast|deep)\b|what{_OF} {_NUMBERED}"
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


def asks_who(question: str) -> bool:
    """Whether a question asks for a person or whoever acts.

    Example:
        >>> asks_who("Who won?"), asks_who("It was led by whom?"), asks_who("Which team won?")
        (True, True, False)
    """
    word = re.search(r"\b(?:who(?:m|se)?|which|what|when|where|why|how)\b", question, re.IGNORECASE)
    return word is not None and word[0].lower().startswith("who")


_TITLES = "Dr Mr Mrs Ms Prof St Jr Sr Gen Col Lt Capt Sgt Sen Rep Gov Rev Hon"
_NO_TITLE = "".join(rf"(?<!\b{title})" for title in _TITLES.split())
_SENTENCE_END = re.compile(rf"(?:(?<!\b[^\W\d_]){_NO_TITLE}[.!?][\"”')\]]*\s+(?=[\"“'(\[]?[^\W\da-z_]|\d)| [.!?] |\n+)")


def sentences(text: str) -> list[Span]:
    """The sentences and lines of a text, without the blanks around them; a point after an initial or a title ends none.

    Example:
        >>> text = "Elke Brandt\\nShe followed Dr. J. Weber. Later she left."
        >>> [text[slice(*span)] for span in sentences(text)]
        ['Elke Brandt', 'She followed Dr. J. Weber.', 'Later she left.']
    """
    found, start = [], 0
    for end in [*(match.end() for match in _SENTENCE_END.finditer(text)), len(text)]:
        sentence = text[start:end]
        if sentence.strip():
            lead = len(sentence) - len(sentence.lstrip())
            found.append(Span(start + lead, start + len(sentence.rstrip())))
        start = end
    return found


_UPPER = r"[^\W\d_a-zà-öø-ÿ]"
_PART = rf"(?:{_UPPER}[\w'’&.-]*|\d+(?:\.\d+)*)"
_LINK = r"(?:of|the|and|de|del|della|di|da|do|dos|du|von|van|der|den|la|le|el|al|bin|ibn|for|&|y|e|zu)"
_NAME = re.compile(rf"(?<![\w’'])(?:{_UPPER}[\w'’&.-]*)(?:(?: ?- ?| ?& ?| )(?:(?:{_LINK} ){{0,2}}){_PART})*")
_OPENERS = (
    "the a an in on at by for from he she it they his her its their this that these those after before during since"
    " when while as and but or also later then there here with under following however although despite i we you no"
    " jan feb mar apr may jun jul aug sep oct nov dec january february march april june july august september october"
    " november december monday tuesday wednesday thursday friday saturday sunday who what which where"
)
_NOT_ALONE = frozenset(_OPENERS.split())
_NUMBER = re.compile(
    r"(?<![\w.,-])[$€£]?\d(?:[\d,.]*\d)?(?:[-–]\d{1,3}(?!\d))?"
    r"(?: ?%| ?(?:percent|per cent|million|billion|thousand|hundred|trillion))*"
    r"(?: (?!(?:in|on|at|by|to|of|for|from|with|and|or|as|but|who|which|when|while|after|before|is|was|were|had)\b)"
    r"[^\W\d_]{1,12})?"
)

_UNIT = r"(?: (?:per|an?|the) [^\W\d_]+)?"
_AMOUNT = re.compile(
    rf"\b(?:is|are|was|were|(?:amount|come)(?:s|ed)? to) (?:about |now )?(?P<amount>{_NUMBER.pattern}{_UNIT})"
)
_ASKS_WHAT = re.compile(r"\W*what(?:['’]s| is| are| was| were)\b", re.IGNORECASE)


def stated_amount(question: str, sentence: str) -> str:
    """How much a sentence says that something is, where the question asks what it is; else empty.

    Example:
        >>> stated_amount("What is the toll?", "The toll is 4 euros a day."), stated_amount("Who?", "It is 4 euros.")
        ('4 euros a day', '')
    """
    found = _AMOUNT.search(sentence) if _ASKS_WHAT.match(question) else None
    return found["amount"] if found else ""


_HEADS = (
    "president premier chancellor minister secretary director professor lecturer chair(?:man|woman|person)? head"
    " chief manager coach captain mayor governor senator ambassador consul commissioner commander officer general"
    " colonel major lieutenant admiral sergeant judge justice attorney advocate lawyer solicitor counsel"
    " magistrate rector dean provost principal editor publisher writer author poet novelist journalist reporter"
    " columnist critic composer conductor singer songwriter guitarist drummer bassist pianist violinist actor"
    " actress producer presenter host architect engineer physician doctor surgeon nurse chemist physicist"
    " biologist historian economist mathematician astronomer philosopher theologian teacher tutor instructor"
    " fellow assistant associate clerk treasurer deputy delegate member representative councill?or speaker whip"
    " leader founder owner partner executive ceo cfo cto king queen emperor empress prince princess duke duchess"
    " count earl baron lord bishop archbishop cardinal pope priest vicar curate chaplain abbot deacon pastor"
    " curator librarian archivist keeper inspector superintendent registrar agent envoy legate viceroy sheriff"
    " marshal champion grandmaster knight player striker midfielder defender goalkeeper forward trainer scout"
    " researcher scientist analyst consultant adviser advisor banker merchant farmer soldier pilot"
)
_HEAD = rf"(?:[\w-]*-)?(?:{'|'.join(_HEADS.split())})s?"
_NO_PART = r"a|an|the|his|her|its|their|he|she|it|as|was|is|were|became|by|and|of|in|to|then|while|with|for|who|made"
_ROLE_NAME = re.compile(
    rf"(?i:\b(?:(?!(?:{_NO_PART})\b)[^\W\d_][\w'’-]* ){{0,3}}?{_HEAD}\b)"
    rf"(?: (?:of|for|at|in)(?: the)?(?: {_UPPER}[\w'’&.-]*)+(?: (?:of|and|for)(?: the)?(?: {_UPPER}[\w'’&.-]*)+)*)?"
)


_LONE = re.compile(rf"{_UPPER}[a-zß-öø-ÿ]+(?:-[a-zß-öø-ÿ]+)*")
_NEXT = re.compile(r" ([a-zß-öø-ÿ][\w'’]*)")
_SMALL = re.compile(r"\b[a-zß-öø-ÿ]{3,}")
_ABSTRACT = re.compile(r"(?:tion|sion|ment|ness|ship)s?$")
_FOLLOWING = "and or who may can could will would should might must then also later never"
_AFTER_NAME = frozenset(_FOLLOWING.split())


def is_role(word: str) -> bool:
    """Whether a word is that of a role or post.

    Example:
        >>> is_role("President"), is_role("Lyon")
        (True, False)
    """
    return re.fullmatch(_HEAD, word, re.IGNORECASE) is not None


def spans(
    kind: AnswerKind,
    text: str,
    *,
    dates: Sequence[StatedDate],
    known: frozenset[str],
    counted: frozenset[str] = frozenset(),
) -> Iterator[Span]:
    """The words of a text that may be an answer of that kind, in order.

    Args:
        kind: what is asked for; none has the kind text.
        text: the passage.
        dates: those that it states.
        known: the question's content words; a name or number made of nothing else is no answer.
        counted: those of them that ask for a thing by its number ("which Debian"); with another number they are one.

    Example:
        >>> text = "Later the Duke of Ulm joined Red Star Belgrade."
        >>> known = frozenset(content_words("duke of ulm"))
        >>> [text[slice(*span)] for span in spans("name", text, dates=[], known=known)]
        ['Red Star Belgrade']
    """
    dated = [Span(stated.start, stated.end) for stated in dates]
    if kind == "date":
        yield from dated
    elif kind == "number":
        for match in _NUMBER.finditer(text):
            span = Span(*match.span())
            is_asked = not known.isdisjoint(word for word in content_words(match[0]) if word[0].isdigit())
            if not is_asked and all(span.gap(other) or span.end == other.start for other in dated):
                yield span
    elif kind == "role":
        for match in (found for sentence in sentences(text) for found in _ROLE_NAME.finditer(text, *sentence)):
            if not set(content_words(match[0])) <= known:
                yield Span(*match.span())
    elif kind == "name":
        found = ((sentence, match) for sentence in sentences(text) for match in _NAME.finditer(text, *sentence))
        for sentence, match in found:
            for start, end in _without(Span(*match.span()), dated):
                for name in _names(text, start, end):
                    if _is_new(text[slice(*name)], known, counted) and not _only_begins(text, sentence, name):
                        yield name


def _without(span: Span, dated: Sequence[Span]) -> Iterator[Span]:
    """What is left of a span before, between and after dates."""
    start = span.start
    for date in dated:
        if date.start < span.end and start < date.end:
            yield Span(start, max(start, date.start))
            start = date.end
    yield Span(start, max(start, span.end))


def _names(text: str, start: int, end: int) -> Iterator[Span]:
    """The name in a span, without words that only begin a sentence."""
    words = [Span(start + match.start(), start + match.end()) for match in re.finditer(r"\S+", text[start:end])]
    while words and text[slice(*words[0])].lower().rstrip(".'’") in _NOT_ALONE:
        del words[0]
    while words and not re.match(rf"{_UPPER}|\d", text[words[-1].start :]):
        del words[-1]
    if not words or re.fullmatch(r"\d+", text[words[0].start : words[-1].end]):
        return
    yield Span(words[0].start, words[0].start + len(text[words[0].start : words[-1].end].rstrip(".,'’&-")))


def _is_new(name: str, known: frozenset[str], counted: frozenset[str]) -> bool:
    """Whether a name says more than the question does; its number alone does so where it is asked for."""
    return is_numbered(name, known, counted) or bool(
        {word for word in content_words(name) if not word[0].isdigit()} - known
    )


def is_numbered(name: str, known: frozenset[str], counted: frozenset[str]) -> bool:
    """Whether a name has one of those words, and after it a number that the question has not.

    Example:
        >>> is_numbered("Java 11", frozenset(["java"]), frozenset(["java"]))
        True
    """
    words = content_words(name)
    return any(word in counted and number[0].isdigit() and number not in known for word, number in pairwise(words))


def _only_begins(text: str, sentence: Span, name: Span) -> bool:
    """Whether a single word has its capital from beginning a sentence or heading alone: "Office staff", "Parents get".

    What begins a sentence and is a name is followed by a verb, a pause or another name, or stands elsewhere with its
    capital, and nowhere without.
    """
    word = text[slice(*name)]
    if not _LONE.fullmatch(word) or re.search(r"\w", text[sentence.start : name.start]):
        return False
    if "-" in word or stem(word) in map(stem, _SMALL.findall(text)):
        return True
    if re.search(rf"(?<=[\w,;] ){re.escape(word)}(?!\w)", text):
        return False
    following = _NEXT.match(text, name.end, sentence.end)
    is_stated = following is None or following[1] in _AFTER_NAME or following[1].endswith("s") or is_past(following[1])
    return not is_stated or bool(_ABSTRACT.search(word))
