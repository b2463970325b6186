"""The grammar as an extractor: paraphrases mean the same, what stands around a time changes nothing, nothing raises."""

from datetime import date

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from qtie.intent import IntentOptions
from qtie.interval import TimeInterval
from qtie.tie.grammar import GrammarExtractor

REFERENCE_DATE = date(2025, 6, 15)


def extract(query, reference_date=REFERENCE_DATE, **options):
    return GrammarExtractor(IntentOptions(**options)).extract(query, reference_date=reference_date)


def read(query, reference_date=REFERENCE_DATE, **options):
    """What is asked for, as text: intervals joined by "or", None where no time is."""
    return " or ".join(map(str, extract(query, reference_date, **options).intervals)) or None


def edtf(text):
    return " or ".join(str(TimeInterval.parse(part)) for part in text.split(" or "))


# Paraphrases with one operator mean the same, over all units

UNITS = {
    "2019": "2019", "March 2008": "2008-03", "3 May 1940": "1940-05-03", "29 February 2024": "2024-02-29",
    "2019-03": "2019-03", "03/15/2023": "2023-03-15", "Q3 2019": "2019-35", "2H 2021": "2021-07/2021-12",
    "the 1990s": "199X", "the 19th century": "1801/1900", "summer 2009": "2009-22", "FY2021": "2021", "63 BC": "-0062",
    "AD 451": "0451", "Christmas 2019": "2019-12-25",
}  # fmt: skip
PARTS = {
    "early 1970": "1970-01/1970-04", "mid-2006": "2006-05/2006-08", "the first half of 2019": "2019-01/2019-06",
    "week 12 of 2020": "2020-W12", "winter of 2010-11": "2010-24", "the 2009-10 season": "2009/2010",
    "circa 1850": "1849/1851",
}  # fmt: skip
OPERATORS = {
    "in": (["in {}", "during {}", "throughout {}", "within {}", "from {}", "{}"], lambda x: x),
    "before": (
        ["before {}", "prior to {}", "predating {}", "ahead of {}", "earlier than {}", "leading up to {}", "<{}"],
        lambda x: TimeInterval(None, x.start - 1),
    ),
    "after": (
        ["after {}", "following {}", "later than {}", "in the wake of {}", ">{}"],
        lambda x: TimeInterval(x.end + 1, None),
    ),
    "since": (
        ["since {}", "from {} on", "from {} onwards", "from {} forward", "starting {}", "effective {}", "{} or later",
         "{} or newer", "{}+", "≥{}", "no earlier than {}", "not before {}", "not older than {}", "on or after {}",
         "not until {}"],
        lambda x: TimeInterval(x.start, None),
    ),
    "by": (
        ["by {}", "{} or earlier", "no later than {}", "not later than {}", "on or before {}", "≤{}", "up to {}",
         "until {}", "till {}", "as of {}", "as at {}"],
        lambda x: TimeInterval(None, x.end),
    ),
}  # fmt: skip
EDGES = {"before": "before the start of {}", "after": "after the end of {}", "since": "after the start of {}"}


@pytest.mark.parametrize("operator", OPERATORS)
@pytest.mark.parametrize(("unit", "interval"), (UNITS | PARTS).items())
def test_paraphrases_of_an_operator_mean_the_same(unit, interval, operator):
    phrases, definition = OPERATORS[operator]
    asked = definition(TimeInterval.parse(interval))
    for phrase in phrases:
        intent = extract(f"harbour fees {phrase.format(unit)}")
        assert intent.intervals == (asked,), phrase
        assert intent.semantic_query == "harbour fees", phrase


@pytest.mark.parametrize("unit", [unit for unit, interval in UNITS.items() if TimeInterval.parse(interval).n_days > 1])
def test_an_operator_on_an_edge_of_a_unit(unit):
    for operator, phrase in EDGES.items():
        assert read(f"harbour fees {phrase.format(unit)}") == read(f"harbour fees {operator} {unit}")
    for phrase in ("by the end of", "before the end of"):
        assert read(f"harbour fees {phrase} {unit}") == read(f"harbour fees by {unit}")


