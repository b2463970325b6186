"""Numbers, what they count, and whether a sentence states how much something is."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from qtie.rag.wording.change import CHANGING, changes
from qtie.rag.wording.head_noun import head_noun
from qtie.rag.wording.restated import are_alike
from qtie.rag.wording.sentences import Span
from qtie.rag.wording.words import content_words

__all__ = ["AskedAmount", "numbers"]

_NUMBER = re.compile(
    r"(?<![\w.,-])[$€£]?\d(?:[\d,.]*\d)?(?:[-–]\d{1,3}(?!\d))?"
    r"(?: ?%| ?(?:percent|per cent|million|billion|thousand|hundred|trillion))*"
    r"(?: (?!(?:in|on|at|by|to|of|for|from|with|and|or|as|but|who|which|when|while|after|before|is|was|were|had)\b)"
    r"[^\W\d_]{1,12})?"
)
_WRITTEN = re.compile(r"\b(?:two|three|four|five|six|seven|eight|nine|ten|eleven|twelve) [^\W\d_]{3,}", re.IGNORECASE)
_RATE = re.compile(r" (?:per|an?) [^\W\d_]+")
_STATED = re.compile(
    r"\b(?P<joint>is|are|was|were|(?:amount|come|c[ao]me|stand|stood|r[oi]se|fell)(?:s|ed)? (?:to|at)|reach(?:es|ed)"
    rf"|total(?:s|led)|of|at) (?:about |now |only |around )?(?P<amount>{_NUMBER.pattern})"
)
_SET_TO = re.compile(rf"\b(?:{CHANGING}|sets?)\b[^.;:]{{0,40}}? (?:to|at) {_NUMBER.pattern}", re.IGNORECASE)
_LAST_WORD = re.compile(r"([^\W\d_]+) $")
_ASKS_WHAT = re.compile(r"\W*what(?:['’]s| is| are| was| were)\b", re.IGNORECASE)
_ASKS_MONEY = re.compile(
    r"\bhow much (?:is|are|was|were)\b|\b(?:costs?|prices?|pay|paid|charged?|earn|fee|fare|fine|wage|salary|revenue)\b",
    re.IGNORECASE,
)
_MONEY = re.compile(r"[$€£]|\b(?:euros?|dollars?|pounds?|cents?|pence|francs?|marks?|crowns?|yen)\b", re.IGNORECASE)
_OF_ALL = re.compile(r"\bof (?:the|its|their|these|those|all) $")
_OUT_OF = re.compile(rf" of (?:the|its|their|these|those|all) {_NUMBER.pattern}")
_NO_AMOUNT = re.compile(r"[12]\d{3}|\d\d?(?:[.:]\d\d)? ?[ap]\.?m\b.*", re.IGNORECASE)


def numbers(text: str, dated: Sequence[Span]) -> Iterator[Span]:
    """The numbers of a text with their units, those of dates left out.

    Example:
        >>> text = "The toll is 4 euros a day."
        >>> [text[slice(*span)] for span in numbers(text, [])]
        ['4 euros a day']
    """
    written = (match for match in _WRITTEN.finditer(text))
    for match in sorted((*_NUMBER.finditer(text), *written), key=lambda match: match.start()):
        rate = _RATE.match(text, match.end())
        span = Span(match.start(), rate.end() if rate else match.end())
        if all(span.gap(date) or span.end == date.start for date in dated):
            yield span


@dataclass(frozen=True, slots=True)
class AskedAmount:
    """How much or how many of what a question asks."""

    head: str
    """The stem of the noun that is counted or measured; empty where none is named."""
    is_what: bool
    """Whether it asks what something is, which an amount may answer."""
    is_money: bool

    @classmethod
    def of(cls, question: str) -> "AskedAmount":
        """What that question asks the amount of."""
        return cls(head_noun(question), bool(_ASKS_WHAT.match(question)), bool(_ASKS_MONEY.search(question)))

    def is_stated(self, text: str, sentence: Span) -> bool:
        """Whether a sentence states how much that is of which the question asks what it is.

        Example:
            >>> texts = ["The toll is 4 euros.", "The toll rose from 3 to 4 euros.", "A toll of 4 euros.", "4 gates."]
            >>> texts += ["We cut the toll to 4 euros."]
            >>> asked = AskedAmount.of("What is the toll?")
            >>> [asked.is_stated(text, Span(0, len(text))) for text in texts]
            [True, True, True, False, True]
        """
        if not self.is_what:
            return False
        for match in _STATED.finditer(text, *sentence):
            before = _LAST_WORD.search(text, sentence.start, match.start())
            if match["joint"] not in ("of", "at") or (before and self.head in content_words(before[1])):
                return True
        has_head = self.head in content_words(text[slice(*sentence)])
        is_changed = any(_NUMBER.match(text, change.new.start) for change in changes(text, sentence))
        return has_head and (is_changed or _SET_TO.search(text, *sentence) is not None)

    def fit(self, text: str, span: Span) -> float:
        """1 for a number of what is counted, or of money where that is asked, -1 for a year or an hour; -0.5 for a
        number of something else, else 0.

        Of "14 of the 31 people" the first is counted.

        Example:
            >>> asked, text = AskedAmount.of("How many books were lost?"), "In 1944, 60 of the 72 books burned."
            >>> [asked.fit(text, span) for span in numbers(text, [])]
            [-1.0, 1.0, 0.0]
        """
        number = text[slice(*span)]
        if _NO_AMOUNT.fullmatch(number):
            return -1.0
        if self.is_money:
            return 1.0 if _MONEY.search(number) else 0.0
        if _OF_ALL.search(text, max(0, span.start - 12), span.start):
            return 0.0
        whole = _OUT_OF.match(text, span.end)
        unit = [word for word in content_words(whole[0] if whole else number) if word.isalpha()]
        if self.head in unit:
            return 1.0
        return -0.5 if self.head and unit and not are_alike(self.head, {*unit}) else 0.0
