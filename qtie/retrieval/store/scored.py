"""Candidates of a store with their temporal scores, and whether any other document could still rank among the best."""

from dataclasses import dataclass
from datetime import date
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from qtie.document import Document
from qtie.fusion import FUSIONS
from qtie.intent import TemporalIntent
from qtie.kernels import Scores
from qtie.normalization import normalize, on_topic
from qtie.ordering import best_first, id_ranks
from qtie.reranker import FusedScores, TemporalReranker
from qtie.retrieval.filters.time_filter import TimeFilter
from qtie.retrieval.store.candidates import Candidates
from qtie.retrieval.store.schema import with_read_facets
from qtie.retrieval.store.times import times_from_json
from qtie.text_times import asked_facets
from qtie.time_columns import TimeColumns

__all__ = ["ScoredCandidates", "read_columns", "scored_candidates"]

_POINTWISE = ("product_of_experts", "weighted_sum")
"""The fusions in which a document's score depends on no other document."""


@dataclass(frozen=True, kw_only=True)
class ScoredCandidates:
    """The candidates with their scores."""

    candidates: Candidates
    documents: list[Document]
    """Their ids and times; the texts are left in the store."""
    columns: TimeColumns
    scores: FusedScores | None
    """None where the query asks for no time."""
    rest: float
    """What the fused score of no other document exceeds; inf where that cannot be told."""
    wanted: TimeFilter | None
    """The asked time, widened."""

    @property
    def fused(self) -> Scores:
        """Shape (n,): what they are ordered by."""
        return self.candidates.semantic if self.scores is None else self.scores.fused

    @cached_property
    def id_ranks(self) -> NDArray[np.intp]:
        """Shape (n,): each document's place by doc_id, which orders equal scores."""
        return id_ranks(self.documents)

    @cached_property
    def order(self) -> NDArray[np.intp]:
        """The kept candidates' indices, best first; equal scores by semantic score, then by doc_id."""
        scores = self.fused if self.scores is None else self.scores.ranked_by
        return best_first(scores, self.candidates.semantic, self.id_ranks)

    def is_settled(self, k: int) -> bool:
        """Whether the first k are those that scoring all documents would give."""
        return len(self.order) >= k and bool(self.fused[self.order[k - 1]] > self.rest)

    def notes(self, k: int) -> tuple[str, ...]:
        """What was asked of the index."""
        if self.wanted is None:
            return ()
        n_inside = self.candidates.n_inside
        few = f"; fewer than {k}: searched without it as well" if n_inside < k else ""
        return (f"predicate: {self.wanted}; {n_inside} candidates inside{few}",)


def read_columns(intent: TemporalIntent, reranker: TemporalReranker, *, reference_date: date | None) -> list[str]:
    """What `scored_candidates` reads of each row: times from its text only where the query or `missing` needs them."""
    if not intent.is_temporal:
        return ["doc_id"]
    needs_text = reranker.missing == "estimate" or asked_facets(intent, reference_date=reference_date)
    return ["doc_id", "times", *(["text_times"] if needs_text else [])]


def scored_candidates(
    candidates: Candidates,
    intent: TemporalIntent,
    reranker: TemporalReranker,
    *,
    wanted: TimeFilter | None,
    reference_date: date | None,
) -> ScoredCandidates:
    r"""The candidates scored as the reranker scores a corpus; without time, by their semantic scores.

    A document that was not fetched has at most the semantic score r of the worst that was. Its temporal score is at
    most 1 inside the predicate and at most u outside, where `graded` gives no document more than an unknown time; so
    its fused score is at most

    .. math:: \max(F(r_\text{inside}, 1), F(r_\text{outside}, u))

    as in the threshold algorithm of Fagin et al. (2003), "Optimal aggregation algorithms for middleware".
    """
    documents = _documents(candidates, intent, reranker, reference_date)
    columns = TimeColumns.from_documents(documents)
    if intent.is_temporal:
        scores = reranker.fuse(
            intent, candidates.semantic, columns, reference_date=reference_date, n_documents=candidates.n_documents
        )
        rest = _rest(candidates, intent, reranker, wanted)
    else:
        scores, rest = None, candidates.rest_outside
    return ScoredCandidates(
        candidates=candidates, documents=documents, columns=columns, scores=scores, rest=rest, wanted=wanted
    )


def _rest(
    candidates: Candidates, intent: TemporalIntent, reranker: TemporalReranker, wanted: TimeFilter | None
) -> float:
    if reranker.fusion not in _POINTWISE:
        return np.inf
    others = [candidates.rest_inside, candidates.rest_outside]
    scores = np.append(candidates.semantic, others)
    semantic = normalize(scores, reranker.normalization, n_documents=candidates.n_documents)
    # One of the others may be the newest on the topic; where several times are asked, also one outside of the others.
    eligible = -2 if len(intent.by_target) == 1 else -1
    if intent.preference and on_topic(semantic)[eligible]:
        return np.inf
    is_bounded = wanted is not None and reranker.kernel == "graded"
    semantic = semantic[-2:]
    temporal = np.array([1.0, reranker.grading.unknown if is_bounded else 1.0])
    return float(FUSIONS[reranker.fusion](semantic, temporal, temporal_weight=reranker.temporal_weight).max())


def _documents(
    candidates: Candidates, intent: TemporalIntent, reranker: TemporalReranker, reference_date: date | None
) -> list[Document]:
    doc_ids = candidates.columns["doc_id"].to_pylist()
    if not intent.is_temporal:
        return [Document(doc_id=doc_id, text="") for doc_id in doc_ids]
    facets = asked_facets(intent, reference_date=reference_date)
    columns, documents = candidates.columns, []
    read_texts = columns["text_times"].to_pylist() if "text_times" in columns.column_names else [None] * len(doc_ids)
    for doc_id, own, read in zip(doc_ids, columns["times"].to_pylist(), read_texts, strict=True):
        document = Document(doc_id=doc_id, text="", times=times_from_json(own))
        if reranker.missing == "estimate" and not document.times:
            found = times_from_json(read)
            document = document.with_times({**found, **({"focus_time": found["event"]} if "event" in found else {})})
        documents.append(with_read_facets(document, times_from_json(read), facets) if facets else document)
    return documents
