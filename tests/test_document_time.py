import math
import warnings
from datetime import UTC, date, datetime, timedelta, timezone

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from qtie.document_time import DocumentTime, parse_bounds, parse_time, read_time
from qtie.errors import ConfigError, IntervalError, QtieError
from qtie.intent import IntentOptions
from qtie.interval import Granularity, TimeInterval, day_number

EASTERN = timezone(timedelta(hours=-5))


class Timestamp(datetime):
    """Stands for pandas.Timestamp, a subclass of datetime."""


class NotATime(datetime):
    """Stands for pandas.NaT, a datetime that equals nothing."""

    def __eq__(self, other: object) -> bool:
        return False

    __hash__ = datetime.__hash__

    def __ne__(self, other: object) -> bool:
        return True


DAY = "2019-03-05/2019-03-05"
NEXT_DAY = "2019-03-06/2019-03-06"
YEAR = "2019-01-01/2019-12-31"
MONTH = "2019-03-01/2019-03-31"

POINTS = [
    # Python, NumPy and pandas
    (date(2019, 3, 5), "day", DAY),
    (datetime(2019, 3, 5, 23, 59), "datetime", DAY),  # noqa: DTZ001
    (datetime(2019, 3, 5, 23, 59, tzinfo=UTC), "datetime", DAY),
    (datetime(2019, 3, 5, 23, 59, tzinfo=EASTERN), "datetime", NEXT_DAY),
    (Timestamp(2019, 3, 5), "datetime", DAY),
    (np.datetime64("2019"), "year", YEAR),
    (np.datetime64("2019-03"), "month", MONTH),
    (np.datetime64("2019-03-05T10:00", "ns"), "datetime", DAY),
    (np.int64(2019), "year", YEAR),
    (np.float32(2019), "year", YEAR),
    (TimeInterval.year(2019), "TimeInterval", YEAR),
    (DocumentTime(interval=TimeInterval.year(2019)), "DocumentTime", YEAR),
    # years and calendar numbers
    (2019, "year", YEAR),
    (2019.0, "year", YEAR),
    ("2019.0", "year", YEAR),
    (100, "year", "0100-01-01/0100-12-31"),
    (-44, "year", "-0044-01-01/-0044-12-31"),
    (20190305, "compact date", DAY),
    (20190305.0, "compact date", DAY),
    ("20190305", "compact date", DAY),
    ("20190305100000", "compact date", DAY),
    (201903, "compact date", MONTH),
    # epoch times; 1551830399 is 2019-03-05T23:59:59Z
    (1551830399, "epoch seconds", DAY),
    (1551830400, "epoch seconds", NEXT_DAY),
    (1551830399.9, "epoch seconds", DAY),
    ("1551830399", "epoch seconds", DAY),
    ("1551830399.9", "epoch seconds", DAY),
    (1551830399999, "epoch milliseconds", DAY),
    (1551830399999999, "epoch microseconds", DAY),
    (1551830399999999999, "epoch nanoseconds", DAY),
    (-10_000, "epoch seconds", "1969-12-31/1969-12-31"),
    (99_999_999_999, "epoch seconds", "5138-11-16/5138-11-16"),
    (100_000_000_000, "epoch milliseconds", "1973-03-03/1973-03-03"),
    # ISO 8601 and EDTF
    ("2019", "year", YEAR),
    (" 2019-03 ", "month", MONTH),
    ("2019-03-05", "day", DAY),
    ("2019-3-5", "day", DAY),
    ("2019-03-05T10:00:00Z", "datetime", DAY),
    ("2019-03-05 10:00", "datetime", DAY),
    ("2019-03-05T10", "datetime", DAY),
    ("20190305T100000Z", "datetime", DAY),
    ("2019-03-05T10:00:00.123456789Z", "datetime", DAY),
    ("2019-03-05 23:59:00 -0500", "datetime", NEXT_DAY),
    ("2019-03-05 10:00:00 UTC", "datetime", DAY),
    ("2019-03-05T23:59-05:00[America/New_York]", "datetime", NEXT_DAY),
    ("2019-W10-2", "EDTF", DAY),
    ("2019-064", "EDTF", DAY),
    ("199X", "EDTF", "1990-01-01/1999-12-31"),
    ("2019-21", "EDTF", "2019-03-01/2019-05-31"),
    ("1850?", "EDTF", "1850-01-01/1850-12-31"),
    ("+2019-03-05T00:00:00Z", "datetime", DAY),
    ("-0044-03-15T00:00:00Z", "datetime", "-0044-03-15/-0044-03-15"),
    ("+2019-00-00T00:00:00Z", "EDTF", YEAR),
    ("2019-03-00", "month", MONTH),
    ("-0499", "year", "-0499-01-01/-0499-12-31"),
    # numeric and written dates, mail
    ("2019/03/05", "day", DAY),
    ("3/5/2019", "day", DAY),
    ("15/3/2019", "day", "2019-03-15/2019-03-15"),
    ("3/5/2019 11:59 PM", "datetime", DAY),
    ("03/2019", "month", MONTH),
    ("5 Mar 2019", "written date", DAY),
    ("Tuesday, 5th of March 2019", "written date", DAY),
    ("Mar. 5th, 2019", "written date", DAY),
    ("5, Mar, 2019", "written date", DAY),
    ("Sept 2019", "written date", "2019-09-01/2019-09-30"),
    ("Tue, 05 Mar 2019 23:59:00 -0500", "RFC 2822", NEXT_DAY),
    ("Tue Mar  5 10:00:00 2019", "RFC 2822", DAY),
]


