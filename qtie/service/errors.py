"""Errors as answers: one body for all of them, `{id, message, path}`, and never a text of the request's documents."""

import logging
from collections.abc import Callable, Coroutine, Mapping
from traceback import extract_tb
from typing import Any

from pydantic_core import to_json
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from qtie.errors import QtieError, ServiceError, StoreError

__all__ = ["HANDLERS", "error_response", "json_response", "unforeseen"]

logger = logging.getLogger("qtie.service")
_HEADERS = {
    401: {"WWW-Authenticate": "Bearer"},
    408: {"Connection": "close"},  # what is still on the line is not read
    413: {"Connection": "close"},
    429: {"Retry-After": "1"},
}


def json_response(value: Any, *, status: int = 200, headers: Mapping[str, str] | None = None) -> Response:
    """The value as JSON."""
    return Response(to_json(value), status_code=status, media_type="application/json", headers=headers)


def error_response(error: ServiceError, request_id: str, *, headers: Mapping[str, str] | None = None) -> Response:
    """The answer that says what is wrong with a request."""
    body = {"id": request_id, "message": str(error), "path": error.path}
    return json_response(body, status=error.status, headers=headers or _HEADERS.get(error.status))


def unforeseen(error: Exception, request_id: str) -> ServiceError:
    """A fault of ours: its kind and place go to the log, nothing of it to the client."""
    frame = extract_tb(error.__traceback__)[-1]
    fields = {"request_id": request_id, "error": type(error).__name__, "place": f"{frame.filename}:{frame.lineno}"}
    logger.error("failed", extra={"fields": fields})
    return ServiceError("an error of the service; its log has this id", status=500)


async def _on_qtie_error(request: Request, error: QtieError) -> Response:
    """What the library refuses is the request's fault, unless the store is at fault."""
    if not isinstance(error, ServiceError):
        error = ServiceError(str(error), status=503 if isinstance(error, StoreError) else 422)
    return error_response(error, request.state.request_id)


async def _on_http_error(request: Request, error: HTTPException) -> Response:
    """An unknown path, or a method that it does not know."""
    known = ServiceError(error.detail.lower(), status=error.status_code)
    return error_response(known, request.state.request_id, headers=error.headers)


HANDLERS: dict[int | type[Exception], Callable[[Request, Any], Coroutine[Any, Any, Response]]] = {
    QtieError: _on_qtie_error,
    HTTPException: _on_http_error,
}
"""What answers an exception of a route."""
