"""Time filters without a store: what they may leave out, what they ask for, and their text in each language."""

import doctest
import json
import sqlite3
import sys
from collections.abc import Callable, Mapping
from dataclasses import replace
from datetime import UTC, date, datetime
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from qtie.allen import AllenRelation
from qtie.document import Document, DocumentTime
from qtie.errors import ConfigError, MissingExtraError
from qtie.intent import TemporalConstraint, TemporalIntent
from qtie.interval import Granularity, TimeInterval, day_number
from qtie.kernels import Grading
from qtie.retrieval.filters.chroma import chroma_filter
from qtie.retrieval.filters.decay import time_decays
from qtie.retrieval.filters.fields import DEFAULT_FIELDS, OPEN, TimeFields, stored_times
from qtie.retrieval.filters.lancedb import lancedb_filter
from qtie.retrieval.filters.milvus import milvus_filter
from qtie.retrieval.filters.opensearch import opensearch_filter, opensearch_function_score
from qtie.retrieval.filters.postgres import SqlCondition, postgres_filter
from qtie.retrieval.filters.time_filter import TimeFilter, time_filter
from qtie.temporal_relevance import outside_documents, temporal_scores, undated_documents
from qtie.time_columns import TimeColumns

Fields = Mapping[str, TimeFields]
Expected = Callable[[TimeFilter | None, list[Document], Fields], list[bool]]
Intents = st.SearchStrategy[TemporalIntent]

U, F = Grading().unknown, Grading().floor
MARGIN_SCORE = U - (U - F) / 2
"""What a point scores one unit off the asked interval: the margin's score."""
examples = settings(max_examples=100, deadline=None, suppress_health_check=[HealthCheck.too_slow])


def asks(text: str | None, unit: Granularity = Granularity.YEAR, **options: Any) -> TemporalConstraint:
    interval = None if text is None else TimeInterval.parse(text)
    return TemporalConstraint(interval=interval, granularity=unit, **options)


def intent(*constraints: TemporalConstraint, **options: Any) -> TemporalIntent:
    return TemporalIntent(query="q", constraints=constraints, **{"reference_date": date(2024, 6, 15), **options})


class TestNoFalseDismissal:
    @examples
    @given(data=st.data())
    def test_what_is_left_out_scores_no_more_than_the_margin(
        self, data: st.DataObject, documents: list[Document], intents: Intents, expected: Expected, all_fields: Fields
    ) -> None:
        asked = data.draw(intents)
        scores = temporal_scores(asked, TimeColumns.from_documents(documents))
        for fields in (DEFAULT_FIELDS, all_fields):
            kept = np.array(expected(time_filter(asked, fields=fields), documents, fields))
            assert (scores[~kept] <= MARGIN_SCORE + 1e-12).all()

    @examples
    @given(data=st.data(), confidence=st.sampled_from([0.5, 0.8]))
    def test_with_doubt_it_still_scores_less_than_an_undated_document(
        self,
        data: st.DataObject,
        confidence: float,
        documents: list[Document],
        intents: Intents,
        expected: Expected,
        all_fields: Fields,
    ) -> None:
        asked = data.draw(intents)
        doubtful = [
            replace(
                d, times={f: tuple(replace(t, confidence=confidence) for t in times) for f, times in d.times.items()}
            )
            for d in documents
        ]
        scores = temporal_scores(asked, TimeColumns.from_documents(doubtful))
        kept = np.array(expected(time_filter(asked, fields=all_fields), documents, all_fields))
        assert (scores[~kept] < U).all()

    @examples
    @given(data=st.data())
    def test_strict_leaves_out_what_strict_mode_removes(
        self, data: st.DataObject, documents: list[Document], intents: Intents, expected: Expected, all_fields: Fields
    ) -> None:
        asked = data.draw(intents)
        strict = time_filter(asked, fields=all_fields, margin_units=0)
        assume(strict is not None)
        single = [d for d in documents if len(d.times) <= 1]
        removed = outside_documents(asked, TimeColumns.from_documents(single))
        kept = np.array(expected(strict, single, all_fields))
        assert not (removed & kept).any() or _nothing_left(asked)
        assert not (~removed & ~kept).any()

    @examples
    @given(data=st.data())
    def test_undated_documents_are_kept_or_dropped_as_the_policy_says(
        self, data: st.DataObject, documents: list[Document], intents: Intents, expected: Expected, all_fields: Fields
    ) -> None:
        asked = data.draw(intents)
        undated = undated_documents(asked, TimeColumns.from_documents(documents))
        dropping = time_filter(asked, fields=all_fields, keep_undated=False)
        dropped = ~np.array(expected(dropping, documents, all_fields))
        kept = np.array(expected(time_filter(asked, fields=all_fields), documents, all_fields))
        np.testing.assert_array_equal(dropped[kept], undated[kept])

    def test_it_does_leave_out(self, documents: list[Document], expected: Expected) -> None:
        kept = expected(time_filter(intent(asks("2016"))), documents, DEFAULT_FIELDS)
        assert 0.1 < np.mean(kept) < 0.8


