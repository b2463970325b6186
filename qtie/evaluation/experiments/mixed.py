"""Queries that ask for a time mixed with queries that ask for none, as Q-TIE's Table 16.

The atemporal queries are a substitute for a set of their own: the same queries without their words about time, judged
by what is relevant to any query of the same remaining words. Means of mixtures are weighted means of both, not samples.
"""

import numpy as np

from qtie.evaluation.experiments.experiment import Experiment, Presentation, Results, Scope, file_name
from qtie.evaluation.grid.cell import Cell
from qtie.evaluation.plots import Plot, Series
from qtie.evaluation.tables import Column, Table

__all__ = ["MIXED"]

_SHARES = (1.0, 0.75, 0.5, 0.25, 0.0)
_WEIGHTS = (0.2, 0.4, 0.6, 0.8)
_MEASURE = "nDCG@10"


def _arms(scope: Scope) -> dict[str, tuple[str, tuple[tuple[str, float], ...]]]:
    """By label, a ranker with its options."""
    arms: dict[str, tuple[str, tuple[tuple[str, float], ...]]] = {name: (name, ()) for name in scope.shown_rankers()}
    if "qtie" in scope.rankers:
        arms |= {f"qtie, weight {w:g}": ("qtie", (("temporal_weight", w),)) for w in _WEIGHTS}
    return arms


def _pair(
    scope: Scope, dataset: str, retriever: str, arm: tuple[str, tuple[tuple[str, float], ...]]
) -> tuple[Cell, Cell]:
    ranker, options = arm
    n_queries = scope.sample(dataset, sweep=True)
    asked = Cell(dataset=dataset, retriever=retriever, ranker=ranker, options=options, n_queries=n_queries)
    bare = Cell(
        dataset=dataset, retriever=retriever, ranker=ranker, options=options, n_queries=n_queries, queries="atemporal"
    )
    return asked, bare


def _cells(scope: Scope) -> list[Cell]:
    return [
        cell for dataset, retriever in scope.pairs() for arm in _arms(scope).values()
        for cell in _pair(scope, dataset, retriever, arm)
    ]  # fmt: skip


def _present(scope: Scope, results: Results) -> Presentation:
    tables, plots = [], []
    for dataset in scope.datasets:
        rows, curves = [], []
        for retriever in scope.retrievers_of(dataset):
            for label, arm in _arms(scope).items():
                asked, bare = _pair(scope, dataset, retriever, arm)
                temporal, atemporal = results.mean(asked, _MEASURE), results.mean(bare, _MEASURE)
                if temporal is None or atemporal is None:
                    continue
                mixtures = {f"{100 * share:g} %": share * temporal + (1 - share) * atemporal for share in _SHARES}
                alone = _pair(scope, dataset, retriever, ("none", ()))[1]
                rows.append(
                    {"group": retriever, "retriever": retriever, "ranker": label, **mixtures,
                     "unchanged": _unchanged(results, bare, alone)}
                )  # fmt: skip
                if retriever == scope.plotted_retriever(dataset) and label in scope.shown_rankers():
                    curves.append(Series(label=label, x=[100 * s for s in _SHARES], y=list(mixtures.values())))
        name, title = (
            file_name("mixed", dataset),
            f"{dataset}: nDCG@10 by the share of queries that ask for a time, in %",
        )
        columns = [Column(name="retriever"), Column(name="ranker")]
        columns += [Column(name=f"{100 * share:g} %", best="max") for share in _SHARES]
        columns.append(Column(name="unchanged", best="max"))
        note = (
            "The atemporal queries are a substitute: the same queries without their words about time, judged by what "
            "is relevant to any query of the same remaining words. `unchanged`: atemporal queries whose 100 best "
            "documents are exactly the retriever's."
        )
        tables.append(Table(name=name, title=title, columns=columns, rows=rows, note=note))
        plots.append(
            Plot(
                name=name, title=f"{dataset}, {scope.plotted_retriever(dataset)}",
                x_label="queries that ask for a time, in %", y_label="nDCG@10 in %", series=curves,
            )
        )  # fmt: skip
    return Presentation(tables=tables, plots=plots)


def _unchanged(results: Results, cell: Cell, alone: Cell) -> float | None:
    """The share of atemporal queries whose top is exactly the retriever's, in percent."""
    outcome, before = results.of(cell), results.of(alone)
    if outcome is None or before is None:
        return None
    takes_part = ~np.isnan(outcome.measures[_MEASURE])
    same = (outcome.top == before.top).all(axis=1)
    return 100 * float(same[takes_part].mean()) if takes_part.any() else None


MIXED = Experiment(name="mixed", title="Queries with and without a time, mixed", cells=_cells, present=_present)
