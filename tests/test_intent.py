"""The intent as a value: alternatives and negation, the label ⟨t_start, t_end⟩, JSON both ways, what users read."""

import json
from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from qtie.allen import AllenRelation
from qtie.errors import ConfigError, IntentParseError, QtieError
from qtie.intent import IntentExtractor, IntentOptions, TemporalConstraint, TemporalIntent, alternatives_of
from qtie.interval import Granularity, TimeInterval, day_number
from qtie.tie.grammar import GrammarExtractor


def constraint(interval, *, raw=None, **fields):
    """A constraint from EDTF texts; the raw bounds are the interval's unless given."""
    parsed = None if interval is None else TimeInterval.parse(interval)
    return TemporalConstraint(interval=parsed, raw=TimeInterval.parse(raw) if raw else parsed, **fields)


def intent(*constraints, **fields):
    return TemporalIntent(query=fields.pop("query", "who won"), constraints=constraints, **fields)


# Alternatives, negation, targets


@pytest.mark.parametrize(
    ("constraints", "intervals"),
    [
        ([], []),
        ([constraint(None)], []),
        ([constraint("2016")], ["2016-01-01/2016-12-31"]),
        ([constraint("2014"), constraint("2010")], ["2010-01-01/2010-12-31", "2014-01-01/2014-12-31"]),
        ([constraint("2010"), constraint("2011")], ["2010-01-01/2011-12-31"]),
        ([constraint("2010/2012"), constraint("2011/..")], ["2010-01-01/.."]),
        ([constraint("1990/.."), constraint("1994", negated=True)], ["1990-01-01/1993-12-31", "1995-01-01/.."]),
        ([constraint("1994", negated=True)], ["../1993-12-31", "1995-01-01/.."]),
        ([constraint("1994/..", negated=True)], ["../1993-12-31"]),
        ([constraint("1994"), constraint("1994", negated=True)], []),
        ([constraint("1994"), constraint(None, negated=True)], ["1994-01-01/1994-12-31"]),
        ([constraint("2010", target="born"), constraint("2014", target="died")], ["2010-01-01/2014-12-31"]),
        ([constraint("2011/..", target="start"), constraint("../2014", target="end")], ["2011-01-01/2014-12-31"]),
        ([constraint("2011/..", target="start"), constraint("2014/..", target="end")], ["2011-01-01/.."]),
        ([constraint("2011/..", target="start"), constraint("../2000", target="end")], []),
        ([constraint("2010", target="start"), constraint("2012")], ["2010-01-01/2012-12-31"]),
    ],
)
def test_intervals_are_the_alternatives_minus_what_is_negated(constraints, intervals):
    read = intent(*constraints)
    assert [str(interval) for interval in read.intervals] == intervals
    hull = read.intervals[0].hull(read.intervals[-1]) if intervals else None
    assert read.interval == hull


@given(st.permutations([constraint("1990/.."), constraint("1980"), constraint("1994", negated=True), constraint(None)]))
def test_the_order_of_constraints_changes_nothing(constraints):
    assert list(map(str, intent(*constraints).intervals)) == [
        "1980-01-01/1980-12-31",
        "1990-01-01/1993-12-31",
        "1995-01-01/..",
    ]


def test_the_complement_is_what_all_negated_constraints_leave():
    outside = [constraint("1990", negated=True), constraint("1994", negated=True)]
    assert list(map(str, alternatives_of(outside))) == ["../1989-12-31", "1991-01-01/1993-12-31", "1995-01-01/.."]


def test_targets_are_grouped_without_the_unresolved():
    read = intent(constraint("2010", target="born"), constraint(None, target="died"), constraint("2012", target="born"))
    assert {target: len(group) for target, group in read.by_target.items()} == {"born": 2}


@pytest.mark.parametrize(
    ("read", "is_temporal"),
    [
        (intent(), False),
        (intent(constraint(None)), False),
        (intent(constraint("2016")), True),
        (intent(constraint("2016", negated=True)), True),
        (intent(preference="latest"), True),
        (intent(constraint(None), preference="earliest"), True),
    ],
)
def test_atemporal_is_no_resolved_constraint_and_no_preference(read, is_temporal):
    assert read.is_temporal is is_temporal


# The label


