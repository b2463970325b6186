import math
from collections.abc import Iterator
from datetime import date
from types import SimpleNamespace

import pytest

from qtie.evaluation.datasets import load_sample
from qtie.intent import TemporalConstraint, TemporalIntent
from qtie.interval import TimeInterval
from qtie.tie.ensemble import CASES, EnsembleExtractor, EnsembleRule, case_of


def intent_of(year: int | None) -> TemporalIntent:
    constraints = () if year is None else (TemporalConstraint(interval=TimeInterval.year(year)),)
    return TemporalIntent(query="q", constraints=constraints)


class StubModel:
    def __init__(self, year: int | None, confidence: float) -> None:
        program = SimpleNamespace(log_probability=math.log(confidence))
        self.reading = SimpleNamespace(intent=intent_of(year), confidence=confidence, program=program)

    def explain_batch(self, queries: list[str], *, reference_dates: object = None) -> Iterator[SimpleNamespace]:
        yield from [self.reading] * len(queries)


class StubGrammar:
    def __init__(self, year: int | None) -> None:
        self.year = year

    def extract(self, query: str, *, reference_date: object = None) -> TemporalIntent:
        return intent_of(self.year)


RULE = EnsembleRule(
    model_decides_from={"agree": 0.0, "grammar sees no time": 0.6, "model sees no time": 0.8, "they differ": 0.5},
    model_confidence=dict.fromkeys(CASES, (1.0, 0.0)) | {"agree": (1.0, 3.0)},
    grammar_confidence={"grammar sees no time": 0.7, "model sees no time": 0.6, "they differ": 0.8},
)


@pytest.mark.parametrize(
    ("model", "confidence", "grammar", "decided_by", "year"),
    [
        (2010, 0.2, 2010, "both", 2010),
        (2010, 0.7, None, "model", 2010),
        (2010, 0.5, None, "grammar", None),
        (None, 0.7, 2010, "grammar", 2010),
        (None, 0.9, 2010, "model", None),
        (2011, 0.9, 2010, "model", 2011),
        (2011, 0.4, 2010, "grammar", 2010),
    ],
)
def test_who_decides(
    model: int | None, confidence: float, grammar: int | None, decided_by: str, year: int | None
) -> None:
    ensemble = EnsembleExtractor(StubModel(model, confidence), StubGrammar(grammar), rule=RULE)  # type: ignore[arg-type]
    decision = ensemble.decide("q")
    assert decision.decided_by == decided_by
    assert decision.intent.interval == (None if year is None else TimeInterval.year(year))
    assert decision.intent.extractor == f"ensemble ({decided_by})"
    assert ensemble.extract_batch(["q", "q"]) == [ensemble.extract("q")] * 2


def test_both_readings_are_listed_where_they_differ() -> None:
    ensemble = EnsembleExtractor(StubModel(2011, 0.9), StubGrammar(2010), rule=RULE)  # type: ignore[arg-type]
    constraint = ensemble.extract("q").constraints[0]
    assert constraint.readings == (TimeInterval.year(2010),)
    assert constraint.confidence == pytest.approx(0.9)


def test_agreement_makes_surer() -> None:
    ensemble = EnsembleExtractor(StubModel(2010, 0.4), StubGrammar(2010), rule=RULE)  # type: ignore[arg-type]
    decision = ensemble.decide("q")
    assert 0.9 < decision.confidence < 0.95
    assert decision.intent.constraints == decision.grammar.constraints


def test_the_grammar_s_confidence_is_its_share() -> None:
    ensemble = EnsembleExtractor(StubModel(2011, 0.4), StubGrammar(2010), rule=RULE)  # type: ignore[arg-type]
    assert ensemble.decide("q").confidence == 0.8


def test_what_lies_behind_a_decision_is_told() -> None:
    decision = EnsembleExtractor().decide("won 3 years before 2019")
    assert decision.lines()[:3] == [
        f"agree: decided by both, confidence {decision.confidence:.3f}",
        "grammar: 2016-01-01/2016-12-31",
        "model: 2016-01-01/2016-12-31",
    ]


SAMPLE_DIFFERENCES = {
    "nuclear arms treaty in force in 2015": "they differ",
    "ECB rate cut last week": "they differ",
    "ECB deposit rate cut in the first quarter": "they differ",
    "the computer in 2001: A Space Odyssey": "grammar sees no time",
}
"""The queries of the sample corpus that the shipped model reads otherwise than the grammar, which is right."""


def test_grammar_and_model_agree_on_the_sample_corpus_but_for_these() -> None:
    queries = load_sample().queries
    days = [query.reference_date for query in queries]
    decisions = EnsembleExtractor().decide_batch([query.text for query in queries], reference_dates=days)
    assert {d.intent.query: d.case for d in decisions if d.case != "agree"} == SAMPLE_DIFFERENCES


def test_cases() -> None:
    assert case_of(intent_of(2010), intent_of(2010)) == "agree"
    assert case_of(intent_of(2010), intent_of(None)) == "grammar sees no time"
    assert case_of(intent_of(None), intent_of(2010)) == "model sees no time"
    assert case_of(intent_of(2011), intent_of(2010)) == "they differ"


@pytest.fixture(scope="module")
def shipped() -> EnsembleExtractor:
    return EnsembleExtractor()


@pytest.mark.parametrize(
    ("query", "interval"),
    [
        ("who won the 2018 Winter Olympics", "2018"),
        ("2016 Summer Olympics opening ceremony", "2016"),
        ("since the 2014 Winter Games", "2014/.."),
        ("2002 Winter Paralympics", "2002"),
        ("2010 Winter Youth Olympic Games", "2010"),
        ("2022 Winter Championships", "2022"),
        ("2017 fall classic", "2017"),
        ("2021 Spring Festival gala", "2021"),
        ("2020 summer school programme", "2020"),
        ("Arab Spring 2011", "2011"),
        ("2019 Spring Statement", "2019"),
        ("winter 2018 sales", "2018-24"),
        ("2018 summer sales", "2018-22"),
        ("laws passed in the first 100 days of her presidency", None),
        ("paintings from his last two years", None),
        ("paintings of the last two years", "2023-06-15/2025-06-15"),
        ("what happened on this day in 1969", "1969-06-15"),
        ("outages in the past 48 hours", "2025-06-13/2025-06-15"),
        ("Q3 results of 2019", "2019-35"),
    ],
)
def test_what_both_readers_know_of_words(shipped: EnsembleExtractor, query: str, interval: str | None) -> None:
    read = shipped.extract(query, reference_date=date(2025, 6, 15)).intervals
    assert read == (() if interval is None else (TimeInterval.parse(interval),))
