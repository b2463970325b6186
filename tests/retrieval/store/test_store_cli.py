"""`qtie index`, `add`, `delete`, `stats`, `reindex` and `search --store` on real files."""

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

pytest.importorskip("lancedb", reason="needs qtie[store]")

import pyarrow as pa
from pyarrow import parquet

from qtie.cli import main

LINES = [
    {"_id": "a", "text": "The budget passed", "date": "2016-05-09"},
    {"_id": "b", "text": "The budget passed again", "title": "Budget", "date": "2019"},
    {"_id": "c", "text": "A bridge opened", "metadata": {"harvest": "1985"}},
]


@pytest.fixture(autouse=True)
def _in_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("corpus.jsonl").write_text("".join(json.dumps(line) + "\n" for line in LINES), encoding="utf-8")


def qtie(*arguments: str, status: int = 0, **options: Any) -> Result:
    result = CliRunner().invoke(main, list(arguments), **options)
    assert result.exit_code == status, result.output
    return result


def records(result: Result) -> list[dict[str, Any]]:
    return [json.loads(line) for line in result.stdout.splitlines()]


def search(*arguments: str) -> Result:
    return qtie("search", "budget in 2019", *arguments, "--extractor", "grammar", "--reference-date", "2025-06-15")


def test_a_store_is_made_searched_changed_and_measured() -> None:
    assert records(qtie("index", "corpus.jsonl", "s", "--json")) == [{"n_new": 3, "n_updated": 0, "n_skipped": 0}]
    found = records(search("--store", "s", "--json", "-k", "2"))
    assert [record["doc_id"] for record in found] == ["b", "a"]
    assert list(found[0]) == list(records(search("corpus.jsonl", "--json"))[0])
    assert (
        "predicate: time_start/time_end in 2017-12-31/2020-12-31 or unknown"
        in search("--store", "s", "--explain").stdout
    )
    Path("more.jsonl").write_text('{"_id": "d", "text": "new", "date": "2020"}\n' + json.dumps(LINES[0]) + "\n")
    assert records(qtie("add", "s", "more.jsonl", "--json"))[0] == {"n_new": 1, "n_updated": 1, "n_skipped": 0}
    deleted = qtie("delete", "s", "a", "nowhere", "--json")
    assert (records(deleted), deleted.stderr) == ([{"n_deleted": 1}], "qtie: not in s: 1 of 2 ids\n")
    stats = records(qtie("stats", "s", "--json"))[0]
    assert (stats["n_docs"], stats["n_dated"], stats["n_dimensions"], stats["encoder"]) == (3, 2, None, "")
    assert "n_docs          3" in qtie("stats", "s").stdout


def test_indexing_again_doubles_nothing() -> None:
    qtie("index", "corpus.jsonl", "s")
    assert records(qtie("index", "corpus.jsonl", "s", "--json"))[0] == {"n_new": 0, "n_updated": 3, "n_skipped": 0}


@pytest.mark.parametrize("command", [["index"], ["batch", "index"]], ids=" ".join)
def test_a_store_is_made_in_no_place_that_holds_something_else(command: list[str]) -> None:
    Path("notes").mkdir()
    Path("notes/a.md").write_text("The budget passed in 2016", encoding="utf-8")
    before = Path("corpus.jsonl").read_bytes()
    result = qtie(*command, "corpus.jsonl", "corpus.jsonl", status=2)
    assert result.stderr == "qtie: corpus.jsonl: a file, where a store would be a folder; give a new folder\n"
    result = qtie(*command, "corpus.jsonl", "notes", status=2)
    assert result.stderr == "qtie: notes: holds 'a.md', which is no part of a store; give a new folder\n"
    result = qtie(*command, "corpus.jsonl", "corpus.jsonl/store", status=2)
    assert result.stderr.startswith("qtie: corpus.jsonl/store")
    assert result.stderr.endswith(": cannot be written: Not a directory\n")
    assert Path("corpus.jsonl").read_bytes() == before
    assert [path.name for path in Path("notes").iterdir()] == ["a.md"]


def test_a_folder_of_notes_is_not_indexed_into_itself() -> None:
    Path("notes").mkdir()
    Path("notes/a.md").write_text("The budget passed in 2016", encoding="utf-8")
    assert "notes: holds 'a.md'" in qtie("index", "notes", "notes", status=2).stderr
    assert [path.name for path in Path("notes").iterdir()] == ["a.md"]
    qtie("index", "notes", "s")
    assert "s: no documents in it" in qtie("add", "s", "s", status=2).stderr
    assert "notes: no store there" in qtie("add", "notes", "notes", status=2).stderr
    assert "notes: no store there" in qtie("reindex", "notes", "--times", status=2).stderr


def test_parquet_and_stdin_are_read() -> None:
    table = pa.Table.from_pylist(
        [{"_id": "p", "text": "comet", "date": "1910"}, {"_id": "q", "text": "x", "date": None}]
    )
    parquet.write_table(table, "corpus.parquet")
    assert records(qtie("index", "corpus.parquet", "s", "--json"))[0]["n_new"] == 2
    lines = Path("corpus.jsonl").read_text(encoding="utf-8")
    assert records(qtie("add", "s", "-", "--json", input=lines))[0]["n_new"] == 3
    Path("broken.parquet").write_bytes(b"PAR1 nothing")
    assert "qtie: broken.parquet: " in qtie("index", "broken.parquet", "s", status=2).stderr


