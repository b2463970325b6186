"""A search in a store ranks as scoring every document does, says what it asked of the index, and keeps R1 to R12."""

import random
from collections.abc import Sequence
from datetime import date
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("lancedb", reason="needs qtie[store]")

from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from qtie.allen import AllenRelation
from qtie.document import Document
from qtie.errors import ConfigError, StoreError
from qtie.intent import TemporalConstraint, TemporalIntent
from qtie.interval import Granularity, TimeInterval
from qtie.reranker import TemporalReranker
from qtie.retrieval.dense import DenseRetriever
from qtie.retrieval.hybrid import make_retriever
from qtie.retrieval.pool import Pool
from qtie.retrieval.search import NO_MATCH, TemporalSearcher
from qtie.retrieval.store import Store, StoreSearcher
from qtie.retrieval.store.predicate import asked_filter, predicate
from qtie.tie.grammar import GrammarExtractor

TODAY = date(2025, 6, 15)
WORDS = ["budget", "treaty", "harvest", "election", "flood", "bridge", "school", "strike", "trial", "storm"]


def _documents(n: int, seed: int = 0) -> list[Document]:
    rng = random.Random(seed)
    made = []
    for at in range(n):
        text = " ".join(rng.choices(WORDS, k=rng.randint(3, 9)))
        year, month = rng.randint(1990, 2020), rng.randint(1, 12)
        kinds: list[dict[str, Any]] = [
            {"date": str(year)},
            {"date": f"{year}-{month:02}-{rng.randint(1, 28):02}"},
            {"valid_from": str(year), "valid_to": str(year + rng.randint(0, 9))},
            {"valid_from": f"{year}-{month:02}"},
            {},
            {"date": f"{year}-{month:02}", "born": str(year - 40)},
        ]
        if rng.random() < 0.3:
            text += f" Born: {rng.randint(1, 28)} May {year - rng.randint(20, 60)}."
        made.append(Document.from_record({"_id": f"d{at}", "text": text, "metadata": rng.choice(kinds)}))
    return made


@pytest.fixture(scope="module")
def pool() -> Pool:
    return Pool(_documents(400))


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory, pool: Pool) -> Store:
    made = Store.create(tmp_path_factory.mktemp("stores") / "s")
    made.write(pool.documents)
    return made


def _all_scores(store: Store, text: str, pool: Pool) -> Any:
    """BM25 of every document, from the same index without limit."""
    import numpy as np
    from lancedb.query import MatchQuery

    found = store.snapshot().search(MatchQuery(text, "content"), query_type="fts").limit(1000).to_list()
    by_id = {row["doc_id"]: row["_score"] for row in found}
    return np.array([by_id.get(document.doc_id, 0.0) for document in pool.documents])


def _exhaustive(store: Store, pool: Pool, reranker: TemporalReranker, intent: TemporalIntent, k: int) -> list[str]:
    semantic = _all_scores(store, pool.semantic_query(intent), pool)
    result = reranker.fuse(intent, semantic, pool.columns_for(intent), normalization="bm25")
    order = pool.order(result.fused, semantic)
    return [pool.documents[at].doc_id for at in order if result.kept[at]][:k]


QUERIES = [
    "budget in 2003", "treaty since 2015", "harvest before 1995", "strike between 1999 and 2001", "flood in March 2010",
    "school trial until 1992", "election not in 2005", "bridge storm in the 1990s", "latest budget",
    "election in 2004 or 2014", "storm born in 1950", "trial born before 1960",
]  # fmt: skip


@pytest.mark.parametrize("query", QUERIES)
@pytest.mark.parametrize("options", [{}, {"missing": "penalize"}, {"missing": "drop"}, {"mode": "strict"}], ids=str)
def test_ranks_as_scoring_all_documents_does(store: Store, pool: Pool, query: str, options: dict[str, Any]) -> None:
    reranker = TemporalReranker(GrammarExtractor(), **options)
    searcher = StoreSearcher(store, reranker=reranker, n_candidates=10)
    ranking = searcher.search(query, reference_date=TODAY, k=5)
    assert ranking.intent.is_temporal
    expected = _exhaustive(store, pool, reranker, ranking.intent, 5)
    assert [ranked.doc_id for ranked in ranking] == expected
    assert list(dict(searcher.run({"q": query}, k=5, reference_dates={"q": TODAY}))["q"]) == expected


INTERVALS = st.builds(
    lambda start, days: TimeInterval(start, start + days), st.integers(7000, 19_000), st.integers(0, 3000)
) | st.sampled_from([TimeInterval(12_000, None), TimeInterval(None, 9_000), TimeInterval()])


