"""The dialects of Cohere, Jina, vLLM and TEI, asked by the real SDK and by clients shaped like theirs."""

from typing import Any

import pytest

pytest.importorskip("fastapi", reason="needs qtie[serve]")

import httpx

cohere = pytest.importorskip("cohere", reason="comes with make test-service")


QUERY = "who led the ministry in 2016"
TEXTS = ["Elke Brandt leads the ministry.", "Jonas Weber takes over the ministry."]
DATES = ["2019-05-06", "2016-03-14"]
SCORES = [0.82, 0.74]


def test_cohere_v2(server: Any) -> None:
    extra: Any = {"additional_body_parameters": {"timestamps": DATES, "scores": SCORES}}
    with cohere.ClientV2(api_key="unused", base_url=server.url) as client:
        reply = client.rerank(model="rerank-v3.5", query=QUERY, documents=TEXTS, top_n=1, request_options=extra)
    assert [result.index for result in reply.results] == [1]
    assert 0 < reply.results[0].relevance_score <= 1
    assert reply.id
    assert reply.meta.api_version.version == "2"
    assert reply.meta.intent["intervals"] == ["2016-01-01/2016-12-31"]
    assert reply.results[0].temporal["time"] == "2016-03-14/2016-03-14"


def test_cohere_v1(server: Any) -> None:
    documents: Any = [{"text": text, "timestamp": day} for text, day in zip(TEXTS, DATES, strict=True)]
    with cohere.Client(api_key="unused", base_url=server.url) as client:
        reply = client.rerank(query=QUERY, documents=documents, return_documents=True, max_chunks_per_doc=3)
    assert [result.index for result in reply.results] == [1, 0]
    assert [result.document.text for result in reply.results] == [TEXTS[1], TEXTS[0]]
    assert reply.meta.api_version.version == "1"


def test_cohere_errors_have_status_and_path(server: Any) -> None:
    client = cohere.ClientV2(api_key="unused", base_url=server.url)
    with client, pytest.raises(cohere.core.ApiError) as caught:
        client.rerank(model="m", query=QUERY, documents=["a", 3])  # type: ignore[list-item]
    assert caught.value.status_code == 422
    assert caught.value.body["path"] == "documents[1]"


@pytest.mark.parametrize("path", ["/v1/rerank", "/rerank", "/v2/rerank"])
def test_jina_and_vllm(server: Any, path: str) -> None:
    body = {
        "model": "jina-reranker-v2-base-multilingual",
        "query": QUERY,
        "documents": [{"text": text, "timestamp": day} for text, day in zip(TEXTS, DATES, strict=True)],
        "top_n": 2,
        "return_documents": True,
        "truncation": True,
        "truncate_prompt_tokens": 512,
    }
    reply = httpx.post(server.url + path, json=body, headers={"Authorization": "Bearer unused"}).json()
    assert reply["model"] == body["model"]
    assert [result["index"] for result in reply["results"]] == [1, 0]
    assert reply["results"][0]["document"] == {"text": TEXTS[1]}
    scores = [result["relevance_score"] for result in reply["results"]]
    assert scores == sorted(scores, reverse=True)


def test_tei(server: Any) -> None:
    body = {"query": QUERY, "texts": TEXTS, "raw_scores": False, "truncate": True, "return_text": True}
    rows = httpx.post(f"{server.url}/rerank", json={**body, "timestamps": DATES}).json()
    assert [row["index"] for row in rows] == [1, 0]
    assert [row["text"] for row in rows] == [TEXTS[1], TEXTS[0]]
    assert all(row.keys() == {"index", "score", "text"} for row in rows)


def test_texts_are_of_one_path_only(server: Any) -> None:
    reply = httpx.post(f"{server.url}/rerank", json={"query": QUERY, "texts": ["a"], "documents": ["a"]})
    assert (reply.status_code, reply.json()["path"]) == (422, "documents")
