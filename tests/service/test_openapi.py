"""The OpenAPI document, and requests that schemathesis makes from it, good and bad: each is answered as it says."""

import pytest
from hypothesis import HealthCheck, settings

pytest.importorskip("fastapi", reason="needs qtie[serve]")
pytest.importorskip("schemathesis", reason="comes with make test-service")

import schemathesis
from schemathesis import Case, GenerationMode
from schemathesis.checks import (
    ensure_resource_availability,
    ignored_auth,
    missing_required_header,
    positive_data_acceptance,
    use_after_free,
)
from starlette.testclient import TestClient

from qtie.reranker import TemporalReranker
from qtie.service.app import create_app
from qtie.service.engine import Engine, sample_source
from qtie.tie.grammar import GrammarExtractor

NOT_SAID = [
    positive_data_acceptance,  # JSON Schema cannot say that there are as many scores as documents, or what a date is
    ensure_resource_availability, ignored_auth, missing_required_header, use_after_free,  # there is no such thing
]  # fmt: skip


def application() -> object:
    from datetime import date

    reranker = TemporalReranker(GrammarExtractor())
    return create_app(Engine(reranker, source=sample_source(reranker), today=lambda: date(2025, 6, 15)))


schema = schemathesis.openapi.from_asgi("/openapi.json", application())


def test_it_describes_every_route_and_every_field(client: TestClient) -> None:
    document = client.get("/openapi.json").json()
    routes = {"/rerank", "/v1/rerank", "/v2/rerank", "/search", "/intent", "/health", "/ready", "/metrics"}
    assert routes <= set(document["paths"])
    body = document["paths"]["/v2/rerank"]["post"]["requestBody"]["content"]["application/json"]["schema"]
    extensions = {"scores", "timestamps", "reference_date", "mode", "missing", "explain", "interval", "intent"}
    assert extensions <= set(body["properties"])
    assert body["additionalProperties"] is False
    assert body["required"] == ["query", "documents"]


@schema.parametrize()
@settings(max_examples=25, deadline=None, suppress_health_check=list(HealthCheck), database=None, derandomize=True)
def test_answers_are_as_described(case: Case) -> None:
    case.call_and_validate(excluded_checks=NOT_SAID)


@schema.include(path="/intent").parametrize()
@settings(max_examples=25, deadline=None, suppress_health_check=list(HealthCheck), database=None, derandomize=True)
def test_every_query_can_be_read(case: Case) -> None:
    if case.meta is None or case.meta.generation.mode is not GenerationMode.POSITIVE:
        return
    response = case.call()
    assert response.status_code in (200, 422)  # 422: a day that is none
