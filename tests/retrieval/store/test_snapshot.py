"""What a snapshot keeps in memory is what its table holds, and a search that uses it ranks as one that does not."""

import random
from collections.abc import AsyncIterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from datetime import date
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("lancedb", reason="needs qtie[store]")

import numpy as np
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from qtie.document import Document
from qtie.intent import TemporalConstraint, TemporalIntent
from qtie.interval import TimeInterval, day_number
from qtie.reranker import TemporalReranker
from qtie.retrieval.filters.time_filter import TimeBounds, TimeClause, TimeFilter
from qtie.retrieval.store import Store, StoreSearcher, snapshot
from qtie.retrieval.store.candidates import Topic, find_candidates
from qtie.retrieval.store.predicate import asked_filter, predicate
from qtie.retrieval.store.schema import FIELDS, WIDE_DAYS
from qtie.retrieval.store.snapshot import Snapshot
from qtie.retrieval.store.store import waited_for
from qtie.tie.grammar import GrammarExtractor

TODAY = date(2025, 6, 15)
WORDS = ["budget", "treaty", "harvest", "election", "flood", "bridge", "school", "strike", "trial", "storm"]
COLUMNS = ["doc_id", "times", "vector"]


class WordCounts:
    """Eight dimensions a word."""

    fingerprint = "counts"

    def encode_queries(self, texts: Sequence[str]) -> NDArray[np.float32]:
        counts = np.array([8 * [0.1 + text.count(word) for word in WORDS] for text in texts], dtype=np.float32)
        return np.asarray(counts / np.linalg.norm(counts, axis=1, keepdims=True), dtype=np.float32)

    encode_documents = encode_queries


def _documents(n: int, seed: int) -> list[Document]:
    rng = random.Random(seed)
    made = []
    for at in range(n):
        year = rng.randint(1990, 2020)
        kinds: list[dict[str, Any]] = [
            {"date": f"{year}-05-07"},
            {"valid_from": str(year), "valid_to": str(year + rng.randint(0, 9))},
            {"valid_from": str(year)},
            {"date": str(year), "born": str(year - 40)},
            {},
        ]
        text = " ".join(rng.choices(WORDS, k=rng.randint(3, 9)))
        made.append(Document.from_record({"_id": f"d{at}", "text": text, "metadata": rng.choice(kinds)}))
    return made


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Store:
    """Written in parts, replaced and deleted from."""
    made = Store.create(tmp_path_factory.mktemp("stores") / "s", encoder=WordCounts())
    documents = _documents(400, seed=1)
    for first in range(0, 400, 100):
        made.write(documents[first : first + 100])
    made.write(documents[50:150:3])
    made.delete(f"d{at}" for at in range(0, 400, 17))
    made.write(_documents(30, seed=2))
    return made


def _snapshot(store: Store, *, kept: bool) -> Snapshot:
    found = Snapshot(store.async_snapshot(), n_dimensions=store.n_dimensions or 0)
    if kept:
        _read(found)
    return found


def _read(found: Snapshot) -> None:
    """Take a row so that the columns are read whole, and wait for them."""
    waited_for(found.take(_row_ids(found)[:1], ["content"]))
    assert found._reading is not None
    found._reading.result(timeout=60)


def _row_ids(found: Snapshot, where: str | None = None) -> Any:
    search = found.table.query().select(["_rowid"]).limit(10_000)
    rows = waited_for((search.where(where) if where else search).to_arrow())
    return np.sort(rows["_rowid"].to_numpy().astype(np.int64))


@pytest.fixture(autouse=True)
def patient(monkeypatch: pytest.MonkeyPatch) -> None:
    """One row read is enough to read all, in parts that are smaller than the store."""
    monkeypatch.setattr(snapshot, "_ROW_COST", 10_000)
    monkeypatch.setattr(snapshot, "_ROWS_AT_ONCE", 64)


