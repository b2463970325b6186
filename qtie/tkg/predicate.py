"""Which predicate facts are read from, beside the one that the question's words mean."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["PredicateReading"]

_LIKE = 0.33
"""A predicate that fits the words less is not like them."""
_SURE = 0.65
"""One that fits them this well is meant."""
_SAID = 0.8
"""One that fits them this well is said, and another that fits by `_WORSE` less is not."""
_WORSE = 0.25
_LIGHT = re.compile(
    r"(?i)\b(?:a|an|and|as|at|by|current|first|for|from|her|his|in|its|last|of|on|or|the|their|then|to|until|since|with"
    r"|became|become|becoming|began|begin|being|conclusion|end|ended|ending|ends|get|gets|got|leave|left|over|point"
    r"|position|start|started|starting|starts|stop|stopped|take|tenure|term|took|where)\b"
)
"""Words that fit nearly any predicate."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PredicateReading:
    """The words for a predicate, the one of the graph that is most like them, and the one of the facts that were read.

    A fit is that of `RelationMatcher.fits`: 1 for a predicate's own words, about 0.2 for others.

    Example:
        >>> reading = PredicateReading.of("king of", ["king", "mayor"], fits=[0.94, 0.2], read=1)
        >>> reading.doubt
        'no fact of "king" fits; those read are of "mayor"'
        >>> PredicateReading.of("finance minister of", ["prime minister"], fits=[0.58], read=0).note
        '"finance minister of" is read as "prime minister"'
    """

    words: str
    """Empty: any predicate is meant."""
    likeliest: str
    likeliest_fit: float
    read: str
    read_fit: float

    @classmethod
    def of(
        cls, words: str, labels: Sequence[str], *, fits: Sequence[float] | NDArray[np.float64], read: int
    ) -> "PredicateReading":
        """The reading of words, given the predicates' labels, how well each fits, and the place of the one read."""
        best = int(np.argmax(fits))
        return cls(
            words=words,
            likeliest=labels[best],
            likeliest_fit=round(float(fits[best]), 3),
            read=labels[read],
            read_fit=round(float(fits[read]), 3),
        )

    @property
    def is_sure(self) -> bool:
        """Whether the words, if they say anything, mean the predicate that was read."""
        return not self.is_said or (not self.doubt and self.read_fit >= _SURE)

    @property
    def is_said(self) -> bool:
        """Whether the words say anything of a predicate."""
        return bool(re.search(r"\w", _LIGHT.sub(" ", self.words)))

    @property
    def doubt(self) -> str:
        """Why the facts that were read are hardly what was asked for; empty where they may be."""
        if not self.is_said:
            return ""
        if self.likeliest_fit < _LIKE:
            return f'no predicate of the graph is like "{self.words}"'
        is_other = self.likeliest_fit >= _SAID and self.read_fit < self.likeliest_fit - _WORSE
        if self.read_fit < _LIKE or is_other:
            return f'no fact of "{self.likeliest}" fits; those read are of "{self.read}"'
        return ""

    @property
    def note(self) -> str:
        """Which predicate was taken for one that the words only resemble; empty where it is sure, or in doubt."""
        return "" if self.is_sure or self.doubt else f'"{self.words}" is read as "{self.read}"'

    def to_dict(self) -> dict[str, Any]:
        """A JSON-ready record."""
        return {
            "words": self.words,
            "likeliest": self.likeliest,
            "likeliest_fit": self.likeliest_fit,
            "read": self.read,
            "read_fit": self.read_fit,
        }

    def __str__(self) -> str:
        if not self.words:
            return "any"
        other = "" if self.read == self.likeliest else f"; facts of {self.read} ({self.read_fit:.2f})"
        return f"{self.words} → {self.likeliest} ({self.likeliest_fit:.2f}){other}"
