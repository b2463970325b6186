"""How questions are read: entities, roles, predicates, what is asked, events."""

import json
from importlib.resources import files
from pathlib import Path

import pytest

from qtie.errors import DocumentError
from qtie.interval import Granularity
from qtie.tkg.linking import EntityLinker
from qtie.tkg.question import read_question
from qtie.tkg.relations import RelationMatcher, read_phrases, shipped_phrases
from qtie.tkg.roles import ASKED, Clause, Place, roles

LABELS = [
    *("Citizen (Nigeria)", "Nigeria", "Foreign Affairs (France)", "France", "Defense / Security Ministry (Denmark)"),
    *("Barack Obama", "Xi Jinping", "China", "Police (South Korea)"),
    "Cabinet / Council of Ministers / Advisors (United States)",
    *("Palestinian Territory, Occupied", "team", "The Who"),
]  # fmt: skip


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("Who met a citizen of Nigeria?", ["Citizen (Nigeria)"]),
        ("Who met Nigerian citizens?", ["Citizen (Nigeria)"]),
        ("Who met Nigeria's citizens?", ["Citizen (Nigeria)"]),
        ("Who met Citizen (Nigeria)?", ["Citizen (Nigeria)"]),
        ("Did France's foreign ministry meet Nigeria?", ["Foreign Affairs (France)", "Nigeria"]),
        ("What did the French Foreign Minister say?", ["Foreign Affairs (France)"]),
        ("After the Danish ministry, who spoke?", ["Defense / Security Ministry (Denmark)"]),
        ("Who praised Chinese President Xi Jinping?", ["Xi Jinping"]),
        ("Who was met by Obama?", ["Barack Obama"]),
        ("Did the South Korean police meet the U.S. cabinet?", ["Police (South Korea)", LABELS[9]]),
        ("Who spoke of Palestinian Territory, Occupied?", ["Palestinian Territory, Occupied"]),
        ("who played for what team", []),
        ("who asked us in May", []),
    ],
)
def test_entities_are_linked_by_their_words(question: str, expected: list[str]) -> None:
    mentions = EntityLinker(LABELS).link(question)
    assert [LABELS[mention.entities[0][0]] for mention in mentions] == expected


def test_masked_words_name_nothing() -> None:
    assert EntityLinker(["May"]).link("Who spoke in May 2012?", masked=[(13, 21)]) == []


@pytest.mark.parametrize(
    ("question", "asked"),
    [
        ("Who praised Kenya?", "subject"),
        ("Who was praised by Kenya?", "object"),
        ("Whom did Kenya praise?", "object"),
        ("By whom was Kenya praised?", "subject"),
        ("Who was Kenya praised by?", "subject"),
        ("With which country did Kenya sign a deal?", "object"),
        ("Who was the first to visit Kenya?", "subject"),
        ("Who was the last to be criticised by Kenya?", "object"),
        ("Who was the last person Kenya visited?", "object"),
        ("Who received aid from Kenya?", "object"),
        ("From whom did Kenya receive aid?", "subject"),
        ("Who received Kenya as a guest?", "subject"),
        ("Tell me whom Kenya threatened.", "object"),
        ("Kenya criticised whom?", "object"),
        ("Who was optimistic about Kenya?", "subject"),
        ("Name the country that Kenya criticised.", "object"),
    ],
)
def test_the_role_of_what_is_asked(question: str, asked: str) -> None:
    at = question.index("Kenya")
    read = read_question(question, named=[(at, at + 5)])
    kept = question
    for start, end in read.removed:
        kept = kept[:start] + " " * (end - start) + kept[end:]
    assert read.asked is not None
    places = sorted([Place(0, (at, at + 5)), Place(ASKED, read.asked)], key=lambda place: place.span)
    assert roles(Clause(kept, tuple(places)))[ASKED] == asked


@pytest.mark.parametrize(
    ("text", "kenya"),
    [
        ("Kenya praised Nepal", "subject"),
        ("Kenya's visit to Nepal", "subject"),
        ("the visit of Kenya to Nepal", "subject"),
        ("the arrest of Kenya by Nepal", "object"),
        ("the attack on Kenya by Nepal", "object"),
        ("praise for Kenya from Nepal", "object"),
        ("Kenya was praised by Nepal", "object"),
        ("Kenya came under fire from Nepal", "object"),
    ],
)
def test_the_roles_in_an_event(text: str, kenya: str) -> None:
    places = tuple(Place(n, (text.index(name), text.index(name) + 5)) for n, name in enumerate(("Kenya", "Nepal")))
    found = roles(Clause(text, places))
    assert found == {0: kenya, 1: "object" if kenya == "subject" else "subject"}


