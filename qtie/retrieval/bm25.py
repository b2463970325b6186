"""BM25 over a corpus in memory."""

from collections.abc import Sequence
from importlib import import_module

import numpy as np

from qtie.document import Document
from qtie.retrieval.retriever import Scores, retrieval_text

__all__ = ["Bm25Retriever", "stop_words"]

_TOKEN = r"(?u)\b\d+(?:[.,]\d+)+\b|\b\w+\b"
"""A word, however short ("vitamin C"), or a number with its points ("3.9"), as Unicode segments words (UAX #29)."""

_QUESTION_WORDS = ("who", "whom", "whose", "what", "which", "when", "where", "why", "how")
"""Words of a question that say nothing of its topic, and that bm25s's English list lacks."""
_ENDINGS = ("s", "t", "ll", "re", "ve")
"""What an apostrophe leaves of "the ministry's" and "don't"."""


def stop_words() -> list[str]:
    """The English words that are neither indexed nor searched for, in lower case."""
    return [*import_module("bm25s.stopwords").STOPWORDS_EN, *_QUESTION_WORDS, *_ENDINGS]


class Bm25Retriever:
    r"""Okapi BM25 over title and text, lower-cased, without English stop words and question words; k1 = 1.5, b = 0.75.

    .. math:: S(q, d) = \sum_{t \in q} \log\left(1 + \frac{N - n_t + 0.5}{n_t + 0.5}\right)
                        \frac{f_{t,d}}{f_{t,d} + k_1 (1 - b + b\,|d| / \overline{|d|})}

    Robertson & Zaragoza (2009), "The Probabilistic Relevance Framework: BM25 and Beyond", as Lucene computes it;
    by bm25s (Lù, 2024).

    Example:
        >>> retriever = Bm25Retriever([Document(doc_id="a", text="red apples"), Document(doc_id="b", text="a pear")])
        >>> retriever.scores("an apple, or apples").round(2)
        array([0.24, 0.  ])
    """

    normalization = "bm25"

    def __init__(self, documents: Sequence[Document]) -> None:
        self._bm25s = import_module("bm25s")  # a required dependency, but slow to load
        tokens = self._tokens([retrieval_text(document) for document in documents])
        self._n_docs = len(documents)
        self._index = None
        if any(tokens):  # bm25s cannot index a corpus without words
            self._index = self._bm25s.BM25()
            self._index.index(tokens, show_progress=False)

    def scores(self, query: str) -> Scores:
        """Shape (n_docs,), in [0, ∞): 0 where no word is shared."""
        scores: Scores = self.batch_scores([query])[0]
        return scores

    def batch_scores(self, queries: Sequence[str]) -> Scores:
        """Shape (n_queries, n_docs), in [0, ∞)."""
        scores = np.zeros((len(queries), self._n_docs))
        if self._index is not None:
            for row, tokens in enumerate(self._tokens(list(queries))):
                if tokens:
                    scores[row] = self._index.get_scores(tokens)
        return scores

    def _tokens(self, texts: list[str]) -> list[list[str]]:
        if not texts:
            return []
        tokenize = self._bm25s.tokenize
        tokens: list[list[str]] = tokenize(
            texts, token_pattern=_TOKEN, stopwords=stop_words(), return_ids=False, show_progress=False
        )
        return tokens
