"""Questions over a temporal knowledge graph: each form's answers over a few facts, found by hand."""

import random
import sys
from itertools import pairwise
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).resolve().parent.parent
sys.path.append(str(REPOSITORY / "benchmarks"))

from tkg_names import date_words, entity_words  # noqa: E402
from tkg_questions import (  # noqa: E402
    FORMS,
    Graph,
    Reference,
    answers_of,
    make_questions,
    read_facts,
    seen_relations,
    selected,
)
from tkg_wording import DATA, Fact, fill, read_lines, with_order  # noqa: E402

VISIT, PRAISE = "Make a visit", "Praise or endorse"
ANA_MAY = Fact("Ana", VISIT, "Iraq", "2010-05-03")
BO_MAY = Fact("Bo", VISIT, "Iraq", "2010-05-31")
CY_JUNE = Fact("Cy", VISIT, "Iraq", "2010-06-01")
DI_JUNE = Fact("Di", VISIT, "Iraq", "2010-06-01")
ANA_2011 = Fact("Ana", VISIT, "Iraq", "2011-05-03")
ANA_OMAN = Fact("Ana", VISIT, "Oman", "2010-05-04")
EVENT = Fact("Ed", PRAISE, "Flo", "2010-05-31")
FACTS = (ANA_2011, BO_MAY, DI_JUNE, ANA_MAY, CY_JUNE, ANA_OMAN, EVENT)
GRAPH = Graph(FACTS)


@pytest.mark.parametrize(
    ("form", "reference", "operator", "order", "answers"),
    [
        ("equal", Reference("2010-06-01"), "in", None, "Cy Di"),
        ("equal", Reference("2010-05"), "in", None, "Ana Bo"),
        ("equal", Reference("2011"), "in", None, "Ana"),
        ("before_after", Reference("2010-05-31"), "before", None, "Ana"),
        ("before_after", Reference("2010-06"), "before", None, "Ana Bo"),
        ("before_after", Reference("2010-05"), "after", None, "Ana Cy Di"),
        ("before_after", Reference("2010"), "after", None, "Ana"),
        ("before_after", Reference("2010-05-31", EVENT), "after", None, "Ana Cy Di"),
        ("first_last", Reference(), None, "first", "Ana"),
        ("first_last", Reference(), None, "last", "Ana"),
        ("before_last", Reference("2011"), "before", "last", "Cy Di"),
        ("before_last", Reference("2010-05-31", BO_MAY), "before", "last", "Ana"),
        ("after_first", Reference("2010-05"), "after", "first", "Cy Di"),
        ("after_first", Reference("2010-05-31", EVENT), "after", "first", "Cy Di"),
        ("equal_multi", Reference("2010-05-31", EVENT), "in", None, "Bo"),
        ("equal_multi", Reference("2010-05", EVENT), "in", None, "Ana Bo"),
        ("equal_multi", Reference("2010-05", BO_MAY), "in", None, "Ana"),
        ("equal_multi", Reference("2010"), "in", "last", "Cy Di"),
        ("equal_multi", Reference("2010-05"), "in", "first", "Ana"),
    ],
)
def test_who_visited_iraq(form, reference, operator, order, answers):
    gold = selected(GRAPH.alike(BO_MAY, "subject"), reference, operator=operator, order=order)
    assert form in FORMS
    assert answers_of(gold, "subject", "entity") == answers.split()


@pytest.mark.parametrize(
    ("reference", "operator", "order", "unit", "answers"),
    [
        (Reference(), "in", None, "day", "2010-05-03 2011-05-03"),
        (Reference("2010"), "in", None, "month", "2010-05"),
        (Reference("2010-05-31", EVENT), "before", None, "day", "2010-05-03"),
        (Reference(), None, "last", "year", "2011"),
        (Reference("2011"), "before", "last", "month", "2010-05"),
        (Reference("2010-05-03"), "after", "first", "day", "2011-05-03"),
        (Reference("2010-05-03"), "before", "last", "day", ""),
        (Reference("2010", EVENT), "in", None, "day", "2010-05-03"),
    ],
)
def test_when_did_ana_visit_iraq(reference, operator, order, unit, answers):
    gold = selected(GRAPH.alike(ANA_MAY, "time"), reference, operator=operator, order=order)
    assert answers_of(gold, "time", unit) == answers.split()


def test_the_asked_object_keeps_the_subject():
    gold = selected(GRAPH.alike(ANA_MAY, "object"), Reference("2010-05"), operator="in", order=None)
    assert answers_of(gold, "object", "entity") == ["Iraq", "Oman"]


@pytest.fixture(scope="module")
def made_up_facts():
    rng = random.Random(7)
    names = [record["relation"] for record in read_lines(DATA / "tkg_relations.jsonl")][:8]
    people = [f"Person {letter}" for letter in "ABCDEFGH"]
    days = [f"{year}-{month:02}-{day:02}" for year in (2009, 2010) for month in (1, 2, 7) for day in range(1, 28)]
    return sorted(
        {Fact(rng.choice(people), rng.choice(names), rng.choice(people), rng.choice(days)) for _ in range(700)}
    )


