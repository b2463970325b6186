"""Answers of a language model, checked against the facts."""

import json
from collections.abc import Sequence
from pathlib import Path

import pytest

from qtie.errors import DocumentError, LlmError
from qtie.llm.chat import DEFAULTS, ChatOptions
from qtie.tkg.pipeline import TkgPipeline
from qtie.tkg.reasoner import TkgReasoner
from qtie.tkg.reasoner_task import ReasonerTask, read_reasoner_items, split_items


class Says:
    """A model that always says the same."""

    name = identity = "says"

    def __init__(self, answer: str | LlmError) -> None:
        self.answer, self.prompts = answer, list[str]()

    def complete(self, prompt: str, options: ChatOptions = DEFAULTS) -> str:
        self.prompts.append(prompt)
        if isinstance(self.answer, LlmError):
            raise self.answer
        return self.answer

    def complete_many(
        self, prompts: Sequence[str], options: ChatOptions = DEFAULTS, **_: object
    ) -> list[str | LlmError]:
        return [self.answer for _ in prompts]


QUESTION = "Who visited Iraq in April 2006?"


def test_answers_that_stand_in_the_facts_are_taken(pipeline: TkgPipeline) -> None:
    chat = Says("jack straw; Napoleon")
    answer = TkgReasoner(pipeline, chat).ask(QUESTION)
    assert answer.answers == ("Jack Straw",)
    assert answer.refused == ("Napoleon",)
    assert "- Jack Straw Make a visit Iraq in 2006-04-02" in chat.prompts[0].splitlines()
    assert "refused: Napoleon" in answer.explain()


def test_an_invented_date_is_refused(pipeline: TkgPipeline) -> None:
    answer = TkgReasoner(pipeline, Says("1815-06-18")).ask("When did China praise Iran?")
    assert answer.refused == ("1815-06-18",)
    assert answer.answers[0] == "2007-01-10"
    record = answer.to_dict()
    assert record["abstained"]
    assert "names nothing that stands in the facts" in record["reason"]


def test_a_month_of_a_fact_is_no_invention(pipeline: TkgPipeline) -> None:
    assert TkgReasoner(pipeline, Says("January 2007")).ask("When did China praise Iran?").answers == ("January 2007",)


def test_a_model_that_fails_leaves_the_pipelines_answers(pipeline: TkgPipeline) -> None:
    answer = TkgReasoner(pipeline, Says(LlmError("says: timeout"))).ask(QUESTION)
    assert answer.answers == pipeline.ask(QUESTION).answers
    assert answer.reason == "the model failed, the answers are without it: says: timeout"


def test_items_to_train_on(pipeline: TkgPipeline, tmp_path: Path) -> None:
    path = tmp_path / "questions.jsonl"
    rows = [{"question": QUESTION, "answers": ["Jack Straw"]}, {"question": QUESTION, "answers": ["Napoleon"]}]
    path.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    (item,) = read_reasoner_items(path, pipeline)
    ((prompt, answer),) = ReasonerTask().texts([item])
    assert answer == "Jack Straw"
    assert prompt.endswith(f"Question: {QUESTION}\nAnswer:")
    train, held_out = split_items([item] * 10)
    assert (len(train), len(held_out)) == (8, 2)
    rows_said, shares = ReasonerTask().check(Says("Napoleon"), [item])
    assert shares == {"said_right": 0, "right": 0, "nothing_left": 1}
    assert rows_said[0]["refused"] == ["Napoleon"]
    path.write_text('{"question": 3}', encoding="utf-8")
    with pytest.raises(DocumentError, match="line 1"):
        list(read_reasoner_items(path, pipeline))