@pytest.mark.parametrize(
    "paraphrases",
    [
        ["between 1990 and 2001", "from 1990 to 2001", "from 1990 until 2001", "from 1990 through 2001", "1990-2001",
         "1990–2001", "1990 to 2001", "between 2001 and 1990", "btw 1990 & 2001", "from nineteen ninety to 2001"],
        ["May through September 1940", "from May to September 1940", "between May and September 1940",
         "May 1940 to September 1940", "May - Sept 1940"],
        ["three years before 2019", "3 years before 2019", "3 yrs prior to 2019", "three years earlier than 2019"],
        ["the five years before 2010", "in the 5 years preceding 2010", "over the five years prior to 2010"],
        ["3 May 1940", "May 3, 1940", "3rd of May 1940", "the third of May, 1940", "1940-05-03", "3may 1940"],
        ["in Sept '08", "in September 2008", "sep 2008", "2008-09", "09/2008"],
        ["in the nineties", "in the 90s", "in the '90s", "in the 1990s", "90's"],
        ["b4 1950", "before 1950", "BEFORE 1950", "pre-1950", "pre 1950", "before the year 1950"],
        ["in 2010 or 2014", "in 2014 or 2010", "2010 and 2014", "2010, 2014", "2010 versus 2014"],
        ["since 1990 except 1994", "since 1990 excluding 1994", "since 1990 but not in 1994", "since 1990, not 1994"],
        ["after the start of 2003 but before mid-2006", "since 2003 and before mid-2006", "from 2003 to April 2006"],
    ],
    ids=lambda paraphrases: paraphrases[0],
)  # fmt: skip
def test_paraphrases(paraphrases):
    readings = {phrase: read(f"strikes {phrase}") for phrase in paraphrases}
    assert len(set(readings.values())) == 1
    assert None not in readings.values()


# Each of these was once misread


