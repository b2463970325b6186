"""`qtie bench` and `qtie tune` end to end on the sample corpus: what they write, and what they say to bad input."""

import json
import resource
from importlib.resources import files
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from qtie.cli import main
from qtie.config import Config
from qtie.evaluation.experiments.registry import EXPERIMENTS
from qtie.evaluation.measures import evaluate
from qtie.evaluation.trec import read_qrels, read_run

SAMPLE = Path(str(files("qtie") / "sample"))


def qtie(*arguments: str) -> Result:
    result = CliRunner().invoke(main, arguments, prog_name="qtie")
    if result.exception and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_one_experiment_on_the_sample_corpus() -> None:
    def cpu_seconds() -> float:
        usages = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
        return sum(usage.ru_utime + usage.ru_stime for usage in usages)

    before = cpu_seconds()
    result = qtie("bench", "overall", "--ranker", "none,qtie,mrag", "--ranker", "tempralm")
    assert (result.exit_code, result.stdout) == (0, "bench/report.html\n"), result.output
    assert cpu_seconds() - before < 20
    assert Path("bench/report.html").stat().st_size > 10_000
    record = json.loads(Path("bench/results.json").read_text())
    assert record["config"]["rankers"] == ["none", "qtie", "mrag", "tempralm"]
    assert record["failed"] == []
    cells = {(cell["ranker"], cell["subset"]): cell for cell in record["cells"]}
    assert {subset for _, subset in cells} == {"all", "simple", "complex"}
    assert cells["qtie", "all"]["n_queries"] == 160
    assert cells["qtie", "all"]["measures"]["P@1"] > 2 * cells["none", "all"]["measures"]["P@1"]
    assert {"dataset", "subset", "retriever", "ranker", "measures"} <= set(cells["qtie", "all"])
    assert Path("bench/tables/overall.md").read_text().count("| bm25") == 4
    assert r"\toprule" in Path("bench/tables/overall-sample.tex").read_text()
    run, qrels = read_run("bench/runs/sample-bm25-qtie.run"), read_qrels(SAMPLE / "qrels" / "test.tsv")
    by_ir_measures = evaluate(qrels, run, ["nDCG@10", "R@5"]).means
    for name, value in by_ir_measures.items():
        assert value == pytest.approx(cells["qtie", "all"]["measures"][name], abs=1e-5)
    rows = Path("bench/per_query/sample.bm25.tsv").read_text().splitlines()
    assert len(rows) == 1 + 4 * 160
    queries = [json.loads(line) for line in Path("bench/queries/sample.bm25.jsonl").read_text().splitlines()]
    assert 30 <= len(queries) <= 60
    assert {(q["measures"]["none"]["P@1"], q["measures"]["qtie"]["P@1"]) for q in queries} >= {(0.0, 1.0), (1.0, 1.0)}
    first = queries[0]["rankings"]["qtie"][0]
    assert {"rank", "doc_id", "text", "time", "relation", "semantic_score", "temporal_score", "relevant"} <= set(first)


def test_all_experiments_with_few_rankers() -> None:
    result = qtie("bench", "all", "--ranker", "none,filter,qtie", "--queries", "30")
    assert result.exit_code == 0, result.output
    record = json.loads(Path("bench/results.json").read_text())
    assert record["experiments"] == list(EXPERIMENTS)
    with_tables = {table["experiment"] for table in record["tables"]}
    assert with_tables == set(EXPERIMENTS)
    for plot in record["plots"]:
        assert Path("bench", plot["file"]).stat().st_size > 2_000
    mixed = next(table for table in record["tables"] if table["experiment"] == "mixed")
    ours = next(row for row in mixed["rows"] if row["ranker"] == "qtie")
    alone = next(row for row in mixed["rows"] if row["ranker"] == "none")
    assert ours["unchanged"] == 100
    assert ours["0 %"] == alone["0 %"]
    assert all("condition" in cell for cell in record["cells"])


