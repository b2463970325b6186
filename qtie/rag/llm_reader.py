"""A language model as reader: any that `qtie.llm` opens, at an endpoint or on this machine."""

import re
from collections.abc import Sequence
from dataclasses import replace

from qtie.errors import ConfigError, LlmError
from qtie.llm.chat import ChatModel, ChatOptions
from qtie.rag.passage import Asked, Passage
from qtie.rag.prompt import NO_ANSWER, CountTokens, Prompt, estimated_tokens, make_prompt
from qtie.rag.reader import OnText, Quote, Reading
from qtie.rag.wording.sentences import Span, sentences
from qtie.rag.wording.words import content_words

__all__ = ["LlmReader"]

_TOO_LONG = ("prompt too long", "HTTP 400", "HTTP 413", "HTTP 422")
"""Reasons that a prompt beyond the model's window has, with one server or another."""
_N_HALVINGS = 3
_CITED = re.compile(r"\s*\[\s*(?:passages?\s*)?(\d+(?:\s*(?:,|and)\s*\d+)*)\s*\]", re.IGNORECASE)
_PREAMBLE = re.compile(r"^\s*(?:the )?answer(?: is)?\s*:\s*", re.IGNORECASE)
_REFUSALS = re.compile(
    rf"\W*(?:{NO_ANSWER}|none|not (?:stated|mentioned|given|known|specified)|no answer|i (?:do not|don['’]t) know"
    r"|(?:the )?passages? (?:do|does) not)\b",
    re.IGNORECASE,
)


class LlmReader:
    """Asks a language model, keeps its prompt within a budget, and takes citations from its answer.

    Where the answer cites nothing, the passages that have its words count as cited. A prompt that is too long for the
    model is made half as long and sent again, three times at most.

    Args:
        chat: the model.
        n_tokens: the budget of a prompt, as `count` counts.
        max_tokens: the longest answer.
        count: how many tokens a text has.
        example: show the model a question answered first: for those that were not trained to chat, and small ones.

    Raises:
        ConfigError: a budget that leaves no room.

    Example:
        >>> class Stub:
        ...     name = identity = "stub"
        ...
        ...     def complete(self, prompt, options):
        ...         return "Jonas Weber [1]"
        >>> from qtie.document import Document
        >>> from qtie.intent import TemporalIntent
        >>> from qtie.rag.passage import passages_of
        >>> asked = Asked(question="Who led it?", intent=TemporalIntent(query="Who led it?"))
        >>> passages = passages_of([Document.from_text("Jonas Weber led it.", "a", timestamp="2016")], asked)
        >>> reading = LlmReader(Stub()).read(asked, passages)
        >>> reading.answer, reading.quotes[0].text
        ('Jonas Weber', 'Jonas Weber led it.')
    """

    def __init__(
        self,
        chat: ChatModel,
        *,
        n_tokens: int = 2048,
        max_tokens: int = 128,
        count: CountTokens = estimated_tokens,
        example: bool = False,
    ) -> None:
        if n_tokens < 256 or max_tokens < 1:
            raise ConfigError("n_tokens must be at least 256, max_tokens at least 1")
        self.chat, self.n_tokens, self.count, self.example = chat, n_tokens, count, example
        self.options = ChatOptions(max_tokens=max_tokens, stop=("\n" if example else "\n\n", "<passage", "\nQuestion"))
        self.name = chat.name

    def read(self, asked: Asked, passages: Sequence[Passage], *, on_text: OnText | None = None) -> Reading:
        """The model's answer; see `Reader.read`.

        Raises:
            LlmError: the model gives none.
        """
        prompt, said = self._said(asked, passages, on_text)
        answer, cited = _parsed(said, prompt.n_passages)
        quotes = () if answer is None else _quotes(answer, cited, passages[: prompt.n_passages], asked.question)
        grounded = any(_has(passages[quote.passage].text, answer or "") for quote in quotes)
        return Reading(
            answer=answer,
            quotes=quotes,
            note=self._note(said),
            confidence=0.0 if answer is None else 1.0 if grounded else 0.5,
            n_tokens_read=prompt.n_tokens,
            n_tokens_written=self.count(said),
        )

    def _note(self, said: str) -> str:
        """That an answer ends where the model had to stop, as far as its length and its last character tell."""
        is_cut = self.count(said) >= self.options.max_tokens and said.rstrip()[-1:] not in tuple('.!?)]"”')
        return f"the answer may be cut at {self.options.max_tokens} tokens" if is_cut else ""

    def _said(self, asked: Asked, passages: Sequence[Passage], on_text: OnText | None) -> tuple[Prompt, str]:
        """The prompt that the model could read, and its answer to it."""
        prompt = self._prompt(asked, passages, self.n_tokens)
        for n_halved in range(1, _N_HALVINGS + 1):
            try:
                return prompt, self._completed(prompt, on_text)
            except LlmError as error:
                if error.reason not in _TOO_LONG:
                    raise
            prompt = self._prompt(asked, passages, self.n_tokens // 2**n_halved)
        return prompt, self._completed(prompt, on_text)

    def _prompt(self, asked: Asked, passages: Sequence[Passage], n_tokens: int) -> Prompt:
        return make_prompt(asked, passages, n_tokens=n_tokens, count=self.count, example=self.example)

    def _completed(self, prompt: Prompt, on_text: OnText | None) -> str:
        options = replace(self.options, system=prompt.system)
        if on_text is None:
            return self.chat.complete(prompt.text, options)
        pieces = []
        for piece in self.chat.stream(prompt.text, options):
            pieces.append(piece)
            on_text(piece)
        return "".join(pieces)


def _parsed(said: str, n_passages: int) -> tuple[str | None, list[int]]:
    """The answer without its citations, and the passages cited, by position from 0.

    Example:
        >>> _parsed("Answer: Ada Lovelace [2, 3].", 3), _parsed("Unknown.", 3)
        (('Ada Lovelace', [1, 2]), (None, []))
    """
    numbers = [int(number) for match in _CITED.finditer(said) for number in re.findall(r"\d+", match[1])]
    cited = list(dict.fromkeys(number - 1 for number in numbers if 1 <= number <= n_passages))
    answer = _PREAMBLE.sub("", _CITED.sub("", said))
    answer = " ".join(answer.split()).strip().removesuffix(".").strip()
    return (None, []) if not answer or _REFUSALS.match(answer) else (answer, cited)


def _quotes(answer: str, cited: Sequence[int], passages: Sequence[Passage], question: str) -> tuple[Quote, ...]:
    positions = list(cited) or [at for at, passage in enumerate(passages) if _has(passage.text, answer)]
    return tuple(Quote(passage=at, text=_sentence(passages[at].text, answer, question)) for at in positions)


def _has(text: str, answer: str) -> bool:
    said = content_words(answer)
    return bool(said) and set(said) <= set(content_words(text))


def _sentence(text: str, answer: str, question: str) -> str:
    """The sentence that shares most words with the answer, among equals with the question; empty where none does.

    Example:
        >>> _sentence("Ada Lund\\nAda Lund was mayor of Ulm.", "Ada Lund", "Who was mayor of Ulm?")
        'Ada Lund was mayor of Ulm.'
    """
    said, asked = set(content_words(answer)), set(content_words(question))
    words = [(set(content_words(text[slice(*span)])), span) for span in sentences(text)]
    shared = [(len(said & found), len(asked & found), span) for found, span in words]
    n_shared, _, best = max(shared, key=lambda each: each[:2], default=(0, 0, Span(0, 0)))
    return text[slice(*best)] if n_shared else ""
