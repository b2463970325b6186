"""The suite: experiments run and written to a folder as JSON, tables, plots, TREC runs and per-query values."""

import json
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from qtie.errors import EvaluationError
from qtie.evaluation.experiments.experiment import Experiment, Presentation, Results, Scope
from qtie.evaluation.experiments.rankings import write_query_records, write_rankings, write_text
from qtie.evaluation.grid.cell import Cell
from qtie.evaluation.grid.judgements import MEASURES
from qtie.evaluation.grid.processes import failure
from qtie.evaluation.grid.run import Grid
from qtie.evaluation.grid.store import source_digest
from qtie.tie.extractors import DEFAULT_EXTRACTOR

__all__ = ["Suite"]

_LEAST_QUERIES = 10
"""Means over fewer queries of a kind are left out of `results.json`."""


@dataclass(frozen=True, eq=False, kw_only=True)
class Suite:
    """Experiments on one scope.

    Args:
        experiments: what is asked.
        scope: on what.
        grid: computes and keeps.
    """

    experiments: Sequence[Experiment]
    scope: Scope
    grid: Grid
    failed: dict[str, str] = field(default_factory=dict)
    """By experiment, why it could not be shown."""
    _presented: dict[str, Presentation] = field(default_factory=dict)

    def run(self) -> None:
        """Computes all cells that the experiments need."""
        self.grid.compute([cell for experiment in self.experiments for cell in experiment.cells(self.scope)])
        results = Results(self.grid)
        for experiment in self.experiments:
            try:
                self._presented[experiment.name] = experiment.present(self.scope, results)
            except Exception as error:  # one experiment's crash leaves the others' results
                self.failed[experiment.name] = failure(error).reason

    def write(self, out: Path, *, about: Mapping[str, Any], browsed: Sequence[str], runs: bool = True) -> None:
        """Writes `results.json`, `tables/`, `plots/`, `per_query/`, `runs/`, `queries/`; each file whole or not at all.

        Args:
            out: the folder; made where it is missing.
            about: what else `results.json` says of the run: its command, versions, seconds.
            browsed: the data sets of which single queries are shown with their documents.
            runs: whether TREC runs are written.

        Raises:
            EvaluationError: the folder cannot be written to.
            MissingExtraError: matplotlib is not installed.
        """
        try:
            for presented in self._presented.values():
                for table in presented.tables:
                    text = f"# {table.title}\n\n{table.markdown()}\n" + (f"\n{table.note}\n" if table.note else "")
                    write_text(out / "tables" / f"{table.name}.md", text)
                    write_text(out / "tables" / f"{table.name}.tex", table.latex() + "\n")
                for plot in presented.plots:
                    plot.write_svg(out / "plots" / f"{plot.name}.svg")
            write_rankings(out, self.scope, self.grid, runs=runs)
            write_query_records(out, self.scope, self.grid, browsed)
            write_text(out / "results.json", _json({**about, **self._record()}))
        except OSError as error:
            raise EvaluationError(f"{out}: cannot be written: {error.strerror or error}") from error

    def _record(self) -> dict[str, Any]:
        results = Results(self.grid)
        tables = [
            {"experiment": name, **table.to_dict()} for name, each in self._presented.items() for table in each.tables
        ]
        plots = [
            {"experiment": name, "name": plot.name, "title": plot.title, "file": f"plots/{plot.name}.svg"}
            for name, each in self._presented.items()
            for plot in each.plots
        ]
        return {
            "experiments": [experiment.name for experiment in self.experiments],
            "titles": {experiment.name: experiment.title for experiment in self.experiments},
            "seed": self.grid.setting.seed,
            "config": {
                "datasets": list(self.scope.datasets),
                "retrievers": list(self.scope.retrievers),
                "rankers": list(self.scope.rankers),
                "extractor": self.grid.setting.extractor or DEFAULT_EXTRACTOR,
                "n_queries": self.scope.n_queries,
                "measures": list(MEASURES),
                "sources": source_digest(),
            },
            "data": {name: {"sha256": survey.digest, **survey.counts} for name, survey in self.grid.surveys.items()},
            "cells": list(self._cells(results)),
            "failed": list(self._failed()),
            **{name: dict(each.records) for name, each in self._presented.items() if each.records},
            "tables": tables,
            "plots": plots,
        }

    def _failed(self) -> Iterator[dict[str, Any]]:
        """Experiments that could not be shown, and cells that could not be computed under the first that needs them."""
        for name, reason in self.failed.items():
            yield {"experiment": name, "dataset": "", "retriever": "", "ranker": "", "condition": {}, "reason": reason}
        seen = set[Cell]()
        for experiment in self.experiments:
            for cell in experiment.cells(self.scope):
                if cell in self.grid.failed and cell not in seen:
                    seen.add(cell)
                    reason = self.grid.failed[cell]
                    yield {"experiment": experiment.name, **_identity(cell), "reason": reason}

    def _cells(self, results: Results) -> Iterator[dict[str, Any]]:
        """Each cell over all queries, and over those of each label that its experiment tells apart; none twice."""
        seen = set[tuple[Cell, str]]()
        for experiment in self.experiments:
            for cell in dict.fromkeys(experiment.cells(self.scope)):
                outcome = results.of(cell)
                if outcome is None:
                    continue
                labels = results.subsets(cell, experiment.subsets) if experiment.subsets else {}
                for subset, chosen in {"all": np.ones(len(outcome.queries), dtype=np.bool_), **labels}.items():
                    n_queries = int(chosen.sum())
                    if (cell, subset) not in seen and (subset == "all" or n_queries >= _LEAST_QUERIES):
                        seen.add((cell, subset))
                        measures = {name: outcome.mean(name, chosen) for name in outcome.measures}
                        identity = {"experiment": experiment.name, **_identity(cell), "subset": subset}
                        yield {**identity, "n_queries": n_queries, "measures": measures}


def _identity(cell: Cell) -> dict[str, Any]:
    return {
        "dataset": cell.dataset, "retriever": cell.retriever, "ranker": cell.ranker, "condition": cell.condition,
    }  # fmt: skip


def _json(record: Mapping[str, Any]) -> str:
    """One line a key, and one an item of a list, so that a change shows as a change of lines."""
    parts = []
    for key, value in record.items():
        plain = _plain(value)
        if isinstance(plain, list) and plain and isinstance(plain[0], dict):
            items = ",\n".join(json.dumps(item, ensure_ascii=False) for item in plain)
            parts.append(f"{json.dumps(key)}: [\n{items}\n]")
        else:
            parts.append(f"{json.dumps(key)}: {json.dumps(plain, ensure_ascii=False)}")
    return "{\n" + ",\n".join(parts) + "\n}\n"


def _plain(value: Any) -> Any:
    """JSON has no NaN: null in its place; numbers with as many digits as mean something."""
    if isinstance(value, Mapping):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    if isinstance(value, float):
        return float(f"{value:.6g}") if math.isfinite(value) else None
    return value
