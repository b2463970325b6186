import json
from pathlib import Path
from typing import Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from qtie.document import Document, inherit_times
from qtie.document_time import DocumentTime, parse_time
from qtie.facets import cue_after, cue_before, is_person, months_ended
from qtie.focus_time import focus_time, with_focus_times
from qtie.intent import IntentOptions
from qtie.interval import Granularity, TimeInterval
from qtie.stated_dates import stated_dates
from qtie.tie.grammar import GrammarExtractor

GOLDEN = [
    json.loads(line) for line in (Path(__file__).parent / "data/focus_time.jsonl").read_text("utf-8").splitlines()
]
FACETS = {"valid": "validity"}  # the golden file's name: ours


def found(text: str, **arguments: str) -> dict[str, list[str]]:
    return {facet: [str(time.interval) for time in times] for facet, times in focus_time(text, **arguments).items()}


@pytest.mark.parametrize("line", range(1, len(GOLDEN) + 1), ids=lambda line: f"{line}-{GOLDEN[line - 1]['layout']}")
def test_golden_text(line: int) -> None:
    record = GOLDEN[line - 1]
    expected = {(FACETS.get(t["facet"], t["facet"]), str(TimeInterval.parse(t["interval"]))) for t in record["times"]}
    read = {(facet, interval) for facet, intervals in found(record["text"]).items() for interval in intervals}
    assert read == expected


def test_golden_layouts() -> None:
    assert len(GOLDEN) >= 100
    assert len({record["layout"] for record in GOLDEN}) >= 8


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "The Prize in Painting 1911.\nMarta Ruiz\nBorn: 27, Mar, 1845, Soria\nDied: 10, Feb, 1923, Madrid",
            {"event": ["1911-01-01/1911-12-31"], "born": ["1845-03-27/1845-03-27"], "died": ["1923-02-10/1923-02-10"]},
        ),
        ("H. Ada Ruiz \nThe Harbour Medal in Design 1931.\nSoria", {"event": ["1931-01-01/1931-12-31"]}),
        ("Cargo list\nTimber fell to 1900 units 1999\nSoria", {"event": ["1900-01-01/1900-12-31"]}),
        ("Marta Ruiz\nBorn\n12 March 1881\nSoria", {"born": ["1881-03-12/1881-03-12"]}),
        (
            "Ana Ruiz (12 March 1881 – 3 April 1950) was a painter.",
            {"born": ["1881-03-12/1881-03-12"], "died": ["1950-04-03/1950-04-03"]},
        ),
        ("Ana Ruiz (born 1951) is a painter.", {"born": ["1951-01-01/1951-12-31"]}),
        ("The Salt War (1881 – 1899) was long.", {"event": ["1881-01-01/1899-12-31"]}),
        ("It was published 3 May 2010.", {"published": ["2010-05-03/2010-05-03"]}),
        ("On April 3, 2012, Ms Starck passed away.", {"died": ["2012-04-03/2012-04-03"]}),
        ("Her daughter Irene was born in 1897.", {"event": ["1897-01-01/1897-12-31"]}),
        ("Last updated: 2023-04-05T10:11:12Z", {"updated": ["2023-04-05/2023-04-05"]}),
        ("Jan 2009 – present: clerk", {"validity": ["2009-01-01/.."]}),
        ("The rule is in force from 1 May 1990.", {"validity": ["1990-05-01/.."]}),
        ("Effective 2019.", {"validity": ["2019-01-01/.."]}),
        ("The rule was repealed on 30 June 2012.", {"validity": ["../2012-06-30"]}),
        ("The rule was repealed with effect from 1 July 2012.", {"validity": ["../2012-06-30"]}),
        ("In force from 1 May 1990. Repealed on 30 June 2012.", {"validity": ["1990-05-01/2012-06-30"]}),
        ("She was chair from 1999 to 2003.", {"validity": ["1999-01-01/2003-12-31"]}),
        ("He walked there in 1826.", {"event": ["1826-01-01/1826-12-31"]}),
        ("for the year ended 31 March 2019", {"event": ["2018-04-01/2019-03-31"]}),
    ],
)
def test_facets(text: str, expected: dict[str, list[str]]) -> None:
    assert found(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "Room 2004, 1,950 seats",
        "It weighs 2000 kg",
        "Boeing 747",
        "see pages 1990 to 1996",
        "ISO 9001:2015",
        "n = 1983",
        "",
    ],
)
def test_numbers_are_no_times(text: str) -> None:
    assert focus_time(text) == {}


def test_confidence_falls_from_label_to_mention() -> None:
    times = focus_time("The Prize in Painting 1911\nBorn: 3 May 1845\nShe died in 1923. In the 1880s she taught.")
    confidence = {facet: [time.confidence for time in found] for facet, found in times.items()}
    assert confidence["born"] > confidence["died"] > [confidence["event"][1]]
    assert confidence["event"][0] > confidence["event"][1]
    assert all(0 < value < 1 for values in confidence.values() for value in values)