@pytest.mark.parametrize(("split", "n"), [("test", 120), ("train", 60)])
def test_questions_are_well_posed(made_up_facts, split, n):
    questions = list(make_questions(made_up_facts, n, split=split))
    facts = set(made_up_facts)
    assert {q["form"] for q in questions} == set(FORMS)
    assert {q["answer_type"] for q in questions} == {"entity", "day", "month", "year"}
    assert len({q["id"] for q in questions}) == len({q["question"] for q in questions}) == n
    for question in questions:
        assert 1 <= len(question["answers"]) <= 30
        assert "{" not in question["question"]
        assert "  " not in question["question"]
        gold = [Fact(**fact) for fact in question["gold_facts"]]
        assert facts.issuperset(gold)
        assert question["answers"] == answers_of(gold, question["asked"], question["answer_type"])
        assert set(question["answers"]) == found_by_scan(question, facts)
        check_event(question, facts)
        if split == "train":
            assert seen_relations().issuperset(question["relations"])


def found_by_scan(question, facts):
    """The answers by comparing every fact with one that answers, in intervals of whole days."""
    gold, asked = question["gold_facts"][0], question["asked"]
    kept = {"subject", "relation", "object"} - {asked}
    pool = [fact for fact in facts if all(getattr(fact, slot) == gold[slot] for slot in kept)]
    reference = question["reference"] or ""
    start, end = (reference + "-01-01")[:10], (reference + "-12-31"[3 * (len(reference) > 4) :])[:10]
    inside = {
        None: lambda day: True,
        "in": lambda day: not reference or start <= day <= end,
        "before": lambda day: day < start,
        "after": lambda day: day > end,
    }[question["operator"]]
    found = [f for f in pool if inside(f.date) and f._asdict() != question["event"]]
    days = sorted({fact.date for fact in found})
    wanted = {None: days, "first": days[:1], "last": days[-1:]}[question["order"]]
    length = {"day": 10, "month": 7, "year": 4}.get(question["answer_type"])
    return {f.date[:length] if asked == "time" else getattr(f, asked) for f in found if f.date in wanted}


def check_event(question, facts):
    """A reference event happens on one day only, unless its first or last time is meant."""
    if question["event"] is None:
        return
    event = Fact(**question["event"])
    days = [fact.date for fact in facts if fact[:3] == event[:3]]
    assert (
        event.date
        == {None: days[0] if len(days) == 1 else None, "first": min(days), "last": max(days)}[question["event_order"]]
    )


def test_the_same_seed_gives_the_same_questions(made_up_facts):
    first, again = (list(make_questions(made_up_facts, 12, seed=3)) for _ in range(2))
    assert first == again
    assert first != list(make_questions(made_up_facts, 12, seed=4))


def test_too_few_facts_are_named(monkeypatch):
    monkeypatch.setattr("tkg_questions.MAX_FACTS", 5)
    with pytest.raises(ValueError, match="allow no question of the form"):
        list(make_questions([ANA_MAY], 12))


def test_half_of_the_relations_are_seen_one_of_each_two_neighbours():
    names = [record["relation"] for record in read_lines(DATA / "tkg_relations.jsonl")]
    seen = seen_relations()
    assert len(seen) * 2 == len(names) == 224
    assert all((a in seen) != (b in seen) for a, b in list(pairwise(names))[::2])


def test_every_phrase_has_its_slots():
    for record in read_lines(DATA / "tkg_relations.jsonl"):
        assert len(record["active"]) >= 2
        assert all(text.count("{s}") == text.count("{o}") == 1 for text in record["active"] + record["noun"])
        assert all(text.count("{o}") == 1 and "{s}" not in text for text in record["question_subject"])
        assert all(text.count("{s}") == 1 and "{o}" not in text for text in record["question_object"])
        assert all(with_order(text, "first").count("first") == 1 for text in record["question_object"])


def test_no_phrase_means_two_relations():
    records = read_lines(DATA / "tkg_relations.jsonl")
    phrases = [text for record in records for text in {*record["active"], *record["noun"]}]
    assert len(phrases) == len(set(phrases))


def test_forty_wordings_a_form():
    forms = [wording["form"] for wording in read_lines(DATA / "tkg_wordings.jsonl")]
    assert all(forms.count(form) >= 40 for form in FORMS)


def test_words():
    assert fill("{o} was seen by {s}", "Ana", "the police of Oman") == "the police of Oman were seen by Ana"
    assert fill("{s}'s visit", "the Maldives", "") == "the Maldives' visit"
    assert with_order("by whom was {o} praised", "last") == "by whom was {o} last praised"
    dates = {date_words("2010-05-03", random.Random(seed)) for seed in range(40)}
    assert {"3 May 2010", "May 3, 2010", "the 3rd of May 2010", "2010-05-03"} <= dates
    names = {entity_words("Citizen (Nigeria)", random.Random(seed)) for seed in range(40)}
    assert names == {"Citizen (Nigeria)", "a citizen of Nigeria", "a citizen from Nigeria"}
    assert entity_words("Protester (Philippines)", random.Random(1)).endswith(("(Philippines)", "the Philippines"))


def test_facts_are_read_once_each(tmp_path):
    path = tmp_path / "facts.tsv"
    lines = ["head\trelation\ttail\tdate", "\t".join(BO_MAY), "\t".join(ANA_MAY), "\t".join(BO_MAY) + "\ttest"]
    path.write_text("\n".join(lines), encoding="utf-8")
    assert read_facts(path) == [ANA_MAY, BO_MAY]
