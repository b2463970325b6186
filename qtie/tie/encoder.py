"""The network as it runs: the word pieces of a query with their kinds in, the logits of the shipped file out."""

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from qtie.errors import ConfigError, MissingExtraError
from qtie.interval import Granularity
from qtie.tie.decoding import HEADS, Calibration, Encoded
from qtie.tie.program import Candidate

__all__ = ["MAX_PIECES", "WEIGHTS", "TieModel", "encode", "n_kinds", "padded", "shipped_model"]

WEIGHTS = Path(__file__).parent / "weights" / "tie-en.onnx"
"""The file that ships: network, tokenizer and calibration in one."""
MAX_PIECES = 128
"""Word pieces of a query that are read; what follows is not."""

Ints = NDArray[np.int64]
Floats = NDArray[np.float32]
Network = Callable[[Ints, Ints], Floats]
"""(piece ids, kinds), both (1, n_pieces) → logits (1, n_pieces, N_LOGITS)."""

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
            MissingExtraError: `onnxruntime` or `tokenizers` is missing or broken.
        """
        runtime, tokenizers = _runtimes()
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
        """The logits (n_pieces, N_LOGITS) of each query.

        Each goes through the network by itself: activations in 8 bits share one scale in a batch, so that a query's
        reading would depend on its neighbours.
        """
        return [self.network(padded([one.ids]), padded([one.kinds]))[0] for one in encoded]


def _runtimes() -> tuple[Any, Any]:
    """ONNX Runtime and the tokenizers, imported at the first use: `import qtie` does not load them."""
    try:
        return import_module("onnxruntime"), import_module("tokenizers")
    except ImportError as error:
        raise MissingExtraError(
            f"the learned extractor needs onnxruntime and tokenizers, which come with qtie ({error});"
            ' install them again, or choose the extractor "grammar"'
        ) from error


@cache
def shipped_model() -> TieModel:
    """The model that ships, which all extractors of a process share; any number of threads may use it."""
    return TieModel.load()
