"""TimeQuestions: questions over Wikidata facts, as retrieval of the facts that support an answer.

Jia et al. (2021), "Complex Temporal Question Answering on Knowledge Graphs"; questions as in `zhenjia2017/FAITH`,
facts as `qianxinying/TimeR4` retrieved them.
"""

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from qtie.document import Document
from qtie.document_time import DocumentTime, parse_bounds
from qtie.errors import EvaluationError
from qtie.evaluation.datasets.expressions import stated_time
from qtie.evaluation.datasets.files import field_errors, first_file, json_lines
from qtie.evaluation.datasets.naming import says_name, words_of
from qtie.evaluation.datasets.record import Dataset, Query
from qtie.interval import TimeInterval, civil_date

__all__ = ["load_timequestions"]

_OPEN_START, _OPEN_END = 1, 2916
"""The years that stand for "no date" in the facts."""
_FUNCTION_WORDS = frozenset(
    (
        *("a", "an", "and", "at", "by", "date", "did", "do", "does", "end", "for", "in", "is", "of", "on", "point"),
        *("start", "that", "the", "time", "to", "was", "were", "what", "when", "which", "who"),
    )
)
_MIN_SHARE = 0.6
"""How much of a supporting fact the question must say: fixed by reading 30 questions of the development split."""
_YEAR = re.compile(r"(\d{1,4})-\d\d-\d\dT")


class _Fact(NamedTuple):
    document: Document
    words: tuple[str, ...]


class _Index(NamedTuple):
    by_word: Mapping[str, set[int]]
    by_year: Mapping[int, set[int]]
    """By the years in which a fact starts and ends."""


def load_timequestions(folder: str | Path) -> Dataset:
    """Facts as documents with their years, and the questions for which one of them supports a gold answer.

    The set does not say which fact that is, so support is weak: a fact supports a question if it names a gold answer
    (or starts or ends in the year of one), the question says at least 60 % of its other words, its first and its last
    word among them, and its years share a day with those that the question states. `metadata["judged"]` is the share
    of questions for which there is one; the others are left out.

    Args:
        folder: `facts.jsonl` and the questions, `questions_dev.jsonl` and `questions_test.jsonl` or one of them.

    Raises:
        EvaluationError: a file is missing or has a bad line.
    """
    root = Path(folder)
    path = first_file(root, "facts.jsonl")
    files = [found for split in ("dev", "test") if (found := first_file(root, f"questions_{split}.jsonl"))]
    if path is None or not files:
        raise EvaluationError(f"{root}: no facts.jsonl with questions_dev.jsonl or questions_test.jsonl")
    facts = [_fact(record, where) for where, record in json_lines(path)]
    index = _index(facts)
    queries, qrels, n_questions = [], {}, 0
    for file in files:
        for where, record in json_lines(file):
            with field_errors(where):
                n_questions += 1
                supporting = sorted({fact.document.doc_id for fact in _supporting(record, facts, index)})
                if supporting:
                    queries.append(_query(record))
                    qrels[queries[-1].query_id] = dict.fromkeys(supporting, 1)
    metadata = {"judgements": "weak: facts that name an answer", "judged": len(queries) / max(n_questions, 1)}
    return Dataset(
        name="timequestions",
        documents=tuple(fact.document for fact in facts),
        queries=tuple(queries),
        qrels=qrels,
        metadata=metadata,
    )


def _fact(record: Mapping[str, Any], where: str) -> _Fact:
    with field_errors(where):
        time = _time(record["start_year"], record["end_year"])
        facet = "validity" if time and time.lasting else "timestamp"
        document = Document(doc_id=record["_id"], text=record["text"], times={facet: (time,)} if time else {})
        return _Fact(document, words_of(record["text"]))


def _time(start: int, end: int) -> DocumentTime | None:
    """None for a fact without a date, and for the few that end before they start."""
    if start > end:
        return None
    if start == end:
        return DocumentTime(interval=TimeInterval.year(start), source="start_year")
    first = None if start <= _OPEN_START else TimeInterval.year(start)
    last = None if end >= _OPEN_END else TimeInterval.year(end)
    return parse_bounds(first, last, source="start_year, end_year")


def _index(facts: list[_Fact]) -> _Index:
    index = _Index(defaultdict(set), defaultdict(set))
    for number, fact in enumerate(facts):
        for word in fact.words:
            index.by_word[word].add(number)
        for time in (time for given in fact.document.times.values() for time in given):
            for bound in (time.start, time.end):
                if bound is not None and bound.start is not None:
                    index.by_year[civil_date(bound.start)[0]].add(number)
    return index


def _supporting(record: Mapping[str, Any], facts: list[_Fact], index: _Index) -> Iterator[_Fact]:
    said = words_of(record["question"])
    asked = stated_time(record["question"]).interval
    for answer in record["answers"]:
        name = words_of(answer.get("label", ""))
        if name and not says_name(said, name):
            naming = set.intersection(*(index.by_word.get(word, set()) for word in name))
            for fact in (facts[number] for number in naming):
                if says_name(fact.words, name) and _is_said(fact.words, name, said) and _holds(fact, asked):
                    yield fact
        elif year := _YEAR.match(str(answer.get("value", ""))):
            for fact in (facts[number] for number in index.by_year.get(int(year[1]), ())):
                if _is_said(fact.words, (), said):
                    yield fact


def _is_said(words: tuple[str, ...], name: tuple[str, ...], said: tuple[str, ...]) -> bool:
    """Whether the question says enough of a fact beside the answer, with what the fact begins and ends with."""
    others = [word for word in words if word not in name and word not in _FUNCTION_WORDS]
    shared = [word for word in others if word in said]
    both_ends = all(word in said or word in name for word in (words[0], words[-1]))
    return both_ends and len(shared) >= max(2, _MIN_SHARE * len(others))


def _holds(fact: _Fact, asked: TimeInterval | None) -> bool:
    times = [time for given in fact.document.times.values() for time in given]
    return asked is None or not times or any(time.interval.overlaps(asked) for time in times)


def _query(record: Mapping[str, Any]) -> Query:
    stated = stated_time(record["question"])
    return Query(
        query_id=str(record["id"]),
        text=record["question"],
        subset=stated.subset,
        expression=stated.expression,
        interval=stated.interval,
        metadata={"types": record["types"], "signals": record.get("signals", [])},
    )
