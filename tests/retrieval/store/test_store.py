"""Documents are added, replaced, deleted and read back whole; what goes wrong loses nothing."""

import json
import signal
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("lancedb", reason="needs qtie[store]")

import numpy as np
import pyarrow as pa

from qtie.config import Config, DocumentOptions
from qtie.document import Document, DocumentTime
from qtie.errors import DocumentError, StoreError
from qtie.intent import IntentOptions
from qtie.interval import TimeInterval
from qtie.reranker import TemporalReranker
from qtie.retrieval.store import Store, StoreSearcher
from qtie.retrieval.store.writing import update_indices
from qtie.tie.grammar import GrammarExtractor


def test_documents_come_back_whole(tmp_path: Path, documents: list[Document]) -> None:
    store = Store.create(tmp_path / "s")
    assert store.write(documents) == (9, 0)
    assert store.documents([document.doc_id for document in documents]) == documents
    assert Store.open(tmp_path / "s").documents(["open", "plain"]) == [documents[3], documents[0]]
    stats = store.stats()
    assert (stats.n_docs, stats.n_dated, stats.n_unindexed, stats.n_dimensions, stats.encoder) == (9, 6, 0, None, "")
    with pytest.raises(StoreError, match="no document 'nowhere'"):
        store.documents(["plain", "nowhere"])


def test_the_same_id_replaces(tmp_path: Path, documents: list[Document]) -> None:
    store = Store.create(tmp_path / "s")
    store.write(documents)
    changed = Document(doc_id="plain", text="Another text", title="New")
    assert store.write([changed, Document(doc_id="new", text="x")]) == (1, 1)
    assert store.documents(["plain"]) == [changed]
    assert store.stats().n_docs == 10


def test_of_one_id_in_a_write_the_last_counts(tmp_path: Path) -> None:
    store = Store.create(tmp_path / "s")
    store.write(Document(doc_id="a", text=text) for text in ("first", "second"))
    assert [document.text for document in store.documents(["a"])] == ["second"]
    assert store.stats().n_docs == 1


