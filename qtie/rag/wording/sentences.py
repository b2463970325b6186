"""The sentences of a text, and spans of its characters."""

import re
from typing import NamedTuple

__all__ = ["Span", "sentences"]


class Span(NamedTuple):
    """Characters of a text: first, and one after the last."""

    start: int
    end: int

    def gap(self, other: "Span") -> int:
        """Characters between the two, 0 where they touch."""
        return max(0, other.start - self.end, self.start - other.end)


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
