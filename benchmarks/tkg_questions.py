"""Questions over a temporal knowledge graph, with every correct answer computed from its facts.

A date is an ISO day, month or year, and is the whole of it: a fact is "in" 2011-05 where its day begins so, "before" it
where its day comes before May, and "after" it where its month comes after May. The answers of a form are

    equal        all that happened in the reference date; for a time, all times of the fact
    before_after all before the reference, or all after it; an event counts as its day
    first_last   those on the earliest, or latest, day of all facts; all that share that day
    before_last  those on the latest day strictly before the reference
    after_first  those on the earliest day strictly after the reference
    equal_multi  all in the same day, month or year as an event, but that event; or the first, or last, in a date

and an asked month or year is that of the day found. A reference event happens on exactly one day, or the question says
its first or last time. Half of the relations, every other one by frequency, are unseen: `--split train` uses the others
alone, with plain wordings of its own (`data/tkg_train_wordings.jsonl`) and the relations' labels.
"""

import argparse
import csv
import gzip
import json
import random
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from pathlib import Path
from typing import Any

from tkg_names import ISO_LENGTH, granularity_of
from tkg_wording import DATA, Fact, Slots, UnfitError, question_words, read_lines

FORMS = ("equal", "before_after", "first_last", "before_last", "after_first", "equal_multi")
OPERATORS: dict[str | None, Callable[[str, str], bool]] = {
    None: lambda day, reference: True,
    "in": lambda day, reference: day.startswith(reference),
    "before": lambda day, reference: day[: len(reference)] < reference,
    "after": lambda day, reference: day[: len(reference)] > reference,
}
ORDERS: dict[str, Callable[[Iterable[str]], str]] = {"first": min, "last": max}
MAX_ANSWERS = 30
SHARE_OF_ENTITIES = 0.6
MAX_DAYS_APART = 400
MAX_WORDINGS, MAX_FACTS = 40, 300
DATE_SLOTS = ("date", "on", "coarse", "on_coarse")
EVENT_SLOTS = ("noun", "clause")
FACTS = Path(__file__).resolve().parents[2] / "shared" / "data" / "multitq" / "kg_valid_test.tsv.gz"


def main() -> None:
    arguments = command_line().parse_args()
    facts = read_facts(arguments.facts)
    questions = list(make_questions(facts, arguments.n, seed=arguments.seed, split=arguments.split))
    with arguments.out.open("w", encoding="utf-8") as file:
        file.writelines(json.dumps(question, ensure_ascii=False) + "\n" for question in questions)
    for (form, answer_type), count in sorted(Counter((q["form"], q["answer_type"]) for q in questions).items()):
        print(f"{form:14}{answer_type:8}{count:6}")


def command_line() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out", type=Path, help="JSON lines to write")
    parser.add_argument("--n", type=int, default=3200, help="how many questions (default: %(default)s)")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--split", choices=("test", "train"), default="test")
    parser.add_argument(
        "--facts", type=Path, default=FACTS, help="TSV of subject, relation, object, day; plain or gzip"
    )
    return parser


def read_facts(path: Path) -> list[Fact]:
    """The distinct facts of a TSV, in order of day; its first line is a header."""
    with gzip.open(path, "rt", encoding="utf-8") if path.suffix == ".gz" else path.open(encoding="utf-8") as file:
        rows = csv.reader(file, delimiter="\t", quoting=csv.QUOTE_NONE)
        next(rows)
        return sorted({Fact(*row[:4]) for row in rows}, key=lambda fact: (fact.date, fact))


def seen_relations(seed: int = 0) -> set[str]:
    """The half of the relations that may be trained on: of each two neighbours by frequency, one by lot."""
    names = [record["relation"] for record in read_lines(DATA / "tkg_relations.jsonl")]
    rng = random.Random(seed)
    return {rng.choice(names[i : i + 2]) for i in range(0, len(names), 2)}


def label_phrases(relation: str) -> dict[str, Any]:
    """A relation's phrases made from its label alone, for training."""
    label = f"'{relation.lower()}'"
    return {
        "relation": relation,
        "active": [f"{{s}} did {label} to {{o}}"],
        "base": [f"do {label} to {{o}}"],
        "question_subject": [f"who did {label} to {{o}}"],
        "question_object": [f"whom did {{s}} do {label} to"],
        "noun": [f"the {label} by {{s}} to {{o}}"],
    }


