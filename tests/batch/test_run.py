"""Whole runs in processes of this machine: order, faults, deaths, and what is taken up again."""

import gzip
import json
import multiprocessing
import os
import signal
import subprocess
import sys
import time
from datetime import date
from pathlib import Path
from typing import Any

import pytest

pa = pytest.importorskip("pyarrow", reason="needs qtie[store]")

from click.testing import CliRunner, Result  # noqa: E402

from qtie.batch.run import Report, run_batch  # noqa: E402
from qtie.batch.stage import Task  # noqa: E402
from qtie.cli import main  # noqa: E402
from qtie.errors import BatchError, EvaluationError, QtieError, QtieWarning  # noqa: E402
from qtie.tie.grammar import GrammarExtractor  # noqa: E402

DAY = date(2025, 6, 15)
INTENTS = Task(kind="intents", extractor="grammar", reference_date=DAY)
QUERIES = [f"who won in {1900 + n % 120} edition {n} last year" for n in range(400)]


@pytest.fixture
def queries(tmp_path: Path) -> Path:
    path = tmp_path / "queries.jsonl"
    path.write_text("".join(json.dumps({"query": query, "n": n}) + "\n" for n, query in enumerate(QUERIES)))
    return path


def contents(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.rglob("*") if path.is_file() and path.name[0] != "."}


def records(folder: Path) -> list[dict[str, Any]]:
    parts = sorted(folder.glob("part-*.jsonl"))
    return [json.loads(line) for part in parts for line in part.read_text("utf-8").splitlines()]


def cli(*arguments: str) -> Result:
    return CliRunner().invoke(main, ["batch", *arguments], prog_name="qtie")


def test_intents_are_those_of_qtie_intent_in_order(queries: Path, tmp_path: Path) -> None:
    report = run_batch(INTENTS, queries, tmp_path / "out", n_workers=2, shard_rows=90)
    assert report == Report(n_rows=400, n_skipped=0, n_shards=5, n_shards_before=0)
    extractor = GrammarExtractor()
    expected = [
        {"query": query, "n": n, **extractor.extract(query, reference_date=DAY).to_dict()}
        for n, query in enumerate(QUERIES)
    ]
    assert records(tmp_path / "out") == expected
    assert not multiprocessing.active_children()


def test_output_that_is_gone_is_written_again(queries: Path, tmp_path: Path) -> None:
    run_batch(INTENTS, queries, tmp_path / "out", n_workers=1, shard_rows=90)
    before = contents(tmp_path / "out")
    (tmp_path / "out" / "part-000003.jsonl").unlink()
    report = run_batch(INTENTS, queries, tmp_path / "out", n_workers=1, shard_rows=90)
    assert report == Report(n_rows=400, n_skipped=0, n_shards=5, n_shards_before=4)
    assert contents(tmp_path / "out") == before


@pytest.mark.parametrize("name", ["part-000001.jsonl", "part-000002.jsonl", "skipped.jsonl"])
@pytest.mark.parametrize("is_gone", [True, False])
def test_output_that_was_altered_is_written_again(tmp_path: Path, here: None, name: str, is_gone: bool) -> None:
    (tmp_path / "q.jsonl").write_bytes(b"".join(BROKEN))
    task = Task(kind="intents", extractor="grammar", reference_date=DAY, on_error="skip")
    run_batch(task, tmp_path / "q.jsonl", tmp_path / "out", shard_rows=2)
    before = contents(tmp_path / "out")
    path = tmp_path / "out" / name
    if is_gone:
        path.unlink()
    elif name != "skipped.jsonl":  # of the same size
        path.write_bytes(before[name][::-1] or b"{}")
    run_batch(task, tmp_path / "q.jsonl", tmp_path / "out", shard_rows=2)
    assert contents(tmp_path / "out") == before


def test_a_killed_worker_changes_nothing(queries: Path, tmp_path: Path) -> None:
    killed = []

    def kill_one(report: Report) -> None:
        if report.n_shards == 2:
            victim = multiprocessing.active_children()[0]
            os.kill(victim.pid or 0, signal.SIGKILL)
            killed.append(victim.pid)

    run_batch(INTENTS, queries, tmp_path / "a", n_workers=2, shard_rows=20, progress=kill_one)
    run_batch(INTENTS, queries, tmp_path / "b", n_workers=1, shard_rows=20)
    assert killed
    assert contents(tmp_path / "a") == contents(tmp_path / "b")