def test_a_failing_cell_leaves_the_others(monkeypatch: pytest.MonkeyPatch) -> None:
    result = qtie("bench", "overall", "--ranker", "none", "--retriever", "bm25,dense:no/such/folder")
    assert result.exit_code == 2
    assert "1 parts failed" in result.stderr
    record = json.loads(Path("bench/results.json").read_text())
    assert [cell["retriever"] for cell in record["failed"]] == ["dense:no/such/folder"]
    assert {cell["retriever"] for cell in record["cells"]} == {"bm25"}


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["fastest"], "unknown experiment 'fastest'"),
        (["overall", "--ranker", "best"], "unknown ranker 'best'"),
        (["overall", "--retriever", "bm26"], "unknown retriever 'bm26'"),
        (["overall", "--data", "wikipedia"], "unknown data set 'wikipedia'"),
        (["overall", "--data", "timeqa", "--data-dir", "nowhere"], "nowhere"),
        (["overall", "--extractor", "oracle"], "oracle"),
        (["overall", "--jobs", "0"], "--jobs"),
        (["overall", "--data", ","], "--data"),
        (["overall", "--data-dir", "nowhere"], "nowhere"),
        (["overall", "--frames", "nowhere.jsonl"], "nowhere.jsonl"),
        (["overall", "--browse", "nobel"], "--browse"),
        (["overall", "--out", "file/below"], "file/below: cannot be written to"),
        (["overall", "--cache", "file"], "--cache"),
        (["tie-tir", "--predictions", "file"], "file"),
        (["tie-tir", "--predictions", "none.jsonl"], "none.jsonl"),
        ([], "EXPERIMENT"),
    ],
)
def test_bad_input_is_one_line_before_any_work(arguments: list[str], message: str) -> None:
    Path("file").write_text("{}\n")
    result = qtie("bench", *arguments)
    assert result.exit_code == 2
    assert message in result.stderr
    lines = [line for line in result.stderr.splitlines() if "documents, " not in line]
    assert len(lines) == 1
    assert not Path("bench").exists()


class TestTune:
    def files(self) -> list[str]:
        return [str(SAMPLE / "qrels" / "test.tsv"), str(SAMPLE / "corpus.jsonl"), str(SAMPLE / "queries.jsonl")]

    def test_writes_what_it_found(self) -> None:
        Path("qtie.toml").write_text("[ranking]\ntemporal_weight = 0.05\n")
        refused = qtie("tune", *self.files(), "--folds", "3")
        assert refused.exit_code == 2
        assert "temporal_weight is 0.05 already" in refused.stderr
        result = qtie("tune", *self.files(), "--folds", "3", "--overwrite")
        assert result.exit_code == 0, result.output
        assert "95 % interval" in result.stdout
        chosen = Config.load("qtie.toml").ranking
        assert chosen.temporal_weight is not None
        assert chosen.temporal_weight > 0.2
        assert f"temporal_weight = {chosen.temporal_weight}" in result.stdout

    def test_a_dry_run_writes_nothing(self) -> None:
        result = qtie("tune", *self.files(), "--dry-run")
        assert result.exit_code == 0
        assert "nothing written" in result.stderr
        assert not Path("qtie.toml").exists()

    def test_bad_input(self) -> None:
        Path("qrels").write_text("nobody 0 nothing 1\n")
        result = qtie("tune", "qrels", *self.files()[1:])
        assert result.exit_code == 2
        assert "'nobody'" in result.stderr
        Path("qrels").write_text("")
        assert "no judgements" in qtie("tune", "qrels", *self.files()[1:]).stderr

    def test_says_before_the_work_that_nothing_could_be_written(self) -> None:
        Path("qtie.toml").write_text("[retrieval]\ndense_weight = 0.3\n")
        taken = qtie("tune", "nowhere", "nowhere", "nowhere")
        assert "dense_weight is 0.3 already" in taken.stderr
        Path("file").write_text("")
        assert "file/below.toml: cannot be written" in qtie("tune", *self.files(), "--out", "file/below.toml").stderr

    def test_says_what_it_leaves_out(self) -> None:
        assert "20 of 160 queries are left out" in qtie("tune", *self.files(), "--folds", "2", "--dry-run").stderr