@st.composite
def intents(draw: st.DrawFn) -> TemporalIntent:
    constraints = draw(
        st.lists(
            st.builds(
                TemporalConstraint,
                interval=INTERVALS,
                relation=st.just("intersects") | st.sampled_from(list(AllenRelation)),
                target=st.sampled_from(["any", "start", "end", "born", "published", "validity"]),
                granularity=st.sampled_from([Granularity.DAY, Granularity.MONTH, Granularity.YEAR]),
                negated=st.booleans(),
                confidence=st.sampled_from([1.0, 0.6]),
            ),
            min_size=1,
            max_size=2,
        )
    )
    return TemporalIntent(
        query="budget treaty",
        constraints=tuple(constraints),
        preference=draw(st.none() | st.sampled_from(["latest", "earliest"])),
        reference_date=TODAY,
    )


FIRST_OF_TWO_TIMES = TemporalIntent(
    query="budget treaty",
    constraints=(
        TemporalConstraint(interval=TimeInterval(12_000, None), target="born", negated=True),
        TemporalConstraint(
            interval=TimeInterval(7000, 7710), relation=AllenRelation.AFTER, target="start", negated=True
        ),
    ),
    preference="earliest",
    reference_date=TODAY,
)
"""The first by its start may be one that is outside by its birth."""


@given(intents())
@example(FIRST_OF_TWO_TIMES)
@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_no_intent_loses_a_document_to_the_predicate(store: Store, pool: Pool, intent: TemporalIntent) -> None:
    reranker = TemporalReranker(GrammarExtractor())
    found = StoreSearcher(store, reranker=reranker, n_candidates=10).search("", intent=intent, k=5)
    assert [ranked.doc_id for ranked in found] == _exhaustive(store, pool, reranker, intent, 5)


@given(INTERVALS)
@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_the_predicate_keeps_all_that_may_share_a_day(store: Store, pool: Pool, interval: TimeInterval) -> None:
    intent = TemporalIntent(
        query="x", constraints=(TemporalConstraint(interval=interval, granularity=Granularity.DAY),)
    )
    condition = predicate(asked_filter(intent))
    search = store.snapshot().search().select(["doc_id"])
    found = (search.where(condition) if condition else search).limit(None).to_arrow()["doc_id"].to_pylist()
    kept = {
        document.doc_id
        for document in pool.documents
        if not document.times or any(time.interval.overlaps(interval) for time in document.times.get("timestamp", ()))
    }
    assert kept <= set(found)


def test_where_no_word_is_shared_time_decides(store: Store, pool: Pool) -> None:
    reranker = TemporalReranker(GrammarExtractor())
    ranking = StoreSearcher(store, reranker=reranker).search("unheard words in 2012", reference_date=TODAY, k=5)
    assert [ranked.doc_id for ranked in ranking] == _exhaustive(store, pool, reranker, ranking.intent, 5)
    assert ranking.notes[0] == f"{NO_MATCH}: ranked by time alone"
    assert not any(NO_MATCH in note for note in StoreSearcher(store).search("budget in 2012", k=5).notes)
    assert StoreSearcher(store).search("unheard words").notes == (NO_MATCH,)


def test_the_documents_are_whole_and_explained(tmp_path: Path, documents: list[Document]) -> None:
    store = Store.create(tmp_path / "s")
    store.write(documents)
    reranker = TemporalReranker(GrammarExtractor())
    ranking = StoreSearcher(store, reranker=reranker).search("budget passed in 2016", reference_date=TODAY, k=3)
    assert ranking[0].document == documents[0]
    assert ranking[0].temporal_score == 1.0
    text = ranking.explain()
    assert "predicate: time_start/time_end in 2014-12-31/2018-01-01 or unknown; 4 candidates inside" in text
    assert "asked: 2016-01-01/2016-12-31" in text


def test_too_little_inside_is_said(tmp_path: Path, documents: list[Document]) -> None:
    store = Store.create(tmp_path / "s")
    store.write(documents)
    searcher = StoreSearcher(store, reranker=TemporalReranker(GrammarExtractor()))
    ranking = searcher.search("treasurer in 1950", reference_date=TODAY, k=2)
    assert "fewer than 2: searched without it as well" in ranking.notes[0]
    assert ranking[0].doc_id == "term"


def test_without_a_time_the_order_is_that_of_bm25(store: Store, pool: Pool) -> None:
    searcher = StoreSearcher(store, reranker=TemporalReranker(GrammarExtractor()), n_candidates=10)
    ranking = searcher.search("budget treaty", k=7)
    scores = _all_scores(store, "budget treaty", pool)
    best = pool.order(scores, scores)[:7]
    assert [ranked.doc_id for ranked in ranking] == [pool.documents[at].doc_id for at in best]
    assert [ranked.score for ranked in ranking] == pytest.approx(scores[best].tolist())
    assert ranking.notes == ()
    assert list(searcher.search("no such words")) == []