def test_a_killed_run_is_taken_up(queries: Path, tmp_path: Path, here: None) -> None:
    queries.write_text(queries.read_text() * 8)
    arguments = ["intents", str(queries), str(tmp_path / "a"), "--extractor", "grammar", "--shard-rows", "100"]
    arguments += ["--reference-date", str(DAY)]
    command = [sys.executable, "-c", "from qtie.cli import main; main()", "batch", *arguments]
    process = subprocess.Popen([*command, "--workers", "2"], stdout=subprocess.DEVNULL)
    log, give_up = tmp_path / "a" / "shards.jsonl", time.monotonic() + 300
    while (not log.is_file() or log.read_bytes().count(b"\n") < 3) and time.monotonic() < give_up:
        time.sleep(0.01)
    process.send_signal(signal.SIGKILL)
    process.wait()
    with log.open("a") as file:
        file.write('{"shard": 99, "dig')  # as a writer leaves it that dies in the middle of a line
    report = run_batch(INTENTS, queries, tmp_path / "a", shard_rows=100)
    assert 3 <= report.n_shards_before < report.n_shards == 32
    run_batch(INTENTS, queries, tmp_path / "b", shard_rows=100)
    assert contents(tmp_path / "a") == contents(tmp_path / "b")
    assert run_batch(INTENTS, queries, tmp_path / "a", shard_rows=100).n_shards_before == 32


@pytest.mark.parametrize("suffix", [".jsonl.gz", ".txt", ".parquet", ""])
def test_other_files_give_the_same(queries: Path, tmp_path: Path, here: None, suffix: str) -> None:
    other = tmp_path / f"other{suffix}"
    if suffix == ".parquet":
        from pyarrow import parquet

        rows = [json.loads(line) for line in queries.read_text().splitlines()]
        parquet.write_table(pa.Table.from_pylist(rows), other)
    elif suffix:
        lines = queries.read_bytes()
        other.write_bytes(gzip.compress(lines) if suffix.endswith(".gz") else lines)
    else:
        other.mkdir()
        texts = queries.read_text().splitlines(keepends=True)
        (other / "1.jsonl").write_text("".join(texts[:150]))
        (other / "2.jsonl").write_text("".join(texts[150:]))
        (other / "README.md").write_text("not read")
        (other / "notes.txt").write_text("nor is this")
    run_batch(INTENTS, queries, tmp_path / "a", shard_rows=70)
    run_batch(INTENTS, other, tmp_path / "b", shard_rows=70)
    assert records(tmp_path / "a") == records(tmp_path / "b")


BROKEN = [
    b'\xef\xbb\xbf{"query": "won in 1905"}\n', b"plain words in 1906\n", b"\n", b'{"query": "x\n', b"\xff\xfe\n",
    b'{"query": 5}\n', b'{"query": "last year", "reference_date": "2019-02-30"}\n',
    b'{"query": "last year", "reference_date": "2019-02-03"}',
]  # fmt: skip


def test_faulty_lines_are_counted_and_written_out(tmp_path: Path, here: None) -> None:
    (tmp_path / "q.jsonl").write_bytes(b"".join(BROKEN))
    arguments = [str(tmp_path / "q.jsonl"), str(tmp_path / "out"), "--extractor", "grammar", "--json"]
    result = cli("intents", *arguments, "--on-error", "skip", "--shard-rows", "3")
    assert json.loads(result.stdout) == {"n_rows": 3, "n_skipped": 4, "n_shards": 3, "n_shards_before": 0}
    assert "4 skipped: " in result.stderr
    assert [record["query"] for record in records(tmp_path / "out")] == [
        "won in 1905",
        "plain words in 1906",
        "last year",
    ]
    assert records(tmp_path / "out")[2]["interval"]["start"] == "2018-01-01"
    skipped = [json.loads(line) for line in (tmp_path / "out" / "skipped.jsonl").read_text("utf-8").splitlines()]
    assert [record["reason"].split(": ")[0].split(", ")[1] for record in skipped] == [f"line {n}" for n in (4, 5, 6, 7)]
    assert skipped[0]["line"] == '{"query": "x'
    assert sorted(path.name for path in (tmp_path / "out").glob("s*")) == ["skipped.jsonl"]


