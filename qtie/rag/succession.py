"""Who followed whom: asked for a successor, the one who went before is no answer."""

import re

from qtie.rag.spans import Span

__all__ = ["is_predecessor"]

_ASKS_SUCCESSOR = re.compile(
    r"\bwho (?:then |later )?(?:succeeded|replaced|followed|took over from)\b|\bsuccessor (?:of|to)\b", re.IGNORECASE
)
_FOLLOWS = re.compile(
    r"\b(?:succe(?:eds?|eded|eding)|replac(?:es?|ed|ing)|follow(?:s|ed|ing)|t(?:akes?|ook|aking) over from)\b"
    r"(?P<by> by\b)?",
    re.IGNORECASE,
)
_FARTHEST = 40
"""Characters between the verb and the one who was succeeded."""


def is_predecessor(question: str, text: str, sentence: Span, name: Span) -> bool:
    """Whether a question asks who succeeded someone, and its sentence says that the one named was succeeded.

    Example:
        >>> text = "Ulm names Ada Novak chief, succeeding Jonas Weber."
        >>> names = [Span(text.index(name), text.index(name) + len(name)) for name in ("Ada Novak", "Jonas Weber")]
        >>> [is_predecessor("Who succeeded Elke Brandt?", text, Span(0, len(text)), name) for name in names]
        [False, True]
    """
    if not _ASKS_SUCCESSOR.search(question):
        return False
    for verb in _FOLLOWS.finditer(text, *sentence):
        is_after = name.start >= verb.end()
        is_object = is_after != bool(verb["by"])
        if is_object and name.gap(Span(*verb.span())) < _FARTHEST:
            return True
    return False
