from collections.abc import Iterator
from types import SimpleNamespace

import pytest

from qtie.intent import TemporalConstraint, TemporalIntent
from qtie.interval import TimeInterval
from qtie.tie.ensemble import EnsembleExtractor, EnsembleRule, case_of, fit_rule


def intent_of(year: int | None) -> TemporalIntent:
    constraints = () if year is None else (TemporalConstraint(interval=TimeInterval.year(year)),)
    return TemporalIntent(query="q", constraints=constraints)


class StubModel:
    def __init__(self, year: int | None, confidence: float) -> None:
        self.reading = SimpleNamespace(intent=intent_of(year), confidence=confidence)

    def explain_batch(self, queries: list[str], *, reference_dates: object = None) -> Iterator[SimpleNamespace]:
        yield from [self.reading] * len(queries)


class StubGrammar:
    def __init__(self, year: int | None) -> None:
        self.year = year

    def extract(self, query: str, *, reference_date: object = None) -> TemporalIntent:
        return intent_of(self.year)


RULE = EnsembleRule(
    model_decides_from={"agree": 0.0, "grammar sees no time": 0.6, "model sees no time": 0.8, "they differ": 0.5},
    agreed_confidence=0.99,
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
    assert decision.intent.extractor == "ensemble"
    assert ensemble.extract_batch(["q", "q"]) == [ensemble.extract("q")] * 2


def test_both_readings_are_listed_where_they_differ() -> None:
    ensemble = EnsembleExtractor(StubModel(2011, 0.9), StubGrammar(2010), rule=RULE)  # type: ignore[arg-type]
    constraint = ensemble.extract("q").constraints[0]
    assert constraint.readings == (TimeInterval.year(2010),)
    assert constraint.confidence == 0.9


def test_agreement_is_nearly_sure() -> None:
    ensemble = EnsembleExtractor(StubModel(2010, 0.4), StubGrammar(2010), rule=RULE)  # type: ignore[arg-type]
    assert ensemble.extract("q").constraints[0].confidence == 0.99


def test_the_rule_is_the_one_that_gets_most_right() -> None:
    rows = [("they differ", 0.9, True, False)] * 5 + [("they differ", 0.6, False, True)] * 5
    rows += [("agree", 0.9, True, True)] * 98
    rule = fit_rule(rows)  # type: ignore[arg-type]
    assert 0.6 < rule.model_decides_from["they differ"] <= 0.9
    assert rule.agreed_confidence == 0.99
    assert rule.grammar_confidence["they differ"] == round(6 / 7, 3)


def test_cases() -> None:
    assert case_of(intent_of(2010), intent_of(2010)) == "agree"
    assert case_of(intent_of(2010), intent_of(None)) == "grammar sees no time"
    assert case_of(intent_of(None), intent_of(2010)) == "model sees no time"
    assert case_of(intent_of(2011), intent_of(2010)) == "they differ"
