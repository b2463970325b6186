"""`qtie tkg index` and `qtie tkg ask`, as they are called."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from qtie.cli import main
from qtie.tkg.fact import Fact

GRAMMAR = ["--extractor", "grammar"]


def run(*arguments: str, stdin: str | None = None) -> Result:
    return CliRunner().invoke(main, ["tkg", *arguments], input=stdin)


@pytest.fixture(scope="module")
def folder(facts: list[Fact], tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("tkg")
    lines = [f"{f.subject}\t{f.predicate}\t{f.object}\t{f.to_dict()['time'] or ''}\n" for f in facts]
    (root / "facts.tsv").write_text("".join(lines), encoding="utf-8")
    result = run("index", str(root / "facts.tsv"), str(root / "store"), "--encoder", "none")
    assert result.exit_code == 0, result.output
    assert result.stdout.startswith(f"{len(facts)} facts, ")
    return root


def test_the_papers_example(folder: Path) -> None:
    question = "After the Danish ministry, who first visited Iraq?"
    result = run("ask", question, "--store", str(folder / "store"), *GRAMMAR)
    assert (result.exit_code, result.stdout) == (0, "Jack Straw\n")
    explained = run("ask", question, "--store", str(folder / "store"), "--explain", *GRAMMAR).stdout
    stages = [
        "question:",
        "asks for:",
        "event:",
        "rewritten:",
        "asked time:",
        "facts before time:",
        "facts by time:",
        "answer:",
    ]
    at = [explained.index(stage) for stage in stages]
    assert at == sorted(at)


def test_json_lines_pass_other_keys_through(folder: Path) -> None:
    lines = [
        {"id": 7, "question": "Who visited Iraq in April 2006?"},
        {"id": 8, "question": "Who visited Iraq before Iran criticised Barack Obama?"},
    ]
    stdin = "\n".join(map(json.dumps, lines))
    result = run("ask", "-", "--store", str(folder / "store"), *GRAMMAR, stdin=stdin)
    assert result.exit_code == 0, result.output
    first, second = map(json.loads, result.stdout.splitlines())
    assert (first["id"], first["answers"][0], first["abstained"]) == (7, "Jack Straw", False)
    assert first["facts"][0]["time"] == "2006-04-02"
    assert second["abstained"]
    assert len(second["candidates"]) == 2
    assert second["rewritten"] == lines[1]["question"]


OFFICES = """\
subject\trelation\tobject\tstart\tend
Anna Bianchi\tmayor of\tRavenna\t2001\t2006
Carlo Neri\tmayor of\tRavenna\t2007\t
Carlo Neri\tvisited\tOslo\t2010-11-05
"""


@pytest.fixture(scope="module")
def offices(tmp_path_factory: pytest.TempPathFactory) -> str:
    root = tmp_path_factory.mktemp("offices")
    (root / "facts.tsv").write_text(OFFICES, encoding="utf-8")
    result = run("index", str(root / "facts.tsv"), str(root / "store"), "--encoder", "none")
    assert result.stdout.startswith("3 facts, 4 entities, 2 predicates")
    assert result.stderr == "qtie: facts with an open end, which still go on: 1\n"
    return str(root / "store")


@pytest.mark.parametrize(
    ("question", "reason", "nearest"),
    [
        ("Who was the king of Ravenna in 2003?", 'no predicate of the graph is like "king of"', "Anna Bianchi"),
        ("Who was mayor of Ravenna in 1990?", "no fact that fits is of the asked time", "Anna Bianchi"),
        ("Who visited Oslo twice?", '"twice" is not decided', "Carlo Neri"),
        ("Did Anna Bianchi visit Oslo?", "no fact tells of it", ""),
    ],
)
def test_an_answer_in_doubt_is_not_on_stdout(offices: str, question: str, reason: str, nearest: str) -> None:
    asked = ["ask", question, "--store", offices, *GRAMMAR]
    plain = run(*asked)
    assert (plain.exit_code, plain.stdout) == (0, "")
    told = [f"qtie: {reason}", *([f"qtie: nearest: {nearest}"] if nearest else [])]
    assert plain.stderr.splitlines() == told
    record = json.loads(run(*asked, "--json").stdout)
    assert (record["abstained"], record["reason"], record["best_answers"]) == (
        True,
        reason,
        [nearest] if nearest else [],
    )
    last = run(*asked, "--explain").stdout.splitlines()[-1]
    assert last == (f"answer: none; nearest: {nearest}" if nearest else "answer: none")


def test_an_answer_that_holds_is_alone_on_stdout(offices: str) -> None:
    result = run("ask", "Who was mayor of Ravenna in 2003?", "--store", offices, *GRAMMAR)
    assert (result.stdout, result.stderr) == ("Anna Bianchi\n", "")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["ask", "Who?", "--store", "nowhere"], "no store of facts"),
        (["ask", " ", "--store", "nowhere"], "the question is empty"),
        (["index", "nowhere.tsv", "out", "--encoder", "none"], "nowhere.tsv: No such file"),
        (["ask", "Who?", "--store", "nowhere", "--llm-model", "m"], "no store of facts"),
    ],
)
def test_errors_are_one_line(
    arguments: list[str], message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    result = run(*arguments)
    assert result.exit_code == 2
    assert message in result.stderr
    assert len(result.stderr.splitlines()) == 1
    assert list(tmp_path.iterdir()) == []


def test_a_line_without_a_question(folder: Path) -> None:
    result = run("ask", "-", "--store", str(folder / "store"), *GRAMMAR, stdin='{"id": 1}\n')
    assert result.exit_code == 2
    assert "line 1: field 'question'" in result.stderr
