"""Facts and the files that hold them; stores in folders."""

import gzip
import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from qtie.errors import DocumentError, QtieWarning
from qtie.interval import Granularity, TimeInterval
from qtie.tkg.fact import Fact, read_facts, written_date
from qtie.tkg.store import FactStore


def test_tables_with_and_without_a_header(tmp_path: Path) -> None:
    plain = tmp_path / "plain.tsv"
    plain.write_text("Iran\tConsult\tIraq\t2012-05-13\nIraq\tHost\tIran\t2001\t2003\n\n", encoding="utf-8")
    first, second = read_facts(plain)
    assert first.verbalized == "Iran Consult Iraq in 2012-05-13"
    assert second.verbalized == "Iraq Host Iran from 2001 to 2003"
    assert second.document.times["validity"][0].lasting
    headed = tmp_path / "headed.tsv.gz"
    headed.write_bytes(gzip.compress(b"head\trelation\ttail\tdate\tsplit\nIran\tConsult\tIraq\t2012-05-13\ttest\n"))
    (only,) = read_facts(headed)
    assert only == replace(first, fact_id=only.fact_id)


def test_json_lines(tmp_path: Path) -> None:
    path = tmp_path / "facts.jsonl"
    rows = [
        {"id": "a", "subject": "Iran", "relation": "Consult", "object": "Iraq", "date": "May 2012"},
        {"subject": "Iran", "predicate": "Led by", "object": "X", "start": "1989-06", "end": ".."},
    ]
    path.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    first, second = read_facts(path)
    assert (first.fact_id, first.interval) == ("a", TimeInterval.month(2012, 5))
    assert second.verbalized == "Iran Led by X from 1989-06"


@pytest.mark.parametrize(
    ("name", "content", "verbalized"),
    [
        ("a.tsv", "Iran\tled by\tX\t2001\t\n", "Iran led by X from 2001"),
        ("a.tsv", "Iran\tled by\tX\t2001\n", "Iran led by X in 2001"),
        ("a.tsv", "s\tp\to\tstart\tend\nIran\tled by\tX\t2001\n", "Iran led by X in 2001"),
        ("a.tsv", "s\tp\to\tstart\tend\nIran\tled by\tX\t2001\t\n", "Iran led by X from 2001"),
        ("a.tsv", "s\tp\to\tstart\tend\tid\nIran\tled by\tX\t2001\t\t7\n", "Iran led by X from 2001"),
        ("a.tsv", "s\tp\to\tstart\tend\nIran\tled by\tX\n", "Iran led by X"),
        ("a.tsv", "s\tp\to\tdate\nIran\tled by\tX\t2001\n", "Iran led by X in 2001"),
        ("a.tsv", "s\tp\to\tdate\tsplit\nIran\tled by\tX\t2001\t\n", "Iran led by X in 2001"),
        ("a.tsv", "Iran\tled by\tX\t\t\n", "Iran led by X"),
        ("a.tsv", "Iran\tled by\tX\t\t2001\n", "Iran led by X to 2001"),
        ("a.tsv", "Iran\tled by\tX\t2001-05-02\t2001-05-02\n", "Iran led by X from 2001-05-02 to 2001-05-02"),
        ("a.jsonl", '{"s": "Iran", "p": "led by", "o": "X", "start": 2001, "end": null}', "Iran led by X from 2001"),
        ("a.jsonl", '{"s": "Iran", "p": "led by", "o": "X", "start": "2001", "end": ""}', "Iran led by X from 2001"),
        ("a.jsonl", '{"s": "Iran", "p": "led by", "o": "X", "start": "2001"}', "Iran led by X in 2001"),
        ("a.jsonl", '{"s": "a", "p": "p", "o": "b", "start": "2001/2003", "end": null}', "a p b from 2001 to 2003"),
    ],
)
def test_a_blank_end_is_open_and_a_missing_one_makes_one_date(
    tmp_path: Path, name: str, content: str, verbalized: str
) -> None:
    path = tmp_path / name
    path.write_text(content, encoding="utf-8")
    (fact,) = read_facts(path)
    assert fact.verbalized == verbalized


def test_a_file_may_mix_short_rows_and_blank_ends(tmp_path: Path) -> None:
    path = tmp_path / "facts.tsv"
    rows = ["s\tp\to\tstart\tend", "Ada\tvisited\tOslo\t2010", "Bo\tled\tOslo\t2001\t", "Cy\tled\tOslo\t1990\t2000"]
    path.write_text("\n".join(rows), encoding="utf-8")
    facts = list(read_facts(path))
    assert [fact.lasting for fact in facts] == [False, True, True]
    assert FactStore.of(facts).n_open_ended == 1


def test_what_lasts_may_be_dated_by_its_start_or_end(tmp_path: Path) -> None:
    path = tmp_path / "facts.tsv"
    rows = ["Bo\tled\tOslo\t2001-02\t", "Cy\tled\tOslo\t1990\t2000", "Ada\tvisited\tOslo\t2010", "Di\tled\tOslo"]
    path.write_text("\n".join(rows), encoding="utf-8")
    store = FactStore.of(read_facts(path))
    begun, ended = store.dated_by("start"), store.dated_by("end")
    assert [begun.interval(n) for n in range(4)] == [
        TimeInterval.month(2001, 2),
        TimeInterval.year(1990),
        TimeInterval.year(2010),
        None,
    ]
    assert [ended.interval(n) for n in range(4)] == [None, TimeInterval.year(2000), TimeInterval.year(2010), None]
    assert store.dated_by(None) is store


