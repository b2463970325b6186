"""Temporal retrievers trained on TimeQA: on TimeQA's other pages and on Nobel, alone and under our reranker.

    python benchmarks/temporal_retrievers.py prepare build/temporal
    python benchmarks/temporal_retrievers.py train build/temporal     (or one by one, by `qtie train retriever`)
    python benchmarks/temporal_retrievers.py measure build/temporal

The pages of TimeQA are split by the hash of their name: a third is held out. Training questions are the
human-paraphrased ones of the other pages, with five other paragraphs of the page as negatives, and TSM's development
questions for "before", "after", "in early" and "in late", without those that name a held-out page or bring a passage of
one. Measured are the questions of the held-out pages over their paragraphs, and all of Nobel, of which nothing was
trained on. No choice was made on either.
"""

import argparse
import hashlib
import json
import random
import time
from collections import defaultdict
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
from report import parser, print_table, write_record

from qtie.evaluation.datasets import Dataset, load_dataset, with_text_times
from qtie.evaluation.measures import evaluate
from qtie.reranker import TemporalReranker
from qtie.retrieval.encoders import load_encoder, minilm_folder
from qtie.retrieval.hybrid import make_retriever
from qtie.retrieval.retriever import retrieval_text
from qtie.retrieval.search import TemporalSearcher
from qtie.retrieval.temporal.contrastive import ContrastiveRecipe
from qtie.retrieval.temporal.questions import read_questions
from qtie.retrieval.temporal.training import RetrieverRecipe, train_retriever
from qtie.tie.extractors import make_extractor

MEASURES = ["P@1", "R@1", "R@5", "nDCG@10", "RR", "R@100"]
N_NEGATIVES = 5
RECIPES: dict[str, dict[str, Any]] = {
    "fine-tuned, no time": {"name": "dense"},
    "TempRetriever": {"name": "tempretriever"},
    "TSM": {"name": "tsm"},
    "TsContriever": {"name": "tscontriever"},
    "TsContriever, query tower": {"name": "tscontriever", "query_tower_only": True, "router": True},
    "TempRetriever, sum": {"name": "tempretriever", "date_fusion": "sum"},
    "TempRetriever, difference": {"name": "tempretriever", "date_fusion": "difference"},
    "TempRetriever, product": {"name": "tempretriever", "date_fusion": "product"},
}
"""By the name in the table."""
N_SPECIFIERS = 7


