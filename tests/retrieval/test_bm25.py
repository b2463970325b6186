import logging
import math

import numpy as np
import pytest

from qtie.document import Document
from qtie.retrieval.bm25 import Bm25Retriever
from qtie.retrieval.retriever import Retriever


def test_scores_are_the_formula(fruit: list[Document]) -> None:
    # tokens without stop words: a [red, apples, pear], b [green, pear, sky], c [cloud]; mean length 7/3
    idf = math.log(1 + (3 - 2 + 0.5) / (2 + 0.5))
    expected = idf / (1 + 1.5 * (0.25 + 0.75 * 3 / (7 / 3)))
    np.testing.assert_allclose(Bm25Retriever(fruit).scores("the PEAR"), [expected, expected, 0], rtol=1e-6)


def test_every_document_has_a_score(fruit: list[Document]) -> None:
    retriever = Bm25Retriever(fruit)
    assert isinstance(retriever, Retriever)
    scores = retriever.batch_scores(["sky", "", "the", "unheard", "red apples"])
    assert scores.shape == (5, 3)
    assert scores.dtype == np.float64
    assert not scores[1:4].any()
    assert scores[0].argmax() == 1
    np.testing.assert_array_equal(scores[4], retriever.scores("red apples"))


@pytest.mark.parametrize("texts", [[], [""], ["the", "of"]])
def test_corpora_without_words(texts: list[str]) -> None:
    retriever = Bm25Retriever([Document(doc_id=str(i), text=text) for i, text in enumerate(texts)])
    np.testing.assert_array_equal(retriever.scores("pear"), np.zeros(len(texts)))
    assert retriever.batch_scores([]).shape == (0, len(texts))


def test_is_quiet(fruit: list[Document], capfd: pytest.CaptureFixture[str], caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.INFO):
        Bm25Retriever(fruit).scores("pear")
    assert capfd.readouterr() == ("", "")


@pytest.mark.parametrize(
    ("query", "best"), [("Python 3.9", "b"), ("vitamin C", "d"), ("what does the letter of the mayor's say", "e")]
)
def test_short_words_and_version_numbers_count(query: str, best: str) -> None:
    texts = {
        "a": "Python 3.1 brought ordered dictionaries, 9 fixes",
        "b": "Python 3.9 brought union operators",
        "c": "vitamin D helps against rickets",
        "d": "vitamin C helps against scurvy",
        "e": "a letter of the mayor",
        "f": "it's what the council's clerk said of the town's wall",
    }
    retriever = Bm25Retriever([Document(doc_id=doc_id, text=text) for doc_id, text in texts.items()])
    assert list(texts)[int(retriever.scores(query).argmax())] == best
