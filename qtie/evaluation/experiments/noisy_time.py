"""Documents with worse times than the data set's: Q-TIE's Table 18, and what is kept of the gain."""

from qtie.evaluation.experiments.experiment import Experiment, Presentation, Results, Scope, file_name
from qtie.evaluation.grid.cell import Cell
from qtie.evaluation.plots import Plot, Series
from qtie.evaluation.tables import Column, Table

__all__ = ["NOISY_TIME"]

_TIMES = {
    "given": "as the data set has them",
    "focus": "read from the text",
    "extremes": "first to last year of the text",
    "coarsened": "widened to decades",
    "shifted:1": "moved by up to 1 year",
    "shifted:2": "moved by up to 2 years",
    "shifted:5": "moved by up to 5 years",
    "dropped:0.25": "a quarter without",
    "dropped:0.5": "half without",
    "dropped:0.75": "three quarters without",
    "dropped:1": "none",
}
_RANKERS = ("filter", "sum", "qtie")
_MEASURES = ("P@1", "R@5", "nDCG@10")


def _cell(scope: Scope, dataset: str, retriever: str, ranker: str, times: str) -> Cell:
    n_queries = scope.sample(dataset, sweep=True)
    return Cell(dataset=dataset, retriever=retriever, ranker=ranker, n_queries=n_queries, times=times)


def _rankers(scope: Scope) -> list[str]:
    return [name for name in _RANKERS if name in scope.rankers]


def _cells(scope: Scope) -> list[Cell]:
    return [
        _cell(scope, dataset, retriever, ranker, times)
        for dataset, retriever in scope.pairs()
        for ranker, times in [("none", "given"), *((name, change) for name in _rankers(scope) for change in _TIMES)]
    ]


def _present(scope: Scope, results: Results) -> Presentation:
    tables, plots = [], []
    for dataset in scope.datasets:
        rows, bars = [], []
        for retriever in scope.retrievers_of(dataset):
            alone = _cell(scope, dataset, retriever, "none", "given")
            rows.append(
                {"group": retriever, "retriever": retriever, "ranker": "none", "times": "not looked at",
                 **{measure: results.mean(alone, measure) for measure in _MEASURES}}
            )  # fmt: skip
            for ranker in _rankers(scope):
                given = _cell(scope, dataset, retriever, ranker, "given")
                values = {}
                for times, label in _TIMES.items():
                    cell = _cell(scope, dataset, retriever, ranker, times)
                    means = {measure: results.mean(cell, measure) for measure in _MEASURES}
                    kept = _kept(results, cell, given, alone)
                    rows.append(
                        {"group": retriever, "retriever": retriever, "ranker": ranker, "times": label, **means,
                         "gain kept": kept}
                    )  # fmt: skip
                    values[times] = means["nDCG@10"] or 0.0
                if retriever == scope.plotted_retriever(dataset):
                    bars.append(Series(label=ranker, x=list(values), y=list(values.values())))
        name, title = file_name("noisy-time", dataset), f"{dataset}: worse times of documents, in %"
        columns = [Column(name=name) for name in ("retriever", "ranker", "times")]
        columns += [Column(name=measure, best="max") for measure in _MEASURES] + [Column(name="gain kept", digits=0)]
        dated = results.grid.surveys[dataset].counts["dated_share"]
        note = (
            f"{100 * dated:.0f} % of the documents come with a time; the others' is read from their text in the first "
            "row of each ranker. `gain kept`: of the gain in nDCG@10 over the retriever alone, in % of the ranker's "
            "gain with the times as the data set has them."
        )
        tables.append(Table(name=name, title=title, columns=columns, rows=rows, note=note))
        plots.append(
            Plot(
                name=name, title=f"{dataset}, {scope.plotted_retriever(dataset)}", kind="bars",
                x_label="documents' times", y_label="nDCG@10 in %", series=bars,
            )
        )  # fmt: skip
    return Presentation(tables=tables, plots=plots)


def _kept(results: Results, cell: Cell, given: Cell, alone: Cell) -> float | None:
    values = [results.mean(each, "nDCG@10") for each in (cell, given, alone)]
    now, full, before = values
    if now is None or full is None or before is None or full - before < 1:  # of no gain no share is kept
        return None
    return 100 * (now - before) / (full - before)


NOISY_TIME = Experiment(name="noisy-time", title="Noisy times of documents", cells=_cells, present=_present)
