"""Any extractor after a rewriter: the intent speaks of the question as it was asked."""

from collections.abc import Sequence
from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from qtie import Document, TemporalReranker
from qtie.config import Config
from qtie.errors import ConfigError
from qtie.intent import IntentExtractor, TemporalIntent
from qtie.interval import TimeInterval
from qtie.rewriting.extractor import EventResolvingExtractor
from qtie.rewriting.lexicon import LexiconRewriter
from qtie.rewriting.rewriter import ResolvedEvent, Rewrite, Rewriter, RewriterChain
from qtie.rewriting.rewriters import resolving
from qtie.rewriting.wording import Edit, edited, edits_of, original_span
from qtie.tie.grammar import GrammarExtractor

EXTRACTOR = EventResolvingExtractor(GrammarExtractor(), LexiconRewriter())


class Fixed:
    """Resolves the same words of every question."""

    def __init__(self, words: str, interval: TimeInterval, *, source: str = "documents") -> None:
        self.words, self.interval, self.source = words, interval, source

    def rewrite(self, question: str, *, reference_date: date | None = None) -> Rewrite:
        at = question.find(self.words)
        if at < 0:
            return Rewrite.of(question, [], reason=f"no {self.words}")
        span = (at, at + len(self.words))
        event = ResolvedEvent(
            text=self.words,
            span=span,
            label=self.words,
            interval=self.interval,
            source=self.source,  # type: ignore[arg-type]
            confidence=0.5,
        )
        return Rewrite.of(question, [event])


def test_it_is_an_extractor_and_the_lexicon_a_rewriter() -> None:
    assert isinstance(EXTRACTOR, IntentExtractor)
    assert isinstance(LexiconRewriter(), Rewriter)


def test_spans_and_words_are_those_of_the_question() -> None:
    question = "In 1990, who resigned after the fall of the Berlin Wall and before 1995?"
    intent = EXTRACTOR.extract(question)
    assert intent.query == question
    assert intent.highlight() == "[In 1990], who resigned [after the fall of the Berlin Wall and before 1995]?"
    assert intent.semantic_query == "who resigned?"
    bounded = next(c for c in intent.constraints if c.rule == "lexicon: fall of the Berlin Wall")
    assert str(bounded.interval) == "1989-11-10/1994-12-31"


def test_a_constraint_has_the_events_granularity_confidence_and_operator() -> None:
    constraint = EXTRACTOR.extract("songs during World War II").constraints[0]
    assert (constraint.operator, str(constraint.granularity), constraint.confidence) == ("in", "year", 0.95)


def test_words_that_fit_several_events_are_a_time_whose_date_is_not_known() -> None:
    question = "songs during Bush's presidency"
    intent = EXTRACTOR.extract(question)
    [constraint] = intent.constraints
    assert not constraint.resolved
    assert [str(reading) for reading in constraint.readings] == ["1989-01-20/1993-01-20", "2001-01-20/2009-01-20"]
    assert (intent.is_temporal, intent.semantic_query) == (False, question)
    plain = GrammarExtractor().extract("songs during the 1992 Olympics")
    assert EXTRACTOR.extract("songs during the 1992 Olympics") == plain  # which has read the year


def test_a_question_without_events_ranks_as_it_did() -> None:
    documents = [Document.from_text("songs", "a", timestamp="1943"), Document.from_text("war songs", "b")]
    plain, resolving_events = TemporalReranker(GrammarExtractor()), TemporalReranker(EXTRACTOR)
    for query in ("war songs", "songs in 1943", "songs during Bush's presidency"):
        ranked = [
            [(one.doc_id, one.score) for one in reranker.rank(query, documents, scores=[1.0, 0.9])]
            for reranker in (plain, resolving_events)
        ]
        assert ranked[0] == ranked[1]


def test_the_reranker_puts_the_events_days_first() -> None:
    documents = [
        {"_id": "a", "text": "The president met athletes", "date": "2014-02-10", "score": 0.9},
        {"_id": "b", "text": "The president met skiers", "date": "2018-02-12", "score": 0.8},
    ]
    ranking = TemporalReranker(EXTRACTOR).rank("president during the 23rd Winter Olympics", documents)
    assert [one.doc_id for one in ranking] == ["b", "a"]
    assert "lexicon" in ranking.intent.constraints[0].rule


