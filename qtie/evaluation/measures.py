"""Measures of runs, per query and on average: those of ir_measures, and two about time."""

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from subprocess import SubprocessError

import numpy as np

from qtie.document import Document
from qtie.errors import EvaluationError, require
from qtie.evaluation.trec import Qrels, Run
from qtie.intent import TemporalIntent
from qtie.temporal_relevance import outside_documents
from qtie.time_columns import TimeColumns

__all__ = ["Evaluation", "check_run", "evaluate", "harm", "violation_at_k"]

Intents = Mapping[str, TemporalIntent]
"""The time that each query asks for, by query_id."""

_IR_MEASURES_ERRORS = (  # its own, those of Python's parser, which reads the name, and those of the programs it starts
    *(ArithmeticError, AssertionError, AttributeError, LookupError, MemoryError, NameError, OSError, RuntimeError),
    *(SubprocessError, TypeError, ValueError),
)
_VIOLATION = re.compile(r"violation@([1-9]\d{0,8})")


@dataclass(frozen=True, slots=True)
class Evaluation:
    """The value of each measure for each query: `per_query["P@1"]["q7"]`."""

    per_query: Mapping[str, Mapping[str, float]]

    @property
    def means(self) -> dict[str, float]:
        """Each measure averaged over its queries; NaN where it has none."""
        return {
            measure: math.fsum(values.values()) / len(values) if values else math.nan
            for measure, values in self.per_query.items()
        }


def evaluate(
    qrels: Qrels,
    run: Run,
    measures: Sequence[str],
    *,
    documents: Iterable[Document] | None = None,
    intents: Intents | None = None,
    baseline: Run | None = None,
) -> Evaluation:
    """The run's value of each measure, for every query that has judgements.

    A query for which nothing was retrieved counts 0.

    Args:
        qrels: judgements; relevance above 0 is relevant.
        run: scores by query and document; equal scores are ordered as trec_eval does, by descending doc_id.
        measures: names of ir_measures such as `nDCG@10`, `violation@k`, or `harm`.
        documents: the corpus, which `violation@k` needs.
        intents: what each query asks for, which `violation@k` and `harm` need.
        baseline: the run that `harm` compares with.

    Raises:
        EvaluationError: qrels and run do not fit together, or a measure is unknown or lacks what it needs.
        MissingExtraError: ir_measures is not installed.

    Example:
        >>> qrels, run = {"q": {"a": 1, "b": 0}}, {"q": {"b": 2.0, "a": 1.0}}
        >>> evaluate(qrels, run, ["P@1", "RR", "nDCG@10"]).means
        {'P@1': 0.0, 'RR': 0.5, 'nDCG@10': 0.6309297535714575}
    """
    check_run(qrels, run)
    if not measures:
        raise EvaluationError("no measure asked for; name some, such as nDCG@10 or P@1")
    corpus = None if documents is None else list(documents)
    per_query: dict[str, Mapping[str, float]] = {}
    for name in measures:
        if match := _VIOLATION.fullmatch(name):
            if corpus is None or intents is None:
                raise EvaluationError(f"{name} needs the documents and the intents of the queries")
            per_query[name] = violation_at_k(run, intents, corpus, k=int(match[1]))
        elif name == "harm":
            if baseline is None or intents is None:
                raise EvaluationError("harm needs a baseline run and the intents of the queries")
            per_query[name] = harm(qrels, run, baseline, intents=intents)
        else:
            per_query[name] = _ir_measure(qrels, run, name)
    return Evaluation(per_query)


