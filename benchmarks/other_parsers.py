"""Public parsers of English dates, run on queries: JSON lines in (query, reference_date), intervals out.

Run by `tie_accuracy.py` in the environment given by `--parsers-python`, where the parsers are installed:
pip install dateparser recognizers-text-date-time emoji==1.7 ctparse timefhuman parsedatetime

Each returns points or ranges of its own; they become intervals of days as follows, each to its own advantage.
"""

import json
import sys
import warnings
from collections.abc import Callable
from datetime import date, datetime, timedelta

warnings.simplefilter("ignore")

Bounds = tuple[date | None, date | None]
DAY = timedelta(days=1)
CONVERSIONS = {
    "dateparser": "search_dates, past preferred; each hit is the day, week, month or year that its period names",
    "recognizers-text": "the latest value begun by the reference date; its ends are exclusive; Mod opens a side",
    "ctparse": "the best parse; a time of day is its day, a date without day its month or year",
    "timefhuman": "each hit's day, past preferred; a pair is a range",
    "parsedatetime": "Calendar.nlp; each hit's day, times of day alone (as it reads a lone year) left out",
}  # fmt: skip


def month_end(year: int, month: int) -> date:
    return (date(year, month, 28) + 4 * DAY).replace(day=1) - DAY


def unit(day: date, period: str) -> Bounds:
    if period == "year":
        return date(day.year, 1, 1), date(day.year, 12, 31)
    if period == "month":
        return day.replace(day=1), month_end(day.year, day.month)
    if period == "week":
        monday = day - day.weekday() * DAY
        return monday, monday + 6 * DAY
    return day, day


def make_dateparser() -> Callable[[str, datetime], list[Bounds]]:
    from dateparser.date import DateDataParser
    from dateparser.search import search_dates

    def read(query: str, reference: datetime) -> list[Bounds]:
        settings = {"RELATIVE_BASE": reference, "PREFER_DATES_FROM": "past"}
        found = search_dates(query, languages=["en"], settings=settings) or []
        periods = DateDataParser(languages=["en"], settings=settings)
        return [unit(when.date(), periods.get_date_data(text).period or "day") for text, when in found]

    return read


def make_recognizers() -> Callable[[str, datetime], list[Bounds]]:
    from recognizers_date_time import DateTimeRecognizer
    from recognizers_text import Culture

    model = DateTimeRecognizer(Culture.English).get_datetime_model()

    def bounds(value: dict[str, str]) -> Bounds | None:
        mod = value.get("Mod") or value.get("mod")
        start, end = value.get("start"), value.get("end")
        if "value" in value:
            day = date.fromisoformat(value["value"][:10])
            return {
                "before": (None, day - DAY),
                "after": (day + DAY, None),
                "since": (day, None),
                "until": (None, day),
            }.get(mod or "", (day, day))
        first = date.fromisoformat(start[:10]) if start else None
        last = date.fromisoformat(end[:10]) - (DAY if len(end) == 10 else timedelta()) if end else None
        return (first, last) if first or last else None

    def read(query: str, reference: datetime) -> list[Bounds]:
        made = []
        for hit in model.parse(query, reference):
            values = (hit.resolution or {}).get("values") or []
            options = [
                b for v in values if v.get("type") not in ("time", "duration", "timerange", "set") if (b := bounds(v))
            ]
            past = [b for b in options if (b[0] or date.min) <= reference.date()]
            if past or options:
                made.append(max(past, key=lambda b: b[0] or date.min) if past else options[0])
        return made

    return read


def make_ctparse() -> Callable[[str, datetime], list[Bounds]]:
    from ctparse import ctparse
    from ctparse.types import Interval

    def side(time: object, last: bool) -> date | None:
        year, month, day = (getattr(time, name, None) for name in ("year", "month", "day"))
        if year is None:
            return None
        if month is None:
            return date(year, 12, 31) if last else date(year, 1, 1)
        if day is None:
            return month_end(year, month) if last else date(year, month, 1)
        return date(year, month, day)

    def read(query: str, reference: datetime) -> list[Bounds]:
        found = ctparse(query, ts=reference, timeout=1)
        if not found:
            return []
        value = found.resolution
        if isinstance(value, Interval):
            bounds = (side(value.t_from, False), side(value.t_to, True))
        else:
            bounds = (side(value, False), side(value, True))
        return [bounds] if bounds != (None, None) else []

    return read


def make_timefhuman() -> Callable[[str, datetime], list[Bounds]]:
    from timefhuman import tfhConfig, timefhuman
    from timefhuman.utils import Direction

    def day(value: object) -> date | None:
        return value.date() if isinstance(value, datetime) else value if isinstance(value, date) else None

    def read(query: str, reference: datetime) -> list[Bounds]:
        found = timefhuman(query, config=tfhConfig(now=reference, direction=Direction.previous))
        made = []
        for hit in found if isinstance(found, list) else [found]:
            bounds = (day(hit[0]), day(hit[-1])) if isinstance(hit, tuple) else (day(hit), day(hit))
            made += [bounds] if bounds != (None, None) else []
        return made

    return read


def make_parsedatetime() -> Callable[[str, datetime], list[Bounds]]:
    import parsedatetime

    time_alone = 2
    calendar = parsedatetime.Calendar()

    def read(query: str, reference: datetime) -> list[Bounds]:
        made = []
        for when, flag, *_ in calendar.nlp(query, sourceTime=reference) or ():
            made += [unit(when.date(), "day")] if flag != time_alone else []
        return made

    return read


MAKERS = {
    "dateparser": make_dateparser,
    "recognizers-text": make_recognizers,
    "ctparse": make_ctparse,
    "timefhuman": make_timefhuman,
    "parsedatetime": make_parsedatetime,
}


def main() -> None:
    """The name of the parser is the argument; a query on which it raises counts as one without a time."""
    read = MAKERS[sys.argv[1]]()
    for line in sys.stdin:
        row = json.loads(line)
        reference = datetime.fromisoformat(row["reference_date"])
        try:
            found = read(row["query"], reference)
        except Exception:
            found = []
        found = [(b, a) if a and b and a > b else (a, b) for a, b in found]
        print(json.dumps(["/".join(".." if s is None else s.isoformat() for s in bounds) for bounds in found]))


if __name__ == "__main__":
    main()