@pytest.mark.parametrize(
    ("constraints", "pair"),
    [
        ([], (None, None)),
        ([constraint(None)], (None, None)),
        ([constraint("../2018", raw="../2019-01-01")], (None, "2019-01")),  # before 2019
        ([constraint("1998-09-01/..", raw="1998-08-31/..")], ("1998-08", None)),  # after 31 August 1998
        ([constraint("2015/..", raw="2014-12-31/..")], ("2014-12", None)),  # after 2014
        ([constraint("2016")], ("2016-01", "2016-12")),
        ([constraint("2016", target="start")], ("2016-01", None)),
        ([constraint("2016", target="end")], (None, "2016-12")),
        ([constraint("2016", target="published")], ("2016-01", "2016-12")),
        ([constraint("2011-03-04", target="start"), constraint("2014-05-06", target="end")], ("2011-03", "2014-05")),
        ([constraint("../2010", raw="../2011-01-01", target="start")], (None, "2011-01")),
        ([constraint("2011/..", raw="2010-12-31/..", target="end")], ("2010-12", None)),
        ([constraint("2010"), constraint("2014")], ("2010-01", "2014-12")),
        ([constraint("2010"), constraint("2014/..")], ("2010-01", None)),
        ([constraint("1990/.."), constraint("1994", negated=True)], ("1990-01", None)),
        ([constraint("-0043-03-15/0050")], ("-0043-03", "0050-12")),
    ],
)
def test_the_month_pair_comes_from_the_bounds_as_said(constraints, pair):
    assert intent(*constraints).month_pair() == pair


# JSON


DAYS = st.integers(day_number(-999_999), day_number(999_999))
INTERVALS = st.lists(DAYS, min_size=2, max_size=2).map(sorted).map(lambda days: TimeInterval(*days))
INTERVALS |= DAYS.map(lambda day: TimeInterval(day, None)) | DAYS.map(lambda day: TimeInterval(None, day))
SPANS = st.tuples(st.integers(0, 99), st.integers(0, 99))
CONSTRAINTS = st.builds(
    TemporalConstraint,
    interval=st.none() | INTERVALS,
    raw=st.none() | INTERVALS,
    operator=st.text(),
    relation=st.just("intersects") | st.sampled_from(AllenRelation),
    target=st.text(),
    negated=st.booleans(),
    span=SPANS,
    granularity=st.sampled_from(Granularity),
    confidence=st.floats(0, 1),
    readings=st.lists(INTERVALS, max_size=2).map(tuple),
    rule=st.text(),
)
INTENTS = st.builds(
    TemporalIntent,
    query=st.text(),
    constraints=st.lists(CONSTRAINTS, max_size=3).map(tuple),
    preference=st.sampled_from([None, "latest", "earliest"]),
    preference_span=st.none() | SPANS,
    reference_date=st.none() | st.dates(),
    semantic_query=st.text(),
    extractor=st.text(),
    options=st.builds(
        IntentOptions,
        date_order=st.sampled_from(["mdy", "dmy"]),
        week_start=st.integers(0, 6),
        fiscal_year_start=st.integers(1, 12),
        hemisphere=st.sampled_from(["north", "south"]),
        prefer=st.sampled_from(["past", "future"]),
        two_digit_pivot=st.integers(0, 99),
    ),
)


@given(INTENTS)
def test_json_there_and_back_is_the_same_intent(read):
    assert TemporalIntent.from_dict(json.loads(json.dumps(read.to_dict()))) == read


def test_what_scripts_rely_on_stands_in_the_record():
    record = intent(constraint("../2018", raw="../2019-01-01", span=(4, 7)), reference_date=date(2025, 6, 15)).to_dict()
    assert record["interval"] == {"start": None, "end": "2018-12-31"}
    assert record["month_pair"] == [None, "2019-01"]
    assert record["reference_date"] == "2025-06-15"
    assert record["constraints"][0]["span"] == [4, 7]
    assert intent().to_dict()["interval"] is None


@pytest.mark.parametrize(
    "record",
    [
        {},
        [],
        "in 2016",
        {"query": "a", "constraints": 3},
        {"query": "a", "constraints": [3]},
        {"query": "a", "constraints": [{}]},
        {"query": "a", "constraints": [{"interval": "2016"}]},
        {"query": "a", "constraints": [{"interval": {"start": "someday"}}]},
        {"query": "a", "constraints": [{"interval": {"start": "2020", "end": "2019"}}]},
        {"query": "a", "constraints": [{"interval": None, "relation": "beside"}]},
        {"query": "a", "constraints": [{"interval": None, "granularity": "lustrum"}]},
        {"query": "a", "constraints": [{"interval": None, "span": [1]}]},
        {"query": "a", "constraints": [{"interval": None, "confidence": "high"}]},
        {"query": "a", "constraints": [{"interval": None, "readings": [7]}]},
        {"query": "a", "preference": "newest"},
        {"query": "a", "preference_span": 3},
        {"query": "a", "preference_span": [1]},
        {"query": "a", "constraints": [{"interval": None, "confidence": 10**400}]},
        {"query": "a", "reference_date": "today"},
        {"query": "a", "options": {"colour": "red"}},
        {"query": "a", "options": {"hemisphere": "east"}},
    ],
    ids=lambda record: json.dumps(record)[:60],
)
def test_a_malformed_record_is_an_error_of_ours(record):
    with pytest.raises(QtieError):
        TemporalIntent.from_dict(record)


