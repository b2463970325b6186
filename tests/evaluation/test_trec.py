import gzip
import io
import math
import os
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from qtie.errors import EvaluationError
from qtie.evaluation.trec import read_qrels, read_run, write_qrels, write_run

RUN = {"q1": {"d2": 2.5, "d1": 0.5}, "q2": {"d3": -1.0}}
QRELS = {"q1": {"d1": 1, "d2": 0}, "q2": {"d3": 2, "d4": -1}}


def test_run_round_trip(tmp_path: Path) -> None:
    write_run(RUN, tmp_path / "run", tag="test")
    assert (tmp_path / "run").read_text() == "q1 Q0 d2 1 2.5 test\nq1 Q0 d1 2 0.5 test\nq2 Q0 d3 1 -1 test\n"
    assert read_run(tmp_path / "run") == RUN
    assert [path.name for path in tmp_path.iterdir()] == ["run"]


def test_qrels_round_trip(tmp_path: Path) -> None:
    write_qrels(QRELS, tmp_path / "qrels")
    assert (tmp_path / "qrels").read_text().splitlines()[0] == "q1 0 d1 1"
    assert read_qrels(tmp_path / "qrels") == QRELS


def test_beir_qrels(tmp_path: Path) -> None:
    path = tmp_path / "test.tsv"
    path.write_text("query-id\tcorpus-id\tscore\r\nq1\tdoc with spaces\t1\r\n\r\n")
    assert read_qrels(path) == {"q1": {"doc with spaces": 1}}
    path.write_text("q1\td1\t1\nq1\td2\t0\n")  # some leave the header out
    assert read_qrels(path) == {"q1": {"d1": 1, "d2": 0}}
    (tmp_path / "test.tsv.gz").write_bytes(gzip.compress(b"query-id\tcorpus-id\tscore\nq1\td1\t1\n"))
    assert read_qrels(tmp_path / "test.tsv.gz") == {"q1": {"d1": 1}}


@given(
    st.dictionaries(
        st.integers(0, 99).map(str),
        st.one_of(st.floats(allow_nan=False, allow_infinity=False), st.sampled_from([0.0, 1.0, 1e-45, -1e38])),
        min_size=1,
    )
)
def test_written_scores_are_strictly_ordered_in_32_bits(tmp_path_factory: pytest.TempPathFactory, scores: dict) -> None:
    path = tmp_path_factory.mktemp("run") / "run"
    write_run({"q": scores}, path)
    rows = [line.split() for line in path.read_text().splitlines()]
    assert [row[3] for row in rows] == [str(rank) for rank in range(1, len(scores) + 1)]
    written = np.array([float(row[4]) for row in rows], dtype=np.float32)
    assert (np.diff(written) < 0).all()
    assert [row[2] for row in rows] == sorted(scores, key=lambda doc_id: -scores[doc_id])  # ties by upstream rank


def test_equal_scores_keep_the_upstream_order(tmp_path: Path) -> None:
    write_run({"q": {"b": 0.0, "a": 0.0, "c": 1.0, "d": 0.0}}, tmp_path / "run")
    assert list(read_run(tmp_path / "run")["q"]) == ["c", "b", "a", "d"]


def test_standard_streams(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    write_run({"q": {"d": 1.0}}, "-")
    monkeypatch.setattr("sys.stdin", io.StringIO(capsys.readouterr().out))
    assert read_run("-") == {"q": {"d": 1.0}}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "no rankings"),
        ("\n\n", "no rankings"),
        ("q1 Q0 d1 1 0.5 t\nq1 Q0 d2 2 0.4\n", "line 2: expected 6 columns, found 5"),
        ("q1 Q0 d1 1 high t\n", "line 1: score must be a number, not 'high'"),
        ("q1 Q0 d1 1 nan t\n", "line 1: score must be finite"),
        ("q1 Q0 d1 1 -inf t\n", "line 1: score must be finite"),
        ("q1 Q0 d1 1 2 t\n\nq1 Q0 d1 2 1 t\n", "line 3: 'd1' is ranked twice for query 'q1'"),
    ],
)
def test_bad_runs(tmp_path: Path, text: str, message: str) -> None:
    (tmp_path / "bad.run").write_text(text)
    with pytest.raises(EvaluationError, match=message) as error:
        read_run(tmp_path / "bad.run")
    assert "bad.run" in str(error.value)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "no judgements"),
        ("query-id\tcorpus-id\tscore\n", "no judgements"),
        ("q1 0 d1\n q1 0 d2 1\n", "line 1: expected 4 columns .* found 3 between blanks"),
        ("q1 0 d1 1 extra\n", "line 1: expected 4 columns .* found 5 between blanks"),
        ("q1 0 d1 yes\n", "line 1: relevance must be a whole number, not 'yes'"),
        ("q1 0 d1 0.5\n", "relevance must be a whole number"),
        ("q1 0 d1 1\nq1 0 d1 0\n", "line 2: 'd1' is judged twice for query 'q1'"),
    ],
)
def test_bad_qrels(tmp_path: Path, text: str, message: str) -> None:
    (tmp_path / "bad.qrels").write_text(text)
    with pytest.raises(EvaluationError, match=message) as error:
        read_qrels(tmp_path / "bad.qrels")
    assert "bad.qrels" in str(error.value)


def test_unreadable_files(tmp_path: Path) -> None:
    with pytest.raises(EvaluationError, match="cannot be read"):
        read_run(tmp_path / "none")
    (tmp_path / "binary").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(EvaluationError, match="cannot be read"):
        read_qrels(tmp_path / "binary")
    (tmp_path / "x.gz").write_bytes(b"not gzip")
    with pytest.raises(EvaluationError, match="cannot be read"):
        read_qrels(tmp_path / "x.gz")


@pytest.mark.parametrize(
    ("run", "message"),
    [
        ({"q 1": {"d": 1.0}}, "query_id must be one word"),
        ({"q": {"": 1.0}}, "doc_id must be one word"),
        ({"q": {"d": math.nan}}, "score must be finite"),
        ({"q": {"d": math.inf}}, "score must be finite"),
    ],
)
def test_what_cannot_be_written_leaves_the_file_alone(tmp_path: Path, run: dict, message: str) -> None:
    (tmp_path / "run").write_text("before")
    with pytest.raises(EvaluationError, match=message):
        write_run(run, tmp_path / "run")
    assert (tmp_path / "run").read_text() == "before"


def test_writing_into_no_folder(tmp_path: Path) -> None:
    with pytest.raises(EvaluationError, match="cannot be written"):
        write_run(RUN, tmp_path / "none" / "run")


def test_a_device_is_written_to_and_not_replaced() -> None:
    write_run(RUN, os.devnull)
    assert not Path(os.devnull).is_file()