def _nothing_left(asked: TemporalIntent) -> bool:
    """Whether some target asks for what no document could have; the filter then leaves that target out."""
    return any(
        time_filter(replace(asked, constraints=tuple(group)), fields={t: TimeFields() for t in _ANY}, margin_units=0)
        is None
        for group in asked.by_target.values()
    )


_ANY = ("any", "held", "start", "end", "future", "born", "published")


class TestTimeFilter:
    @pytest.mark.parametrize(
        ("constraints", "printed"),
        [
            ((asks("2016"),), "2014-12-31/2018-01-01 or unknown"),
            ((asks("2016-03", Granularity.MONTH),), "2016-01-30/2016-05-01 or unknown"),
            ((asks("2016-03-05", Granularity.DAY),), "2016-03-04/2016-03-06 or unknown"),
            ((asks("../2015-12-31"),), "../2016-12-31 or unknown"),
            ((asks("2000"), asks("2010")), "1998-12-31/2002-01-01 or 2008-12-31/2012-01-01 or unknown"),
            ((asks("2000"), asks("2002")), "1998-12-31/2004-01-01 or unknown"),  # the margins meet
            ((asks("2000/2020"), asks("2010", negated=True)), "1998-12-31/2022-01-01 or unknown"),
            (
                (asks("2000/2020"), asks("2005/2015", negated=True)),
                "1998-12-31/2006-01-01 or 2014-12-31/2022-01-01 or unknown",
            ),
            ((asks("2000/2010", relation=AllenRelation.CONTAINS),), "../2000-12-31 and 2009-12-31/.. or unknown"),
            ((asks("2016", target="start"), asks("1990", target="born")), "2014-12-31/2018-01-01 or unknown"),
        ],
    )  # fmt: skip
    def test_margins(self, constraints: tuple[TemporalConstraint, ...], printed: str) -> None:
        assert str(time_filter(intent(*constraints))).replace("time_start/time_end in ", "") == printed

    @pytest.mark.parametrize(
        "asked",
        [
            intent(),
            intent(preference="latest"),
            intent(asks(None)),
            intent(asks("1990", target="born")),  # not mapped
            intent(asks("2050")),  # the timestamp cannot tell what a text says of the future
            intent(asks("2005"), asks("2005", negated=True)),  # nothing is left
            intent(asks("2005", negated=True)),  # the margins meet
        ],
    )
    def test_no_condition(self, asked: TemporalIntent) -> None:
        assert time_filter(asked) is None

    def test_a_preference_changes_nothing(self) -> None:
        assert time_filter(intent(asks("2016"), preference="latest")) == time_filter(intent(asks("2016")))

    def test_targets_must_all_hold(self) -> None:
        fields = {**DEFAULT_FIELDS, "born": TimeFields.named("born")}
        found = time_filter(intent(asks("2016"), asks("1990", target="born")), fields=fields, margin_units=0)
        assert str(found) == (
            "(time_start/time_end in 2016-01-01/2016-12-31 or unknown)"
            " and (born_start/born_end in 1990-01-01/1990-12-31 or unknown)"
        )

    def test_strict_keeps_the_hole_that_negation_makes(self) -> None:
        found = time_filter(intent(asks("2005", negated=True)), margin_units=0)
        assert str(found) == "time_start/time_end in ../2004-12-31 or time_start/time_end in 2006-01-01/.. or unknown"

    def test_dropping_the_undated_is_a_condition_of_its_own(self) -> None:
        found = time_filter(
            intent(
                asks("../.."),
            ),
            keep_undated=False,
        )
        assert str(found) == "any time"
        assert postgres_filter(found) == SqlCondition('"time_known" IS TRUE')

    @pytest.mark.parametrize("margin", [-1, float("nan"), float("inf")])
    def test_a_margin_must_be_finite(self, margin: float) -> None:
        with pytest.raises(ConfigError, match="margin_units"):
            time_filter(intent(asks("2016")), margin_units=margin)


