"""How retrieval follows the reading of queries: intents spoiled to a given accuracy, as Q-TIE's Table 15."""

from pathlib import Path

from qtie.evaluation.experiments.experiment import Experiment, Presentation, Results, Scope, file_name
from qtie.evaluation.grid.cell import Cell
from qtie.evaluation.grid.intents import changed_intents, is_right
from qtie.evaluation.plots import Plot, Series
from qtie.evaluation.tables import Column, Table

__all__ = ["TIE_TIR"]

_ACCURACIES = (1.0, 0.9, 0.8, 0.6, 0.4, 0.2, 0.0)
_RANKERS = ("none", "filter", "sum", "qtie")
_MEASURES = ("P@1", "R@5", "nDCG@10")


def _intents(scope: Scope) -> list[str]:
    return [f"accuracy:{accuracy:g}" for accuracy in _ACCURACIES] + [
        f"predictions:{path}" for path in scope.predictions
    ]


def _cell(scope: Scope, dataset: str, retriever: str, ranker: str, intents: str) -> Cell:
    n_queries = scope.sample(dataset, sweep=True)
    return Cell(dataset=dataset, retriever=retriever, ranker=ranker, n_queries=n_queries, intents=intents)


def _rankers(scope: Scope) -> list[str]:
    return [name for name in _RANKERS if name in scope.rankers]


def _cells(scope: Scope) -> list[Cell]:
    return [
        _cell(scope, dataset, retriever, ranker, intents)
        for dataset in scope.with_intervals()
        for retriever in scope.retrievers_of(dataset)
        for ranker in _rankers(scope)
        for intents in _intents(scope)
    ]


def _present(scope: Scope, results: Results) -> Presentation:
    tables, plots = [], []
    for dataset in scope.with_intervals():
        rows, curves = [], []
        for retriever in scope.retrievers_of(dataset):
            for ranker in _rankers(scope):
                curve = {}
                for intents in _intents(scope):
                    cell = _cell(scope, dataset, retriever, ranker, intents)
                    accuracy = _accuracy(results, cell)
                    values = {measure: results.mean(cell, measure) for measure in _MEASURES}
                    label = intents.partition(":")[2]
                    label = Path(label).stem if intents.startswith("predictions") else f"{100 * float(label):g} %"
                    rows.append(
                        {"group": f"{retriever} {label}", "retriever": retriever, "ranker": ranker, "asked for": label,
                         "right": accuracy, **values}
                    )  # fmt: skip
                    if accuracy is not None and values["nDCG@10"] is not None:
                        curve[accuracy] = values["nDCG@10"]
                if retriever == scope.plotted_retriever(dataset):
                    curves.append(Series(label=ranker, x=sorted(curve), y=[curve[x] for x in sorted(curve)]))
        columns = [Column(name=name) for name in ("retriever", "ranker", "asked for", "right")]
        columns += [Column(name=name, best="max") for name in _MEASURES]
        name, title = file_name("tie-tir", dataset), f"{dataset}: retrieval by the share of intents read rightly, in %"
        note = (
            "Right intents are spoiled at random until so many remain: missed, moved by 1–5 years, or one bound lost."
        )
        tables.append(Table(name=name, title=title, columns=columns, rows=rows, note=note))
        plots.append(
            Plot(
                name=name, title=f"{dataset}, {scope.plotted_retriever(dataset)}", x_label="intents read rightly in %",
                y_label="nDCG@10 in %", series=curves,
            )
        )  # fmt: skip
    return Presentation(tables=tables, plots=plots)


def _accuracy(results: Results, cell: Cell) -> float | None:
    """The share of the cell's intents that are right, in percent, of those whose interval is known."""
    outcome, survey = results.of(cell), results.grid.surveys[cell.dataset]
    if outcome is None:
        return None
    queries = [survey.queries[position] for position in outcome.queries]
    read = [survey.intents[position] for position in outcome.queries]
    changed = changed_intents(cell.intents, read, queries, seed=results.grid.setting.seed)
    known = [is_right(intent, query) for intent, query in zip(changed, queries, strict=True) if query.interval]
    return 100 * sum(map(bool, known)) / len(known)


TIE_TIR = Experiment(name="tie-tir", title="Retrieval by accuracy of extraction", cells=_cells, present=_present)
