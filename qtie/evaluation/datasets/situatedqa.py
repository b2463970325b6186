"""SituatedQA, the temporal part: questions "as of" a date, over documents that are made from its timelines.

Zhang and Choi (2021), "SituatedQA: Incorporating Extra-Linguistic Contexts into QA"; `mikejqzhang/SituatedQA`.
The set has no passages. Each document made here says what the answer to a question was between two of its changes.
"""

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from qtie.document import Document
from qtie.document_time import DocumentTime, parse_bounds, parse_time
from qtie.errors import EvaluationError
from qtie.evaluation.datasets.expressions import stated_time
from qtie.evaluation.datasets.files import field_errors, first_file, json_records
from qtie.evaluation.datasets.record import Dataset, Query
from qtie.interval import TimeInterval

__all__ = ["load_situatedqa", "read_temporal_dependence"]

_Chain = Sequence[tuple[str | None, tuple[str, ...]]]
"""The answers to one question in order of time, each with the day, month or year from which it held."""


def load_situatedqa(folder: str | Path, *, split: str = "dev") -> Dataset:
    """Questions as of a date, and made documents "question: answer", valid from one change to the day before the next.

    Relevant are the documents of the same question that name an answer and hold at the date. Questions whose answer
    does not depend on time ("orig") and those without a relevant document are left out.

    Args:
        folder: `timelines.jsonl` and `temp_<split>.jsonl`; or the repository's own `temp.<split>.jsonl` (also below
            `qa_data/`), whose records of type "start" then serve as the timelines.
        split: the questions' split; documents are made from all that is there.

    Raises:
        EvaluationError: a file is missing or has a bad line.
    """
    root = Path(folder)
    timelines, questions = first_file(root, "timelines.jsonl"), first_file(root, f"temp_{split}.jsonl")
    if timelines is not None and questions is not None:
        documents = _annotated(timelines)
    else:
        questions = first_file(root, f"temp.{split}.jsonl", f"qa_data/temp.{split}.jsonl")
        if questions is None:
            raise EvaluationError(f"{root}: no timelines.jsonl with temp_{split}.jsonl, nor temp.{split}.jsonl")
        documents = _stated(questions)
    return _dataset(documents, list(json_records(questions)))


def read_temporal_dependence(folder: str | Path) -> tuple[Query, ...]:
    """The questions of `temporal_dependence.jsonl`, which say whether their answer depends on time; without documents.

    Atemporal are those whose answer does not, and whose words bear on no time: "who won the world cup 2018" has one
    answer for ever, and asks for a time all the same.

    Raises:
        EvaluationError: the file is missing or has a bad line.
    """
    path = first_file(Path(folder), "temporal_dependence.jsonl")
    if path is None:
        raise EvaluationError(f"{folder}: no file temporal_dependence.jsonl")
    queries = []
    for number, (where, record) in enumerate(json_records(path)):
        with field_errors(where):
            stated, depends = stated_time(record["question"]), record["time_dependent"] == "yes"
            query = Query(
                query_id=f"dependence{number}",
                text=record["question"],
                subset=stated.subset,
                expression=stated.expression,
                interval=stated.interval,
                atemporal=not depends and stated.subset is None,
                metadata={"time_dependent": depends},
            )
            queries.append(query)
    return tuple(queries)


def _annotated(path: Path) -> list[Document]:
    documents = []
    for where, record in json_records(path):
        with field_errors(where):
            chains = [_annotated_chain(entry) for entry in record["timelines"]]
            documents += _documents(record["nq_id"], record["question"], chains)
    return documents


def _annotated_chain(entry: Mapping[str, Any]) -> _Chain:
    current = (entry["cur_start"], tuple(entry["cur_answers"] or ()))
    previous = (entry["prev_start"], tuple(entry["prev_answers"] or ()))
    return [previous, current] if previous[0] and current[0] else [current]


def _stated(path: Path) -> list[Document]:
    starts: dict[str, dict[int, tuple[str, tuple[str, ...]]]] = {}
    for where, record in json_records(path):
        with field_errors(where):
            if record["date_type"] == "start":
                first = _day(record["date"]).start or 0
                starts.setdefault(record["question"], {})[first] = (record["date"], _answers(record))
    documents = []
    for number, (question, by_day) in enumerate(starts.items()):
        documents += _documents(f"q{number}", question, [[by_day[day] for day in sorted(by_day)]])
    return documents


def _documents(key: str, question: str, chains: Iterable[_Chain]) -> list[Document]:
    """One document for each answer and the time that it held; what two annotators agree on is said once."""
    made: dict[tuple[object, ...], Document] = {}
    for chain in chains:
        for number, (start, answers) in enumerate(chain):
            following = chain[number + 1][0] if number + 1 < len(chain) else None
            time = _validity(start, following)
            if not answers or (start and time is None):
                continue
            document = Document(
                doc_id=f"{key}#{len(made)}",
                text=f"{question}: {', '.join(dict.fromkeys(answers))}",
                times={"validity": (time,)} if time else {},
                metadata={"question": question, "answers": answers},
            )
            made.setdefault((frozenset(answers), time), document)
    return list(made.values())


def _validity(start: str | None, following: str | None) -> DocumentTime | None:
    """From the start to the day before the next; None where there is no day between them, or no start."""
    if start is None:
        return None
    first, after = _day(start).start, None if following is None else _day(following).start
    if after is None:
        return parse_bounds(start, None, source="timeline")
    return None if first is None or after <= first else parse_bounds(start, TimeInterval(after - 1, after - 1))


def _dataset(documents: list[Document], records: list[tuple[str, dict[str, Any]]]) -> Dataset:
    by_question: dict[str, list[Document]] = {}
    for document in documents:
        by_question.setdefault(document.metadata["question"], []).append(document)
    queries, qrels, n_questions = [], {}, 0
    for number, (where, record) in enumerate(records):
        with field_errors(where):
            if record["date_type"] == "orig":
                continue
            n_questions += 1
            day, answers = _day(record["date"]), set(_answers(record))
            relevant = [
                document for document in by_question.get(record["question"], ()) if _answers_at(document, answers, day)
            ]
            if relevant:
                query_id = record["id"] if "nq_id" in record else f"{record['id']}#{number}"  # there, of the question
                query = _query(query_id, record, day)
                queries.append(query)
                qrels[query.query_id] = {document.doc_id: 1 for document in relevant}
    metadata = {"documents": "made from the set's timelines", "judged": len(queries) / max(n_questions, 1)}
    return Dataset(
        name="situatedqa", documents=tuple(documents), queries=tuple(queries), qrels=qrels, metadata=metadata
    )


def _answers_at(document: Document, answers: set[str], day: TimeInterval) -> bool:
    holds = any(time.interval.overlaps(day) for time in document.times.get("validity", ()))
    return holds and not answers.isdisjoint(document.metadata["answers"])


def _query(query_id: str, record: Mapping[str, Any], day: TimeInterval) -> Query:
    text = record["edited_question"]
    return Query(
        query_id=query_id,
        text=text,
        subset=stated_time(text).subset,
        expression="as of",
        interval=TimeInterval(None, day.end),
        metadata={"date_type": record["date_type"], "answers": list(_answers(record))},
    )


def _answers(record: Mapping[str, Any]) -> tuple[str, ...]:
    return tuple(record["answers"] if "answers" in record else record["answer"])


def _day(text: str) -> TimeInterval:
    time = parse_time(text)
    if time is None:
        raise EvaluationError("a date is missing")
    return time.interval
