"""Questions over a temporal knowledge graph in words: the clauses of a fact, and what a wording's placeholders mean.

`data/tkg_relations.jsonl` has one relation a line, the most frequent first. `{s}` and `{o}` are its subject and object:

- `active`: past tense clauses, "{s} praised {o}"; the last ones may be passive, "{o} was praised by {s}";
- `base`: the infinitive of each clause that is not passive, in the same order, "praise {o}";
- `question_subject`, `question_object`: clauses that ask for one of them; `noun`: phrases that name the event.

`data/tkg_wordings.jsonl` has one wording a line: its `form`, what it asks for (`answer`: entity, time, or one unit),
the `operator` (in, before, after) against the reference time, the `order` (first, last) and the `text`. Placeholders,
which begin with a capital where the words do ("{Wh}"), are the properties of `Slots`. Those of the asked fact are

- `{wh}` the asking clause, "whom did Y praise", and `{whom}` the same inside a sentence, "whom Y praised";
- `{gap}` the clause without the asked entity, "Y praised", and `{gap_subject}` the same if that is the subject;
- `{inf}` the infinitive of a sought subject, "praise X", or of a sought object, "be praised by Y";
- `{did}` "did Y praise X", `{act}` "Y praised X", `{nom}` "Y's praise for X"; `{unit}` the asked day, month or year,
  `{prep}` its preposition; `{wh_order}`, `{whom_order}`, `{did_order}`, `{act_order}` have "first" or "last" in them;

and those of the reference time

- `{date}` a day, month or year, `{on}` the same with its preposition; `{coarse}`, `{on_coarse}` never a day;
- `{noun}`, `{clause}` an event; `{nref}` a date or noun; `{ref}` a date, noun or clause; `{peer}` the entity whose own
  event, of the asked kind, is the reference;
- `{span}` the unit that is shared with the event, `{prep_span}` its preposition.
"""

import json
import random
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from tkg_names import date_words, entity_words, granularity_of, is_plural

DATA = Path(__file__).resolve().parent / "data"
PREPOSITION = {"day": "on", "month": "in", "year": "in"}

ADVERB_PLACE = re.compile(r"(?:\w+ )?whom did \{s\} |with regard to whom did \{s\} |by whom was \{o\} |who was |who ")


class Fact(NamedTuple):
    """Who did what to whom on which ISO day."""

    subject: str
    relation: str
    object: str
    date: str


class UnfitError(Exception):
    """This wording cannot be filled with these facts; others can."""


def read_lines(path: Path) -> list[dict[str, Any]]:
    """The records of a JSON lines file."""
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def fill(text: str, subject: str, obj: str) -> str:
    """`{s}` and `{o}` replaced, with the verb's number and a possessive after an s made right."""
    if is_plural(obj):
        text = text.replace("{o} was", "{o} were").replace("was {o}", "were {o}")
    text = text.replace("{s}", subject).replace("{o}", obj)
    return re.sub(r"\s+", " ", re.sub(r"(?<=s)'s\b", "'", text)).strip()


def with_order(clause: str, order: str) -> str:
    """A clause with "first" or "last" before its verb, after the auxiliary."""
    place = ADVERB_PLACE.match(clause) or re.match(r"\{s\} |\{o\} was |did \{s\} |was \{o\} ", clause)
    if place is None:
        raise UnfitError(clause)
    return f"{clause[: place.end()]}{order} {clause[place.end() :]}"


