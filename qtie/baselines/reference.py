"""The two rankers that every comparison starts from: the retriever's own order, and this library's reranker."""

import numpy as np

from qtie.baselines.ranker import Pool, Question, Scores
from qtie.reranker import TemporalReranker

__all__ = ["SemanticOrder", "Temporal"]


class SemanticOrder:
    """The retriever alone, asked the whole query with its words about time."""

    def semantic_query(self, question: Question, pool: Pool) -> str:
        """The query as asked."""
        return question.text

    def scores(self, question: Question, semantic: Scores, pool: Pool, *, normalization: str) -> Scores:
        """The semantic scores."""
        return semantic


class Temporal:
    """`TemporalReranker` fed with the question's intent; a question that asks for no time keeps the semantic order.

    Its weighted sum, reciprocal rank fusion and kernels are baselines too. Berberich et al. (2010) multiply the
    likelihoods of words and of time, so their kernel goes with the product of experts, and a document without a time,
    which has no likelihood, is not ranked. TEMPS (2026) gets a weighted sum (assumed). The temporal weight of each in
    `qtie.baselines.registry` is the best of the sweep that chose our own (`benchmarks/tune_baselines.py`).

    Args:
        reranker: how the two scores are joined.
        strip: whether the retriever is asked the query without its words about time; None: see `Pool.semantic_query`.
    """

    def __init__(self, reranker: TemporalReranker | None = None, *, strip: bool | None = None) -> None:
        self.reranker = reranker or TemporalReranker()
        self.strip = strip

    def semantic_query(self, question: Question, pool: Pool) -> str:
        """The query, without its words about time where `strip` or the pool's documents say so."""
        if self.strip is None:
            return pool.semantic_query(question.intent)
        return question.intent.semantic_query if self.strip else question.text

    def scores(self, question: Question, semantic: Scores, pool: Pool, *, normalization: str) -> Scores:
        """The fused scores; -inf where strict mode or `missing="drop"` removes a document."""
        if not question.intent.is_temporal:
            return semantic
        day = question.reference_date
        columns = pool.columns_for(question.intent, reference_date=day)
        result = self.reranker.fuse(question.intent, semantic, columns, normalization=normalization, reference_date=day)
        return np.where(result.kept, result.fused, -np.inf)
