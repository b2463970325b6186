"""Events of the lexicon in questions: names, direction words, traps, references that lead from one event to another."""

import pytest

from qtie.rewriting.extractor import EventResolvingExtractor
from qtie.rewriting.lexicon import LexiconRewriter
from qtie.tie.grammar import GrammarExtractor

REWRITER = LexiconRewriter()
EXTRACTOR = EventResolvingExtractor(GrammarExtractor(), REWRITER)
WINTER_2018 = "2018-02-09/2018-02-25"


def interval_of(question: str) -> str | None:
    intervals = EXTRACTOR.extract(question).intervals
    return " ".join(map(str, intervals)) or None


@pytest.mark.parametrize(
    "name",
    [
        "the 23rd Winter Olympics",
        "the XXIII Olympic Winter Games",
        "the Twenty-Third Winter Olympics",
        "the 2018 Winter Games",
        "the Winter Olympics of 2018",
        "the PyeongChang Olympics",
        "the 2018 winter olympics",
        "the Winter Olympics in Pyeongchang",
    ],
)
def test_one_event_under_its_names(name: str) -> None:
    assert interval_of(f"who was president during {name}") == WINTER_2018
    assert interval_of(f"During {name}, who was president?") == WINTER_2018


@pytest.mark.parametrize(
    "name", ["World War II", "WWII", "WW2", "the Second World War", "World War Two", "world war 2"]
)
def test_spellings_of_numerals(name: str) -> None:
    assert interval_of(f"songs from {name}") == "1939-09-01/1945-09-02"


@pytest.mark.parametrize(
    ("question", "interval"),
    [
        ("who led France after the moon landing", "1969-07-21/.."),
        ("who led France following the moon landing?", "1969-07-21/.."),
        ("bread prices during the Falklands War", "1982-04-02/1982-06-14"),
        ("bread prices throughout the Falklands War", "1982-04-02/1982-06-14"),
        ("bread prices before the Falklands War", "../1982-04-01"),
        ("bread prices in the run-up to the Falklands War", "../1982-04-01"),
        ("bread prices since the Falklands War", "1982-04-02/.."),
        ("bread prices until the Falklands War", "../1982-06-14"),
        ("bread prices from the Falklands War onwards", "1982-04-02/.."),
        ("bread prices since the end of the Falklands War", "1982-06-14/.."),
        ("bread prices by the end of the Falklands War", "../1982-06-14"),
        ("bread prices after the outbreak of the Falklands War", "1982-04-03/.."),
        ("when the euro was introduced, who led France?", "1999-01-01/1999-01-01"),
        ("trade since Brexit", "2020-01-31/.."),
        ("post-Brexit trade", "2020-02-01/.."),
        ("pre-Brexit trade", "../2020-01-30"),
        ("novels written between the two world wars", "1918-11-11/1939-09-01"),
        ("novels written between World War I and World War II", "1918-11-11/1939-09-01"),
        ("films between the moon landing and the fall of the Berlin Wall", "1969-07-20/1989-11-09"),
        ("films from the moon landing to the fall of the Berlin Wall", "1969-07-20/1989-11-09"),
        ("films from 1950 to the moon landing", "1950-01-01/1969-07-20"),
        ("films between the moon landing and 1980", "1969-07-20/1980-12-31"),
        ("films three years after the fall of the Berlin Wall", "1992-11-09/1992-11-09"),
        ("films in the year of the moon landing", "1969-01-01/1969-12-31"),
        ("films before the year of the moon landing", "../1968-12-31"),
        ("films made while Obama was president", "2009-01-20/2017-01-20"),
        ("films made under Thatcher", "1979-05-04/1990-11-28"),
        ("films made after Obama became president", "2009-01-21/.."),
        ("films made before Obama left office", "../2017-01-19"),
        ("films after the Russian invasion of Ukraine", "2022-02-25/.."),
        ("films since the 1969 moon landing", "1969-07-20/.."),
        ("films after the moon landing of 1969", "1969-07-21/.."),
        ("plays in the reign of Henry VIII", "1509-04-22/1547-01-28"),
        ("what happened when World War II ended", "1945-09-02/1945-09-02"),
        ("plays before the Battle of Actium", "../-0030-09-01"),
        ("planes of WWI and in WWI and WWII", "1914-07-28/1918-11-11 1939-09-01/1945-09-02"),
        (
            "planes in the Korean War, the Vietnam War or the Gulf War?",
            "1950-06-25/1953-07-27 1955-11-01/1975-04-30 1990-08-02/1991-02-28",
        ),
        ("prices during and after the Gulf War", "1990-08-02/.."),
        ("fashion of the Victorian era", "1837-06-20/1901-01-22"),
        ("people in the time of Augustus", "-0026-01-16/0014-08-19"),
        ("films within two years of the moon landing", "1967-07-20/1971-07-20"),
        ("laws in Obama's second term", "2013-01-20/2017-01-20"),
    ],
)
def test_direction_words_keep_their_meaning(question: str, interval: str) -> None:
    assert interval_of(question) == interval


