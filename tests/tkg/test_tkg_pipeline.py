"""Questions over a small graph, whose answers are known by hand."""

from dataclasses import replace

import pytest

from qtie.errors import ConfigError
from qtie.tie.grammar import GrammarExtractor
from qtie.tkg.pipeline import TkgOptions, TkgPipeline
from qtie.tkg.store import FactStore

QUESTIONS = [  # question, best answers
    ("Who visited Iraq in April 2006?", ["Jack Straw"]),
    ("Who was Iran criticised by in June 2009?", ["Citizen (Nigeria)"]),
    ("Whom did Iran denounce in 2009?", ["Barack Obama"]),
    ("Who first visited Iraq?", ["Tony Blair"]),
    ("Who was the last to visit Iraq before 2007?", ["Jack Straw"]),
    ("Which country did Obama first visit after 1 January 2009?", ["China"]),
    ("When did Barack Obama first visit China?", ["2009-11-15"]),
    ("In which month did Barack Obama last pay a visit to China?", ["2014-11"]),
    ("In what year did China praise Iran?", ["2007"]),
    ("On which day was Iraq criticised by Iran?", ["2006-05-05"]),
    ("Who praised Barack Obama in the same month as the criticism of Iran by Nigerian citizens?", ["China"]),
    ("After China praised Iran, who was the first to visit Iraq?", ["Barack Obama"]),
    ("Jack Straw visited Iraq. Whom did Iran denounce after that?", ["Iraq", "Barack Obama"]),
    ("Name the country that Iran criticised in 2006.", ["Iraq"]),
    ("In which month did both Iran's criticism of Barack Obama and China's praise of Barack Obama occur?", ["2009-06"]),
    ("Who was first arrested by Egyptian police?", ["Protester (Egypt)"]),
]


@pytest.mark.parametrize(("question", "expected"), QUESTIONS, ids=[question for question, _ in QUESTIONS])
def test_best_answers(pipeline: TkgPipeline, question: str, expected: list[str]) -> None:
    assert list(pipeline.ask(question).best_answers) == expected


def test_the_papers_example_end_to_end(pipeline: TkgPipeline) -> None:
    answer = pipeline.ask("After the Danish ministry, who first visited Iraq?")
    assert answer.best_answers == ("Jack Straw",)
    assert answer.rewrite.rewritten == "after 20 February 2006, who first visited Iraq?"
    assert answer.rewrite.events[0].label == "Defense / Security Ministry (Denmark) Make a visit Iraq in 2006-02-20"
    assert not answer.abstained
    explanation = answer.explain()
    for line in (
        "question: After the Danish ministry, who first visited Iraq?",
        "asks for: entity, the first",
        "rewritten: after 20 February 2006, who first visited Iraq?",
        "asked time: 2006-02-21/..",
        "answer: Jack Straw",
    ):
        assert line in explanation.splitlines()


def test_an_event_of_several_dates_is_listed_and_none_is_chosen(pipeline: TkgPipeline) -> None:
    answer = pipeline.ask("Who visited Iraq before Iran criticised Barack Obama?")
    assert answer.abstained
    assert "facts of 2 dates" in answer.reason
    assert [str(event.interval) for event in answer.rewrite.candidates] == [
        "2009-06-20/2009-06-20",
        "2009-06-25/2009-06-25",
    ]
    assert answer.rewrite.rewritten == answer.question.text
    assert answer.intent.interval is None
    assert answer.answers == pipeline.ask("Who visited Iraq?").answers


def test_which_of_several_events_may_be_said(pipeline: TkgPipeline) -> None:
    answer = pipeline.ask("Who praised Barack Obama after Iran first criticised Barack Obama?")
    assert str(answer.rewrite.events[0].interval) == "2009-06-20/2009-06-20"
    assert answer.best_answers == ("China",)


def test_an_event_may_be_dated_by_another(pipeline: TkgPipeline) -> None:
    question = "Whom did Iran first denounce after China praised Iran following Tony Blair's visit to Iraq?"
    answer = pipeline.ask(question)
    assert [str(event.interval) for event in answer.rewrite.events] == ["2007-01-10/2007-01-10"]
    assert [ranked.fact.subject for ranked in answer.facts if ranked.supports == "event"] == ["China", "Tony Blair"]
    assert answer.best_answers == ("Barack Obama",)


def test_an_event_that_no_fact_tells_of_leaves_a_plain_question(pipeline: TkgPipeline) -> None:
    answer = pipeline.ask("Who visited Iraq after Jack Straw praised Tony Blair?")
    assert answer.abstained
    assert answer.answers == pipeline.ask("Who visited Iraq?").answers


def test_a_question_without_a_known_entity_says_so(pipeline: TkgPipeline) -> None:
    answer = pipeline.ask("Who visited Ruritania?")
    assert answer.reason == "the question names no entity of the graph"


def test_facts_of_another_time_are_shown_with_doubt(pipeline: TkgPipeline) -> None:
    answer = pipeline.ask("Who visited Iraq in 1950?")
    assert answer.reason == "no fact that fits is of the asked time"
    assert answer.abstained
    assert answer.answers
    assert not pipeline.ask("Who visited Iraq in April 2006?").abstained


def test_an_unknown_relation_is_named_and_answered_by_entity_and_time(pipeline: TkgPipeline) -> None:
    answer = pipeline.ask("Who knighted Iraq in April 2006?")
    assert answer.reason == 'no predicate of the graph is like "knighted"'
    assert answer.abstained
    assert answer.answers[0] == "Jack Straw"


def test_undated_facts_answer_who_but_not_when(pipeline: TkgPipeline) -> None:
    assert pipeline.ask("Whom did Iran negotiate with?").best_answers == ("China",)
    assert "China" not in pipeline.ask("When did Iran negotiate with China?").answers


def test_without_rewriting_the_event_is_left_out(store: FactStore) -> None:
    plain = TkgPipeline(store, GrammarExtractor(), options=TkgOptions(rewrite=False))
    answer = plain.ask("After the Danish ministry, who first visited Iraq?")
    assert answer.best_answers == ("Tony Blair",)
    assert answer.rewrite.events == ()


def test_as_many_facts_as_asked_for(store: FactStore) -> None:
    options = TkgOptions(n_facts=2)
    answer = TkgPipeline(store, GrammarExtractor(), options=options).ask("Who visited Iraq in 2006?")
    assert len(answer.facts) == 2
    with pytest.raises(ConfigError, match="n_facts"):
        replace(options, n_facts=0)


@pytest.mark.parametrize("stage", ["cosine", "timer4_2024", "timer4_2025"])
def test_every_final_stage_answers(store: FactStore, stage: str) -> None:
    pipeline = TkgPipeline(store, GrammarExtractor(), options=TkgOptions(final_stage=stage))
    assert pipeline.ask("When did China praise Iran?").best_answers[0] == "2007-01-10"


def test_an_index_that_is_missing_is_named(store: FactStore) -> None:
    with pytest.raises(ConfigError, match="no index 'tks'"):
        TkgPipeline(store, GrammarExtractor(), options=TkgOptions(semantic="tks"))