class TestStoredTimes:
    def test_several_times_are_stored_as_their_hull(self) -> None:
        times = {"timestamp": (_point("2019-05-06"),), "event": (_point("1969-07"),)}
        record = stored_times([Document(doc_id="a", text="", times=times)])[0]
        assert record == {"time_start": day_number(1969, 7), "time_end": day_number(2019, 5, 6), "time_known": True}

    def test_each_target_has_its_own_fields(self) -> None:
        term = DocumentTime(interval=TimeInterval.parse("1997-05/2007-06"), lasting=True, start_unit=Granularity.MONTH)
        fields = {name: replace(TimeFields.named(name), stored_as="date") for name in ("start", "end", "born")}
        assert stored_times([Document(doc_id="a", text="", times={"validity": (term,)})], fields=fields)[0] == {
            "start_start": date(1997, 5, 1), "start_end": date(1997, 5, 31), "start_known": True,
            "end_start": date(2007, 6, 30), "end_end": date(2007, 6, 30), "end_known": True,
            "born_start": None, "born_end": None, "born_known": False,
        }  # fmt: skip

    def test_what_has_not_ended_ends_after_every_day(self) -> None:
        since = DocumentTime(interval=TimeInterval.parse("1998/.."), lasting=True)
        document = Document(doc_id="a", text="", times={"validity": (since,)})
        fields = {"end": TimeFields.named("ended"), "any": TimeFields(stored_as="date")}
        assert stored_times([document], fields=fields)[0] == {
            "ended_start": 2**31 - 1, "ended_end": None, "ended_known": True,
            "time_start": date(1998, 1, 1), "time_end": None, "time_known": True,
        }  # fmt: skip

    def test_doubtful_times_count_as_unknown(self) -> None:
        document = Document(doc_id="a", text="", times={"event": (_point("1969", confidence=0.2),)})
        assert stored_times([document])[0]["time_known"] is False
        assert stored_times([document], min_confidence=0.2)[0]["time_known"] is True

    def test_open_sides_without_nulls(self) -> None:
        since = DocumentTime(interval=TimeInterval.parse("1970-01-02/.."), lasting=True)
        documents = [Document(doc_id="a", text="", times={"validity": (since,)}), Document(doc_id="b", text="")]
        assert stored_times(documents, nulls=False) == [
            {"time_start": 1, "time_end": OPEN, "time_known": True},
            {"time_start": -OPEN, "time_end": OPEN, "time_known": False},
        ]

    @pytest.mark.parametrize(
        ("stored_as", "zone", "value"),
        [
            ("days", "UTC", 18262),
            ("seconds", "UTC", 18262 * 86_400),
            ("milliseconds", "Europe/Berlin", (18262 * 24 - 1) * 3_600_000),
            ("date", "Europe/Berlin", date(2020, 1, 1)),
            ("datetime", "America/New_York", datetime(2020, 1, 1, 5, tzinfo=UTC)),
        ],
    )
    def test_a_day_is_stored_as_its_first_moment(self, stored_as: Any, zone: str, value: object) -> None:
        fields = TimeFields(stored_as=stored_as, time_zone=zone)
        assert fields.least(18262) == fields.most(18262) == value

    def test_days_that_cannot_be_stored_open_the_side_or_move_to_the_edge(self) -> None:
        fields = TimeFields(stored_as="datetime", time_zone="Pacific/Auckland")
        ancient, far = day_number(-500), day_number(12000)
        assert fields.least(ancient) is None
        assert fields.most(far) is None
        assert fields.least(far) == fields.least(day_number(9999, 12, 30))
        assert fields.most(ancient) == fields.most(day_number(1, 1, 2))
        assert TimeFields(stored_as="milliseconds").least(ancient) == ancient * 86_400_000

    @pytest.mark.parametrize(
        ("make", "message"),
        [
            (lambda: TimeFields(stored_as="years"), "stored_as must be one of days, "),
            (lambda: TimeFields(start=""), "not the name of a field"),
            (lambda: TimeFields(stored_as="tstzrange"), "one field, not two"),
            (lambda: TimeFields(time_zone="Mars/Base"), "Mars/Base"),
            (lambda: stored_times([], fields={"any": TimeFields.at("day")}), "'day' is one field"),
            (lambda: stored_times([], fields={"any": TimeFields(stored_as="date")}, nulls=False), "open side"),
        ],
    )
    def test_bad_fields(self, make: Callable[[], object], message: str) -> None:
        with pytest.raises(ConfigError, match=message):
            make()


