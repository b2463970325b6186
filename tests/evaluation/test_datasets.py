import json
from datetime import date
from pathlib import Path

import pytest

from qtie.document import Document
from qtie.errors import DocumentError, EvaluationError
from qtie.evaluation.datasets import (
    Dataset,
    Query,
    describe,
    load_beir,
    load_sample,
    load_tdbench,
    read_queries,
    with_text_times,
)
from qtie.evaluation.measures import evaluate
from qtie.reranker import TemporalReranker
from qtie.retrieval.bm25 import Bm25Retriever
from qtie.retrieval.search import TemporalSearcher


def write_lines(path: Path, *records: object) -> None:
    path.write_text("".join(json.dumps(record) + "\n" for record in records))


@pytest.fixture
def beir(tmp_path: Path) -> Path:
    folder = tmp_path / "small"
    (folder / "qrels").mkdir(parents=True)
    write_lines(
        folder / "corpus.jsonl",
        {"_id": "d1", "title": "T", "text": "x", "metadata": {"timestamp": "2019"}},
        {"_id": "d2", "text": "y"},
    )
    write_lines(
        folder / "queries.jsonl",
        {"_id": "q1", "text": "what was x", "metadata": {"reference_date": "2020-05-01"}, "kind": "a"},
        {"_id": "q2", "text": "not judged"},
    )
    (folder / "qrels" / "test.tsv").write_text("query-id\tcorpus-id\tscore\nq1\td1\t1\n")
    return folder


def test_beir(beir: Path) -> None:
    dataset = load_beir(beir)
    assert dataset.name == "small"
    assert [document.doc_id for document in dataset.documents] == ["d1", "d2"]
    assert str(dataset.documents[0].times["timestamp"][0].interval) == "2019-01-01/2019-12-31"
    metadata = {"kind": "a", "reference_date": "2020-05-01"}
    expected = Query(query_id="q1", text="what was x", reference_date=date(2020, 5, 1), metadata=metadata)
    assert dataset.queries == (expected,)
    assert dataset.qrels == {"q1": {"d1": 1}}
    assert not dataset.candidates


def test_another_split(beir: Path) -> None:
    (beir / "qrels" / "dev.tsv").write_text("q2\td2\t1\n")
    assert load_beir(beir, split="dev").qrels == {"q2": {"d2": 1}}


@pytest.mark.parametrize("name", ["corpus.jsonl", "queries.jsonl", "qrels/test.tsv"])
def test_a_missing_file_is_named(beir: Path, name: str) -> None:
    (beir / name).unlink()
    with pytest.raises(EvaluationError, match=f"no file {name}"):
        load_beir(beir)


@pytest.mark.parametrize(
    ("qrels", "message"),
    [("q9\td1\t1\n", "the qrels judge query 'q9', which is not there"), ("q1\td9\t1\n", "query 'q1' names 'd9'")],
)
def test_unknown_ids(beir: Path, qrels: str, message: str) -> None:
    (beir / "qrels" / "test.tsv").write_text(qrels)
    with pytest.raises(EvaluationError, match=message):
        load_beir(beir)


def test_duplicate_ids(beir: Path) -> None:
    documents = (Document(doc_id="d", text=""), Document(doc_id="d", text=""))
    with pytest.raises(EvaluationError, match="doc_id 'd' stands there twice"):
        Dataset(name="x", documents=documents, queries=(), qrels={})
    query = Query(query_id="q", text="")
    with pytest.raises(EvaluationError, match="query_id 'q' stands there twice"):
        Dataset(name="x", documents=documents[:1], queries=(query, query), qrels={})
    write_lines(beir / "corpus.jsonl", {"_id": "d1", "text": "x"}, {"_id": "d1", "text": "x"})
    with pytest.raises(DocumentError, match="d1"):
        load_beir(beir)


@pytest.mark.parametrize("qrels", [{}, {"q": {}}])
def test_nothing_judged(qrels: dict[str, dict[str, int]]) -> None:
    with pytest.raises(EvaluationError, match="x: no judgements"):
        Dataset(name="x", documents=(), queries=(Query(query_id="q", text=""),), qrels=qrels)


def test_an_unknown_candidate() -> None:
    document, query = Document(doc_id="d", text=""), Query(query_id="q", text="")
    with pytest.raises(EvaluationError, match="query 'q' names 'e', not in the corpus"):
        Dataset(name="x", documents=(document,), queries=(query,), qrels={"q": {"d": 1}}, candidates={"q": ("d", "e")})


