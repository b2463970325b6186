"""Queries to look at: both rankings of each, with what the browser of the page needs to explain them."""

import json
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from itertools import zip_longest
from math import isfinite
from pathlib import Path
from typing import Any

from qtie.display.timeline import TimelineBar
from qtie.errors import EvaluationError, QtieError
from qtie.intent import TemporalIntent
from qtie.interval import TimeInterval

__all__ = ["Case", "mixed", "read_cases"]

Case = dict[str, Any]
"""A JSON-ready query: who asked what, how it was read, each ranker's documents, and whether its first one is right."""


def read_cases(path: Path, *, before: str = "none", after: str = "qtie") -> list[Case]:
    """The cases of a file `queries/<dataset>.<retriever>.jsonl`, mixed by what became of the first document.

    Args:
        path: as `qtie bench` wrote it.
        before: the ranker that is compared with.
        after: the ranker that is compared.

    Raises:
        EvaluationError: a line that is no such record; names the file and the line.
    """
    dataset, _, retriever = path.stem.partition(".")
    cases = []
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1):
        try:
            cases.append({"dataset": dataset, "retriever": retriever, **_case(json.loads(line))})
        except (QtieError, KeyError, TypeError, ValueError, AttributeError, IndexError) as error:
            raise EvaluationError(f"{path}:{number}: not a record of a query: {error!r}") from error
    return mixed(cases, before=before, after=after)


def mixed(cases: Sequence[Case], *, before: str, after: str) -> list[Case]:
    """The cases in turns of the four kinds, right or wrong before × after, so that any first n have all of them.

    Example:
        >>> cases = [{"right": {"none": False, "qtie": right}} for right in (True, True, True, False)]
        >>> [case["right"]["qtie"] for case in mixed(cases, before="none", after="qtie")]
        [True, False, True, True]
    """
    kinds = defaultdict(list)
    for case in cases:
        kinds[case["right"].get(before), case["right"].get(after)].append(case)
    return [case for turn in zip_longest(*kinds.values()) for case in turn if case is not None]


def _case(record: Mapping[str, Any]) -> Case:
    intent = TemporalIntent.from_dict(record["intent"])
    rankings = {ranker: [_row(row) for row in rows] for ranker, rows in record["rankings"].items()}
    return {
        "query_id": str(record["query_id"]),
        "pieces": list(_pieces(intent)),
        "intervals": [str(interval) for interval in intent.intervals],
        "reading": intent.explain().splitlines(),
        "reference_date": record.get("reference_date"),
        "subset": record.get("subset") or "",
        "expression": record.get("expression") or "",
        "gold_interval": record.get("gold_interval"),
        "n_relevant": len(record.get("relevant", ())),
        "measures": {
            ranker: {measure: value for measure, value in values.items() if isfinite(value)}
            for ranker, values in record.get("measures", {}).items()
        },
        "right": {ranker: bool(rows and rows[0]["relevant"]) for ranker, rows in rankings.items()},
        "rankings": rankings,
    }


def _pieces(intent: TemporalIntent) -> Iterator[tuple[str, bool]]:
    """The query in pieces, each with whether it states the time."""
    at = 0
    for start, end in intent.spans:
        yield intent.query[at:start], False
        yield intent.query[start:end], True
        at = end
    yield intent.query[at:], False


def _row(row: Mapping[str, Any]) -> dict[str, Any]:
    """A document as the timeline draws it, and what else the list shows."""
    bar = TimelineBar(
        doc_id=str(row["doc_id"]),
        label=row["title"] or row["text"][:80],
        time=None if row["time"] is None else TimeInterval.parse(row["time"]),
        temporal_score=_rounded(row["temporal_score"]),
        rank=int(row["rank"]),
        relation=str(row["relation"]),
    )
    return bar.to_dict() | {
        "text": str(row["text"]),
        "semantic_score": _rounded(row["semantic_score"]),
        "score": _rounded(row["score"]),
        "rank_before": row["rank_before"],
        "relevant": bool(row["relevant"]),
    }


def _rounded(score: float) -> float:
    if not isfinite(score):
        raise ValueError(f"a score is {score}")
    return float(f"{score:.4g}")