def _point(text: str, **options: Any) -> DocumentTime:
    return DocumentTime(interval=TimeInterval.parse(text), **options)


class TestLanguages:
    """The languages that need no client, evaluated by SQLite or by the plain meaning of the query."""

    @examples
    @given(data=st.data(), keep_undated=st.booleans(), margin=st.sampled_from([0.0, 1.0]))
    def test_sql_keeps_what_is_expected(
        self,
        data: st.DataObject,
        keep_undated: bool,
        margin: float,
        documents: list[Document],
        intents: Intents,
        expected: Expected,
        all_fields: Fields,
        table: sqlite3.Connection,
    ) -> None:
        asked = data.draw(intents)
        found = time_filter(asked, fields=all_fields, keep_undated=keep_undated, margin_units=margin)
        kept = [d.doc_id for d, keep in zip(documents, expected(found, documents, all_fields), strict=True) if keep]
        condition = postgres_filter(found) or SqlCondition("true")
        assert _selected(table, condition.sql.replace("%s", "?"), condition.params) == kept
        assert _selected(table, lancedb_filter(found) or "true") == kept

    @examples
    @given(data=st.data(), keep_undated=st.booleans())
    def test_opensearch_keeps_what_is_expected(
        self,
        data: st.DataObject,
        keep_undated: bool,
        documents: list[Document],
        intents: Intents,
        expected: Expected,
        all_fields: Fields,
    ) -> None:
        found = time_filter(data.draw(intents), fields=all_fields, keep_undated=keep_undated)
        query = opensearch_filter(found) or {"match_all": {}}
        assert json.loads(json.dumps(query)) == query
        records = stored_times(documents, fields=all_fields)
        assert [_matches(query, record) for record in records] == expected(found, documents, all_fields)

    def test_own_filters_are_only_tightened(self) -> None:
        found = time_filter(intent(asks("../1970-01-01", Granularity.DAY)), margin_units=0)
        assert (
            lancedb_filter(found, own="a = 1 OR b = 2")
            == "((a = 1 OR b = 2) AND (`time_start` < 1 OR `time_start` IS NULL))"
        )
        assert (
            milvus_filter(found, own="a == 1 or b == 2")
            == "((a == 1 or b == 2) and (time_start < 1 or time_start is null))"
        )
        assert postgres_filter(found, own=SqlCondition("a = %s OR b = 2", ("x",))) == SqlCondition(
            '((a = %s OR b = 2) AND ("time_start" < %s OR "time_start" IS NULL))', ("x", 1)
        )  # fmt: skip
        assert chroma_filter(found, own={"a": 1}) == {
            "$and": [{"a": 1}, {"$or": [{"time_known": {"$ne": True}}, {"time_start": {"$lt": 1}}]}]
        }
        assert opensearch_filter(found, own={"term": {"a": 1}})["bool"]["filter"][0] == {"term": {"a": 1}}
        for compiler, own in [(lancedb_filter, "a = 1"), (milvus_filter, "a == 1")]:
            assert compiler(None, own=own) == f"({own})"
            assert compiler(None) is None

    def test_names_are_quoted(self) -> None:
        fields = {"any": TimeFields.at('t."; DROP %', stored_as="days")}
        found = time_filter(intent(asks("1970/..")), fields=fields)
        assert postgres_filter(found).sql == '("t"."""; DROP %%" >= %s OR "t"."""; DROP %%" IS NULL)'
        with pytest.raises(ConfigError, match="not the name of a Milvus field"):
            milvus_filter(found)
        with pytest.raises(ConfigError, match="backtick"):
            lancedb_filter(time_filter(intent(asks("1970/..")), fields={"any": TimeFields.at("a`b")}))
        nested = {"any": TimeFields.at('meta["day"]', stored_as="days")}
        assert milvus_filter(time_filter(intent(asks("1970-01-11/..")), fields=nested, margin_units=0)).startswith(
            '(meta["day"] >= 10 '
        )

    @pytest.mark.parametrize("compiler", [milvus_filter, chroma_filter])
    def test_a_store_without_dates_says_so(self, compiler: Any) -> None:
        found = time_filter(intent(asks("2016")), fields={"any": TimeFields.at("published")})
        with pytest.raises(
            ConfigError, match="cannot compare 'published' stored as datetime; one of days, milliseconds, seconds"
        ):
            compiler(found)

    def test_chroma_needs_to_be_told_what_is_known(self) -> None:
        found = time_filter(intent(asks("2016")), fields={"any": TimeFields.at("published", stored_as="seconds")})
        with pytest.raises(ConfigError, match="name a boolean field in `known`"):
            chroma_filter(found)

    def test_ranges_are_asked_as_ranges(self) -> None:
        found = time_filter(intent(asks("2016/..")), fields={"any": TimeFields.at("valid", stored_as="daterange")})
        low = date(2014, 12, 31)
        assert postgres_filter(found) == SqlCondition(
            '("valid" && daterange(%s::date, %s::date, \'[)\') OR "valid" IS NULL)', (low, None)
        )
        asked = {"range": {"valid": {"gte": "2014-12-31", "relation": "intersects"}}}
        assert opensearch_filter(found)["bool"]["should"][0] == asked
        with pytest.raises(ConfigError, match="LanceDB cannot compare 'valid' stored as daterange"):
            lancedb_filter(found)

    def test_a_bound_that_no_stored_date_reaches_is_no_condition(self) -> None:
        found = time_filter(intent(asks("-0500/..")), fields={"any": TimeFields.at("published")})
        assert postgres_filter(found) is None
        assert lancedb_filter(time_filter(intent(asks("-0500/..")))) is not None