@pytest.mark.parametrize(
    ("query", "interval"),
    [
        # a lone number, and what stands beside it
        ("mill built 1850 or so", "1849/1851"),
        ("pottery 1850 ± 5 years", "1845/1855"),
        ("bell of c. 1390", "1389/1391"),
        ("c. 1390 bell", "1389/1391"),
        ("2000 islands resort", None),
        ("in 2000 islands flooded", "2000"),
        ("tickets since 2019 about fault 1812", "2019/.."),
        ("exports last year and 2015", "2015 or 2024"),
        ("router settings 1941", None),
        ("vigil before hallowe'en 2010", "../2010-10-30"),
        ("drains of en 1986", None),
        ("2020 main st dallas", None),
        ("2019 wall st bonuses", "2019"),
        # arithmetic
        ("1999 + 26", None),
        ("is 2017 prime", None),
        ("2024 in roman numerals", None),
        ("visitors 2010 + 2014", "2010 or 2014"),
        ("visitors 2010+", "2010/.."),
        # degrees, ages and versions
        ("temperature in the mid 80s", None),
        ("hairstyles of the mid 80s", "1983/1986"),
        ("release 4.5.19", None),
        ("release of 4.5.2019", "2019-04-05"),
        ("2019-ncov test kit", None),
        ("prices 2012-present", "2012-01-01/2025-06-15"),
        ("hotline 555-2013", None),
        ("strikes 1990-2001", "1990/2001"),
        # a year shared, or not
        ("sales in July and August 2013", "2013-07/2013-08"),
        ("sales in 2019 but not in March", "2019-01/2019-02 or 2019-04/2019-12"),
        ("sales from November to February 2024", "2023-11/2024-02"),
        ("the last summer of 1999", "1999-22"),
        ("2009 winter storms", "2009-24"),
        ("sales in 2010 march", "2010-03"),
        ("March 2020's report", "2020-03"),
        ("picnic on christmas '99", "1999-12-25"),
        # counted units
        ("leases for 3 years since 2010", "2010/.."),
        ("leases for 3 years after 2010", "2011/2013"),
        ("within a week of 3 May 2010", "2010-04-26/2010-05-10"),
        ("nothing older than 2 weeks", "2025-06-01/.."),
        ("five-year plan since 1950", "1950/.."),
        # centuries and parts of long units
        ("history of century eggs", None),
        ("a century", None),
        ("barns of the last third of the 19th century", "1867/1900"),
        ("barns of the last third of the 1990s", "1997/1999"),
        # a season's word in a name
        ("2018 Winter Olympics", "2018"),
        ("before the 2016 Summer Games", "../2015"),
        ("2010 Winter Youth Olympic Games", "2010"),
        ("2012 Spring Cup", "2012"),
        ("2017 fall classic", "2017"),
        ("2019 Spring Festival travel rush", "2019"),
        ("2020 summer school programme", "2020"),
        ("2011 Spring Awakening", "2011"),
        ("Prague Spring of 1968", "1968"),
        ("1989 fall of the Berlin Wall", "1989"),
        ("medals at the winter games", None),
        ("last autumn budget statement", "2024-23"),
        ("2018 winter sales", "2018-24"),
        # a year beside an order
        ("latest report 2019", "2019"),
        ("original Star Wars 1977 reviews", "1977"),
        ("newest firmware of the 1900 series", "../2025-06-15"),
        # names with "first" and "last", and other senses of the words
        ("the first Thanksgiving", None),
        ("first Easter in 2010", "2010-04-04"),
        ("last letter of the alphabet", None),
        ("last letter from the council", "../2025-06-15"),
        ("last EU treaty", "../2025-06-15"),
        ("last emperor film", None),
        ("the last emperor of China", "../2025-06-15"),
        ("paintings from his late twenties", None),
        ("paintings from his last two years", None),
        ("laws of the first 100 days of his presidency", None),
        ("who won the 1500 m in 2012", "2012"),
        ("2019 M&A deals", "2019"),
        # a unit's rest, and 11 September
        ("votes earlier this year", "2025-01-01/2025-06-15"),
        ("votes earlier than this year", "../2024"),
        ("votes no earlier than this year", "2025/.."),
        ("votes earlier today", "2025-06-15"),
        ("the Sept. 11 attacks", "2001-09-11"),
        ("attacks on September 11, 2012", "2012-09-11"),
        # parts said before what they are of
        ("first Monday in October 2019", "2019-10-07"),
        ("first half profits 2020", "2020-01/2020-06"),
        ("first half goals", None),
        ("the last three presidents", "../2025-06-15"),
        ("the last 3 letters of the alphabet", None),
        ("the last 10 minutes of the game", None),
        # a unit and the year said after it
        ("Q3 results of 2019", "2019-35"),
        ("second-half results in 2019", "2019-07/2019-12"),
        ("Q3 2019 results of 2018", "2018 or 2019-35"),
        # hours
        ("outages in the past 48 hours", "2025-06-13/2025-06-15"),
        ("outages in the next 24 hours", "2025-06-15/2025-06-16"),
        ("outages 3 hours ago", "2025-06-15"),
        # operators
        ("fares up to and including 2010", "../2010"),
        ("floods since 1990 until 1995", "1990/1995"),
    ],
)  # fmt: skip
def test_once_misread(query, interval):
    assert read(query) == (None if interval is None else edtf(interval))


@pytest.mark.parametrize(
    ("query", "interval"),
    [
        ("fares 2010–12", "2010/2012"),
        ("fares 2010-12", "2010-12"),
        ("fares 1974-79", "1974/1979"),
        ("strain PCC 2002 growth", None),
        ("GDP 2002 growth", "2002"),
    ],
)
def test_dashes_and_capitals_tell(query, interval):
    assert read(query) == (None if interval is None else edtf(interval))


