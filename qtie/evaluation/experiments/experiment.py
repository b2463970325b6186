"""What every experiment is: cells to compute, and tables and plots of what they gave."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from qtie.errors import ConfigError
from qtie.evaluation.grid.cell import Cell, Outcome
from qtie.evaluation.grid.judgements import MEASURES
from qtie.evaluation.grid.run import Grid, Survey
from qtie.evaluation.grid.semantic_scores import retriever_parts
from qtie.evaluation.plots import Plot
from qtie.evaluation.tables import Column, Table

__all__ = ["SHOWN_RANKERS", "Experiment", "Presentation", "Results", "Scope", "file_name", "measure_columns"]

LARGE_CORPUS = 5_000
SHOWN_RANKERS = ("none", "recency", "filter", "tempralm", "mrag", "timer4-2025", "sum", "rrf", "qtie")
"""Those that plots and wide tables show, where they are asked for."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Scope:
    """What experiments are made on.

    Raises:
        ConfigError: no retriever is left for a data set.
    """

    datasets: Sequence[str]
    retrievers: Sequence[str]
    rankers: Sequence[str]
    surveys: Mapping[str, Survey]
    n_queries: int = 500
    """Queries of a sweep, and of every experiment on a corpus of more than 5,000 documents; sweeps there take 1/5."""
    most_embedded: int = 50_000
    """Larger corpora are left to retrievers without an encoder."""
    predictions: Sequence[str] = ()
    """Files with what other readers made of the queries."""

    def __post_init__(self) -> None:
        for dataset in self.datasets:
            if not self.retrievers_of(dataset):
                raise ConfigError(
                    f"{dataset}: more than {self.most_embedded:,} documents to embed; add bm25, or allow more"
                )

    def pairs(self) -> Iterator[tuple[str, str]]:
        """Each data set with each of its retrievers."""
        for dataset in self.datasets:
            for retriever in self.retrievers_of(dataset):
                yield dataset, retriever

    def retrievers_of(self, dataset: str) -> list[str]:
        """The retrievers of that data set: where there are too many documents to embed, those without an encoder."""
        too_many = len(self.surveys[dataset].doc_ids) > self.most_embedded
        return [name for name in self.retrievers if not (too_many and retriever_parts(name)[1])]

    def sample(self, dataset: str, *, sweep: bool = False) -> int | None:
        """How many queries of the data set are drawn; None: all."""
        survey = self.surveys[dataset]
        is_large = len(survey.doc_ids) > LARGE_CORPUS
        n = max(1, self.n_queries // 5) if sweep and is_large else self.n_queries
        return n if (sweep or is_large) and n < len(survey.queries) else None

    def with_intervals(self) -> list[str]:
        """The data sets that state the interval of most of their queries."""
        return [name for name in self.datasets if self.surveys[name].counts["interval_share"] > 0.5]

    def shown_rankers(self) -> list[str]:
        """The rankers that wide tables have room for."""
        return [name for name in SHOWN_RANKERS if name in self.rankers]

    def plotted_retriever(self, dataset: str) -> str:
        """The one retriever that plots show: the last named."""
        return self.retrievers_of(dataset)[-1]


class Results:
    """What the cells gave, and which queries are of which kind."""

    def __init__(self, grid: Grid) -> None:
        self.grid = grid
        self._outcomes: dict[Cell, Outcome | None] = {}

    def of(self, cell: Cell) -> Outcome | None:
        """The cell's outcome; None where it failed."""
        if cell not in self._outcomes:
            self._outcomes[cell] = self.grid.outcome(cell)
        return self._outcomes[cell]

    def mean(self, cell: Cell, measure: str, chosen: NDArray[np.bool_] | None = None) -> float | None:
        """The measure in percent, averaged over the chosen queries; None where the cell failed or none takes part."""
        outcome = self.of(cell)
        value = float("nan") if outcome is None else outcome.mean(measure, chosen)
        return None if np.isnan(value) else 100 * value

    def means(self, cell: Cell, chosen: NDArray[np.bool_] | None = None) -> dict[str, float | None]:
        """Every measure as `mean` gives it."""
        return {measure: self.mean(cell, measure, chosen) for measure in MEASURES}

    def labels(self, cell: Cell, field_name: str) -> NDArray[np.str_]:
        """Shape (n_queries,): the `subset` or `expression` of the cell's queries, "" where not known."""
        queries, outcome = self.grid.surveys[cell.dataset].queries, self.of(cell)
        chosen = range(len(queries)) if outcome is None else outcome.queries.tolist()
        return np.array([getattr(queries[position], field_name) or "" for position in chosen], dtype=np.str_)

    def subsets(self, cell: Cell, field_name: str = "subset") -> dict[str, NDArray[np.bool_]]:
        """The queries of each label, the most frequent first."""
        labels = self.labels(cell, field_name)
        names, counts = np.unique(labels, return_counts=True)
        ordered = sorted(zip(names.tolist(), counts.tolist(), strict=True), key=lambda pair: (-pair[1], pair[0]))
        return {name: labels == name for name, _ in ordered if name}


@dataclass(frozen=True, slots=True, kw_only=True)
class Presentation:
    """What an experiment shows."""

    tables: Sequence[Table] = ()
    plots: Sequence[Plot] = ()
    records: Mapping[str, Any] = field(default_factory=dict)
    """Further JSON-ready results by name."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Experiment:
    """A question asked of the rankers."""

    name: str
    title: str
    cells: Callable[[Scope], list[Cell]]
    """What has to be computed."""
    present: Callable[[Scope, Results], Presentation]
    """What comes out of it."""
    subsets: str = ""
    """The label of queries that its cells are also averaged by; none: over all queries alone."""


def measure_columns(names: Sequence[str] = MEASURES) -> list[Column]:
    """Columns for measures in percent."""
    return [Column(name=name, best="max") for name in names]


def file_name(*parts: str) -> str:
    """The parts as the name of a file.

    Example:
        >>> file_name("fusion", "nobel", "dense:models/e5")
        'fusion-nobel-dense-models-e5'
    """
    return "-".join("".join(c if c.isalnum() or c in "-." else "-" for c in part) for part in parts)
