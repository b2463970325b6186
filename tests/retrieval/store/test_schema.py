"""Rows hold the whole document, and the predicate finds in their columns whatever may fit."""

from datetime import UTC, date, datetime

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

pytest.importorskip("pyarrow", reason="needs qtie[store]")

import numpy as np

from qtie.document import Document, DocumentTime
from qtie.errors import DocumentError, StoreError
from qtie.interval import Granularity, TimeInterval
from qtie.retrieval.store.schema import FIELDS, WIDE_DAYS, arrow_schema, read_properties, to_arrow, to_documents

DAYS = st.one_of(st.none(), st.integers(-(10**6), 10**6))


@st.composite
def times(draw: st.DrawFn) -> DocumentTime:
    start, end = draw(DAYS), draw(DAYS)
    if start is not None and end is not None and end < start:
        start, end = end, start
    units = st.sampled_from([Granularity.DAY, Granularity.YEAR])
    return DocumentTime(
        interval=TimeInterval(start, end),
        lasting=draw(st.booleans()),
        start_unit=draw(units),
        end_unit=draw(units),
        confidence=draw(st.floats(0, 1)),
        source=draw(st.text(max_size=3)),
    )


@st.composite
def stored_documents(draw: st.DrawFn) -> Document:
    facets = st.dictionaries(st.text(max_size=4), st.lists(times(), min_size=1, max_size=3).map(tuple), max_size=3)
    values = st.recursive(st.none() | st.booleans() | st.integers() | st.text(max_size=3) | st.dates(), st.lists)
    return Document(
        doc_id=draw(st.text(min_size=1, max_size=5)),
        text=draw(st.text(max_size=20)),
        title=draw(st.text(max_size=5)),
        times=draw(facets),
        score=draw(st.none() | st.floats(allow_nan=False)),
        metadata=draw(st.dictionaries(st.text(max_size=3), values, max_size=2)),
    )


@given(st.lists(stored_documents(), max_size=4))
@settings(max_examples=60, deadline=None)
def test_documents_come_back_as_they_were(documents: list[Document]) -> None:
    assert to_documents(to_arrow(documents)) == documents


def test_vectors_are_stored_as_they_are() -> None:
    rows = to_arrow([Document(doc_id="a", text="")], np.array([[0.25, 0.5, -1.0]], dtype=np.float32))
    assert rows["vector"].to_pylist() == [[0.25, 0.5, -1.0]]
    assert rows.schema.field("vector").type.list_size == 3


def test_columns_hold_the_hull_and_tell_open_from_unknown(documents: list[Document]) -> None:
    rows = {row["doc_id"]: row for row in to_arrow(documents).to_pylist()}
    held = {name: (row["time_start"], row["time_end"], row["time_known"], row["dated"]) for name, row in rows.items()}
    day = TimeInterval.parse
    assert held["plain"] == (day("2016-05-09").start, day("2016-05-09").end, True, True)
    assert held["coarse"] == (day("2019").start, day("2019").end, True, True)
    assert held["open"] == (day("2012-02-29").start, None, True, True)
    assert held["undated"] == (None, None, False, False)
    assert held["both"] == (day("-0043").start, day("2020-01-02").end, True, True)
    assert rows["plain"]["time_wide_start"] is None
    assert rows["term"]["time_wide_start"] == day("1997-05").start
    assert rows["open"]["time_wide_end"] > 10**12
    assert rows["person"]["born_start"] == rows["person"]["born_end"] == day("1881-05-03").start
    assert not rows["plain"]["born_known"]


def test_only_what_is_longer_than_a_leap_year_is_wide() -> None:
    spans = [TimeInterval(0, WIDE_DAYS), TimeInterval(0, WIDE_DAYS + 1)]
    made = [
        Document(doc_id=str(at), text="", times={"timestamp": (DocumentTime(interval=span),)})
        for at, span in enumerate(spans)
    ]
    assert to_arrow(made)["time_wide_end"].to_pylist() == [None, WIDE_DAYS + 1]


@pytest.mark.parametrize(
    ("document", "message"),
    [
        (Document(doc_id="a", text="\ud800"), "document 'a': field 'text': not Unicode"),
        (Document(doc_id="a", text="", metadata={"x": {1, 2}}), "document 'a': field 'metadata': cannot store a set"),
    ],
)
def test_what_cannot_be_stored_is_named(document: Document, message: str) -> None:
    with pytest.raises(DocumentError, match=message):
        to_arrow([document])


def test_metadata_keeps_dates_and_plain_numbers() -> None:
    metadata = {"d": date(2020, 2, 29), "t": datetime(2020, 1, 2, tzinfo=UTC), "n": np.float64(1.5), "o": {"$date": 1}}
    (document,) = to_documents(to_arrow([Document(doc_id="a", text="", metadata=metadata)]))
    assert document.metadata == metadata


def test_another_version_is_refused() -> None:
    schema = arrow_schema(n_dimensions=4, encoder="e", encoder_name="n")
    assert read_properties(schema, where="s") == {"encoder": "e", "encoder_name": "n"}
    with pytest.raises(StoreError, match=r"^s: its schema is of version 99, this qtie writes 1"):
        read_properties(schema.with_metadata({"qtie.version": "99"}), where="s")
    with pytest.raises(StoreError, match=r"^s: a table that qtie did not write"):
        read_properties(schema.remove_metadata(), where="s")


def test_every_target_has_its_columns() -> None:
    names = arrow_schema().names
    for fields in FIELDS.values():
        assert {fields.start, fields.end, fields.known} <= set(names)
