"""Documents of every kind of time, intents of every kind, and what a filter means, in plain Python."""

import random
from collections.abc import Callable, Mapping
from datetime import date

import pytest
from hypothesis import strategies as st

from qtie.allen import AllenRelation
from qtie.document import Document, DocumentTime
from qtie.intent import TemporalConstraint, TemporalIntent
from qtie.interval import Granularity, TimeInterval, day_number, unit_of
from qtie.retrieval.filters.fields import TimeFields
from qtie.retrieval.filters.time_filter import TimeFilter
from qtie.time_columns import TimeColumns

UNITS = (
    Granularity.DAY,
    Granularity.WEEK,
    Granularity.MONTH,
    Granularity.YEAR,
    Granularity.DECADE,
    Granularity.CENTURY,
)
TARGETS = ("any", "held", "start", "end", "future", "born", "published", "event")


SPANS = [
    (day_number(1850), day_number(2060)),
    (day_number(2014), day_number(2020)),
    (day_number(2016), day_number(2016) + 9),
]
"""Where days lie: anywhere, in a few years, and so close together that bounds meet to the day."""


def _day(random_: random.Random) -> int:
    return random_.randint(*random_.choice(SPANS))


def _time(random_: random.Random) -> DocumentTime:
    unit, other = random_.choices(UNITS, k=2)
    if random_.random() < 0.6:
        return DocumentTime(interval=unit_of(_day(random_), unit))
    first, last = sorted([_day(random_), _day(random_)])
    start, end = unit_of(first, unit).start, unit_of(last, other).end
    side = random_.random()
    interval = TimeInterval(None, end) if side < 0.2 else TimeInterval(start, None if side < 0.5 else end)
    return DocumentTime(interval=interval, lasting=True, start_unit=unit, end_unit=other)


def _document(number: int, random_: random.Random) -> Document:
    times: dict[str, tuple[DocumentTime, ...]] = {}
    for facet in random_.choices(["timestamp", "validity", "event", "focus_time", "born", "published"], k=2):
        if random_.random() < 0.8:
            time = _time(random_)
            times[facet] = (time,) if time.lasting == (facet == "validity") else ()
    return Document(doc_id=f"{number:03}", text="", times={facet: given for facet, given in times.items() if given})


@pytest.fixture(scope="session")
def documents() -> list[Document]:
    """About 300: points, coarse dates, validities with open sides, several facets, none; ancient and far times."""
    random_ = random.Random(6)
    usual = [_document(number, random_) for number in range(290)]
    texts = ["-0499", "-4000/..", "0001-01-01", "9999-12-31", "../Y12000", "Y20000", "1600/Y11000"]
    odd = [
        Document(doc_id=text, text="", times={"validity": (DocumentTime(interval=interval, lasting="/" in text),)})
        for text in texts
        for interval in [TimeInterval.parse(text)]
    ]
    return usual + odd


@st.composite
def _intervals(draw: st.DrawFn) -> tuple[TimeInterval, Granularity]:
    unit = draw(st.sampled_from(UNITS))
    days = st.one_of([st.integers(first, last) for first, last in SPANS])
    first, last = sorted([draw(days), draw(days)])
    start, end = unit_of(first, unit).start, unit_of(last, unit).end
    shapes = [unit_of(first, unit), TimeInterval(start, end), TimeInterval(start, None), TimeInterval(None, end)]
    return draw(st.sampled_from(shapes)), unit


@st.composite
def _constraints(draw: st.DrawFn) -> TemporalConstraint:
    interval, unit = draw(_intervals())
    bounded = interval.start is not None and interval.end is not None
    related = bounded and draw(st.integers(0, 2)) == 0
    return TemporalConstraint(
        interval=interval,
        granularity=unit,
        relation=draw(st.sampled_from(AllenRelation)) if related else "intersects",
        target=draw(st.sampled_from(["any", "any", "start", "end", "born", "published"])),
        negated=draw(st.integers(0, 3)) == 0,
    )


@st.composite
def _intents(draw: st.DrawFn) -> TemporalIntent:
    constraints = draw(st.lists(_constraints(), min_size=1, max_size=3))
    return TemporalIntent(query="q", constraints=tuple(constraints), reference_date=date(2024, 6, 15))


@pytest.fixture(scope="session")
def intents() -> st.SearchStrategy[TemporalIntent]:
    return _intents()


def _expected(
    time_filter: TimeFilter | None, documents: list[Document], fields: Mapping[str, TimeFields]
) -> list[bool]:
    columns = TimeColumns.from_documents(documents)
    spans: dict[str, dict[int, tuple[float, float]]] = {}
    for target, names in fields.items():
        times = columns.times_for(target)
        found = spans.setdefault(names.start, {})
        for doc, start, end in zip(times.doc.tolist(), times.start.tolist(), times.end.tolist(), strict=True):
            low, high = found.get(doc, (start, end))
            found[doc] = (min(low, start), max(high, end))

    def keeps(doc: int) -> bool:
        def within(names: TimeFields, interval: TimeInterval) -> bool:
            if doc not in spans[names.start]:
                return True
            low, high = spans[names.start][doc]
            return (interval.end is None or low <= interval.end) and (interval.start is None or high >= interval.start)

        return time_filter is None or all(
            (clause.dated is None or doc in spans[clause.dated.start])
            and (
                not clause.alternatives
                or any(all(within(b.fields, b.interval) for b in bounds) for bounds in clause.alternatives)
            )
            for clause in time_filter.clauses
        )

    return [keeps(doc) for doc in range(len(documents))]


@pytest.fixture(scope="session")
def expected() -> Callable[[TimeFilter | None, list[Document], Mapping[str, TimeFields]], list[bool]]:
    """Which documents a filter keeps, read from their times and not from a store."""
    return _expected


@pytest.fixture(scope="session")
def all_fields() -> Mapping[str, TimeFields]:
    return {target: TimeFields.named(target) for target in TARGETS}