@pytest.mark.parametrize(("value", "format", "interval"), POINTS, ids=repr)
def test_points(value, format, interval):
    reading = read_time(value)
    assert (reading.format, str(reading.time.interval), reading.time.lasting) == (format, interval, False)


LASTING = [
    ("2003/2007", "2003-01-01/2007-12-31", Granularity.YEAR, Granularity.YEAR),
    ("2003-05/2007-06-27", "2003-05-01/2007-06-27", Granularity.MONTH, Granularity.DAY),
    ("2003/..", "2003-01-01/..", Granularity.YEAR, Granularity.DAY),
    ("2003/", "2003-01-01/..", Granularity.YEAR, Granularity.DAY),
    ("../2007", "../2007-12-31", Granularity.DAY, Granularity.YEAR),
    ("2003/present", "2003-01-01/..", Granularity.YEAR, Granularity.DAY),
    ("2019-03-05T10:00Z/2019-03-06T10:00Z", "2019-03-05/2019-03-06", Granularity.DAY, Granularity.DAY),
    ({"start": 2003, "end": None}, "2003-01-01/..", Granularity.YEAR, Granularity.DAY),
    ({"start": "2003-W02"}, "2003-01-06/..", Granularity.WEEK, Granularity.DAY),
    ({"gte": "199X", "lte": "2007"}, "1990-01-01/2007-12-31", Granularity.DECADE, Granularity.YEAR),
    ({"start": "2003-21", "end": "2003-34"}, "2003-03-01/2003-06-30", Granularity.SEASON, Granularity.QUARTER),
    ({"start": "0001-01-01", "end": "2007"}, "../2007-12-31", Granularity.DAY, Granularity.YEAR),
    ({"start": "2003", "end": "9999-12-31"}, "2003-01-01/..", Granularity.YEAR, Granularity.DAY),
    (TimeInterval(0, None), "1970-01-01/..", Granularity.DAY, Granularity.DAY),
]


@pytest.mark.parametrize(("value", "interval", "start_unit", "end_unit"), LASTING, ids=repr)
def test_lasting(value, interval, start_unit, end_unit):
    time = parse_time(value)
    assert (str(time.interval), time.lasting) == (interval, True)
    assert (time.start_unit, time.end_unit) == (start_unit, end_unit)


MISSING = [None, "", "  ", "null", "N/A", "NaN", "?", math.nan, np.float64("nan"), np.datetime64("NaT"), True, False]
MISSING += ["0000-00-00", "true", np.True_, NotATime(2019, 1, 1), {"start": None, "end": ""}, "../.."]


