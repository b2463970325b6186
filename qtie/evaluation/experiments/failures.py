"""Where it goes wrong: reading × ranking, right or wrong, as Q-TIE's D.5; and first documents side by side."""

from collections import defaultdict
from collections.abc import Iterator, Mapping
from random import Random
from typing import Any

from qtie.evaluation.experiments.experiment import Experiment, Presentation, Results, Scope, file_name
from qtie.evaluation.experiments.overall import overall_cells, plain_cell
from qtie.evaluation.grid.cell import Cell
from qtie.evaluation.tables import Column, Table

__all__ = ["FAILURES"]

_OURS = "qtie"
_N_CASES = 10
_N_SIDE_BY_SIDE = 8


def _cells(scope: Scope) -> list[Cell]:
    return overall_cells(scope) if _OURS in scope.rankers else []


def _present(scope: Scope, results: Results) -> Presentation:
    if _OURS not in scope.rankers:
        return Presentation()
    rows, tables, cases = [], [], []
    for dataset, retriever in scope.pairs():
        kinds = _kinds(results, plain_cell(scope, dataset, retriever, _OURS))
        n_known = sum(len(queries) for name, queries in kinds.items() if not name.startswith("unknown"))
        for name, queries in kinds.items():
            base = n_known if not name.startswith("unknown") else sum(map(len, kinds.values())) - n_known
            reading, ranking = name.split(" / ")
            rows.append(
                {"group": f"{dataset} {retriever}", "data set": dataset, "retriever": retriever, "reading": reading,
                 "first document": ranking, "queries": len(queries), "share": 100 * len(queries) / base}
            )  # fmt: skip
            if ranking == "wrong":
                cases += list(_cases(scope, results, (dataset, retriever), reading, queries))
    columns = [Column(name=name) for name in ("data set", "retriever", "reading", "first document", "queries", "share")]
    note = (
        "The reading is right where its interval is the one that the data states; shares in % of the queries whose "
        "interval is known, or of the others."
    )
    tables.append(
        Table(name="failures", title="Reading of the query × first document", columns=columns, rows=rows, note=note)
    )
    tables += [_side_by_side(scope, results, dataset) for dataset in scope.datasets]
    return Presentation(tables=tables, records={"failure_cases": cases})


def _kinds(results: Results, cell: Cell) -> dict[str, list[int]]:
    """Rows of the outcome by whether query and ranking are right, such as "right / wrong"."""
    outcome, survey = results.of(cell), results.grid.surveys[cell.dataset]
    kinds: dict[str, list[int]] = defaultdict(list)
    if outcome is not None:
        for row, position in enumerate(outcome.queries.tolist()):
            reading = {True: "right", False: "wrong", None: "unknown"}[survey.right[position]]
            ranking = "right" if outcome.measures["P@1"][row] > 0 else "wrong"
            kinds[f"{reading} / {ranking}"].append(row)
    return dict(sorted(kinds.items()))


def _cases(
    scope: Scope, results: Results, pair: tuple[str, str], reading: str, rows: list[int]
) -> Iterator[dict[str, Any]]:
    """Some of the queries whose first document is wrong, by id; what was read and what the data says."""
    outcome, survey = results.of(plain_cell(scope, *pair, _OURS)), results.grid.surveys[pair[0]]
    if outcome is None:
        return
    for row in sorted(Random(results.grid.setting.seed).sample(rows, min(_N_CASES, len(rows)))):
        query, intent = survey.queries[outcome.queries[row]], survey.intents[outcome.queries[row]]
        first = int(outcome.top[row, 0])
        yield {
            "dataset": pair[0],
            "retriever": pair[1],
            "query_id": query.query_id,
            "expression": query.expression,
            "reading": reading,
            "read": intent.interval and str(intent.interval),
            "gold": query.interval and str(query.interval),
            "first": survey.doc_ids[first] if first >= 0 else None,
            "RR": float(outcome.measures["RR"][row]),
        }


def _side_by_side(scope: Scope, results: Results, dataset: str) -> Table:
    """The first document of each ranker for a few queries on which they disagree."""
    retriever, rankers = scope.plotted_retriever(dataset), scope.shown_rankers()
    outcomes = {ranker: results.of(plain_cell(scope, dataset, retriever, ranker)) for ranker in rankers}
    known = {ranker: outcome for ranker, outcome in outcomes.items() if outcome is not None}
    survey, rows = results.grid.surveys[dataset], []
    if known:
        right = {ranker: outcome.measures["P@1"] > 0 for ranker, outcome in known.items()}
        n_queries = len(next(iter(right.values())))
        disagreed = [row for row in range(n_queries) if len({bool(values[row]) for values in right.values()}) > 1]
        chosen = sorted(Random(results.grid.setting.seed).sample(disagreed, min(_N_SIDE_BY_SIDE, len(disagreed))))
        for row in chosen:
            firsts: Mapping[str, str] = {
                ranker: _first(survey.doc_ids, int(outcome.top[row, 0]), is_right=bool(right[ranker][row]))
                for ranker, outcome in known.items()
            }
            query = survey.queries[next(iter(known.values())).queries[row]]
            rows.append({"query": query.query_id, "expression": query.expression, **firsts})
    columns = [Column(name=name) for name in ("query", "expression", *known)]
    title = f"{dataset}, {retriever}: the first document for queries on which rankers disagree"
    return Table(name=file_name("side-by-side", dataset), title=title, columns=columns, rows=rows)


def _first(doc_ids: tuple[str, ...], position: int, *, is_right: bool) -> str:
    return f"{'✓' if is_right else '✗'} {doc_ids[position] if position >= 0 else 'none'}"


FAILURES = Experiment(name="failures", title="Where it goes wrong", cells=_cells, present=_present)
