"""LanceDB's reranker on a real table: vector, full-text and hybrid searches."""

from collections.abc import Callable
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("lancedb", reason="needs qtie[lancedb]")

import lancedb
import pyarrow as pa
from lancedb.index import FTS
from lancedb.rerankers import Reranker, RRFReranker

from qtie.errors import DocumentError
from qtie.integrations.lancedb import TemporalReranker

Embed = Callable[[str], list[float]]
Notes = list[tuple[str, dict[str, Any]]]
QUERY, TOPIC = "who leads the ministry in 2016", "who leads the ministry"


def _table(path: Path, rows: list[dict[str, Any]], embed: Embed) -> Any:
    rows = [{**row, "vector": embed(row["text"])} for row in rows]
    table = lancedb.connect(path).create_table("notes", rows)
    table.create_index("text", config=FTS())
    return table


@pytest.fixture
def table(tmp_path: Path, notes: Notes, embed: Embed) -> Any:
    return _table(tmp_path, [{"text": text, "date": None, **metadata} for text, metadata in notes], embed)


def _search(table: Any, embed: Embed, kind: str, query: str = TOPIC) -> Any:
    if kind == "hybrid":
        return table.search(query_type="hybrid").vector(embed(query)).text(query).limit(10)
    return table.search(embed(query) if kind == "vector" else query, query_type=kind).limit(10)


class ByLength(Reranker):
    """Stands for a neural reranker: longer texts first."""

    def _ranked(self, found: pa.Table) -> pa.Table:
        scores = pa.array([float(len(text)) for text in found["text"].to_pylist()], pa.float32())
        return found.append_column("_relevance_score", scores).sort_by([("_relevance_score", "descending")])

    def rerank_hybrid(self, query: str, vector_results: pa.Table, fts_results: pa.Table) -> pa.Table:
        return self._ranked(self.merge_results(vector_results, fts_results))

    def rerank_vector(self, query: str, vector_results: pa.Table) -> pa.Table:
        return self._ranked(vector_results)

    def rerank_fts(self, query: str, fts_results: pa.Table) -> pa.Table:
        return self._ranked(fts_results)


@pytest.mark.parametrize("kind", ["vector", "fts", "hybrid"])
def test_reranks_each_kind_of_search(table: Any, embed: Embed, kind: str) -> None:
    options = {"query_string": QUERY} if kind == "vector" else {}
    search = _search(table, embed, kind, TOPIC if kind == "vector" else QUERY)
    best = search.rerank(TemporalReranker(k=3), **options).to_list()
    assert best[0]["id"] == "jonas"
    assert best[0]["_temporal"]["cues"] == ["in 2016"]
    scores = [row["_relevance_score"] for row in best]
    assert scores == sorted(scores, reverse=True)
    assert len(best) == 3
    assert "_distance" not in best[0]
    assert "_score" not in best[0]


@pytest.mark.parametrize("kind", ["vector", "fts", "hybrid"])
def test_scores_may_be_kept(table: Any, embed: Embed, kind: str) -> None:
    options = {"query_string": QUERY} if kind == "vector" else {}
    best = _search(table, embed, kind).rerank(TemporalReranker(return_score="all"), **options).to_list()
    assert {"vector": {"_distance"}, "fts": {"_score"}, "hybrid": {"_distance", "_score"}}[kind] <= set(best[0])


@pytest.mark.parametrize("query", [TOPIC, "who leads room 2099"])
def test_atemporal_queries_change_nothing(table: Any, embed: Embed, query: str) -> None:
    fused = _search(table, embed, "hybrid", query).rerank(RRFReranker()).to_list()
    same = _search(table, embed, "hybrid", query).rerank(TemporalReranker()).to_list()
    assert [(r["id"], r["_relevance_score"]) for r in same] == [(r["id"], r["_relevance_score"]) for r in fused]
    for kind in ("vector", "fts"):
        found = _search(table, embed, kind, query).to_list()
        options = {"query_string": query} if kind == "vector" else {}
        ranked = _search(table, embed, kind, query).rerank(TemporalReranker(return_score="all"), **options).to_list()
        assert [row["id"] for row in ranked] == [row["id"] for row in found]
        if kind == "fts":
            assert [row["_relevance_score"] for row in ranked] == [row["_score"] for row in found]