def test_an_unknown_preference_is_named():
    with pytest.raises(IntentParseError, match="latest, earliest or null, not 'newest'"):
        TemporalIntent.from_dict({"query": "a", "preference": "newest"})


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=6),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=6), inner, max_size=3),
    max_leaves=6,
)


INTENT_FIELDS = ("query", "constraints", "preference", "preference_span", "reference_date", "options")
CONSTRAINT_FIELDS = ("relation", "span", "granularity", "confidence", "readings", "raw")


@given(
    st.fixed_dictionaries(
        {},
        optional=dict.fromkeys(INTENT_FIELDS, JSON),
    )
    | JSON,
    st.fixed_dictionaries(
        {"interval": JSON},
        optional=dict.fromkeys(CONSTRAINT_FIELDS, JSON),
    ),
)
def test_any_json_gives_an_intent_or_an_error_of_ours(record, bad_constraint):
    for candidate in (record, {"query": "a", "constraints": [bad_constraint]}):
        try:
            TemporalIntent.from_dict(candidate)
        except QtieError:
            continue


@pytest.mark.parametrize(
    "options",
    [
        {"date_order": "ymd"},
        {"week_start": 7},
        {"fiscal_year_start": 0},
        {"hemisphere": "east"},
        {"prefer": "now"},
        {"two_digit_pivot": 100},
        {"two_digit_pivot": "five"},
    ],
    ids=str,
)
def test_an_option_outside_its_range_is_a_config_error(options):
    with pytest.raises(ConfigError, match=next(iter(options))):
        IntentOptions(**options)


# What users read


def test_the_semantic_query_is_the_query_where_none_is_given():
    assert intent(query="who won").semantic_query == "who won"


def test_highlight_joins_overlapping_spans_and_marks_the_preference():
    query = "newest bridges 2010 or 2014"
    spans = [(15, 19), (15, 22), (23, 27), (15, 19)]
    read = intent(*(constraint("2010", span=span) for span in spans), query=query, preference_span=(0, 6))
    assert read.spans == ((0, 6), (15, 22), (23, 27))
    assert read.highlight() == "[newest] bridges [2010 or] [2014]"
    assert read.highlight("<b>", "</b>") == "<b>newest</b> bridges <b>2010 or</b> <b>2014</b>"
    assert intent(query="who won").highlight() == "who won"


def test_explain_says_each_constraint_on_a_line():
    query = "newest strikes ended before 2019, not the nineties, this century or in the war"
    at = {words: (query.index(words), query.index(words) + len(words)) for words in
          ("newest", "before 2019", "not the nineties", "this century", "in the war")}  # fmt: skip
    read = intent(
        constraint("../2018", span=at["before 2019"], target="end"),
        constraint("199X", span=at["not the nineties"], negated=True, relation=AllenRelation.CONTAINS),
        constraint("2001/2100", span=at["this century"], readings=(TimeInterval.years(2001, 2025),)),
        constraint(None, span=at["in the war"]),
        query=query,
        preference="latest",
        preference_span=at["newest"],
        extractor="grammar",
        reference_date=date(2025, 6, 15),
        options=IntentOptions(week_start=6),
    )
    *lines, last = read.explain().splitlines()
    assert lines == [
        '"before 2019" → ../2018-12-31 (end of the document\'s time)',
        '"not the nineties" → not 1990-01-01/1999-12-31 (the document contains it)',
        '"this century" → 2001-01-01/2100-12-31 (or 2001-01-01/2025-12-31)',
        '"in the war" → a time whose date is not known',
        '"newest" → the latest first',
    ]
    assert last.startswith("read by grammar, reference date 2025-06-15, date_order mdy, week_start 6")
    assert all(name in last for name in IntentOptions.__dataclass_fields__)


def test_explain_of_an_atemporal_query_and_of_a_bare_preference():
    assert intent().explain() == "asks for no time: the order stays as it is"
    assert intent(preference="earliest").explain().splitlines()[0] == "the earliest first"


def test_the_grammar_answers_to_the_protocol():
    assert isinstance(GrammarExtractor(), IntentExtractor)
