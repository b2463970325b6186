"""`rerankers`: time after any ranker of that library. Needs `pip install "qtie[rerankers]"`.

It prints:

    The ministry's budget of 12 May 2019 passed. 0.705
    The ministry's budget of 12 May 2019 passed. 0.742
"""

from rerankers.models.ranker import BaseRanker
from rerankers.results import RankedResults, Result
from rerankers.utils import prep_docs

from qtie.integrations.rerankers import TemporalRanker


class SharedWords(BaseRanker):
    """Stands for `rerankers.Reranker("cross-encoder")`, which needs a model."""

    def __init__(self) -> None: ...

    def score(self, query, doc):
        return len(set(query.lower().split()) & set(doc.lower().split())) / len(query.split())

    def rank(self, query, docs, doc_ids=None):
        results = [Result(doc, self.score(query, doc.text)) for doc in prep_docs(docs, doc_ids)]
        return RankedResults(sorted(results, key=lambda result: -result.score), query, has_scores=True)


texts = ["The ministry's budget of 9 May 2016 passed.", "The ministry's budget of 12 May 2019 passed."]
for ranker in (TemporalRanker(), TemporalRanker(SharedWords())):  # alone, and after another one
    best = ranker.rank("budget of the ministry in 2019", texts).top_k(1)[0]
    print(best.text, round(best.score, 3))
