"""A small dated corpus and readers that need no model, for the tests of the pipelines."""

import re
from collections.abc import Callable, Iterator
from datetime import date
from typing import Any

from qtie.document import Document
from qtie.errors import LlmError
from qtie.llm.chat import DEFAULTS, ChatOptions
from qtie.rag.extractive import ExtractiveReader
from qtie.rag.passage import Asked
from qtie.rag.pipeline import Settings
from qtie.rag.reader import Reader
from qtie.reranker import TemporalReranker
from qtie.retrieval.bm25 import Bm25Retriever
from qtie.retrieval.search import TemporalSearcher
from qtie.tie.grammar import GrammarExtractor

TERMS = [
    ("weber", "Jonas Weber led the ministry of health.", "2010-03-01", "2014-05-31"),
    ("brandt", "Elke Brandt led the ministry of health.", "2014-06-01", "2018-09-30"),
    ("okoro", "Chidi Okoro led the ministry of health.", "2018-10-01", None),
]
NEWS = [
    ("merger", "Acme completes the merger with Beta.", "2016-05-09"),
    ("before", "Acme named Ruth Adler as chair.", "2015-02-01"),
    ("after", "Acme named Omar Haddad as chair.", "2017-02-01"),
    ("bridge", "The Long Bridge opened to traffic. Toll is 4 euro.", "2009-07-04"),
]


class StubChat:
    """Answers as `reply` says, which may raise an LlmError; keeps what it was asked."""

    name = identity = "stub"

    def __init__(self, reply: Callable[[str], str]) -> None:
        self.reply = reply
        self.asked: list[tuple[str, ChatOptions]] = []

    def complete(self, prompt: str, options: ChatOptions = DEFAULTS) -> str:
        self.asked.append((prompt, options))
        return self.reply(prompt)

    def stream(self, prompt: str, options: ChatOptions = DEFAULTS) -> Iterator[str]:
        yield from re.findall(r"\S+\s*", self.complete(prompt, options))

    def complete_many(self, prompts: Any, options: ChatOptions = DEFAULTS, *, on_answer: Any = None) -> Any:
        return [self.complete(prompt, options) for prompt in prompts]


def failing(reason: str) -> Callable[[str], str]:
    def reply(prompt: str) -> str:
        raise LlmError(f"stub: {reason}", reason=reason)

    return reply


def corpus() -> list[Document]:
    records: list[dict[str, Any]] = [
        {"_id": name, "text": text, "valid_from": start, **({"valid_to": end} if end else {})}
        for name, text, start, end in TERMS
    ]
    records += [{"_id": name, "text": text, "date": day} for name, text, day in NEWS]
    return [Document.from_record(record) for record in records]


def searcher_over(documents: list[Document]) -> TemporalSearcher:
    reranker = TemporalReranker(GrammarExtractor())
    return TemporalSearcher(documents, Bm25Retriever(documents), reranker=reranker)


def asked(question: str, *, reference_date: date | None = None) -> Asked:
    intent = GrammarExtractor().extract(question, reference_date=reference_date)
    return Asked(question=question, intent=intent, reference_date=reference_date)


def settings(reader: Reader | None = None, **options: Any) -> Settings:
    return Settings(reader=reader or ExtractiveReader(), extractor=GrammarExtractor(), **options)
