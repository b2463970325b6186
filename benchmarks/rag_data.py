"""The questions that `rag.py` and `tune_rag_reader.py` ask, each with its answers, and the documents they are asked of.

What is made here: SituatedQA's documents say "question: answer" and hold from one change to the next (see its loader);
its questions whose answer does not depend on time get an undated document of the same form, and those of them that name
a year, one in six, ask for a time all the same and are not asked. A document of a Nobel laureate is the answer by its
first line. TIQ's questions come without documents that answer them. So each gets one that says the question without its
event, and the answer, dated by the event's days (before or after them where the question says so); and one with the
answer to a like question, dated 3 to 30 years away. Neither names the event: when it was, only the snippets of the
temporal value questions tell, which stand in the same corpus with their own dates.
"""

import gzip
import json
import random
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import date
from functools import reduce
from hashlib import sha1
from pathlib import Path
from typing import Any

from qtie.document import Document
from qtie.document_time import DocumentTime
from qtie.errors import IntervalError
from qtie.evaluation.datasets import load_dataset, with_text_times
from qtie.interval import Granularity, TimeInterval
from qtie.rewriting.event_phrases import find_event_phrases


@dataclass(frozen=True)
class Item:
    """A question with its correct answers, and the documents that are evidence."""

    query_id: str
    question: str
    answers: tuple[str, ...]
    relevant: frozenset[str] = frozenset()
    reference_date: date | None = None
    atemporal: bool = False


@dataclass(frozen=True)
class Task:
    """Questions over documents."""

    name: str
    documents: tuple[Document, ...]
    items: tuple[Item, ...]

    def sample(self, n: int, seed: int) -> "Task":
        """That many of the questions, drawn by the seed."""
        drawn = random.Random(seed).sample(self.items, min(n, len(self.items)))
        return Task(self.name, self.documents, tuple(sorted(drawn, key=lambda item: item.query_id)))


def _timeqa(data: Path, split: str) -> Task:
    """By page: those whose name has an even SHA-1 are for tuning ("train"), the others are scored."""
    dataset = with_text_times(load_dataset("timeqa", data))
    odd = split != "train"
    pages = {query.query_id: query.metadata["fact"].split("#")[0] for query in dataset.queries}
    wanted = [q for q in dataset.queries if sha1(pages[q.query_id].encode()).digest()[-1] % 2 == odd]
    items = [
        Item(q.query_id, q.text, tuple(filter(None, q.metadata["answers"])), frozenset(dataset.qrels[q.query_id]))
        for q in wanted
    ]
    return Task("timeqa", dataset.documents, tuple(items))


def _situatedqa(data: Path, split: str) -> Task:
    from qtie.evaluation.datasets.situatedqa import load_situatedqa

    dataset = load_situatedqa(data / "situatedqa", split=split)
    items = [
        Item(q.query_id, q.text, tuple(q.metadata["answers"]), frozenset(dataset.qrels[q.query_id]))
        for q in dataset.queries
    ]
    return Task("situatedqa", dataset.documents, tuple(items))


def _atemporal(data: Path, split: str) -> Task:
    """SituatedQA's questions whose answer does not depend on time and that name no year, in the same corpus."""
    documents, items = list(_situatedqa(data, split).documents), []
    for number, record in enumerate(_lines(data / "situatedqa" / f"temp_{split}.jsonl.gz")):
        if record["date_type"] == "orig" and record["answers"]:
            doc_id = f"orig{number}"
            text = f"{record['question']}: {', '.join(dict.fromkeys(record['answers']))}"
            documents.append(Document(doc_id=doc_id, text=text))
            answers = tuple(record["answers"])
            if not _YEAR.search(record["question"]):
                items.append(Item(doc_id, record["question"], answers, frozenset([doc_id]), atemporal=True))
    return Task("situatedqa-atemporal", tuple(documents), tuple(items))


def _nobel(data: Path, split: str) -> Task:
    dataset = load_dataset("nobel", data)
    names = {document.doc_id: document.text.split("\n")[0].strip() for document in dataset.documents}
    items = [
        Item(q.query_id, q.text, tuple(names[doc_id] for doc_id in sorted(judged)), frozenset(judged))
        for q in dataset.queries
        if (judged := dataset.qrels[q.query_id])
    ]
    return Task("nobel", dataset.documents, tuple(items))


def _temprageval(data: Path, split: str) -> Task:
    dataset = with_text_times(load_dataset("temprageval-draft", data))
    items = [
        Item(q.query_id, q.text, tuple(q.metadata["answers"]), frozenset(dataset.qrels[q.query_id]))
        for q in dataset.queries
    ]
    return Task("temprageval-draft", dataset.documents, tuple(items))