@pytest.fixture(scope="module")
def table(documents: list[Document], all_fields: Fields) -> sqlite3.Connection:
    records = stored_times(documents, fields=all_fields)
    connection = sqlite3.connect(":memory:")
    connection.execute(f"CREATE TABLE documents (doc_id, {', '.join(records[0])})")
    rows = [[document.doc_id, *record.values()] for document, record in zip(documents, records, strict=True)]
    connection.executemany(f"INSERT INTO documents VALUES ({', '.join('?' * len(rows[0]))})", rows)
    return connection


def _selected(table: sqlite3.Connection, condition: str, params: tuple[Any, ...] = ()) -> list[str]:
    rows = table.execute(f"SELECT doc_id FROM documents WHERE {condition} ORDER BY rowid", params)
    return [doc_id for (doc_id,) in rows]


_COMPARE = {"gte": lambda a, b: a >= b, "lt": lambda a, b: a < b}


def _matches(query: dict[str, Any], record: Mapping[str, Any]) -> bool:
    """What the reference of the query DSL says of the few queries that are used."""
    ((kind, body),) = query.items()
    if kind == "bool":
        should = [_matches(part, record) for part in body.get("should", ())]
        assert body.keys() <= {"filter", "should", "must_not", "minimum_should_match"}
        return (
            all(_matches(part, record) for part in body.get("filter", ()))
            and not any(_matches(part, record) for part in body.get("must_not", ()))
            and sum(should) >= body.get("minimum_should_match", 0)
        )
    if kind == "match_all":
        return True
    ((field, asked),) = body.items()
    if kind == "exists":
        return record.get(asked) is not None
    value = record.get(field)
    if kind == "term":
        return value == asked
    assert kind == "range"
    return value is not None and all(_COMPARE[name](value, bound) for name, bound in asked.items())


