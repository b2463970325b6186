"""Ours against every other ranker, query by query: McNemar, Wilcoxon, Holm and bootstrap, as Q-TIE's D.9."""

from collections.abc import Mapping, Sequence
from typing import Any

from qtie.errors import EvaluationError
from qtie.evaluation.experiments.experiment import Experiment, Presentation, Results, Scope, file_name
from qtie.evaluation.experiments.overall import overall_cells, plain_cell
from qtie.evaluation.grid.cell import Cell
from qtie.evaluation.grid.processes import Failure, Job, finished
from qtie.evaluation.significance import Comparison, compare
from qtie.evaluation.tables import Column, Table

__all__ = ["SIGNIFICANCE"]

_OURS = "qtie"
_MEASURES = ("P@1", "R@5", "nDCG@10")
_LEVEL = 0.05

PerRanker = Mapping[str, Mapping[str, float]]


def _cells(scope: Scope) -> list[Cell]:
    return overall_cells(scope) if _OURS in scope.rankers else []


def _present(scope: Scope, results: Results) -> Presentation:
    if _OURS not in scope.rankers:
        return Presentation()
    jobs = []
    for dataset, retriever in scope.pairs():
        values = {measure: _values(scope, results, (dataset, retriever), measure) for measure in _MEASURES}
        if all(_OURS in each and len(each) > 1 for each in values.values()):
            arguments = (values, results.grid.setting.seed)
            jobs.append(Job(name=f"{dataset} {retriever}", function=_compared, arguments=arguments))
    found = dict[str, list[dict[str, Any]]]()
    for job, rows in finished(jobs, n_processes=results.grid.setting.n_processes):
        if isinstance(rows, Failure):
            raise EvaluationError(f"significance of {job.name}: {rows.reason}")
        found[job.name] = rows
    rows = []
    for dataset, retriever in scope.pairs():
        for row in found.get(f"{dataset} {retriever}", []):
            rows.append({"dataset": dataset, "retriever": retriever, **row})
    tables = [_counts(scope, rows), *(_dataset_table(dataset, rows) for dataset in scope.datasets)]
    return Presentation(tables=tables, records={"significance": rows})


def _values(scope: Scope, results: Results, pair: tuple[str, str], measure: str) -> PerRanker:
    """The measure by ranker and query."""
    found = {}
    for ranker in scope.rankers:
        outcome = results.of(plain_cell(scope, *pair, ranker))
        if outcome is not None:
            query_ids = map(str, outcome.queries.tolist())
            found[ranker] = dict(zip(query_ids, outcome.measures[measure].tolist(), strict=True))
    return found


def _compared(values: Mapping[str, PerRanker], seed: int) -> list[dict[str, Any]]:
    rows = []
    for measure, by_ranker in values.items():
        others = {ranker: per_query for ranker, per_query in by_ranker.items() if ranker != _OURS}
        for ranker, comparison in compare(by_ranker[_OURS], others, seed=seed).items():
            rows.append({"measure": measure, "ranker": ranker, **_row(comparison)})
    return rows


def _row(comparison: Comparison) -> dict[str, Any]:
    low, high = comparison.interval
    verdict = "no difference"
    if comparison.is_significant(_LEVEL):
        verdict = "ours better" if comparison.difference > 0 else "ours worse"
    return {
        "ours": 100 * comparison.mean,
        "other": 100 * comparison.other_mean,
        "difference": 100 * comparison.difference,
        "from": 100 * low,
        "to": 100 * high,
        "test": comparison.test,
        "p": comparison.p,
        "p by Holm": comparison.corrected_p,
        "verdict": verdict,
    }


def _dataset_table(dataset: str, rows: Sequence[Mapping[str, Any]]) -> Table:
    shown = [{**row, "p by Holm": _p_text(row["p by Holm"])} for row in rows if row["dataset"] == dataset]
    columns = [Column(name=name) for name in ("retriever", "measure", "ranker", "ours", "other", "difference")]
    columns += [Column(name=name) for name in ("from", "to", "test", "p by Holm", "verdict")]
    note = (
        "Differences in points of a percent with their 95 % bootstrap interval; McNemar's exact test for P@1, "
        "Wilcoxon's signed ranks for the others, corrected by Holm across the rankers of a measure and retriever."
    )
    name = file_name("significance", dataset)
    return Table(name=name, title=f"{dataset}: ours against each ranker", columns=columns, rows=shown, note=note)


def _counts(scope: Scope, rows: Sequence[Mapping[str, Any]]) -> Table:
    """How many comparisons each other ranker wins and loses."""
    counted = []
    for ranker in scope.rankers:
        verdicts = [row["verdict"] for row in rows if row["ranker"] == ranker]
        if verdicts:
            names = ("ours better", "no difference", "ours worse")
            counted.append({"ranker": ranker, "comparisons": len(verdicts), **{n: verdicts.count(n) for n in names}})
    columns = [
        Column(name=name, digits=0) for name in ("ranker", "comparisons", "ours better", "no difference", "ours worse")
    ]
    title = f"Comparisons over data sets, retrievers and {', '.join(_MEASURES)}, at {_LEVEL} after Holm"
    return Table(name="significance", title=title, columns=columns, rows=counted)


def _p_text(p: float) -> str:
    return "< 0.001" if p < 0.001 else f"{p:.3f}"


SIGNIFICANCE = Experiment(name="significance", title="Significance of the differences", cells=_cells, present=_present)
