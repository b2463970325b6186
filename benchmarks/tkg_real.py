"""MultiTQ's real questions over the given fifth of its graph, as far as a fact that answers them is in it.

Which fact that is, the set does not say. Taken is, for an entity, one that joins a gold answer with an entity that the
question names, in a time that the question states, and for a date one of a named entity in that time; a word of its
relation must be in the question, in whatever form. What is first or last in the whole graph need not be so in a fifth
of it: Hits@1 is given by type, and the questions whose fact is found and whose answer is not are listed in the record.
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping
from pathlib import Path
from statistics import fmean
from typing import Any

from report import print_table

from qtie.document_time import parse_time
from qtie.evaluation.answers import hits_at_k
from qtie.evaluation.datasets.expressions import stated_time
from qtie.evaluation.datasets.files import first_file, json_records
from qtie.evaluation.datasets.naming import is_named, words_of
from qtie.interval import TimeInterval
from qtie.tkg.pipeline import TkgPipeline
from qtie.tkg.store import FactStore

LIGHT_WORDS = frozenset(("action", "engage", "express", "intent", "other"))


def measured_real(pipeline: TkgPipeline, folder: Path) -> dict[str, Any]:
    """Coverage and Hits@1 by type of question, and the ids of those that are answered otherwise."""
    path = first_file(folder, "questions_150.jsonl")
    assert path is not None
    names = [words_of(entity) for entity in pipeline.store.entities]
    records = [record for _, record in json_records(path)]
    groups: dict[str, list[tuple[float, float, float]]] = defaultdict(list)
    otherwise, n_found = [], 0
    for record in records:
        gold = set(gold_facts(record, pipeline.store, names))
        if not gold:
            continue
        n_found += 1
        answer = pipeline.ask(record["question"])
        covered = float(any(ranked.fact.fact_id in gold for ranked in answer.facts))
        hits = [hits_at_k(answer.answers, record["answers"], k) for k in (1, 10)]
        for group in ("all", record["qtype"], record["answer_type"]):
            groups[group].append((covered, *hits))
        if not hits[0]:
            otherwise.append(record["quid"])
    rows = [
        {"questions": name, "n": len(values)}
        | {
            title: round(fmean(each[at] for each in values), 4)
            for at, title in enumerate(("coverage@15", "Hits@1", "Hits@10"))
        }
        for name, values in groups.items()
    ]
    print_table(rows, title=f"MultiTQ, {n_found} of {len(records)} real questions with a fact in the graph")
    return {
        "questions": len(records),
        "with a fact in the graph": n_found,
        "table": rows,
        "answered otherwise": otherwise,
    }


def gold_facts(record: Mapping[str, Any], store: FactStore, names: list[tuple[str, ...]]) -> Iterator[str]:
    """The ids of the facts that answer a question."""
    words = frozenset(words_of(record["question"]))
    named = {n for n, name in enumerate(names) if is_named(name, words)}
    stated = stated_time(record["question"]).interval
    answers = {n for n, label in enumerate(store.entities) if label in set(record["answers"])}
    days = [stated] if stated else [TimeInterval()]
    if record["answer_type"] == "time":
        days = [time.interval for time in map(parse_time, record["answers"]) if time]
        answers = named
    said = {n for n, label in enumerate(store.predicates) if _is_said(label, words)}
    for entity in named:
        for places, other in ((store.with_subject[entity], 2), (store.with_object[entity], 0)):
            for place in places.tolist():
                _, predicate, _ = (int(each) for each in store.triples[place])
                interval = store.interval(place)
                fits = interval is not None and any(interval.overlaps(each) for each in days)
                if predicate in said and int(store.triples[place, other]) in answers and fits:
                    yield store.fact_ids[place]


def _is_said(relation: str, words: frozenset[str]) -> bool:
    bearing = [word for word in words_of(relation) if len(word) > 4 and word not in LIGHT_WORDS]
    return any(is_named((word,), words) for word in bearing)