def test_a_faulty_line_stops_and_the_run_goes_on_once_it_is_mended(tmp_path: Path, here: None) -> None:
    source, out = tmp_path / "q.jsonl", tmp_path / "out"
    source.write_bytes(b"in 1905\nin 1906\n" + b'{"query": 1}\n')
    with pytest.raises(EvaluationError, match=r"q.jsonl, line 3: field 'query': expected a text"):
        run_batch(INTENTS, source, out, shard_rows=1)
    source.write_bytes(b"in 1905\nin 1906\n" + b'{"query":""}\n')  # of the same size
    report = run_batch(INTENTS, source, out, shard_rows=1)
    assert (report.n_shards, report.n_shards_before) == (3, 2)


@pytest.mark.parametrize("mended", [b"in 1907 or so\nin 1908\n", b"", b"in 1907\n" * 4])
def test_a_run_that_failed_goes_on_with_an_input_that_was_corrected(tmp_path: Path, here: None, mended: bytes) -> None:
    source, out = tmp_path / "q.jsonl", tmp_path / "out"
    source.write_bytes(b"in 1905\nin 1906\nin 1911\n" + b'{"query": 1}\n')
    with pytest.raises(EvaluationError, match=r"q.jsonl, line 4"):
        run_batch(INTENTS, source, out, shard_rows=1)
    source.write_bytes(b"in 1905\n" + mended)
    n_shards = 1 + mended.count(b"\n")
    report = run_batch(INTENTS, source, out, shard_rows=1)
    assert report == Report(n_rows=n_shards, n_skipped=0, n_shards=n_shards, n_shards_before=1)
    run_batch(INTENTS, source, tmp_path / "new", shard_rows=1)
    assert contents(out) == contents(tmp_path / "new")


def test_a_run_that_failed_goes_on_and_skips_or_stops(tmp_path: Path, here: None) -> None:
    source, out = tmp_path / "q.jsonl", tmp_path / "out"
    source.write_bytes(b"".join(BROKEN))
    skipping = Task(kind="intents", extractor="grammar", reference_date=DAY, on_error="skip")
    with pytest.raises(EvaluationError, match="line 4"):
        run_batch(INTENTS, source, out, shard_rows=1)
    assert run_batch(skipping, source, out, shard_rows=1).n_shards_before == 3
    run_batch(skipping, source, tmp_path / "new", shard_rows=1)
    assert contents(out) == contents(tmp_path / "new")
    with pytest.raises(BatchError, match='on_error was "skip", is "stop"; go on as before, give a new folder'):
        run_batch(INTENTS, source, out, shard_rows=1)


def test_a_run_that_failed_at_once_leaves_the_folder_to_any_other(queries: Path, tmp_path: Path, here: None) -> None:
    (tmp_path / "bad.jsonl").write_bytes(b"\xff\xfe\n")
    for source, task in ((tmp_path / "bad.jsonl", INTENTS), (queries, Task(kind="times"))):
        with pytest.raises(QtieError):
            run_batch(task, source, tmp_path / "out", shard_rows=90)
    report = run_batch(INTENTS, queries, tmp_path / "out", shard_rows=100)
    assert (report.n_rows, report.n_shards_before) == (400, 0)


def test_a_run_that_failed_is_not_taken_up_with_other_options(tmp_path: Path, here: None) -> None:
    (tmp_path / "q.jsonl").write_bytes(b"in 1905\n" + b'{"query": 1}\n')
    with pytest.raises(EvaluationError, match="line 2"):
        run_batch(INTENTS, tmp_path / "q.jsonl", tmp_path / "out", shard_rows=1)
    with pytest.raises(BatchError, match=r"shard_rows was 1, is 2; go on as before, .* or delete this one"):
        run_batch(INTENTS, tmp_path / "q.jsonl", tmp_path / "out", shard_rows=2)


