"""The day of asking, where nobody says it."""

from collections.abc import Callable
from datetime import date

from qtie.baselines.ranker import Pool, Question, day_of_asking
from qtie.interval import TimeInterval, civil_date
from qtie.time_columns import Times

Ask, Dated = Callable[..., Question], Callable[..., Pool]


def test_day_of_asking(ask: Ask) -> None:
    years = [TimeInterval.year(1900 + i) for i in range(98)]
    times = Times.from_intervals([*years, TimeInterval.year(9000), TimeInterval.parse("1990/..")])
    assert civil_date(day_of_asking(ask("who won", date(2020, 5, 1)), times)) == (2020, 5, 1)
    assert civil_date(day_of_asking(ask("who won"), times))[0] == 1994  # neither 9000 nor the open end counts much
    assert day_of_asking(ask("who won"), Times.from_intervals([])) == 0
