"""The shipped lexicon line by line, and files of one's own."""

import json
import re
from importlib.resources import files
from itertools import pairwise
from pathlib import Path

import pytest

from qtie.errors import ConfigError
from qtie.interval import TimeInterval
from qtie.rewriting.events import read_events, shipped_events
from qtie.rewriting.lexicon import LexiconRewriter

LINES = files("qtie.rewriting").joinpath("events.jsonl").read_text("utf-8").splitlines()
EVENTS = {event.label: event for event in shipped_events()}


def test_every_line_is_well_formed_and_sourced() -> None:
    assert len(LINES) >= 400
    for line in LINES:
        record = json.loads(line)
        assert set(record) <= {"names", "interval", "kinds", "people", "note"}, line
        assert len(record["names"]) == len(set(record["names"])), line
        assert re.fullmatch(r"source: \S.{7,}", record["note"]), line
        interval = TimeInterval.parse(record["interval"])
        assert interval.start is not None, line
        assert TimeInterval.parse("-0600").start <= interval.start < TimeInterval.parse("2029").start, line
        assert "people" not in record or "kinds" in record, line


def test_labels_are_unique() -> None:
    assert len(EVENTS) == len(LINES)


def test_an_event_that_still_goes_on_has_an_open_end() -> None:
    going_on = [event for event in EVENTS.values() if event.interval.end is None]
    assert all(event.interval.start > TimeInterval.parse("1950").start for event in going_on)
    assert len(going_on) < 30


@pytest.mark.parametrize(
    ("label", "interval"),
    [  # written down a second time, from memory of the sources
        ("XXIII Olympic Winter Games", "2018-02-09/2018-02-25"),
        ("2020 Summer Olympics", "2021-07-23/2021-08-08"),
        ("2022 FIFA World Cup", "2022-11-20/2022-12-18"),
        ("World War II", "1939-09-01/1945-09-02"),
        ("Falklands War", "1982-04-02/1982-06-14"),
        ("moon landing", "1969-07-20/1969-07-20"),
        ("introduction of the euro", "1999-01-01/1999-01-01"),
        ("Battle of Actium", "-0030-09-02/-0030-09-02"),
        ("Super Bowl L", "2016-02-07/2016-02-07"),
        ("2000 US presidential election", "2000-11-07/2000-11-07"),
    ],
)
def test_days_of_some_events(label: str, interval: str) -> None:
    assert str(EVENTS[label].interval) == interval


@pytest.mark.parametrize(
    "series", ["US president", "French president", "German chancellor", "pope", "Soviet leader", "UN Secretary-General"]
)
def test_terms_of_an_office_do_not_overlap(series: str) -> None:
    terms = sorted(
        (event.interval for event in EVENTS.values() if series in event.kinds), key=lambda interval: interval.start or 0
    )
    assert len(terms) >= 7
    for earlier, later in pairwise(terms):
        assert earlier.end is not None, earlier
        assert earlier.end <= (later.start or 0), (earlier, later)


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("{", "Expecting property name"),
        ("[]", "must be a JSON object"),
        ('{"interval": "2019"}', "field 'names'"),
        ('{"names": [], "interval": "2019"}', "field 'names'"),
        ('{"names": ["the"], "interval": "2019"}', "field 'names'"),
        ('{"names": "x", "interval": "2019"}', "field 'names': must be a list"),
        ('{"names": ["x"]}', "field 'interval': must be a text"),
        ('{"names": ["x"], "interval": "soon"}', "field 'interval': not a date"),
        ('{"names": ["x"], "interval": "2020/2019"}', "field 'interval': interval ends before it starts"),
        ('{"names": ["x"], "interval": "2020", "note": 3}', "field 'note'"),
        ('{"names": ["x"], "interval": "2020", "name": "y"}', "unknown field 'name'"),
    ],
)
def test_a_bad_line_is_named(tmp_path: Path, line: str, said: str) -> None:
    file = tmp_path / "events.jsonl"
    file.write_text('{"names": ["kickoff"], "interval": "2020-05-04"}\n\n' + line + "\n")
    with pytest.raises(ConfigError, match=f"events.jsonl, line 3: .*{re.escape(said)}"):
        read_events(file)


def test_a_missing_file_and_one_in_another_encoding_are_named(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"none\.jsonl: cannot be read: No such file"):
        read_events(tmp_path / "none.jsonl")
    (tmp_path / "latin.jsonl").write_bytes(b'{"names": ["caf\xe9"]}')
    with pytest.raises(ConfigError, match=r"latin\.jsonl: cannot be read"):
        read_events(tmp_path / "latin.jsonl")


def test_a_name_with_several_dates_is_listed_and_not_resolved(tmp_path: Path) -> None:
    lines = [
        {"names": ["Brexit"], "interval": "2016-06-23"},
        {"names": ["Brexit"], "interval": "2020-01-31"},
        {"names": ["the merger", "deal"], "interval": "2019-04-01"},
        {"names": ["the deal"], "interval": "2021"},
        {"names": ["kickoff"], "interval": "2020-05-04"},
        {"names": ["Kickoff"], "interval": "2020-05-04"},
    ]
    files = [tmp_path / "a.jsonl", tmp_path / "b.jsonl"]
    for file, own in zip(files, (lines[::2], lines[1::2]), strict=True):
        file.write_text("".join(json.dumps(event) + "\n" for event in own))
    for given in (files, files[::-1]):
        rewriter = LexiconRewriter(files=given)
        brexit, deal = rewriter.rewrite("trade since Brexit"), rewriter.rewrite("staff after the deal")
        assert (brexit.rewritten, deal.rewritten) == (brexit.question, deal.question)
        assert {str(event.interval) for event in brexit.candidates} == {
            *("2016-06-23/2016-06-23", "2020-01-31/2020-01-31"),
        }
        assert len(deal.candidates) == 2
        assert brexit.reason == "'Brexit' fits 2 events"
        assert rewriter.rewrite("work since the kickoff").rewritten == "work since 4 May 2020"
        assert rewriter.rewrite("staff after the merger").rewritten == "staff after 1 April 2019"


def test_own_events_come_besides_the_shipped_ones_and_before_them(tmp_path: Path) -> None:
    own = [
        {"names": ["Project Kickoff", "kickoff"], "interval": "2020-05-04"},
        {"names": ["vote", "Brexit"], "interval": "2016-06-23"},
        {"names": ["World War II"], "interval": "1937/1945"},
    ]
    file = tmp_path / "own.jsonl"
    file.write_text("".join(json.dumps(event) + "\n" for event in own))
    rewriter = LexiconRewriter(files=[file])
    assert rewriter.rewrite("what was decided after the kickoff").rewritten == "what was decided after 4 May 2020"
    assert rewriter.rewrite("trade since Brexit").rewritten == "trade since 23 June 2016"
    assert rewriter.rewrite("songs from World War II").rewritten == "songs from 1937 to 1945"
    assert rewriter.rewrite("songs from WWI").rewritten == "songs from 28 July 1914 to 11 November 1918"
