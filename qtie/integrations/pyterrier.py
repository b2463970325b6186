"""PyTerrier: transformers that add a query's time to topics, and that re-rank results by it. No Java is needed.

Needs `pyterrier`. The example is `examples/pyterrier_experiment.py`.
"""

from datetime import date
from typing import Any

from qtie.document_time import parse_time
from qtie.errors import ConfigError, require
from qtie.integrations.candidates import Place, ReferenceDate, places, reference_day
from qtie.intent import IntentExtractor
from qtie.interval import civil_date
from qtie.reranker import TemporalReranker
from qtie.tie.extractors import make_extractor

require("pyterrier", extra="pyterrier")

import pandas as pd
import pyterrier as pt

__all__ = ["TemporalIntent", "TemporalRerank"]

_NOT_METADATA = frozenset(("qid", "query", "docno", "docid", "text", "title", "score", "rank", "temporal"))


class TemporalRerank(pt.Transformer):
    """Re-ranks the results of each query by topic and time; the columns of the documents are their metadata.

    Takes `qid`, `query`, `docno` and, where they are there, `score` (else rows count as sorted, best first), `text`,
    `title` and `reference_date`, the day a topic was asked. Adds the reasons in the column `temporal`.

    Args:
        reranker: how topic and time are joined.
        reference_date: the day of asking, for topics that have none of their own.

    Example:
        >>> notes = [{"docno": "a", "date": "2016-05-09"}, {"docno": "b", "date": "2019-05-12"}]
        >>> results = pd.DataFrame([{"qid": "1", "query": "budget in 2019", "score": 3.0, **note} for note in notes])
        >>> TemporalRerank()(results)[["docno", "rank"]].values.tolist()
        [['b', 0], ['a', 1]]
    """

    def __init__(self, reranker: TemporalReranker | None = None, *, reference_date: ReferenceDate = None) -> None:
        self.reranker, self.reference_date = reranker or TemporalReranker(), reference_date

    def transform(self, inp: pd.DataFrame) -> pd.DataFrame:
        """The rows of each query, best first.

        Raises:
            InputValidationError: a column is missing.
            DocumentError: a score that is not a finite number.
        """
        pt.validate.columns(inp, includes=["qid", "query", "docno"], context=self)
        rows = [row for _, group in inp.groupby("qid", sort=False) for row in self._reranked(group.to_dict("records"))]
        columns = list(dict.fromkeys([*inp.columns, "score", "rank", "temporal"]))
        if not rows:  # PyTerrier asks for the columns so
            return pd.DataFrame(columns=columns).astype({"score": float, "rank": int})
        return pd.DataFrame(rows, columns=columns)

    def _reranked(self, rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
        day = _day(rows[0].get("reference_date")) or reference_day(self.reference_date)
        if all(row.get("score") is not None for row in rows):
            rows.sort(key=lambda row: -row["score"])
        ranked = places(
            self.reranker, rows[0]["query"], rows,
            record=_record, scores=[row.get("score") for row in rows], reference_date=day,
        )  # fmt: skip
        return [_row(place) for place in ranked]


class TemporalIntent(pt.Transformer):
    """Adds to topics the first and last day that they ask for, `t_start` and `t_end`; None for an open side or no time.

    Args:
        extractor: reads the time; by default as `TemporalReranker` does.
        reference_date: the day of asking, for topics without a `reference_date` of their own.

    Example:
        >>> topics = pd.DataFrame([{"qid": "1", "query": "budget since 2019"}])
        >>> TemporalIntent()(topics)[["t_start", "t_end"]].values.tolist()
        [['2019-01-01', None]]
    """

    def __init__(self, extractor: IntentExtractor | None = None, *, reference_date: ReferenceDate = None) -> None:
        self.extractor, self.reference_date = extractor or make_extractor(), reference_date

    def transform(self, inp: pd.DataFrame) -> pd.DataFrame:
        """The topics with the two columns.

        Raises:
            InputValidationError: a column is missing.
        """
        pt.validate.columns(inp, includes=["qid", "query"], context=self)
        bounds = [self._bounds(row) for row in inp.to_dict("records")]
        columns = {f"t_{side}": [bound[side] for bound in bounds] for side in ("start", "end")}
        return inp.assign(**{name: pd.Series(days, index=inp.index, dtype=object) for name, days in columns.items()})

    def _bounds(self, row: dict[str, Any]) -> dict[str, str | None]:
        day = _day(row.get("reference_date")) or reference_day(self.reference_date)
        interval = self.extractor.extract(row["query"], reference_date=day).interval
        return {"start": None, "end": None} if interval is None else interval.to_dict()


def _day(value: object) -> date | None:
    """The day that a cell holds, None where it is empty.

    Raises:
        ConfigError: it holds something else.
    """
    time = parse_time(value, source="reference_date")
    if time is None:
        return None
    if time.interval.start is None or time.interval.n_days != 1:
        raise ConfigError(f"reference_date must be a day, not {value!r}")
    return date(*civil_date(time.interval.start))


def _record(row: dict[str, Any]) -> dict[str, Any]:
    texts = {name: row[name] if isinstance(row.get(name), str) else "" for name in ("text", "title")}
    return {**texts, "metadata": {name: value for name, value in row.items() if name not in _NOT_METADATA}}


def _row(place: Place[dict[str, Any]]) -> dict[str, Any]:
    score = place.temporal["semantic_score"] if place.score is None else place.score
    rank = place.temporal["rank"] - 1 + pt.model.FIRST_RANK
    return {**place.item, "score": score, "rank": rank, "temporal": place.temporal}
