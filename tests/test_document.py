import copy
import warnings
from datetime import UTC, date, datetime

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from qtie.config import Config, DocumentOptions
from qtie.document import Document, DocumentTime, inherit_times, read_times
from qtie.errors import DocumentError, QtieError, QtieWarning
from qtie.intent import IntentOptions
from qtie.interval import Granularity, TimeInterval


def times_of(fields, **options):
    """The intervals by facet of a document with that metadata."""
    record = {"_id": "a", "text": "", "metadata": fields}
    document = Document.from_record(record, config=Config(documents=DocumentOptions(**options)))
    return {facet: [str(time.interval) for time in times] for facet, times in document.times.items()}


YEAR_2001, YEAR_2002 = ["2001-01-01/2001-12-31"], ["2002-01-01/2002-12-31"]


@pytest.mark.parametrize(
    ("fields", "times"),
    [
        ({}, {}),
        ({"created_at": "2001", "updated_at": "2001", "indexed_at": "2001"}, {}),
        ({"timestamp": "2001"}, {"timestamp": YEAR_2001}),
        ({"Date": 2001}, {"timestamp": YEAR_2001}),
        ({"timestamp": "2001", "event_date": "2002"}, {"timestamp": YEAR_2002, "event": YEAR_2002}),
        ({"published_at": "2001", "date": "2002"}, {"timestamp": YEAR_2002, "published": YEAR_2001}),
        ({"date": None, "pubDate": "2001"}, {"timestamp": YEAR_2001, "published": YEAR_2001}),
        ({"date": ["2001", "2002"]}, {"timestamp": YEAR_2001 + YEAR_2002}),
        ({"born": "2001", "date_of_death": "2002"}, {"born": YEAR_2001, "died": YEAR_2002}),
        ({"valid_from": "2001", "valid_to": "2001"}, {"validity": YEAR_2001}),
        ({"valid_from": "2001"}, {"validity": ["2001-01-01/.."]}),
        ({"valid_from": "2001", "valid_to": None}, {"validity": ["2001-01-01/.."]}),
        ({"valid_from": "2001", "valid_to": "present"}, {"validity": ["2001-01-01/.."]}),
        ({"valid_until": "2001"}, {"validity": ["../2001-12-31"]}),
        ({"effective_from": "2001-02", "effective_to": "2001-03"}, {"validity": ["2001-02-01/2001-03-31"]}),
        ({"start_date": "2001-02-03", "end_date": "2002"}, {"validity": ["2001-02-03/2002-12-31"]}),
        ({"valid_from": "", "start_date": "2001", "end_date": "2001"}, {"validity": YEAR_2001}),
        ({"validity": "2001"}, {"validity": YEAR_2001}),
        ({"validity": {"start": "2001"}}, {"validity": ["2001-01-01/.."]}),
        ({"timestamp": False, "published": True}, {}),
    ],
    ids=repr,
)
def test_times_are_found_under_the_usual_keys(fields, times):
    assert times_of(fields) == times


def test_time_keys_are_an_ordered_choice():
    fields = {"created_at": "2001", "meta": {"Article": {"date": "2002"}}, "a.b": "2001"}
    assert times_of(fields, time_keys=("missing", "created_at")) == {"timestamp": YEAR_2001}
    assert times_of(fields, time_keys=("meta.article.date", "created_at")) == {"timestamp": YEAR_2002}
    assert times_of(fields, time_keys=("metadata.created_at",)) == {"timestamp": YEAR_2001}
    assert times_of(fields, time_keys=("meta.missing.date", "a.b")) == {"timestamp": YEAR_2001}
    assert times_of(fields, facet_keys={"created": ("created_at",)}) == {"created": YEAR_2001}


def test_validity_lasts_and_keeps_the_units_it_was_given_in():
    record = {"_id": "a", "text": "", "valid_from": "2001", "valid_to": "2002-03"}
    (validity,) = Document.from_record(record).times["validity"]
    assert validity == DocumentTime(
        interval=TimeInterval.parse("2001-01-01/2002-03-31"),
        lasting=True,
        start_unit=Granularity.YEAR,
        end_unit=Granularity.MONTH,
        source="valid_from/valid_to",
    )
    assert Document.from_record({"_id": "a", "text": "", "validity": 2001}).times["validity"][0].lasting


def test_explicit_times_win_over_keys():
    given_times = {"published": "2002", "eclipse": ["2001", "2002"], "validity": "2001", "born": None}
    record = {"_id": "a", "text": "", "published": "2001", "born": 2001, "times": given_times}
    times = Document.from_record(record).times
    assert {facet: [str(time.interval) for time in found] for facet, found in times.items()} == {
        "timestamp": YEAR_2001,
        "published": YEAR_2002,
        "eclipse": YEAR_2001 + YEAR_2002,
        "validity": YEAR_2001,
        "born": YEAR_2001,
    }
    assert times["validity"][0].lasting
    assert times["published"][0].source == "times.published"


def test_zone_and_date_order_come_from_the_configuration():
    record = {"_id": "a", "text": "", "date": datetime(2019, 3, 5, 23, 30, tzinfo=UTC), "born": "03/04/1900"}
    config = Config(intent=IntentOptions(time_zone="Europe/Berlin", date_order="dmy"))
    times = Document.from_record(record, config=config).times
    assert times["timestamp"][0].interval == TimeInterval.day(2019, 3, 6)
    assert times["born"][0].interval == TimeInterval.day(1900, 4, 3)


