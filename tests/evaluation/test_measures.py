import math
import random
import sys

import ir_measures
import pytest

from qtie.document import Document, DocumentTime
from qtie.errors import EvaluationError, MissingExtraError
from qtie.evaluation.measures import Evaluation, evaluate, harm, violation_at_k
from qtie.intent import TemporalConstraint, TemporalIntent
from qtie.interval import TimeInterval

MEASURES = ["P@1", "P@5", "R@5", "R@100", "nDCG@10", "RR", "AP", "RR@10"]


def year(number: int, **changes: object) -> TemporalIntent:
    constraint = TemporalConstraint(interval=TimeInterval.year(number), **changes)  # type: ignore[arg-type]
    return TemporalIntent(query="q", constraints=(constraint,))


ATEMPORAL = TemporalIntent(query="q")


def document(doc_id: str, *years: int, facet: str = "timestamp") -> Document:
    times = tuple(DocumentTime(interval=TimeInterval.year(number)) for number in years)
    return Document(doc_id=doc_id, text="", times={facet: times} if times else {})


@pytest.mark.parametrize("seed", range(20))
def test_agrees_with_ir_measures_ties_included(seed: int) -> None:
    rng = random.Random(seed)
    doc_ids = [f"d{i}" for i in range(40)]
    qrels = {f"q{i}": {d: rng.choice([0, 0, 1, 2]) for d in rng.sample(doc_ids, 12)} for i in range(12)}
    run = {q: {d: rng.choice([0.0, 0.5, 1.0, rng.random()]) for d in rng.sample(doc_ids, 20)} for q in qrels}
    for query_id in rng.sample(sorted(run), 3):
        del run[query_id]  # nothing was retrieved: counts 0
    ours = evaluate(qrels, run, MEASURES).means
    theirs = ir_measures.calc_aggregate([ir_measures.parse_measure(name) for name in MEASURES], qrels, run)
    for measure, value in theirs.items():
        assert ours[str(measure)] == pytest.approx(value, abs=1e-9)


def test_by_hand() -> None:
    qrels = {"q1": {"a": 1, "b": 1}, "q2": {"a": 1}, "q3": {"c": 1}}
    run = {"q1": {"a": 3.0, "x": 2.0, "b": 1.0}, "q2": {"x": 1.0, "a": 0.5}}
    result = evaluate(qrels, run, ["P@1", "R@2", "RR", "nDCG@10"])
    assert result.per_query["P@1"] == {"q1": 1.0, "q2": 0.0, "q3": 0.0}
    assert result.per_query["R@2"] == {"q1": 0.5, "q2": 1.0, "q3": 0.0}
    assert result.per_query["RR"] == {"q1": 1.0, "q2": 0.5, "q3": 0.0}
    assert result.per_query["nDCG@10"]["q1"] == pytest.approx(1.5 / (1 + 1 / math.log2(3)))
    assert result.means["P@1"] == pytest.approx(1 / 3)
    assert evaluate(qrels, {}, ["P@1"]).means == {"P@1": 0.0}
    assert evaluate(qrels, {"q1": {}}, ["P@1"]).means == {"P@1": 0.0}
    assert math.isnan(Evaluation({"harm": {}}).means["harm"])


def test_violation_at_k() -> None:
    corpus = [document("in", 2019), document("out", 2001), document("both", 2001, 2019), document("undated")]
    run = {"q1": {"out": 4.0, "both": 3.0, "undated": 2.0, "in": 1.0}, "q2": {"out": 1.0}, "q3": {"out": 1.0}}
    intents = {"q1": year(2019), "q2": ATEMPORAL, "q3": year(2001), "q4": year(1999)}
    assert violation_at_k(run, intents, corpus, k=1) == {"q1": 1.0, "q3": 0.0, "q4": 0.0}
    assert violation_at_k(run, intents, corpus, k=2)["q1"] == 0.5
    assert violation_at_k(run, intents, corpus, k=10)["q1"] == 0.25
    by_name = evaluate({"q1": {"in": 1}, "q2": {"out": 1}, "q3": {"out": 1}}, run, ["violation@2", "P@1"],
                       documents=corpus, intents=intents)  # fmt: skip
    assert by_name.means["violation@2"] == pytest.approx(0.5 / 3)


