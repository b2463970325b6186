"""What is said of another place, person or office is no answer to a question that names one."""

from datetime import date

import pytest
from small_corpus import asked

from qtie.document import Document
from qtie.rag.extractive import ExtractiveReader
from qtie.rag.passage import passages_of
from qtie.rag.reader import Reading
from qtie.rag.wording.asked_names import AskedNames

MAYOR = "Claire Morel is mayor of Ulm."
WORKER = "Jonas Weber was a composer. He died in Graz."


def read(question: str, *texts: str) -> Reading:
    it = asked(question, reference_date=date(2025, 6, 15))
    documents = [Document(doc_id=f"{at}", text=text) for at, text in enumerate(texts)]
    return ExtractiveReader().read(it, passages_of(documents, it))


def test_a_question_about_a_name_that_no_passage_has_is_not_answered() -> None:
    assert read("Who is the mayor of Ulm?", MAYOR).answer == "Claire Morel"
    assert read("Who is the mayor of Graz?", MAYOR) == Reading(answer=None, note="no passage names Graz")


def test_a_passage_that_has_the_name_and_nothing_of_the_asked_office_does_not_answer() -> None:
    reading = read("Who was mayor of Graz?", MAYOR, WORKER)
    assert reading == Reading(answer=None, note="no passage that answers names Graz")


def test_with_another_name_that_is_there_it_is_said() -> None:
    reading = read("Who was mayor of Ulm under Elke Brandt?", MAYOR)
    assert (reading.answer, reading.note) == ("Claire Morel", "no passage names Elke Brandt")


@pytest.mark.parametrize(
    ("question", "text"),
    [
        ("Who led France?", "The French president."),
        ("Who was the German chancellor?", "Chancellor of Germany."),
        ("Who was Secretary-General of the United Nations?", "UN Secretary-General."),
        ("Who led Peru?", "The Peruvian president."),
        ("Who led Italy?", "An Italian minister."),
        ("Who led the United Kingdom?", "The prime minister of Britain."),
        ("Who led NATO?", "Head of the North Atlantic Treaty Organization."),
        ("Who led the European Union?", "Head of the EU."),
        ("Who married Ada B. Novak?", "Novak married in 1925."),
        ("Who owns Ulm Rovers' ground?", "The Rovers of Ulm."),
        ("Who was President in March?", "Nobody."),
        ("Who led the ministry?", "Nobody."),
        ("who leads ulm", "Nobody."),
    ],
)
def test_inflections_adjectives_and_initials_count_as_the_name(question: str, text: str) -> None:
    it = asked(question)
    assert not AskedNames.of(it.intent.semantic_query, [text]).missing


@pytest.mark.parametrize(
    ("question", "text"),
    [
        ("Who is mayor of Montreal?", "The mayor of Montreval."),
        ("When did Rosa Martinez die?", "Rosa Quintero died in 1999."),
        ("Who led Red Star?", "Ulm Rovers were led by Ada Novak."),
    ],
)
def test_a_name_that_only_looks_alike_does_not(question: str, text: str) -> None:
    assert AskedNames.of(question, [text]).all_missing


def test_without_passages_nothing_is_missing() -> None:
    assert AskedNames.of("Who led Ulm?", []) == AskedNames((), ())


@pytest.mark.parametrize("event", ["during the flood", "when the flood hit Graz", "after the Graz flood"])
def test_what_only_tells_of_the_event_that_dates_the_answer_does_not_answer(event: str) -> None:
    texts = ["The flood hit Graz. Ida Klein led the rescue.", "Paul Roth was mayor of Ulm."]
    assert AskedNames.of(f"Who was mayor {event}?", texts).by_text == (False, True)
    assert AskedNames.of(f"Who was mayor {event}?", texts[:1]).by_text == (True,)


def test_a_month_is_no_inflection_of_a_name() -> None:
    reading = read("Who was project lead of Marigold?", "Ada Lund was project lead until March 2024.")
    assert reading == Reading(answer=None, note="no passage names Marigold")
    assert AskedNames.of("Who won the vote in France?", ["The French vote was won by Ada Lund."]).all_missing is False


def test_an_institution_of_another_place_is_another() -> None:
    text = "Haru Abe was president of the Osaka College of Art."
    assert read("Who was president of the Osaka College of Art?", text).answer == "Haru Abe"
    reading = read("Who was president of the Kyoto College of Art?", text)
    assert reading == Reading(answer=None, note="no passage names Kyoto College of Art")


@pytest.mark.parametrize("question", ["When was version 3.0 of Fjord released?", "when was version 3 out?"])
def test_another_version_is_not_the_asked_one(question: str) -> None:
    text = "Version 1.0 of Fjord was released on 20 February 2018."
    reading = read(question, text)
    assert reading.answer is None
    assert reading.note.startswith("no passage names version 3")
    assert read(question.replace("3", "1"), text).answer == "20 February 2018"
