"""Fusions, weights and kernels: Q-TIE's Figure 3. A sweep over evaluation data, from which nothing is chosen."""

from qtie import defaults
from qtie.evaluation.experiments.experiment import Experiment, Presentation, Results, Scope, file_name
from qtie.evaluation.grid.cell import Cell
from qtie.evaluation.plots import Plot, Series
from qtie.evaluation.tables import Column, Table
from qtie.fusion import FUSIONS
from qtie.kernels import KERNELS

__all__ = ["FUSION"]

_WEIGHTS = tuple(tenths / 10 for tenths in range(11))
_KERNEL_WEIGHTS = (0.1, 0.2, 0.4, 0.6, 0.8)
_KERNEL = "graded"


def _fusion_cell(scope: Scope, dataset: str, retriever: str, **options: str | float) -> Cell:
    return Cell(
        dataset=dataset, retriever=retriever, ranker="qtie", options=tuple(sorted(options.items())),
        n_queries=scope.sample(dataset, sweep=True),
    )  # fmt: skip


def _series(scope: Scope, dataset: str, retriever: str) -> dict[str, dict[float, Cell]]:
    """By curve, the cell at each weight."""
    fusions = {
        name: {w: _fusion_cell(scope, dataset, retriever, fusion=name, temporal_weight=w) for w in _WEIGHTS}
        for name in FUSIONS
    }
    kernels = {
        f"kernel {name}": {
            w: _fusion_cell(scope, dataset, retriever, kernel=name, temporal_weight=w) for w in _KERNEL_WEIGHTS
        }
        for name in KERNELS
        if name != _KERNEL
    }
    return fusions | kernels


def _cells(scope: Scope) -> list[Cell]:
    return [cell for pair in scope.pairs() for curve in _series(scope, *pair).values() for cell in curve.values()]


def _present(scope: Scope, results: Results) -> Presentation:
    tables, plots = [], []
    for dataset in scope.datasets:
        rows, curves = [], []
        for retriever in scope.retrievers_of(dataset):
            for name, curve in _series(scope, dataset, retriever).items():
                values = {w: results.mean(cell, "nDCG@10") for w, cell in curve.items()}
                rows.append(
                    {
                        "group": retriever,
                        "retriever": retriever,
                        "fusion": name,
                        **{f"{w:g}": v for w, v in values.items()},
                    }
                )
                if retriever == scope.plotted_retriever(dataset):
                    known = {w: value for w, value in values.items() if value is not None}
                    curves.append(Series(label=name, x=list(known), y=list(known.values())))
        weights = [Column(name=f"{w:g}", best="max") for w in _WEIGHTS]
        title = f"{dataset}: nDCG@10 over the temporal weight, in %"
        note = f"Fusions use the kernel {_KERNEL}; the other kernels, the product of experts. The default weight is " \
               f"{defaults.TEMPORAL_WEIGHT}, chosen on other data."  # fmt: skip
        name = file_name("fusion", dataset)
        columns = [Column(name="retriever"), Column(name="fusion"), *weights]
        tables.append(Table(name=name, title=title, columns=columns, rows=rows, note=note))
        plots.append(
            Plot(
                name=name, title=f"{dataset}, {scope.plotted_retriever(dataset)}", x_label="temporal weight",
                y_label="nDCG@10 in %", series=curves, marks={"default": defaults.TEMPORAL_WEIGHT},
            )
        )  # fmt: skip
    return Presentation(tables=tables, plots=plots)


FUSION = Experiment(name="fusion", title="Fusions, weights and kernels", cells=_cells, present=_present)
