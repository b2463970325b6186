"""TimeR4's stages without a language model: link, ground the event, rewrite, retrieve, rank by time, answer.

Qian et al. (2024), "TimeR4: time-aware retrieval-augmented large language models for temporal knowledge graph question
answering", EMNLP. Where it lets a language model read the question and the facts, rules do: `question.py` takes the
question apart, `grounding.py` dates its event by the facts, `final_stage.py` ranks, and the asked slot is the answer.
"""

from collections.abc import Sequence
from copy import copy
from dataclasses import dataclass, replace
from datetime import date
from pathlib import Path

import numpy as np

from qtie.errors import ConfigError
from qtie.intent import IntentExtractor, TemporalConstraint, TemporalIntent
from qtie.interval import Granularity, TimeInterval, unit_of
from qtie.retrieval.encoders import Encoder, load_encoder
from qtie.rewriting.rewriter import ResolvedEvent, Rewrite
from qtie.tkg.answer import RankedFact, TkgAnswer, answers_of
from qtie.tkg.asking import without_asked_date
from qtie.tkg.clauses import ClauseReader, is_elliptical
from qtie.tkg.final_stage import FINAL_STAGES, final_order
from qtie.tkg.grounding import EventWords, Grounding, ground_event
from qtie.tkg.linking import Mention
from qtie.tkg.matching import Match, Sought, match_facts
from qtie.tkg.question import EventReference, TkgQuestion, read_question
from qtie.tkg.store import FactIndex, FactStore

__all__ = ["TkgOptions", "TkgPipeline"]

_MAX_DEPTH = 2
"""How many events deep a reference may lead: "after the visit that followed the agreement"."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TkgOptions:
    """How questions are answered.

    Raises:
        ConfigError: a value out of its range.
    """

    n_facts: int = 15
    """How many facts answers are read from."""
    final_stage: str = "product_of_experts"
    """The score of the last stage: a name in `FINAL_STAGES`."""
    rewrite: bool = True
    """Whether events are dated by the facts."""
    semantic: str = "structure"
    """What fits a fact to the question: its structure (entities, roles, predicate), or the cosine of "fks" or "tks"."""

    def __post_init__(self) -> None:
        if self.n_facts < 1:
            raise ConfigError(f"n_facts must be 1 or more, not {self.n_facts!r}")
        for name, choices in (("final_stage", tuple(FINAL_STAGES)), ("semantic", ("structure", "fks", "tks"))):
            if getattr(self, name) not in choices:
                raise ConfigError(f"{name} must be one of {', '.join(choices)}, not {getattr(self, name)!r}")


@dataclass(frozen=True, slots=True)
class _Reading:
    """A question as the graph's: its parts, its main clause and its explicit dates."""

    question: TkgQuestion
    main: Sought
    dates: tuple[TemporalConstraint, ...]
    mentions: tuple[Mention, ...]
    """Those of the event too."""