def test_counts_and_times_from_the_text(beir: Path) -> None:
    dataset = load_beir(beir)
    assert describe(dataset) == {
        "documents": 2,
        "queries": 1,
        "relevant_per_query": 1.0,
        "candidates_per_query": None,
        "dated_share": 0.5,
        "interval_share": 0.0,
        "atemporal_share": 0.0,
        "subsets": {"unknown": 1},
        "expressions": {"unknown": 1},
        "metadata": {},
    }
    write_lines(
        beir / "corpus.jsonl",
        {"_id": "d1", "text": "Opened in May 1911.", "date": 2019},
        {"_id": "d2", "text": "Closed in 1912."},
    )
    first, second = with_text_times(load_beir(beir)).documents
    assert {facet: str(times[0].interval) for facet, times in first.times.items()} == {
        "timestamp": "2019-01-01/2019-12-31"
    }
    assert str(second.times["focus_time"][0].interval) == "1912-01-01/1912-12-31"


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("{", "line 1: not JSON"),
        ("[1]", "line 1: expected a JSON object"),
        ('{"text": "x"}', r"line 1: no _id \(or query_id\)"),
        ('{"_id": "", "text": "x"}', r"line 1: no _id \(or query_id\)"),
        ('{"_id": "q"}', r"line 1: no text \(or query\)"),
        ('{"_id": "q", "text": 5}', r"line 1: no text \(or query\)"),
        ('{"_id": "q", "text": "x", "reference_date": "May"}', "line 1: reference_date must be YYYY-MM-DD, not 'May'"),
        ('{"_id": "q", "text": "x", "reference_date": 2020}', "line 1: reference_date must be YYYY-MM-DD"),
        ('{"_id": "q", "text": "x", "metadata": [1]}', "line 1: metadata must be an object"),
    ],
)
def test_bad_queries(tmp_path: Path, line: str, message: str) -> None:
    (tmp_path / "queries.jsonl").write_text(line)
    with pytest.raises(EvaluationError, match=message):
        list(read_queries(tmp_path / "queries.jsonl"))


def test_queries_by_their_other_names(tmp_path: Path) -> None:
    write_lines(tmp_path / "q.jsonl", {"query_id": 7, "query": "x"})
    assert list(read_queries(tmp_path / "q.jsonl")) == [Query(query_id="7", text="x")]
    with pytest.raises(EvaluationError, match="cannot be read"):
        list(read_queries(tmp_path / "none.jsonl"))


@pytest.fixture
def tdbench(tmp_path: Path) -> Path:
    write_lines(
        tmp_path / "rows.jsonl",
        {"id": "r1", "start": "1999-05-18", "end": "2006-05-15", "fields": {"Role": "President", "Name": "C"}},
        {"id": "r2", "start": "2006", "end": None, "fields": {"Role": "President", "Name": "N"}},
    )
    item = {"id": "i", "qtype": "basic_unique", "op": "before", "sql": "select", "questions": ["Who?", "Which?"]}
    item |= {"relevant_rows": ["r1"], "same_subject_rows": ["r1", "r2"]}
    none = item | {"id": "j", "qtype": "basic_none", "relevant_rows": []}
    write_lines(tmp_path / "items.jsonl", item, none, item | {"id": "k", "qtype": "now"})
    return tmp_path


def test_tdbench_rows_are_documents_with_validity(tdbench: Path) -> None:
    dataset = load_tdbench(tdbench)
    first, second = (document.times["validity"][0] for document in dataset.documents)
    assert dataset.documents[0].text == "Role: President; Name: C"
    assert (str(first.interval), first.lasting) == ("1999-05-18/2006-05-15", True)
    assert (str(second.interval), str(second.start), second.end) == ("2006-01-01/..", "2006-01-01/2006-12-31", None)
    assert [query.query_id for query in dataset.queries] == ["i#0", "i#1"]
    assert dataset.queries[1].text == "Which?"
    assert dataset.queries[0].metadata == {"op": "before", "sql": "select"}
    assert dataset.qrels["i#0"] == {"r1": 1}
    assert dataset.candidates["i#1"] == ("r1", "r2")
    assert (dataset.queries[0].expression, dataset.queries[0].subset) == ("before", "complex")


def test_bad_tdbench_files(tdbench: Path) -> None:
    write_lines(tdbench / "items.jsonl", {"id": "i"})
    with pytest.raises(EvaluationError, match="line 1: no field 'qtype'"):
        load_tdbench(tdbench)
    write_lines(tdbench / "rows.jsonl", {"id": "r1", "start": "soon", "end": None, "fields": {}})
    with pytest.raises(EvaluationError, match="line 1: not a row"):
        load_tdbench(tdbench)


def test_time_decides_on_the_sample_corpus() -> None:
    dataset = load_sample()
    assert len(dataset.documents) >= 200
    assert len(dataset.queries) >= 75
    queries = {query.query_id: query.text for query in dataset.queries}
    days = {query.query_id: query.reference_date for query in dataset.queries}
    retriever = Bm25Retriever(dataset.documents)
    with_time = TemporalSearcher(dataset.documents, retriever)
    without = TemporalSearcher(dataset.documents, retriever, reranker=TemporalReranker(temporal_weight=0.0))
    runs = [dict(searcher.run(queries, reference_dates=days)) for searcher in (without, with_time)]
    before, after = (evaluate(dataset.qrels, run, ["P@1"]).means["P@1"] for run in runs)
    assert before <= 0.5
    assert after >= 0.8
    intents = {
        key: with_time.reranker.extractor.extract(text, reference_date=days[key]) for key, text in queries.items()
    }
    harmed = evaluate(dataset.qrels, runs[1], ["harm"], intents=intents, baseline=runs[0]).means["harm"]
    assert harmed == 0.0
