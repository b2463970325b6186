"""The network as it runs: the word pieces of a query with their kinds in, the logits of the shipped file out."""

import hashlib
import json
import re
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import cache, cached_property
from importlib import import_module
from itertools import chain, groupby
from pathlib import Path
from threading import Lock
from typing import Any

import numpy as np
from numpy.typing import NDArray

from qtie.errors import ConfigError, MissingExtraError
from qtie.interval import Granularity
from qtie.tie.decoding import HEADS, Calibration, Encoded
from qtie.tie.program import Candidate

__all__ = ["MAX_PIECES", "WEIGHTS", "TieModel", "batched_path", "encode", "n_kinds", "padded", "shipped_model"]

WEIGHTS = Path(__file__).parent / "weights" / "tie-en.onnx"
"""The file that ships: network, tokenizer and calibration in one."""
MAX_PIECES = 128
"""Word pieces of a query that are read; what follows is not."""

Ints = NDArray[np.int64]
Floats = NDArray[np.float32]
Network = Callable[[Ints, Ints], Floats]
"""(piece ids, kinds), both (n_queries, n_pieces) without padding → logits (n_queries, n_pieces, N_LOGITS)."""
_PIECES_AT_ONCE, _N_WORKERS = 320, 2
"""Word pieces that go through the network together, as many as a processor's cache has room for; threads that do."""

_UNITS = (Granularity.WEEK, Granularity.QUARTER, Granularity.YEAR)
n_kinds = 2 * (len(_UNITS) + 2) + 1
"""Kinds of pieces: outside; first and further pieces of a value by its unit, and of a duration."""


def _kind(candidate: Candidate) -> int:
    """The kind of a candidate's first piece, of an odd number; the next number is that of its further pieces."""
    if candidate.timex is None:
        return 2 * (len(_UNITS) + 1) + 1
    days = candidate.timex.granularity.days
    return 2 * sum(days > unit.days for unit in _UNITS) + 1


_HALF_PAIR = re.compile("[\ud800-\udfff]")
"""Half a surrogate pair, which a `str` may hold and a tokenizer refuses."""


def encode(tokenizer: Any, query: str, found: list[Candidate]) -> Encoded:
    """The query's word pieces with the kinds that its candidates give them."""
    pieces = tokenizer.encode(_HALF_PAIR.sub("\ufffd", query))
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
    def load(cls, path: Path = WEIGHTS) -> "TieModel":
        """The model in an ONNX file that `qtie train tie` wrote.

        Raises:
            ConfigError: there is no such file, or it is not one.
            MissingExtraError: `onnxruntime` or `tokenizers` is missing or broken.
        """
        _, tokenizers = _runtimes()
        session = _session(path)
        try:
            metadata = session.get_modelmeta().custom_metadata_map
            heads = json.loads(metadata["heads"])
            tokenizer = tokenizers.Tokenizer.from_str(metadata["tokenizer"])
            calibration = Calibration(**json.loads(metadata["calibration"]))
        except Exception as error:  # those of tokenizers are of no class of their own
            raise ConfigError(f"{path}: not a model that `qtie train tie` wrote: {error}") from error
        if heads != json.loads(json.dumps(HEADS)):
            raise ConfigError(f"{path}: made by another version of qtie; train it again: its heads are {heads}")
        return cls(_OnnxNetwork(path, session), tokenizer, calibration)

    def logits(self, encoded: Sequence[Encoded]) -> list[Floats]:
        """The logits (n_pieces, N_LOGITS) of each query, the same whichever queries stand beside it.

        Queries of as many pieces go through the network together; padding would be rounded to 8 bits with the rest.
        """
        groups = list(_of_one_length(encoded))
        if len(groups) == 1:
            return list(self._logits(encoded))
        with ThreadPoolExecutor(_N_WORKERS) as pool:
            logits = pool.map(self._logits, ([encoded[at] for at in group] for group in groups))
            found = dict(zip(chain(*groups), chain.from_iterable(logits), strict=True))
        return [found[at] for at in range(len(encoded))]

    def _logits(self, encoded: Sequence[Encoded]) -> Floats:
        return self.network(padded([one.ids for one in encoded]), padded([one.kinds for one in encoded]))


def _of_one_length(encoded: Sequence[Encoded]) -> Iterator[list[int]]:
    """The places of queries that have as many pieces, no more at once than fit the cache."""

    def n_pieces(at: int) -> int:
        return len(encoded[at].ids)

    for n, group in groupby(sorted(range(len(encoded)), key=n_pieces), key=n_pieces):
        places, most = list(group), max(1, _PIECES_AT_ONCE // n)
        yield from (places[first : first + most] for first in range(0, len(places), most))


class _OnnxNetwork:
    """A file's network for one query, and for several the graph beside it, loaded when first there are several."""

    def __init__(self, path: Path, session: Any) -> None:
        self._path, self._session, self._loading = path, session, Lock()

    def __call__(self, ids: Ints, kinds: Ints) -> Floats:
        session = self._session
        if len(ids) > 1:
            with self._loading:
                session = self._batched
        if session is None:
            return np.concatenate([self(ids[at : at + 1], kinds[at : at + 1]) for at in range(len(ids))])
        return np.asarray(session.run(None, {"ids": ids, "kinds": kinds})[0], dtype=np.float32)

    @cached_property
    def _batched(self) -> Any:
        """The session for several queries; None where the file stands alone."""
        path = batched_path(self._path)
        if not path.is_file():
            return None
        session = _session(path, arena=True)
        with self._path.open("rb") as file:
            weights = hashlib.file_digest(file, "sha256").hexdigest()
        if session.get_modelmeta().custom_metadata_map.get("weights") != weights:
            raise ConfigError(f"{path}: made for another {self._path.name}; remove it, or export both again")
        return session


def batched_path(path: Path) -> Path:
    """Where the graph of a model file for many queries stands."""
    return path.with_suffix(".batched.onnx")


def _session(path: Path, *, arena: bool = False) -> Any:
    """A session of one thread; with an arena it keeps the memory of one call for the next."""
    runtime, _ = _runtimes()
    options = runtime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    options.enable_cpu_mem_arena = arena
    try:
        return runtime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])
    except Exception as error:  # the runtime's own errors share no public base class
        raise ConfigError(f"{path}: not a model that `qtie train tie` wrote: {error}") from error


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
