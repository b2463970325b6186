import json
from pathlib import Path

import pytest

from qtie.errors import EvaluationError
from qtie.tie.labelled import read_labelled_queries, split_by_subject
from qtie.tie.prompt import answer_text, parse_answer

ITEMS = Path(__file__).parents[3] / "shared" / "data" / "tdbench" / "items.jsonl"
needs_data = pytest.mark.skipif(not ITEMS.is_file(), reason=f"TDBench is not in {ITEMS.parent}")


def written(path: Path, *records: object) -> Path:
    path.write_text(
        "\n".join(each if isinstance(each, str) else json.dumps(each) for each in records), encoding="utf-8"
    )
    return path


def item(number: int, country: str, conditions: str, *, op: str | None = "after") -> dict[str, object]:
    sql = f"select Name, start, end from dyknow where Country = '{country}' and Role = 'King' and {conditions}"
    return {"id": f"i{number}", "op": op, "sql": sql, "questions": [f"who {number}?", f"which one {number}?"]}


def test_queries_with_bounds(tmp_path):
    path = written(
        tmp_path / "queries.jsonl",
        {"query": "who won in 2017", "start": "2017-01", "end": "2017-12", "subject": "prizes"},
        "",
        {"query": "who lost", "start": None, "end": None, "reference_date": "2025-06-15", "query_id": "q2"},
    )
    first, second = read_labelled_queries(path)
    assert (first.subject, first.bounds, first.reference_date) == ("prizes", ("2017-01", "2017-12"), None)
    assert (second.query_id, second.subject, second.bounds) == ("q2", "who lost", (None, None))
    assert str(second.reference_date) == "2025-06-15"


def test_questions_with_sql(tmp_path):
    path = written(
        tmp_path / "items.jsonl",
        item(1, "Spain", "Start > '2014-12-31 00:00:00'"),
        item(2, "Spain", "'2025-05-04' between Start and End", op=None),
        item(3, "Norway", "Start < '2025-02-01 00:00:00' and End > '2024-09-30 00:00:00'", op="contain"),
        item(4, "norway", "date(End) = date('2012-05-10 00:00:00', '-1 month')", op="meet"),
    )
    months = read_labelled_queries(path)
    assert [(query.query_id, query.bounds) for query in months] == [
        ("i1#0", ("2014-12", None)),
        ("i1#1", ("2014-12", None)),
        ("i4#0", (None, "2012-04")),  # i3's months are in reverse order, and no answer could say them
        ("i4#1", (None, "2012-04")),
    ]
    days = {query.query_id: query for query in read_labelled_queries(path, granularity="day")}
    assert days["i1#0"].bounds == ("2015-01-01", None)
    assert days["i3#0"].bounds == ("2024-10-01", "2025-01-31")
    assert days["i3#0"].subject == days["i4#0"].subject != days["i1#0"].subject


@pytest.mark.parametrize(
    ("record", "message"),
    [
        ("{", "not a labelled query"),
        ([], "not a labelled query"),
        ({"query": "x", "start": None}, "no field 'end'"),
        ({"query": "x", "start": "2017", "end": None}, "expected 'YYYY-MM"),
        ({"query": 5, "start": None, "end": None}, "not a text"),
        ({"query": "x", "start": None, "end": None, "reference_date": "soon"}, "not a labelled query"),
        ({"sql": "select x where Start > '2014-12-31'", "op": "after"}, "no field"),
        ("[" * 100_000, "not a labelled query"),
    ],
)
def test_a_bad_line_is_named(tmp_path, record, message):
    path = written(tmp_path / "queries.jsonl", {"query": "x", "start": None, "end": None}, record)
    with pytest.raises(EvaluationError, match=rf"queries.jsonl:2: .*{message}"):
        read_labelled_queries(path)


def test_a_file_that_is_no_set(tmp_path):
    with pytest.raises(EvaluationError, match="cannot be read"):
        read_labelled_queries(tmp_path / "none.jsonl")
    with pytest.raises(EvaluationError, match="no labelled queries"):
        read_labelled_queries(written(tmp_path / "empty.jsonl"))
    (tmp_path / "latin.jsonl").write_bytes(b"\xff\xfe")
    with pytest.raises(EvaluationError, match=r"latin\.jsonl"):
        read_labelled_queries(tmp_path / "latin.jsonl")


def test_a_split_shares_no_subject(tmp_path):
    path = written(tmp_path / "items.jsonl", *(item(n, f"land {n % 9}", "Start > '2014-12-31'") for n in range(40)))
    queries = read_labelled_queries(path)
    train, held_out = split_by_subject(queries, seed=3)
    assert sorted(query.query_id for query in [*train, *held_out]) == sorted(query.query_id for query in queries)
    assert not {query.subject for query in train} & {query.subject for query in held_out}
    assert 0.2 <= len(held_out) / len(queries) < 0.35
    assert split_by_subject(queries, seed=3) == (train, held_out) != split_by_subject(queries, seed=4)


def test_one_subject_is_no_split(tmp_path):
    path = written(tmp_path / "items.jsonl", item(1, "Spain", "Start > '2014-12-31'"))
    with pytest.raises(EvaluationError, match="two subjects"):
        split_by_subject(read_labelled_queries(path))


@needs_data
@pytest.mark.parametrize("granularity", ["month", "day"])
def test_every_label_is_an_answer(granularity):
    queries = read_labelled_queries(ITEMS, granularity=granularity)
    assert len(queries) > 2800
    for query in queries:
        assert parse_answer(answer_text(query.bounds), granularity) == query.bounds
    train, held_out = split_by_subject(queries)
    assert not {query.query for query in train} & {query.query for query in held_out}