@pytest.mark.parametrize("value", MISSING, ids=repr)
def test_missing(value):
    assert parse_time(value) is None


BAD = [0, "0", 5, "5", 1.5, 2019.5, 10**20, 10**400, math.inf, -math.inf, "garbage", "2019-02-30", "2019-13", 20190231]
BAD += ["31 Feb 2019", "5 Foo 2019", "13/13/2019", "2007/2003", "2019-03-05T25:00", "2019-03-05T10:00+99:00", "x" * 500]
BAD += ["http://example.org/a", "10:00", "1" * 5000, [2019], {}, {"a": 1}, {"start": "2007", "end": "2003"}, b"2019"]
BAD += [
    object(),
    datetime.max.replace(tzinfo=EASTERN),
    {"start": "2003/2007"},
    {"start": {"start": "2003"}},
    "/" * 5000,
    "2003/2005/2007",
    "Tue, 99 Mar 2019 10:00:00 +0000",
]


@pytest.mark.parametrize("value", BAD, ids=lambda value: repr(value)[:40])
def test_bad(value):
    with pytest.raises(IntervalError):
        parse_time(value)


@pytest.mark.parametrize(
    ("value", "options", "interval"),
    [
        ("2019-03-05T23:30:00Z", {"time_zone": "Europe/Berlin"}, NEXT_DAY),
        ("2019-03-05T23:30:00", {"time_zone": "Europe/Berlin"}, DAY),
        (1551830399, {"time_zone": "Europe/Berlin"}, NEXT_DAY),
        (1551830400, {"time_zone": "America/New_York"}, DAY),
        ("03/05/2019", {"date_order": "dmy"}, "2019-05-03/2019-05-03"),
        ("03/15/2019", {"date_order": "dmy"}, "2019-03-15/2019-03-15"),
    ],
)
def test_options(value, options, interval):
    assert str(parse_time(value, options=IntentOptions(**options)).interval) == interval


def test_an_unknown_zone_is_an_error_of_the_configuration():
    with pytest.raises(ConfigError, match="Mars/Olympus"):
        parse_time(1551830399, options=IntentOptions(time_zone="Mars/Olympus"))


def test_bounds_keep_the_days_on_which_they_may_lie():
    time = parse_bounds("2003", "2007-06", source="valid_from/valid_to")
    assert (str(time.start), str(time.end)) == ("2003-01-01/2003-12-31", "2007-06-01/2007-06-30")
    assert time.source == "valid_from/valid_to"
    assert parse_bounds(None, "2007").start is None


@given(st.dates(date(1000, 1, 1), date(2999, 12, 31)))
def test_every_form_of_a_day_is_that_day(day):
    forms = [day, day.isoformat(), f"{day:%Y%m%d}", f"{day.day} {day:%B %Y}", f"{day:%m/%d/%Y}", np.datetime64(day)]
    forms.append(int(f"{day:%Y%m%d}"))
    assert {parse_time(form).interval for form in forms} == {TimeInterval.day(day.year, day.month, day.day)}


@given(st.integers(day_number(1975), day_number(2200)), st.integers(0, 86_399))
def test_epoch_units_agree(day, second):
    seconds = day * 86_400 + second
    readings = [read_time(seconds * factor) for factor in (1, 10**3, 10**6, 10**9)]
    assert {reading.time.interval for reading in readings} == {TimeInterval(day, day)}
    assert len({reading.format for reading in readings}) == 4


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text() | st.datetimes(timezones=st.timezones()),
    lambda inner: st.lists(inner) | st.dictionaries(st.sampled_from(["start", "end", "gte", "lte", "x"]), inner),
)
LIKELY = st.text("0123456789-/:.TZ+ XY~aAMar,", max_size=30)


@given(JSON | LIKELY)
def test_nothing_but_our_own_errors(value):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        try:
            time = parse_time(value)
        except QtieError:
            return
    assert time is None or isinstance(time.interval, TimeInterval)
