"""Stores that are made shard by shard."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("lancedb", reason="needs qtie[store]")

import numpy as np

from qtie.batch.run import run_batch
from qtie.batch.stage import Task
from qtie.corpus import read_corpus
from qtie.errors import BatchError, DocumentError, StoreError
from qtie.retrieval.store import Store, StoreSearcher

INDEX = Task(kind="index")
pytestmark = pytest.mark.usefixtures("here")


def corpus(path: Path, *more: Mapping[str, Any]) -> Path:
    documents = [
        {"_id": f"d{n}", "text": f"report {n} on the harbour", "metadata": {"date": str(1900 + n), "n": n}}
        for n in range(60)
    ]
    path.write_text("".join(json.dumps(document) + "\n" for document in (*documents, *more)))
    return path


def test_the_store_is_that_of_qtie_index(tmp_path: Path) -> None:
    source = corpus(tmp_path / "corpus.jsonl")
    report = run_batch(INDEX, source, tmp_path / "a", shard_rows=13)
    assert (report.n_rows, report.n_shards) == (60, 5)
    store, other = Store.open(tmp_path / "a"), Store.create(tmp_path / "b")
    other.write(read_corpus(source))
    ids = [f"d{n}" for n in range(60)]
    assert store.documents(ids) == other.documents(ids)
    query = "harbour report before 1910"
    assert [one.doc_id for one in StoreSearcher(store).search(query)] == [
        one.doc_id for one in StoreSearcher(other).search(query)
    ]
    assert store.stats().n_unindexed == 0
    assert not list((tmp_path / "a" / "parts").glob("part-*"))
    assert run_batch(INDEX, source, tmp_path / "a", shard_rows=13).n_shards_before == 5
    assert store.stats().n_docs == 60


@pytest.mark.parametrize("where", ["before the rows", "after the rows"])
def test_a_run_that_dies_at_the_last_step_is_taken_up(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, where: str
) -> None:
    from qtie.batch import indexing

    source = corpus(tmp_path / "corpus.jsonl")

    def die(*_: Any) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(indexing, "_batches" if where == "before the rows" else "update_indices", die)
        with pytest.raises(KeyboardInterrupt):
            run_batch(INDEX, source, tmp_path / "a", shard_rows=13)
    assert run_batch(INDEX, source, tmp_path / "a", shard_rows=13).n_shards_before == 5
    stats = Store.open(tmp_path / "a").stats()
    assert (stats.n_docs, stats.n_unindexed) == (60, 0)


def test_an_id_that_stands_twice(tmp_path: Path) -> None:
    source = corpus(tmp_path / "corpus.jsonl", {"_id": "d3", "text": "again"}, {"_id": "d3", "text": "and again"})
    with pytest.raises(BatchError, match="'d3' stands twice"):
        run_batch(INDEX, source, tmp_path / "a", shard_rows=20)
    report = run_batch(Task(kind="index", on_error="skip"), source, tmp_path / "b", shard_rows=20)
    assert (report.n_rows, report.n_skipped) == (60, 2)
    assert Store.open(tmp_path / "b").documents(["d3"])[0].text == "report 3 on the harbour"
    skipped = [json.loads(line) for line in (tmp_path / "b" / "parts" / "skipped.jsonl").read_text().splitlines()]
    assert [json.loads(record["line"])["text"] for record in skipped] == ["again", "and again"]


class Encoder:
    """Makes vectors of two ones, and of documents whatever is said."""

    fingerprint = "ones"

    def __init__(self, made: Any = None) -> None:
        self._made = made

    def encode_queries(self, texts: Sequence[str]) -> Any:
        return np.ones((len(texts), 2)) if texts else np.empty(0)

    def encode_documents(self, texts: Sequence[str]) -> Any:
        return self.encode_queries(texts) if self._made is None else self._made


def test_a_shard_without_documents_has_no_vectors(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for module in ("stage", "indexing"):
        monkeypatch.setattr(f"qtie.batch.{module}.load_encoder", lambda _: Encoder())
    source = corpus(tmp_path / "corpus.jsonl")
    source.write_text(source.read_text() + "\n" * 40)
    assert run_batch(Task(kind="index", encoder="model"), source, tmp_path / "a", shard_rows=20).n_shards == 5
    stats = Store.open(tmp_path / "a", encoder=Encoder()).stats()
    assert (stats.n_docs, stats.n_dimensions) == (60, 2)


@pytest.mark.parametrize(
    ("made", "problem"),
    [
        (np.ones((7, 2)), r"vectors of shape \(7, 2\), not \(20, 2\)"),
        (np.ones((20, 3)), r"vectors of shape \(20, 3\), not \(20, 2\)"),
        (np.ones(20), r"vectors of shape \(20,\), not \(20, 2\)"),
        (np.full((20, 2), np.nan), "values that are no finite numbers"),
    ],
    ids=["too few", "another length", "no matrix", "no numbers"],
)
def test_vectors_that_no_store_takes_are_one_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, made: Any, problem: str
) -> None:
    monkeypatch.setattr("qtie.batch.stage.load_encoder", lambda _: Encoder(made))
    source = corpus(tmp_path / "corpus.jsonl")
    with pytest.raises(BatchError, match=f"^model: the encoder made .*{problem}"):
        run_batch(Task(kind="index", encoder="model"), source, tmp_path / "a", shard_rows=20)
    assert not list((tmp_path / "a").glob("*.lance"))


def test_a_chunk_inherits_its_parents_times_across_shards(tmp_path: Path) -> None:
    source = corpus(tmp_path / "corpus.jsonl", {"_id": "d3#1", "text": "a part", "metadata": {"parent_id": "d3"}})
    run_batch(INDEX, source, tmp_path / "a", shard_rows=10)
    (chunk,) = Store.open(tmp_path / "a").documents(["d3#1"])
    assert str(chunk.times["timestamp"][0].interval) == "1903-01-01/1903-12-31"


def test_faulty_documents_and_foreign_stores(tmp_path: Path) -> None:
    source = corpus(tmp_path / "corpus.jsonl", {"text": "without id"})
    with pytest.raises(DocumentError, match=r"corpus.jsonl, line 61: field '_id': missing"):
        run_batch(INDEX, source, tmp_path / "a")
    Store.create(tmp_path / "b").write(read_corpus(corpus(tmp_path / "c2.jsonl")))
    (tmp_path / "one.jsonl").write_text('{"_id": "x", "text": "y"}\n')
    with pytest.raises((BatchError, StoreError), match="60 documents of something else"):
        run_batch(INDEX, tmp_path / "one.jsonl", tmp_path / "b")
