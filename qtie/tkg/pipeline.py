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
from qtie.retrieval.encoders import Encoder, load_encoder
from qtie.rewriting.rewriter import Rewrite
from qtie.tkg.answer import RankedFact, TkgAnswer, answers_of
from qtie.tkg.asked_time import asked_time, is_of_now, lacks_side, lies_in, moved, moved_constraint, on_day
from qtie.tkg.asking import blanked, without_asked_date
from qtie.tkg.clauses import ClauseReader, is_elliptical
from qtie.tkg.deciding import Decision, decide
from qtie.tkg.doubts import doubts_of, said_often, unknown_name
from qtie.tkg.final_stage import FINAL_STAGES, SAME_READING, final_order
from qtie.tkg.grounding import EventWords, Grounding, ground_event
from qtie.tkg.linking import Mention
from qtie.tkg.matching import Match, Sought, match_facts
from qtie.tkg.predicate import PredicateReading
from qtie.tkg.question import TkgQuestion, read_question
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
        reading, grounding, rewrite = self._understood(question, intent)
        dated = [grounding.event] if grounding.event else grounding.alternatives
        asked = asked_time(reading.question, reading.dates, events=dated, intent=intent)
        match = _without(self.store, self._match(reading, rewrite.rewritten), grounding.participants)
        if reference_date and not asked.constraints and is_of_now(reading.question) and self._lasts(match):
            asked = on_day(asked, reference_date)
        events = grounding.facts[: self.options.n_facts // 3]
        facts = self._ranked(match, asked, reading.question, n_facts=self.options.n_facts - len(events))
        decision = self._decided(match, reading, asked=asked, is_open=bool(rewrite.reason))
        if decision.answer:
            facts = [self._fact(match, row, float(match.scores[row])) for row in decision.rows[: self.options.n_facts]]
        facts += [self._event_fact(fact) for fact in events]
        predicate = self._predicate(reading.main, facts)
        if decision.answer or decision.reason:
            doubts = [decision.reason]
        else:
            doubts = doubts_of(reading.question, reading.main, asked=asked, facts=facts, predicate=predicate)
        return TkgAnswer(
            question=reading.question,
            mentions=reading.main.mentions,
            rewrite=rewrite,
            intent=asked,
            predicate=predicate,
            found=self._found(match),
            facts=tuple(facts),
            answers=(decision.answer,) if decision.answer else answers_of(facts, reading.question),
            reason="; ".join(dict.fromkeys(filter(None, (rewrite.reason, grounding.doubt, *doubts)))),
            notes=tuple(filter(None, [decision.note] if decision.answer or decision.reason else [predicate.note])),
        )

    def rewrite(self, question: str, *, reference_date: date | None = None) -> Rewrite:
        """The question with the date of its event in place of the event: so the facts serve as a `Rewriter`.

        One that a fact of a doubtful predicate dates is a candidate, and not put in.
        """
        intent = self._extractor.extract(without_asked_date(question), reference_date=reference_date)
        reading, grounding, rewrite = self._understood(question, intent, is_of_graph=False)
        if _is_succession(reading.question):
            return Rewrite.of(question, [])
        if grounding.doubt:
            return Rewrite.of(question, [], candidates=rewrite.events, reason=grounding.doubt)
        return rewrite

    def _understood(
        self, question: str, intent: TemporalIntent, *, is_of_graph: bool = True
    ) -> tuple[_Reading, Grounding, Rewrite]:
        """The question's parts, and the date of its event."""
        reading = self._read(question, intent.constraints, is_of_graph=is_of_graph)
        if _is_succession(reading.question) and self._clauses.knows(_words_of_succession(reading.question)):
            reading = self._read(question, intent.constraints, with_event=False)  # the graph says who succeeded
        grounding = self._ground(reading) if self.options.rewrite else Grounding()
        if grounding.reason and self._may_lack_event(reading):
            reading, grounding = self._read(question, intent.constraints, with_event=False), Grounding()
        events = [grounding.event] if grounding.event else []
        if _is_succession(reading.question):  # "succeeded X": no date stands for X
            return (
                reading,
                grounding,
                Rewrite(question=question, rewritten=question, events=tuple(events), reason=grounding.reason),
            )
        rewrite = Rewrite.of(question, events, candidates=grounding.candidates, reason=grounding.reason)
        return reading, grounding, rewrite

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
        is_of_graph: bool = True,
    ) -> _Reading:
        dates = tuple(c for c in constraints if c.resolved and c.span[1] > c.span[0])
        spans = [span for c in dates for span in (c.span, *c.more_spans)]
        known = self._clauses.link(text, masked=spans) if mentions is None else mentions
        named = [mention.span for mention in known]
        question = read_question(text, named=named, dates=spans, with_event=with_event, is_of_graph=is_of_graph)
        event = question.event
        inside = [mention for mention in known if event is None or not lies_in(mention.span, event.whole)]
        main = self._clauses.read(text, inside, removed=question.removed, asked=question.asked)
        return _Reading(question, main, dates, tuple(known))

    def _ground(self, reading: _Reading, *, depth: int = 1) -> Grounding:
        """The event that the question refers to, and before it the event that this one refers to."""
        event = reading.question.event
        if event is None:
            return Grounding()
        text = reading.question.text[slice(*event.span)]
        dates = [moved_constraint(c, event.span) for c in reading.dates if lies_in(c.span, event.whole)]
        named = [replace(m, span=moved(m.span, event.span)) for m in reading.mentions if lies_in(m.span, event.span)]
        inner = self._read(text, dates, mentions=named)
        nested = Grounding()
        if inner.question.event is not None and depth < _MAX_DEPTH:
            nested = self._ground(inner, depth=depth + 1)
            if nested.event is None:
                return nested
        sought = self._clauses.completed(inner.main, reading.main)
        found = [nested.event] if nested.event else []
        days = asked_time(inner.question, inner.dates, events=found, intent=TemporalIntent(query=text)).interval
        words = EventWords(
            text=text,
            span=event.span,
            order=inner.question.order or event.order,
            within=days,
            may_repeat=event.is_joint,
        )
        side = reading.question.side if is_elliptical(inner.main) else inner.question.side
        grounding = ground_event(self.store.dated_by(side), sought, words)
        if not grounding.doubt and grounding.event and lacks_side(grounding.event.interval, event):
            sides = {"after": "has no end", "before": "has no start"}
            grounding = replace(grounding, doubt=f'the fact of "{text}" {sides[event.direction]}')
        grounding = replace(grounding, facts=(*grounding.facts, *nested.facts))
        if not is_elliptical(inner.main) or (event.direction != "same" and event.nearest is None):
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
        times = self.store.dated_by(question.side).times(match.facts)
        order, scores = final_order(self.options.final_stage, match.scores, times, asked, order=question.order)
        return [self._fact(match, n, float(scores[n])) for n in order[: max(1, n_facts)]]

    def _found(self, match: Match) -> tuple[RankedFact, ...]:
        """What was found before time was looked at."""
        best = np.argsort(-match.scores, kind="stable")[: self.options.n_facts]
        return tuple(self._fact(match, n, float(match.scores[n])) for n in best)

    def _lasts(self, match: Match) -> bool:
        """Whether the facts that fit best last."""
        best = match.facts[match.scores >= SAME_READING * match.scores.max(initial=0.0)]
        return bool(len(best)) and bool(self.store.lasting[best].all())

    def _decided(self, match: Match, reading: _Reading, *, asked: TemporalIntent, is_open: bool) -> Decision:
        """The number, yes or no that is asked for, where the facts decide it."""
        question = reading.question
        told = [mention.span for mention in reading.mentions] + ([question.asked] if question.asked else [])
        if often := said_often(blanked(question.text, told)):
            return Decision(reason=f'"{often}" is not decided')
        if question.asks in ("entity", "date"):
            return Decision()
        if question.asks == "other":
            words = question.text[slice(*question.asked)] if question.asked else question.text
            return Decision(reason=f'facts do not hold what "{words}" asks for')
        if is_open or unknown_name(reading.main.words, question.text):  # nothing is known of the event, or of a name
            return Decision()
        if self.options.semantic != "structure":
            return Decision(reason="cosines decide no number, yes or no")
        return decide(self.store.dated_by(question.side), match, sought=reading.main, question=question, asked=asked)

    def _predicate(self, sought: Sought, facts: Sequence[RankedFact]) -> PredicateReading:
        labels = self.store.predicates
        best = next((ranked.fact.predicate for ranked in facts if ranked.supports != "event"), None)
        read = int(sought.fits.argmax()) if best is None else labels.index(best)
        return PredicateReading.of(sought.words, labels, fits=sought.fits, read=read)


def _is_succession(question: TkgQuestion) -> bool:
    return question.event is not None and question.event.nearest is not None


def _words_of_succession(question: TkgQuestion) -> str:
    event = question.event
    return "" if event is None else blanked(question.text, [event.span])[slice(*event.whole)].strip()


def _without(store: FactStore, match: Match, participants: frozenset[int]) -> Match:
    """The facts whose answer is none of the participants: "on the same day as X" asks for others than X."""
    if not participants:
        return match
    answers = np.where(match.answers_object, store.triples[match.facts, 2], store.triples[match.facts, 0])
    kept = ~np.isin(answers, list(participants))
    return Match(match.facts[kept], match.scores[kept], match.answers_object[kept])