def test_an_id_that_comes_again_in_a_later_batch_replaces(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("qtie.retrieval.store.writing._DOCS_PER_BATCH", 2)
    store = Store.create(tmp_path / "s")
    assert store.write(Document(doc_id=name, text=str(at)) for at, name in enumerate("abcab")) == (3, 2)
    assert [document.text for document in store.documents(["a", "b", "c"])] == ["3", "4", "2"]


def test_delete(tmp_path: Path, documents: list[Document]) -> None:
    store = Store.create(tmp_path / "s")
    store.write(documents)
    assert store.delete(["o'hara; --", "plain", "plain", "nowhere"]) == 2
    assert store.delete([]) == 0
    assert store.stats().n_docs == 7
    assert "plain" not in [ranked.doc_id for ranked in StoreSearcher(store).search("budget passed")]


def test_stores_are_neither_made_twice_nor_opened_unmade(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="no store there; qtie index makes one"):
        Store.open(tmp_path / "s")
    (tmp_path / "s").mkdir()  # what a process leaves that is killed before the table is made
    with pytest.raises(StoreError, match="no store there"):
        Store.open(tmp_path / "s")
    Store.open_or_create(tmp_path / "s")
    with pytest.raises(StoreError, match="there is a store already"):
        Store.create(tmp_path / "s")
    assert Store.open_or_create(tmp_path / "s").stats().n_docs == 0


def test_other_tables_and_files_are_refused(tmp_path: Path) -> None:
    import lancedb

    lancedb.connect(tmp_path / "s").create_table("documents", [{"a": 1}])
    with pytest.raises(StoreError, match="a table that qtie did not write"):
        Store.open(tmp_path / "s")
    (tmp_path / "file").write_text("x")
    with pytest.raises(StoreError, match=f"^{tmp_path / 'file'}: "):
        Store.create(tmp_path / "file")


@pytest.mark.parametrize("files", ["*.manifest", "data/*.lance", "*_docs.lance", "*_tokens.lance", "*_invert.lance"])
@pytest.mark.parametrize("damage", ["gone", "cut", "other"])
def test_a_damaged_store_says_so(tmp_path: Path, documents: list[Document], files: str, damage: str) -> None:
    store = Store.create(tmp_path / "s")
    store.write(documents)
    damaged = [*(tmp_path / "s").rglob(files)]
    assert damaged
    for path in damaged:
        if damage == "gone":
            path.unlink()
        else:
            path.write_bytes(path.read_bytes()[: path.stat().st_size // 2] if damage == "cut" else b"\xff" * 64)
    remedy = "the store is damaged: a file of it.* is missing or broken; index the corpus again, in a new folder"
    with pytest.raises(StoreError, match=f"^{tmp_path / 's'}: {remedy}$"):
        StoreSearcher(Store.open(tmp_path / "s")).search("budget in 2016")


def test_the_encoder_is_remembered_and_checked(tmp_path: Path, documents: list[Document], hash_encoder: Any) -> None:
    class Other(type(hash_encoder)):  # type: ignore[misc]
        fingerprint = "other"

    Store.create(tmp_path / "s", encoder=hash_encoder).write(documents)
    assert hash_encoder.n_encoded == 9
    store = Store.open(tmp_path / "s", encoder=hash_encoder)
    assert store.stats().n_dimensions == 64
    assert store.stats().encoder == "hash"
    with pytest.raises(StoreError, match="made by 'hash', not by 'other'; index it again"):
        Store.open(tmp_path / "s", encoder=Other())
    with pytest.raises(StoreError, match="has vectors of 'hash': give that encoder"):
        Store.open(tmp_path / "s").write(documents)
    Store.create(tmp_path / "plain")
    with pytest.raises(StoreError, match="was made without vectors"):
        Store.open(tmp_path / "plain", encoder=hash_encoder)


class RandomVectors:
    """Random directions; how many dimensions they have decides what LanceDB can make of them."""

    fingerprint = "random"

    def __init__(self, n_dimensions: int) -> None:
        self._shape, self._rng = n_dimensions, np.random.default_rng(0)

    def encode_queries(self, texts: Sequence[str]) -> Any:
        vectors = self._rng.standard_normal((len(texts), self._shape)).astype(np.float32)
        return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)

    encode_documents = encode_queries


@pytest.mark.parametrize(
    ("vectors", "problem"),
    [
        (np.ones((1, 8)), r"vectors of shape \(1, 8\), not \(1, 5\); give the encoder that the store was made with"),
        (np.ones((2, 5)), r"vectors of shape \(2, 5\), not \(1, 5\)"),
        (np.full((1, 5), np.nan), "values that are no finite numbers"),
    ],
)
def test_vectors_that_are_no_vectors_of_the_store_are_named(tmp_path: Path, vectors: Any, problem: str) -> None:
    class Altered(RandomVectors):
        """Another model behind the same name."""

        def encode_queries(self, texts: Sequence[str]) -> Any:
            return vectors

        encode_documents = encode_queries

    document = Document(doc_id="a", text="budget")
    Store.create(tmp_path / "s", encoder=RandomVectors(5)).write([document])
    altered = Store.open(tmp_path / "s", encoder=Altered(5))
    with pytest.raises(StoreError, match=f"^{tmp_path / 's'}: the encoder made .*{problem}"):
        altered.write([document])
    with pytest.raises(StoreError, match=f"^{tmp_path / 's'}: the encoder made .*{problem}"):
        StoreSearcher(altered).search("budget")
    assert Store.open(tmp_path / "s").stats().n_docs == 1


@pytest.mark.parametrize(("n_dimensions", "kind"), [(16, "IVF_RQ"), (12, "IVF_FLAT")])
def test_many_vectors_are_indexed_and_again_when_they_have_doubled(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, n_dimensions: int, kind: str
) -> None:
    monkeypatch.setattr("qtie.retrieval.store.writing._LEAST_VECTORS", 300)
    store = Store.create(tmp_path / "s", encoder=RandomVectors(n_dimensions))
    for n_docs, n_indexed in ((299, None), (301, 301), (320, 320), (1000, 1000)):
        store.write(Document(doc_id=str(at), text="x") for at in range(store.stats().n_docs, n_docs))
        statistics = store.snapshot().index_stats("vector_idx")
        assert (statistics and (statistics.num_indexed_rows, statistics.index_type)) == (
            n_indexed and (n_indexed, kind)
        )
    found = StoreSearcher(store, reranker=TemporalReranker(GrammarExtractor())).search("x in 2019", k=1000)
    assert len({ranked.doc_id for ranked in found}) == 1000


def test_times_are_read_again_without_encoding(tmp_path: Path, hash_encoder: Any) -> None:
    records = [
        {"_id": "a", "text": "x", "metadata": {"date": "2019", "harvest": "1985-09-01"}},
        {"_id": "b", "text": "y", "metadata": {"harvest": "1990"}, "times": {"event": "1066"}},
        {"_id": "a#1", "text": "part", "metadata": {"parent_id": "a"}, "times": {"timestamp": "2019"}},
    ]
    store = Store.create(tmp_path / "s", encoder=hash_encoder)
    store.write(map(Document.from_record, records))
    before = store.snapshot().to_arrow().sort_by("doc_id")["vector"].to_pylist()
    config = Config(documents=DocumentOptions(time_keys=("harvest",)))
    assert store.reindex_times(config=config) == 3
    assert hash_encoder.n_encoded == 3
    assert store.snapshot().to_arrow().sort_by("doc_id")["vector"].to_pylist() == before
    found = {
        document.doc_id: {facet: str(times[0].interval) for facet, times in document.times.items()}
        for document in store.documents(["a", "b", "a#1"])
    }
    assert found["a"] == {"timestamp": "1985-09-01/1985-09-01"}
    assert found["b"] == {"event": "1066-01-01/1066-12-31", "timestamp": "1990-01-01/1990-12-31"}
    assert found["a#1"] == {"timestamp": "1985-09-01/1985-09-01"}
    assert store.documents(["a"])[0].metadata == {"date": "2019", "harvest": "1985-09-01"}
    (row,) = store.snapshot().search().where("doc_id = 'a'").to_list()
    assert row["time_start"] == row["time_end"] == 5722


def test_times_in_texts_are_read_in_the_order_that_is_set(tmp_path: Path) -> None:
    store = Store.create(tmp_path / "s")
    day_first = Config(intent=IntentOptions(date_order="dmy"))
    store.write([Document(doc_id="a", text="Marta Ruiz. Born: 3/4/1881.")], config=day_first)

    def born() -> str:
        ranking = StoreSearcher(store, reranker=TemporalReranker(GrammarExtractor())).search("born in April 1881")
        return str(ranking[0].time)

    assert born() == "1881-04-03/1881-04-03"
    store.reindex_times()
    assert born() == "1881-03-04/1881-03-04"
    store.reindex_times(config=day_first)
    assert born() == "1881-04-03/1881-04-03"


def test_a_reader_sees_the_store_as_it_was(tmp_path: Path, documents: list[Document]) -> None:
    store = Store.create(tmp_path / "s")
    store.write(documents[:3])
    snapshot = store.snapshot()
    store.write(documents)
    store.delete(["plain"])
    assert snapshot.count_rows() == 3
    assert snapshot.search().where("doc_id = 'plain'").to_list()
    assert store.snapshot().count_rows() == 8


def test_a_document_that_cannot_be_stored_leaves_the_rest(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("qtie.retrieval.store.writing._DOCS_PER_BATCH", 2)
    store = Store.create(tmp_path / "s")
    with pytest.raises(DocumentError, match="document 'e'"):
        store.write(Document(doc_id=name, text="\ud800" if name == "e" else "word") for name in "abcdef")
    assert store.stats().n_docs == 4
    assert len(StoreSearcher(store).search("word")) == 4


_WRITE = """
import sys
from qtie.document import Document
from qtie.retrieval.store import Store
from qtie.retrieval.store import writing
writing._DOCS_PER_BATCH = 50
store = Store.open_or_create(sys.argv[1])
def documents():
    for at in range(int(sys.argv[2]), int(sys.argv[3])):
        if at % 50 == 25:
            print(at, flush=True)
        yield Document.from_record({"_id": f"d{at}", "text": f"report {at}", "date": "2019"})
print(*store.write(documents()))
"""


def _writer(store: Path, first: int, last: int) -> "subprocess.Popen[str]":
    command = [sys.executable, "-c", _WRITE, str(store), str(first), str(last)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def test_a_killed_writer_leaves_a_store_that_opens_and_goes_on(tmp_path: Path) -> None:
    writer = _writer(tmp_path / "s", 0, 100_000)
    assert writer.stdout is not None
    for line in writer.stdout:
        if int(line) > 300:
            break
    writer.send_signal(signal.SIGKILL)
    writer.communicate()
    store = Store.open(tmp_path / "s")
    n_kept = store.stats().n_docs
    assert 250 <= n_kept < 100_000
    assert n_kept % 50 == 0
    assert len(StoreSearcher(store).search("report in 2019")) == 10
    n_docs = 2 * n_kept
    assert store.write(Document(doc_id=f"d{at}", text=f"report {at}") for at in range(n_docs)) == (n_kept, n_kept)
    ids = store.snapshot().to_arrow()["doc_id"].to_pylist()
    assert len(ids) == len(set(ids)) == n_docs


def test_two_writers_wait_for_each_other(tmp_path: Path) -> None:
    Store.create(tmp_path / "s")
    writers = [_writer(tmp_path / "s", first, first + 150) for first in (0, 100)]
    ends = [writer.communicate(timeout=120) for writer in writers]
    assert [writer.returncode for writer in writers] == [0, 0], ends
    ids = Store.open(tmp_path / "s").snapshot().to_arrow()["doc_id"].to_pylist()
    assert sorted(ids) == sorted(f"d{at}" for at in range(250))


def test_a_writer_that_waits_too_long_says_so(tmp_path: Path, documents: list[Document]) -> None:
    Store.create(tmp_path / "s")
    first, second = Store.open(tmp_path / "s"), Store(tmp_path / "s", wait_seconds=0.1)

    def slow() -> Any:
        with pytest.raises(StoreError, match=r"another process has been writing for 0\.1 seconds; try again later"):
            second.write(documents)
        yield from documents

    first.write(slow())
    assert second.stats().n_docs == 9
    assert second.write(documents).n_updated == 9


def test_a_full_disk_is_named_and_loses_nothing(tmp_path: Path, documents: list[Document]) -> None:
    store = Store.create(tmp_path / "s")
    store.write(documents)
    code = (
        "import resource, signal, sys\n"
        "from qtie.document import Document\nfrom qtie.retrieval.store import Store\n"
        "from qtie.errors import StoreError\n"
        "store = Store.open(sys.argv[1])\n"
        "signal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (200_000, 200_000))\n"
        "import random; rng = random.Random(0)\n"
        "texts = [' '.join(str(rng.random()) for _ in range(20_000)) for _ in range(5)]\n"
        "try:\n    store.write(Document(doc_id=str(at), text=text) for at, text in enumerate(texts))\n"
        "except StoreError as error:\n    print(error)\n"
    )
    output = subprocess.run([sys.executable, "-c", code, str(tmp_path / "s")], capture_output=True, text=True)
    assert output.stdout.startswith(f"{tmp_path / 's'}: "), output
    assert "what was written before is kept" in output.stdout
    assert store.documents([document.doc_id for document in documents]) == documents
    assert store.write([Document(doc_id="after", text="x")]) == (1, 0)


def test_a_folder_that_cannot_be_written(tmp_path: Path, documents: list[Document]) -> None:
    with pytest.raises(StoreError, match=r"^/proc/nowhere: "):
        Store.create("/proc/nowhere")


def test_large_texts_and_far_dates(tmp_path: Path) -> None:
    store = Store.create(tmp_path / "s")
    eras = (TimeInterval(-62_000_000_000, None), TimeInterval(None, 2**50))
    far = Document(doc_id="far", text="ice", times={"event": tuple(DocumentTime(interval=era) for era in eras)})
    long = Document(doc_id="long", text="needle " + "hay " * 2_500_000)
    store.write([far, long])
    assert store.documents(["far", "long"]) == [far, long]
    assert [ranked.doc_id for ranked in StoreSearcher(store).search("needle")] == ["long"]


def test_an_index_that_was_not_finished_is_searched_all_the_same(tmp_path: Path, documents: list[Document]) -> None:
    from qtie.retrieval.store.schema import to_arrow

    store = Store.create(tmp_path / "s")
    store.snapshot().add(to_arrow(documents))
    assert store.stats().n_unindexed == 9
    assert StoreSearcher(store).search("treasurer")[0].doc_id == "term"
    update_indices(store.snapshot())
    assert store.stats().n_unindexed == 0
    assert StoreSearcher(store).search("treasurer")[0].doc_id == "term"


def test_the_lock_is_no_part_of_the_store(tmp_path: Path, documents: list[Document]) -> None:
    store = Store.create(tmp_path / "s")
    (tmp_path / "s" / ".writer").unlink()
    assert store.write(documents).n_new == 9


def test_the_table_is_open_to_other_tools(tmp_path: Path, documents: list[Document]) -> None:
    store = Store.create(tmp_path / "s")
    store.write(documents)
    rows = store.snapshot().search().where("time_start > 17000").select(["doc_id"]).to_list()
    assert {row["doc_id"] for row in rows} == {"coarse"}
    assert json.loads(store.snapshot().to_arrow().to_pylist()[0]["times"])
    assert isinstance(store.snapshot().to_arrow(), pa.Table)
