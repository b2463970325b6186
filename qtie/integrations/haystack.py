"""Haystack: a ranker component for pipelines, saved and restored with them.

Needs `haystack-ai`. The example is `examples/haystack_pipeline.py`.
"""

import asyncio
from dataclasses import replace
from datetime import date
from typing import Any

from qtie.config import Config
from qtie.errors import require
from qtie.integrations.candidates import Place, places
from qtie.reranker import TemporalReranker
from qtie.tie.extractors import make_extractor

require("haystack", extra="haystack")

from haystack import Document, component, default_from_dict, default_to_dict

__all__ = ["TemporalRanker"]


@component
class TemporalRanker:
    """Re-ranks documents by topic and time, on the scores that they carry; put it last in the pipeline.

    Documents come back as copies with the new score and the reasons in `meta["temporal"]`. Unless every document
    has a score, they count as sorted, best first.

    Args:
        config: the settings as `qtie.toml` holds them, so that a saved pipeline has them in full.
        extractor: the name of what reads the query's time, as `qtie.tie.extractors` knows it; None for the default.
        top_k: how many documents to return; None for all.

    Raises:
        ConfigError: a setting or name that makes no sense.

    Example:
        >>> notes = [Document(content="Budget passed", meta={"date": day}) for day in ("2016-05-09", "2019-05-12")]
        >>> ranker = TemporalRanker(config="[ranking]\\ntemporal_weight = 0.6", top_k=1)
        >>> [note.meta["date"] for note in ranker.run("budget in 2019", notes)["documents"]]
        ['2019-05-12']
    """

    def __init__(self, config: str = "", extractor: str | None = None, top_k: int | None = None) -> None:
        self.config, self.extractor, self.top_k = config, extractor, top_k
        settings = Config.parse(config, source="config")
        reader = make_extractor(extractor, settings.intent, llm=settings.llm)
        self._reranker = TemporalReranker.from_config(settings, extractor=reader)

    @component.output_types(documents=list[Document])
    def run(
        self,
        query: str,
        documents: list[Document],
        top_k: int | None = None,
        reference_date: date | None = None,
    ) -> dict[str, list[Document]]:
        """Copies of the documents, best first.

        Args:
            query: as the user asked it.
            documents: the candidates.
            top_k: how many to return, in place of the component's own.
            reference_date: the day of asking, what "last year" counts from.

        Raises:
            ConfigError: top_k is not positive.
            DocumentError: a score that is not a finite number.
        """
        ranked = places(
            self._reranker, query, documents,
            record=_record, scores=[document.score for document in documents],
            reference_date=reference_date, k=self.top_k if top_k is None else top_k,
        )  # fmt: skip
        return {"documents": [_copy(place) for place in ranked]}

    @component.output_types(documents=list[Document])
    async def run_async(
        self,
        query: str,
        documents: list[Document],
        top_k: int | None = None,
        reference_date: date | None = None,
    ) -> dict[str, list[Document]]:
        """`run` in a thread."""
        return await asyncio.to_thread(self.run, query, documents, top_k, reference_date)

    def to_dict(self) -> dict[str, Any]:
        """The component as a saved pipeline has it."""
        return default_to_dict(self, config=self.config, extractor=self.extractor, top_k=self.top_k)

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> "TemporalRanker":
        """The component that `to_dict` wrote."""
        return default_from_dict(cls, data)


def _record(document: Document) -> dict[str, Any]:
    return {"text": document.content or "", "metadata": document.meta}


def _copy(place: Place[Document]) -> Document:
    return replace(place.item, score=place.score, meta={**place.item.meta, "temporal": place.temporal})
