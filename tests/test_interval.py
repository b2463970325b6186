"""Intervals as mathematics: the calendar, parse∘print, shifts, and set algebra on a small grid."""

from datetime import date, timedelta
from itertools import pairwise, product

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from qtie.errors import IntervalError
from qtie.interval import (
    Granularity,
    TimeInterval,
    civil_date,
    day_number,
    merge_intervals,
    shift_day,
    subtract_intervals,
    temporal_distance_days,
    unit_of,
)

DAYS = st.integers(day_number(-5_000_000), day_number(5_000_000))
PRINTED_DAYS = st.integers(day_number(-999_999), day_number(999_999, 12, 31))
UNITS = list(Granularity)
COUNTED_IN_DAYS = [Granularity.DAY, Granularity.WEEK, Granularity.WEEKEND]
COUNTED_IN_MONTHS = [unit for unit in UNITS if unit.months]


@st.composite
def intervals(draw):
    start, end = sorted((draw(PRINTED_DAYS), draw(PRINTED_DAYS)))
    return TimeInterval(draw(st.sampled_from([start, None])), draw(st.sampled_from([end, None])))


GRID = [
    TimeInterval(start, end)
    for start, end in product([None, *range(5)], repeat=2)
    if start is None or end is None or start <= end
]
UNIVERSE = range(-2, 7)


def members(*some):
    """The days of the universe that the intervals hold; its outermost two stand for the open sides."""
    return {
        day for day in UNIVERSE for i in some if (i.start is None or i.start <= day) and (i.end is None or day <= i.end)
    }


# The calendar


@given(DAYS)
def test_civil_date_is_the_inverse_of_day_number(day):
    assert day_number(*civil_date(day)) == day


@given(st.dates(), st.integers(-5000, 5000))
def test_day_numbers_agree_with_datetime_in_every_cycle_of_400_years(day, cycles):
    moved = day_number(day.year + 400 * cycles, day.month, day.day)
    assert moved == day.toordinal() - date(1970, 1, 1).toordinal() + 146_097 * cycles


@given(DAYS)
def test_the_next_day_is_the_next_date(day):
    today, tomorrow = civil_date(day), civil_date(day + 1)
    assert tomorrow in {
        (today[0], today[1], today[2] + 1),
        (today[0], today[1] + 1, 1),
        (today[0] + 1, 1, 1),
    }


@pytest.mark.parametrize(
    "day", [(2019, 0, 1), (2019, 13, 1), (2019, 2, 29), (1900, 2, 29), (2019, 4, 31), (2019, 1, 0)]
)
def test_no_such_day(day):
    with pytest.raises(IntervalError, match="no such"):
        day_number(*day)


@given(DAYS, st.sampled_from([unit for unit in UNITS if unit is not Granularity.WEEKEND]), st.integers(0, 6))
def test_units_hold_their_day_and_tile_the_calendar(day, unit, week_start):
    holding = unit_of(day, unit, week_start=week_start)
    assert holding.start <= day <= holding.end
    assert unit_of(holding.start, unit, week_start=week_start) == unit_of(holding.end, unit, week_start=week_start)
    assert unit_of(holding.end + 1, unit, week_start=week_start).start == holding.end + 1


@given(st.dates(date(1, 2, 1), date(9999, 11, 30)), st.integers(0, 6))
def test_weeks_start_on_their_day_and_weekends_are_saturday_and_sunday(day, week_start):
    number = TimeInterval.from_dates(day, day).start
    days_since = (day.weekday() - week_start) % 7
    assert unit_of(number, Granularity.WEEK, week_start=week_start).start == number - days_since
    saturday = day - timedelta(day.weekday()) + timedelta(5)
    assert unit_of(number, Granularity.WEEKEND) == TimeInterval.from_dates(saturday, saturday + timedelta(1))


@pytest.mark.parametrize(
    ("day", "unit", "interval"),
    [
        ("2024-02-29", "quarter", "2024-01-01/2024-03-31"),
        ("2024-12-31", "half", "2024-07-01/2024-12-31"),
        ("2024-01-31", "season", "2023-12-01/2024-02-29"),
        ("2024-12-01", "season", "2024-12-01/2025-02-28"),
        ("2000-06-15", "decade", "2000-01-01/2009-12-31"),
        ("2000-06-15", "century", "1901-01-01/2000-12-31"),
        ("2001-01-01", "century", "2001-01-01/2100-12-31"),
        ("2000-12-31", "millennium", "1001-01-01/2000-12-31"),
        ("0000-07-01", "century", "-0099-01-01/0000-12-31"),
    ],
)
def test_units_by_name(day, unit, interval):
    assert str(unit_of(TimeInterval.parse(day).start, Granularity.parse(unit))) == interval


@given(DAYS, st.sampled_from([unit for unit in UNITS if unit not in (Granularity.WEEKEND, Granularity.SEASON)]))
@example(day_number(2023, 2), Granularity.MONTH)
def test_the_granularity_of_a_calendar_unit_is_that_unit(day, unit):
    assert unit_of(day, unit).granularity is unit