def _tiq(data: Path, split: str) -> Task:
    """TIQ over the snippets of the temporal value questions, and made documents that answer (see above)."""
    rng = random.Random(0)
    records = list(_lines(data / "tiq" / f"tiq_{split}.jsonl.gz"))
    alike: dict[str, list[dict[str, Any]]] = {}
    for record in records:
        alike.setdefault(_opening(record), []).append(record)
    documents = list(_snippets(data / "tiq" / f"tvq_{split}.jsonl.gz"))
    items = []
    for record in records:
        labels = [answer["label"] for answer in record["answers"]]
        clause, event = _without_event(record["question"]), _hull(record["gold_constraint"])
        if not labels or clause is None or event is None:
            continue
        others = [each for each in alike[_opening(record)] if not _shares(each, labels)]
        other = rng.choice(others or [each for each in records if not _shares(each, labels)])
        time = _answer_time(event, record["signal"][0])
        away = time.shift(rng.choice((-1, 1)) * rng.randint(3, 30), Granularity.YEAR)
        key = f"tiq{record['id']}"
        for suffix, said, days in (("", labels, time), ("-other", [a["label"] for a in other["answers"]], away)):
            text = f"{clause}: {', '.join(said)}"
            documents.append(Document(doc_id=key + suffix, text=text, times={"validity": (_lasting(days),)}))
        items.append(Item(key, record["question"], tuple(labels), frozenset([key])))
    return Task("tiq", tuple(documents), tuple(items))


def _tiq_snippets(data: Path, split: str) -> Task:
    """TIQ over the snippets alone: whatever of the answers stands in them."""
    records = list(_lines(data / "tiq" / f"tiq_{split}.jsonl.gz"))
    items = [
        Item(f"tiq{record['id']}", record["question"], tuple(answer["label"] for answer in record["answers"]))
        for record in records
        if record["answers"]
    ]
    return Task("tiq-snippets", tuple(_snippets(data / "tiq" / f"tvq_{split}.jsonl.gz")), tuple(items))


_YEAR = re.compile(r"\b(1[0-9]|20)\d\d\b")

TASKS: dict[str, Callable[[Path, str], Task]] = {
    "nobel": _nobel,
    "timeqa": _timeqa,
    "situatedqa": _situatedqa,
    "temprageval-draft": _temprageval,
    "situatedqa-atemporal": _atemporal,
    "tiq": _tiq,
    "tiq-snippets": _tiq_snippets,
}


def _lines(path: Path) -> Iterator[dict[str, Any]]:
    with gzip.open(path, "rt", encoding="utf-8") as file:
        for line in file:
            yield json.loads(line)


def _snippets(path: Path) -> Iterator[Document]:
    """Each snippet once, with the days that its question asks for."""
    seen: set[str] = set()
    for record in _lines(path):
        interval = _hull([record["timespan"]])
        if record["evidence"] not in seen and interval is not None:
            seen.add(record["evidence"])
            time = DocumentTime(interval=interval, lasting=True)
            yield Document(doc_id=f"tvq{record['id']}", text=record["evidence"], times={"event": (time,)})


def _without_event(question: str) -> str | None:
    """The question without the words of its event; None where it names none, or nothing else."""
    phrases = find_event_phrases(question)
    if not phrases:
        return None
    start, end = phrases[0].span
    before = re.sub(
        r"(?i)[\s,]*\b(?:when|while|during|before|after|since|until|by the time|following|prior to|as|in|at|on"
        r"|the|upon|around|throughout)\s*$",
        "",
        question[:start],
    )
    clause = re.sub(r"(?i)^(?:when|while|during|before|after|following)\s*$", "", before).strip(" ,?")
    clause = f"{clause} {question[end:].strip(' ,?')}".strip()
    return clause if len(clause.split()) >= 3 else None


def _hull(pairs: list[list[str]]) -> TimeInterval | None:
    """All days from the first to the last; None where one of the dates is none, such as 31 February."""
    try:
        return reduce(TimeInterval.hull, (TimeInterval.parse(f"{start}/{end}") for start, end in pairs))
    except (IntervalError, TypeError):  # TypeError: there are no pairs
        return None


def _answer_time(event: TimeInterval, signal: str) -> TimeInterval:
    """The event's days, or the year before or after them."""
    if signal == "BEFORE" and event.start is not None:
        return TimeInterval(event.start - 365, event.start - 1)
    return TimeInterval(event.end + 1, event.end + 365) if signal == "AFTER" and event.end is not None else event


def _lasting(interval: TimeInterval) -> DocumentTime:
    return DocumentTime(interval=interval, lasting=True)


def _opening(record: dict[str, Any]) -> str:
    """The first two words of a question: the answers to "What team …" are teams."""
    return " ".join(record["question"].lower().split()[:2])


def _shares(record: dict[str, Any], labels: list[str]) -> bool:
    return not record["answers"] or any(answer["label"] in labels for answer in record["answers"])
