"""The time of a query in the store's index against three ways without: the same store, the same intents, one table.

- BM25 alone: the whole query, its words about time in it.
- re-ranked: the first 100 of BM25 for the query without its words about time, ranked by topic and time.
- exact filter: BM25 within exactly the asked days, what is undated left out: what a self-query that never errs does.
- store: the widened time in the index, ranked by topic and time, as `StoreSearcher` does.
- self-query (with `--self-query MODEL.gguf`): BM25 within the filter that LangChain's query constructor has a language
  model write; where its answer cannot be read the query is searched as it is, which is counted. On fewer queries, and
  all others beside it on the same.

    python benchmarks/store_quality.py
    python benchmarks/store_quality.py --self-query .cache/llm/SmolLM2-135M-Instruct.Q4_1.gguf

Latencies are of one thread, extraction in them, on the data set's own documents.
"""

import argparse
import os
import time
from collections.abc import Callable, Mapping
from datetime import date
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

os.environ.setdefault("LANCE_LOG", "error")

import numpy as np
from lancedb.query import MatchQuery
from report import REPOSITORY, parser, print_table, write_record

from qtie.evaluation.datasets import Dataset, Query, load_beir
from qtie.evaluation.measures import evaluate
from qtie.intent import TemporalIntent
from qtie.reranker import TemporalReranker
from qtie.retrieval.filters.lancedb import lancedb_filter
from qtie.retrieval.filters.time_filter import time_filter
from qtie.retrieval.store import Store, StoreSearcher
from qtie.retrieval.store.schema import DOCUMENT_COLUMNS, FIELDS, to_documents

if TYPE_CHECKING:
    from self_query import SelfQuery

MEASURES = ["R@100", "nDCG@10", "P@1"]
K = 100
Ranked = dict[str, float]
System = Callable[[str, date | None], Ranked]


class Systems:
    """The ways over one store, with one extractor."""

    def __init__(self, store: Store, *, self_query: "SelfQuery | None" = None) -> None:
        self._self_query = self_query
        self.table, self.searcher = store.snapshot(), StoreSearcher(store)
        self.reranker = TemporalReranker(normalization="bm25")

    def by_name(self) -> Mapping[str, System]:
        """In the order of the table."""
        systems: dict[str, System] = {
            "BM25 alone": lambda query, day: self._bm25(query, None),
            "re-ranked": self._reranked,
            "exact filter": self._exact,
            "store": self._store,
        }
        if (constructor := self._self_query) is not None:
            systems["self-query"] = lambda query, day: self._bm25(*constructor.read(query))
        return systems

    def _read(self, query: str, day: date | None) -> TemporalIntent:
        return self.reranker.extractor.extract(query, reference_date=day)

    def _bm25(self, text: str, where: str | None) -> Ranked:
        search = self.table.search(MatchQuery(text, "content"), query_type="fts").select(["doc_id", "_score"])
        found = (search.where(where) if where else search).limit(K).to_arrow()
        return dict(zip(found["doc_id"].to_pylist(), found["_score"].to_pylist(), strict=True))

    def _reranked(self, query: str, day: date | None) -> Ranked:
        intent = self._read(query, day)
        search = self.table.search(MatchQuery(intent.semantic_query, "content"), query_type="fts")
        found = search.select([*DOCUMENT_COLUMNS, "_score"]).limit(K).to_arrow()
        documents, scores = to_documents(found), found["_score"].to_pylist()
        ranking = self.reranker.rank(query, documents, scores=scores, intent=intent)
        return {ranked.doc_id: ranked.score for ranked in ranking}

    def _exact(self, query: str, day: date | None) -> Ranked:
        intent = self._read(query, day)
        wanted = time_filter(intent, fields=FIELDS, margin_units=0, keep_undated=False)
        return self._bm25(intent.semantic_query, lancedb_filter(wanted))

    def _store(self, query: str, day: date | None) -> Ranked:
        return dict(self.searcher.run({"q": query}, k=K, reference_dates={"q": day}))["q"]


def measured(
    name: str, dataset: Dataset, queries: list[Query], folder: Path, *, self_query: "SelfQuery | None" = None
) -> list[dict[str, Any]]:
    store = Store.open_or_create(folder / name)
    store.write(dataset.documents)
    rows = []
    for system, search in Systems(store, self_query=self_query).by_name().items():
        run: dict[str, Ranked] = {}
        wall, cpu = [], time.process_time()
        for query in queries:
            started = time.perf_counter()
            run[query.query_id] = search(query.text, query.reference_date)
            wall.append(1000 * (time.perf_counter() - started))
        cpu_ms = 1000 * (time.process_time() - cpu) / len(queries)
        qrels = {query_id: judged for query_id, judged in dataset.qrels.items() if query_id in run}
        means = evaluate(qrels, run, MEASURES).means
        row: dict[str, Any] = {"data": name, "queries": len(queries), "system": system}
        row |= {measure: 100 * value for measure, value in means.items()}
        rows.append(row | {"p50 ms": float(np.median(wall)), "CPU ms": cpu_ms})
    return rows


def beside_self_query(name: str, dataset: Dataset, arguments: argparse.Namespace, folder: Path) -> list[dict[str, Any]]:
    """All ways on the same few queries, evenly drawn; with how many answers of the model were none, or no filter."""
    from self_query import SelfQuery

    every = max(1, len(dataset.queries) // arguments.self_query_queries)
    queries = list(dataset.queries)[::every][: arguments.self_query_queries]
    constructor = SelfQuery(arguments.self_query)
    rows = measured(name, dataset, queries, folder, self_query=constructor)
    counts = {"failed": constructor.n_failed, "no filter": constructor.n_unfiltered}
    return [row | (counts if row["system"] == "self-query" else dict.fromkeys(counts, "")) for row in rows]


def main() -> None:
    arguments = _arguments()
    rows: list[dict[str, Any]] = []
    few_rows: list[dict[str, Any]] = []
    folders = {"sample": REPOSITORY / "qtie" / "sample", "nobel": arguments.data_dir / "nobel_prize"}
    with TemporaryDirectory(prefix="qtie-store-") as scratch:
        for name, folder in folders.items():
            dataset = load_beir(folder)
            queries = list(dataset.queries)[:: arguments.every]
            rows += measured(name, dataset, queries, Path(scratch))
            print_table(rows, title="Time in the index; in %")
            if arguments.self_query:
                few_rows += beside_self_query(name, dataset, arguments, Path(scratch))
                print_table(few_rows, title="With LangChain's self-query; in %")
    files = ["corpus.jsonl", "queries.jsonl", "qrels/test.tsv"]
    results = {"overall": rows} | ({"self-query": few_rows} if few_rows else {})
    write_record("store_quality", results, arguments, data=[folders["nobel"] / name for name in files])


def _arguments() -> argparse.Namespace:
    arguments = parser(__doc__ or "")
    arguments.add_argument("--every", type=int, default=1, help="measure each such query only")
    arguments.add_argument("--self-query", type=Path, help="GGUF file of the model that writes LangChain's filters")
    arguments.add_argument(
        "--self-query-queries", type=int, default=60, help="how many queries of each data set it reads"
    )
    return arguments.parse_args()


if __name__ == "__main__":
    main()