@pytest.mark.parametrize("step", [1, -1], ids=["ascending", "descending"])
def test_what_is_kept_is_what_the_table_holds(store: Store, monkeypatch: pytest.MonkeyPatch, step: int) -> None:
    """In whatever order LanceDB reads the rows: that of the parts of a table, which need not be that of their ids."""
    parts = Snapshot._parts

    async def ordered(self: Snapshot, columns: Sequence[str]) -> AsyncIterator[Any]:
        for part in [part async for part in parts(self, columns)][::step]:
            yield part

    monkeypatch.setattr(Snapshot, "_parts", ordered)
    plain, kept = _snapshot(store, kept=False), _snapshot(store, kept=True)
    rows = _row_ids(plain)
    assert len(rows) == plain.n_documents > 300
    for chosen in (rows, rows[::7], rows[:0]):
        expected = waited_for(plain.table.take_row_ids(chosen.tolist()).select(COLUMNS).to_arrow())
        n_read = kept._n_read
        assert waited_for(kept.take(chosen, COLUMNS)).to_pylist() == expected.to_pylist()
        assert kept._n_read == n_read
    assert kept.documents(rows[[3, 1, 2]]) == plain.documents(rows[[3, 1, 2]])


BOUNDS = st.builds(
    lambda year, month, day, offset: day_number(year, month, day) + offset,
    st.integers(1989, 2022),
    st.sampled_from([1, 5]),
    st.sampled_from([1, 7]),
    st.sampled_from([-1, 0, 1, WIDE_DAYS - 1, WIDE_DAYS, WIDE_DAYS + 1]),
)
INTERVALS = st.builds(lambda days: TimeInterval(min(days), max(days)), st.tuples(BOUNDS, BOUNDS)) | st.builds(
    lambda day, is_start: TimeInterval(day, None) if is_start else TimeInterval(None, day), BOUNDS, st.booleans()
)
ALTERNATIVES = st.lists(st.lists(INTERVALS, min_size=1, max_size=2), max_size=2)