@pytest.mark.parametrize("kind", ["vector", "fts", "hybrid"])
def test_runs_after_another_reranker(table: Any, embed: Embed, kind: str) -> None:
    options = {"query_string": TOPIC} if kind == "vector" else {}
    alone = _search(table, embed, kind).rerank(ByLength(), **options).to_list()
    after = _search(table, embed, kind).rerank(TemporalReranker(first=ByLength()), **options).to_list()
    assert [(r["id"], r["_relevance_score"]) for r in after] == [(r["id"], r["_relevance_score"]) for r in alone]


@pytest.mark.parametrize(
    "column",
    [
        pa.array(["2016-05-09", "2019-05"]),
        pa.array([2016, 2019], pa.int64()),
        pa.array([1462752000000, 1557619200000], pa.int64()),
        pa.array([date(2016, 5, 9), date(2019, 5, 12)], pa.date32()),
        pa.array([datetime(2016, 5, 9, tzinfo=UTC), datetime(2019, 5, 12, tzinfo=UTC)], pa.timestamp("us", "UTC")),
        pa.array([1462752000000, 1557619200000], pa.timestamp("ms")),
        pa.array([{"start": "2016-01-01", "end": "2016-12-31"}, {"start": "2019-01-01", "end": None}]),
    ],
    ids=["text", "year", "epoch", "date", "zoned timestamp", "naive timestamp", "interval"],
)
def test_every_type_of_a_time_column(column: pa.Array, tmp_path: Path, embed: Embed) -> None:
    texts, vectors = ["Budget passed"] * 2, pa.array([embed("budget passed")] * 2, pa.list_(pa.float32(), 256))
    rows = pa.table({"text": texts, "id": ["wrong", "right"], "date": column, "vector": vectors})
    table = lancedb.connect(tmp_path).create_table("notes", rows)
    best = _search(table, embed, "vector").rerank(TemporalReranker(), query_string="budget in 2019").to_list()
    assert [row["id"] for row in best] == ["right", "wrong"]


def test_times_in_a_metadata_column(tmp_path: Path, embed: Embed) -> None:
    rows = [{"text": "Budget", "id": year, "metadata": {"date": year, "lang": "en"}} for year in ("2016", "2019")]
    table = _table(tmp_path, rows, embed)
    assert _search(table, embed, "fts", "budget in 2019").rerank(TemporalReranker()).to_list()[0]["id"] == "2019"


def test_tables_are_not_changed(notes: Notes) -> None:
    rows = pa.Table.from_pylist([{"text": text, "date": None, **metadata} for text, metadata in notes])
    schema, before = rows.schema, rows.to_pylist()
    ranked = TemporalReranker().rerank_vector(QUERY, rows)
    assert (rows.schema, rows.to_pylist()) == (schema, before)
    again = TemporalReranker().rerank_vector(QUERY, ranked)
    assert again.schema == ranked.schema


@pytest.mark.parametrize("kind", ["vector", "fts", "hybrid"])
def test_nothing_found(table: Any, embed: Embed, kind: str) -> None:
    options = {"query_string": QUERY} if kind == "vector" else {}
    search = _search(table, embed, kind, QUERY).where("id = 'nothing'").rerank(TemporalReranker(), **options)
    assert search.to_list() == []


def test_the_text_column_is_named(table: Any, embed: Embed) -> None:
    search = _search(table, embed, "vector").rerank(TemporalReranker(column="body"), query_string=QUERY)
    with pytest.raises(DocumentError, match="no column 'body'; one of text, date, id"):
        search.to_list()
