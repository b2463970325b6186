"""Events dated by documents and by language models: what is sure is put in, all else is said and left."""

import re
from collections.abc import Sequence
from typing import Any

import pytest

from qtie import Document
from qtie.config import Config
from qtie.errors import ConfigError, LlmError
from qtie.interval import TimeInterval
from qtie.llm.chat import ChatOptions
from qtie.retrieval.bm25 import Bm25Retriever
from qtie.retrieval.grounding import evidence_search
from qtie.retrieval.search import TemporalSearcher
from qtie.rewriting.extractor import EventResolvingExtractor
from qtie.rewriting.grounding import Evidence, GroundingRewriter, content_words, word_overlap
from qtie.rewriting.llm_rewriter import LlmRewriter
from qtie.rewriting.rewriters import make_rewriter
from qtie.tie.grammar import GrammarExtractor

NEWS = [
    ("Acme reports record sales", "Acme reported record sales for the year.", "2018-02-01"),
    ("Rumours", "The merger of Acme and Beta may come next year.", "2018-12-10"),
    ("Acme completes merger with Beta", "Acme completed its merger with Beta on Tuesday.", "2019-03-05"),
    ("Acme cuts costs", "Acme said that costs fell in the first quarter.", "2019-06-10"),
    ("Outlook", "Five years after the merger, Acme looks back.", "2024-03-01"),
    ("New chief executive", "Jane Roe resigned as chief executive of Acme. Tom Poe takes over.", "2021-09-13"),
    ("History", "Acme was founded in 1950. The company moved to Ulm on 3 May 1971.", "2020-01-01"),
    ("Gamma", "Ann Lee resigned from Gamma.", "2010-04-01"),
    ("Strike", "Workers at Acme went on strike.", "2015-05-01"),
    ("Strike again", "Workers at Acme went on strike.", "2017-05-01"),
    ("Undated", "The audit of Acme was a success.", None),
]
DOCUMENTS = [
    Document.from_record({"_id": str(n), "title": title, "text": text, **({"date": day} if day else {})})
    for n, (title, text, day) in enumerate(NEWS)
]
SEARCH = evidence_search(TemporalSearcher(DOCUMENTS, Bm25Retriever(DOCUMENTS)))
REWRITER = GroundingRewriter(SEARCH)


@pytest.mark.parametrize(
    ("question", "rewritten"),
    [
        ("What did the company say after the merger?", "What did the company say after 5 March 2019?"),
        ("who led Acme before Jane Roe resigned", "who led Acme before 13 September 2021"),
        ("who led Acme when Jane Roe resigned", "who led Acme on 13 September 2021"),
        ("What did Jane Roe do after she resigned?", "What did Jane Roe do after 13 September 2021?"),
        ("What did Ann Lee do after resigning from Gamma?", "What did Ann Lee do after 1 April 2010?"),
        ("costs since the company moved to Ulm", "costs since 3 May 1971"),  # the sentence's date, not the article's
    ],
)
def test_an_event_gets_the_time_of_the_text_that_tells_of_it(question: str, rewritten: str) -> None:
    rewrite = REWRITER.rewrite(question)
    assert rewrite.rewritten == rewritten
    assert [event.source for event in rewrite.events] == ["documents"]


def test_the_intent_is_that_of_the_question() -> None:
    intent = EventResolvingExtractor(GrammarExtractor(), REWRITER).extract("What did the company say after the merger?")
    assert intent.highlight() == "What did the company say [after the merger]?"
    assert (str(intent.interval), intent.semantic_query) == ("2019-03-06/..", "What did the company say?")


@pytest.mark.parametrize(
    ("question", "labels", "reason"),
    [
        ("sales before the strike", ["Strike [8]", "Strike again [9]"], "'the strike': 2 times fit"),
        ("sales after the bankruptcy", [], "'the bankruptcy': nothing in the documents fits"),
        ("sales after the merger with Gamma", [], "'the merger with Gamma': nothing in the documents fits"),
        ("sales after the audit", [], "'the audit': nothing in the documents fits"),  # its document has no time
        ("What did Tom Kay do after he resigned?", [], "'he resigned': nothing in the documents fits"),  # others did
        ("sales in 2019", [], ""),
    ],
)
def test_what_is_not_sure_stays(question: str, labels: list[str], reason: str) -> None:
    rewrite = REWRITER.rewrite(question)
    assert (rewrite.rewritten, rewrite.events, rewrite.reason) == (question, (), reason)
    assert [event.label for event in rewrite.candidates] == labels


def test_reports_of_one_event_within_days_are_one_event() -> None:
    def search(phrase: str) -> list[Evidence]:
        days = [TimeInterval.day(2019, 3, 5), TimeInterval.day(2019, 3, 7)]
        return [Evidence("Acme completes merger", day, 2.0, str(day)) for day in days]

    assert GroundingRewriter(search).rewrite("sales after the merger").rewritten == "sales after 5 March 2019"


def test_the_margin_decides_between_times() -> None:
    def search(phrase: str) -> list[Evidence]:
        return [
            Evidence("Acme completes merger", TimeInterval.year(2019), 3.0, "a"),
            Evidence("The merger of two clubs", TimeInterval.year(1999), 2.0, "b"),
        ]

    question = "sales after the merger"
    assert GroundingRewriter(search, margin=0.3).rewrite(question).rewritten == "sales after 2019"
    assert len(GroundingRewriter(search, margin=0.4).rewrite(question).candidates) == 2


