"""The OpenAPI document's part about bodies: requests from their models, replies and errors by name."""

from typing import Any

from qtie.service.requests import IntentRequest

__all__ = ["METRICS", "request_body", "responses"]

_ID = {"type": "string", "description": "As in the header X-Request-ID and in the logs."}
_TEMPORAL = {
    "type": "object",
    "description": "Why a document stands where it does.",
    "required": ["time", "relation", "semantic_score", "temporal_score", "rank", "rank_before"],
    "properties": {
        "time": {"type": ["string", "null"], "description": "The time that was compared, as EDTF; null: it has none."},
        "relation": {"type": "string", "description": "Allen relation to the asked interval, or unknown."},
        "semantic_score": {"type": "number"},
        "temporal_score": {"type": "number"},
        "rank": {"type": "integer", "minimum": 1},
        "rank_before": {"type": "integer", "minimum": 1},
    },
}
_INTENT = {
    "type": "object",
    "description": "What time the query asks for, days with both ends included.",
    "required": ["query", "interval", "intervals", "constraints", "preference", "is_temporal", "spans"],
    "properties": {
        "query": {"type": "string"},
        "interval": {"type": ["object", "null"], "description": "The hull: start and end, null for an open side."},
        "intervals": {"type": "array", "items": {"type": "string"}},
        "constraints": {"type": "array", "items": {"type": "object"}},
        "preference": {"enum": ["latest", "earliest", None]},
        "is_temporal": {"type": "boolean"},
        "spans": {"type": "array", "items": {"type": "array", "items": {"type": "integer"}}},
    },
}
_META = {"type": "object", "required": ["intent", "method", "notes", "warnings"], "properties": {"intent": _INTENT}}


def _list_of(**properties: Any) -> dict[str, Any]:
    return {"type": "array", "items": {"type": "object", "required": list(properties), "properties": properties}}


_RERANKED = {
    "type": "object",
    "required": ["id", "model", "results", "meta"],
    "properties": {
        "id": _ID,
        "model": {"type": "string"},
        "results": _list_of(index={"type": "integer"}, relevance_score={"type": "number"}, temporal=_TEMPORAL),
        "meta": _META,
    },
}
_FOUND = {
    "type": "object",
    "required": ["id", "results", "meta"],
    "properties": {
        "id": _ID,
        "results": _list_of(
            doc_id={"type": "string"}, score={"type": "number"}, text={"type": "string"}, temporal=_TEMPORAL
        ),
        "meta": _META,
    },
}
REPLIES: dict[str, Any] = {
    "intent": _INTENT,
    "search": _FOUND,
    "rerank": _RERANKED,
    "rerank or texts": {"anyOf": [_RERANKED, _list_of(index={"type": "integer"}, score={"type": "number"})]},
    "object": {"type": "object"},
}
_ERROR = {
    "type": "object",
    "required": ["id", "message", "path"],
    "properties": {
        "id": _ID,
        "message": {"type": "string"},
        "path": {"type": ["string", "null"], "description": "The field that is wrong, such as documents[3].text."},
    },
}
_ERRORS = {
    400: "The body is not JSON.",
    401: "The bearer token is missing or wrong.",
    404: "There is no such path, or nothing to search.",
    408: "The request or its answer took too long.",
    413: "The body, a text or the number of documents is over a limit.",
    422: "A field is wrong; `path` names it.",
    429: "Too many requests at a time.",
    502: "The upstream re-ranker or the extractor gives no usable answer.",
    503: "The store cannot be read.",
    504: "The upstream re-ranker is too slow.",
}


def request_body(*models: type[IntentRequest]) -> dict[str, Any]:
    """The part of an operation that says what one of the models takes.

    Example:
        >>> body = request_body(IntentRequest)["requestBody"]["content"]["application/json"]
        >>> body["schema"]["required"]
        ['query']
    """
    schemas = [_inlined(model.model_json_schema()) for model in models]
    schema = schemas[0] if len(schemas) == 1 else {"oneOf": schemas}
    return {"requestBody": {"required": True, "content": {"application/json": {"schema": schema}}}}


METRICS: dict[int | str, Any] = {
    200: {"description": "Numbers.", "content": {"text/plain": {"schema": {"type": "string"}}}}
}
"""The answer of the route for Prometheus."""


def responses(reply: str, *, errors: bool = True) -> dict[int | str, Any]:
    """The answers of a route: that reply, and the errors of those that take a body."""
    answers = {200: ("The answer.", REPLIES[reply])}
    if errors:
        answers |= {status: (said, _ERROR) for status, said in _ERRORS.items()}
    return {
        status: {"description": said, "content": {"application/json": {"schema": schema}}}
        for status, (said, schema) in answers.items()
    }


def _inlined(schema: dict[str, Any]) -> dict[str, Any]:
    """The schema with its definitions in the places that refer to them."""
    definitions = schema.pop("$defs", {})

    def resolved(part: Any) -> Any:
        if isinstance(part, dict):
            name = str(part.get("$ref", "")).removeprefix("#/$defs/")
            return resolved(definitions[name]) if name else {key: resolved(value) for key, value in part.items()}
        return [resolved(item) for item in part] if isinstance(part, list) else part

    inlined: dict[str, Any] = resolved(schema)
    return inlined