@given(st.lists(st.tuples(ALTERNATIVES, st.booleans()), min_size=1, max_size=2))
@settings(max_examples=300, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_memory_and_index_let_the_same_rows_pass(
    kept: Snapshot, clauses: list[tuple[list[list[TimeInterval]], bool]]
) -> None:
    def bounds(intervals: list[TimeInterval]) -> tuple[TimeBounds, ...]:
        return tuple(TimeBounds(fields=FIELDS["any"], interval=interval) for interval in intervals)

    wanted = TimeFilter(
        clauses=tuple(
            TimeClause(alternatives=tuple(map(bounds, alternatives)), dated=FIELDS["any"] if is_dated else None)
            for alternatives, is_dated in clauses
        )
    )
    inside, where = kept.inside(wanted), predicate(wanted)
    rows = _row_ids(kept)
    if where is None:
        assert inside is None
        return
    assert inside is not None
    expected = _row_ids(kept, where)
    assert rows[inside.holds(rows)].tolist() == expected.tolist()
    assert inside.share == pytest.approx(len(expected) / len(rows))


@pytest.fixture(scope="module")
def kept(store: Store) -> Snapshot:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(snapshot, "_ROW_COST", 10_000)
        return _snapshot(store, kept=True)


def test_a_facet_is_left_to_the_index(kept: Snapshot) -> None:
    born = TemporalConstraint(interval=TimeInterval.year(1960), target="born")
    wanted = asked_filter(TemporalIntent(query="x", constraints=(born,)))
    assert predicate(wanted) is not None
    assert kept.inside(wanted) is None


@pytest.mark.parametrize(("most_bytes", "expected"), [(2**28, COLUMNS), (50_000, COLUMNS[:2]), (100, [])])
def test_what_is_too_large_is_not_kept(
    store: Store, monkeypatch: pytest.MonkeyPatch, most_bytes: int, expected: list[str]
) -> None:
    monkeypatch.setattr(snapshot, "_MOST_BYTES", most_bytes)
    found = _snapshot(store, kept=True)
    assert (found._kept.columns.column_names if found._kept else []) == expected
    rows = _row_ids(found)[:5]
    plain = waited_for(found.table.take_row_ids(rows.tolist()).select(COLUMNS).to_arrow())
    assert waited_for(found.take(rows, COLUMNS)).to_pylist() == plain.to_pylist()


def test_nothing_is_read_whole_before_that_is_worth_it(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(snapshot, "_ROW_COST", 20)
    found = _snapshot(store, kept=False)
    rows = _row_ids(found)[: found.n_documents // 20]
    waited_for(found.take(rows, ["doc_id"]))
    assert found._reading is None
    waited_for(found.take(rows[:1], ["doc_id"]))
    assert found._reading is not None


def test_what_cannot_be_kept_is_read_row_by_row(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(_: Any) -> Any:
        raise RuntimeError("corrupt")

    monkeypatch.setattr(snapshot, "as_matrix", broken)
    found = _snapshot(store, kept=False)
    with pytest.raises(RuntimeError, match="corrupt"):
        _read(found)
    assert waited_for(found.take(_row_ids(found)[:2], COLUMNS)).num_rows == 2


QUERIES = [
    "budget flood in 2003", "storm since 2015", "latest strike", "trial", "harvest in May 1995", "treaty born 1960",
]  # fmt: skip


@pytest.mark.parametrize("retriever", ["bm25", "dense", "hybrid"])
def test_memory_changes_no_ranking(store: Store, retriever: str) -> None:
    def searched(*, kept: bool) -> list[list[tuple[str, float]]]:
        searcher = StoreSearcher(
            store, reranker=TemporalReranker(GrammarExtractor()), retriever=retriever, n_candidates=8
        )
        monkeypatch.setattr(snapshot, "_ROW_COST", 10_000 if kept else 0)
        if kept:
            _read(searcher._view)
        rankings = [searcher.search(query, reference_date=TODAY, k=7) for query in QUERIES]
        assert (searcher._view._kept is not None) == kept
        return [[(place.doc_id, place.score) for place in ranking] for ranking in rankings]

    with pytest.MonkeyPatch.context() as monkeypatch:
        assert searched(kept=True) == searched(kept=False)


def test_a_topic_of_another_time_is_searched_inside_the_asked_one(tmp_path: Path) -> None:
    store = Store.create(tmp_path / "s")
    texts = [("flood flood", 2010)] * 300 + [("flood and more", 1995)] * 20 + [("storm", 1995)] * 300
    store.write(
        Document.from_record({"_id": str(at), "text": text, "date": str(year)}) for at, (text, year) in enumerate(texts)
    )
    found, year = _snapshot(store, kept=True), TemporalConstraint(interval=TimeInterval.year(1995))
    wanted = asked_filter(TemporalIntent(query="x", constraints=(year,)))
    inside = found.inside(wanted)
    assert inside is not None
    assert inside.share > 0.5
    candidates = waited_for(find_candidates(found, Topic(text="flood"), wanted, n=10, columns=["doc_id"], fill=False))
    assert candidates.n_inside == 10
    assert len(candidates.rows) == 20


def test_many_threads_search_while_the_columns_are_read(store: Store) -> None:
    searcher = StoreSearcher(store, reranker=TemporalReranker(GrammarExtractor()), retriever="hybrid")
    expected = [searcher.search(query, reference_date=TODAY) for query in QUERIES]
    searcher = StoreSearcher(store, reranker=TemporalReranker(GrammarExtractor()), retriever="hybrid")
    with ThreadPoolExecutor(6) as threads:
        found = list(threads.map(lambda query: searcher.search(query, reference_date=TODAY), QUERIES * 4))
    assert searcher._view._reading is not None
    assert [[place.doc_id for place in ranking] for ranking in found] == [
        [place.doc_id for place in ranking] for ranking in expected * 4
    ]
