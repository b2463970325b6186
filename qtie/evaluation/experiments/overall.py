"""Every ranker on every data set: Q-TIE's Tables 3, 11 and 19, and by type of expression its Figure 2."""

from qtie.evaluation.experiments.experiment import Experiment, Presentation, Results, Scope, file_name, measure_columns
from qtie.evaluation.grid.cell import Cell
from qtie.evaluation.plots import Plot, Series
from qtie.evaluation.tables import Column, Table

__all__ = ["BY_TYPE", "OVERALL", "overall_cells", "plain_cell"]

_LEAST_QUERIES = 5


def plain_cell(scope: Scope, dataset: str, retriever: str, ranker: str) -> Cell:
    """The ranker as it is, nothing changed."""
    return Cell(dataset=dataset, retriever=retriever, ranker=ranker, n_queries=scope.sample(dataset))


def overall_cells(scope: Scope) -> list[Cell]:
    """Every ranker on every data set with every retriever."""
    return [plain_cell(scope, *pair, ranker) for pair in scope.pairs() for ranker in scope.rankers]


def _present_overall(scope: Scope, results: Results) -> Presentation:
    tables = [_summary(scope, results)]
    for dataset in scope.datasets:
        cell = plain_cell(scope, dataset, scope.plotted_retriever(dataset), scope.rankers[0])
        subsets = results.subsets(cell)
        for subset in ["all", *(subsets if len(subsets) > 1 else ())]:
            tables.append(_dataset_table(scope, results, dataset, subset))
    return Presentation(tables=tables)


def _summary(scope: Scope, results: Results) -> Table:
    rows = []
    for retriever in scope.retrievers:
        for ranker in scope.rankers:
            values = {
                dataset: results.mean(plain_cell(scope, dataset, retriever, ranker), "nDCG@10")
                for dataset in scope.datasets
                if retriever in scope.retrievers_of(dataset)
            }
            rows.append({"group": retriever, "retriever": retriever, "ranker": ranker, **values})
    columns = [Column(name="retriever"), Column(name="ranker"), *measure_columns(scope.datasets)]
    return Table(name="overall", title="nDCG@10 on every data set, in %", columns=columns, rows=rows)


def _dataset_table(scope: Scope, results: Results, dataset: str, subset: str) -> Table:
    rows = []
    n_queries = 0
    for retriever in scope.retrievers_of(dataset):
        for ranker in scope.rankers:
            cell = plain_cell(scope, dataset, retriever, ranker)
            chosen = None if subset == "all" else results.subsets(cell)[subset]
            n_queries = len(results.labels(cell, "subset")) if chosen is None else int(chosen.sum())
            values = results.means(cell, chosen)
            rows.append({"group": retriever, "retriever": retriever, "ranker": ranker, **values})
    name = file_name("overall", dataset, *(() if subset == "all" else (subset,)))
    kind = "" if subset == "all" else f"{subset} "
    return Table(
        name=name,
        title=f"{dataset}: {n_queries:,} {kind}queries, in %",
        columns=[Column(name="retriever"), Column(name="ranker"), *measure_columns()],
        rows=rows,
    )


def _present_by_type(scope: Scope, results: Results) -> Presentation:
    tables, plots = [], []
    rankers = scope.shown_rankers()
    for dataset in scope.datasets:
        rows, series = [], {ranker: dict[str, float]() for ranker in rankers}
        for retriever in scope.retrievers_of(dataset):
            kinds = results.subsets(plain_cell(scope, dataset, retriever, rankers[0]), "expression")
            for kind, chosen in kinds.items():
                if chosen.sum() < _LEAST_QUERIES:
                    continue
                values = {}
                for ranker in rankers:
                    values[ranker] = results.mean(plain_cell(scope, dataset, retriever, ranker), "nDCG@10", chosen)
                    if retriever == scope.plotted_retriever(dataset) and values[ranker] is not None:
                        series[ranker][kind] = values[ranker] or 0.0
                rows.append({"retriever": retriever, "expression": kind, "queries": int(chosen.sum()), **values})
        if not rows:
            continue
        columns = [Column(name=name) for name in ("retriever", "expression", "queries")]
        title = f"{dataset}: nDCG@10 by type of expression, in %"
        tables.append(
            Table(
                name=file_name("by-type", dataset), title=title, columns=[*columns, *map(_ranker_column, rankers)],
                rows=[{"group": str(number), **row} for number, row in enumerate(rows)],
            )
        )  # fmt: skip
        plots.append(
            Plot(
                name=file_name("by-type", dataset), title=f"{dataset}, {scope.plotted_retriever(dataset)}", kind="bars",
                x_label="type of expression", y_label="nDCG@10 in %",
                series=[Series(label=name, x=list(values), y=list(values.values())) for name, values in series.items()],
            )
        )  # fmt: skip
    return Presentation(tables=tables, plots=plots)


def _ranker_column(name: str) -> Column:
    return Column(name=name, best="max")


OVERALL = Experiment(
    name="overall",
    title="Every ranker on every data set",
    cells=overall_cells,
    present=_present_overall,
    subsets="subset",
)
BY_TYPE = Experiment(
    name="by-type",
    title="By type of time expression",
    cells=overall_cells,
    present=_present_by_type,
    subsets="expression",
)