def test_the_granularity_of_other_intervals():
    assert TimeInterval.parse("2019-01-01/2019-01-05").granularity is Granularity.DAY
    assert TimeInterval.parse("2019/2021").granularity is Granularity.YEAR
    assert TimeInterval.parse("2019/..").granularity is Granularity.YEAR
    with pytest.raises(IntervalError, match="one of day, weekend, week"):
        Granularity.parse("lustrum")


# Parsing and printing


@given(intervals())
def test_parse_is_the_inverse_of_print(interval):
    assert TimeInterval.parse(str(interval)) == interval
    record = interval.to_dict()
    assert "/".join(side or ".." for side in record.values()) == str(interval)


@pytest.mark.parametrize(
    ("text", "interval"),
    [
        ("2019", "2019-01-01/2019-12-31"),
        ("2019-02", "2019-02-01/2019-02-28"),
        ("2020-02", "2020-02-01/2020-02-29"),
        ("2020-02-29", "2020-02-29/2020-02-29"),
        ("0000", "0000-01-01/0000-12-31"),
        ("-0499", "-0499-01-01/-0499-12-31"),
        ("-0044-03-15", "-0044-03-15/-0044-03-15"),
        ("+12345", "+12345-01-01/+12345-12-31"),
        ("Y12345", "+12345-01-01/+12345-12-31"),
        ("Y-12345", "-12345-01-01/-12345-12-31"),
        ("199X", "1990-01-01/1999-12-31"),
        ("18xx", "1800-01-01/1899-12-31"),
        ("1XXX", "1000-01-01/1999-12-31"),
        ("-049X", "-0499-01-01/-0490-12-31"),
        ("2020-W01", "2019-12-30/2020-01-05"),
        ("2020-W53", "2020-12-28/2021-01-03"),
        ("2020-W53-7", "2021-01-03/2021-01-03"),
        ("2020-001", "2020-01-01/2020-01-01"),
        ("2020-366", "2020-12-31/2020-12-31"),
        ("2019-21", "2019-03-01/2019-05-31"),
        ("2019-22", "2019-06-01/2019-08-31"),
        ("2019-23", "2019-09-01/2019-11-30"),
        ("2019-24", "2019-12-01/2020-02-29"),
        ("2019-33", "2019-01-01/2019-03-31"),
        ("2019-36", "2019-10-01/2019-12-31"),
        ("2019?", "2019-01-01/2019-12-31"),
        ("2019-05~", "2019-05-01/2019-05-31"),
        ("2019-05-06%", "2019-05-06/2019-05-06"),
        ("2019/2020-02", "2019-01-01/2020-02-29"),
        ("199X/2020-W01", "1990-01-01/2020-01-05"),
        ("2019/..", "2019-01-01/.."),
        ("2019/", "2019-01-01/.."),
        ("../2018-12-31", "../2018-12-31"),
        ("/2018", "../2018-12-31"),
        ("../..", "../.."),
        (" 2019 / 2020 ", "2019-01-01/2020-12-31"),
    ],
)
def test_every_form_of_iso_8601_and_edtf(text, interval):
    assert str(TimeInterval.parse(text)) == interval


@pytest.mark.parametrize(
    "text",
    [
        *(
            "yesterday",
            "19",
            "201",
            "XXXX",
            "19X5",
            "Y123",
            "..",
            "/",
            "2019/2020/2021",
            "2020/2019",
            "2019-01-01T00:00",
        ),
        *("2019-13", "2019-00", "2019-2", "2019-02-29", "2019-04-31", "2019-02-30/2020", "2019-25", "2019-37"),
        *("2019-W53", "2020-W54", "2020-W00", "2020-W01-8", "2019-366", "2020-367", "2020-000"),
        *("+999999999", "Y-5000001"),
        "20199",
    ],
)
def test_what_is_no_date_is_an_error_that_says_so(text):
    with pytest.raises(IntervalError):
        TimeInterval.parse(text)


@given(st.text() | st.text(alphabet="0123456789-/.XYWQ+?~% ", max_size=14))
def test_any_text_gives_an_interval_or_an_error_of_ours(text):
    try:
        interval = TimeInterval.parse(text)
    except IntervalError:
        return
    assert TimeInterval.parse(str(interval)) == interval


def test_an_interval_never_ends_before_it_starts():
    with pytest.raises(IntervalError, match="2019-01-02/2019-01-01"):
        TimeInterval(day_number(2019, 1, 2), day_number(2019))


def test_constructors_include_both_ends():
    assert str(TimeInterval.day(2020, 2, 29)) == "2020-02-29/2020-02-29"
    assert str(TimeInterval.month(2020, 2)) == "2020-02-01/2020-02-29"
    assert str(TimeInterval.year(0)) == "0000-01-01/0000-12-31"
    assert str(TimeInterval.years(-1, 1)) == "-0001-01-01/0001-12-31"
    assert str(TimeInterval.from_dates(date(2019, 12, 31), None)) == "2019-12-31/.."
    assert TimeInterval.year(2020).n_days == 366
    assert TimeInterval(0, None).n_days == float("inf")


