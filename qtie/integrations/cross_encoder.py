"""The shape of sentence-transformers' `CrossEncoder`: `rank` and `predict`, for code that calls one. Needs nothing.

The example is `examples/cross_encoder_shape.py`.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Protocol

from qtie.integrations.candidates import Place, ReferenceDate, places
from qtie.reranker import TemporalReranker

__all__ = ["PairPredictor", "TemporalCrossEncoder"]

Text = str | Mapping[str, Any]
"""A bare text, or a record with its times, as `Document.from_record` takes it."""


class PairPredictor(Protocol):
    """A cross-encoder, such as `sentence_transformers.CrossEncoder`."""

    def predict(self, pairs: list[tuple[str, str]], /) -> Iterable[float]:
        """One score a pair of query and text, higher is better."""
        ...


class TemporalCrossEncoder:
    """Stands where a cross-encoder stood, and scores time as well: with that cross-encoder's scores, or alone.

    Args:
        model: scores the topic; without it documents count as sorted, best first.
        reranker: how topic and time are joined; by default with times read from texts that come with none.
        reference_date: the day of asking, or what gives it, such as `date.today`.

    Example:
        >>> notes = ["Budget of 9 May 2016 passed.", "Budget of 12 May 2019 passed."]
        >>> [hit["corpus_id"] for hit in TemporalCrossEncoder().rank("budget in 2019", notes)]
        [1, 0]
    """

    def __init__(
        self,
        model: PairPredictor | None = None,
        *,
        reranker: TemporalReranker | None = None,
        reference_date: ReferenceDate = None,
    ) -> None:
        self.model, self.reference_date = model, reference_date
        self.reranker = reranker or TemporalReranker(missing="estimate")

    def rank(
        self, query: str, documents: Sequence[Text], top_k: int | None = None, return_documents: bool = False
    ) -> list[dict[str, Any]]:
        """The documents' positions from 0 and scores, best first, each with its reasons under "temporal".

        Args:
            query: as the user asked it.
            documents: texts, or records with times.
            top_k: how many to return; by default all.
            return_documents: add each document as it was given, under "text".

        Raises:
            ConfigError: top_k is not positive.
            DocumentError: a record without a text, or a score that is not finite.
        """
        hits = []
        for place in self._places(query, documents, top_k):
            position, text = place.item
            score = place.temporal["semantic_score"] if place.score is None else place.score
            hit = {"corpus_id": position, "score": score, "temporal": place.temporal}
            hits.append({**hit, "text": text} if return_documents else hit)
        return hits

    def predict(self, pairs: Sequence[tuple[str, Text]]) -> list[float]:
        """One score a pair, comparable among the pairs of one query.

        Without a model it is how well the text's time fits, in (0, 1]; 1 where the query asks for no time.
        """
        by_query: dict[str, list[int]] = {}
        for index, (query, _) in enumerate(pairs):
            by_query.setdefault(query, []).append(index)
        scores = [0.0] * len(pairs)
        for query, indices in by_query.items():
            for place in self._places(query, [pairs[index][1] for index in indices], None):
                score = place.temporal["temporal_score"] if place.score is None or not self.model else place.score
                scores[indices[place.item[0]]] = score
        return scores

    def _places(self, query: str, documents: Sequence[Text], k: int | None) -> list[Place[tuple[int, Text]]]:
        numbered, scores = list(enumerate(documents)), None
        if self.model is not None and documents:
            given = [float(score) for score in self.model.predict([(query, _text(each)) for each in documents])]
            numbered.sort(key=lambda item: -given[item[0]])  # the order that the model alone would give
            scores = [given[position] for position, _ in numbered]
        return places(
            self.reranker, query, numbered, record=_record, scores=scores, reference_date=self.reference_date, k=k
        )


def _record(numbered: tuple[int, Text]) -> Mapping[str, Any]:
    _, document = numbered
    return {"text": document} if isinstance(document, str) else document


def _text(document: Text) -> str:
    return str(_record((0, document)).get("text", ""))
