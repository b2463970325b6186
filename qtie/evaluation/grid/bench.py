"""A data set with all that no ranker changes: what is needed to compute its cells."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from random import Random

import numpy as np
from numpy.typing import NDArray

from qtie.baselines.ranker import Question, Ranker
from qtie.baselines.registry import make_ranker
from qtie.evaluation.datasets import Dataset, Query, with_text_times
from qtie.evaluation.grid.cell import Cell, Outcome
from qtie.evaluation.grid.document_times import changed_times
from qtie.evaluation.grid.intents import changed_intents
from qtie.evaluation.grid.judgements import Judgements
from qtie.evaluation.grid.semantic_scores import SemanticScores
from qtie.evaluation.trec import Qrels
from qtie.intent import IntentExtractor, TemporalIntent
from qtie.normalization import Scores
from qtie.retrieval.pool import Pool

__all__ = ["DEPTH", "Bench", "atemporal_qrels", "sampled"]

DEPTH = 100
"""How many documents of each ranking are kept."""


@dataclass(frozen=True, slots=True)
class _Part:
    """The documents that some query ranks: their pool, and their positions in the corpus."""

    pool: Pool
    positions: NDArray[np.intp]


class Bench:
    """Computes the cells of one data set.

    Documents without a time get the one that their text tells, for all rankers alike.

    Args:
        dataset: what is ranked.
        extractor: reads the queries' intents.
        cache: the folder in which semantic scores are kept.
        seed: draws samples of queries and all changes.
        intents: by query_id, where the queries have been read already.
    """

    def __init__(
        self,
        dataset: Dataset,
        *,
        extractor: IntentExtractor,
        cache: Path,
        seed: int = 0,
        intents: Mapping[str, TemporalIntent] | None = None,
    ) -> None:
        self.dataset = with_text_times(dataset)
        self.seed = seed
        self._extractor = extractor
        self._cache = cache
        self._intents = intents
        self._semantic: dict[str, SemanticScores] = {}
        self._doc_positions = {document.doc_id: position for position, document in enumerate(dataset.documents)}
        self._parts: dict[tuple[str, tuple[str, ...] | None], _Part] = {}

    def outcome(self, cell: Cell) -> Outcome:
        """What the cell gives.

        Raises:
            QtieError: the cell names something that is not there.
        """
        chosen = sampled(len(self.dataset.queries), cell.n_queries, self.seed)
        queries = [self.dataset.queries[position] for position in chosen]
        questions = self.questions(cell, queries)
        ranker = make_ranker(cell.ranker, **dict(cell.options))
        scorer = self.semantic(cell.retriever)
        pools = [self.part(query, cell.times).pool for query in queries]
        semantic = scorer.of([self.asked(ranker, *each, scorer) for each in zip(questions, pools, strict=True)])
        top = np.full((len(queries), DEPTH), -1, dtype=np.int32)
        kept = np.zeros((len(queries), DEPTH), dtype=np.float32)
        candidates = np.full((len(queries), cell.depth or 0), -1, dtype=np.int32)
        for row, (query, question) in enumerate(zip(queries, questions, strict=True)):
            part = self.part(query, cell.times)
            given = semantic[row][part.positions].astype(np.float64)
            normalization = cell.normalization or scorer.normalization
            scores = ranker.scores(question, given, part.pool, normalization=normalization)
            if cell.depth is not None:
                within = part.pool.order(given, given, k=cell.depth)
                candidates[row, : len(within)] = part.positions[within]
                scores = _within(scores, within)
            order = part.pool.order(scores, given, k=DEPTH)
            top[row, : len(order)], kept[row, : len(order)] = part.positions[order], scores[order]
        judged = self.judged(cell, queries)
        measures = judged.measures(top)
        if cell.depth is not None:
            measures["R@depth"] = judged.measures(candidates, [f"R@{cell.depth}"])[f"R@{cell.depth}"]
        if cell.queries == "atemporal":  # a query from which no words about time were taken does not take part
            apart = np.array([question.text == query.text for question, query in zip(questions, queries, strict=True)])
            measures = {name: np.where(apart, np.nan, values) for name, values in measures.items()}
        return Outcome(queries=chosen, measures=measures, top=top, scores=kept)

    def semantic(self, retriever: str) -> SemanticScores:
        """What the retriever of that name thinks of the documents' topic."""
        if retriever not in self._semantic:
            self._semantic[retriever] = SemanticScores(retriever, self.dataset.documents, self._cache)
        return self._semantic[retriever]

    @staticmethod
    def asked(ranker: Ranker, question: Question, pool: Pool, scorer: SemanticScores) -> str:
        """The text that the retriever scores: the ranker's choice, or all of it where the retriever reads time."""
        return question.text if scorer.reads_time else ranker.semantic_query(question, pool)

    def questions(self, cell: Cell, queries: Sequence[Query]) -> list[Question]:
        """The queries as the cell's ranker sees them."""
        intents = [self.intents[query.query_id] for query in queries]
        if cell.queries == "atemporal":
            queries = [replace(query, text=_bare(intent)) for query, intent in zip(queries, intents, strict=True)]
            intents = [self._extractor.extract(query.text, reference_date=query.reference_date) for query in queries]
        changed = changed_intents(cell.intents, intents, queries, seed=self.seed)
        return [
            Question(text=query.text, intent=intent, reference_date=query.reference_date)
            for query, intent in zip(queries, changed, strict=True)
        ]

    @cached_property
    def intents(self) -> Mapping[str, TemporalIntent]:
        """What each query asks for, as the extractor reads it."""
        return self._intents or {
            query.query_id: self._extractor.extract(query.text, reference_date=query.reference_date)
            for query in self.dataset.queries
        }

    def part(self, query: Query, times: str = "given") -> _Part:
        """The documents that the query ranks, with their times changed as `times` says."""
        candidates = self.dataset.candidates.get(query.query_id)
        key = (times, candidates)
        if key not in self._parts:
            documents = self.dataset.documents
            if candidates is not None:
                documents = tuple(documents[self._doc_positions[doc_id]] for doc_id in candidates)
            positions = np.array([self._doc_positions[document.doc_id] for document in documents], dtype=np.intp)
            self._parts[key] = _Part(Pool(changed_times(times, documents, seed=self.seed)), positions)
        return self._parts[key]

    def forget_times(self) -> None:
        """Frees the memory of changed times."""
        self._parts = {key: part for key, part in self._parts.items() if key[0] == "given"}

    def judged(self, cell: Cell, queries: Sequence[Query]) -> Judgements:
        """The judgements of the cell's queries."""
        qrels = self.dataset.qrels
        if cell.queries == "atemporal":
            qrels = atemporal_qrels(self.dataset, {key: _bare(intent) for key, intent in self.intents.items()})
        return Judgements(qrels, [query.query_id for query in queries], list(self._doc_positions))


