"""Spans, where OpenTelemetry is installed: a ranking and the reading of its query, and no text in them."""

from contextlib import contextmanager
from typing import Any

import pytest

pytest.importorskip("fastapi", reason="needs qtie[serve]")

from starlette.testclient import TestClient

from qtie.service import telemetry

SECRET = "the private words of a client"


class Tracer:
    """As much of a tracer as is asked for: it keeps the spans' paths and attributes."""

    def __init__(self) -> None:
        self.open: list[str] = []
        self.spans: list[tuple[str, dict[str, Any]]] = []

    @contextmanager
    def start_as_current_span(self, name: str, *, attributes: dict[str, Any]) -> Any:
        self.open.append(name)
        self.spans.append((" > ".join(self.open), attributes))
        yield
        self.open.pop()


def test_a_ranking_is_a_span_with_its_intent_in_it(client: TestClient, monkeypatch: pytest.MonkeyPatch) -> None:
    tracer = Tracer()
    monkeypatch.setattr(telemetry, "_TRACER", tracer)
    client.post("/rerank", json={"query": f"{SECRET} in 2011", "documents": [SECRET, "b"]})
    client.post("/search", json={"query": f"{SECRET} in 2012"})
    assert tracer.spans == [
        ("qtie.rerank", {"n_documents": 2}),
        ("qtie.rerank > qtie.intent", {}),
        ("qtie.rerank", {"n_documents": 451}),
        ("qtie.rerank > qtie.intent", {}),
    ]


def test_without_it_nothing_happens(client: TestClient, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(telemetry, "_TRACER", None)
    assert client.post("/rerank", json={"query": "in 2013", "documents": ["a"]}).status_code == 200


def test_the_spans_of_the_real_thing(client: TestClient, monkeypatch: pytest.MonkeyPatch) -> None:
    sdk = pytest.importorskip("opentelemetry.sdk.trace", reason="comes with make test-service")
    from opentelemetry.sdk.trace.export import SimpleSpanProcessor
    from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

    exporter, provider = InMemorySpanExporter(), sdk.TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    monkeypatch.setattr(telemetry, "_TRACER", provider.get_tracer("qtie"))
    client.post("/rerank", json={"query": f"{SECRET} in 2014", "documents": [SECRET]})
    intent, rerank = exporter.get_finished_spans()
    assert (rerank.name, intent.name) == ("qtie.rerank", "qtie.intent")
    assert intent.parent.span_id == rerank.context.span_id
    assert SECRET not in rerank.to_json() + intent.to_json()
