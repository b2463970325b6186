"""The hybrid retriever's default mixture: nDCG@10 over dense_weight on the sample corpus and on TimeQA.

Sample corpus: with the temporal score, as in use. TimeQA's paragraphs carry no timestamp: the retriever alone, on the
whole question and on the question without its words about time. `DENSE_WEIGHT` is the best mean of the three columns,
among tenths; it was fixed here before any run on another data set. `--seed` draws the TimeQA questions.
"""

import random
from collections.abc import Mapping
from pathlib import Path

import numpy as np
from report import parser, print_table, write_record

from qtie.corpus import read_corpus
from qtie.evaluation.datasets import Dataset, load_sample, read_queries
from qtie.evaluation.measures import evaluate
from qtie.evaluation.trec import read_qrels
from qtie.retrieval.encoders import Encoder, load_encoder
from qtie.retrieval.hybrid import HybridRetriever
from qtie.retrieval.search import TemporalSearcher
from qtie.tie.grammar import GrammarExtractor

WEIGHTS = [round(0.1 * tenths, 1) for tenths in range(11)]
N_QUESTIONS = 600
BATCH = 64


def main() -> None:
    arguments = parser(__doc__ or "")
    arguments.add_argument("--encoder", default="minilm", help="name or folder of the dense encoder")
    arguments.add_argument("--cache", type=Path, help="folder in which embeddings are kept (TimeQA: 7 minutes)")
    options = arguments.parse_args()
    encoder = load_encoder(options.encoder)
    folder = options.data_dir / "timeqa"
    timeqa = load_timeqa(folder, options.seed)
    whole = {query.query_id: query.text for query in timeqa.queries}
    stripped = {key: GrammarExtractor().extract(text).semantic_query for key, text in whole.items()}
    columns = {
        "sample, with time": _sample(encoder, options.cache),
        "TimeQA, whole question": _alone(timeqa, whole, encoder, options.cache),
        "TimeQA, without time words": _alone(timeqa, stripped, encoder, options.cache),
    }
    rows = []
    for weight in WEIGHTS:
        values = {name: 100 * column[weight] for name, column in columns.items()}
        rows.append({"dense_weight": weight} | values | {"mean": float(np.mean(list(values.values())))})
    print_table(rows, title=f"nDCG@10 in %, encoder {options.encoder}")
    data = [folder / name for name in ("human_corpus.jsonl.gz", "human_queries.jsonl.gz", "human_qrels.tsv.gz")]
    write_record("dense_weight", {"nDCG@10": rows}, options, data=data)


def load_timeqa(folder: Path, seed: int) -> Dataset:
    qrels = read_qrels(folder / "human_qrels.tsv.gz")
    judged = [query for query in read_queries(folder / "human_queries.jsonl.gz") if query.query_id in qrels]
    chosen = random.Random(seed).sample(judged, N_QUESTIONS)
    return Dataset(
        name="timeqa",
        documents=tuple(read_corpus(folder / "human_corpus.jsonl.gz")),
        queries=tuple(chosen),
        qrels={query.query_id: qrels[query.query_id] for query in chosen},
    )


def _sample(encoder: Encoder, cache: Path | None) -> dict[float, float]:
    dataset = load_sample()
    queries = {query.query_id: query.text for query in dataset.queries}
    days = {query.query_id: query.reference_date for query in dataset.queries}
    retriever = HybridRetriever(dataset.documents, encoder, cache_folder=cache)
    searcher = TemporalSearcher(dataset.documents, retriever)
    values = {}
    for retriever.dense_weight in WEIGHTS:
        run = dict(searcher.run(queries, reference_dates=days))
        values[retriever.dense_weight] = evaluate(dataset.qrels, run, ["nDCG@10"]).means["nDCG@10"]
    return values


def _alone(dataset: Dataset, queries: Mapping[str, str], encoder: Encoder, cache: Path | None) -> dict[float, float]:
    ids = [document.doc_id for document in dataset.documents]
    retriever = HybridRetriever(dataset.documents, encoder, cache_folder=cache)
    items = list(queries.items())
    parts: list[tuple[list[str], np.ndarray, np.ndarray]] = []
    runs: dict[float, dict[str, dict[str, float]]] = {weight: {} for weight in WEIGHTS}
    for start in range(0, len(items), BATCH):
        batch = items[start : start + BATCH]
        texts = [text for _, text in batch]
        ends = []
        for retriever.dense_weight in (0.0, 1.0):  # the mixture is linear in its weight
            ends.append(retriever.batch_scores(texts))
        parts.append(([query_id for query_id, _ in batch], ends[0], ends[1]))
    for query_ids, lexical, dense in parts:
        for weight, run in runs.items():
            for query_id, scores in zip(query_ids, (1 - weight) * lexical + weight * dense, strict=True):
                top = np.argsort(-scores, kind="stable")[:10]
                run[query_id] = {ids[index]: float(scores[index]) for index in top}
    return {weight: evaluate(dataset.qrels, run, ["nDCG@10"]).means["nDCG@10"] for weight, run in runs.items()}


if __name__ == "__main__":
    main()