@dataclass
class Slots:
    """The values of a wording's placeholders, for `str.format_map`; drawn when asked for."""

    rng: random.Random
    fact: Fact
    relations: dict[str, dict[str, Any]]
    asked: str
    unit: str = "day"
    order: str | None = None
    reference: str | None = None
    event: Fact | None = None
    event_order: str | None = None
    span: str = "day"

    def __post_init__(self) -> None:
        self._relation = self.relations[self.fact.relation]
        self._subject, self._object = (entity_words(x, self.rng) for x in (self.fact.subject, self.fact.object))

    def __getitem__(self, key: str) -> str:
        value: str = getattr(self, key.lower())
        return value[:1].upper() + value[1:] if key[0].isupper() else value

    def _filled(self, text: str) -> str:
        return fill(text, self._subject, self._object)

    def _drawn(self, *, key: str) -> str:
        return str(self.rng.choice(self._relation[key]))

    @property
    def wh(self) -> str:
        return self._filled(self._drawn(key=f"question_{self.asked}"))

    @property
    def wh_order(self) -> str:
        return self._filled(with_order(self._drawn(key=f"question_{self.asked}"), str(self.order)))

    @property
    def whom(self) -> str:
        return self._embedded(self._drawn(key="active"))

    @property
    def whom_order(self) -> str:
        return self._embedded(with_order(self._drawn(key="active"), str(self.order)))

    def _embedded(self, clause: str) -> str:
        slot = "{s}" if self.asked == "subject" else "{o}"
        return self._filled(f"{'who' if clause.startswith(slot) else 'whom'} {clause.replace(slot, '')}")

    @property
    def gap(self) -> str:
        return self._filled(self._drawn(key="active").replace("{s}" if self.asked == "subject" else "{o}", ""))

    @property
    def gap_subject(self) -> str:
        if self.asked != "subject":
            raise UnfitError("asks for the subject")
        return self._filled(self.rng.choice(self._actives()).removeprefix("{s} "))

    def _actives(self) -> Sequence[str]:
        return [clause for clause in self._relation["active"] if clause.startswith("{s} ")]

    @property
    def inf(self) -> str:
        if self.asked == "subject":
            return self._filled(self._drawn(key="base"))
        passives = [clause for clause in self._relation["active"] if clause.startswith("{o} was ")]
        if not passives:
            raise UnfitError("no passive")
        return self._filled(f"be {self.rng.choice(passives).removeprefix('{o} was ')}")

    def _inverted(self) -> str:
        passives = [c.replace("{o} was", "was {o}", 1) for c in self._relation["active"] if c.startswith("{o} was ")]
        return self.rng.choice([f"did {{s}} {base}" for base in self._relation["base"]] + passives)

    @property
    def did(self) -> str:
        return self._filled(self._inverted())

    @property
    def did_order(self) -> str:
        return self._filled(with_order(self._inverted(), str(self.order)))

    @property
    def act(self) -> str:
        return self._filled(self._drawn(key="active"))

    @property
    def act_order(self) -> str:
        return self._filled(with_order(self._drawn(key="active"), str(self.order)))

    @property
    def nom(self) -> str:
        return self._named(self._relation, self._subject, self._object)

    def _named(self, relation: dict[str, Any], subject: str, obj: str) -> str:
        simple = not re.search(r"\(|,|'s | (of|from|in) |^an? ", subject)
        nouns = [noun for noun in relation["noun"] if simple or not noun.startswith("{s}'s")]
        return fill(self.rng.choice(nouns or relation["noun"]), subject, obj)

    @property
    def prep(self) -> str:
        return PREPOSITION[self.unit]

    @property
    def prep_span(self) -> str:
        return PREPOSITION[self.span]

    @property
    def date(self) -> str:
        return date_words(str(self.reference), self.rng)

    @property
    def on(self) -> str:
        return f"{PREPOSITION[granularity_of(str(self.reference))]} {self.date}"

    coarse = date
    on_coarse = on

    def _event_words(self) -> tuple[dict[str, Any], str, str]:
        if self.event is None:
            raise UnfitError("no event")
        return (self.relations[self.event.relation], *(entity_words(x, self.rng) for x in self.event[::2]))

    @property
    def noun(self) -> str:
        if self.event_order:
            raise UnfitError("a noun names one event")
        return self._named(*self._event_words())

    @property
    def clause(self) -> str:
        relation, subject, obj = self._event_words()
        text = self.rng.choice(relation["active"])
        return fill(with_order(text, self.event_order) if self.event_order else text, subject, obj)

    @property
    def nref(self) -> str:
        return self.date if self.event is None else self.noun

    @property
    def ref(self) -> str:
        if self.event is None:
            return self.date
        return self.clause if self.event_order or self.rng.random() < 0.5 else self.noun

    @property
    def peer(self) -> str:
        if self.event is None:
            raise UnfitError("no event")
        return entity_words(self.event.subject if self.asked == "subject" else self.event.object, self.rng)


def question_words(text: str, slots: Slots) -> str:
    """A wording with its placeholders filled, and the verb of "those that …" in the plural."""
    return re.sub(r"\b(those|parties) that was\b", r"\1 that were", text.format_map(slots))
