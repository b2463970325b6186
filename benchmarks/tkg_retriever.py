"""The time-aware encoder of facts: recall of the facts that answer a question, against the plain encoder.

    python benchmarks/tkg_retriever.py prepare build/tkg
    python benchmarks/tkg_retriever.py train build/tkg       (or one by one, by `qtie train tkg-retriever`)
    python benchmarks/tkg_retriever.py measure build/tkg

Trained on questions made from the MultiTQ facts (`tkg_questions.py --split train`: seen relations, wordings of its
own), those without an event in place of a date, and on the half of TimeQuestions' development questions whose id hashes
to an even number. Measured on made test questions, whose wordings and half of whose relations were not trained on, and
on the other half of TimeQuestions. The candidates are the facts that answer a measured question and others drawn by the
seed.
"""

import argparse
import hashlib
import json
import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from report import parser, print_table, write_record
from tkg_questions import make_questions
from tkg_questions import read_facts as read_rows

from qtie.evaluation.datasets import Dataset, load_dataset
from qtie.retrieval.encoders import Encoder, load_encoder, minilm_folder
from qtie.retrieval.temporal.contrastive import ContrastiveRecipe
from qtie.retrieval.temporal.training import train_towers
from qtie.tkg.encoder_training import FactQuestion, fact_triples, read_fact_questions
from qtie.tkg.fact import Fact, read_facts

GRAPH = "multitq/kg_valid_test.tsv.gz"
N_TRAIN, N_TEST = 12_000, 600
ENCODERS = {"plain MiniLM": None, "time-aware, in-batch": "in_batch", "time-aware, loss as printed": "exponential"}
"""By the name in the table: the loss, which the folder is named for."""
DEPTHS = (1, 5, 15, 50)


def main() -> None:
    arguments = parser(__doc__ or "")
    arguments.add_argument("task", choices=["prepare", "train", "measure"])
    arguments.add_argument("folder", type=Path, help="of the training questions and the trained encoders")
    arguments.add_argument("--steps", type=int, default=250, help="of training, for each loss")
    arguments.add_argument("--only", choices=list(ENCODERS), action="append", help="train these alone")
    arguments.add_argument("--candidates", type=int, default=15_000, help="facts that are ranked")
    options = arguments.parse_args()
    {"prepare": prepare, "train": train, "measure": measure}[options.task](options)


def prepare(options: argparse.Namespace) -> None:
    """Writes `questions.jsonl` and `facts.jsonl`."""
    made = make_questions(read_rows(options.data_dir / GRAPH), N_TRAIN, seed=options.seed, split="train")
    records = [_training_record(record) for record in made if not record["event"]]
    n_made = len(records)
    dataset = load_dataset("timequestions", options.data_dir)
    wiki = wiki_facts(dataset)
    records += [
        {"question": query.text, "gold_facts": [f"wiki-{doc_id}" for doc_id in dataset.qrels[query.query_id]]}
        for query in dataset.queries
        if is_training(query.query_id)
    ]
    options.folder.mkdir(parents=True, exist_ok=True)
    facts = [*read_facts(options.data_dir / GRAPH), *wiki.values()]
    _write(options.folder / "questions.jsonl", records)
    _write(options.folder / "facts.jsonl", (_fact_record(fact) for fact in facts))
    print(f"{n_made} made questions, {len(records) - n_made} of TimeQuestions, {len(facts)} facts")


def _training_record(record: Mapping[str, Any]) -> dict[str, Any]:
    return {"question": record["question"], "gold_facts": record["gold_facts"]}


def _fact_record(fact: Fact) -> dict[str, Any]:
    record = {"id": fact.fact_id, "subject": fact.subject, "predicate": fact.predicate, "object": fact.object}
    if fact.interval is None:
        return record
    start, end = str(fact.interval).split("/")
    return record | ({"start": start, "end": end} if fact.lasting else {"start": fact.to_dict()["time"]})


def _write(path: Path, records: Sequence[Mapping[str, Any]] | Iterator[Mapping[str, Any]]) -> None:
    path.write_text("".join(json.dumps(record, ensure_ascii=False) + "\n" for record in records), encoding="utf-8")


def is_training(query_id: str) -> bool:
    """Whether a question of TimeQuestions is of the half that is trained on."""
    return hashlib.sha1(str(query_id).encode()).digest()[-1] % 2 == 0


def wiki_facts(dataset: Dataset) -> dict[str, Fact]:
    """TimeQuestions' facts by id. They are one text each: it is cut into three anywhere, its words stay in order."""
    facts = {}
    for document in dataset.documents:
        words = document.text.split()
        first, *rest = words if len(words) > 2 else (*words, "-", "-")
        fact = Fact(
            subject=first, predicate=" ".join(rest[:-1]), object=rest[-1], fact_id=f"wiki-{document.doc_id}",
        )  # fmt: skip
        times = [time for given in document.times.values() for time in given]
        if times:
            fact = replace(fact, interval=times[0].interval, lasting=times[0].lasting)
        facts[document.doc_id] = fact
    return facts


