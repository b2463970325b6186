"""Dates as words, the form in which a date embedding gets them."""

from functools import reduce
from itertools import chain

from qtie.document import Document
from qtie.interval import TimeInterval, civil_date
from qtie.text_times import with_estimated_time

__all__ = ["date_text", "document_interval"]

_MONTHS = (
    *("January", "February", "March", "April", "May", "June", "July", "August", "September"),
    *("October", "November", "December"),
)
_OWN_TIMES = ("timestamp", "validity", "event", "focus_time")
"""The facets that tell when a document is of, before all others."""


def date_text(interval: TimeInterval | None) -> str:
    """The interval in months, or in years where it is made of whole ones; "" for none, or open on both sides.

    Example:
        >>> [date_text(TimeInterval.parse(text)) for text in ("2001", "1999-05/2001-02", "1990/1999", "../2018")]
        ['2001', 'May 1999 to February 2001', '1990 to 1999', 'until 2018']
    """
    if interval is None or (interval.start is None and interval.end is None):
        return ""
    start, end = (None if day is None else civil_date(day) for day in (interval.start, interval.end))
    whole_years = (start is None or start[1:] == (1, 1)) and (end is None or end[1:] == (12, 31))
    first, last = (day and (str(day[0]) if whole_years else f"{_MONTHS[day[1] - 1]} {day[0]}") for day in (start, end))
    if first is None:
        return f"until {last}"
    if last is None:
        return f"since {first}"
    return first if first == last else f"{first} to {last}"


def document_interval(document: Document) -> TimeInterval | None:
    """When a document is of: the hull of its times, which are read from its text where it has none; None for none.

    Example:
        >>> str(document_interval(Document(doc_id="a", text="He played for Barnet from 1999 to 2003.")))
        '1999-01-01/2003-12-31'
    """
    times = with_estimated_time(document).times
    own = [times[facet] for facet in _OWN_TIMES if facet in times][:1] or list(times.values())
    intervals = [time.interval for time in chain.from_iterable(own)]
    return reduce(TimeInterval.hull, intervals) if intervals else None
