"""The words of a text that may be an answer of the kind asked for: names, dates, numbers, roles."""

import re
from calendar import day_name, month_abbr, month_name
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import pairwise

from qtie.rag.wording.amounts import numbers
from qtie.rag.wording.answer_kind import AnswerKind
from qtie.rag.wording.durations import quantities
from qtie.rag.wording.roles import roles
from qtie.rag.wording.sentences import Span, sentences
from qtie.rag.wording.words import content_words, is_past, stem
from qtie.stated_dates import StatedDate

__all__ = ["is_numbered", "spans"]

_UPPER = r"[^\W\d_a-zà-öø-ÿ]"
_PART = rf"(?:{_UPPER}[\w'’&.-]*|\d+(?:\.\d+)*(?![\d.]*[-–:]\d))"
_LINK = r"(?:of|the|and|de|del|della|di|da|do|dos|du|von|van|der|den|la|le|el|al|bin|ibn|for|&|y|e|zu)"
_NAME = re.compile(
    rf"(?<![\w’'])(?:{_UPPER}[\w'’&.-]*)(?:(?: ?- ?| ?& ?| )(?:(?:{_LINK} ){{1,2}}{_UPPER}[\w'’&.-]*|{_PART}))*"
)
_OPENERS = (
    "the a an in on at by for from he she it they his her its their this that these those after before during since"
    " when while as and but or also later then there here with under following however although despite i we you no"
    " who what which where"
)
_CALENDAR = frozenset(name.lower() for names in (month_name, month_abbr, day_name) for name in names if name)
_NOT_ALONE = _CALENDAR.union(_OPENERS.split())
_OF_TIME = re.compile(
    r"(?:\b(?:in|on|since|from|by|until|till|of|during|before|after|last|next|this|early|mid|late)|\d\.?) $",
    re.IGNORECASE,
)
_LONE = re.compile(rf"{_UPPER}[a-zß-öø-ÿ]+(?:-[a-zß-öø-ÿ]+)*")
_INNER_LONE = re.compile(rf"(?<=[\w,;] )({_UPPER}[a-zß-öø-ÿ]+)(?!\w)")
_NEXT = re.compile(r" ([a-zß-öø-ÿ][\w'’]*)")
_SMALL = re.compile(r"\b[a-zß-öø-ÿ]{3,}")
_ADJECTIVE = re.compile(rf"{_UPPER}[a-z]+(?:ish|[ie]an|ese)|French|Dutch|Greek|Swiss|Czech|Thai|Welsh")
_ABSTRACT = re.compile(r"(?:tion|sion|ment|ness|ship)s?$")
_FOLLOWING = "and or who may can could will would should might must then also later never"
_UNCHANGED = "beat hit cut put set shut quit win lose"
_AFTER_NAME = frozenset(f"{_FOLLOWING} {_UNCHANGED}".split())


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
        for span in numbers(text, dated):
            if known.isdisjoint(word for word in content_words(text[slice(*span)]) if word[0].isdigit()):
                yield span
    elif kind == "duration":
        yield from quantities(text)
        yield from (Span(stated.start, stated.end) for stated in dates if stated.range)
    elif kind == "role":
        for span in roles(text):
            if not set(content_words(text[slice(*span)])) <= known:
                yield span
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
    while words and text[slice(*words[0])].lower().rstrip(".'’") in _NOT_ALONE and not _is_forename(text, words):
        del words[0]
    while words and not re.match(rf"{_UPPER}|\d", text[words[-1].start :]):
        del words[-1]
    if not words or re.fullmatch(r"\d+", text[words[0].start : words[-1].end]):
        return
    yield Span(words[0].start, words[0].start + len(text[words[0].start : words[-1].end].rstrip(".,'’&-")))


def _is_forename(text: str, words: Sequence[Span]) -> bool:
    """Whether the first word, such as April, is one of a month or day, but stands before a name and after no "in"."""
    is_followed = len(words) > 1 and re.match(_UPPER, text[words[1].start :]) is not None
    is_month = text[slice(*words[0])].lower().rstrip(".") in _CALENDAR
    return is_month and is_followed and not _OF_TIME.search(text, max(0, words[0].start - 8), words[0].start)


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
    """Whether a single word has its capital from beginning a sentence or heading alone: "Office staff", "Parents get";
    or is the adjective of a country: "the Swedish group".

    What begins a sentence and is a name is followed by a verb, a pause or another name, or stands elsewhere with its
    capital, and nowhere without.
    """
    word = text[slice(*name)]
    if _ADJECTIVE.fullmatch(word) and (noun := _NEXT.match(text, name.end, sentence.end)):
        return not _is_verb(noun[1])
    if not _LONE.fullmatch(word) or re.search(r"\w", text[sentence.start : name.start]):
        return False
    if "-" in word or stem(word) in _small_stems(text):
        return True
    if word in _inner_capitals(text):
        return False
    following = _NEXT.match(text, name.end, sentence.end)
    return (following is not None and not _is_verb(following[1])) or bool(_ABSTRACT.search(word))


@lru_cache(maxsize=8)
def _small_stems(text: str) -> frozenset[str]:
    """The stems of a text's words without a capital; each of its names asks for them."""
    return frozenset(map(stem, _SMALL.findall(text)))


@lru_cache(maxsize=8)
def _inner_capitals(text: str) -> frozenset[str]:
    """The words of a text that have a capital and begin no sentence."""
    return frozenset(_INNER_LONE.findall(text))


def _is_verb(word: str) -> bool:
    """Whether a word after a name may be what it does; chess is none."""
    return word in _AFTER_NAME or (word.endswith("s") and not word.endswith("ss")) or is_past(word)