@pytest.mark.parametrize(
    ("query", "preference"),
    [
        ("first bridge 1883", "earliest"),
        ("the first bridge in 1883", "earliest"),
        ("first Opium War 1840", None),
        ("the first Chechen war in 1995", None),
        ("first crusade in 1096", None),
        ("first lady in 2015", None),
        ("first film about war in 1900", "earliest"),
        ("the first president of Kenya", None),
        ("First World War", None),
        ("last name", None),
        ("last mile delivery", None),
        ("The Last Jedi 2017", None),
        ("last report 2019", "latest"),
        ("last US president", "latest"),
        ("last game of the season", "latest"),
    ],
)
def test_first_and_last_order_unless_they_name(query, preference):
    assert extract(query).preference == preference


def test_what_the_semantic_query_keeps():
    assert extract("inflation year over year in June 2022").semantic_query == "inflation year over year"
    assert extract("inflation for the year 2022").semantic_query == "inflation"
    assert extract("form 1040 for tax year 2021").semantic_query == "form 1040"
    assert extract("Q3 results of 2019").semantic_query == "results"
    assert extract("Q3 results of 2019").highlight() == "[Q3] results [of 2019]"
    assert extract("profits of the fiscal year ended June 2021").semantic_query == "profits"


# What stands around a time changes nothing

TIMES = [
    "in 2016", "before 2019", "since 3 May 2010", "between 1990 and 2001", "in the late nineties", "last year",
    "three years before 2019", "in 2010 or 2014", "since 1990 except 1994", "on 29 February 2024", "as of March 2008",
]  # fmt: skip


@pytest.mark.parametrize("time", TIMES)
def test_unrelated_words_change_nothing(time):
    asked = read(f"ferry fares {time}")
    assert asked is not None
    for clause in ("in norway", "and who paid them", "for room 12", "with 3 stops", "despite the rain", "by volume"):
        assert read(f"ferry fares {clause} {time}") == asked, clause
        assert read(f"ferry fares {time} {clause}") == asked, clause


@pytest.mark.parametrize("time", TIMES)
def test_neither_case_nor_place_in_the_sentence_matters(time):
    asked = read(f"ferry fares {time}")
    for query in (
        f"ferry fares {time}".upper(),
        f"ferry fares {time}".title(),
        f"{time} ferry fares",
        f"{time.capitalize()}, what did a ferry cost?",
        f"what did a ferry {time} cost?",
        f"ferry fares ({time})",
        f"ferry fares: {time}.",
        f"  ferry fares {time}  ",
    ):
        assert read(query) == asked, query


# Boundary days

NEW_YEAR, LEAP_DAY, LAST_DAY = date(2025, 1, 1), date(2024, 2, 29), date(2023, 12, 31)