class TestOpenSearchScore:
    def test_agrees_with_the_temporal_score_where_the_shapes_meet(self) -> None:
        asked = intent(asks("2016-03-01/2016-03-31", Granularity.MONTH))
        days = [day_number(2016, 3, 9), day_number(2016, 2, 29) - 29, day_number(2016, 4, 30), day_number(1500)]
        documents = [
            Document(doc_id="", text="", times={"event": (DocumentTime(interval=TimeInterval(d, d)),)}) for d in days
        ]
        documents.append(Document(doc_id="", text=""))
        query = opensearch_function_score(time_decays(asked), {"match_all": {}})
        found = np.array([_function_score(query, record) for record in stored_times(documents)])
        exact = temporal_scores(asked, TimeColumns.from_documents(documents))
        np.testing.assert_allclose(found, exact, atol=F / 2 + 1e-3)
        assert found[0] == 1
        assert found[4] == U

    def test_targets_multiply(self) -> None:
        fields = {**DEFAULT_FIELDS, "born": TimeFields.named("born")}
        decays = time_decays(intent(asks("2016"), asks("1990", target="born")), fields=fields)
        query = opensearch_function_score(decays, {"match_all": {}})
        record = {"time_start": day_number(2016), "time_end": day_number(2016), "time_known": True}
        assert _function_score(query, record) == U  # inside, and not known when born

    def test_what_it_cannot_score(self) -> None:
        asked = intent(asks("2016", relation=AllenRelation.BEFORE), asks("1990", target="born"))
        assert time_decays(asked) == ()
        assert opensearch_function_score((), {"match_all": {}}) == {"match_all": {}}
        ranges = time_decays(intent(asks("2016")), fields={"any": TimeFields.at("valid", stored_as="daterange")})
        with pytest.raises(ConfigError, match="no distance to a daterange"):
            opensearch_function_score(ranges, {"match_all": {}})

    def test_dates_decay_by_the_hour(self) -> None:
        decays = time_decays(intent(asks("2016")), fields={"any": TimeFields.at("published")})
        functions = opensearch_function_score(decays, {"match_all": {}})["function_score"]["functions"]
        shape = {"origin": "2016-12-31T00:00:00+00:00", "scale": "8766h", "decay": 0.5}
        assert functions[-1]["exp"] == {"published": shape}


def _function_score(query: dict[str, Any], record: Mapping[str, Any]) -> float:
    """The score that the reference of function_score describes, for a query that scores 1."""
    if "function_score" not in query:
        return 1.0
    body = query["function_score"]
    assert (body["score_mode"], body["boost_mode"]) == ("max", "multiply")
    values = []
    for function in body["functions"]:
        if "filter" not in function or _matches(function["filter"], record):
            value = function["weight"]
            for field, shape in function.get("exp", {}).items():
                distance = abs(record[field] - shape["origin"])
                value *= np.exp(np.log(shape["decay"]) / shape["scale"] * distance)
            values.append(value)
    return max(values) * _function_score(body["query"], record)


@pytest.mark.parametrize(("module", "compiler"), [("qdrant", "qdrant_filter"), ("weaviate", "weaviate_filter")])
def test_a_missing_client_is_named(module: str, compiler: str, monkeypatch: pytest.MonkeyPatch) -> None:
    package = {"qdrant": "qdrant_client", "weaviate": "weaviate.classes.query"}[module]
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(MissingExtraError, match=rf'pip install "qtie\[{module}\]"'):
        getattr(import_module(f"qtie.retrieval.filters.{module}"), compiler)(time_filter(intent(asks("2016"))))


def test_the_guide_runs() -> None:
    guide = Path(__file__).parents[3] / "docs" / "filters.md"
    result = doctest.testfile(str(guide), module_relative=False, optionflags=doctest.NORMALIZE_WHITESPACE)
    assert result.attempted > 10
    assert result.failed == 0