def train(options: argparse.Namespace) -> None:
    """Trains an encoder with each loss; what has finished is not repeated."""
    facts = list(read_facts(options.folder / "facts.jsonl"))
    questions = list(read_fact_questions(options.folder / "questions.jsonl", facts))
    triples = fact_triples(questions, facts, seed=options.seed)
    for loss in filter(None, [ENCODERS[label] for label in options.only or ENCODERS]):
        recipe = ContrastiveRecipe(
            loss=loss, n_steps=options.steps, batch_size=16, n_negatives=3, learning_rate=5e-5, n_tokens=48, n_layers=3,
            steps_between_checks=20,
        )  # fmt: skip
        train_towers(triples, options.folder / loss, base=minilm_folder(), recipe=recipe)


def measure(options: argparse.Namespace) -> None:
    """The table of recall, by set, and by whether relations were seen and an event stands for the date."""
    groups = {**_made(options), **_real(options)}
    rows = []
    for label, folder in ENCODERS.items():
        place = None if folder is None else options.folder / folder
        if place is not None and not (place / "report.json").exists():
            print(f"{label}: not trained, no {place}")
            continue
        encoder = load_encoder("minilm" if place is None else place)
        vectors: dict[int, Any] = {}
        for group, (questions, candidates) in groups.items():
            if id(candidates) not in vectors:
                vectors[id(candidates)] = encoder.encode_documents([fact.verbalized for fact in candidates])
            row = {"encoder": label, "questions": group, "n": len(questions)}
            rows.append(row | _recall(questions, candidates, vectors[id(candidates)], encoder))
            print(rows[-1], flush=True)
    print_table(rows, title=f"in %; {options.candidates} candidates each")
    trainings = {
        label: json.loads((options.folder / folder / "report.json").read_text(encoding="utf-8"))
        for label, folder in ENCODERS.items()
        if folder and (options.folder / folder / "report.json").exists()
    }
    data = [options.data_dir / GRAPH, *sorted((options.data_dir / "timequestions").glob("*.gz"))]
    write_record("tkg_retriever", {"rows": rows, "trainings": trainings}, options, data=data)


_Group = tuple[list[FactQuestion], list[Fact]]


def _made(options: argparse.Namespace) -> dict[str, _Group]:
    facts = list(read_facts(options.data_dir / GRAPH))
    by_content = {(fact.subject, fact.predicate, fact.object, fact.to_dict()["time"]): fact for fact in facts}
    records = list(make_questions(read_rows(options.data_dir / GRAPH), N_TEST, seed=options.seed, split="test"))
    questions = []
    for record in records:
        names = ("subject", "relation", "object", "date")
        gold = tuple(by_content[tuple(each[name] for name in names)] for each in record["gold_facts"])
        questions.append(FactQuestion(record["question"], gold))
    candidates = _candidates(questions, facts, options)
    groups: dict[str, _Group] = {"made": (questions, candidates)}
    for split in ("seen", "unseen"):
        for has_event in (False, True):
            chosen = [
                question
                for question, record in zip(questions, records, strict=True)
                if record["split_relation"] == split and bool(record["event"]) == has_event
            ]
            name = f"made, {split} relations, {'an event' if has_event else 'no event'}"
            groups[name] = (chosen, candidates)
    return groups


def _real(options: argparse.Namespace) -> dict[str, _Group]:
    dataset = load_dataset("timequestions", options.data_dir)
    facts = wiki_facts(dataset)
    questions = [
        FactQuestion(query.text, tuple(facts[doc_id] for doc_id in dataset.qrels[query.query_id]))
        for query in dataset.queries
        if not is_training(query.query_id)
    ]
    return {"TimeQuestions, other half": (questions, _candidates(questions, list(facts.values()), options))}


def _candidates(questions: Sequence[FactQuestion], facts: Sequence[Fact], options: argparse.Namespace) -> list[Fact]:
    gold = {fact.fact_id: fact for question in questions for fact in question.facts}
    others = [fact for fact in facts if fact.fact_id not in gold]
    n_others = min(len(others), max(0, options.candidates - len(gold)))
    return [*gold.values(), *random.Random(options.seed).sample(others, n_others)]


def _recall(
    questions: Sequence[FactQuestion], candidates: Sequence[Fact], vectors: Any, encoder: Encoder
) -> dict[str, float]:
    """How many questions have a fact that answers them among the first k, and the share of such facts found there."""
    scores = encoder.encode_queries([question.question for question in questions]) @ vectors.T
    top = np.argsort(-scores, axis=1, kind="stable")[:, : max(DEPTHS)]
    gold = [{fact.fact_id for fact in question.facts} for question in questions]
    found = [[candidates[place].fact_id in ids for place in row] for row, ids in zip(top, gold, strict=True)]
    values = {f"hit@{k}": 100 * float(np.mean([any(row[:k]) for row in found])) for k in DEPTHS}
    shares = [sum(row[:15]) / min(15, len(ids)) for row, ids in zip(found, gold, strict=True)]
    return {name: round(value, 2) for name, value in (values | {"recall@15": 100 * float(np.mean(shares))}).items()}


if __name__ == "__main__":
    main()
