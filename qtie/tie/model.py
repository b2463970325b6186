"""The shipped extractor: a small encoder reads a query once and says a program, which ordinary code carries out.

The encoder is MiniLM's first layers (Wang et al., 2020, "MiniLM: Deep self-attention distillation for task-agnostic
compression of pre-trained transformers"), fine-tuned on generated queries; see `weights/MODEL_CARD.md`.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import date
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from qtie.intent import IntentOptions, TemporalConstraint, TemporalIntent
from qtie.interval import Granularity, TimeInterval
from qtie.tie.decoding import HEADS, N_LOGITS, Encoded, Program, decode
from qtie.tie.en.clauses import of_their_year
from qtie.tie.encoder import WEIGHTS, TieModel, encode, shipped_model
from qtie.tie.program import candidates, execute
from qtie.tie.semantic_query import semantic_query

__all__ = ["ModelExtractor", "Reading"]

Floats = NDArray[np.float32]

_BLOCK = 2048
"""Queries prepared before the network reads them, together with those that have as many pieces."""


@dataclass(frozen=True, slots=True)
class Reading:
    """How the model read a query: what `qtie intent --explain` shows."""

    intent: TemporalIntent
    program: Program
    encoded: Encoded
    logits: Floats
    confidence: float
    """The share of such programs that are right, in (0, 1), calibrated."""

    @property
    def tags(self) -> list[tuple[str, str]]:
        """Each word piece as it stands in the query, and its tag."""
        first = N_LOGITS - len(HEADS["preference"]) - len(HEADS["tag"])
        tags = self.logits[:, first : first + len(HEADS["tag"])].argmax(axis=-1)
        pieces = [self.intent.query[start:end] for start, end in self.encoded.offsets]
        return [(piece, HEADS["tag"][tag]) for piece, tag in zip(pieces, tags, strict=True) if piece]

    def lines(self) -> list[str]:
        """The same for people: the words with their tags, each value or duration with its step, the confidence.

        Example:
            >>> for line in ModelExtractor().explain("won 3 years before 2019").lines()[:3]:
            ...     print(line)
            tags: won 3/begin years/inside before/inside 2019/inside
            "3 years" is 3 year: shift back, in
            "2019" is 2019-01-01/2019-12-31: operand
        """
        record = self.to_dict()
        tagged = [piece if tag == "outside" else f"{piece}/{tag}" for piece, tag in record["tags"]]
        lines = ["tags: " + " ".join(tagged)]
        for step in record["program"]:
            said = [step["role"]] if step["role"] != "none" else []
            said += ["no time" if step["operator"] == "none" else step["operator"]]
            said += [f"of the {step['target']}"] if step["target"] != "any" else []
            said += ["left out"] if step["negated"] else []
            lines.append(f'"{step["words"]}" is {step["value"]}: {", ".join(said)}')
        lines += [f"preference: {self.program.preference}"] if self.program.preference else []
        return [*lines, f"model's confidence: {self.confidence:.3f}"]

    def to_dict(self) -> dict[str, Any]:
        """A JSON-ready record: tags, values, program and confidence."""
        values = [
            {
                "words": self.intent.query[c.start : c.end],
                "value": f"{c.n} {c.unit}" if c.timex is None else str(c.timex.interval),
                **{name: value for name, value in asdict(step).items() if name not in ("phrase", "confidence")},
            }
            for c, step in zip(self.encoded.found, self.program.steps, strict=True)
        ]
        return {
            "tags": [list(pair) for pair in self.tags],
            "program": values,
            "preference": self.program.preference,
            "confidence": self.confidence,
        }


class ModelExtractor:
    """Reads English queries with the shipped model; an `IntentExtractor`.

    Example:
        >>> intent = ModelExtractor().extract("who led the ministry three years before 2019")
        >>> print(intent.highlight(), "→", intent.interval, "|", intent.semantic_query)
        who led the ministry [three years before 2019] → 2016-01-01/2016-12-31 | who led the ministry
    """

    name = "model"

    def __init__(self, model: TieModel | Path = WEIGHTS, options: IntentOptions | None = None) -> None:
        self._source = model
        self.options = options or IntentOptions()

    @cached_property
    def model(self) -> TieModel:
        """The model, loaded at first use."""
        if isinstance(self._source, TieModel):
            return self._source
        return shipped_model() if self._source == WEIGHTS else TieModel.load(self._source)

    def extract(self, query: str, *, reference_date: date | None = None) -> TemporalIntent:
        """The time that the query asks for; atemporal where the model sees none.

        Args:
            query: the text as typed, of any length; what follows the first 128 word pieces is not read.
            reference_date: what "last year" counts from; without it such words stay unresolved.
        """
        return self.explain(query, reference_date=reference_date).intent

    def explain(self, query: str, *, reference_date: date | None = None) -> Reading:
        """The intent with the program it comes from."""
        return next(self.explain_batch([query], reference_dates=[reference_date]))

    def extract_batch(
        self, queries: Sequence[str], *, reference_dates: Sequence[date | None] | None = None
    ) -> list[TemporalIntent]:
        """The intents of many queries, in order; faster than one by one.

        Args:
            reference_dates: one for each query; None: no reference date.
        """
        return [reading.intent for reading in self.explain_batch(queries, reference_dates=reference_dates)]

    def explain_batch(
        self, queries: Sequence[str], *, reference_dates: Sequence[date | None] | None = None
    ) -> Iterator[Reading]:
        """The readings of many queries, in order."""
        days: list[date | None] = [None] * len(queries) if reference_dates is None else list(reference_dates)
        asked = list(zip(queries, days, strict=True))
        for start in range(0, len(asked), _BLOCK):
            block = asked[start : start + _BLOCK]
            encoded = [self._encoded(query, day) for query, day in block]
            logits = self.model.logits(encoded)
            for (query, day), one, its_logits in zip(block, encoded, logits, strict=True):
                yield self._reading(query, day, one, its_logits)

    def _encoded(self, query: str, day: date | None) -> Encoded:
        text = query[:2000]
        found = candidates(text, reference_date=day, options=self.options)
        return encode(self.model.tokenizer, text, found)

    def _reading(self, query: str, day: date | None, encoded: Encoded, logits: Floats) -> Reading:
        calibration = self.model.calibration
        program = decode(encoded, logits, calibration)
        confidence = calibration.confidence(program.log_probability)
        intent = self.carried_out(query, day, encoded, program, confidence=confidence)
        return Reading(intent, program, encoded, logits, confidence)

    def carried_out(
        self, query: str, day: date | None, encoded: Encoded, program: Program, *, confidence: float = 1.0
    ) -> TemporalIntent:
        """The intent that a program over the query's candidates says."""
        steps = [replace(step, confidence=confidence) for step in program.steps]
        constraints = execute(encoded.found, steps, reference_date=day, options=self.options)
        constraints = [replace(constraint, rule=self.name) for constraint in of_their_year(constraints, query)]
        resolved = any(c.resolved for c in constraints)
        preference, span = program.preference, _whole_words(query, program.preference_span)
        if preference == "earliest" and not resolved:
            preference = span = None
        if preference is None and any(c.operator == "as of" and c.resolved for c in constraints):
            preference = "latest"
        removed = [step.phrase for step in program.steps if step.phrase] if resolved else []
        removed += [span] if span else []
        if preference == "latest" and not resolved and day is not None:
            constraints = [_current(query, day, span), *constraints]
            span = None
        return TemporalIntent(
            query=query,
            constraints=tuple(constraints),
            preference=preference,
            preference_span=span,
            reference_date=day,
            semantic_query=semantic_query(query, removed) if removed else query,
            extractor=self.name,
            options=self.options,
        )


_WORD_LEFT = re.compile(r"(?<=\w)\w+")


def _whole_words(query: str, span: tuple[int, int] | None) -> tuple[int, int] | None:
    """The span without a last word that it only begins, such as the "t" of "last tweet"; a lone word is made whole."""
    left = None if span is None else _WORD_LEFT.match(query, span[1])
    if span is None or left is None:
        return span
    last = query.rfind(" ", *span)
    return span[0], last if last > span[0] else left.end()


_NOW = re.compile(r"(?i)\b(?:current(?:ly)?|now|present(?:ly)?|moment|these days|nowadays|today)\b")


def _current(query: str, day: date, span: tuple[int, int] | None) -> TemporalConstraint:
    """A preference for the latest as a time: up to the reference date; "now" may also mean that day alone."""
    span = span or (0, 0)
    reference = TimeInterval.from_dates(day, day)
    interval = TimeInterval(None, reference.end)
    is_now = _NOW.search(query[slice(*span)]) is not None
    return TemporalConstraint(
        interval=interval,
        raw=interval,
        operator="current" if is_now else "latest",
        span=span,
        granularity=Granularity.DAY,
        readings=(reference,) if is_now else (),
        rule=ModelExtractor.name,
    )
