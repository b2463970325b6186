"""What an encoder of facts is trained on: questions read, and the three kinds of wrong facts."""

import json
from pathlib import Path
from random import Random

import pytest

from qtie.errors import DocumentError
from qtie.interval import TimeInterval
from qtie.tie.grammar import GrammarExtractor
from qtie.tkg.encoder_training import FactQuestion, fact_triples, read_fact_questions, wrong_time
from qtie.tkg.fact import Fact


def _fact(fact_id: str, subject: str, predicate: str, object_: str, time: str, *, lasting: bool = False) -> Fact:
    return Fact(
        subject=subject, predicate=predicate, object=object_, fact_id=fact_id, lasting=lasting,
        interval=TimeInterval.parse(time) if time else None,
    )  # fmt: skip


VISIT = _fact("f1", "Denmark", "Host a visit", "Iraq", "2010-05-23")
FACTS = [
    VISIT,
    _fact("f2", "Peru", "Praise", "Chile", "2010-05-23"),
    _fact("f3", "Denmark", "Accuse", "Norway", "2010-05-23"),
    _fact("f4", "Ghana", "Consult", "Togo", "2012-01-01"),
]
TERM = _fact("f5", "Ann", "leads", "Club", "1994/1997", lasting=True)


def _write(path: Path, *records: object) -> Path:
    path.write_text("".join(json.dumps(record) + "\n" for record in records), encoding="utf-8")
    return path


def test_gold_facts_are_named_by_id_or_by_content(tmp_path: Path) -> None:
    content = {"subject": "Peru", "relation": "Praise", "object": "Chile", "date": "2010-05-23"}
    path = _write(
        tmp_path / "q.jsonl",
        {"question": "by id", "gold_facts": ["f1"]},
        {"question": "by content", "gold_facts": [content]},
        {"question": "without", "gold_facts": []},
    )
    assert list(read_fact_questions(path, FACTS)) == [
        FactQuestion("by id", (VISIT,)), FactQuestion("by content", (FACTS[1],)),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("record", "reason"),
    [
        ({"question": "q", "gold_facts": ["f9"]}, "no such fact or field: 'f9'"),
        ({"gold_facts": ["f1"]}, "no such fact or field: 'question'"),
        ({"question": "q", "gold_facts": [{"subject": "Peru"}]}, "no such fact or field"),
        ({"question": "q", "gold_facts": 3}, "not a question"),
        ([], "not a question"),
        (
            {"question": "q", "gold_facts": [{"subject": "a", "relation": "b", "object": "c", "date": "May"}]},
            "not a question",
        ),
    ],
)
def test_a_faulty_line_is_named(tmp_path: Path, record: object, reason: str) -> None:
    with pytest.raises(DocumentError, match=f"line 1: {reason}"):
        list(read_fact_questions(_write(tmp_path / "q.jsonl", record), FACTS))


@pytest.mark.parametrize(
    ("question", "wrong_days"),
    [
        ("Who visited before 2010-06-01?", {(9, 19)}),
        ("Who visited after 2010-05-01?", {(-32, -22)}),
        ("Who visited on 2010-05-23?", {(1, 11), (-11, -1)}),
        ("Who visited in May 2010?", {(9, 19), (-33, -23)}),
    ],
)
def test_a_wrong_time_is_up_to_ten_days_beyond_a_bound(question: str, wrong_days: set[tuple[int, int]]) -> None:
    intent = GrammarExtractor().extract(question)
    assert intent.interval is not None
    assert VISIT.interval is not None
    assert VISIT.interval.start is not None
    for seed in range(60):
        moved = wrong_time(VISIT, intent, Random(seed))
        assert moved is not None
        assert moved.interval is not None
        assert moved.interval.start is not None
        assert moved.interval.start == moved.interval.end
        assert not moved.interval.overlaps(intent.interval)
        days = moved.interval.start - VISIT.interval.start
        assert any(first <= days <= last for first, last in wrong_days), days


def test_a_lasting_fact_moves_whole_and_in_its_own_unit() -> None:
    intent = GrammarExtractor().extract("Who led the club in 1995?")
    assert intent.interval is not None
    for seed in range(20):
        moved = wrong_time(TERM, intent, Random(seed))
        assert moved is not None
        assert moved.interval is not None
        assert not moved.interval.overlaps(intent.interval)
        first, last = (int(year) for year in moved.verbalized.removeprefix("Ann leads Club from ").split(" to "))
        assert last - first == 3


@pytest.mark.parametrize("question", ["Who visited first?", "Who visited?"])
def test_without_a_date_no_time_is_wrong(question: str) -> None:
    assert wrong_time(VISIT, GrammarExtractor().extract(question), Random(0)) is None


def test_a_fact_without_a_time_or_end_has_no_wrong_time() -> None:
    asked = GrammarExtractor().extract("Who visited in 2010?")
    assert wrong_time(_fact("a", "a", "b", "c", ""), asked, Random(0)) is None
    assert wrong_time(_fact("a", "a", "b", "c", "2010/..", lasting=True), asked, Random(0)) is None


def test_each_question_gets_one_negative_of_each_kind() -> None:
    (triple,) = fact_triples([FactQuestion("Who visited Denmark on 2010-05-23?", (VISIT,))], FACTS, seed=1)
    assert [text.text for text in triple.positives] == [VISIT.verbalized]
    moved, other, both = (text.text for text in triple.negatives)
    assert moved.startswith("Denmark Host a visit Iraq in 2010-")
    assert moved != VISIT.verbalized
    assert other == "Peru Praise Chile in 2010-05-23"  # not f3: it shares Denmark
    assert both.rsplit(" ", 1)[1] == moved.rsplit(" ", 1)[1]
    assert both.split(" in ")[0] in ("Peru Praise Chile", "Ghana Consult Togo")


def test_another_right_fact_is_no_negative() -> None:
    question = FactQuestion("Who did something on 2010-05-23?", (VISIT, FACTS[1]))
    for seed in range(10):
        (triple,) = fact_triples([question], FACTS, seed=seed)
        assert not {text.text for text in triple.negatives} & {VISIT.verbalized, FACTS[1].verbalized}


def test_the_same_seed_gives_the_same_triples() -> None:
    questions = [FactQuestion("Who visited Denmark in 2010?", (VISIT,))]
    assert fact_triples(questions, FACTS, seed=4) == fact_triples(questions, FACTS, seed=4)
