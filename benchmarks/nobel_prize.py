"""The Nobel Prize benchmark: each retriever alone and with the temporal score, all 3,244 queries.

A document's timestamp is its metadata's; its other times are read from its text. Retrievers alone get the whole query,
searches with time the query without its words about time. All defaults were fixed on other data: this script only
measures. `query_analysis.jsonl` serves the break-down alone. Queries that ask for a year of birth ("born") stand apart.
"""

import argparse
import json
import time
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from report import parser, print_table, write_record

from qtie.document import Document
from qtie.errors import MissingExtraError
from qtie.evaluation.datasets import Dataset, load_beir
from qtie.evaluation.measures import Evaluation, evaluate
from qtie.retrieval.encoders import Encoder, load_encoder
from qtie.retrieval.hybrid import DENSE_WEIGHT, make_retriever
from qtie.retrieval.retriever import Retriever
from qtie.retrieval.search import TemporalSearcher

MEASURES = ["P@1", "R@1", "P@5", "R@5", "nDCG@10", "RR"]
K = 100


def main() -> None:
    arguments = _arguments()
    folder = arguments.data_dir / "nobel_prize"
    dataset = load_beir(folder)
    started = time.perf_counter()
    documents = dataset.documents
    seconds_text = time.perf_counter() - started
    groups = _groups(folder / "query_analysis.jsonl")
    results, by_group = [], []
    for name in _retrievers(arguments.encoder):
        encoder = None if name == "bm25" else load_encoder(arguments.encoder)
        retriever = make_retriever(name, documents, encoder=encoder, cache_folder=arguments.cache)
        for label, (run, seconds) in _runs(dataset, documents, retriever).items():
            evaluation = evaluate(dataset.qrels, run, MEASURES)
            row = {"system": f"{name}{label}", "seconds": round(seconds, 1)}
            results.append(row | {measure: 100 * value for measure, value in evaluation.means.items()})
            by_group += [{"system": row["system"]} | group for group in _by_group(evaluation, groups)]
    print_table(results, title=f"Nobel Prize, {len(dataset.queries)} queries, {len(documents)} documents; in %")
    print_table(by_group, title="By template")
    print(f"\nreading times from {len(documents)} texts: {seconds_text:.1f} s; dense_weight {DENSE_WEIGHT}")
    files = ["corpus.jsonl", "queries.jsonl", "qrels/test.tsv", "query_analysis.jsonl"]
    record = {"overall": results, "by template": by_group, "seconds reading times from texts": round(seconds_text, 1)}
    write_record("nobel_prize", record, arguments, data=[folder / name for name in files])


def _arguments() -> argparse.Namespace:
    arguments = parser(__doc__ or "")
    arguments.add_argument("--encoder", default="minilm", help="name or folder of the dense encoder")
    arguments.add_argument("--cache", type=Path, help="folder in which embeddings are kept")
    return arguments.parse_args()


def _retrievers(encoder: str) -> list[str]:
    try:
        _: Encoder = load_encoder(encoder)
    except MissingExtraError as error:
        print(f"BM25 only: {error}")
        return ["bm25"]
    return ["bm25", "dense", "hybrid"]


def _runs(
    dataset: Dataset, documents: Sequence[Document], retriever: Retriever
) -> dict[str, tuple[dict[str, dict[str, float]], float]]:
    queries = {query.query_id: query.text for query in dataset.queries}
    started = time.perf_counter()
    alone = _alone(queries, documents, retriever)
    middle = time.perf_counter()
    temporal = dict(TemporalSearcher(documents, retriever).run(queries, k=K))
    ended = time.perf_counter()
    return {" alone": (alone, middle - started), " + temporal": (temporal, ended - middle)}


def _alone(queries: dict[str, str], documents: Sequence[Document], retriever: Retriever) -> dict[str, dict[str, float]]:
    run = {}
    ids = np.array([document.doc_id for document in documents])
    for query_id, scores in zip(queries, retriever.batch_scores(list(queries.values())), strict=True):
        top = np.lexsort((ids, -scores))[:K]
        run[query_id] = {str(ids[index]): float(scores[index]) for index in top}
    return run


def _groups(path: Path) -> dict[str, list[str]]:
    groups: dict[str, list[str]] = {"award year": [], "born": []}
    for line in path.read_text(encoding="utf-8").splitlines():
        record = json.loads(line)
        groups["born" if record["axis"] == "birth_year" else "award year"].append(record["_id"])
        groups.setdefault(record["template"], []).append(record["_id"])
    return groups


def _by_group(evaluation: Evaluation, groups: dict[str, list[str]]) -> list[dict[str, object]]:
    rows: list[dict[str, object]] = []
    for name, query_ids in groups.items():
        row: dict[str, object] = {"queries": name, "n": len(query_ids)}
        for measure in ("P@1", "R@5", "nDCG@10"):
            values = evaluation.per_query[measure]
            row[measure] = 100 * float(np.mean([values[query_id] for query_id in query_ids]))
        rows.append(row)
    return rows


if __name__ == "__main__":
    main()