@pytest.mark.parametrize(
    ("phrase", "on_new_year", "on_leap_day", "on_last_day"),
    [
        ("today", "2025-01-01", "2024-02-29", "2023-12-31"),
        ("yesterday", "2024-12-31", "2024-02-28", "2023-12-30"),
        ("tomorrow", "2025-01-02", "2024-03-01", "2024-01-01"),
        ("last week", "2024-12-23/2024-12-29", "2024-02-19/2024-02-25", "2023-12-18/2023-12-24"),
        ("this week", "2024-12-30/2025-01-05", "2024-02-26/2024-03-03", "2023-12-25/2023-12-31"),
        ("last month", "2024-12", "2024-01", "2023-11"),
        ("next month", "2025-02", "2024-03", "2024-01"),
        ("last quarter", "2024-36", "2023-36", "2023-35"),
        ("last winter", "2023-24", "2022-24", "2022-24"),
        ("last year", "2024", "2023", "2022"),
        ("this year", "2025", "2024", "2023"),
        ("a year ago", "2024", "2023", "2022"),
        ("a month ago", "2024-12", "2024-01", "2023-11"),
        ("since a year ago", "2024-01-01/..", "2023-02-28/..", "2022-12-31/.."),
        ("more than four years ago", "../2021-01-01", "../2020-02-29", "../2019-12-31"),
        ("in the past year", "2024-01-01/2025-01-01", "2023-02-28/2024-02-29", "2022-12-31/2023-12-31"),
        ("in the last two months", "2024-11-01/2025-01-01", "2023-12-29/2024-02-29", "2023-10-31/2023-12-31"),
        ("in the next two months", "2025-01-01/2025-03-01", "2024-02-29/2024-04-29", "2023-12-31/2024-02-29"),
        ("year to date", "2025-01-01", "2024-01-01/2024-02-29", "2023"),
        ("so far this month", "2025-01-01", "2024-02", "2023-12"),
        ("last decade", "201X", "201X", "201X"),
        ("in January", "2025-01", "2024-01", "2023-01"),
        ("in February", "2024-02", "2024-02", "2023-02"),
        ("last February", "2024-02", "2023-02", "2023-02"),
        ("last December", "2024-12", "2023-12", "2022-12"),
        ("on 1 January", "2025-01-01", "2024-01-01", "2023-01-01"),
        ("on 31 December", "2024-12-31", "2023-12-31", "2023-12-31"),
        ("on 29 February", "2024-02-29", "2024-02-29", "2020-02-29"),
        ("on Christmas Day", "2024-12-25", "2023-12-25", "2023-12-25"),
        ("in the twenties", "192X", "192X", "192X"),
        ("champions of '30", "2030", "1930", "1930"),
        ("champions of '29", "2029", "2029", "1929"),
    ],
)
def test_boundary_days(phrase, on_new_year, on_leap_day, on_last_day):
    for reference_date, expected in zip(
        (NEW_YEAR, LEAP_DAY, LAST_DAY), (on_new_year, on_leap_day, on_last_day), strict=True
    ):
        assert read(f"ferry fares {phrase}", reference_date) == edtf(expected), reference_date


# Options


@pytest.mark.parametrize(
    ("phrase", "options", "interval"),
    [
        ("on 03/04/2023", {}, "2023-03-04"),
        ("on 03/04/2023", {"date_order": "dmy"}, "2023-04-03"),
        ("on 3.4.2023", {}, "2023-03-04"),
        ("on 3.4.2023", {"date_order": "dmy"}, "2023-04-03"),
        ("on 13/04/2023", {"date_order": "mdy"}, "2023-04-13"),
        ("on 04/13/2023", {"date_order": "dmy"}, "2023-04-13"),
        ("last week", {}, "2025-06-02/2025-06-08"),
        ("last week", {"week_start": 6}, "2025-06-08/2025-06-14"),
        ("the week of 4 March 2020", {"week_start": 6}, "2020-03-01/2020-03-07"),
        ("in week 12 of 2020", {"week_start": 6}, "2020-W12"),
        ("in FY2021", {"fiscal_year_start": 10}, "2020-10/2021-09"),
        ("in Q1 FY21", {"fiscal_year_start": 10}, "2020-10/2020-12"),
        ("before FY2021", {"fiscal_year_start": 4}, "../2020-03-31"),
        ("last fiscal year", {"fiscal_year_start": 10}, "2023-10/2024-09"),
        ("this fiscal year", {"fiscal_year_start": 10}, "2024-10/2025-09"),
        ("next fiscal year", {"fiscal_year_start": 7}, "2025-07/2026-06"),
        ("last financial year", {"fiscal_year_start": 6}, "2024-06/2025-05"),
        ("last fiscal quarter", {"fiscal_year_start": 11}, "2025-02/2025-04"),
        ("in Q1 2021", {"fiscal_year_start": 10}, "2021-33"),
        ("in winter 2009", {"hemisphere": "south"}, "2009-22"),
        ("in summer 2009", {"hemisphere": "south"}, "2009-24"),
        ("this year", {"prefer": "past"}, "2025"),
        ("this year", {"prefer": "future"}, "2025"),
        ("in '30", {}, "2030"),
        ("in '31", {}, "1931"),
        ("in '30", {"two_digit_pivot": 0}, "1930"),
        ("in '31", {"two_digit_pivot": 6}, "2031"),
        ("on 12/31/31", {}, "1931-12-31"),
    ],
)
def test_options(phrase, options, interval):
    assert read(f"ferry fares {phrase}", **options) == edtf(interval)
    intent = extract(f"ferry fares {phrase}", **options)
    assert options.items() <= intent.options_in_force().items()


