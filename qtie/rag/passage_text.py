"""A passage's text as the extractive reader sees it: its sentences, the dates that it states, its words."""

import re
from collections.abc import Mapping
from dataclasses import dataclass

from qtie.rag.passage import Passage
from qtie.rag.wording.spans import Span, sentences
from qtie.rag.wording.words import content_words
from qtie.stated_dates import StatedDate, stated_dates

__all__ = ["PassageText"]

_WORD = re.compile(r"[^\W_]+")


@dataclass(frozen=True, slots=True)
class PassageText:
    """A passage's text with what is found in it."""

    text: str
    sentences: list[Span]
    dates: list[StatedDate]
    words: frozenset[str]

    @classmethod
    def of(cls, passage: Passage) -> "PassageText":
        """What is found in that passage."""
        text = passage.text
        dates = stated_dates(_plain(text), n_title=len(passage.document.title))
        return cls(text, sentences(text), dates, frozenset(content_words(text)))

    def is_title(self, sentence: Span) -> bool:
        """Whether it is the first of several lines."""
        return sentence == self.sentences[0] and self.text[sentence.end : sentence.end + 1] == "\n"

    def goes_on(self, span: Span) -> bool:
        """Whether a word without capital follows: "Ulm hospital"."""
        return self.text[span.end : span.end + 2].strip().islower()

    def places(self, sentence: Span, weights: Mapping[str, float]) -> list[Span]:
        """Where in the sentence the question's words stand."""
        at = ((match, content_words(match[0])) for match in _WORD.finditer(self.text[slice(*sentence)]))
        return [
            Span(sentence.start + match.start(), sentence.start + match.end())
            for match, stems in at
            if stems and stems[0] in weights
        ]


def _plain(text: str) -> str:
    """The text, as long as before, without what parts a date's words or brackets: "March\\xa06", "( 1929–1935 )"."""
    return re.sub(r"(?<=\d) \)", ") ", re.sub(r"\( (?=\d)", " (", text.replace("\u00a0", " ")))