class Graph:
    """The facts by what a question holds fixed, each list in order of day."""

    def __init__(self, facts: Sequence[Fact]) -> None:
        self.by_relation: dict[str, list[Fact]] = defaultdict(list)
        self.by_pattern: dict[tuple[str | None, str, str | None], list[Fact]] = defaultdict(list)
        self.by_date: dict[str, list[Fact]] = defaultdict(list)
        for fact in sorted(facts, key=lambda fact: (fact.date, fact)):
            self.by_relation[fact.relation].append(fact)
            for key in (fact[:3], (None, *fact[1:3]), (*fact[:2], None)):
                self.by_pattern[key].append(fact)
            for length in ISO_LENGTH.values():
                self.by_date[fact.date[:length]].append(fact)

    def alike(self, fact: Fact, asked: str) -> list[Fact]:
        """The facts that differ from this one at most in what is asked: subject, object or time."""
        slots = (
            None if asked == "subject" else fact.subject,
            fact.relation,
            None if asked == "object" else fact.object,
        )
        return self.by_pattern[slots]

    def times(self, fact: Fact) -> list[Fact]:
        """All facts of the same subject, relation and object."""
        return self.by_pattern[fact[:3]]


@dataclass(frozen=True)
class Reference:
    """The time that a question names: an ISO date, and the event that it is the date of, if any."""

    iso: str | None = None
    event: Fact | None = None
    event_order: str | None = None

    @property
    def granularity(self) -> str | None:
        """The unit of the date."""
        return granularity_of(self.iso) if self.iso else None


def selected(pool: Sequence[Fact], reference: Reference, *, operator: str | None, order: str | None) -> list[Fact]:
    """The facts that answer: those that stand so to the reference and, with an order, those on its extreme day."""
    holds = OPERATORS[operator]
    found = [fact for fact in pool if fact != reference.event and holds(fact.date, reference.iso or "")]
    if order is None or not found:
        return found
    day = ORDERS[order](fact.date for fact in found)
    return [fact for fact in found if fact.date == day]


class Writer:
    """Draws wordings, facts and references, and keeps the questions that are well-posed."""

    def __init__(self, graph: Graph, *, rng: random.Random, relations: dict[str, Any], wordings: Sequence[Any]) -> None:
        self.graph, self.rng, self.relations = graph, rng, relations
        self.wordings: dict[tuple[str, str], list[dict[str, Any]]] = defaultdict(list)
        for wording in wordings:
            for answer_type in ISO_LENGTH if wording["answer"] == "time" else (wording["answer"],):
                self.wordings[wording["form"], answer_type].append(wording)
        self.names = sorted(name for name in graph.by_relation if name in relations)
        self.weights = [len(graph.by_relation[name]) ** 0.5 for name in self.names]

    def question(self, form: str, answer_type: str) -> dict[str, Any]:
        """One question of a form, tried with other draws until one is well-posed."""
        for _ in range(MAX_WORDINGS):
            wording = self.rng.choice(self.wordings[form, answer_type])
            for _ in range(MAX_FACTS):
                try:
                    return self.attempt(wording, answer_type)
                except UnfitError:
                    continue
        raise ValueError(f"these facts allow no question of the form {form} that asks for the {answer_type}")

    def attempt(self, wording: dict[str, Any], answer_type: str) -> dict[str, Any]:
        """A question of this wording about a fact drawn by lot; `UnfitError` where it has no answer, or too many."""
        fact = self.rng.choice(self.graph.by_relation[self.rng.choices(self.names, self.weights)[0]])
        asked = self.rng.choice(("subject", "object")) if answer_type == "entity" else "time"
        pool = self.graph.alike(fact, asked)
        span = self.span(wording, answer_type)
        reference = self.reference(wording, fact, asked=asked, span=span)
        gold = selected(pool, reference, operator=wording["operator"], order=wording["order"])
        answers = answers_of(gold, asked, answer_type)
        if not 0 < len(answers) <= MAX_ANSWERS or is_trivial(pool, reference, wording):
            raise UnfitError("no answer, too many, or all there is")
        slots = Slots(self.rng, fact, self.relations, asked, unit=answer_type, order=wording["order"], span=span,
                      reference=reference.iso, event=reference.event, event_order=reference.event_order)  # fmt: skip
        return {
            "question": question_words(wording["text"], slots),
            **{key: wording[key] for key in ("form", "operator", "order")},
            "answer_type": answer_type,
            "asked": asked,
            "granularity": reference.granularity or ("day" if asked != "time" else answer_type),
            **gold_fields(fact, reference, gold),
            "answers": answers,
        }

    def span(self, wording: dict[str, Any], answer_type: str) -> str:
        """The unit of the reference, or shared with an event; an asked day stands "in" a month or year only."""
        units, text = list(ISO_LENGTH), wording["text"].lower()
        if answer_type != "entity" and wording["operator"] == "in":
            finer = "{span}" in text or names(text, DATE_SLOTS)
            units = units[units.index(answer_type) + 1 :] if finer else [answer_type]
        elif "coarse}" in text:
            units = units[1:]
        if not units:
            raise UnfitError("nothing is coarser than a year")
        return self.rng.choice(units)

    def reference(self, wording: dict[str, Any], fact: Fact, *, asked: str, span: str) -> Reference:
        """A reference time to which the fact stands as the wording says."""
        text, operator = wording["text"].lower(), wording["operator"]
        if names(text, ("peer",)):
            return self.event_of(self.peers(fact, asked=asked, operator=operator, span=span), operator, span)
        if names(text, EVENT_SLOTS) or (names(text, ("ref", "nref")) and self.rng.random() < 0.5):
            around = self.day_near(fact, operator)[: ISO_LENGTH[span if operator == "in" else "day"]]
            return self.event_of([e for e in self.graph.by_date[around] if e[:3] != fact[:3]], operator, span)
        if names(text, (*DATE_SLOTS, "ref", "nref")):
            return Reference(self.day_near(fact, operator)[: ISO_LENGTH[span]])
        return Reference()

    def day_near(self, fact: Fact, operator: str) -> str:
        """A day to which the fact stands so: its own, or one some time later or earlier."""
        sign = {"in": 0, "before": 1, "after": -1}[operator]
        day = date.fromisoformat(fact.date) + timedelta(days=sign * self.rng.randint(1, MAX_DAYS_APART))
        return day.isoformat()

    def peers(self, fact: Fact, *, asked: str, operator: str, span: str) -> list[Fact]:
        """The facts of others, in the asked slot, to which this one stands so."""
        holds, length = OPERATORS[operator], ISO_LENGTH[span if operator == "in" else "day"]
        alike = self.graph.alike(fact, asked)
        return [e for e in alike if holds(fact.date, e.date[:length]) and len(self.graph.times(e)) == 1 and e != fact]

    def event_of(self, candidates: Sequence[Fact], operator: str, span: str) -> Reference:
        """One of the events; if it happened more than once, then its first or last time."""
        if not candidates:
            raise UnfitError("no event")
        event = self.rng.choice(candidates)
        days = [other.date for other in self.graph.times(event)]
        orders = [name for name, extreme in ORDERS.items() if len(days) > 1 and event.date == extreme(days)]
        if event.relation not in self.relations or (len(days) > 1 and not orders):
            raise UnfitError("an event that words would not single out")
        iso = event.date[: ISO_LENGTH[span]] if operator == "in" else event.date
        return Reference(iso, event, orders[0] if orders else None)