def test_a_fact_without_a_time_is_kept_undated(tmp_path: Path) -> None:
    path = tmp_path / "facts.tsv"
    path.write_text("Iran\tConsult\tIraq\n", encoding="utf-8")
    (fact,) = read_facts(path)
    assert fact.interval is None
    assert fact.verbalized == "Iran Consult Iraq"
    assert fact.document.times == {}


@pytest.mark.parametrize("line", ["Iran\tConsult\tIraq\t2012\t2010", "Iran\tConsult\tIraq\tsometime"])
def test_reversed_and_unreadable_times_warn_with_their_line(tmp_path: Path, line: str) -> None:
    path = tmp_path / "facts.tsv"
    path.write_text(f"Iran\tConsult\tIraq\t2012\n{line}\n", encoding="utf-8")
    with pytest.warns(QtieWarning, match=r"line 2.*counts as undated"):
        facts = list(read_facts(path))
    assert [fact.interval is None for fact in facts] == [False, True]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("", "no facts in it"),
        ("Iran\tConsult\n", "line 1: field 'object'"),
        ("Iran\t\tIraq\t2012\n", "line 1: field 'predicate'"),
        ("a\tb\tc\t2001\t2002\tmore\n", "line 1: 6 columns"),
    ],
)
def test_faulty_files_name_the_place(tmp_path: Path, content: str, message: str) -> None:
    path = tmp_path / "facts.tsv"
    path.write_text(content, encoding="utf-8")
    with pytest.raises(DocumentError, match=message):
        list(read_facts(path))


def test_an_id_twice_is_an_error(tmp_path: Path) -> None:
    path = tmp_path / "facts.jsonl"
    row = json.dumps({"id": "a", "subject": "s", "predicate": "p", "object": "o"})
    path.write_text(f"{row}\n{row}\n", encoding="utf-8")
    with pytest.raises(DocumentError, match="'a' stands already"):
        list(read_facts(path))


def test_dates_are_written_at_a_granularity() -> None:
    day = TimeInterval.day(2012, 5, 13)
    assert [written_date(day, unit) for unit in (Granularity.DAY, Granularity.MONTH, Granularity.YEAR)] == [
        "2012-05-13",
        "2012-05",
        "2012",
    ]


class LengthEncoder:
    """Vectors of a text's first letters, of length 1."""

    fingerprint = "letters"

    def encode_queries(self, texts: list[str]) -> np.ndarray:
        vectors = np.array([[text.count(letter) + 0.1 for letter in "aeiou"] for text in texts], dtype=np.float32)
        return vectors.reshape(-1, 5) / np.linalg.norm(vectors.reshape(-1, 5), axis=1, keepdims=True)

    encode_documents = encode_queries


def test_a_store_is_kept_in_a_folder(store: FactStore, facts: list[Fact], tmp_path: Path) -> None:
    indexed = store
    for name in ("fks", "tks"):
        indexed = indexed.with_index(name, LengthEncoder(), encoder_name="letters")
    indexed.save(tmp_path / "store")
    loaded = FactStore.load(tmp_path / "store")
    assert [loaded.fact(n) for n in range(len(loaded))] == facts
    assert loaded.phrases == store.phrases
    every = np.arange(len(facts))
    query = LengthEncoder().encode_queries(["who visited Iraq"])[0]
    for name in ("fks", "tks"):
        kept, made = loaded.indexes[name], indexed.indexes[name]
        np.testing.assert_array_equal(
            kept.cosines(query, loaded.triples, every), made.cosines(query, store.triples, every)
        )


def test_a_cosine_is_that_of_the_summed_parts(store: FactStore) -> None:
    encoder = LengthEncoder()
    index = store.with_index("tks", encoder, encoder_name="letters").indexes["tks"]
    query = encoder.encode_queries(["visited"])[0]
    fact = store.fact(0)
    parts = encoder.encode_documents([fact.subject, fact.predicate, fact.object, "in 2006-02-20"]).sum(0)
    expected = parts @ query / np.linalg.norm(parts)
    assert index.cosines(query, store.triples, np.array([0]))[0] == pytest.approx(expected, abs=1e-6)


def test_no_store_a_damaged_one_and_one_of_another_version(store: FactStore, tmp_path: Path) -> None:
    with pytest.raises(DocumentError, match="no store of facts"):
        FactStore.load(tmp_path)
    store.save(tmp_path / "s")
    (tmp_path / "s" / "days.npy").write_bytes(b"broken")
    with pytest.raises(DocumentError, match="damaged store"):
        FactStore.load(tmp_path / "s")
    store.save(tmp_path / "s")
    about = json.loads((tmp_path / "s" / "store.json").read_text(encoding="utf-8"))
    (tmp_path / "s" / "store.json").write_text(json.dumps({**about, "schema_version": 99}), encoding="utf-8")
    with pytest.raises(DocumentError, match="version 99"):
        FactStore.load(tmp_path / "s")