def violation_at_k(run: Run, intents: Intents, documents: Iterable[Document], *, k: int) -> dict[str, float]:
    """The share of the top k that lies outside the asked interval, by query; lower is better.

    A document lies outside if all of its times are known to share no day with what is asked; an undated one does not.
    Queries that ask for no time are left out; one without retrieved documents counts 0.

    Args:
        run: scores by query and document.
        intents: what each query asks for.
        documents: the corpus.
        k: how many documents of each ranking are looked at.

    Returns:
        Values in [0, 1].

    Raises:
        EvaluationError: the run holds a document or a query that is unknown.

    Example:
        >>> from qtie.intent import TemporalConstraint
        >>> from qtie.interval import TimeInterval
        >>> asked = TemporalConstraint(interval=TimeInterval.year(2016))
        >>> intent = TemporalIntent(query="won in 2016", constraints=(asked,))
        >>> corpus = [Document.from_record({"_id": y, "text": "", "metadata": {"date": y}}) for y in ("2015", "2016")]
        >>> violation_at_k({"q": {"2016": 2.0, "2015": 1.0}}, {"q": intent}, corpus, k=2)
        {'q': 0.5}
    """
    by_id = {document.doc_id: document for document in documents}
    _refuse_unknown("queries in the run", run, intents)
    values = {}
    for query_id, intent in intents.items():
        if intent.is_temporal:
            top = _top(run.get(query_id, {}), k)
            _refuse_unknown(f"documents in the ranking of {query_id!r}", top, by_id)
            outside = outside_documents(intent, TimeColumns.from_documents(by_id[doc_id] for doc_id in top))
            values[query_id] = float(outside.sum()) / max(1, len(top))
    return values


def harm(qrels: Qrels, run: Run, baseline: Run, *, intents: Intents) -> dict[str, float]:
    """The change of nDCG@10 from `baseline` to `run` on each query that asks for no time: 0 is right, below 0 is harm.

    Args:
        qrels: judgements.
        run: the run with temporal scores.
        baseline: the retriever's own run.
        intents: what each query asks for; the atemporal ones are looked at.

    Returns:
        Values in [-1, 1].

    Raises:
        EvaluationError: the runs do not fit the qrels.
        MissingExtraError: ir_measures is not installed.
    """
    check_run(qrels, baseline)
    _refuse_unknown("queries in the qrels, without an intent", qrels, intents)
    before, after = (_ir_measure(qrels, scores, "nDCG@10") for scores in (baseline, run))
    return {query_id: after[query_id] - before[query_id] for query_id in qrels if not intents[query_id].is_temporal}


def check_run(qrels: Qrels, run: Run) -> None:
    """Refuses qrels without relevant documents, runs of queries that are not judged, and scores that are no numbers.

    Raises:
        EvaluationError: one of these.
    """
    if not any(relevance > 0 for judged in qrels.values() for relevance in judged.values()):
        raise EvaluationError("the qrels hold no relevant document")
    _refuse_unknown("queries in the run, not in the qrels", run, qrels)
    for query_id, scores in run.items():
        for doc_id, score in scores.items():
            if not math.isfinite(score):
                raise EvaluationError(f"the score of {doc_id!r} for query {query_id!r} is {score}")


def _ir_measure(qrels: Qrels, run: Run, name: str) -> dict[str, float]:
    library = require("ir_measures", extra="eval")
    numbers = {query_id: str(number) for number, query_id in enumerate(qrels, start=1)}  # gdeval takes no other ids
    query_ids = {number: query_id for query_id, number in numbers.items()}
    judgements = {numbers[query_id]: dict(judged) for query_id, judged in qrels.items()}
    rankings = {numbers[query_id]: dict(scores) for query_id, scores in run.items() if scores}
    values = dict.fromkeys(qrels, 0.0)
    try:
        measure = library.parse_measure(name)
        if measure.params.get("cutoff") == 0:  # trec_eval would end the process
            raise ValueError("there is no rank 0")
        metrics = library.iter_calc([measure], judgements, rankings) if rankings else ()
        values.update((query_ids[metric.query_id], float(metric.value)) for metric in metrics)
    except _IR_MEASURES_ERRORS as error:
        reason = str(error).partition("\n")[0]
        raise EvaluationError(f"cannot measure {name!r}: {reason}; write such as P@1, R@5, RR, nDCG@10") from error
    return values


def _refuse_unknown(what: str, ids: Iterable[str], known: Mapping[str, object]) -> None:
    unknown = [each for each in ids if each not in known]
    if unknown:
        raise EvaluationError(f"unknown {what}: {', '.join(map(repr, unknown[:3]))} ({len(unknown)} in all)")


def _top(scores: Mapping[str, float], k: int) -> list[str]:
    by_id = sorted(scores, reverse=True)  # the order that trec_eval gives to equal scores
    return sorted(by_id, key=lambda doc_id: -np.float32(scores[doc_id]))[:k]