def test_many_questions_are_read_as_one_by_one() -> None:
    questions = ["songs during World War II", "songs in 1943", "songs"]
    assert EXTRACTOR.extract_batch(questions) == [EXTRACTOR.extract(question) for question in questions]


def test_the_extractor_is_asked_the_rewritten_question_and_the_day() -> None:
    class Recorder:
        name = "recorder"
        asked: Sequence[object] = ()

        def extract(self, query: str, *, reference_date: date | None = None) -> TemporalIntent:
            self.asked = (query, reference_date)
            return TemporalIntent(query=query)

    recorder, day = Recorder(), date(2020, 1, 1)
    extractor = EventResolvingExtractor(recorder, Fixed("the merger", TimeInterval.day(2019, 3, 5)))
    assert (
        extractor.extract("what was said after the merger?", reference_date=day).query
        == "what was said after the merger?"
    )
    assert recorder.asked == ("what was said after 5 March 2019?", day)
    assert extractor.name == "recorder"


def test_a_chain_takes_each_event_from_the_first_that_knows_it() -> None:
    first = Fixed("the merger", TimeInterval.year(2019))
    second = Fixed("the strike", TimeInterval.year(2021))
    rewrite = RewriterChain([first, Fixed("the merger", TimeInterval.year(1999)), second]).rewrite(
        "sales after the merger and before the strike"
    )
    assert rewrite.rewritten == "sales after 2019 and before 2021"
    assert rewrite.reason == ""
    assert RewriterChain([first]).rewrite("sales").reason == "no the merger"
    assert RewriterChain([first, second]).rewrite("sales after the merger").reason == "no the strike"


def test_overlapping_events_and_events_without_the_day_asked_for_are_left_out() -> None:
    question = "sales until the war in the north"
    span, wider = (12, 19), (12, 32)
    open_end = TimeInterval.parse("2022-02-24/..")
    edits, refused = edits_of(question, [(span, open_end)])
    assert (edits, refused) == ((), {span: "it has no day that could be counted from"})
    edits, refused = edits_of(question, [(span, TimeInterval.year(1914)), (wider, TimeInterval.year(1914))])
    assert len(edits) == 1
    assert wider in refused


@pytest.mark.parametrize(("confidence", "source"), [(1.5, "facts"), (0.5, "rumour")])
def test_an_impossible_event_is_refused(confidence: float, source: str) -> None:
    with pytest.raises(ConfigError):
        ResolvedEvent(
            text="x",
            span=(0, 1),
            label="x",
            interval=TimeInterval.year(1),
            source=source,  # type: ignore[arg-type]
            confidence=confidence,
        )


@given(st.lists(st.tuples(st.integers(0, 4), st.integers(1, 5), st.text("xyz", min_size=1, max_size=8)), max_size=4))
def test_every_place_of_the_edited_text_has_its_place_in_the_question(pieces: list[tuple[int, int, str]]) -> None:
    question, edits = "", []
    for gap, length, text in pieces:
        start = len(question) + gap
        question += "a" * gap + "b" * length
        edits.append(Edit(start, start + length, text))
    question += "a"
    changed = edited(question, edits)
    assert original_span((0, len(changed)), edits) == (0, len(question))
    for start in range(len(changed)):
        first, last = original_span((start, start + 1), edits)
        if changed[start] == "a":
            assert question[first:last] == "a"
        else:
            assert (first, last) in [edit[:2] for edit in edits]


def test_settings_decide_whether_events_are_resolved() -> None:
    grammar = GrammarExtractor()
    assert resolving(grammar, Config()) is grammar
    on = resolving(grammar, Config.parse("[events]\nresolve = true"))
    assert isinstance(on, EventResolvingExtractor)
    again = resolving(on, Config.parse("[events]\nresolve = true"))
    assert isinstance(again, EventResolvingExtractor)
    assert again.extractor is grammar
    with pytest.raises(ConfigError, match=r"none\.jsonl: cannot be read"):
        resolving(grammar, Config.parse('[events]\nfiles = ["none.jsonl"]'))
