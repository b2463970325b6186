"""The commands of those who build extractors, end to end."""

import json
from pathlib import Path

from click.testing import CliRunner

from qtie.cli import main
from qtie.tie.extractors import DEFAULT_EXTRACTOR


def test_data_build_is_deterministic_and_read_by_tie_evaluate(tmp_path: Path) -> None:
    for name in ("a", "b"):
        result = CliRunner().invoke(main, ["data", "build", str(tmp_path / name), "--n", "300", "--seed", "3"])
        assert result.exit_code == 0, result.output
    for file in ("train.jsonl", "dev.jsonl", "test.jsonl", "card.md"):
        assert (tmp_path / "a" / file).read_bytes() == (tmp_path / "b" / file).read_bytes()
    result = CliRunner().invoke(main, ["tie", "evaluate", str(tmp_path / "a" / "test.jsonl"), "--json", "--wrong"])
    assert result.exit_code == 0, result.output
    record = json.loads(result.stdout)
    assert record["kinds"]["all"]["n"] == len((tmp_path / "a" / "test.jsonl").read_text(encoding="utf-8").splitlines())
    assert len(record["wrong"]) == record["kinds"]["all"]["n"] - record["kinds"]["all"]["right"]


def test_bad_files_are_one_line_and_status_2(tmp_path: Path) -> None:
    for content in (
        "",
        "{broken",
        "plain words",
        '{"intervals": []}',
        '{"query": "x"}',
        '{"query": "x", "intervals": "2019"}',
        '{"query": "x", "intervals": [2019]}',
        '{"query": "x", "intervals": ["soon"]}',
        '{"query": "x", "intervals": [], "preference": "best"}',
        '{"query": "x", "intervals": [], "hull": "yes"}',
        '{"query": "x", "intervals": [], "reference_date": "soon"}',
    ):
        (tmp_path / "queries.jsonl").write_text(content, encoding="utf-8")
        result = CliRunner().invoke(main, ["tie", "evaluate", str(tmp_path / "queries.jsonl")])
        assert result.exit_code == 2, content
        assert not result.stdout
        assert len(result.stderr.splitlines()) == 1
        assert "queries.jsonl" in result.stderr


def test_labels_may_be_coarse(tmp_path: Path) -> None:
    (tmp_path / "queries.jsonl").write_text('{"query": "won in 1905", "intervals": ["1905"]}\n', encoding="utf-8")
    result = CliRunner().invoke(main, ["tie", "evaluate", str(tmp_path / "queries.jsonl"), "--extractor", "grammar"])
    assert result.stdout.startswith("all\t100.0")


def test_the_help_names_the_extractor_that_reads_by_default() -> None:
    shown = CliRunner().invoke(main, ["intent", "--help"]).stdout
    assert f"[default: {DEFAULT_EXTRACTOR}]" in " ".join(shown.split())
    assert CliRunner().invoke(main, ["intent", "in 2019", "--json"]).stdout.count(f'"extractor": "{DEFAULT_EXTRACTOR}')
