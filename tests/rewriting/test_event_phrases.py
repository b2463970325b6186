"""The words of a question that name an event, found without knowing it."""

import pytest

from qtie.rewriting.event_phrases import find_event_phrases


@pytest.mark.parametrize(
    ("question", "phrases"),
    [
        ("What did the company say after the merger?", [("after", "the merger")]),
        ("After the Danish ministry, who first visited Iraq?", [("after", "the Danish ministry")]),
        ("who led France when the euro was introduced", [("in", "the euro was introduced")]),
        ("When the CEO resigned, what did Acme say?", [("in", "the CEO resigned")]),
        ("during Obama's presidency who led France", [("in", "Obama's presidency")]),
        ("Before the visit of Barack Obama who praised Iraq?", [("before", "the visit of Barack Obama")]),
        ("sales since the strike, and why", [("since", "the strike")]),
        ("what was said before the vote and after the strike", [("before", "the vote"), ("after", "the strike")]),
        ("prices until the strike ended", [("until", "the strike ended")]),
        ("who had left by the time the strike ended", [("by", "the strike ended")]),
        ("who led it at the time of the merger with Beta", [("in", "the merger with Beta")]),
        ("after Bob Iger left did the company change", [("after", "Bob Iger left")]),
        ("what did he write while living in Ulm", [("in", "living in Ulm")]),
    ],
)
def test_phrases_and_how_the_time_stands_to_them(question: str, phrases: list[tuple[str, str]]) -> None:
    found = find_event_phrases(question)
    assert [(phrase.direction, phrase.text) for phrase in found] == phrases
    assert all(question[slice(*phrase.span)] == phrase.text for phrase in found)


@pytest.mark.parametrize(
    "question",
    [
        "who led it after 2014",
        "what happened after the merger in 2019",  # the date says it
        "when was the merger",
        "when did the CEO resign",
        "after all, who cares",
        "what happened after that",
        "how to lose weight after pregnancy",
        "what to eat before bed",
        "what was said while you were away",
        "until now",
        "sales by region",
        "",
        "after",
    ],
)
def test_dates_questions_and_habits_are_no_events(question: str) -> None:
    assert find_event_phrases(question) == []


def test_a_long_question_is_looked_at_in_time() -> None:
    assert len(find_event_phrases("after the merger " * 5_000)) < 200