def sampled(n_queries: int, n: int | None, seed: int) -> NDArray[np.int64]:
    """The positions of a sample of n queries, ascending; a smaller sample is part of a larger one.

    Example:
        >>> sampled(5, None, 0), len(sampled(5, 3, 0))
        (array([0, 1, 2, 3, 4]), 3)
    """
    positions = list(range(n_queries))
    if n is not None and n < n_queries:
        Random(seed).shuffle(positions)
        positions = sorted(positions[:n])
    return np.array(positions, dtype=np.int64)


def atemporal_qrels(dataset: Dataset, bare: dict[str, str]) -> Qrels:
    """The judgements of queries without their words about time: what is relevant to any query of the same bare text.

    Args:
        dataset: the judged queries.
        bare: by query_id, the text without its words about time.
    """
    together: dict[str, dict[str, int]] = defaultdict(dict)
    for query_id, judged in dataset.qrels.items():
        together[bare[query_id]] |= {doc_id: relevance for doc_id, relevance in judged.items() if relevance > 0}
    return {query_id: together[bare[query_id]] for query_id in dataset.qrels}


def _bare(intent: TemporalIntent) -> str:
    """The query without its words about time, or all of it where it asks for none or would be lost."""
    return intent.semantic_query


def _within(scores: Scores, candidates: NDArray[np.intp]) -> Scores:
    """The candidates' scores, -inf for all others."""
    within = np.full(len(scores), -np.inf)
    within[candidates] = scores[candidates]
    return within
