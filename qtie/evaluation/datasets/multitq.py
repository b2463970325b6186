"""MultiTQ: questions over the ICEWS graph, as retrieval of the facts that answer them.

Chen, Liao and Zhao (2023), "Multi-granularity Temporal Question Answering over Knowledge Graphs"; `czy1999/MultiTQ`.
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from qtie.document import Document
from qtie.document_time import DocumentTime, parse_time
from qtie.errors import EvaluationError
from qtie.evaluation.datasets.expressions import stated_time
from qtie.evaluation.datasets.files import field_errors, first_file, json_records, text_lines
from qtie.evaluation.datasets.naming import is_named, words_of
from qtie.evaluation.datasets.record import Dataset, Query
from qtie.interval import TimeInterval

__all__ = ["load_multitq"]


_LIGHT_WORDS = frozenset(("action", "engage", "express", "intent", "other"))
"""Words that many relations have, so that they tell none apart."""


class _Fact(NamedTuple):
    doc_id: str
    head: str
    relation: str
    tail: str
    day: TimeInterval


def load_multitq(folder: str | Path, *, split: str = "test") -> Dataset:
    """Facts "head relation tail" as documents with their day as timestamp, and the questions that can be judged.

    Relevant are facts whose relation and one entity the question names, and that either join an answer in the time
    that the question states, or lie in the time that is the answer. Questions that name another event in place of a
    time, and those whose facts are not in the graph, are left out; `metadata["judged"]` is the share that is kept.
    Names are matched by words (`naming`), so the judgements are weak.

    Args:
        folder: the graph as `kg_valid_test.tsv` (head, relation, tail, date) with the questions as `questions_*.jsonl`,
            or the repository's own `kg/full.txt` with `questions/<split>.json`.
        split: of the repository's own questions.

    Raises:
        EvaluationError: a file is missing or has a bad line.
    """
    root = Path(folder)
    graph = first_file(root, "kg_valid_test.tsv", "kg/full.txt")
    questions = first_file(root, f"questions/{split}.json") or next(iter(sorted(root.glob("questions_*.jsonl*"))), None)
    if graph is None or questions is None:
        raise EvaluationError(f"{root}: no kg_valid_test.tsv with questions_*.jsonl, nor kg/full.txt with questions/")
    facts = list(_facts(graph))
    by_entity: dict[str, list[_Fact]] = defaultdict(list)
    for fact in facts:
        for entity in {fact.head, fact.tail}:
            by_entity[entity].append(fact)
    names = {entity: words_of(entity) for entity in by_entity}
    queries, qrels, n_questions = [], {}, 0
    for where, record in json_records(questions):
        with field_errors(where):
            n_questions += 1
            relevant = {fact.doc_id: 1 for fact in _relevant(record, by_entity, names)}
            if relevant:
                queries.append(_query(record))
                qrels[queries[-1].query_id] = relevant
    metadata = {"judgements": "weak: facts that name an answer", "judged": len(queries) / max(n_questions, 1)}
    return Dataset(name="multitq", documents=_documents(facts), queries=tuple(queries), qrels=qrels, metadata=metadata)


def _facts(path: Path) -> Iterator[_Fact]:
    days: dict[str, TimeInterval] = {}
    for number, (where, line) in enumerate(text_lines(path)):
        cells = line.split("\t")
        if cells[:4] == ["head", "relation", "tail", "date"]:
            continue
        if len(cells) < 4:
            raise EvaluationError(f"{where}: expected head, relation, tail and date between tabs")
        head, relation, tail = (cell.replace("_", " ") for cell in cells[:3])
        with field_errors(where):
            day = days[cells[3]] = days.get(cells[3]) or TimeInterval.parse(cells[3])
        yield _Fact(f"fact{number}", head, relation, tail, day)


def _documents(facts: Sequence[_Fact]) -> tuple[Document, ...]:
    times = {day: {"timestamp": (DocumentTime(interval=day, source="date"),)} for day in {fact.day for fact in facts}}
    return tuple(
        Document(doc_id=fact.doc_id, text=f"{fact.head} {fact.relation} {fact.tail}", times=times[fact.day])
        for fact in facts
    )


def _relevant(
    record: Mapping[str, Any], by_entity: Mapping[str, list[_Fact]], names: Mapping[str, tuple[str, ...]]
) -> Iterator[_Fact]:
    words = frozenset(words_of(record["question"]))
    named = {entity for entity, name in names.items() if is_named(name, words)}
    answers = set(record["answers"])
    asked = stated_time(record["question"]).interval
    days = [asked] if asked else []
    if record["answer_type"] == "time":
        days = [time.interval for time in map(parse_time, record["answers"]) if time]
        answers = named
    for entity in named:
        for fact in by_entity[entity]:
            other = fact.tail if fact.head == entity else fact.head
            if other in answers and any(fact.day.overlaps(each) for each in days) and _is_said(fact.relation, words):
                yield fact


def _is_said(relation: str, words: frozenset[str]) -> bool:
    """Whether a word of the relation that bears meaning is in the question, in whatever form."""
    bearing = [word for word in words_of(relation) if len(word) > 4 and word not in _LIGHT_WORDS]
    return any(is_named((word,), words) for word in bearing)


def _query(record: Mapping[str, Any]) -> Query:
    stated = stated_time(record["question"])
    return Query(
        query_id=str(record["quid"]),
        text=record["question"],
        subset=stated.subset,
        expression=stated.expression,
        interval=stated.interval,
        metadata={"qtype": record["qtype"], "answer_type": record["answer_type"], "answers": record["answers"]},
    )
