"""Grammar and model together: where they agree the reading is nearly sure, where not a rule chosen on dev decides."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from typing import Literal, NamedTuple

from qtie.intent import IntentExtractor, IntentOptions, TemporalIntent
from qtie.tie.grammar import GrammarExtractor
from qtie.tie.model import ModelExtractor, Reading

__all__ = ["CASES", "Case", "Decision", "EnsembleExtractor", "EnsembleRule", "case_of", "fit_rule"]

Case = Literal["agree", "grammar sees no time", "model sees no time", "they differ"]
"""How the two readings stand to each other: they differ where both see a time, but not the same."""
CASES: tuple[Case, ...] = ("agree", "grammar sees no time", "model sees no time", "they differ")


@dataclass(frozen=True, slots=True)
class EnsembleRule:
    """From which confidence on the model decides in each case, and how often the chosen reading is right.

    The defaults were chosen on the queries of `benchmarks/data/intent_dev2.jsonl` and `intent_dev3.jsonl`. The grammar
    was mended with both, so its shares are somewhat too high.
    """

    model_decides_from: Mapping[Case, float] = field(default_factory=lambda: _MODEL_DECIDES_FROM)
    """Confidences in [0, 1]; above 1: the grammar always decides."""
    agreed_confidence: float = 0.995
    """The share of the readings on which both agree that are right."""
    grammar_confidence: Mapping[Case, float] = field(default_factory=lambda: _GRAMMAR_CONFIDENCE)
    """The share of the grammar's readings that are right, where it decides against the model."""


_MODEL_DECIDES_FROM: dict[Case, float] = {
    "agree": 0.0,
    "grammar sees no time": 0.98,
    "model sees no time": 0.93,
    "they differ": 1.01,
}
_GRAMMAR_CONFIDENCE: dict[Case, float] = {
    "grammar sees no time": 0.98,
    "model sees no time": 0.60,
    "they differ": 0.75,
}


class Decision(NamedTuple):
    """An intent, what decided it, and how sure it is."""

    intent: TemporalIntent
    case: Case
    decided_by: str
    confidence: float
    model: Reading
    grammar: TemporalIntent


class EnsembleExtractor:
    """Reads English queries with grammar and model; an `IntentExtractor`.

    Example:
        >>> intent = EnsembleExtractor().extract("who led the ministry three years before 2019")
        >>> print(intent.interval, intent.extractor)
        2016-01-01/2016-12-31 ensemble
    """

    name = "ensemble"

    def __init__(
        self,
        model: ModelExtractor | None = None,
        grammar: IntentExtractor | None = None,
        *,
        rule: EnsembleRule | None = None,
        options: IntentOptions | None = None,
    ) -> None:
        self.options = options or IntentOptions()
        self.model = model or ModelExtractor(options=self.options)
        self.grammar = grammar or GrammarExtractor(self.options)
        self.rule = rule or EnsembleRule()

    def extract(self, query: str, *, reference_date: date | None = None) -> TemporalIntent:
        """The time that the query asks for, both readings listed where grammar and model differ."""
        return self.decide(query, reference_date=reference_date).intent

    def extract_batch(
        self, queries: Sequence[str], *, reference_dates: Sequence[date | None] | None = None
    ) -> list[TemporalIntent]:
        """The intents of many queries, in order; faster than one by one."""
        return [decision.intent for decision in self.decide_batch(queries, reference_dates=reference_dates)]

    def decide(self, query: str, *, reference_date: date | None = None) -> Decision:
        """The intent with what decided it."""
        return next(self.decide_batch([query], reference_dates=[reference_date]))

    def decide_batch(
        self, queries: Sequence[str], *, reference_dates: Sequence[date | None] | None = None
    ) -> Iterator[Decision]:
        """The decisions on many queries, in order."""
        days: list[date | None] = [None] * len(queries) if reference_dates is None else list(reference_dates)
        for reading, day in zip(self.model.explain_batch(queries, reference_dates=days), days, strict=True):
            yield self._decided(reading, self.grammar.extract(reading.intent.query, reference_date=day))

    def _decided(self, reading: Reading, grammar: TemporalIntent) -> Decision:
        case = case_of(reading.intent, grammar)
        by_model = reading.confidence >= self.rule.model_decides_from[case]
        chosen, other = (reading.intent, grammar) if by_model else (grammar, reading.intent)
        if case == "agree":
            confidence = self.rule.agreed_confidence
        else:
            confidence = reading.confidence if by_model else self.rule.grammar_confidence[case]
        intent = replace(_with_other(chosen, other, confidence), extractor=self.name)
        decided_by = "both" if case == "agree" else ModelExtractor.name if by_model else GrammarExtractor.name
        return Decision(intent, case, decided_by, confidence, reading, grammar)


def case_of(model: TemporalIntent, grammar: TemporalIntent) -> Case:
    """How two readings of a query stand to each other."""
    if (model.intervals, model.preference) == (grammar.intervals, grammar.preference):
        return "agree"
    if not grammar.is_temporal:
        return "grammar sees no time"
    return "they differ" if model.is_temporal else "model sees no time"


def _with_other(chosen: TemporalIntent, other: TemporalIntent, confidence: float) -> TemporalIntent:
    """The chosen intent with its confidence, and with the other one's intervals among the readings."""
    readings = tuple(interval for interval in other.intervals if interval not in chosen.intervals)
    constraints = tuple(
        replace(c, confidence=confidence, readings=(*c.readings, *(r for r in readings if r not in c.readings)))
        for c in chosen.constraints
    )
    return replace(chosen, constraints=constraints)


def fit_rule(judged: Iterable[tuple[Case, float, bool, bool]]) -> EnsembleRule:
    """The rule that gets most development queries right.

    Args:
        judged: for each query its case, the model's confidence, and whether model and grammar are right.
    """
    rows = list(judged)
    model_decides_from: dict[Case, float] = {"agree": 0.0}
    grammar_confidence: dict[Case, float] = {}
    for case in CASES[1:]:
        of_case = [row[1:] for row in rows if row[0] == case]
        bounds = [at / 20 for at in range(21)] + [1.1]
        model_decides_from[case] = max(bounds, key=lambda bound: (_n_right(of_case, bound), -abs(bound - 0.5)))
        left = [grammar for confidence, _, grammar in of_case if confidence < model_decides_from[case]]
        grammar_confidence[case] = round((sum(left) + 1) / (len(left) + 2), 3)
    agreed = [right for case, _, right, _ in rows if case == "agree"]
    return EnsembleRule(model_decides_from, round((sum(agreed) + 1) / (len(agreed) + 2), 4), grammar_confidence)


def _n_right(rows: list[tuple[float, bool, bool]], bound: float) -> int:
    return sum(model if confidence >= bound else grammar for confidence, model, grammar in rows)
