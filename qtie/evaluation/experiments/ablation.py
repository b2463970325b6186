"""What each part of the method is worth: one left out at a time."""

from dataclasses import replace

from qtie.evaluation.experiments.experiment import Experiment, Presentation, Results, Scope, file_name, measure_columns
from qtie.evaluation.grid.cell import Cell
from qtie.evaluation.tables import Column, Table

__all__ = ["ABLATION"]


def _arms(scope: Scope, dataset: str, retriever: str) -> dict[str, Cell]:
    """By label, the cell without that part."""
    full = Cell(dataset=dataset, retriever=retriever, ranker="qtie", n_queries=scope.sample(dataset, sweep=True))
    return {
        "all of it": full,
        "words about time stay in the semantic query": replace(full, intents="without:stripping"),
        "no facets: every time of a document counts": replace(full, intents="without:facets"),
        "no Allen relations: sharing a day suffices": replace(full, intents="without:relation"),
        "no preference for the latest or earliest": replace(full, intents="without:preference"),
        "no calibration: min-max scores": replace(full, normalization="min_max"),
        "no calibration: ranks in place of scores": replace(full, normalization="rank"),
        "no graded kernel: gap decay": replace(full, options=(("kernel", "gap"),)),
        "no product of experts: weighted sum": replace(full, options=(("fusion", "weighted_sum"),)),
        "no times of documents": replace(full, times="dropped:1"),
        "nothing of it: the retriever alone": replace(full, ranker="none"),
    }


def _cells(scope: Scope) -> list[Cell]:
    return [cell for pair in scope.pairs() for cell in _arms(scope, *pair).values()]


def _present(scope: Scope, results: Results) -> Presentation:
    tables = []
    for dataset in scope.datasets:
        rows = []
        for retriever in scope.retrievers_of(dataset):
            arms = _arms(scope, dataset, retriever)
            full = results.mean(arms["all of it"], "nDCG@10")
            for label, cell in arms.items():
                means = results.means(cell)
                value = means["nDCG@10"]
                change = None if value is None or full is None else value - full
                rows.append(
                    {"group": retriever, "retriever": retriever, "without": label, **means, "Δ nDCG@10": change}
                )
        columns = [Column(name="retriever"), Column(name="without"), *measure_columns(), Column(name="Δ nDCG@10")]
        tables.append(
            Table(name=file_name("ablation", dataset), title=f"{dataset}: one part left out at a time, in %",
                  columns=columns, rows=rows)
        )  # fmt: skip
    return Presentation(tables=tables)


ABLATION = Experiment(name="ablation", title="One part left out at a time", cells=_cells, present=_present)
