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
from qtie.reranker import TemporalReranker, id_ranks
from qtie.retrieval.filters.time_filter import TimeFilter
from qtie.retrieval.store.candidates import Candidates
from qtie.retrieval.store.schema import with_read_facets
from qtie.retrieval.store.times import times_from_json
from qtie.text_times import asked_facets
from qtie.time_columns import TimeColumns

__all__ = ["ScoredCandidates", "scored_candidates"]

_POINTWISE = ("product_of_experts", "weighted_sum")
"""The fusions in which a document's score depends on no other document."""


@dataclass(frozen=True, kw_only=True)
class ScoredCandidates:
    """The candidates with their scores."""

    candidates: Candidates
    documents: list[Document]
    """Their ids and times; the texts are left in the store."""
    columns: TimeColumns
    fused: Scores
    """Shape (n,): what they are ordered by."""
    kept: NDArray[np.bool_]
    """Shape (n,): False for what strict mode or `missing="drop"` removes."""
    rest: float
    """What the fused score of no other document exceeds; inf where that cannot be told."""
    wanted: TimeFilter | None
    """The asked time, widened."""

    @cached_property
    def id_ranks(self) -> NDArray[np.intp]:
        """Shape (n,): each document's place by doc_id, which orders equal scores."""
        return id_ranks(self.documents)

    @cached_property
    def order(self) -> NDArray[np.intp]:
        """The kept candidates' indices, best first; equal scores by semantic score, then by doc_id."""
        order = np.lexsort((self.id_ranks, -self.candidates.semantic, -self.fused))
        return order[self.kept[order]]

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
    if not intent.is_temporal:
        fused, kept = candidates.semantic, np.ones(len(documents), dtype=np.bool_)
        rest = candidates.rest_outside
    else:
        scores = reranker.fuse(
            intent, candidates.semantic, columns, reference_date=reference_date, n_documents=candidates.n_documents
        )
        fused, kept = scores.fused, scores.kept
        rest = _rest(candidates, intent, reranker, is_bounded=wanted is not None and reranker.kernel == "graded")
    return ScoredCandidates(
        candidates=candidates, documents=documents, columns=columns, fused=fused, kept=kept, rest=rest, wanted=wanted
    )


def _rest(candidates: Candidates, intent: TemporalIntent, reranker: TemporalReranker, *, is_bounded: bool) -> float:
    if reranker.fusion not in _POINTWISE:
        return np.inf
    others = [candidates.rest_inside, candidates.rest_outside]
    scores = np.append(candidates.semantic, others)
    semantic = normalize(scores, reranker.normalization, n_documents=candidates.n_documents)
    if intent.preference and on_topic(semantic)[-2]:  # one of the others may be the newest on the topic
        return np.inf
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
    documents = []
    stored = (candidates.columns[name].to_pylist() for name in ("times", "text_times"))
    for doc_id, own, read in zip(doc_ids, *stored, strict=True):
        document = Document(doc_id=doc_id, text="", times=times_from_json(own))
        if reranker.missing == "estimate" and not document.times:
            found = times_from_json(read)
            document = document.with_times({**found, **({"focus_time": found["event"]} if "event" in found else {})})
        documents.append(with_read_facets(document, times_from_json(read), facets) if facets else document)
    return documents
