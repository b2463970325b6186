"""Documents' times made worse on purpose: what a corpus without clean dates would have.

A change is a name of `TIME_CHANGES`, with its amount after a colon where it takes one: `focus`, `shifted:2`.
"""

import re
from collections.abc import Callable
from dataclasses import replace
from random import Random

from qtie.document import Document, DocumentTime
from qtie.errors import ConfigError
from qtie.focus_time import with_focus_times
from qtie.interval import Granularity, TimeInterval, unit_of

__all__ = ["TIME_CHANGES", "changed_times"]

_YEAR = re.compile(r"(?<![\d.,])(1\d{3}|20\d{2})(?![\d]|[.,]\d)")


def changed_times(change: str, documents: tuple[Document, ...], *, seed: int = 0) -> tuple[Document, ...]:
    """The documents with their times changed; what is random is drawn for each document by itself.

    Args:
        change: such as `given`, `extremes` or `dropped:0.5`.
        documents: with their times.
        seed: another one draws otherwise.

    Raises:
        ConfigError: no such change.

    Example:
        >>> document = Document.from_record({"_id": "a", "text": "Born 1867, won in 1903 and 1911", "date": "1911"})
        >>> for change in ("extremes", "coarsened"):
        ...     (changed,) = changed_times(change, (document,))
        ...     print(changed.times["timestamp"][0].interval)
        1867-01-01/1911-12-31
        1910-01-01/1919-12-31
    """
    name, _, amount = change.partition(":")
    try:
        number = float(amount or 0)
        make = TIME_CHANGES[name]
    except (KeyError, ValueError):
        choices = ", ".join(TIME_CHANGES)
        raise ConfigError(f"unknown change of times {change!r}; one of {choices}, some with an amount") from None
    return tuple(make(document, number, Random(f"{seed} {document.doc_id}")) for document in documents)


def _given(document: Document, _: float, __: Random) -> Document:
    return document


def _extremes(document: Document, _: float, __: Random) -> Document:
    """From the first to the last year that the text names, as the noise of Q-TIE's Table 18; none: no time."""
    years = [int(year) for year in _YEAR.findall(f"{document.title}\n{document.text}")]
    if not years:
        return replace(document, times={})
    hull = TimeInterval.years(min(years), max(years))
    return replace(document, times={"timestamp": (DocumentTime(interval=hull, source="text"),)})


def _focus(document: Document, _: float, __: Random) -> Document:
    """The times that `qtie.focus_time` reads from the text."""
    return with_focus_times(replace(document, times={}))


def _dropped(document: Document, share: float, draw: Random) -> Document:
    """No time, for that share of the documents."""
    return replace(document, times={}) if draw.random() < share else document


def _shifted(document: Document, years: float, draw: Random) -> Document:
    """All times moved by the same whole number of years, drawn from −years to +years."""
    n = draw.randint(-int(years), int(years))
    return _mapped(document, lambda time: replace(time, interval=time.interval.shift(n, Granularity.YEAR)))


def _coarsened(document: Document, _: float, __: Random) -> Document:
    """Points widened to their decade, both bounds of a lasting time to theirs."""
    return _mapped(document, lambda time: replace(time, interval=_decade(time.interval)))


def _decade(interval: TimeInterval) -> TimeInterval:
    start = None if interval.start is None else unit_of(interval.start, Granularity.DECADE).start
    end = None if interval.end is None else unit_of(interval.end, Granularity.DECADE).end
    return TimeInterval(start, end)


def _mapped(document: Document, change: Callable[[DocumentTime], DocumentTime]) -> Document:
    return replace(document, times={facet: tuple(map(change, times)) for facet, times in document.times.items()})


TIME_CHANGES: dict[str, Callable[[Document, float, Random], Document]] = {
    "given": _given,
    "extremes": _extremes,
    "focus": _focus,
    "dropped": _dropped,
    "shifted": _shifted,
    "coarsened": _coarsened,
}
"""The changes by name; `dropped` takes a share in [0, 1], `shifted` a number of years."""
