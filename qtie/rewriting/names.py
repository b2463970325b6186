"""Names of events in one spelling: articles dropped, numerals in digits, and the wordings that a name stands for.

"the XXIII Olympic Winter Games", "the 23rd Olympic Winter Games" and "the Twenty-Third Olympic Winter Games" are the
same words here; "fall of the Berlin Wall" also is "the Berlin Wall fell".
"""

import re
import unicodedata
from collections.abc import Iterable, Iterator
from functools import lru_cache
from itertools import chain
from typing import Literal, NamedTuple

__all__ = ["Part", "Token", "name_key", "phrasings", "tenure_keys", "tokens_of"]

Part = Literal["whole", "start", "end"]
"""Which days of an event are meant: all of them, its first or its last."""
Key = tuple[str, ...]


class Token(NamedTuple):
    """A word in its one spelling, and the characters it was read from."""

    word: str
    start: int
    end: int


_WORD = re.compile(r"[^\W_]+(?:\.(?=[^\W\d_]\.?(?:\W|$))[^\W\d_])*|&")
_POSSESSIVE = re.compile(r"['’]s?(?!\w)|['’](?=s\b)")
_ARTICLES = ("the", "a", "an")
_CARDINALS = (
    *("one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve", "thirteen"),
    *("fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen"),
)
_ORDINALS = (
    *("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth", "eleventh"),
    *("twelfth", "thirteenth", "fourteenth", "fifteenth", "sixteenth", "seventeenth", "eighteenth", "nineteenth"),
)
_TENS = {"twenty": 20, "thirty": 30, "forty": 40, "fifty": 50}
_TENTHS = {"twentieth": 20, "thirtieth": 30, "fortieth": 40, "fiftieth": 50, "sixtieth": 60}
_NUMBERS = {word: n for words in (_CARDINALS, _ORDINALS) for n, word in enumerate(words, start=1)} | _TENS | _TENTHS
_ROMAN = re.compile(r"(?=[ivxl])(xl|l?x{0,3})(ix|iv|v?i{0,3})")
_ROMAN_VALUES = {"i": 1, "v": 5, "x": 10, "l": 50}
_SPELLINGS = {"wwi": "ww1", "wwii": "ww2", "usa": "us", "&": "and"}


def tokens_of(text: str) -> list[Token]:
    """The words of a text in one spelling: lower case, no accents, articles or possessive endings, numerals as digits.

    Example:
        >>> [token.word for token in tokens_of("the Twenty-Third Winter Olympics, Henry VIII's reign")]
        ['23', 'winter', 'olympics', 'henry', '8', 'reign']
    """
    found: list[Token] = []
    at = 0
    while match := _WORD.search(text, at):
        at = match.end()
        if ending := _POSSESSIVE.match(text, at):
            at = ending.end() + (1 if text[ending.end() : ending.end() + 1] == "s" and ending[0] in "'’" else 0)
        word = _spelled(match[0])
        if word in _ARTICLES:
            continue
        tens = found[-1] if found else None
        if tens and text[tens.start : tens.end].lower() in _TENS and len(word) == 1 and word.isdigit():
            found[-1] = Token(str(int(tens.word) + int(word)), tens.start, match.end())
        else:
            found.append(Token(word, match.start(), match.end()))
    return found


def name_key(name: str) -> Key:
    """The words of a name as they are compared."""
    return tuple(token.word for token in tokens_of(name))


@lru_cache(maxsize=20_000)
def _spelled(word: str) -> str:
    folded = unicodedata.normalize("NFKD", word.lower())
    return _numeral("".join(char for char in folded if not unicodedata.combining(char) and char != "."))


def _numeral(word: str) -> str:
    """A word of a number as its digits, any other word in its usual spelling."""
    if word in _NUMBERS:
        return str(_NUMBERS[word])
    if ordinal := re.fullmatch(r"(\d+)(?:st|nd|rd|th)", word):
        return ordinal[1]
    if _ROMAN.fullmatch(word):
        values = [_ROMAN_VALUES[letter] for letter in word]
        return str(sum(-v if v < max(values[n:]) else v for n, v in enumerate(values)))
    return _SPELLINGS.get(word, word)


