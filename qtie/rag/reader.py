"""What every reader does: a question and passages in, an answer with the passages that it rests on out."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

from qtie.rag.passage import Asked, Passage

__all__ = ["OnText", "Quote", "Reader", "Reading"]

OnText = Callable[[str], None]
"""Called with each piece of an answer as it comes."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Quote:
    """A passage that an answer rests on."""

    passage: int
    """Its position among those that were read, from 0."""
    text: str = ""
    """The words of it that say so, where they are known."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """What a reader makes of passages."""

    answer: str | None
    """None where it finds that the passages do not answer."""
    quotes: tuple[Quote, ...] = ()
    """The best first."""
    note: str = ""
    """Why the passages do not answer, or what a user must know of the answer; empty where there is nothing to say."""
    confidence: float = 0.0
    """How well the passages answer, in [0, 1], as the reader judges; comparable between its own readings alone."""
    n_tokens_read: int = 0
    """Of a language model's prompt, as estimated; 0 of other readers."""
    n_tokens_written: int = 0


@runtime_checkable
class Reader(Protocol):
    """Reads passages for the answer to a question."""

    name: str
    """What people call it: extractive, openai, …"""

    def read(self, asked: Asked, passages: Sequence[Passage], *, on_text: OnText | None = None) -> Reading:
        """The answer that the passages give.

        Args:
            asked: the question and its time.
            passages: best first; there may be none.
            on_text: hears the answer as it comes.

        Raises:
            LlmError: a language model gives no answer.
        """
        ...