@pytest.mark.parametrize(
    ("question", "asks", "unit", "order"),
    [
        ("Who first visited XXXX?", "entity", None, "first"),
        ("On which day did XXXX last meet XXX?", "date", Granularity.DAY, "last"),
        ("What was the first month when XXXX met XXX?", "date", Granularity.MONTH, "first"),
        ("Tell me the year when XXXX met XXX.", "date", Granularity.YEAR, None),
        ("When did XXXX meet XXX?", "date", None, None),
        ("Who visited XXXX on the last day of May 2012?", "entity", None, None),
        ("Who, right before 2012, visited XXXX?", "entity", None, "last"),
        ("Which country visited XXXX in the same month as XXX?", "entity", None, None),
    ],
)
def test_what_is_asked(question: str, asks: str, unit: Granularity | None, order: str | None) -> None:
    dates = [(question.index("before 2012"), question.index("before 2012") + 11)] if "before 2012" in question else []
    named = [(at, at + 4) for at in [question.index("XXXX")]]
    read = read_question(question, named=named, dates=dates)
    assert (read.asks, read.unit, read.order) == (asks, unit, order)


@pytest.mark.parametrize(
    ("question", "direction", "words"),
    [
        ("After AAAA praised BBBB, who visited CCCC?", "after", "AAAA praised BBBB"),
        ("Who visited CCCC before AAAA praised BBBB?", "before", "AAAA praised BBBB"),
        ("Who visited CCCC on the same day as AAAA?", "same", "AAAA"),
        ("AAAA praised BBBB. Who visited CCCC after that?", "after", "AAAA praised BBBB"),
        ("Apart from AAAA, who else visited CCCC at an earlier date?", "before", "AAAA"),
        ("In which year did both AAAA's visit to BBBB and CCCC's arrest occur?", "same", "CCCC's arrest"),
    ],
)
def test_the_event_that_a_question_refers_to(question: str, direction: str, words: str) -> None:
    named = sorted((question.index(n), question.index(n) + 4) for n in ("AAAA", "BBBB", "CCCC") if n in question)
    event = read_question(question, named=named).event
    assert event is not None
    assert (event.direction, question[slice(*event.span)]) == (direction, words)


def test_a_date_is_no_event() -> None:
    assert read_question("Who visited XXXX after May 2012?", named=[(12, 16)], dates=[(17, 31)]).event is None


@pytest.mark.parametrize(
    ("words", "label"),
    [
        ("paid a visit to", "Make a visit"),
        ("denounced", "Criticize or denounce"),
        ("promised to provide humanitarian aid to", "Express intent to provide humanitarian aid"),
        ("gave humanitarian aid to", "Provide humanitarian aid"),
    ],
)
def test_predicates_by_shared_words(words: str, label: str) -> None:
    labels = [
        "Make a visit",
        "Criticize or denounce",
        "Provide humanitarian aid",
        "Express intent to provide humanitarian aid",
    ]
    found = RelationMatcher(labels, phrases=shipped_phrases()).probabilities(words)
    assert labels[int(found.argmax())] == label
    assert found.sum() == pytest.approx(1)


def test_an_unknown_relation_is_no_sure_one() -> None:
    found = RelationMatcher(["Make a visit", "Consult"], phrases={}).probabilities("knighted")
    assert found.max() < 0.6


def test_phrases_of_ones_own(tmp_path: Path) -> None:
    path = tmp_path / "phrases.jsonl"
    path.write_text(json.dumps({"relation": "Consult", "phrases": ["picked the brains of"]}), encoding="utf-8")
    found = RelationMatcher(["Make a visit", "Consult"], phrases=read_phrases(path)).probabilities(
        "picked the brains of"
    )
    assert found[1] > 0.9
    path.write_text('{"relation": "Consult"}', encoding="utf-8")
    with pytest.raises(DocumentError, match="line 1"):
        read_phrases(path)


def test_the_shipped_phrases_are_well_formed() -> None:
    lines = (files("qtie.tkg") / "relations.jsonl").read_text(encoding="utf-8").splitlines()
    records = [json.loads(line) for line in lines]
    assert len({record["relation"] for record in records}) == len(records)
    assert all(record["phrases"] and all(map(str.strip, record["phrases"])) for record in records)
