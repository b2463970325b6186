"""How many candidates are re-ranked, and where recall is lost."""

from qtie.evaluation.experiments.experiment import Experiment, Presentation, Results, Scope, file_name
from qtie.evaluation.grid.cell import Cell
from qtie.evaluation.plots import Plot, Series
from qtie.evaluation.tables import Column, Table

__all__ = ["DEPTH"]

_DEPTHS = (20, 50, 100, 200, 500, 1000, None)
_RANKERS = ("filter", "sum", "qtie")
_MEASURES = ("P@1", "R@5", "nDCG@10")


def _cell(scope: Scope, dataset: str, retriever: str, ranker: str, depth: int | None) -> Cell:
    n_queries = scope.sample(dataset, sweep=True)
    return Cell(dataset=dataset, retriever=retriever, ranker=ranker, n_queries=n_queries, depth=depth)


def _depths(scope: Scope, dataset: str) -> list[int | None]:
    return [depth for depth in _DEPTHS if depth is None or depth < len(scope.surveys[dataset].doc_ids)]


def _arms(scope: Scope) -> list[str]:
    return [name for name in _RANKERS if name in scope.rankers]


def _cells(scope: Scope) -> list[Cell]:
    return [
        _cell(scope, dataset, retriever, ranker, depth)
        for dataset, retriever in scope.pairs()
        for ranker in _arms(scope)
        for depth in _depths(scope, dataset)
    ]


def _present(scope: Scope, results: Results) -> Presentation:
    tables, plots = [], []
    for dataset in scope.datasets:
        rows, curves = [], []
        n_docs = len(scope.surveys[dataset].doc_ids)
        for retriever in scope.retrievers_of(dataset):
            for ranker in _arms(scope):
                curve = {}
                for depth in _depths(scope, dataset):
                    cell = _cell(scope, dataset, retriever, ranker, depth)
                    means = {measure: results.mean(cell, measure) for measure in _MEASURES}
                    recall = 100.0 if depth is None else results.mean(cell, "R@depth")
                    rows.append(
                        {"group": f"{retriever} {depth}", "retriever": retriever, "ranker": ranker,
                         "candidates": "all" if depth is None else str(depth), "candidates' recall": recall, **means}
                    )  # fmt: skip
                    if means["nDCG@10"] is not None:
                        curve[depth or n_docs] = means["nDCG@10"]
                if retriever == scope.plotted_retriever(dataset):
                    curves.append(Series(label=ranker, x=list(curve), y=list(curve.values())))
        name, title = file_name("depth", dataset), f"{dataset}: how many candidates are re-ranked, in %"
        columns = [Column(name=name) for name in ("retriever", "ranker", "candidates", "candidates' recall")]
        columns += [Column(name=measure, best="max") for measure in _MEASURES]
        note = "Candidates are the retriever's best for the query without its words about time; their scores are as in \
the whole corpus."
        tables.append(Table(name=name, title=title, columns=columns, rows=rows, note=note))
        plots.append(
            Plot(
                name=name, title=f"{dataset}, {scope.plotted_retriever(dataset)}", x_label="candidates",
                y_label="nDCG@10 in %", series=curves, log_x=True,
            )
        )  # fmt: skip
    return Presentation(tables=tables, plots=plots)


DEPTH = Experiment(name="depth", title="Depth of re-ranking", cells=_cells, present=_present)