@pytest.mark.parametrize(
    ("fields", "keys", "times"),
    [
        ({"date": "soon"}, ["date"], {}),
        ({"date": "soon", "year": 2001}, ["date"], {"timestamp": YEAR_2001}),
        ({"event_date": "soon"}, ["event_date"], {}),
        ({"date": ["soon", "later", "2001"]}, ["date"], {"timestamp": YEAR_2001}),
        ({"valid_from": "2002", "valid_to": "2001"}, ["valid_from/valid_to"], {}),
        ({"valid_from": "2002", "valid_to": "soon"}, ["valid_from/valid_to"], {}),
        ({"born": float("inf"), "died": 10**30}, ["born", "died"], {}),
    ],
)
def test_a_bad_value_warns_once_a_key_and_counts_as_missing(fields, keys, times):
    with pytest.warns(QtieWarning) as caught:
        assert times_of(fields) == times
    assert [str(warning.message).split("'")[1] for warning in caught] == keys


def test_python_shows_one_warning_per_key():
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("default")
        for value in ("soon", "later", "2001-02-30"):
            Document.from_record({"_id": value, "text": "", "date": value, "born": value})
    assert len(caught) == 2


@pytest.mark.parametrize(
    ("record", "message"),
    [
        ({"text": "t"}, "field '_id': missing"),
        ({"_id": "", "text": "t"}, "field '_id': expected a non-empty string, got an empty string"),
        ({"_id": True, "text": "t"}, "field '_id': expected a non-empty string, got bool True"),
        ({"_id": "a"}, "field 'text': missing"),
        ({"_id": "a", "text": 3}, "field 'text': expected a string, got int 3"),
        ({"_id": "a", "text": "t", "title": ["x"]}, "field 'title': expected a string, got list"),
        ({"_id": "a", "text": "t", "metadata": []}, "field 'metadata': expected an object, got list"),
        ({"_id": "a", "text": "t", "times": "2019"}, "field 'times': expected an object of facets, got str"),
        ({"_id": "a", "text": "t", "score": "1"}, "field 'score': expected a finite number, got str '1'"),
        ({"_id": "a", "text": "t", "score": float("nan")}, "field 'score': expected a finite number, got float nan"),
        ({"_id": "a", "text": "t", "score": True}, "field 'score'"),
        ({"_id": "a", "text": "t", "score": 10**400}, "field 'score'"),
        (["a"], "expected an object, got list"),
    ],
)
def test_a_faulty_record_names_the_field(record, message):
    with pytest.raises(DocumentError, match=f"^{message}"):
        Document.from_record(record)


def test_fields():
    record = {"id": 7, "contents": "t", "title": None, "score": np.float32(0.5), "lang": "en", "metadata": {"id": 1}}
    document = Document.from_record(record)
    assert (document.doc_id, document.text, document.title, document.score) == ("7", "t", "", 0.5)
    assert document.metadata == {"lang": "en", "id": 1}
    assert Document.from_record({"text": "t"}, doc_id="0").doc_id == "0"
    assert Document.from_record({"_id": "a", "text": "t"}, doc_id="0").doc_id == "a"


def test_the_record_is_left_as_it_is():
    record = {"_id": "a", "text": "t", "date": "2001", "metadata": {"born": ["2001"]}, "times": {"x": "2001"}}
    before = copy.deepcopy(record)
    document = Document.from_record(record)
    assert record == before
    record["metadata"]["lang"] = "en"
    assert "lang" not in document.metadata


def test_a_chunk_inherits_what_it_has_not():
    parent = Document.from_record({"_id": "p", "text": "", "date": "2001", "born": "2001"})
    chunk = Document.from_record({"_id": "p#1", "text": "", "born": "2002"}, parent=parent)
    assert chunk.times["timestamp"] == parent.times["timestamp"]
    assert str(chunk.times["born"][0].interval) == YEAR_2002[0]
    assert inherit_times(parent, chunk).times == parent.times


def test_with_times_replaces_facets_in_a_copy():
    document = Document.from_text("t", "a", timestamp=date(2001, 1, 1))
    born = DocumentTime(interval=TimeInterval.year(1950), confidence=0.8, source="text")
    assert document.with_times({"born": [born]}).times == {**document.times, "born": (born,)}
    assert document.with_times({"timestamp": []}).times == {}
    assert list(document.times) == ["timestamp"]


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=8,
)
NAMES = [
    "_id",
    "text",
    "title",
    "score",
    "metadata",
    "times",
    "date",
    "valid_from",
    "valid_to",
    "validity",
    "born",
    "x",
]


@given(st.dictionaries(st.sampled_from(NAMES), JSON | st.dictionaries(st.sampled_from(NAMES), JSON)))
def test_nothing_but_our_own_errors_and_warnings(record):
    before = copy.deepcopy(record)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.simplefilter("ignore", QtieWarning)
        try:
            document = Document.from_record({"_id": "a", "text": "t", **record})
        except QtieError:
            return
    assert repr(record) == repr(before)
    assert document.times == read_times(record)[0]


def test_deep_nesting_is_only_a_bad_value():
    deep: object = "2001"
    for _ in range(900):
        deep = {"start": [deep]}
    with pytest.warns(QtieWarning, match="'date'"):
        assert times_of({"date": deep}) == {}
    with pytest.raises(DocumentError, match="field 'text'"):
        Document.from_record({"_id": "a", "text": deep})