def test_the_whole_query_is_asked_where_many_documents_have_no_time(tmp_path: Path) -> None:
    store = Store.create(tmp_path / "s")
    store.write(Document(doc_id=str(year), text=f"the budget of {year}") for year in range(2000, 2010))
    searcher = StoreSearcher(store, reranker=TemporalReranker(GrammarExtractor()))
    assert searcher.search("budget in 2004", reference_date=TODAY)[0].doc_id == "2004"


def test_undated_documents_are_estimated_from_their_texts(tmp_path: Path) -> None:
    store = Store.create(tmp_path / "s")
    store.write(Document(doc_id=str(year), text=f"Budget {year}\nThe budget passed.") for year in range(2000, 2010))
    reranker = TemporalReranker(GrammarExtractor(), missing="estimate")
    best = StoreSearcher(store, reranker=reranker).search("budget in 2004", reference_date=TODAY)[0]
    assert (best.doc_id, str(best.time)) == ("2004", "2004-01-01/2004-12-31")


def test_the_callers_interval_only_tightens(store: Store) -> None:
    searcher = StoreSearcher(store, reranker=TemporalReranker(GrammarExtractor(), mode="strict"))
    inside = TimeInterval.years(2003, 2004)
    ranking = searcher.search("budget since 2000", reference_date=TODAY, interval=inside)
    assert ranking
    assert all(ranked.time is None or ranked.time.overlaps(inside) for ranked in ranking)