# Shifts


@pytest.mark.parametrize(
    ("day", "n", "unit", "moved"),
    [
        ("2023-01-31", 1, "month", "2023-02-28"),
        ("2024-01-31", 1, "month", "2024-02-29"),
        ("2024-03-31", -1, "month", "2024-02-29"),
        ("2023-12-31", 2, "month", "2024-02-29"),
        ("2023-11-30", 1, "quarter", "2024-02-29"),
        ("2023-08-31", 1, "half", "2024-02-29"),
        ("2024-02-29", 1, "year", "2025-02-28"),
        ("2024-02-29", -1, "year", "2023-02-28"),
        ("2024-02-29", 4, "year", "2028-02-29"),
        ("2024-02-29", 1, "decade", "2034-02-28"),
        ("2000-02-29", 1, "century", "2100-02-28"),
        ("2000-02-29", 4, "century", "2400-02-29"),
        ("2000-02-29", -2, "millennium", "0000-02-29"),
        ("0001-01-01", -1, "year", "0000-01-01"),
        ("2024-02-28", 1, "day", "2024-02-29"),
        ("2024-12-31", 1, "week", "2025-01-07"),
    ],
)
def test_shifts_clamp_to_the_end_of_the_month(day, n, unit, moved):
    assert shift_day(TimeInterval.parse(day).start, n, Granularity.parse(unit)) == TimeInterval.parse(moved).start


@given(intervals(), st.integers(-10_000, 10_000), st.sampled_from(COUNTED_IN_DAYS))
def test_shifts_by_days_and_weeks_keep_the_length_and_lead_back(interval, n, unit):
    moved = interval.shift(n, unit)
    assert moved.shift(-n, unit) == interval
    assert moved.n_days == interval.n_days


@given(DAYS, st.integers(1, 40), st.integers(-50, 50), st.sampled_from(COUNTED_IN_MONTHS))
def test_whole_months_stay_as_many_whole_months_and_lead_back(day, n_months, n, unit):
    start = unit_of(day, Granularity.MONTH).start
    whole = TimeInterval(start, shift_day(start, n_months, Granularity.MONTH) - 1)
    moved = whole.shift(n, unit)
    assert civil_date(moved.start)[2] == civil_date(moved.end + 1)[2] == 1
    assert moved == TimeInterval(moved.start, shift_day(moved.start, n_months, Granularity.MONTH) - 1)
    assert moved.shift(-n, unit) == whole


@given(DAYS, st.integers(-50, 50), st.sampled_from(COUNTED_IN_MONTHS))
def test_a_shift_by_months_keeps_the_day_of_the_month_or_takes_the_last(day, n, unit):
    moved = shift_day(day, n, unit)
    last = unit_of(moved, Granularity.MONTH).end
    assert civil_date(moved)[2] == min(civil_date(day)[2], civil_date(last)[2])


def test_an_open_side_stays_open():
    assert str(TimeInterval.parse("2019/..").shift(1, Granularity.MONTH)) == "2019-02-01/.."
    assert str(TimeInterval.parse("../2019-01-31").shift(1, Granularity.MONTH)) == "../2019-02-28"


# Set algebra


@pytest.mark.parametrize("a", GRID, ids=str)
def test_two_intervals_as_sets(a):
    assert members(*a.complement()) == set(UNIVERSE) - members(a)
    for b in GRID:
        shared = a.intersection(b)
        assert (members(shared) if shared else set()) == members(a) & members(b)
        assert a.overlaps(b) == bool(members(a) & members(b))
        joined = members(a) | members(b)
        assert members(a.hull(b)) == set(range(min(joined), max(joined) + 1))


@pytest.mark.parametrize("a", GRID, ids=str)
def test_distance_is_symmetric_and_zero_exactly_where_a_day_is_shared(a):
    for b in GRID:
        distance = temporal_distance_days(a, b)
        assert distance == temporal_distance_days(b, a) >= 0
        assert (distance == 0) == a.overlaps(b)
        assert distance == min(abs(x - y) for x in members(a) for y in members(b))


def assert_disjoint_and_in_order(some):
    for left, right in pairwise(some):
        assert left.end is not None
        assert right.start is not None
        assert left.end + 1 < right.start


@given(st.lists(st.sampled_from(GRID), max_size=4), st.lists(st.sampled_from(GRID), max_size=3))
def test_union_and_difference_as_sets(some, removed):
    merged, rest = merge_intervals(some), subtract_intervals(some, removed)
    assert members(*merged) == members(*some)
    assert members(*rest) == members(*some) - members(*removed)
    assert_disjoint_and_in_order(merged)
    assert_disjoint_and_in_order(rest)
