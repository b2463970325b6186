import pytest

from qtie.evaluation.datasets.expressions import stated_time

SIMPLE = [
    ("who won in 1905", "in", "1905-01-01/1905-12-31"),
    ("winner of the prize 1905?", "in", "1905-01-01/1905-12-31"),
    ("who led it on 5 September, 2018?", "in", "2018-09-05/2018-09-05"),
    ("who led it during the year 2018?", "in", "2018-01-01/2018-12-31"),
    ("who led it in Feb 1812?", "in", "1812-02-01/1812-02-29"),
    ("who held it on 2012-11-20?", "in", "2012-11-20/2012-11-20"),
    ("what is true that is point in time is 1961-4-29", "in", "1961-04-29/1961-04-29"),
    ("who led it before Mar 1811?", "before", "../1811-02-28"),
    ("who led it prior to 2019", "before", "../2018-12-31"),
    ("who led it after May 31, 2011?", "after", "2011-06-01/.."),
    ("which team did she join post-2007?", "after", "2008-01-01/.."),
    ("who plays there since 1972?", "since", "1972-01-01/.."),
    ("who taught there beginning in 1971", "since", "1971-01-01/.."),
    ("on 1/3/1935, where was he", "in", "1935-01-03/1935-01-03"),
    ("starting from 1971 onwards", "since", "1971-01-01/.."),
    ("who lived there until March 2019?", "until", "../2019-03-31"),
    ("the latest governor by 2016", "by", "../2016-12-31"),
    ("the largest bill as of 1900", "as of", "../1900-12-31"),
    ("between the years 1993 and 2001", "between", "1993-01-01/2001-12-31"),
    ("between May 10, 1909 and March 20, 1910", "between", "1909-05-10/1910-03-20"),
    ("from Jun 1981 to 1983", "from-to", "1981-06-01/1983-12-31"),
    ("chief minister 1980 to 1981", "from-to", "1980-01-01/1981-12-31"),
]
COMPLEX = [
    ("three years prior to 2020", "offset"),
    ("one month before February 1, 1995", "offset"),
    ("what label in early 2000s?", "early"),
    ("after mid-2017", "mid"),
    ("in the late 1930s", "late"),
    ("after the end of 2005", "part"),
    ("summer 1969", "part"),
    ("in 1920s?", "decade"),
    ("painters of the 20th century", "decade"),
    ("novels in the nineteenth century", "decade"),
    ("who sang it in the 80's", "decade"),
    ("governed around 1792", "around"),
    ("began before May 31, 1996 and ended between May 31, 1996 and June 1, 2000", "several"),
    ("who is the current governor", "relative"),
    ("what happened three years ago", "relative"),
    ("who supported him after the war", "implicit"),
    ("who moved on the same day as the army", "implicit"),
    ("what was the first film", "ordinal"),
]


@pytest.mark.parametrize(("text", "expression", "interval"), SIMPLE, ids=[text for text, *_ in SIMPLE])
def test_one_plain_expression_is_simple(text: str, expression: str, interval: str) -> None:
    stated = stated_time(text)
    assert (stated.expression, stated.subset, str(stated.interval)) == (expression, "simple", interval)


@pytest.mark.parametrize(("text", "expression"), COMPLEX, ids=[text for text, _ in COMPLEX])
def test_all_other_words_about_time_are_complex(text: str, expression: str) -> None:
    assert stated_time(text) == (expression, "complex", None)


@pytest.mark.parametrize("text", ["", "capital of Peru", "when did they admit women", "error 20134"])
def test_words_that_bear_on_no_time_are_in_no_subset(text: str) -> None:
    assert stated_time(text) == ("none", None, None)


def test_what_is_no_date_has_no_interval() -> None:
    assert stated_time("who won on 30 February 2001").interval is None


def test_reversed_bounds_are_turned_round() -> None:
    assert str(stated_time("between 2001 and 1993").interval) == "1993-01-01/2001-12-31"