def names(text: str, slots: Iterable[str]) -> bool:
    """Whether a wording has one of the placeholders."""
    return any(f"{{{slot}}}" in text for slot in slots)


def answers_of(gold: Iterable[Fact], asked: str, answer_type: str) -> list[str]:
    """The distinct entities, or ISO dates in the asked unit, of the facts that answer."""
    if asked == "time":
        return sorted({fact.date[: ISO_LENGTH[answer_type]] for fact in gold})
    return sorted({getattr(fact, asked) for fact in gold})


def is_trivial(pool: Sequence[Fact], reference: Reference, wording: dict[str, Any]) -> bool:
    """Whether the reference, or the order, leaves out nothing, so that the answer needs no look at the time."""
    held = [fact for fact in pool if OPERATORS[wording["operator"]](fact.date, reference.iso or "")]
    if wording["operator"] in ("before", "after"):
        return len(held) == len(pool)
    return wording["order"] is not None and len({fact.date for fact in held}) < 2


def gold_fields(fact: Fact, reference: Reference, gold: Sequence[Fact]) -> dict[str, Any]:
    """The relations of a question, its event, and the facts that support the answers."""
    event = reference.event
    return {
        "relation": fact.relation,
        "relations": sorted({fact.relation, event.relation} if event else {fact.relation}),
        "reference": reference.iso,
        "event": event._asdict() if event else None,
        "event_order": reference.event_order,
        "gold_facts": [fact._asdict() for fact in gold],
    }


def make_questions(facts: Sequence[Fact], n: int, *, seed: int = 0, split: str = "test") -> Iterator[dict[str, Any]]:
    """`n` questions with distinct texts, the forms in turn; the same seed gives the same questions."""
    seen, rng = seen_relations(), random.Random(f"{split} {seed}")
    records = {record["relation"]: record for record in read_lines(DATA / "tkg_relations.jsonl")}
    if split == "train":
        records = {name: label_phrases(name) for name in records if name in seen}
    wordings = read_lines(DATA / ("tkg_wordings.jsonl" if split == "test" else "tkg_train_wordings.jsonl"))
    writer = Writer(Graph(facts), rng=rng, relations=records, wordings=wordings)
    texts: set[str] = set()
    while len(texts) < n:
        answer_type = "entity" if rng.random() < SHARE_OF_ENTITIES else rng.choice(list(ISO_LENGTH))
        question = writer.question(FORMS[len(texts) % len(FORMS)], answer_type)
        if question["question"] not in texts:
            texts.add(question["question"])
            split_relation = "seen" if seen.issuperset(question["relations"]) else "unseen"
            yield {"id": f"{split}-{seed}-{len(texts):05}", **question, "split_relation": split_relation}


if __name__ == "__main__":
    main()
