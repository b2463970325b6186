"""`--resolve-events` and `--events` end to end."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from qtie.cli import main

CORPUS = [
    {"_id": "a", "title": "Acme reports sales", "text": "The company said that sales rose.", "date": "2018-02-01"},
    {
        "_id": "b",
        "title": "Acme completes merger with Beta",
        "text": "Acme completed its merger.",
        "date": "2019-03-05",
    },
    {"_id": "c", "title": "Acme cuts costs", "text": "The company said that costs fell.", "date": "2019-06-10"},
]


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("c.jsonl").write_text("".join(json.dumps(record) + "\n" for record in CORPUS))
    Path("events.jsonl").write_text('{"names": ["the kickoff"], "interval": "2018-01"}\n')


def qtie(*arguments: str, stdin: str = "") -> Result:
    return CliRunner().invoke(main, [*arguments, "--extractor", "grammar"], input=stdin, prog_name="qtie")


def test_intent_says_event_days_and_source() -> None:
    record = json.loads(qtie("intent", "songs during the 23rd Winter Olympics", "--resolve-events", "--json").stdout)
    assert record["intervals"] == ["2018-02-09/2018-02-25"]
    [event] = record["events"]
    assert event["interval"] == {"start": "2018-02-09", "end": "2018-02-25"}
    assert (event["source"], event["text"]) == ("lexicon", "23rd Winter Olympics")
    assert record["rewritten"] == "songs from 9 February 2018 to 25 February 2018"
    shown = qtie("intent", "songs during the 23rd Winter Olympics", "--resolve-events", "--explain").stdout
    assert 'event: "23rd Winter Olympics" → 2018-02-09/2018-02-25 (lexicon: XXIII Olympic Winter Games)' in shown


def test_without_the_option_nothing_changes() -> None:
    assert "events" not in json.loads(qtie("intent", "songs since Brexit", "--json").stdout)
    assert "asks for no time" in qtie("intent", "songs since Brexit").stdout


def test_intent_lists_what_words_may_mean() -> None:
    shown = qtie("intent", "songs during Bush's presidency", "--resolve-events").stdout
    assert 'not resolved: "Bush\'s presidency" fits 2 events' in shown
    assert shown.count("it may be:") == 2


def test_many_queries_and_own_events() -> None:
    lines = "sales after the kickoff\nsales since Brexit\nsales in 2018\n"
    result = qtie("intent", "-", "--events", "events.jsonl", stdin=lines)
    records = [json.loads(line) for line in result.stdout.splitlines()]
    assert [record["intervals"] for record in records] == [
        ["2018-02-01/.."],
        ["2020-01-31/.."],
        ["2018-01-01/2018-12-31"],
    ]
    assert [len(record["events"]) for record in records] == [1, 1, 0]


def test_search_grounds_events_in_its_corpus() -> None:
    query = "What did the company say after the merger?"
    found = [
        json.loads(line)["doc_id"]
        for line in qtie("search", query, "c.jsonl", "--resolve-events", "--json").stdout.splitlines()
    ]
    assert found[0] == "c"
    assert json.loads(qtie("search", query, "c.jsonl", "--json").stdout.splitlines()[0])["doc_id"] != "c"


def test_rerank_and_settings_take_events() -> None:
    Path("qtie.toml").write_text('[events]\nfiles = ["events.jsonl"]\n')
    result = qtie("rerank", "what the company said after the kickoff", "c.jsonl", "--explain")
    assert result.exit_code == 0
    assert "2018-02-01/.." in result.stdout


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["intent", "x", "--events", "none.jsonl"], "none.jsonl: cannot be read: No such file or directory"),
        (["search", "x", "c.jsonl", "--events", "c.jsonl"], "c.jsonl, line 1: unknown field '_id'"),
    ],
)
def test_bad_files_are_one_line(arguments: list[str], said: str) -> None:
    result = qtie(*arguments)
    assert result.exit_code == 2
    assert result.stderr.count("\n") == 1
    assert said in result.stderr