def test_violation_follows_the_target() -> None:
    corpus = [document("a", 1900, facet="born"), document("b", 1950, facet="born")]
    run = {"q": {"b": 2.0, "a": 1.0}}
    assert violation_at_k(run, {"q": year(1900, target="born")}, corpus, k=1) == {"q": 1.0}
    assert violation_at_k(run, {"q": year(1900)}, corpus, k=1) == {"q": 0.0}  # `any` is never born


def test_violation_orders_ties_as_trec_eval_does() -> None:
    corpus = [document("a", 2001), document("b", 2019)]
    run = {"q": {"a": 1.0, "b": 1.0}}
    assert evaluate({"q": {"b": 1}}, run, ["P@1"]).means == {"P@1": 1.0}
    assert violation_at_k(run, {"q": year(2019)}, corpus, k=1) == {"q": 0.0}


def test_harm_is_the_change_on_atemporal_queries() -> None:
    qrels = {"q1": {"a": 1}, "q2": {"a": 1}, "q3": {"a": 1}}
    before = {q: {"a": 2.0, "b": 1.0} for q in qrels}
    after = {"q1": {"a": 2.0, "b": 1.0}, "q2": {"b": 2.0, "a": 1.0}, "q3": {"b": 2.0, "a": 1.0}}
    intents = {"q1": ATEMPORAL, "q2": ATEMPORAL, "q3": year(2019)}
    assert harm(qrels, after, before, intents=intents) == {"q1": 0.0, "q2": pytest.approx(1 / math.log2(3) - 1)}
    means = evaluate(qrels, after, ["harm"], intents=intents, baseline=before).means
    assert means["harm"] == pytest.approx((1 / math.log2(3) - 1) / 2)


GOOD = {"q": {"a": 1}}
RUN = {"q": {"a": 1.0}}


@pytest.mark.parametrize(
    ("qrels", "run", "measures", "message"),
    [
        ({}, RUN, ["P@1"], "no relevant document"),
        ({"q": {}}, RUN, ["P@1"], "no relevant document"),
        ({"q": {"a": 0}}, RUN, ["P@1"], "no relevant document"),
        (GOOD, {"q": {"a": math.nan}}, ["P@1"], "score of 'a' for query 'q' is nan"),
        (GOOD, {"q": {"a": math.inf}}, ["P@1"], "is inf"),
        (GOOD, {"q": {}, "r": {"a": 1.0}}, ["P@1"], r"unknown queries in the run, not in the qrels: 'r' \(1 in all\)"),
        (GOOD, RUN, [], "no measure asked for"),
        (GOOD, RUN, ["P@"], "cannot measure 'P@'"),
        (GOOD, RUN, ["precision"], "cannot measure 'precision'"),
        (GOOD, RUN, ["P@0"], "cannot measure 'P@0'"),
        (GOOD, RUN, ["P@1.5"], "cannot measure 'P@1.5': invalid param cutoff=1.5"),
        (GOOD, RUN, ["AP(rel=0)"], "cannot measure 'AP.rel=0.'"),
        (GOOD, RUN, ["alpha_nDCG@5"], "cannot measure 'alpha_nDCG@5'"),
        (GOOD, RUN, ["R@0"], "cannot measure 'R@0'"),
        (GOOD, RUN, ["violation@0"], "cannot measure 'violation@0'"),
        (GOOD, RUN, ["violation@5"], "violation@5 needs the documents and the intents"),
        (GOOD, RUN, ["harm"], "harm needs a baseline run and the intents"),
    ],
)
def test_what_does_not_fit_is_refused(qrels: dict, run: dict, measures: list[str], message: str) -> None:
    with pytest.raises(EvaluationError, match=message) as error:
        evaluate(qrels, run, measures)
    assert "\n" not in str(error.value)


def test_unknown_documents_and_missing_intents() -> None:
    with pytest.raises(EvaluationError, match="unknown documents in the ranking of 'q': 'a'"):
        evaluate(GOOD, RUN, ["violation@5"], documents=[document("z")], intents={"q": year(2019)})
    with pytest.raises(EvaluationError, match="unknown queries in the run: 'q'"):
        evaluate(GOOD, RUN, ["violation@5"], documents=[document("a")], intents={})
    with pytest.raises(EvaluationError, match="unknown queries in the qrels, without an intent: 'q'"):
        evaluate(GOOD, RUN, ["harm"], baseline=RUN, intents={})


def test_without_ir_measures(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ir_measures", None)
    with pytest.raises(MissingExtraError, match=r'pip install "qtie\[eval\]"'):
        evaluate(GOOD, RUN, ["P@1"])
