"""The shipped extractor: a small encoder reads a query once and says a program, which ordinary code carries out.

The encoder is MiniLM's first layers (Wang et al., 2020, "MiniLM: Deep self-attention distillation for task-agnostic
compression of pre-trained transformers"), fine-tuned on generated queries; see `weights/MODEL_CARD.md`.
"""

import json
import re
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import asdict, dataclass, field, replace
from datetime import date
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from qtie.errors import ConfigError, require
from qtie.intent import IntentOptions, TemporalConstraint, TemporalIntent
from qtie.interval import Granularity, TimeInterval
from qtie.tie.decoding import HEADS, N_LOGITS, Calibration, Encoded, Program, decode
from qtie.tie.program import Candidate, candidates, execute
from qtie.tie.semantic_query import semantic_query

__all__ = ["WEIGHTS", "ModelExtractor", "Reading", "TieModel", "encode", "n_kinds", "padded"]

WEIGHTS = Path(__file__).parent / "weights" / "tie-en.onnx"
"""The file that ships: network, tokenizer and calibration in one."""
MAX_PIECES = 128
"""Word pieces of a query that are read; what follows is not."""
_CHUNK, _BATCH, _N_WORKERS = 64, 32, 2
"""Queries prepared at once, queries in the network at once, and chunks in the network at once."""

Ints = NDArray[np.int64]
Floats = NDArray[np.float32]
Network = Callable[[Ints, Ints], Floats]
"""(piece ids, kinds), both (n_queries, n_pieces) and padded with 0 → logits (n_queries, n_pieces, N_LOGITS)."""

_UNITS = (Granularity.WEEK, Granularity.QUARTER, Granularity.YEAR)
n_kinds = 2 * (len(_UNITS) + 2) + 1
"""Kinds of pieces: outside; first and further pieces of a value by its unit, and of a duration."""


def _kind(candidate: Candidate) -> int:
    """The kind of a candidate's first piece, of an odd number; the next number is that of its further pieces."""
    if candidate.timex is None:
        return 2 * (len(_UNITS) + 1) + 1
    days = candidate.timex.granularity.days
    return 2 * sum(days > unit.days for unit in _UNITS) + 1


def encode(tokenizer: Any, query: str, found: list[Candidate]) -> Encoded:
    """The query's word pieces with the kinds that its candidates give them."""
    pieces = tokenizer.encode(query)
    ids, offsets = pieces.ids[:MAX_PIECES], pieces.offsets[:MAX_PIECES]
    kinds, firsts = [0] * len(ids), []
    at = 1
    for candidate in found:
        while at < len(ids) and offsets[at][1] <= candidate.start:
            at += 1
        if at >= len(ids) or offsets[at][0] >= candidate.end:
            firsts.append(0)
            continue
        firsts.append(at)
        kind = _kind(candidate)
        kinds[at] = kind
        following = at + 1
        while following < len(ids) and offsets[following][0] < candidate.end and offsets[following][1]:
            kinds[following] = kind + 1
            following += 1
        at = following
    return Encoded(found, ids, kinds, offsets, firsts)


def padded(rows: Sequence[Sequence[int]]) -> Ints:
    """The rows as one array, with 0 after the shorter ones."""
    array = np.zeros((len(rows), max(map(len, rows))), dtype=np.int64)
    for at, row in enumerate(rows):
        array[at, : len(row)] = row
    return array