def test_faulty_lines_stop_or_are_counted_and_written_out() -> None:
    good = json.dumps(LINES[0]).encode()
    lines = [
        good,
        b"{broken",
        b'{"_id": "x", "text": "\xff"}',
        b'{"text": "no id"}',
        good,
        b'{"_id": "z", "text": "last"}',
    ]
    Path("bad.jsonl").write_bytes(b"\n".join(lines))
    stopped = qtie("index", "bad.jsonl", "s", status=2)
    assert stopped.stderr.startswith("qtie: bad.jsonl, line 2: broken JSON")
    assert stopped.stdout == ""
    assert not list(Path().glob("*.skipped.jsonl"))
    result = qtie("index", "bad.jsonl", "s", "--on-error", "skip", "--json")
    assert records(result)[0]["n_skipped"] == 4
    assert "4 skipped: bad.jsonl.skipped.jsonl" in result.stderr
    skipped = [json.loads(line) for line in Path("bad.jsonl.skipped.jsonl").read_text(encoding="utf-8").splitlines()]
    assert [record["reason"].split(":")[0] for record in skipped] == [f"bad.jsonl, line {n}" for n in (2, 3, 4, 5)]
    assert skipped[0]["line"] == "{broken"
    assert records(qtie("stats", "s", "--json"))[0]["n_docs"] == 2
    qtie("index", "bad.jsonl", "s", "--on-error", "skip", "--skipped", "elsewhere.jsonl")
    assert Path("elsewhere.jsonl").exists()


def test_an_index_that_fails_at_once_leaves_nothing() -> None:
    Path("broken.jsonl").write_text("{broken\n")
    for corpus in ("broken.jsonl", "nowhere.jsonl"):
        assert corpus in qtie("index", corpus, "none.store", status=2).stderr
        assert not Path("none.store").exists()


def test_what_is_skipped_is_not_written_over_the_corpus() -> None:
    Path("broken.jsonl").write_text('{"_id": "a", "text": "x"}\n{broken\n')
    before = Path("broken.jsonl").read_text()
    refused = qtie("index", "broken.jsonl", "some.store", "--on-error", "skip", "--skipped", "broken.jsonl", status=2)
    assert "is the input itself" in refused.stderr
    assert Path("broken.jsonl").read_text() == before


def test_where_nothing_matches_it_is_said() -> None:
    qtie("index", "corpus.jsonl", "s")
    for place in (("--store", "s"), ("corpus.jsonl",)):
        result = qtie("search", "unheard of in 1985", *place, "--extractor", "grammar", "--json")
        assert result.stderr.strip().endswith("no document matches the words of the query: ranked by time alone")
        assert records(result)[0]["doc_id"]


def test_times_are_read_again_as_qtie_toml_says() -> None:
    qtie("index", "corpus.jsonl", "s")
    assert records(qtie("stats", "s", "--json"))[0]["n_dated"] == 2
    Path("qtie.toml").write_text('[documents]\ntime_keys = ["harvest"]\n')
    assert records(qtie("reindex", "s", "--times", "--json")) == [{"n_docs": 3}]
    assert records(qtie("stats", "s", "--json"))[0]["n_dated"] == 1
    found = records(qtie("search", "bridge in 1985", "--store", "s", "--json", "--extractor", "grammar"))
    assert (found[0]["doc_id"], found[0]["time"]) == ("c", "1985-01-01/1985-12-31")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("search", "x"), "name what to search: CORPUS or --store, and not both"),
        (("search", "x", "corpus.jsonl", "--store", "s"), "name what to search"),
        (("search", "x", "--store", "nowhere"), "nowhere: no store there; qtie index makes one"),
        (("add", "nowhere", "corpus.jsonl"), "nowhere: no store there"),
        (("stats", "corpus.jsonl"), "corpus.jsonl: no store there"),
        (("delete", "s"), "name the documents to delete"),
        (("index", "nowhere.jsonl", "s"), "nowhere.jsonl: No such file"),
        (("index", "corpus.jsonl", "corpus.jsonl"), "corpus.jsonl: "),
        (("index", "corpus.jsonl", "s2", "--encoder", "./nowhere"), "no such encoder folder"),
        (("search", "x", "--store", "s", "--retriever", "hybrid"), "s: has no vectors for hybrid retrieval"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, tuple) else "",
)
def test_what_is_wrong_is_one_line(arguments: tuple[str, ...], message: str) -> None:
    qtie("index", "corpus.jsonl", "s")
    result = qtie(*arguments, status=2)
    assert message in result.stderr
    assert len(result.stderr.splitlines()) == 1
    assert result.stdout == ""


def test_ids_to_delete_may_stand_in_a_file() -> None:
    qtie("index", "corpus.jsonl", "s")
    assert records(qtie("delete", "s", "--ids-from", "-", "--json", input="a\n\nb\n")) == [{"n_deleted": 2}]


def test_vectors_are_made_found_and_kept(bert_folder: Path) -> None:
    qtie("index", "corpus.jsonl", "s", "--encoder", str(bert_folder))
    stats = records(qtie("stats", "s", "--json"))[0]
    assert (stats["n_dimensions"], stats["encoder"]) == (8, str(bert_folder))
    assert records(search("--store", "s", "--json"))[0]["doc_id"] == "b"
    assert records(search("--store", "s", "--json", "--retriever", "bm25"))[0]["doc_id"] == "b"
    changed = bert_folder.with_name("e5-tiny")  # its prefix makes it another encoder
    bert_folder.rename(changed)
    assert "its vectors were made by" in qtie("index", "corpus.jsonl", "s", "--encoder", str(changed), status=2).stderr