def test_changed_input_or_options_are_refused(queries: Path, tmp_path: Path, here: None) -> None:
    out = tmp_path / "out"
    run_batch(INTENTS, queries, out, shard_rows=100)
    before = contents(out)
    other = Task(kind="intents", extractor="grammar", reference_date=date(2024, 1, 1))
    with pytest.raises(BatchError, match=r'task.reference_date was "2025-06-15", is "2024-01-01"'):
        run_batch(other, queries, out, shard_rows=100)
    with pytest.raises(BatchError, match="shard_rows was 100, is 99"):
        run_batch(INTENTS, queries, out, shard_rows=99)
    text = queries.read_text()
    queries.write_text(text.replace("edition 150", "edition 151"))
    with pytest.raises(BatchError, match=r"queries.jsonl, lines 101 to 200 have changed"):
        run_batch(INTENTS, queries, out, shard_rows=100)
    queries.write_text(text + "one more\n")
    with pytest.raises(BatchError, match=r"input\[0\].n_bytes was"):
        run_batch(INTENTS, queries, out, shard_rows=100)
    assert contents(out) == before


def test_a_run_without_a_date_is_taken_up_on_another_day(queries: Path, tmp_path: Path, here: None) -> None:
    arguments = ["intents", str(queries), str(tmp_path / "out"), "--extractor", "grammar"]
    assert cli(*arguments, "--reference-date", "2020-01-01").exit_code == 0
    assert cli(*arguments).exit_code == 0


def test_two_runs_do_not_write_into_one_folder(queries: Path, tmp_path: Path, here: None) -> None:
    def another(_: Report) -> None:
        with pytest.raises(BatchError, match="another run writes into it"):
            run_batch(INTENTS, queries, tmp_path / "out")

    run_batch(INTENTS, queries, tmp_path / "out", progress=another)


def test_what_cannot_be_read_or_written_is_one_line(queries: Path, tmp_path: Path, here: None) -> None:
    (tmp_path / "empty.jsonl").touch()
    (tmp_path / "folder").mkdir()
    (tmp_path / "broken.parquet").write_bytes(b"PAR1 no")
    (tmp_path / "broken.jsonl.gz").write_bytes(b"no gzip")
    for source, problem in {
        "missing.jsonl": "No such file",
        "empty.jsonl": "nothing in it",
        "folder": "no .jsonl",
        "queries.csv": "No such file",
        "broken.parquet": "cannot be read",
        "broken.jsonl.gz": "cannot be read",
    }.items():
        result = cli("intents", str(tmp_path / source), str(tmp_path / "out" / source), "--extractor", "grammar")
        assert result.exit_code == 2, result.output
        assert problem in result.stderr
        assert result.stderr.count("\n") == 1
    for out, problem in ((tmp_path, "which no run wrote"), (queries / "out", "cannot be written")):
        result = cli("intents", str(queries), str(out), "--extractor", "grammar")
        assert (result.exit_code, problem in result.stderr) == (2, True), result.stderr
    assert "runner ray" in cli("times", str(queries), str(tmp_path / "x"), "--address", "auto").stderr


def test_a_line_of_ten_megabytes_is_read(tmp_path: Path, here: None) -> None:
    record = {"_id": "a", "text": "Signed on 3 May 1911. " + "x " * 5_000_000}
    (tmp_path / "d.jsonl").write_text(json.dumps(record) + "\n" + json.dumps({"_id": "b", "text": "in 1920"}) + "\n")
    run_batch(Task(kind="times"), tmp_path / "d.jsonl", tmp_path / "out")
    assert [record["_id"] for record in records(tmp_path / "out")] == ["a", "b"]


def test_times_come_from_metadata_and_text(tmp_path: Path, here: None) -> None:
    documents = [
        {"_id": "a", "text": "Born: 3 May 1881.", "metadata": {"date": "1911-02"}},
        {"_id": "b", "text": "no time in it", "date": "not a date"},
        {"_id": "c", "text": "The bridge, opened in 1932"},
    ]
    (tmp_path / "d.jsonl").write_text("".join(json.dumps(document) + "\n" for document in documents))
    with pytest.warns(QtieWarning, match="'date' holds values"):
        run_batch(Task(kind="times"), tmp_path / "d.jsonl", tmp_path / "out")
    first, second, third = records(tmp_path / "out")
    expected = {"start": "1911-02-01", "end": "1911-02-28", "lasting": False, "confidence": 1.0, "source": "date"}
    assert first["times"]["timestamp"] == [expected]
    assert first["times"]["born"][0]["start"] == "1881-05-03"
    assert second == {"_id": "b", "times": {}}
    assert third["times"]["focus_time"][0]["end"] == "1932-12-31"