_VERBS: dict[str, tuple[str, ...]] = {
    "fall": ("fell", "came down", "was toppled"),
    "death": ("died", "passed away", "was dead"),
    "assassination": ("was assassinated", "was killed", "was shot", "was murdered"),
    "murder": ("was murdered", "was killed"),
    "killing": ("was killed",),
    "execution": ("was executed",),
    "launch": ("launched", "was launched", "started"),
    "release": ("was released", "came out", "launched"),
    "introduction": ("was introduced", "came in"),
    "founding": ("was founded", "was established", "was created"),
    "opening": ("opened", "was opened"),
    "sinking": ("sank", "was sunk"),
    "signing": ("was signed",),
    "adoption": ("was adopted",),
    "discovery": ("was discovered",),
    "abdication": ("abdicated",),
    "resignation": ("resigned",),
    "coronation": ("was crowned",),
    "collapse": ("collapsed",),
    "dissolution": ("was dissolved", "collapsed", "broke up", "ended"),
    "partition": ("was partitioned",),
    "independence": ("became independent", "gained independence"),
    "invasion": ("was invaded",),
    "annexation": ("was annexed",),
    "liberation": ("was liberated",),
    "bombing": ("was bombed",),
    "building": ("was built",),
    "storming": ("was stormed",),
    "birth": ("was born",),
    "handover": ("was handed over",),
    "eruption": ("erupted",),
    "crash": ("crashed",),
}


def phrasings(name: str) -> Iterator[str]:
    """The name, and for "fall of X" also "X fall" (which "X's fall" is too) and "X fell".

    Example:
        >>> list(phrasings("death of Stalin"))
        ['death of Stalin', 'Stalin death', 'Stalin died', 'Stalin passed away', 'Stalin was dead']
    """
    yield name
    noun, of, what = name.partition(" of ")
    if of and noun.lower() in _VERBS:
        yield f"{what} {noun}"
        yield from (f"{what} {verb}" for verb in _VERBS[noun.lower()])


_TENURES: dict[str, tuple[str, ...]] = {
    "president": ("presidency",),
    "prime minister": ("premiership", "prime ministership"),
    "chancellor": ("chancellorship",),
    "pope": ("papacy", "pontificate"),
    "secretary general": ("secretary generalship",),
    "leader": ("rule", "leadership"),
    **dict.fromkeys(("king", "queen", "emperor", "empress", "tsar", "kaiser", "monarch"), ("reign", "rule")),
}
_PATTERNS: dict[Part, tuple[str, ...]] = {
    "whole": ("P was in office", "P was in power", "P NOUN", "NOUN of P", "P term", "P tenure", "P years", "P era",
              "P administration", "P government", "P time in office", "under P", "P was KIND", "P was on throne",
              "P reigned", "P ruled", "P term as KIND", "P time as KIND",
              "time of P", "times of P", "days of P", "age of P"),
    "start": ("P became KIND", "P took office", "P came to power", "P took power", "P was inaugurated",
              "P inauguration", "inauguration of P", "P accession", "accession of P", "P came to throne",
              "P took over as KIND", "P was sworn in"),
    "end": ("P left office", "P stepped down", "P left power"),
}  # fmt: skip


def tenure_keys(people: Iterable[str], kinds: Iterable[str]) -> Iterator[tuple[Key, Part]]:
    """How people speak of the time that someone held an office, and of its first and last day.

    Args:
        people: names of one person.
        kinds: what the person was, such as "US president".

    Example:
        >>> spoken = dict(tenure_keys(["Obama"], ["US president"]))
        >>> spoken[name_key("the presidency of Obama")], spoken[name_key("President Obama left office")]
        ('whole', 'end')
    """
    offices = [name_key(kind) for kind in kinds]
    titles = [name_key(title) for title in _TENURES if any(_holds(office, name_key(title)) for office in offices)]
    nouns = [name_key(noun) for noun in dict.fromkeys(n for title in titles for n in _TENURES[" ".join(title)])]
    fillings = {"KIND": [*offices, *titles], "NOUN": nouns}
    for person in map(name_key, people):
        for named in (person, *((*title, *person) for title in titles)):
            for part, pattern in _WORDED_PATTERNS:
                slot = next((word for word in pattern if word in fillings), None)
                for filling in fillings[slot] if slot else [()]:
                    yield tuple(chain(*(named if w == "P" else filling if w == slot else (w,) for w in pattern))), part


_WORDED_PATTERNS = [(part, pattern.split()) for part, listed in _PATTERNS.items() for pattern in listed]


def _holds(words: Key, part: Key) -> bool:
    return any(words[at : at + len(part)] == part for at in range(len(words)))
