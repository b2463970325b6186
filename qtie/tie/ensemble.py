"""Grammar and model together: where they agree the reading is nearly sure, where not a rule chosen on dev decides."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from typing import Literal, NamedTuple

from qtie.intent import IntentExtractor, IntentOptions, TemporalIntent
from qtie.tie.decoding import Calibration
from qtie.tie.grammar import GrammarExtractor
from qtie.tie.model import ModelExtractor, Reading

__all__ = ["CASES", "Case", "Decision", "EnsembleExtractor", "EnsembleRule", "case_of"]

Case = Literal["agree", "grammar sees no time", "model sees no time", "they differ"]
"""How the two readings stand to each other: they differ where both see a time, but not the same."""
CASES: tuple[Case, ...] = ("agree", "grammar sees no time", "model sees no time", "they differ")


_BLOCK = 2048
"""Queries that the grammar reads before the model does: by turns, each would drive the other out of the cache."""


@dataclass(frozen=True, slots=True)
class EnsembleRule:
    """From which confidence on the model decides in each case, and how sure the chosen reading is.

    The defaults were chosen by `benchmarks/ensemble_rule.py`, on natural development queries: where the model is not
    sure of a plain query the grammar most often is right. On rare wordings, which the grammar reads badly, the model
    alone is better.
    """

    model_decides_from: Mapping[Case, float] = field(default_factory=lambda: _MODEL_DECIDES_FROM)
    """Confidences in [0, 1]; above 1: the grammar always decides."""
    model_confidence: Mapping[Case, tuple[float, float]] = field(default_factory=lambda: _MODEL_CONFIDENCE)
    """Slope and offset that make the log-odds of the model's program those of its being right in the case."""
    grammar_confidence: Mapping[Case, float] = field(default_factory=lambda: _GRAMMAR_CONFIDENCE)
    """The share of the grammar's readings that are right, where it decides against the model."""

    def confidence(self, case: Case, reading: Reading, *, by_model: bool) -> float:
        """The share of such readings that are right, in (0, 1)."""
        if not by_model:
            return self.grammar_confidence[case]
        slope, offset = self.model_confidence[case]
        return Calibration(slope=slope, offset=offset).confidence(reading.program.log_probability)


_MODEL_DECIDES_FROM: dict[Case, float] = {
    "agree": 0.0,
    "grammar sees no time": 0.93,
    "model sees no time": 0.95,
    "they differ": 0.9,
}
_MODEL_CONFIDENCE: dict[Case, tuple[float, float]] = {
    "agree": (0.468, 1.76),
    "grammar sees no time": (0.218, 1.35),
    "model sees no time": (0.280, 0.26),
    "they differ": (0.424, 0.41),
}
_GRAMMAR_CONFIDENCE: dict[Case, float] = {
    "grammar sees no time": 0.86,
    "model sees no time": 0.7,
    "they differ": 0.85,
}


class Decision(NamedTuple):
    """An intent, what decided it, and how sure it is: the share of such decisions that are right, in (0, 1).

    Where both agree the intent is the grammar's as it is; else its constraints have that confidence.
    """

    intent: TemporalIntent
    case: Case
    decided_by: str
    confidence: float
    model: Reading
    grammar: TemporalIntent

    def lines(self) -> list[str]:
        """For people: who decided and why, what each read, and the model's tags and program."""
        said = {"grammar": self.grammar, "model": self.model.intent}
        readings = [f"{name}: {' or '.join(map(str, one.intervals)) or 'no time'}" for name, one in said.items()]
        return [
            f"{self.case}: decided by {self.decided_by}, confidence {self.confidence:.3f}",
            *readings,
            *self.model.lines(),
        ]


class EnsembleExtractor:
    """Reads English queries with grammar and model; an `IntentExtractor`.

    Example:
        >>> intent = EnsembleExtractor().extract("who led the ministry three years before 2019")
        >>> print(intent.interval, intent.extractor)
        2016-01-01/2016-12-31 ensemble (both)
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
        for start in range(0, len(queries), _BLOCK):
            block, its_days = queries[start : start + _BLOCK], days[start : start + _BLOCK]
            asked = zip(block, its_days, strict=True)
            read = [self.grammar.extract(query, reference_date=day) for query, day in asked]
            yield from map(self._decided, self.model.explain_batch(block, reference_dates=its_days), read)

    def _decided(self, reading: Reading, grammar: TemporalIntent) -> Decision:
        case = case_of(reading.intent, grammar)
        by_model = reading.confidence >= self.rule.model_decides_from[case]
        confidence = self.rule.confidence(case, reading, by_model=by_model)
        if case == "agree":  # nothing speaks against it, and the grammar knows the words best
            decided_by, intent = "both", grammar
        elif by_model:
            decided_by, intent = ModelExtractor.name, _with_other(reading.intent, grammar, confidence)
        else:
            decided_by, intent = GrammarExtractor.name, _with_other(grammar, reading.intent, confidence)
        intent = replace(intent, extractor=f"{self.name} ({decided_by})")
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