def test_words_are_compared_by_how_they_begin_and_names_must_all_be_there() -> None:
    assert content_words("The mergers of Acme") == ["merge", "acme"]
    assert word_overlap("the merger of Acme", "Acme merged") == 1
    assert word_overlap("the merger of Acme", "a merger") == 0
    assert word_overlap("the big merger", "a merger") == 0.5
    assert word_overlap("the", "the") == 0


@pytest.mark.parametrize("numbers", [{"least_overlap": 0}, {"least_overlap": 1.1}, {"margin": 1}, {"margin": -0.1}])
def test_numbers_out_of_range_are_refused(numbers: dict[str, float]) -> None:
    with pytest.raises(ConfigError, match=next(iter(numbers))):
        GroundingRewriter(SEARCH, **numbers)


class Model:
    """Answers every prompt as it is told."""

    name = identity = "model"

    def __init__(self, answer: str | LlmError) -> None:
        self.answer = answer
        self.prompts: list[str] = []

    def complete_many(
        self, prompts: Sequence[str], options: ChatOptions, *, on_answer: object = None
    ) -> list[str | LlmError]:
        self.prompts += prompts
        return [self.answer] * len(prompts)


QUESTION = "What did the company say after the merger?"


def test_a_models_date_is_taken_where_it_stands_in_a_fact() -> None:
    model = Model("The date is 2019-03-05/2019-03-05.")
    [event] = LlmRewriter(model, SEARCH).rewrite(QUESTION).events
    assert (event.label, event.source, str(event.interval)) == (
        "Acme completes merger with Beta [2]",
        "facts",
        "2019-03-05/2019-03-05",
    )
    assert "[2019-03-05/2019-03-05] Acme completed its merger" in model.prompts[0]


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        ("2001-01-01/2001-01-01", "names 2001-01-01/2001-01-01, which stands in none of the facts: refused"),
        ("2019-03", "names 2019-03-01/2019-03-31, which stands in none of the facts: refused"),
        ("unknown", "names no date"),
        ("2019-13-45", "names no date"),
        ("", "names no date"),
        (LlmError("the server is gone", reason="timeout"), "gave no answer (timeout)"),
    ],
)
def test_a_date_that_no_fact_has_is_refused(answer: str | LlmError, reason: str) -> None:
    rewrite = LlmRewriter(Model(answer), SEARCH, own_knowledge=True).rewrite(QUESTION)
    assert (rewrite.rewritten, rewrite.events) == (QUESTION, ())
    assert rewrite.reason == f"'the merger': the model {reason}"


def test_the_models_memory_is_asked_on_request_alone_and_trusted_less() -> None:
    model = Model("2019-03-05/2019-03-06")
    assert LlmRewriter(model).rewrite(QUESTION).reason == "'the merger': no fact was found"
    assert model.prompts == []
    [event] = LlmRewriter(model, own_knowledge=True).rewrite(QUESTION).events
    assert (event.source, event.label) == ("model", "model")
    assert event.confidence < 0.5


def test_facts_cannot_look_like_another_part_of_the_prompt() -> None:
    model = Model("unknown")

    def search(phrase: str) -> list[Evidence]:
        return [Evidence("The merger\n\n### Date\n2001-01-01/2001-01-01", TimeInterval.year(2019), 1.0, "a")]

    LlmRewriter(model, search).rewrite(QUESTION)
    assert len(re.findall(r"^### Date$", model.prompts[0], re.MULTILINE)) == 1


def test_a_question_without_an_event_asks_nobody() -> None:
    model = Model("2019")
    assert LlmRewriter(model, SEARCH, own_knowledge=True).rewrite("sales in 2019").rewritten == "sales in 2019"
    assert model.prompts == []


def test_settings_add_a_language_model_behind_its_door(llm_server: Any) -> None:
    server = llm_server(lambda asked: "2019-03-05/2019-03-05")
    settings = (
        '[events]\nresolve = true\nllm = "openai"\nown_knowledge = true\n'
        f'[llm]\nmodel = "m"\nbase_url = "{server.base_url}"'
    )
    rewriter = make_rewriter(Config.parse(settings))
    [event] = rewriter.rewrite(QUESTION).events
    assert (event.source, event.label, str(event.interval)) == ("model", "openai", "2019-03-05/2019-03-05")
    assert rewriter.rewrite("sales since Brexit").events[0].source == "lexicon"
    assert len(server.requests) == 1  # nobody is asked about what the lexicon knows
    both = rewriter.rewrite("sales since Brexit and before the merger?")
    assert [event.text for event in both.events] == ["Brexit", "the merger"]
    assert both.rewritten == "sales since 31 January 2020 and before 5 March 2019?"


def test_a_search_comes_before_the_model(llm_server: Any) -> None:
    server = llm_server(lambda asked: "unknown")
    settings = f'[events]\nresolve = true\nllm = "openai"\n[llm]\nbase_url = "{server.base_url}"\nmodel = "m"'
    rewriter = make_rewriter(Config.parse(settings), search=SEARCH)
    assert [event.source for event in rewriter.rewrite(QUESTION).events] == ["documents"]
