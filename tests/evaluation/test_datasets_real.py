"""The data sets as they lie beside the repository: what is loaded, and that it is what its source says."""

import json
import time
from collections import Counter
from pathlib import Path

import pytest

from qtie.evaluation.datasets import (
    DATASETS,
    Dataset,
    dataset_fingerprint,
    describe,
    load_beir,
    load_dataset,
    with_text_times,
)
from qtie.evaluation.datasets.expressions import stated_time
from qtie.evaluation.datasets.situatedqa import read_temporal_dependence
from qtie.interval import TimeInterval

REPOSITORY = Path(__file__).resolve().parents[2]
DATA = REPOSITORY.parent / "shared" / "data"
FRAMES = REPOSITORY / "benchmarks" / "data" / "nobel_frames.jsonl"
BROUGHT_BY_USERS = {"temprageval", "chroniclingamericaqa"}
NAMES = sorted(DATASETS.keys() - BROUGHT_BY_USERS)

pytestmark = pytest.mark.skipif(not DATA.is_dir(), reason=f"the data sets are not at {DATA}")


@pytest.fixture(scope="module")
def loaded() -> dict[str, tuple[Dataset, float]]:
    """Each data set with the seconds that loading it took."""
    found = {}
    for name in NAMES:
        started = time.perf_counter()
        dataset = load_dataset(name, DATA, frames=FRAMES)
        found[name] = (dataset, time.perf_counter() - started)
    return found


@pytest.mark.parametrize("name", NAMES)
def test_every_query_is_judged_and_labelled(name: str, loaded: dict[str, tuple[Dataset, float]]) -> None:
    dataset, seconds = loaded[name]
    assert dataset.name == name
    assert seconds < 60  # 6 s where nothing else runs
    assert {query.query_id for query in dataset.queries} == dataset.qrels.keys()
    assert all(any(judged.values()) for judged in dataset.qrels.values())
    for query in dataset.queries:
        assert query.expression, query
        assert query.subset in ("simple", "complex", None), query
        assert not (query.atemporal and query.interval), query
    counts = describe(dataset)
    assert counts["documents"] == len(dataset.documents)
    assert sum(counts["subsets"].values()) == sum(counts["expressions"].values()) == len(dataset.queries)
    assert counts["dated_share"] == 0 if name in ("timeqa", "temprageval-draft") else counts["dated_share"] > 0.7
    json.dumps(counts)


@pytest.mark.parametrize("name", ["nobel", "nobel-complex"])
def test_the_gold_interval_and_relevance_agree(name: str, loaded: dict[str, tuple[Dataset, float]]) -> None:
    dataset, _ = loaded[name]
    awarded = {document.doc_id: document.times["timestamp"][0].interval for document in dataset.documents}
    for query in dataset.queries:
        if query.metadata["axis"] == "award_year":
            assert query.interval is not None
            assert all(awarded[doc_id].overlaps(query.interval) for doc_id in dataset.qrels[query.query_id])


def test_nobel_is_simple_and_its_rewrites_complex(loaded: dict[str, tuple[Dataset, float]]) -> None:
    simple, complex_ = loaded["nobel"][0], loaded["nobel-complex"][0]
    assert len(simple.documents) == 989
    assert {query.subset for query in simple.queries} == {"simple"}
    assert {query.subset for query in complex_.queries} == {"complex"}
    assert complex_.qrels == simple.qrels
    for before, after in zip(simple.queries, complex_.queries, strict=True):
        assert (after.query_id, after.interval) == (before.query_id, before.interval)
        assert after.metadata["simple"] == before.text != after.text
    beir = load_beir(DATA / "nobel_prize")
    assert [query.text for query in beir.queries] == [query.text for query in simple.queries]


def test_timeqa_has_no_document_time_until_it_is_read_from_the_text(loaded: dict[str, tuple[Dataset, float]]) -> None:
    dataset, _ = loaded["timeqa"]
    assert 0.7 < dataset.metadata["answerable"] < 0.95
    assert all(any(query.metadata["answers"]) for query in dataset.queries)
    for query in dataset.queries:  # an easy question asks for the very days of its fact
        if query.metadata["level"] == "easy" and query.interval:
            assert str(query.interval) == query.metadata["fact_interval"]
    some = Dataset(
        name="some",
        documents=dataset.documents[:300],
        queries=dataset.queries[:1],
        qrels={dataset.queries[0].query_id: {dataset.documents[0].doc_id: 1}},
    )
    assert 0.3 < describe(with_text_times(some))["dated_share"] < 1


