"""MCP: reading a query's time, re-ranking and searching as tools for language models."""

from collections.abc import Callable
from functools import wraps
from importlib.metadata import version
from typing import Annotated, Any, Literal, ParamSpec, TypeVar

from qtie.errors import QtieError, require

require("mcp", extra="mcp")

from mcp.server import MCPServer
from mcp.server.mcpserver.exceptions import ToolError
from mcp.types import ToolAnnotations
from pydantic import Field

from qtie.intent import TemporalIntent
from qtie.ranking import RankedDocument, Ranking
from qtie.service.engine import Engine
from qtie.service.options import Limits
from qtie.service.requests import DocumentObject, IntentRequest, RerankRequest, SearchRequest, checked

__all__ = ["make_server"]

Arguments = ParamSpec("Arguments")
Result = TypeVar("Result")

_INSTRUCTIONS = """Tools for questions that ask about a time ("in 2019", "before the 1990s", "latest", "last year").
Use `search` to find documents, `rerank` to order documents that you already have, and `extract_intent` to learn which \
days a question is about. Days are given as ISO intervals with both ends included; `..` is an open side."""
_READS_ONLY = ToolAnnotations(read_only_hint=True, idempotent_hint=True, open_world_hint=False)
_SHOWN_CHARS = 1_000
_DEFAULT = Limits()

Query = Annotated[str, Field(description="The question in the user's own words, with its words about time.")]
Day = Annotated[
    str | None,
    Field(
        description="The day on which the question is asked, YYYY-MM-DD: what 'last year' counts from. Default: today."
    ),
]
Interval = Annotated[
    str | None,
    Field(description="Days to ask for besides what the question says: '2019', '2019-03/2019-06' or '2015/..'."),
]
Mode = Annotated[
    Literal["soft", "strict"], Field(description="soft: a wrong time lowers a document; strict: it removes it.")
]
Documents = Annotated[
    list[str | DocumentObject],
    Field(
        description="Best first, or with a `score` each. An object's `timestamp` (or `valid_from` and `valid_to`) says "
        "when it is from or about, such as '2019' or '2019-03-05'; a text alone is dated by what it says."
    ),
]


def make_server(engine: Engine, *, limits: Limits = _DEFAULT) -> MCPServer:
    """The server with its three tools; `run()` speaks over stdin and stdout.

    Args:
        engine: what ranks, and what is searched.
        limits: of the tools' arguments, as over HTTP.
    """
    server = MCPServer("qtie", version=version("qtie"), instructions=_INSTRUCTIONS, log_level="WARNING")

    def extract_intent(query: Query, reference_date: Day = None) -> dict[str, Any]:
        """Which days a question asks about, and the words that say so; `asks_for_time` is false if there are none."""
        return _asked(engine.intent(checked(IntentRequest, _given(query=query, reference_date=reference_date), limits)))

    def rerank(
        query: Query, documents: Documents, reference_date: Day = None, interval: Interval = None, mode: Mode = "soft",
        top_n: Annotated[int | None, Field(ge=1, description="How many to return. Default: all.")] = None,
    ) -> dict[str, Any]:  # fmt: skip
        """Order documents by how well both their topic and their time fit a question, best first.

        `index` is a document's position in the list that was given, from 0.
        """
        given = _given(query=query, documents=documents, reference_date=reference_date, interval=interval, mode=mode)
        ranking, warnings = engine.rerank(checked(RerankRequest, {**given, "missing": "estimate"}, limits))
        results = [{"index": int(ranked.doc_id), **_reasons(ranked)} for ranked in ranking[:top_n]]
        return {"asked": _asked(ranking.intent), "results": results, "notes": [*ranking.notes, *warnings]}

    def search(
        query: Query, k: Annotated[int, Field(ge=1, le=100, description="How many documents to return.")] = 5,
        reference_date: Day = None, interval: Interval = None, mode: Mode = "soft",
    ) -> dict[str, Any]:  # fmt: skip
        """Find documents by topic and time, best first."""
        given = _given(query=query, k=k, reference_date=reference_date, interval=interval, mode=mode)
        ranking = engine.search(checked(SearchRequest, given, limits))
        return {"asked": _asked(ranking.intent), "results": _found(ranking), "notes": list(ranking.notes)}

    searched = f"Find documents in {engine.source.name} by topic and time, best first." if engine.source else None
    for tool, description in ((extract_intent, None), (rerank, None), (search, searched)):
        if tool is not search or engine.source:
            server.add_tool(_told(tool), description=description, annotations=_READS_ONLY)
    return server


def _told(tool: Callable[Arguments, Result]) -> Callable[Arguments, Result]:
    """The tool, its errors told to the model."""

    @wraps(tool)
    def telling(*args: Arguments.args, **kwargs: Arguments.kwargs) -> Result:
        try:
            return tool(*args, **kwargs)
        except QtieError as error:
            raise ToolError(str(error)) from None

    return telling


def _given(**arguments: Any) -> dict[str, Any]:
    return {name: value for name, value in arguments.items() if value is not None}


def _asked(intent: TemporalIntent) -> dict[str, Any]:
    """What a model needs of an intent."""
    return {
        "asks_for_time": intent.is_temporal,
        "intervals": [str(interval) for interval in intent.intervals],
        "preference": intent.preference,
        "words": [intent.query[start:end] for start, end in intent.spans],
        "topic": intent.semantic_query,
        "reference_date": None if intent.reference_date is None else intent.reference_date.isoformat(),
    }


def _reasons(ranked: RankedDocument) -> dict[str, Any]:
    return {
        "score": round(ranked.score, 4),
        "time": None if ranked.time is None else str(ranked.time),
        "relation": str(ranked.relation),
        "temporal_score": round(ranked.temporal_score, 4),
    }


def _found(ranking: Ranking) -> list[dict[str, Any]]:
    return [
        {
            "doc_id": ranked.doc_id,
            "title": ranked.document.title,
            "text": ranked.document.text[:_SHOWN_CHARS],
            **_reasons(ranked),
        }
        for ranked in ranking
    ]