def recipe_of(label: str, n_steps: int) -> RetrieverRecipe:
    """Small, for two cores: 1 second of one of them a step. TSM's seven encoders share twice as many steps."""
    options = RECIPES[label]
    steps = max(1, 2 * n_steps // N_SPECIFIERS) if options["name"] == "tsm" else n_steps
    training = ContrastiveRecipe(
        n_steps=steps, n_negatives=2, learning_rate=5e-5, n_tokens=64, n_layers=3, steps_between_checks=20
    )
    return RetrieverRecipe(training=training, **options)


def main() -> None:
    arguments = parser(__doc__ or "")
    arguments.add_argument("task", choices=["prepare", "train", "measure"])
    arguments.add_argument("folder", type=Path, help="of the training questions and the trained encoders")
    arguments.add_argument("--steps", type=int, default=120, help="of training, for each recipe")
    arguments.add_argument("--pages", type=int, help="measure on so many of the held-out pages (default: all)")
    arguments.add_argument("--only", choices=list(RECIPES), action="append", help="train these alone")
    arguments.add_argument("--extractor", default="ensemble", help="what reads the time of queries under the reranker")
    options = arguments.parse_args()
    {"prepare": prepare, "train": train, "measure": measure}[options.task](options)


def prepare(options: argparse.Namespace) -> None:
    """Writes `questions.jsonl`."""
    timeqa = load_dataset("timeqa", options.data_dir)
    records = [*_human_questions(timeqa, random.Random(options.seed))]
    n_human = len(records)
    held_out = [document for document in timeqa.documents if is_held_out(document.doc_id)]
    titles = {_bare(document.title) for document in held_out}
    beginnings = {_beginning(document.text) for document in held_out}
    n_left_out = 0
    for file in sorted((options.data_dir / "timeqa").glob("tsm_dev_*.jsonl.gz")):
        for each in read_questions(file):
            passages = (*each.positives, *each.negatives)
            if {_beginning(text) for text in passages} & beginnings or any(t in each.question for t in titles):
                n_left_out += 1
                continue
            records.append(
                {"question": each.question, "specifier": each.specifier, "positives": each.positives,
                 "negatives": each.negatives}
            )  # fmt: skip
    options.folder.mkdir(parents=True, exist_ok=True)
    path = options.folder / "questions.jsonl"
    path.write_text("".join(json.dumps(record, ensure_ascii=False) + "\n" for record in records), encoding="utf-8")
    n_tsm = len(records) - n_human
    print(f"{path}: {n_human} human questions, {n_tsm} of TSM, {n_left_out} left out as of held-out pages")


def _human_questions(timeqa: Dataset, rng: random.Random) -> Iterator[dict[str, Any]]:
    documents = {document.doc_id: document for document in timeqa.documents}
    of_page = defaultdict(list)
    for doc_id in documents:
        of_page[_page(doc_id)].append(doc_id)
    for query in timeqa.queries:
        gold = [doc_id for doc_id, relevance in timeqa.qrels[query.query_id].items() if relevance > 0]
        if any(map(is_held_out, gold)):
            continue
        others = [doc_id for doc_id in of_page[_page(gold[0])] if doc_id not in gold]
        negatives = rng.sample(others, min(N_NEGATIVES, len(others)))
        texts = [[retrieval_text(documents[doc_id]) for doc_id in ids] for ids in (gold, negatives)]
        yield {"question": query.text, "positives": texts[0], "negatives": texts[1]}


def _bare(title: str) -> str:
    return title.split(" (")[0].replace(" .", ".").strip()


def _beginning(text: str) -> str:
    return "".join(text.split())[:80].lower()


def is_held_out(doc_id: str) -> bool:
    """Whether the page of a paragraph takes no part in training; a third of them."""
    return hashlib.sha1(_page(doc_id).encode()).digest()[0] % 3 == 0


def held_out_pages(timeqa: Dataset, n_pages: int | None, seed: int) -> Dataset:
    """The questions and paragraphs of the held-out pages that have questions, or of a sample of those pages."""
    pages = sorted({_page(doc_id) for judged in timeqa.qrels.values() for doc_id in judged if is_held_out(doc_id)})
    chosen = set(random.Random(seed).sample(pages, min(n_pages or len(pages), len(pages))))
    queries = tuple(
        query for query in timeqa.queries if all(_page(doc_id) in chosen for doc_id in timeqa.qrels[query.query_id])
    )
    documents = tuple(document for document in timeqa.documents if _page(document.doc_id) in chosen)
    qrels = {query.query_id: timeqa.qrels[query.query_id] for query in queries}
    return Dataset(name="timeqa", documents=documents, queries=queries, qrels=qrels)


def _page(doc_id: str) -> str:
    return doc_id.rsplit("#", 1)[0]


def train(options: argparse.Namespace) -> None:
    """Trains every recipe, each into a folder of its own; what has finished is not repeated."""
    questions = read_questions(options.folder / "questions.jsonl")
    for label in options.only or RECIPES:
        recipe = recipe_of(label, options.steps)
        train_retriever(questions, options.folder / folder_name(label), base=minilm_folder(), recipe=recipe)


def folder_name(label: str) -> str:
    """The folder of a recipe's encoder."""
    return label.lower().replace(",", "").replace(" ", "-")


def measure(options: argparse.Namespace) -> None:
    """The table, and the record of the trainings beside it."""
    datasets = {
        "timeqa": with_text_times(
            held_out_pages(load_dataset("timeqa", options.data_dir), options.pages, options.seed)
        ),
        "nobel": load_dataset("nobel", options.data_dir),
    }
    intents = {name: _intents(dataset, options.extractor) for name, dataset in datasets.items()}
    rows, trainings = [], {}
    for label in ("plain MiniLM", *RECIPES):
        place = options.folder / folder_name(label)
        if label in RECIPES and not (place / "report.json").exists():
            print(f"{label}: not trained, no {place}")
            continue
        if label in RECIPES:
            trainings[label] = json.loads((place / "report.json").read_text(encoding="utf-8"))
        kind = RECIPES[label]["name"] if label in RECIPES else "dense"
        encoder = load_encoder(place if label in RECIPES else "minilm")
        for name, dataset in datasets.items():
            began = time.perf_counter()
            retriever = make_retriever(kind, dataset.documents, encoder=encoder, cache_folder=options.folder / "cache")
            for system, run in _runs(dataset, retriever, intents[name]).items():
                means = evaluate(dataset.qrels, run, MEASURES).means
                row = {"retriever": label, "data": name, "system": system}
                rows.append(row | {measure: round(100 * value, 2) for measure, value in means.items()})
            print(f"{label}, {name}: {time.perf_counter() - began:.0f} s", flush=True)
    counts = {name: {"documents": len(d.documents), "queries": len(d.queries)} for name, d in datasets.items()}
    for name in datasets:
        print_table([row for row in rows if row["data"] == name], title=f"{name}: {counts[name]}; in %")
    data = [options.folder / "questions.jsonl", *sorted((options.data_dir / "timeqa").glob("human_*.gz"))]
    data += [options.data_dir / "nobel_prize" / name for name in ("corpus.jsonl", "queries.jsonl", "qrels/test.tsv")]
    write_record("temporal_retrievers", {"rows": rows, "counts": counts, "trainings": trainings}, options, data=data)


def _intents(dataset: Dataset, extractor: str) -> Mapping[str, Any]:
    reader = make_extractor(extractor)
    return {query.query_id: reader.extract(query.text) for query in dataset.queries}


def _runs(dataset: Dataset, retriever: Any, intents: Mapping[str, Any]) -> dict[str, dict[str, dict[str, float]]]:
    queries = {query.query_id: query.text for query in dataset.queries}
    doc_ids = np.array([document.doc_id for document in dataset.documents])
    alone = {}
    for start in range(0, len(queries), 256):
        part = list(queries)[start : start + 256]
        scores = retriever.batch_scores([queries[query_id] for query_id in part])
        for query_id, row in zip(part, scores, strict=True):
            top = np.lexsort((doc_ids, -row))[:100]
            alone[query_id] = {str(doc_ids[place]): float(row[place]) for place in top}
    searcher = TemporalSearcher(dataset.documents, retriever, reranker=TemporalReranker())
    return {"alone": alone, "+ our reranker": dict(searcher.run(queries, intents=intents))}


if __name__ == "__main__":
    main()
