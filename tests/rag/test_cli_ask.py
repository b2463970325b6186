"""`qtie ask`: one question, many as JSON lines, and a language model that fails now and then."""

import json
import random
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from qtie.cli import main
from qtie.rag.pipelines import PIPELINES

SAMPLE = str(Path(__file__).parents[2] / "qtie" / "sample" / "corpus.jsonl")
DAY = ("--reference-date", "2025-06-15")
QUESTION = "Who was prime minister of the United Kingdom in 2012?"


def qtie(*arguments: str, stdin: str = "") -> Result:
    return CliRunner().invoke(main, ["ask", *arguments, *DAY, "--extractor", "grammar"], input=stdin)


def test_the_sample_corpus_is_asked_where_none_is_named() -> None:
    result = qtie(QUESTION)
    assert result.exit_code == 0
    assert result.stdout.splitlines()[0] == "David Cameron"
    assert "[cameron-coalition, 2010-05-11/2016-07-13]" in result.stdout
    assert result.stderr == "qtie: no corpus named: asking the sample corpus\n"


def test_a_record_of_json() -> None:
    record = json.loads(qtie(QUESTION, SAMPLE, "--json").stdout)
    assert record["answer"] == "David Cameron"
    assert record["interval"] == {"start": "2012-01-01", "end": "2012-12-31"}
    assert record["citations"][0]["doc_id"] == "cameron-coalition"
    assert (record["pipeline"], record["reader"], record["outside"]) == ("temporal", "extractive", False)
    assert "steps" not in record
    assert json.loads(qtie(QUESTION, SAMPLE, "--json", "--explain").stdout)["steps"][0]["action"] == "ask"


def test_explain_says_what_was_read() -> None:
    said = qtie(QUESTION, SAMPLE, "--explain").stdout
    assert "[in 2012]" in said
    assert "ask: 2012-01-01/2012-12-31; read cameron-coalition" in said


def test_iterative_dates_a_named_event() -> None:
    question = "Who was prime minister of the United Kingdom during the Falklands War?"
    assert qtie(question, SAMPLE, "--pipeline", "iterative").stdout.startswith("Margaret Thatcher\n")
    assert qtie(question, SAMPLE, "--resolve-events").stdout.startswith("Margaret Thatcher\n")


def test_lines_pass_other_keys_through_in_order() -> None:
    lines = [QUESTION, json.dumps({"question": "who was Fed chair in 1980?", "id": 7, "tag": {"a": [1]}}), ""]
    lines += [json.dumps({"question": "who was German chancellor twenty years ago?", "reference_date": "2005-01-01"})]
    records = [json.loads(line) for line in qtie("-", SAMPLE, stdin="\n".join(lines)).stdout.splitlines()]
    assert records[0]["question"] == QUESTION
    assert (records[1]["id"], records[1]["tag"]) == (7, {"a": [1]})
    assert records[2]["interval"]["start"] == "1985-01-01"
    assert all({"answer", "citations", "interval", "pipeline"} <= record.keys() for record in records)


def test_the_help_names_every_pipeline() -> None:
    said = CliRunner().invoke(main, ["ask", "--help"]).stdout
    assert all(name in said for name in PIPELINES)


@pytest.mark.parametrize(
    ("arguments", "stdin", "message"),
    [
        ((QUESTION, "missing.jsonl"), "", "missing.jsonl: No such file or directory"),
        ((QUESTION, SAMPLE, "--store", "s"), "", "give CORPUS or --store, not both"),
        ((QUESTION, "--store", "s", "--encoder", "./nowhere"), "", "no such encoder folder: ./nowhere"),
        ((QUESTION, SAMPLE, "--pipeline", "best"), "", "unknown pipeline 'best'"),
        ((QUESTION, SAMPLE, "--model", "m"), "", "--model goes with --llm"),
        ((QUESTION, SAMPLE, "--llm", "http://localhost:1/v1"), "", "openai needs a model"),
        ((QUESTION, SAMPLE, "--llm", "absent.gguf"), "", "absent.gguf: no such file"),
        ((QUESTION, SAMPLE, "--llm", SAMPLE), "", "neither a GGUF file nor a model's folder"),
        ((QUESTION, SAMPLE, "-k", "0"), "", "-k"),
        (("", SAMPLE), "", "the question is empty"),
        (("-", SAMPLE), '{"question": 3}', "line 1: field 'question': expected a text"),
        (("-", SAMPLE), '{"question": "x", "reference_date": "soon"}', "reference_date must be YYYY-MM-DD"),
        ((QUESTION, SAMPLE, "--pipeline", "closed-book"), "", "it needs --llm"),
        (("-", "-"), "x", "standard input can be read once only"),
    ],
)
def test_bad_input_is_one_line(arguments: tuple[str, ...], stdin: str, message: str) -> None:
    result = qtie(*arguments, stdin=stdin)
    assert result.exit_code == 2
    assert message in result.stderr
    assert len(result.stderr.strip().splitlines()) == 1