@pytest.mark.parametrize(
    ("question", "interval"),
    [
        ("films during the term of the US president when the euro was introduced", "1993-01-20/2001-01-20"),
        ("films under the US president who was in office when the Berlin Wall fell", "1989-01-20/1993-01-20"),
        ("films while the pope at the time of the moon landing was in office", "1963-06-21/1978-08-06"),
        ("films during the first World Cup after the fall of the Berlin Wall", "1990-06-08/1990-07-08"),
        ("films before the last Winter Olympics before Brexit", "../2018-02-08"),
        (
            "films during the papacy of the pope when the US president when the euro was introduced was in office",
            "1978-10-16/2005-04-02",
        ),
    ],
)
def test_references_lead_from_one_event_to_another(question: str, interval: str) -> None:
    assert interval_of(question) == interval


def test_a_reference_to_several_is_listed_and_one_too_deep_is_not_followed() -> None:
    several = REWRITER.rewrite("films during the term of the president when the euro was introduced")
    assert several.events == ()
    assert {"Bill Clinton presidency", "Jacques Chirac presidency", "Boris Yeltsin presidency"} <= {
        event.label.partition(",")[0] for event in several.candidates
    }
    in_two_terms = "films during the term of the UK prime minister during World War II"  # of one only some days
    assert len(REWRITER.rewrite(in_two_terms).candidates) == 3
    too_deep = "films under the UK prime minister when the pope when the US president when the euro was introduced"
    assert "prime minister" not in "".join(event.text for event in REWRITER.rewrite(too_deep).events)


@pytest.mark.parametrize(
    ("question", "labels"),
    [
        ("films during Bush's presidency", ["George H. W. Bush presidency", "George W. Bush presidency"]),
        ("films during the 1992 Olympics", ["1992 Summer Olympics", "XVI Olympic Winter Games"]),
        ("films while Trump was president", ["Donald Trump first presidency", "Donald Trump second presidency"]),
    ],
)
def test_what_fits_several_events_is_listed_and_none_chosen(question: str, labels: list[str]) -> None:
    rewrite = REWRITER.rewrite(question)
    assert (rewrite.rewritten, rewrite.events) == (question, ())
    assert [event.label for event in rewrite.candidates] == labels
    assert f"fits {len(labels)} events" in rewrite.reason


def test_the_year_beside_an_ambiguous_name_decides() -> None:
    assert interval_of("after the 1783 Treaty of Paris") == "1783-09-04/.."
    assert interval_of("after the Treaty of Paris of 1763") == "1763-02-11/.."
    assert REWRITER.rewrite("after the Treaty of Paris").candidates


@pytest.mark.parametrize(
    "question",
    [
        "World War Z box office",
        "who acted in World War Z",
        "opening hours of the War Museum",
        "speeches during the Vietnam War Memorial dedication",
        "crowds at the Vietnam War Memorial",
        'reviews during "The Cold War"',
        "songs by Cold War Kids after the Cold War Kids tour",
        "films during the World War II bombing of London",
        "damage caused by Hurricane Katrina",
        "books on the Cold War",
        "a history of World War II",
        "article 5 in the Treaty of Versailles",
        "rights under GDPR",
        "when was the moon landing",
        "When did World War II end?",
        "who won World War II",
        "prices before, during and after the Gulf War",
        "poems of World War I",
        "what did the company say after the merger",
        "films after the release of Star Wars The Force Awakens",
        "who ruled during Obama's presidency's first year",
        "bread prices",
        "",
    ],
)
def test_what_names_no_event_as_a_time_is_left_as_it_is(question: str) -> None:
    rewrite = REWRITER.rewrite(question)
    assert (rewrite.rewritten, rewrite.events, rewrite.candidates) == (question, (), ())
    assert EXTRACTOR.extract(question) == GrammarExtractor().extract(question)


def test_an_event_with_a_year_in_its_name_needs_no_direction_word() -> None:
    intent = EXTRACTOR.extract("the 2020 Olympics medal table")
    assert (str(intent.interval), intent.semantic_query) == ("2021-07-23/2021-08-08", "the 2020 Olympics medal table")
    assert intent.highlight() == "the [2020 Olympics] medal table"


def test_a_long_question_is_read_in_time() -> None:
    question = "during the Falklands War " + "of the US president when the euro was introduced " * 2_000
    assert REWRITER.rewrite(question).question == question
