"""Asked when something happened, the reader takes the date of that and of nothing else in the text."""

from datetime import date

import pytest
from small_corpus import asked

from qtie.document import Document
from qtie.rag.asked_event import AskedEvent
from qtie.rag.extractive import ExtractiveReader
from qtie.rag.passage import passages_of

DAY = date(2025, 6, 15)
LIFE = "Ada Novak (4 May 1901 – 7 June 1979) was a chemist. She won the Ulm Prize in 1950."
SAID = "Ada Novak was born on 4 May 1901 in Ulm and died on 7 June 1979 in Graz. She won the Ulm Prize in 1950."
FAMILY = (
    "Ada Novak was born in 1901. In 1925 she married Jonas Weber, and in 1930 they moved to Graz."
    " They divorced in 1935."
)
HUSBAND = "Ada Novak died in 1979 aged 78. Her husband died in 1985."
BANK = "The Ulm Bank was founded in 1870, merged with Graz Bank in 1931 and closed in 1999."
ALBUM = "Blue Night was recorded in March 1984 and released on 2 October 1984. It was reissued in 2004."
OFFICE = (
    "Elke Brandt was born in 1950. She entered parliament in 1980. In 1994 she became minister, and resigned in 1999."
)
TERM = "Elke Brandt served as minister from 1994 to 1999."
LAW = "The law was passed on 3 May 1901; it came into force on 1 January 1902 and was repealed in 1990."
TREATY = "Talks opened in 1990. Signed on 7 February 1992, the treaty entered into force on 1 November 1993."
WAR = "The war began on 1 September 1939 and ended on 2 September 1945."
PHONE = "Acme was founded in 1976. The first phone was announced on January 9, 2007 and came out on June 29, 2007."
DEATH = "Born in 1917, the president took office in 1961 and was assassinated on 22 November 1963."
WHEN = [
    ("When was Ada Novak born?", LIFE, "4 May 1901"),
    ("When did Ada Novak die?", LIFE, "7 June 1979"),
    ("When did Ada Novak win the Ulm Prize?", LIFE, "1950"),
    ("What is the birth date of Ada Novak?", LIFE, "4 May 1901"),
    ("date of death of Ada Novak", LIFE, "7 June 1979"),
    ("When was Ada Novak born?", SAID, "4 May 1901"),
    ("In what year did Ada Novak die?", SAID, "7 June 1979"),
    ("When did Ada Novak die?", HUSBAND, "1979"),
    ("When did Ada Novak's husband die?", HUSBAND, "1985"),
    ("When was the president killed?", DEATH, "22 November 1963"),
    ("When did Ada Novak marry Jonas Weber?", FAMILY, "1925"),
    ("When was Ada Novak married?", FAMILY, "1925"),
    ("When did Ada Novak move to Graz?", FAMILY, "1930"),
    ("When did Ada Novak and Jonas Weber divorce?", FAMILY, "1935"),
    ("When was the Ulm Bank founded?", BANK, "1870"),
    ("When did the Ulm Bank merge with Graz Bank?", BANK, "1931"),
    ("When did the Ulm Bank close?", BANK, "1999"),
    ("When was the album Blue Night released?", ALBUM, "2 October 1984"),
    ("When was the album Blue Night recorded?", ALBUM, "March 1984"),
    ("When was the first phone released?", PHONE, "June 29, 2007"),
    ("When did Elke Brandt become minister?", OFFICE, "1994"),
    ("When did Elke Brandt resign?", OFFICE, "1999"),
    ("When did Elke Brandt become minister?", TERM, "1994"),
    ("When did Elke Brandt leave office?", TERM, "1999"),
    ("When was the law passed?", LAW, "3 May 1901"),
    ("When was the law repealed?", LAW, "1990"),
    ("When was the treaty signed?", TREATY, "7 February 1992"),
    ("When did the war begin?", WAR, "1 September 1939"),
    ("When did the war end?", WAR, "2 September 1945"),
    ("when did the war end", WAR, "2 September 1945"),
]


def answer(question: str, text: str) -> str | None:
    it = asked(question, reference_date=DAY)
    return ExtractiveReader().read(it, passages_of([Document(doc_id="a", text=text)], it)).answer


@pytest.mark.parametrize(("question", "text", "expected"), WHEN)
def test_the_date_of_the_asked_event_answers(question: str, text: str, expected: str) -> None:
    assert answer(question, text) == expected


@pytest.mark.parametrize(
    ("question", "text", "expected"),
    [
        ("When did the term of Elke Brandt end?", "The term of Elke Brandt: 1994-1999.", "1999"),
        ("When did the term of Elke Brandt end?", "The term of Elke Brandt ran in 1994–99.", "1999"),
        ("When did the fair begin?", "The fair was held from 28 February to 3 March 2005.", "2005-02-28"),
        ("When was the fair held?", "The fair was held from 1990 to 1995.", "1990 to 1995"),
    ],
)
def test_of_a_range_the_end_that_is_asked_for_answers(question: str, text: str, expected: str) -> None:
    assert answer(question, text) == expected


def test_a_date_joined_by_spaces_that_break_no_line_is_read() -> None:
    assert answer("when does episode 15 air", "when does episode 15 air: March\xa06,\xa02018") == "March\xa06,\xa02018"


def test_a_question_of_names_alone_names_no_event() -> None:
    event = AskedEvent.of("When was Ulm?")
    assert (event.kinds, event.words, event.side) == ((), frozenset(), None)


BORN = "Rosa Lind (born 22 January 1958) is a physicist. She won the Ulm Prize in 1999."
DIED = "Teo Lind was a composer. He died in Graz on 2 February 1955, aged 71."


@pytest.mark.parametrize(
    ("question", "text"),
    [
        ("When did Rosa Lind die?", BORN),
        ("In which year was Rosa Lind killed?", BORN),
        ("When was Teo Lind born?", DIED),
        ("What is the birth date of Teo Lind?", DIED),
        ("When was Teo Lind's wife born?", "Teo Lind's wife died in 1985."),
        ("When was the Ulm Bank founded?", "The Ulm Bank was dissolved in 1931."),
        ("When did the Long Bridge close?", "The Long Bridge was opened on 4 July 2009."),
    ],
)
def test_the_date_of_the_opposite_event_is_no_answer(question: str, text: str) -> None:
    it = asked(question, reference_date=DAY)
    reading = ExtractiveReader().read(it, passages_of([Document(doc_id="a", text=text)], it))
    assert not any(digit in (reading.answer or "") for digit in "0123456789")


def test_why_there_is_no_date_is_said() -> None:
    it = asked("When did Rosa Lind die?", reference_date=DAY)
    reading = ExtractiveReader().read(it, passages_of([Document(doc_id="a", text=BORN, title="Rosa Lind")], it))
    assert (reading.answer, reading.note) == (None, "no passage says when that was")