def test_a_language_model_reads_with_the_dates_in_its_prompt(llm_server: Any) -> None:
    server = llm_server(lambda request: "David Cameron [1]")
    result = qtie(QUESTION, SAMPLE, "--llm", server.base_url, "--model", "m", "--json")
    record = json.loads(result.stdout)
    assert (record["answer"], record["reader"]) == ("David Cameron", "openai")
    (request,) = server.requests
    said = request["messages"][-1]["content"]
    assert 'time="2010-05-11/2016-07-13"' in said
    assert "(time asked for: 2012)" in said


FAULTS = ("timeout", "HTTP 500", "garbage", "cut", "empty", "too long")


def test_faults_of_the_endpoint_fail_single_questions(llm_server: Any, raw: Any, tmp_path: Path) -> None:
    rng = random.Random(0)

    def reply(request: dict[str, Any]) -> Any:
        fault = rng.choice((*FAULTS, *[""] * 6))
        faults = {
            "timeout": raw(wait_seconds=0.7),
            "HTTP 500": raw(b"oops", status=400),
            "garbage": raw(b"\x00\xff<html>"),
            "cut": raw(b'{"choices": [', cut=True),
            "empty": " ",
            "too long": "word " * 9000,
        }
        return faults.get(fault, "David Cameron [1]")

    server = llm_server(reply)
    (tmp_path / "qtie.toml").write_text("[llm]\ntimeout_seconds = 0.5\nconcurrency = 16\n")
    questions = "\n".join(f"Who was prime minister in {year}?" for year in range(1940, 1990))
    llm = ("--llm", server.base_url, "--model", "m", "--config", str(tmp_path / "qtie.toml"))
    result = qtie("-", SAMPLE, *llm, stdin=questions)
    assert result.exit_code == 0
    records = [json.loads(line) for line in result.stdout.splitlines()]
    assert [record["question"] for record in records] == questions.splitlines()
    failed = [record for record in records if "error" in record]
    assert all(record["answer"] is None and record["error"] for record in failed)
    assert 0 < len(failed) < 50
    assert f"{len(failed)} of 50 questions failed" in result.stderr


def test_a_faulty_line_stops_or_is_skipped(tmp_path: Path) -> None:
    lines = f'{QUESTION}\n{{"question": 3}}\n{{broken\n{QUESTION}'
    stopped = qtie("-", SAMPLE, stdin=lines)
    assert (stopped.exit_code, len(stopped.stdout.splitlines())) == (2, 1)
    assert "line 2: field 'question': expected a text" in stopped.stderr
    place = tmp_path / "skipped.jsonl"
    skipped = qtie("-", SAMPLE, "--on-error", "skip", "--skipped", str(place), stdin=lines)
    assert (skipped.exit_code, len(skipped.stdout.splitlines())) == (0, 2)
    assert skipped.stderr == f"qtie: 2 skipped: {place}\n"
    assert [json.loads(line)["line"] for line in place.read_text().splitlines()] == ['{"question": 3}', "{broken"]


@pytest.mark.parametrize("pipeline", ["standard", "temporal", "iterative", "reranked:mrag"])
def test_every_pipeline_by_name(pipeline: str) -> None:
    result = qtie(QUESTION, SAMPLE, "--pipeline", pipeline, "--json")
    assert json.loads(result.stdout)["pipeline"] == pipeline