def test_a_search_sees_what_was_written_meanwhile(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("qtie.retrieval.store.searching._REFRESH_SECONDS", 0.0)
    store = Store.create(tmp_path / "s")
    searcher = StoreSearcher(store, reranker=TemporalReranker(GrammarExtractor()))
    assert list(searcher.search("comet in 1910")) == []
    Store.open(tmp_path / "s").write([Document.from_record({"_id": "a", "text": "comet", "date": "1910"})])
    assert [ranked.doc_id for ranked in searcher.search("comet in 1910")] == ["a"]
    store.delete(["a"])
    assert list(searcher.search("comet in 1910")) == []


@pytest.fixture(params=[1, 10_000], ids=["indexed", "compared"])
def dense_store(
    tmp_path: Path, pool: Pool, hash_encoder: Any, request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch
) -> Store:
    """Vectors with an index, and without one."""
    monkeypatch.setattr("qtie.retrieval.store.writing._LEAST_VECTORS", request.param)
    made = Store.create(tmp_path / "dense", encoder=hash_encoder)
    made.write(pool.documents)
    is_indexed = "vector_idx" in [index.name for index in made.snapshot().list_indices()]
    assert is_indexed == (request.param == 1)
    return made


@pytest.mark.parametrize("retriever", ["dense", "hybrid", "bm25"])
def test_vectors_and_words_give_what_mixing_all_documents_gives(
    dense_store: Store, pool: Pool, hash_encoder: Any, retriever: str
) -> None:
    import numpy as np

    reranker = TemporalReranker(GrammarExtractor())
    searcher = StoreSearcher(dense_store, reranker=reranker, retriever=retriever, n_candidates=20)
    for query in ("budget flood in 2003", "storm since 2015", "latest strike", "trial"):
        ranking = searcher.search(query, reference_date=TODAY, k=5)
        text = pool.semantic_query(ranking.intent)
        words = _all_scores(dense_store, text, pool)
        texts = [document.text for document in pool.documents]
        cosines = hash_encoder.encode_queries(texts) @ hash_encoder.encode_queries([text])[0]
        scaled = (cosines - cosines.min()) / (cosines.max() - cosines.min())
        mixed = 0.3 * words / words.max() + 0.7 * scaled
        semantic = {"dense": cosines, "hybrid": mixed, "bm25": words}[retriever].astype(np.float64)
        expected = semantic
        if ranking.intent.is_temporal:
            normalization = "bm25" if retriever == "bm25" else "corpus"
            columns = pool.columns_for(ranking.intent)
            expected = reranker.fuse(ranking.intent, semantic, columns, normalization=normalization).fused
        place = {document.doc_id: at for at, document in enumerate(pool.documents)}
        found = [expected[place[ranked.doc_id]] for ranked in ranking]
        assert found == pytest.approx(sorted(expected, reverse=True)[:5], abs=1e-5)
        shown = np.exp(found) if ranking.intent.is_temporal else found
        assert [ranked.score for ranked in ranking] == pytest.approx(list(shown), abs=1e-4)


@pytest.mark.parametrize("query", ["budget flood in 2003", "storm before 1999", "latest strike", "trial and treaty"])
def test_dense_scores_are_those_of_a_search_in_memory(
    dense_store: Store, pool: Pool, hash_encoder: Any, query: str
) -> None:
    reranker = TemporalReranker(GrammarExtractor())
    stored = StoreSearcher(dense_store, reranker=reranker, retriever="dense", n_candidates=20)
    memory = TemporalSearcher(pool.documents, DenseRetriever(pool.documents, hash_encoder), reranker=reranker)
    found, expected = (searcher.search(query, reference_date=TODAY, k=20) for searcher in (stored, memory))
    assert found.method == expected.method
    assert [place.score for place in found] == pytest.approx([place.score for place in expected], abs=1e-4)
    assert found[0].semantic_score == pytest.approx(expected[0].semantic_score, abs=1e-4)


@pytest.mark.parametrize("dense_store", [10_000], indirect=True, ids=["compared"])
def test_a_row_that_the_vector_index_underestimates_is_found(
    dense_store: Store, pool: Pool, hash_encoder: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    import numpy as np

    from qtie.retrieval.store import candidates

    nearest = candidates._nearest

    async def estimated(table: Any, vector: Any, where: str | None, n: int) -> Any:
        """As an index that is wrong by up to 0.2 finds them."""
        found = await nearest(table, vector, where, 10_000)
        errors = 0.2 * np.sin(found["_rowid"].to_numpy().astype(float))
        estimates = (found["_distance"].to_numpy() + errors).astype(np.float32)
        column = found.column_names.index("_distance")
        return found.set_column(column, "_distance", [estimates]).sort_by("_distance").slice(0, n)

    monkeypatch.setattr(candidates, "_nearest", estimated)
    searcher = StoreSearcher(dense_store, retriever="dense", n_candidates=10)
    for query in WORDS:
        found = [place.score for place in searcher.search(query, k=5)]
        cosines = DenseRetriever(pool.documents, hash_encoder).scores(query)
        assert found == pytest.approx(sorted(cosines, reverse=True)[:5], abs=1e-5)


class Listening:
    """Another encoder, which keeps what it was asked; it is told whether it reads time."""

    def __init__(self, encoder: Any, *, reads_time: bool) -> None:
        self._encoder, self.reads_time, self.asked = encoder, reads_time, list[str]()
        self.fingerprint: str = encoder.fingerprint
        self.encode_documents = encoder.encode_documents

    def encode_queries(self, texts: Sequence[str]) -> Any:
        self.asked += texts
        return self._encoder.encode_queries(texts)


@pytest.mark.parametrize(
    ("retriever", "reads_time", "asked"),
    [
        ("dense", False, "budget"),
        ("hybrid", False, "budget"),
        ("dense", True, "budget in 2019"),
        ("hybrid", True, "budget in 2019"),
        ("tsm", False, "budget in 2019"),
        ("tscontriever", False, "budget in 2019"),
    ],
)
def test_what_reads_time_is_asked_the_whole_query(
    tmp_path: Path, hash_encoder: Any, retriever: str, reads_time: bool, asked: str
) -> None:
    records = ({"_id": year, "text": f"budget {year}", "date": year} for year in ("2016", "2019"))
    documents = list(map(Document.from_record, records))
    store = Store.create(tmp_path / "s", encoder=hash_encoder)
    store.write(documents)
    encoder, reranker = Listening(hash_encoder, reads_time=reads_time), TemporalReranker(GrammarExtractor())
    stored = Store.open(tmp_path / "s", encoder=encoder)
    assert StoreSearcher(stored, reranker=reranker, retriever=retriever).search("budget in 2019")[0].doc_id == "2019"
    in_memory = make_retriever(retriever, documents, encoder=encoder)
    TemporalSearcher(documents, in_memory, reranker=reranker).search("budget in 2019")
    assert encoder.asked == [asked, asked]


@pytest.mark.parametrize("retriever", ["bm25", "dense", "hybrid"])
def test_an_empty_store_is_searched(tmp_path: Path, hash_encoder: Any, retriever: str) -> None:
    store = Store.create(tmp_path / "s", encoder=hash_encoder)
    searcher = StoreSearcher(store, reranker=TemporalReranker(GrammarExtractor()), retriever=retriever)
    for query in ("budget in 2003", "budget"):
        ranking = searcher.search(query)
        assert (list(ranking), ranking.notes[0]) == ([], NO_MATCH)


def test_wrong_options_are_named(store: Store, dense_store: Store) -> None:
    names = "bm25, dense, hybrid, tscontriever, tsm"
    with pytest.raises(ConfigError, match=f"a store's retriever must be one of {names}, not 'tempretriever'"):
        StoreSearcher(store, retriever="tempretriever")
    with pytest.raises(StoreError, match="has no vectors for hybrid retrieval"):
        StoreSearcher(store, retriever="hybrid")
    with pytest.raises(ConfigError, match="dense_weight"):
        StoreSearcher(dense_store, dense_weight=2.0)
    with pytest.raises(ConfigError, match="k must be at least 1"):
        StoreSearcher(store).search("x", k=0)
    with pytest.raises(ConfigError, match="n_candidates"):
        StoreSearcher(store, n_candidates=0)
