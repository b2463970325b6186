"""One cell of the grid: what is ranked, by what, with what changed; and what comes out of it."""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from typing import Literal

import numpy as np
from numpy.typing import NDArray

__all__ = ["Cell", "Outcome"]

Value = str | float | bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Cell:
    """A ranker over the candidates of a retriever for the queries of a data set; equal cells are computed once.

    Example:
        >>> cell = Cell(dataset="sample", retriever="bm25", ranker="qtie", options=(("temporal_weight", 0.2),))
        >>> cell.condition
        {'temporal_weight': 0.2}
    """

    dataset: str
    retriever: str
    ranker: str
    options: tuple[tuple[str, Value], ...] = ()
    """What the ranker takes beside its name's own settings."""
    normalization: str = ""
    """In place of the one that the retriever names."""
    queries: Literal["asked", "atemporal"] = "asked"
    """The queries as they are, or without their words about time, and judged as such."""
    n_queries: int | None = None
    """A seeded sample of at most so many queries; None: all."""
    intents: str = "read"
    """How the intents that rankers get are changed, see `qtie.evaluation.grid.intents`."""
    times: str = "given"
    """How the documents' times are changed, see `qtie.evaluation.grid.document_times`."""
    depth: int | None = None
    """Only so many documents, the retriever's best, are candidates; None: all."""

    @property
    def condition(self) -> dict[str, Value]:
        """What differs from the defaults, by name."""
        changed = {
            field.name: getattr(self, field.name)
            for field in fields(self)
            if field.name not in ("dataset", "retriever", "ranker", "options", "n_queries")
            and getattr(self, field.name) != field.default
        }
        return {**dict(self.options), **changed}

    def key(self, surroundings: Mapping[str, str]) -> str:
        """Names the cell's result: the same for the same cell, data, seed, extractor and code.

        Args:
            surroundings: the hash of the data set, the version of the code, and whatever else the result depends on.
        """
        text = json.dumps([asdict(self), dict(surroundings)], sort_keys=True)
        return hashlib.sha256(text.encode()).hexdigest()[:32]


@dataclass(frozen=True, eq=False, kw_only=True)
class Outcome:
    """What a cell gives: measures and the top of the ranking of each query."""

    queries: NDArray[np.int64]
    """Shape (n_queries,): positions in the data set's queries, ascending."""
    measures: Mapping[str, NDArray[np.float64]]
    """By name, shape (n_queries,), in [0, 1]; NaN where a query does not take part."""
    top: NDArray[np.int32]
    """Shape (n_queries, depth): positions of documents, best first; -1 where nothing more is ranked."""
    scores: NDArray[np.float32]
    """Shape (n_queries, depth): what they were sorted by."""

    def mean(self, measure: str, chosen: NDArray[np.bool_] | None = None) -> float:
        """The measure averaged over the chosen queries; NaN where none takes part.

        Args:
            measure: a name in `measures`.
            chosen: shape (n_queries,); by default all.
        """
        values = self.measures[measure] if chosen is None else self.measures[measure][chosen]
        values = values[~np.isnan(values)]
        return float(values.mean()) if len(values) else float("nan")
