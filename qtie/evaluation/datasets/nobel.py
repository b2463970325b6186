"""The Nobel Prize benchmark: its own queries, which are simple, and their complex rewrites."""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from qtie.errors import EvaluationError
from qtie.evaluation.datasets.beir import load_beir
from qtie.evaluation.datasets.files import field_errors, json_lines
from qtie.evaluation.datasets.nobel_rewrites import gold_interval, read_frames, rewritten
from qtie.evaluation.datasets.record import Dataset, Query

__all__ = ["load_nobel", "load_nobel_complex"]

_EXPRESSIONS = {
    "prize YYYY": "in",
    "in Y": "in",
    "between Y1 and Y2": "between",
    "born_decade": "decade",
    "born_early": "early",
    "born_mid": "mid",
    "born_late": "late",
}


def load_nobel(folder: str | Path) -> Dataset:
    """The benchmark as published with TSM (`seungyoonee/TSM`, 2025): a document is a laureate, dated by the award.

    All its queries count as simple, as in published work; the 270 that ask for a part of a decade of birth are told
    apart by `metadata["axis"]`. Labels and intervals come from `query_analysis.jsonl` beside the BEIR files.

    Raises:
        EvaluationError: a file is missing or has a bad line, or a query is not analysed.
        DocumentError: the corpus has a bad line.
    """
    dataset = load_beir(folder)
    analysis = _analysis(Path(folder))
    queries = tuple(_labelled(query, analysis) for query in dataset.queries)
    return replace(dataset, name="nobel", queries=queries)


def load_nobel_complex(folder: str | Path, *, frames: str | Path, seed: int = 0) -> Dataset:
    """The same documents and judgements, with each query in other words that keep its gold interval.

    Args:
        folder: as `load_nobel`.
        frames: the file of frames that the rewrites are made from.
        seed: another one draws other frames.

    Raises:
        EvaluationError: as `load_nobel`, or the frames cannot be read or fit none of a query's forms.
    """
    if not Path(frames).is_file():
        raise EvaluationError(
            f"{frames}: no such file; nobel-complex is made from a file of frames, which must be named"
        )
    dataset = load_nobel(folder)
    records = [{"_id": query.query_id, "text": query.text} for query in dataset.queries]
    rewrites = rewritten(records, list(_analysis(Path(folder)).values()), read_frames(frames), seed)
    queries = tuple(
        replace(
            query,
            text=rewrite.text,
            subset="complex",
            expression=rewrite.operator,
            metadata={**query.metadata, "frame": rewrite.frame, "simple": query.text},
        )
        for query, rewrite in zip(dataset.queries, rewrites, strict=True)
    )
    metadata = {"queries": f"made: rewrites of the benchmark's own, seed {seed}"}
    return replace(dataset, name="nobel-complex", queries=queries, metadata=metadata)


def _analysis(folder: Path) -> dict[str, Mapping[str, Any]]:
    records: dict[str, Mapping[str, Any]] = {}
    for where, record in json_lines(folder / "query_analysis.jsonl"):
        with field_errors(where):
            gold_interval(record)
            records[record["_id"]] = record
    return records


def _labelled(query: Query, analysis: Mapping[str, Mapping[str, Any]]) -> Query:
    if query.query_id not in analysis:
        raise EvaluationError(f"query_analysis.jsonl: query {query.query_id!r} is not analysed")
    record = analysis[query.query_id]
    return replace(
        query,
        subset="simple",
        expression=_EXPRESSIONS[record["template"]],
        interval=gold_interval(record),
        metadata={**query.metadata, "axis": record["axis"], "template": record["template"]},
    )