# Without a reference date


@pytest.mark.parametrize(
    "phrase",
    ["last year", "three years ago", "yesterday", "in March", "on Friday", "on Christmas", "in the past two weeks",
     "since last summer", "more than a year ago", "this quarter", "on 29 February", "in that year", "year to date"],
)  # fmt: skip
def test_without_a_reference_date_it_stays_unresolved(phrase):
    intent = extract(f"ferry fares {phrase}", None)
    assert [c.resolved for c in intent.constraints] == [False]
    assert not intent.is_temporal
    assert intent.semantic_query == intent.query


@pytest.mark.parametrize(
    ("phrase", "interval"),
    [
        ("in 2016", "2016"),
        ("since May 2010", "2010-05-01/.."),
        ("in the nineties", "199X"),
        ("from 2011 on", "2011/.."),
    ],
)
def test_without_a_reference_date_dates_are_read_all_the_same(phrase, interval):
    assert read(f"ferry fares {phrase}", None) == edtf(interval)


def test_the_clock_is_never_asked():
    assert extract("latest ferry fares", None).preference == "latest"
    assert extract("latest ferry fares", None).intervals == ()


# Targets, relations, preferences


@pytest.mark.parametrize(
    ("query", "targets"),
    [
        ("whose term ended before 2019", {"end": "../2018-12-31"}),
        ("who took office in 2002", {"start": "2002"}),
        ("poets born in 1900", {"born": "1900"}),
        ("poets born in 1900 who died in 1980", {"born": "1900", "died": "1980"}),
        ("papers published since May 2010", {"published": "2010-05-01/.."}),
        ("who joined after 2010 and left office before 2015", {"start": "2011/..", "end": "../2014"}),
        ("poets born 3 May 1900 and died 1980", {"born": "1900-05-03", "died": "1980"}),
        ("whose contract will expire in 2030", {"end": "2030"}),
        ("members with an end date of 2012", {"end": "2012"}),
        ("mayors who left in 2001", {"end": "2001"}),
        ("who continued past 2010", {"end": "2011/.."}),
        ("mayors starting in 2003 and ending in 2006", {"start": "2003", "end": "2006"}),
        ("contracts starting 1 May 2003", {"any": "2003-05-01/.."}),
        ("ferry fares in 2002", {"any": "2002"}),
    ],
)
def test_targets(query, targets):
    intent = extract(query)
    assert {c.target: str(c.interval) for c in intent.constraints} == {t: edtf(i) for t, i in targets.items()}


def test_started_before_and_ended_after_is_one_constraint_that_is_contained():
    (constraint,) = extract("who started before 2000 and ended after 2010").constraints
    assert (str(constraint.interval), str(constraint.relation)) == ("2000-01-01/2010-12-31", "contains")


@pytest.mark.parametrize(
    ("query", "pair"),
    [
        ("mayors before 2019", (None, "2019-01")),
        ("mayors after 31 August 1998", ("1998-08", None)),
        ("mayors after 2014", ("2014-12", None)),
        ("mayors who took office in 2002", ("2002-01", None)),
        ("mayors whose term ended in 2002", (None, "2002-12")),
    ],
)
def test_the_label_of_the_paper(query, pair):
    assert extract(query).month_pair() == pair


@pytest.mark.parametrize(
    ("query", "preference"),
    [
        ("latest ferry fares", "latest"),
        ("current harbour master", "latest"),
        ("ferry fares as of 2019", "latest"),
        ("the first ferry in 1920", "earliest"),
        ("the first ferry", None),
        ("ferry fares in 2019", None),
        ("ferry fares before 2019", None),
    ],
)
def test_preferences(query, preference):
    assert extract(query).preference == preference


# The query without its time