@dataclass(frozen=True, slots=True)
class TieModel:
    """A network with the tokenizer it was trained with and its calibration."""

    network: Network
    tokenizer: Any
    calibration: Calibration = field(default_factory=Calibration)

    @classmethod
    def load(cls, path: Path = WEIGHTS, *, n_threads: int = 1) -> "TieModel":
        """The model in an ONNX file that `qtie train tie` wrote.

        Raises:
            ConfigError: there is no such file, or it is not one.
            MissingExtraError: `onnxruntime` or `tokenizers` is not installed.
        """
        runtime, tokenizers = require("onnxruntime", extra="model"), require("tokenizers", extra="model")
        options = runtime.SessionOptions()
        options.intra_op_num_threads = n_threads
        options.inter_op_num_threads = 1
        options.enable_cpu_mem_arena = False
        try:
            session = runtime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])
            metadata = session.get_modelmeta().custom_metadata_map
            heads = json.loads(metadata["heads"])
            tokenizer = tokenizers.Tokenizer.from_str(metadata["tokenizer"])
            calibration = Calibration(**json.loads(metadata["calibration"]))
        except Exception as error:  # the runtimes' own errors share no public base class
            raise ConfigError(f"{path}: not a model that `qtie train tie` wrote: {error}") from error
        if heads != json.loads(json.dumps(HEADS)):
            raise ConfigError(f"{path}: made by another version of qtie; train it again: its heads are {heads}")

        def network(ids: Ints, kinds: Ints) -> Floats:
            return np.asarray(session.run(None, {"ids": ids, "kinds": kinds})[0], dtype=np.float32)

        return cls(network, tokenizer, calibration)

    def logits(self, encoded: Sequence[Encoded]) -> list[Floats]:
        """The logits (n_pieces, N_LOGITS) of each query; those of like length go through the network together."""
        order = sorted(range(len(encoded)), key=lambda at: len(encoded[at].ids))
        found: dict[int, Floats] = {}
        for start in range(0, len(order), _BATCH):
            places = order[start : start + _BATCH]
            ids, kinds = padded([encoded[at].ids for at in places]), padded([encoded[at].kinds for at in places])
            for at, logits in zip(places, self.network(ids, kinds), strict=True):
                found[at] = logits[: len(encoded[at].ids)]
        return [found[at] for at in range(len(encoded))]


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
        return self._source if isinstance(self._source, TieModel) else TieModel.load(self._source)

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
        """The readings of many queries, in order; the network runs on some while others are prepared or finished."""
        days: list[date | None] = [None] * len(queries) if reference_dates is None else list(reference_dates)
        asked = list(zip(queries, days, strict=True))
        if len(asked) == 1:
            yield from self._readings(asked, encoded := [self._encoded(*asked[0])], self.model.logits(encoded))
            return
        with ThreadPoolExecutor(_N_WORKERS) as pool:
            waiting: deque[tuple[list[tuple[str, date | None]], list[Encoded], Future[list[Floats]]]] = deque()
            for start in range(0, len(asked), _CHUNK):
                chunk = asked[start : start + _CHUNK]
                encoded = [self._encoded(query, day) for query, day in chunk]
                waiting.append((chunk, encoded, pool.submit(self.model.logits, encoded)))
                if len(waiting) > _N_WORKERS:
                    chunk, encoded, future = waiting.popleft()
                    yield from self._readings(chunk, encoded, future.result())
            for chunk, encoded, future in waiting:
                yield from self._readings(chunk, encoded, future.result())

    def _readings(
        self, asked: list[tuple[str, date | None]], encoded: list[Encoded], logits: list[Floats]
    ) -> Iterator[Reading]:
        for (query, day), one, its_logits in zip(asked, encoded, logits, strict=True):
            yield self._reading(query, day, one, its_logits)

    def _encoded(self, query: str, day: date | None) -> Encoded:
        text = query[:2000]
        found = candidates(text, reference_date=day, options=self.options)
        return encode(self.model.tokenizer, text, found)

    def _reading(self, query: str, day: date | None, encoded: Encoded, logits: Floats) -> Reading:
        calibration = self.model.calibration
        program = decode(encoded, logits, calibration)
        confidence = calibration.confidence(program.log_probability)
        steps = [replace(step, confidence=confidence) for step in program.steps]
        constraints = execute(encoded.found, steps, reference_date=day, options=self.options)
        constraints = [replace(constraint, rule=self.name) for constraint in constraints]
        return Reading(self._intent(query, day, constraints, program), program, encoded, logits, confidence)

    def _intent(
        self, query: str, day: date | None, constraints: list[TemporalConstraint], program: Program
    ) -> TemporalIntent:
        resolved = any(c.resolved for c in constraints)
        preference, span = program.preference, program.preference_span
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
