"""Rankings on disk: TREC runs, per-query measures, and records of single queries for the report."""

import json
from collections.abc import Sequence
from pathlib import Path

from qtie.errors import EvaluationError
from qtie.evaluation.experiments.experiment import Scope, file_name
from qtie.evaluation.experiments.overall import plain_cell
from qtie.evaluation.experiments.query_records import chosen_rows, query_records
from qtie.evaluation.grid.cell import Outcome
from qtie.evaluation.grid.judgements import MEASURES
from qtie.evaluation.grid.processes import Failure, Job, finished
from qtie.evaluation.grid.run import Grid, Survey
from qtie.evaluation.trec import write_run
from qtie.whole_file import write_whole

__all__ = ["write_query_records", "write_rankings", "write_text"]


def write_rankings(out: Path, scope: Scope, grid: Grid, *, runs: bool) -> None:
    """`per_query/<data set>.<retriever>.tsv`, and `runs/<data set>-<retriever>-<ranker>.run`, of rankers as they are.

    Args:
        out: the folder.
        scope: what was computed.
        grid: has the outcomes.
        runs: whether TREC runs are written too: 10 MB for 3,000 queries.
    """
    for dataset, retriever in scope.pairs():
        lines = []
        for ranker in scope.rankers:
            outcome = grid.outcome(plain_cell(scope, dataset, retriever, ranker))
            if outcome is None:
                continue
            if runs:
                (out / "runs").mkdir(parents=True, exist_ok=True)
                path = out / "runs" / f"{file_name(dataset, retriever, ranker)}.run"
                write_run(_run(outcome, grid.surveys[dataset]), path, tag=file_name(ranker))
            for row, position in enumerate(outcome.queries):
                query_id = grid.surveys[dataset].queries[position].query_id
                values = "\t".join(f"{outcome.measures[name][row]:.4f}" for name in MEASURES)
                lines.append(f"{query_id}\t{ranker}\t{values}\n")
        if lines:
            head = "\t".join(("query_id", "ranker", *MEASURES)) + "\n"
            write_text(out / "per_query" / f"{file_name(dataset)}.{file_name(retriever)}.tsv", head + "".join(lines))


def _run(outcome: Outcome, survey: Survey) -> dict[str, dict[str, float]]:
    return {
        survey.queries[position].query_id: {
            survey.doc_ids[doc]: float(score) for doc, score in zip(top, scores, strict=True) if doc >= 0
        }
        for position, top, scores in zip(outcome.queries, outcome.top, outcome.scores, strict=True)
    }


def write_query_records(out: Path, scope: Scope, grid: Grid, browsed: Sequence[str]) -> None:
    """`queries/<data set>.<retriever>.jsonl`: single queries before and after, with the reasons.

    Args:
        out: the folder.
        scope: what was computed; the first ranker is compared with `qtie`, or else with the last.
        grid: has the outcomes.
        browsed: the data sets to show.

    Raises:
        EvaluationError: the records could not be made.
    """
    jobs = []
    before = scope.rankers[0]
    after = "qtie" if "qtie" in scope.rankers else scope.rankers[-1]
    for dataset, retriever in scope.pairs():
        cells = [plain_cell(scope, dataset, retriever, ranker) for ranker in dict.fromkeys((before, after))]
        outcomes = [outcome for outcome in map(grid.outcome, cells) if outcome is not None]
        if dataset in browsed and len(outcomes) == len(cells):
            rows = chosen_rows(outcomes[0], outcomes[-1], seed=grid.setting.seed)
            name = f"{file_name(dataset)}.{file_name(retriever)}"
            arguments = (grid.setting, grid.surveys[dataset], cells, outcomes, rows)
            jobs.append(Job(name=name, function=query_records, arguments=arguments))
    for job, records in finished(jobs, n_processes=grid.setting.n_processes):
        if isinstance(records, Failure):
            raise EvaluationError(f"queries of {job.name}: {records.reason}")
        lines = (json.dumps(record, ensure_ascii=False) + "\n" for record in records)
        write_text(out / "queries" / f"{job.name}.jsonl", "".join(lines))


def write_text(path: Path, text: str) -> None:
    """The text as a file, whole or not at all."""
    write_whole(path, lambda file: file.write(text.encode()))
