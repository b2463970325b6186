"""PyTerrier's transformers, in pipelines and in an experiment; Java is never started."""

from datetime import date
from typing import Any

import pytest

pytest.importorskip("pyterrier", reason="needs qtie[pyterrier]")

import pandas as pd
import pyterrier as pt

from qtie.errors import ConfigError, DocumentError
from qtie.integrations.pyterrier import TemporalIntent, TemporalRerank
from qtie.reranker import TemporalReranker

# PyTerrier 1.1 itself uses what pandas 3.1 calls deprecated.
pytestmark = pytest.mark.filterwarnings("ignore:The inplace keyword in DataFrame:DeprecationWarning")

Notes = list[tuple[str, dict[str, Any]]]
TOPICS = pd.DataFrame(
    [
        {"qid": "1", "query": "who leads the ministry in 2016"},
        {"qid": "2", "query": "who leads the ministry"},
        {"qid": "3", "query": "ministry since 2019"},
    ]
)


@pytest.fixture
def results(notes: Notes) -> pd.DataFrame:
    rows = [
        {"qid": qid, "docno": metadata["id"], "text": text, "date": metadata.get("date"), "score": 10.0 - position}
        for qid in TOPICS["qid"]
        for position, (text, metadata) in enumerate(notes)
    ]
    return pt.model.add_ranks(pd.DataFrame(rows))


@pytest.fixture
def retriever(results: pd.DataFrame) -> Any:
    return pt.Transformer.from_df(results)


def _docnos(ranked: pd.DataFrame, qid: str) -> list[str]:
    return ranked[ranked["qid"] == qid].sort_values("rank")["docno"].tolist()


def test_reranks_each_query(retriever: Any, results: pd.DataFrame) -> None:
    before = results.copy(deep=True)
    ranked = (retriever >> TemporalRerank())(TOPICS)
    assert _docnos(ranked, "1")[0] == "jonas"
    assert _docnos(ranked, "3")[0] == "elke"
    best = ranked[(ranked["qid"] == "1") & (ranked["rank"] == 0)].iloc[0]
    reasons = best["temporal"]
    assert (reasons["intervals"], reasons["cues"]) == (["2016-01-01/2016-12-31"], ["in 2016"])
    assert (reasons["relation"], reasons["rank_before"]) == ("during", 2)
    pd.testing.assert_frame_equal(results, before)


def test_atemporal_queries_change_nothing(retriever: Any, results: pd.DataFrame) -> None:
    ranked = (retriever >> TemporalRerank())(TOPICS)
    columns = ["qid", "docno", "text", "date", "score", "rank"]
    same, given = (frame[frame["qid"] == "2"][columns].reset_index(drop=True) for frame in (ranked, results))
    pd.testing.assert_frame_equal(same, given)


def test_rows_without_scores_count_as_sorted(results: pd.DataFrame) -> None:
    unscored = results.merge(TOPICS).drop(columns=["score", "rank", "text"])
    ranked = TemporalRerank()(unscored)
    assert _docnos(ranked, "1")[0] == "jonas"
    assert _docnos(ranked, "2") == ["elke", "jonas", "nobody", "apples"]


def test_every_form_of_a_time(in_2019: dict[str, Any]) -> None:
    rows = [{"docno": "wrong", "date": "2016-05-09"}, {"docno": "right", **in_2019}]
    found = pd.DataFrame([{"qid": "1", "query": "budget in 2019", "score": 1.0, **row} for row in rows])
    assert _docnos(TemporalRerank()(found), "1")[0] == "right"


def test_intent_adds_the_first_and_the_last_day() -> None:
    before = TOPICS.copy(deep=True)
    timed = TemporalIntent()(TOPICS)
    assert timed["t_start"].tolist() == ["2016-01-01", None, "2019-01-01"]
    assert timed["t_end"].tolist() == ["2016-12-31", None, None]
    pd.testing.assert_frame_equal(TOPICS, before)
    pd.testing.assert_frame_equal(timed[["qid", "query"]], TOPICS)


@pytest.mark.parametrize("day", ["2017-06-15", date(2017, 6, 15), pd.Timestamp("2017-06-15 10:00")])
def test_topics_may_bring_the_day_they_were_asked(results: pd.DataFrame, day: object) -> None:
    topics = pd.DataFrame({"qid": ["1", "3"], "query": "ministry last year", "reference_date": [day, None]})
    timed = TemporalIntent(reference_date=date(2020, 1, 1))(topics)
    assert timed["t_start"].tolist() == ["2016-01-01", "2019-01-01"]
    ranked = TemporalRerank(reference_date=lambda: date(2020, 1, 1))(results.merge(topics))
    assert (_docnos(ranked, "1")[0], _docnos(ranked, "3")[0]) == ("jonas", "elke")


def test_in_an_experiment_without_java(retriever: Any) -> None:
    qrels = pd.DataFrame({"qid": ["1", "2", "3"], "docno": ["jonas", "elke", "elke"], "label": [1, 1, 1]})
    pipelines = [retriever, TemporalIntent() >> retriever >> TemporalRerank()]
    table = pt.Experiment(pipelines, TOPICS, qrels, ["P_1", "recip_rank"], names=["alone", "with time"])
    assert table["P_1"].tolist() == pytest.approx([2 / 3, 1.0])
    assert not pt.java.started()


def test_empty_frames_keep_their_columns(results: pd.DataFrame) -> None:
    asked = results.merge(TOPICS)
    assert set(TemporalRerank()(asked.iloc[:0]).columns) == set(TemporalRerank()(asked).columns)
    assert list(TemporalIntent()(TOPICS.iloc[:0]).columns) == ["qid", "query", "t_start", "t_end"]
    strict = TemporalRerank(TemporalReranker(mode="strict", missing="drop"))
    assert len(strict(asked[(asked["qid"] == "1") & (asked["docno"] != "jonas") & (asked["docno"] != "apples")])) == 0


def test_pyterrier_can_inspect_the_columns(results: pd.DataFrame) -> None:
    outputs = pt.inspect.transformer_outputs(TemporalRerank(), ["qid", "query", "docno", "score", "rank"])
    assert {"qid", "query", "docno", "score", "rank", "temporal"} <= set(outputs)
    assert pt.inspect.transformer_outputs(TemporalIntent(), ["qid", "query"]) == ["qid", "query", "t_start", "t_end"]


def test_bad_input_is_one_error(results: pd.DataFrame) -> None:
    with pytest.raises(pt.validate.InputValidationError, match="query"):
        TemporalRerank()(results)
    asked = results.merge(TOPICS)
    with pytest.raises(DocumentError, match="finite"):
        TemporalRerank()(asked.assign(score=float("nan")))
    with pytest.raises(ConfigError, match="reference_date must be a day"):
        TemporalRerank()(asked.assign(reference_date="2017"))
