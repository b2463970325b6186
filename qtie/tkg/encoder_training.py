"""What a time-aware encoder of facts learns from: questions with their facts, and TimeR4's three kinds of wrong ones.

Qian et al. (2024), "TimeR4: Time-aware Retrieval-Augmented Large Language Models for Temporal Knowledge Graph Question
Answering".
"""

import json
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from random import Random
from typing import Any

from qtie.corpus import read_lines
from qtie.errors import DocumentError, IntervalError
from qtie.intent import TemporalIntent
from qtie.interval import Granularity, TimeInterval, shift_day, unit_of
from qtie.retrieval.temporal.contrastive import DatedText, Triple
from qtie.tie.grammar import GrammarExtractor
from qtie.tkg.fact import Fact

__all__ = ["FactQuestion", "fact_triples", "read_fact_questions", "wrong_time"]

_MOST_UNITS = 10
_N_TRIES = 20
_Key = tuple[str, str, str, TimeInterval | None]


@dataclass(frozen=True, slots=True)
class FactQuestion:
    """A question, and the facts that hold its answer."""

    question: str
    facts: tuple[Fact, ...]
    """At least one."""


def read_fact_questions(source: Path | str, facts: Sequence[Fact]) -> Iterator[FactQuestion]:
    """The questions of a file of JSON lines with `question` and `gold_facts`.

    A gold fact is the id of one of `facts`, or has `subject`, `relation` (or `predicate`), `object` and `date`. Lines
    without any are passed over.

    Raises:
        DocumentError: the file cannot be read, a line is faulty, or it names a fact that is not there.
    """
    by_id = {fact.fact_id: fact for fact in facts}
    by_content = {_key(fact): fact for fact in facts}
    for where, line in read_lines(source):
        if not line.strip():
            continue
        try:
            record = json.loads(line)
            gold = [
                by_id[each] if isinstance(each, str) else by_content[_stated_key(each)]
                for each in record.get("gold_facts", ())
            ]
            question = str(record["question"])
        except KeyError as error:
            raise DocumentError(f"{where}: no such fact or field: {error}") from None
        except (ValueError, TypeError, AttributeError, IntervalError) as error:
            raise DocumentError(f"{where}: not a question with `question` and `gold_facts`: {error}") from None
        if gold:
            yield FactQuestion(question, tuple(gold))


def _key(fact: Fact) -> _Key:
    return fact.subject, fact.predicate, fact.object, fact.interval


def _stated_key(record: Mapping[str, Any]) -> _Key:
    predicate = record["relation"] if "relation" in record else record["predicate"]
    return str(record["subject"]), str(predicate), str(record["object"]), TimeInterval.parse(str(record["date"]))


def fact_triples(questions: Sequence[FactQuestion], facts: Sequence[Fact], *, seed: int) -> list[Triple]:
    """For each question its facts as positives, and up to three negatives, one of each of TimeR4's kinds.

    1. The right content at a wrong time (`wrong_time`); left out where the question states no date, or an open fact.
    2. Another relation and entity at the right time.
    3. Both wrong.

    Args:
        questions: with facts out of `facts`.
        facts: what wrong contents are drawn from.
        seed: another one draws others.
    """
    random, extractor = Random(seed), GrammarExtractor()
    at_time: dict[TimeInterval | None, list[Fact]] = defaultdict(list)
    for fact in facts:
        at_time[fact.interval].append(fact)
    triples = []
    for each in questions:
        right = random.choice(each.facts)
        moved = wrong_time(right, extractor.extract(each.question), random)
        negatives = [
            moved,
            _other(right, at_time[right.interval], random),
            replace(_other(right, facts, random) or right, interval=moved.interval) if moved else None,
        ]
        true = {fact.verbalized for fact in each.facts}
        texts = dict.fromkeys(fact.verbalized for fact in negatives if fact is not None)
        triples.append(
            Triple(
                DatedText(each.question),
                tuple(DatedText(text) for text in sorted(true)),
                tuple(DatedText(text) for text in texts if text not in true),
            )
        )
    return triples


def wrong_time(fact: Fact, intent: TemporalIntent, random: Random) -> Fact | None:
    """The fact at a time beyond a bound of what the question asks for, by 0 to 10 of the units that its time is in.

    TimeR4 counts in days, as its facts do; facts in months or years move by those (assumed).

    Returns:
        None where the question asks for no date, or the fact's own time is open or not known.

    Example:
        >>> from qtie.tie.grammar import GrammarExtractor
        >>> visit = Fact(subject="Denmark", predicate="Host a visit", object="Iraq",
        ...              interval=TimeInterval.day(2010, 5, 23), fact_id="f1")
        >>> asked = GrammarExtractor().extract("Who visited Denmark before 2010-06-01?")
        >>> wrong_time(visit, asked, Random(0)).verbalized
        'Denmark Host a visit Iraq in 2010-06-07'
    """
    own, asked = fact.interval, intent.interval
    if own is None or asked is None or own.start is None or own.end is None:
        return None
    bounds = [(1, asked.end), (-1, asked.start)]
    sides = [(side, bound) for side, bound in bounds if bound is not None]
    if not sides:
        return None
    side, bound = random.choice(sides)
    unit = own.granularity if own.granularity in (Granularity.DAY, Granularity.MONTH) else Granularity.YEAR
    first = unit_of(bound + side, unit).start
    assert first is not None
    length = own.end - own.start
    first = shift_day(first, side * random.randint(0, _MOST_UNITS), unit)
    if side < 0:  # its last day stays before the bound
        first = unit_of(min(first, bound - 1 - length), unit).start or first
    last = unit_of(first + length, unit).end if length else first
    return replace(fact, interval=TimeInterval(first, last))


def _other(right: Fact, facts: Sequence[Fact], random: Random) -> Fact | None:
    """One of the facts with another relation, and other entities; None where none is found."""
    for _ in range(_N_TRIES):
        other = random.choice(facts)
        if other.predicate != right.predicate and not {other.subject, other.object} & {right.subject, right.object}:
            return other
    return None
