"""Search: every document of a corpus scored by topic and by time, and the best of them ranked."""

from collections.abc import Iterator, Mapping, Sequence
from copy import copy
from dataclasses import replace
from datetime import date
from itertools import islice

from qtie.document import Document
from qtie.errors import ConfigError
from qtie.intent import TemporalIntent
from qtie.interval import TimeInterval
from qtie.ranking import Ranking
from qtie.reranker import TemporalReranker, tightened
from qtie.retrieval.pool import Pool
from qtie.retrieval.retriever import Retriever, Scores, reads_time
from qtie.text_times import with_estimated_time

__all__ = ["NO_MATCH", "TemporalSearcher", "unmatched"]

NO_MATCH = "no document matches the words of the query"
"""How the note begins where the retriever gave every document 0."""
_QUERIES_PER_BATCH = 64


class TemporalSearcher:
    """Searches a corpus by topic and time, both over all of its documents, so that neither hides what the other finds.

    The retriever is asked the query without its words about time, unless it reads time itself, or too many documents
    have no time (see `Pool.semantic_query`). A query that asks for no time gets the retriever's own order and scores;
    equal scores are ordered by doc_id.

    Args:
        documents: the corpus.
        retriever: made for the same documents in the same order.
        reranker: how the two scores are joined; with normalization "auto" it takes the one that the retriever names.

    Example:
        >>> from qtie.retrieval.bm25 import Bm25Retriever
        >>> days = ["2016-05-09", "2019-05-12"]
        >>> corpus = [Document.from_record({"_id": day, "text": "Budget passed", "date": day}) for day in days]
        >>> searcher = TemporalSearcher(corpus, Bm25Retriever(corpus))
        >>> [ranked.doc_id for ranked in searcher.search("budget in 2019")]
        ['2019-05-12', '2016-05-09']
    """

    def __init__(
        self, documents: Sequence[Document], retriever: Retriever, *, reranker: TemporalReranker | None = None
    ) -> None:
        self.retriever = retriever
        self.reranker = copy(reranker or TemporalReranker())
        if self.reranker.normalization == "auto":
            self.reranker.normalization = retriever.normalization
        if self.reranker.missing == "estimate":
            options = self.reranker.config.intent
            documents = [with_estimated_time(document, options=options) for document in documents]
        self._pool = Pool(documents, whole_query=reads_time(retriever))
        self.documents = self._pool.documents

    def search(
        self,
        query: str,
        *,
        k: int = 10,
        reference_date: date | None = None,
        intent: TemporalIntent | None = None,
        interval: TimeInterval | None = None,
    ) -> Ranking:
        """The k best documents with their reasons.

        Args:
            query: as the user asked it.
            k: how many documents to return.
            reference_date: the day of asking, what "last year" counts from.
            intent: the query's, where it is known already.
            interval: days that the caller asks for; what the query says can only tighten it.

        Raises:
            ConfigError: k is not positive.
        """
        if k < 1:
            raise ConfigError(f"k must be at least 1, not {k}")
        intent = intent or self.reranker.extractor.extract(query, reference_date=reference_date)
        intent = intent if interval is None else tightened(intent, interval)
        semantic = self.retriever.scores(self._pool.semantic_query(intent))
        if intent.is_temporal:
            normalization = self.reranker.normalization
            ranking = self.reranker.ranking(
                intent, self.documents, semantic, self._pool.columns_for(intent),
                normalization=normalization, tie_break=self._pool.id_ranks, reference_date=reference_date, k=k,
            )  # fmt: skip
        else:
            top = self._pool.order(semantic, semantic, k=k)
            best = [self.documents[index] for index in top]
            ranking = self.reranker.rank(query, best, scores=semantic[top].tolist(), intent=intent)
        return ranking if semantic.any() else unmatched(ranking)

    def run(
        self,
        queries: Mapping[str, str],
        *,
        k: int = 100,
        reference_dates: Mapping[str, date | None] | None = None,
        intents: Mapping[str, TemporalIntent] | None = None,
    ) -> Iterator[tuple[str, dict[str, float]]]:
        """The scores of the k best documents for each of many queries, best first; `dict(…)` of it is a run.

        Ranks as `search` does, without the reasons. Scores order the documents of one query only.

        Args:
            queries: text by query_id.
            k: how many documents a query gets.
            reference_dates: the day of asking by query_id.
            intents: the queries' intents, where they are known already; a query that is absent is read.

        Raises:
            ConfigError: k is not positive.
        """
        if k < 1:
            raise ConfigError(f"k must be at least 1, not {k}")
        remaining = iter(queries.items())
        while batch := list(islice(remaining, _QUERIES_PER_BATCH)):
            read = {query_id: (intents or {}).get(query_id) for query_id, _ in batch}
            for query_id, text in batch:
                day = (reference_dates or {}).get(query_id)
                read[query_id] = read[query_id] or self.reranker.extractor.extract(text, reference_date=day)
            known = [intent for intent in read.values() if intent is not None]
            texts = list(dict.fromkeys(map(self._pool.semantic_query, known)))
            semantic = dict(zip(texts, self.retriever.batch_scores(texts), strict=True))
            for (query_id, _), intent in zip(batch, known, strict=True):
                yield query_id, self._best(intent, semantic[self._pool.semantic_query(intent)], k)

    def _best(self, intent: TemporalIntent, semantic: Scores, k: int) -> dict[str, float]:
        if intent.is_temporal:
            result = self.reranker.fuse(intent, semantic, self._pool.columns_for(intent))
            scores = result.ranked_by
        else:
            scores = semantic
        order = self._pool.order(scores, semantic, k=k)
        return {self.documents[index].doc_id: float(scores[index]) for index in order}


def unmatched(ranking: Ranking) -> Ranking:
    """The ranking with a note that no word decided; none where the query is of nothing but time."""
    intent = ranking.intent
    if intent.is_temporal and intent.semantic_query == intent.query:
        return ranking
    order = "ranked by time alone" if intent.is_temporal else "in the order of their ids"
    return replace(ranking, notes=(f"{NO_MATCH}: {order}" if ranking else NO_MATCH, *ranking.notes))
