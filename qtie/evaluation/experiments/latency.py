"""What temporal re-ranking adds to a search, as Q-TIE's Table 5; and what quality each ranker's time buys."""

from collections.abc import Sequence
from typing import Any

from qtie.errors import EvaluationError
from qtie.evaluation.experiments.experiment import Experiment, Presentation, Results, Scope
from qtie.evaluation.experiments.overall import plain_cell
from qtie.evaluation.experiments.timing import CORPUS_SIZES, ranker_times, search_times
from qtie.evaluation.grid.cell import Cell
from qtie.evaluation.grid.processes import Failure, Job, finished
from qtie.evaluation.grid.semantic_scores import retriever_parts
from qtie.evaluation.plots import Plot, Series
from qtie.evaluation.tables import Column, Table

__all__ = ["LATENCY"]

_SMALL_CORPUS_SIZES = CORPUS_SIZES[:2]
_PARTS = ("retrieval", "reading", "scoring", "added", "added %", "beside")


def _searched(scope: Scope) -> tuple[str, str]:
    """The data set and the retriever with which rankers are timed."""
    return scope.datasets[0], scope.plotted_retriever(scope.datasets[0])


def _cells(scope: Scope) -> list[Cell]:
    dataset, retriever = _searched(scope)
    return [plain_cell(scope, dataset, retriever, ranker) for ranker in scope.rankers]


def _present(scope: Scope, results: Results) -> Presentation:
    """Measured one after the other, with nothing of ours running beside it."""
    setting = results.grid.setting
    encoder = next((parts[1] for parts in map(retriever_parts, scope.retrievers) if parts[1]), None)
    dataset, retriever = _searched(scope)
    sizes = CORPUS_SIZES if encoder else _SMALL_CORPUS_SIZES
    jobs = [
        Job(name=f"{size:,} documents", function=search_times, arguments=(size, encoder, setting.seed))
        for size in sizes
    ]
    arguments = (setting, scope.surveys[dataset], retriever, tuple(scope.rankers))
    jobs.append(Job(name="rankers", function=ranker_times, arguments=arguments))
    rows: list[dict[str, Any]] = []
    by_ranker: dict[str, float] = {}
    for job, found in finished(jobs, n_processes=1):
        if isinstance(found, Failure):
            raise EvaluationError(f"latency of {job.name}: {found.reason}")
        if isinstance(found, list):
            rows += found
        else:
            by_ranker = found
    return Presentation(
        tables=[_search_table(rows), _ranker_table(scope, results, by_ranker)],
        plots=[*_search_plots(rows), _quality_plot(scope, results, by_ranker)],
        records={"latency": rows},
    )


def _search_table(rows: Sequence[dict[str, Any]]) -> Table:
    columns = [Column(name="documents"), Column(name="retriever"), *(Column(name=name, digits=3) for name in _PARTS)]
    columns[-2] = Column(name="added %")
    note = (
        "Milliseconds per query on one thread, medians over queries of the sample corpus. `retrieval` is encoding, "
        "scoring every document and choosing the best; `reading` the query's intent; `scoring` temporal scores and "
        "fusion of every document; `beside`: what is added where the reading runs in a second thread while the encoder "
        "works on the query as it is. Documents are made: random days, random vectors; texts, for BM25, only up to "
        "100,000."
    )
    return Table(name="latency", title="Added latency by size of the corpus", columns=columns, rows=rows, note=note)


def _ranker_table(scope: Scope, results: Results, by_ranker: dict[str, float]) -> Table:
    dataset, retriever = _searched(scope)
    rows = [
        {"ranker": name, "ms": value, "nDCG@10": results.mean(plain_cell(scope, dataset, retriever, name), "nDCG@10")}
        for name, value in by_ranker.items()
    ]
    columns = [Column(name="ranker"), Column(name="ms", best="min", digits=3), Column(name="nDCG@10", best="max")]
    title = f"{dataset}, {retriever}: milliseconds per query to score all documents, and quality in %"
    return Table(name="latency-rankers", title=title, columns=columns, rows=rows, note="Without retrieval and reading.")


def _search_plots(rows: Sequence[dict[str, Any]]) -> list[Plot]:
    series = []
    for name in dict.fromkeys(row["retriever"] for row in rows):
        own = [row for row in rows if row["retriever"] == name]
        sizes = [row["documents"] for row in own]
        series += [
            Series(label=f"{name}: {part}", x=sizes, y=[row[part] for row in own]) for part in ("retrieval", "added")
        ]
    return [
        Plot(
            name="latency", title="Latency by size of the corpus, one thread", x_label="documents",
            y_label="ms per query", series=series, log_x=True, log_y=True,
        )
    ]  # fmt: skip


def _quality_plot(scope: Scope, results: Results, by_ranker: dict[str, float]) -> Plot:
    dataset, retriever = _searched(scope)
    series = []
    for name in by_ranker:
        quality = results.mean(plain_cell(scope, dataset, retriever, name), "nDCG@10")
        if quality is not None:
            series.append(Series(label=name, x=[max(by_ranker[name], 1e-4)], y=[quality]))
    return Plot(
        name="latency-quality", title=f"Latency against quality: {dataset}, {retriever}", kind="points", log_x=True,
        x_label="ms per query to score all documents", y_label="nDCG@10 in %", series=series,
    )  # fmt: skip


LATENCY = Experiment(name="latency", title="Latency", cells=_cells, present=_present)
