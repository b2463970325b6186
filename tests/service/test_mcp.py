"""The tools, called by the real client: over stdin and stdout as assistants do, and over HTTP."""

import asyncio
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("mcp.server.mcpserver", reason="needs qtie[mcp]")

from mcp import Client
from mcp.client.stdio import StdioServerParameters, stdio_client

COMMAND = ["-c", "from qtie.cli import main; main()", "mcp", "--extractor", "grammar"]
CORPUS = Path(__file__).parents[2] / "qtie" / "sample" / "corpus.jsonl"
TEXTS = ["Budget of 9 May 2016 passed.", "Budget of 12 May 2019 passed."]


async def ask(transport: Any, *calls: tuple[str, dict[str, Any]]) -> tuple[dict[str, Any], list[Any]]:
    async with Client(transport) as client:
        tools = {tool.name: tool for tool in (await client.list_tools()).tools}
        return tools, [await client.call_tool(name, arguments) for name, arguments in calls]


def over_stdio(*calls: tuple[str, dict[str, Any]]) -> tuple[dict[str, Any], list[Any]]:
    server = StdioServerParameters(command=sys.executable, args=[*COMMAND, str(CORPUS)], env=dict(os.environ))
    return asyncio.run(asyncio.wait_for(ask(stdio_client(server), *calls), 120))


@pytest.fixture(scope="module")
def answers() -> tuple[dict[str, Any], list[Any]]:
    day = {"reference_date": "2025-06-15"}
    return over_stdio(
        ("extract_intent", {"query": "who led the ministry last year", **day}),
        ("rerank", {"query": "budget in 2019", "documents": TEXTS, "top_n": 1}),
        ("rerank", {"query": "news", "documents": [{"text": "a", "timestamp": "2001"}, "b"], "interval": "2001"}),
        ("search", {"query": "Python release as of June 2020", "k": 1, **day}),
        ("search", {"query": "Python release", "reference_date": "yesterday"}),
        ("rerank", {"query": "budget in 2019", "documents": [{"text": "a", "timestamp": "soon"}]}),
        ("rerank", {"query": "budget in 2019", "documents": [7]}),
        ("extract_intent", {"query": "room 2099"}),
    )


def test_schemas_say_what_a_model_must_know(answers: tuple[dict[str, Any], list[Any]]) -> None:
    tools, _ = answers
    assert set(tools) == {"extract_intent", "rerank", "search"}
    for tool in tools.values():
        assert tool.description
        assert tool.annotations.read_only_hint
        assert "query" in tool.input_schema["required"]
        for name, schema in tool.input_schema["properties"].items():
            assert schema.get("description"), f"{tool.name}: {name}"
    assert set(tools["rerank"].input_schema["properties"]["mode"]["enum"]) == {"soft", "strict"}
    assert "corpus.jsonl" in tools["search"].description


def test_the_tools_answer(answers: tuple[dict[str, Any], list[Any]]) -> None:
    intent, ranked, within, found, *_ = (answer.structured_content for answer in answers[1])
    assert intent["intervals"] == ["2024-01-01/2024-12-31"]
    assert intent["words"] == ["last year"]
    assert [result["index"] for result in ranked["results"]] == [1]
    assert ranked["results"][0]["time"] == "2019-05-12/2019-05-12"
    assert within["results"][0]["index"] == 0
    assert found["results"][0]["doc_id"] == "python-3-8"
    assert answers[1][-1].structured_content["asks_for_time"] is False


def test_mistakes_are_told_to_the_model(answers: tuple[dict[str, Any], list[Any]]) -> None:
    day, stamp, kind = answers[1][4:7]
    for answer, said in ((day, "reference_date"), (stamp, "documents[0].timestamp"), (kind, "documents")):
        assert answer.is_error
        assert said in answer.content[0].text


def test_over_http(tmp_path: Path) -> None:
    log = tmp_path / "stderr"
    with log.open("wb") as stderr:
        server = subprocess.Popen(
            [sys.executable, *COMMAND, "--http", "--port", "0", "--token", "s3cret"], stderr=stderr
        )
    try:
        url = asyncio.run(_address(log))
        import httpx2
        from mcp.client.streamable_http import streamable_http_client

        async def authorized() -> Any:
            async with httpx2.AsyncClient(headers={"Authorization": "Bearer s3cret"}) as client:
                return await ask(
                    streamable_http_client(url, http_client=client), ("extract_intent", {"query": "won in 1905"})
                )

        _, (intent,) = asyncio.run(asyncio.wait_for(authorized(), 60))
        assert intent.structured_content["intervals"] == ["1905-01-01/1905-12-31"]
        assert httpx2.post(url, json={}).status_code == 401
    finally:
        server.terminate()
        server.wait(30)
    assert "1905" not in log.read_text(encoding="utf-8")


async def _address(log: Path) -> str:
    for _ in range(600):
        text = log.read_text(encoding="utf-8")
        if "startup complete" in text and (found := re.search(r"listening on (\S+)", text)):
            return found[1]
        await asyncio.sleep(0.1)
    raise RuntimeError(log.read_text(encoding="utf-8"))