@pytest.mark.parametrize(
    ("query", "without"),
    [
        ("Who won the league in 2016?", "Who won the league?"),
        ("In 2016, who won the league?", "who won the league?"),
        ("who, in 2016, won the league", "who won the league"),
        ("Who won the league in 2016 and why?", "Who won the league and why?"),
        ("floods (2016) in Kent", "floods in Kent"),
        ("the 2016 budget", "budget"),
        ("Who was pope, before 1900?", "Who was pope?"),
        ("storms since 1990 except 1994 in Kent", "storms in Kent"),
        ("storms in 2010 or 2014", "storms"),
        ("storms in 2010, 2014, and 2016!", "storms!"),
        ("compare exports of 2010 and 2014", "compare exports"),
        ("latest storms", "storms"),
        ("premiers between 1990 and 2001 in Japan", "premiers in Japan"),
        ("who led the ministry three years before 2019", "who led the ministry"),
        ("in 2016", "in 2016"),
        ("2016?", "2016?"),
        ("who won", "who won"),
        ("", ""),
    ],
)
def test_semantic_query(query, without):
    assert extract(query).semantic_query == without


# Any text

WORDS = (
    "in before since between and or not except to the first day of half every last year weeks ago 2019 1990s 0000 9999 "
    "May 31 28 29 February Q3 19th century 5 1/2/3 2019–20 BC Monday Christmas nineteen forties ' - , / İ ß \ue000"
)
SENTENCES = st.lists(st.sampled_from(WORDS.split(" ")), max_size=12).map(" ".join)
OPTIONS = st.builds(IntentOptions, date_order=st.sampled_from(["mdy", "dmy"]), week_start=st.integers(0, 6))


@settings(deadline=None)
@given(st.text() | SENTENCES, st.none() | st.dates(), OPTIONS)
def test_any_text_has_spans_on_its_own_characters_and_one_reading(query, reference_date, options):
    extractor = GrammarExtractor(options)
    intent = extractor.extract(query, reference_date=reference_date)
    assert intent == extractor.extract(query, reference_date=reference_date)
    for start, end in intent.spans:
        assert 0 <= start < end <= len(query)
    assert all(0 <= c.span[0] < c.span[1] <= len(query) for c in intent.constraints)
    assert intent.query == query
    assert intent.highlight("", "") == query
    assert intent.explain()
    if not intent.is_temporal:
        assert intent.semantic_query == query


@pytest.mark.parametrize(
    ("query", "interval"),
    [("29 February 2023 concert", "2023"), ("frost on 29 February in 1900 and 1904", "1900 or 1904")],
)
def test_a_day_that_its_year_lacks_is_no_other_year_s_day(query, interval):
    intent = extract(query)
    assert read(query) == edtf(interval)
    assert [c.resolved for c in intent.constraints].count(False) == 1


@pytest.mark.parametrize(
    ("query", "without"),
    [
        ("claims after 2003 in kent filed before 2006", "claims in kent filed"),
        ("strikes   before    May 1926 in  kent", "strikes in kent"),
        ("outage on 2021-12-31T23:59:00Z in kent", "outage in kent"),
        ("floods since 1990 until 1995", "floods"),
        ("mayors who started in 2003 and ended in 2006", "mayors"),
        ("mayors whose term ends in 2001", "mayors"),
    ],
)
def test_all_words_of_the_time_are_removed(query, without):
    assert extract(query).semantic_query == without


@pytest.mark.parametrize("time", TIMES)
def test_the_span_is_the_words_of_the_time(time):
    query = f"ÀİẞΣ—ferry fares, {time}; Ünder"
    start, end = extract(query).spans[0][0], extract(query).spans[-1][1]
    assert query[start:end] == time


def test_what_follows_two_thousand_characters_is_not_read():
    padding = "ferry " * 333  # 1,998 characters
    assert read(padding + "2016") is None
    assert read(padding[:-6] + "2016 " + padding) == edtf("2016")
    assert extract(padding + "2016").query.endswith("2016")
