import json
import warnings
from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from qtie.config import Config, DocumentOptions
from qtie.errors import DocumentError, QtieError
from qtie.inspection import inspect_corpus
from qtie.intent import IntentOptions


def inspect(*fields, **arguments):
    records = [{"_id": f"d{n}", "text": "", "metadata": metadata} for n, metadata in enumerate(fields)]
    return inspect_corpus(records, **arguments)


def test_counts():
    report = inspect(
        {"date": "2019-03-05", "created_at": "2024"},
        {"date": "2018", "valid_from": "2001"},
        {"published_at": 1551780000, "valid_to": "present"},
        {"lang": "en"},
    )
    assert (report.n_documents, report.n_dated, report.share_dated) == (4, 3, 0.75)
    assert report.facets == {"timestamp": 3, "published": 1, "validity": 1}
    assert {key.key: (key.used, key.formats) for key in report.keys} == {
        "date": (True, {"day": 1, "year": 1}),
        "created_at": (False, {"year": 1}),
        "valid_from": (True, {"year": 1}),
        "valid_to": (True, {"open": 1}),
        "published_at": (True, {"epoch seconds": 1}),
    }
    assert report.suspicious == ()


EXACT = [{"date": "2019-03-05"}] * 3


@pytest.mark.parametrize(
    ("fields", "reason", "key", "n_values", "example"),
    [
        ([{"date": "soon"}], "cannot be read", "date", 1, "d0: 'soon'"),
        ([{"date": ["2001", "soon"]}], "cannot be read", "date", 1, "d0: 'soon'"),
        ([{"valid_to": "soon"}], "cannot be read", "valid_to", 1, "d0: 'soon'"),
        ([{"date": 0}, {"date": "1970-01-01T00:00:00Z"}, {"date": "0"}], "1970-01-01 or 0", "date", 3, "d0: 0"),
        ([{"date": "2026-12-01"}], "after the reference date", "date", 1, "d0: '2026-12-01'"),
        ([{"date": "2027"}], "after the reference date", "date", 1, "d0: '2027'"),
        (
            [{"date": 1551780000}, {"date": 1551780000}, {"date": 1551780000000}],
            "epoch milliseconds beside epoch seconds",
            "date",
            1,
            "d2: 1551780000000",
        ),
        (
            [{"valid_from": "2002", "valid_to": "2001"}],
            "interval ends before it starts",
            "valid_from/valid_to",
            1,
            "d0: {'end': '2001', 'start': '2002'}",
        ),
        ([{"validity": "2002/2001"}], "interval ends before it starts", "validity", 1, "d0: '2002/2001'"),
        ([*EXACT, {"date": "2019"}], "only a year, where most are exact days", "date", 1, "d3: '2019'"),
        (
            [{"date": "03/04/2019"}, {"date": "4.4.2019"}, {"date": "2019/03/04"}, {"date": "5-6-2019 10:00"}],
            'day or month first? read by date_order = "mdy"',
            "date",
            2,
            "d0: '03/04/2019'",
        ),
        (
            [{"valid_from": "03/04/2019"}, {"valid_from": "25/12/2019"}],
            'day or month first? read by date_order = "mdy"; 1 beside them fit only "dmy"',
            "valid_from",
            1,
            "d0: '03/04/2019'",
        ),
        (
            [{"date": "25/12/2019"}, {"date": "12/26/2019"}, {"date": "12/27/2019"}],
            'fits only "dmy", beside 2 of "mdy"',
            "date",
            1,
            "d0: '25/12/2019'",
        ),
    ],
)
def test_suspicious_values(fields, reason, key, n_values, example):
    (found,) = inspect(*fields, reference_date=date(2026, 11, 30)).suspicious
    assert (found.reason, found.key, found.n_values, found.examples[0]) == (reason, key, n_values, example)


@pytest.mark.parametrize(
    "fields",
    [
        {"date": "2026-11-30"},
        {"date": "2026"},
        {"valid_from": "2001", "valid_to": "2050"},
        {"created_at": "soon"},
        {"date": None},
        {"date": "n/a"},
    ],
    ids=repr,
)
def test_not_suspicious(fields):
    assert inspect(fields, reference_date=date(2026, 11, 30)).suspicious == ()


def test_dates_in_the_text_that_may_be_either_order():
    texts = [
        "Held on 03/04/2019 and 25/12/2019.",
        "From 1/2/2020, 10/10/2010.",
        "Path 1/2/20201, v1.2.2020.1, 2020/01/02",
    ]
    records = [{"_id": f"d{n}", "text": text} for n, text in enumerate(texts)]
    config = Config(intent=IntentOptions(date_order="dmy"))
    (found,) = inspect_corpus(records, config=config).suspicious
    assert found.reason == 'day or month first? read by date_order = "dmy"; 1 beside them fit only "dmy"'
    assert (found.key, found.n_values, found.examples) == ("text", 2, ("d0: '03/04/2019'", "d1: '1/2/2020'"))


def test_a_faulty_record_names_document_and_field():
    with pytest.raises(DocumentError, match=r"^document a: field 'metadata'"):
        inspect_corpus([{"_id": "a", "metadata": 3}])


def test_future_dates_need_a_reference_date():
    assert inspect({"date": "2999"}).suspicious == ()


def test_at_most_three_examples():
    (found,) = inspect(*[{"date": f"bad {n}"} for n in range(9)]).suspicious
    assert (found.n_values, len(found.examples)) == (9, 3)


def test_configured_keys_and_explicit_times():
    config = Config(documents=DocumentOptions(time_keys=("meta.date",)))
    records = [{"_id": "a", "text": "", "meta": {"date": "2001"}, "times": {"eclipse": ["2001", "soon"]}}]
    report = inspect_corpus(records, config=config)
    assert {key.key: dict(key.formats) for key in report.keys} == {
        "meta.date": {"year": 1},
        "times.eclipse": {"unreadable": 1, "year": 1},
    }
    assert [found.key for found in report.suspicious] == ["times.eclipse"]


def test_report_as_json_and_as_table():
    report = inspect({"date": "soon"}, {"date": "2001"})
    record = json.loads(json.dumps(report.to_dict()))
    assert record["share_dated"] == 0.5
    assert record["keys"] == [{"key": "date", "used": True, "formats": {"unreadable": 1, "year": 1}}]
    assert record["suspicious"][0] == {
        "reason": "cannot be read",
        "key": "date",
        "n_values": 1,
        "examples": ["d0: 'soon'"],
    }
    assert str(report).startswith("2 documents, 1 dated (50.0%)\n")
    assert str(inspect()) == "0 documents, 0 dated (0.0%)"


VALUES = st.none() | st.booleans() | st.integers() | st.floats() | st.text() | st.lists(st.text())
FIELDS = st.dictionaries(
    st.sampled_from(["_id", "date", "valid_from", "valid_to", "born", "times", "metadata"]), VALUES
)


@given(st.lists(FIELDS, max_size=4))
def test_nothing_but_our_own_errors_and_no_warning(records):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        try:
            report = inspect_corpus(records, reference_date=date(2026, 11, 30))
        except QtieError:
            return
    assert json.dumps(report.to_dict())
    assert str(report)