def test_units_of_a_validity() -> None:
    (time,) = focus_time("In office: May 1997 – 27 June 2007")["validity"]
    assert time.lasting
    assert (time.start_unit, time.end_unit, time.source) == (Granularity.MONTH, Granularity.DAY, "text")


@pytest.mark.parametrize("separator", "/.-")
@pytest.mark.parametrize(
    ("first", "second", "month_first", "day_first"),
    [("3", "4", "03-04", "04-03"), ("13", "4", "04-13", "04-13"), ("4", "13", "04-13", "04-13")],
)
@pytest.mark.parametrize("order", ["mdy", "dmy"])
def test_queries_texts_and_metadata_order_numeric_dates_alike(
    order: Literal["mdy", "dmy"], first: str, second: str, month_first: str, day_first: str, separator: str
) -> None:
    stated, options = separator.join((first, second, "2010")), IntentOptions(date_order=order)
    expected = TimeInterval.parse(f"2010-{month_first if order == 'mdy' else day_first}")
    assert GrammarExtractor(options).extract(f"signed on {stated}").interval == expected
    assert focus_time(f"Signed on {stated}.", options=options)["event"][0].interval == expected
    stored = parse_time(stated, options=options)
    assert stored is not None
    assert stored.interval == expected


def test_month_comes_first_by_default() -> None:
    assert IntentOptions().date_order == "mdy"


@given(st.text(max_size=300))
def test_never_raises_on_any_text(text: str) -> None:
    assert focus_time(text) == focus_time(text)


_PIECES = """born died in on from to – - ( ) , . : ; 29 February 31 30th May 1900 2019 BC AD 44 3/4/2010 2010-13-45
31.02.2001 since until present early the 1990s 19th century c. ca winter of Q3 FY repealed effective and between © †
FY2020 2009–10 season 1987-06 -lrb- ٣ İ"""
_WORDS = st.sampled_from([*_PIECES.split(), "\n", " "])


@given(st.lists(_WORDS, max_size=25))
def test_never_raises_on_pieces_of_dates(words: list[str]) -> None:
    text = " ".join(words)
    for times in focus_time(text, title=text[:20]).values():
        assert all(0 < time.confidence < 1 and time.source == "text" for time in times)
    assert all(0 <= date.start < date.end <= len(text) for date in stated_dates(text))


class TestWithFocusTimes:
    card = Document(
        doc_id="a", title="Prize in Painting 1911", text="Marta Ruiz. Born: 3 May 1881. She wrote it in 1909."
    )

    def test_born_and_died_stay_out_of_focus_time(self) -> None:
        times = with_focus_times(self.card).times
        assert [str(time.interval)[:4] for time in times["focus_time"]] == ["1911", "1909"]
        assert times["focus_time"][0].confidence > times["focus_time"][1].confidence
        assert [str(time.interval)[:4] for time in times["born"]] == ["1881"]

    def test_does_not_mutate(self) -> None:
        before = dict(self.card.times)
        assert with_focus_times(self.card) is not self.card
        assert self.card.times == before == {}

    def test_metadata_wins(self) -> None:
        born = (DocumentTime(interval=TimeInterval.year(1882), source="birth_date"),)
        timestamp = (DocumentTime(interval=TimeInterval.year(1912), source="date"),)
        times = with_focus_times(self.card.with_times({"born": born, "timestamp": timestamp})).times
        assert times["born"] == born
        assert times["timestamp"] == timestamp
        assert "focus_time" not in times
        assert len(times["event"]) == 2

    def test_again_changes_nothing(self) -> None:
        once = with_focus_times(self.card)
        assert with_focus_times(once) == once

    def test_a_chunk_inherits_and_refines(self) -> None:
        parent = with_focus_times(self.card)
        chunk = with_focus_times(inherit_times(Document(doc_id="a#1", text="It was shown in May 1910."), parent))
        assert chunk.times["born"] == parent.times["born"]
        assert [str(time.interval) for time in chunk.times["focus_time"]] == ["1910-05-01/1910-05-31"]
        silent = with_focus_times(inherit_times(Document(doc_id="a#2", text="It is blue."), parent))
        assert silent.times == parent.times

    def test_nothing_found_leaves_the_times(self) -> None:
        assert with_focus_times(Document(doc_id="b", text="No time here.")).times == {}


def test_cues() -> None:
    assert cue_before("nothing to see in ") is None
    assert cue_after(" it rained.") is None
    assert months_ended("the twelve months ended ") == 12
    assert not is_person("The Copper Owls (", n_years=20)
    assert is_person("ines valcarcel ( ", n_years=86)


def test_stated_dates_take_the_year_of_their_range() -> None:
    intervals = [str(date.interval) for date in stated_dates("from 28 December to 3 January 2006, 5 and 6 May 2007")]
    assert intervals == ["2005-12-28/2006-01-03", "2007-05-05/2007-05-05", "2007-05-06/2007-05-06"]


def test_many_numbers_take_linear_time() -> None:
    assert stated_dates("1,234 5.678 (999) " * 5_000) == []