class TkgPipeline:
    """Answers questions from a store of facts.

    Args:
        store: the facts.
        extractor: reads explicit dates.
        encoder: of the store's "fks", which also compares predicates; None: by shared words alone.
        time_encoder: of the store's "tks".
        options: how.
    """

    def __init__(
        self,
        store: FactStore,
        extractor: IntentExtractor,
        *,
        encoder: Encoder | None = None,
        time_encoder: Encoder | None = None,
        options: TkgOptions | None = None,
    ) -> None:
        self.store, self.options = store, options or TkgOptions()
        self._extractor = extractor
        self._encoders = {"fks": encoder, "tks": time_encoder}
        self._clauses = ClauseReader(store, encoder)
        if self.options.semantic != "structure":
            self._index(self.options.semantic)

    @classmethod
    def load(
        cls, folder: Path | str, extractor: IntentExtractor, *, options: TkgOptions | None = None
    ) -> "TkgPipeline":
        """A pipeline over the store in a folder, with the encoders that it was indexed with.

        Raises:
            DocumentError: there is no such store, or it is damaged.
            ConfigError: an encoder cannot be loaded, or is another than the store was indexed with.
        """
        store = FactStore.load(folder)
        encoders = {}
        for name, index in store.indexes.items():
            encoders[name] = load_encoder(index.encoder_name)
            if encoders[name].fingerprint != index.fingerprint:
                raise ConfigError(
                    f"{folder}: its index {name!r} was made with another {index.encoder_name}; index again"
                )
        fks, tks = encoders.get("fks"), encoders.get("tks")
        return cls(store, extractor, encoder=fks, time_encoder=tks, options=options)

    def with_options(self, options: TkgOptions) -> "TkgPipeline":
        """The same with other options; what was built for the store is shared."""
        if options.semantic != "structure":
            self._index(options.semantic)
        other = copy(self)
        other.options = options
        return other

    def ask(self, question: str, *, reference_date: date | None = None) -> TkgAnswer:
        """The answers, best first, with the facts that they are read from.

        Where the question names an event that no fact or facts of several dates fit, it is answered without that
        event, and the answer's `reason` says so.

        Args:
            question: in English.
            reference_date: the day of asking, which "last year" counts from.
        """
        intent = self._extractor.extract(without_asked_date(question), reference_date=reference_date)
        reading = self._read(question, intent.constraints)
        grounding = self._ground(reading) if self.options.rewrite else Grounding()
        if grounding.reason and self._may_lack_event(reading):
            reading, grounding = self._read(question, intent.constraints, with_event=False), Grounding()
        rewrite = Rewrite.of(
            question,
            [grounding.event] if grounding.event else [],
            candidates=grounding.candidates,
            reason=grounding.reason,
        )
        asked = _asked_time(reading, [grounding.event] if grounding.event else grounding.alternatives, intent)
        match = self._match(reading, rewrite.rewritten)
        match = _without(self.store, match, grounding.participants)
        events = grounding.facts[: self.options.n_facts // 3]
        facts = self._ranked(match, asked, reading.question, n_facts=self.options.n_facts - len(events))
        facts += [self._event_fact(fact) for fact in events]
        return TkgAnswer(
            question=reading.question,
            mentions=reading.main.mentions,
            rewrite=rewrite,
            intent=asked,
            predicate_words=reading.main.words,
            found=self._found(match),
            facts=tuple(facts),
            answers=answers_of(facts, reading.question),
            reason="; ".join(filter(None, (rewrite.reason, self._doubt(reading, asked, facts)))),
        )

    def _may_lack_event(self, reading: _Reading) -> bool:
        """Whether what was taken for an event may belong to the main clause: "on which day did X bow before Y"."""
        event = reading.question.event
        is_name = (
            event is not None
            and event.direction != "same"
            and len(reading.question.text[slice(*event.span)].split()) < 6
        )
        return is_name and reading.question.asks == "date" and len(reading.main.mentions) == 1

    def _read(
        self,
        text: str,
        constraints: Sequence[TemporalConstraint],
        *,
        mentions: Sequence[Mention] | None = None,
        with_event: bool = True,
    ) -> _Reading:
        dates = tuple(c for c in constraints if c.resolved and c.span[1] > c.span[0])
        spans = [span for c in dates for span in (c.span, *c.more_spans)]
        known = self._clauses.link(text, masked=spans) if mentions is None else mentions
        named = [mention.span for mention in known]
        question = read_question(text, named=named, dates=spans, with_event=with_event)
        event = question.event
        inside = [mention for mention in known if event is None or not _lies_in(mention.span, event.whole)]
        main = self._clauses.read(text, inside, removed=question.removed, asked=question.asked)
        return _Reading(question, main, dates, tuple(known))

    def _ground(self, reading: _Reading, *, depth: int = 1) -> Grounding:
        """The event that the question refers to, and before it the event that this one refers to."""
        event = reading.question.event
        if event is None:
            return Grounding()
        text = reading.question.text[slice(*event.span)]
        dates = [_moved_constraint(c, event.span) for c in reading.dates if _lies_in(c.span, event.whole)]
        named = [replace(m, span=_moved(m.span, event.span)) for m in reading.mentions if _lies_in(m.span, event.span)]
        inner = self._read(text, dates, mentions=named)
        nested = Grounding()
        if inner.question.event is not None and depth < _MAX_DEPTH:
            nested = self._ground(inner, depth=depth + 1)
            if nested.event is None:
                return nested
        sought = self._clauses.completed(inner.main, reading.main)
        days = _asked_time(inner, [nested.event] if nested.event else (), TemporalIntent(query=text)).interval
        words = EventWords(
            text=text,
            span=event.span,
            order=inner.question.order or event.order,
            within=days,
            may_repeat=event.is_joint,
        )
        grounding = ground_event(self.store, sought, words)
        grounding = replace(grounding, facts=(*grounding.facts, *nested.facts))
        if event.direction != "same" or not is_elliptical(inner.main):
            return grounding
        participants = frozenset(entity for entity, _ in inner.main.mentions[0].entities)
        return replace(grounding, participants=participants)

    def _match(self, reading: _Reading, rewritten: str) -> Match:
        """The facts with their semantic scores."""
        if self.options.semantic == "structure":
            return match_facts(self.store, reading.main)
        index, encoder = self._index(self.options.semantic)
        every = np.arange(len(self.store), dtype=np.intp)
        query = encoder.encode_queries([rewritten])[0]
        cosines = index.cosines(query, self.store.triples, every)
        objects = np.full(len(every), reading.main.answer_role == "object")
        return Match(every, np.clip(cosines, 1e-3, 1.0), objects)

    def _index(self, name: str) -> tuple[FactIndex, Encoder]:
        index, encoder = self.store.indexes.get(name), self._encoders[name]
        if index is None or encoder is None:
            raise ConfigError(f"the store has no index {name!r}; make one with qtie tkg index")
        return index, encoder

    def _event_fact(self, fact: int) -> RankedFact:
        return RankedFact(fact=self.store.fact(fact), score=0.0, semantic_score=1.0, supports="event")

    def _fact(self, match: Match, n: int, score: float) -> RankedFact:
        return RankedFact(
            fact=self.store.fact(int(match.facts[n])),
            score=score,
            semantic_score=float(match.scores[n]),
            supports="object" if match.answers_object[n] else "subject",
        )

    def _ranked(self, match: Match, asked: TemporalIntent, question: TkgQuestion, *, n_facts: int) -> list[RankedFact]:
        times = self.store.times(match.facts)
        order, scores = final_order(self.options.final_stage, match.scores, times, asked, order=question.order)
        return [self._fact(match, n, float(scores[n])) for n in order[: max(1, n_facts)]]

    def _found(self, match: Match) -> tuple[RankedFact, ...]:
        """What was found before time was looked at."""
        best = np.argsort(-match.scores, kind="stable")[: self.options.n_facts]
        return tuple(self._fact(match, n, float(match.scores[n])) for n in best)

    def _doubt(self, reading: _Reading, asked: TemporalIntent, facts: Sequence[RankedFact]) -> str:
        if not any(mention.entities for mention in reading.main.mentions):
            return "the question names no entity of the graph"
        if not facts:
            return "no fact fits"
        best = next((ranked.fact.interval for ranked in facts if ranked.supports != "event"), None)
        if asked.interval and best and not any(best.overlaps(interval) for interval in asked.intervals):
            return "no fact that fits is of the asked time"
        words = reading.main.words
        return "" if not words or reading.main.knows_predicate else f'no predicate of the graph is like "{words}"'


def _moved(span: tuple[int, int], whole: tuple[int, int]) -> tuple[int, int]:
    return span[0] - whole[0], span[1] - whole[0]


def _moved_constraint(constraint: TemporalConstraint, whole: tuple[int, int]) -> TemporalConstraint:
    more = tuple(_moved(span, whole) for span in constraint.more_spans)
    return replace(constraint, span=_moved(constraint.span, whole), more_spans=more)


def _without(store: FactStore, match: Match, participants: frozenset[int]) -> Match:
    """The facts whose answer is none of the participants: "on the same day as X" asks for others than X."""
    if not participants:
        return match
    answers = np.where(match.answers_object, store.triples[match.facts, 2], store.triples[match.facts, 0])
    kept = ~np.isin(answers, list(participants))
    return Match(match.facts[kept], match.scores[kept], match.answers_object[kept])


def _lies_in(span: tuple[int, int], whole: tuple[int, int]) -> bool:
    return whole[0] <= span[0] and span[1] <= whole[1]


def _asked_time(reading: _Reading, events: Sequence[ResolvedEvent], intent: TemporalIntent) -> TemporalIntent:
    """The question's explicit dates, cut to what the event, or any of several, leaves of them."""
    reference = reading.question.event
    dates = [c for c in reading.dates if reference is None or not _lies_in(c.span, reference.whole)]
    stated = replace(
        intent, query=reading.question.text, constraints=tuple(dates), preference=None, preference_span=None
    )
    if reference is None:
        return stated
    cut: list[TemporalConstraint] = []
    for event in events:
        days = _relative(event.interval, reference, reading.question.unit)
        if days is not None:
            pieces = [piece for given in stated.intervals if (piece := given.intersection(days)) is not None] or [days]
            cut += [_constraint(piece, event, reference, dates) for piece in pieces]
    return replace(stated, constraints=tuple(cut)) if cut else stated


def _constraint(
    days: TimeInterval, event: ResolvedEvent, reference: EventReference, dates: Sequence[TemporalConstraint]
) -> TemporalConstraint:
    return TemporalConstraint(
        interval=days,
        operator=reference.direction,
        span=reference.whole,
        granularity=max([event.interval.granularity, *(c.granularity for c in dates)], key=lambda unit: unit.days),
        rule=f"facts: {event.label}",
    )


def _relative(event: TimeInterval, reference: EventReference, asked: Granularity | None) -> TimeInterval | None:
    """The days before the event, after it, or of the same unit (or else the asked); None where it has no such side."""
    unit = reference.unit or asked
    if reference.direction == "before":
        return None if event.start is None else TimeInterval(None, event.start - 1)
    if reference.direction == "after":
        return None if event.end is None else TimeInterval(event.end + 1, None)
    if event.start is None or event.end is None:
        return event
    return unit_of(event.start, unit).hull(unit_of(event.end, unit)) if unit else event
