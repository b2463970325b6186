"""Documents' times as the text of one column: a JSON object from facet to times."""

import json
from collections.abc import Mapping
from functools import lru_cache
from itertools import starmap

from qtie.document import DocumentTime
from qtie.interval import Granularity, TimeInterval

__all__ = ["FacetTimes", "times_from_json", "times_to_json"]

FacetTimes = Mapping[str, tuple[DocumentTime, ...]]
_UNITS = {str(unit): unit for unit in Granularity}


def times_to_json(times: FacetTimes) -> str | None:
    """The times in full: each as start, end, lasting, start and end unit, confidence, source; None where there is none.

    Example:
        >>> year = DocumentTime(interval=TimeInterval.year(2019), source="date")
        >>> times_to_json({"timestamp": (year,)})
        '{"timestamp":[[17897,18261,false,"day","day",1.0,"date"]]}'
    """
    if not times:
        return None
    rows = {facet: [_row(time) for time in given] for facet, given in times.items()}
    return json.dumps(rows, ensure_ascii=False, separators=(",", ":"))


def times_from_json(text: str | None) -> dict[str, tuple[DocumentTime, ...]]:
    """What `times_to_json` wrote.

    Example:
        >>> str(times_from_json('{"timestamp":[[17897,18261,false,"day","day",1.0,"date"]]}')["timestamp"][0].interval)
        '2019-01-01/2019-12-31'
    """
    return {facet: tuple(starmap(_time, rows)) for facet, rows in json.loads(text).items()} if text else {}


def _row(time: DocumentTime) -> list[object]:
    days, units = (time.interval.start, time.interval.end), (str(time.start_unit), str(time.end_unit))
    return [*days, time.lasting, *units, time.confidence, time.source]


@lru_cache(maxsize=2**14)  # many documents are of one year or day
def _time(
    start: int | None, end: int | None, lasting: bool, start_unit: str, end_unit: str, confidence: float, source: str
) -> DocumentTime:
    return DocumentTime(
        interval=TimeInterval(start, end),
        lasting=lasting,
        start_unit=_UNITS[start_unit],
        end_unit=_UNITS[end_unit],
        confidence=confidence,
        source=source,
    )
