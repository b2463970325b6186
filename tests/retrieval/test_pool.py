"""The pool: its times are read once, and its order is total."""

import numpy as np

from qtie.document import Document
from qtie.intent import TemporalConstraint, TemporalIntent
from qtie.interval import TimeInterval
from qtie.retrieval.pool import Pool
from qtie.text_times import with_estimated_time
from qtie.tie.grammar import GrammarExtractor


def _intent(target: str) -> TemporalIntent:
    return TemporalIntent(query="", constraints=(TemporalConstraint(interval=TimeInterval.year(1950), target=target),))


def test_a_facet_that_is_asked_for_is_read_from_the_text_once() -> None:
    pool = Pool([Document(doc_id="a", text="Ada Smith (born 4 May 1950) is a chemist.")])
    born = pool.columns_for(_intent("born"))
    assert len(born.times_for("born").doc) == 1
    assert pool.columns_for(_intent("born")) is born
    assert len(pool.columns.times_for("born").doc) == 0
    assert pool.columns_for(_intent("any")) is pool.columns


def test_equal_scores_are_ordered_by_semantic_score_then_by_id() -> None:
    pool = Pool([Document(doc_id=doc_id, text="") for doc_id in ("d", "c", "b", "a")])
    scores, semantic = np.array([1.0, 1.0, 1.0, 2.0]), np.array([0.1, 0.5, 0.5, 0.0])
    assert pool.order(scores, semantic).tolist() == [3, 2, 1, 0]


def test_a_pool_may_be_empty() -> None:
    pool = Pool([])
    assert pool.order(np.array([]), np.array([])).tolist() == []
    assert pool.columns.n_docs == 0


def test_words_about_time_stay_where_many_documents_have_no_time() -> None:
    dated, undated = Document.from_record({"_id": "a", "text": "", "date": "2019"}), Document(doc_id="b", text="")
    read = with_estimated_time(Document(doc_id="c", text="The council passed its budget on 3 May 2019, after a row."))
    intent = GrammarExtractor().extract("budget in 2019")
    assert (Pool([dated, read, undated]).dated_share, Pool([]).dated_share) == (2 / 3, 0.0)
    assert Pool([dated, read, undated]).semantic_query(intent) == "budget"
    assert Pool([dated, undated]).semantic_query(intent) == "budget in 2019"