def test_tempreason_facts_hold_in_the_month_asked_for(loaded: dict[str, tuple[Dataset, float]]) -> None:
    dataset, _ = loaded["tempreason"]
    validity = {document.doc_id: document.times["validity"][0] for document in dataset.documents}
    assert any(time.interval.end is None for time in validity.values())  # "to Dec, 2022" still holds
    for query in dataset.queries:
        assert query.interval is not None
        assert query.interval.granularity.name == "MONTH"
        assert all(validity[doc_id].interval.overlaps(query.interval) for doc_id in dataset.qrels[query.query_id])


def test_situatedqa_documents_are_made_and_hold_at_the_date(loaded: dict[str, tuple[Dataset, float]]) -> None:
    dataset, _ = loaded["situatedqa"]
    assert "made" in dataset.metadata["documents"]
    assert dataset.metadata["judged"] > 0.9
    by_id = {document.doc_id: document for document in dataset.documents}
    for query in dataset.queries:
        assert query.interval is not None
        assert query.interval.start is None
        for doc_id in dataset.qrels[query.query_id]:
            assert by_id[doc_id].times["validity"][0].interval.overlaps(query.interval)
            assert not set(by_id[doc_id].metadata["answers"]).isdisjoint(query.metadata["answers"])


def test_questions_that_depend_on_no_time_and_state_none_are_atemporal() -> None:
    queries = read_temporal_dependence(DATA / "situatedqa")
    atemporal = [query for query in queries if query.atemporal]
    assert 1000 < len(atemporal) < len(queries)
    assert all(query.expression == "none" and not query.metadata["time_dependent"] for query in atemporal)


def test_the_draft_leaves_out_items_without_a_specifier(loaded: dict[str, tuple[Dataset, float]]) -> None:
    dataset, _ = loaded["temprageval-draft"]
    assert "draft" in dataset.metadata["status"]
    assert len(dataset.queries) == 105
    found_in_paragraphs = [q for q, judged in dataset.qrels.items() if any("#" in doc_id for doc_id in judged)]
    assert 20 < len(found_in_paragraphs) < 105


def test_graph_sets_say_how_many_questions_could_be_judged(loaded: dict[str, tuple[Dataset, float]]) -> None:
    for name in ("timequestions", "multitq"):
        dataset, _ = loaded[name]
        assert 0.1 < dataset.metadata["judged"] < 0.9
        times = {
            document.doc_id: [t for given in document.times.values() for t in given] for document in dataset.documents
        }
        for query in dataset.queries:
            for doc_id in dataset.qrels[query.query_id]:
                assert (
                    query.interval is None
                    or not times[doc_id]
                    or any(time.interval.overlaps(query.interval) for time in times[doc_id])
                )


def test_tdbench_keeps_the_candidates_and_relations_of_its_sql(loaded: dict[str, tuple[Dataset, float]]) -> None:
    dataset, _ = loaded["tdbench"]
    assert len({query.expression for query in dataset.queries}) == 13
    assert all(set(dataset.qrels[q.query_id]) <= set(dataset.candidates[q.query_id]) for q in dataset.queries)
    subsets = Counter(query.subset for query in dataset.queries)
    assert min(subsets["simple"], subsets["complex"]) > 300


def test_words_and_sql_agree_on_plain_questions(loaded: dict[str, tuple[Dataset, float]]) -> None:
    """The words "after D" and the SQL behind them: a check of the labels from outside."""
    dataset, _ = loaded["tdbench"]
    after = [q for q in dataset.queries if q.expression == "after" and " after " in q.text and q.subset == "simple"]
    agreeing = [query for query in after if stated_time(query.text).interval == query.interval]
    assert len(after) > 100
    assert len(agreeing) / len(after) > 0.85


def test_the_fingerprint_names_every_file() -> None:
    found = dataset_fingerprint("temprageval-draft", DATA)
    assert {"temprageval_draft/items.jsonl", "timeqa/human_corpus.jsonl.gz"} <= found.keys()
    assert found["temprageval_draft/items.jsonl"].startswith("0c3f78c16f55")
    assert dataset_fingerprint("sample", DATA) == {}


def test_the_sample_states_what_its_queries_ask_for() -> None:
    queries = {query.query_id: query for query in load_dataset("sample", DATA).queries}
    assert queries["q001"].interval == TimeInterval.year(2012)
    assert (queries["q003"].expression, queries["q003"].subset) == ("before", "simple")
    assert queries["q005"].subset == "complex"
    assert all(query.subset is None for query in queries.values() if query.atemporal)
