"""The guard before every route: request ids, the bearer token, limits of size, time and number, metrics and logs."""

import asyncio
import logging
import re
import time
from collections.abc import Callable, MutableMapping
from hmac import compare_digest
from typing import Any
from uuid import uuid4

from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from qtie.errors import ServiceError
from qtie.service.errors import error_response, unforeseen
from qtie.service.metrics import Metrics
from qtie.service.options import ServiceOptions

__all__ = ["Guard"]

logger = logging.getLogger("qtie.service")
_REQUEST_ID = re.compile(r"[\w.:-]{1,80}", re.ASCII)
_WITHOUT_BODY = ("GET", "HEAD")
_DRAINED_BODIES = 10
"""How many times the largest body is taken off the line, so that the client reads why it is refused."""


class Guard:
    """Lets through what the options allow, and answers the rest itself; one instance a service.

    Args:
        app: what is guarded.
        options: the token and the limits.
        metrics: where answers are counted.
        is_public: whether a path needs no token; by default all need it.
    """

    def __init__(
        self,
        app: ASGIApp,
        *,
        options: ServiceOptions,
        metrics: Metrics,
        is_public: Callable[[str], bool] = lambda _: False,
    ) -> None:
        self.app, self.options, self.metrics, self.is_public = app, options, metrics, is_public
        self.n_in_flight = 0

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """ASGI."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        started = time.perf_counter()
        request_id = _request_id(Headers(scope=scope))
        scope.setdefault("state", {}).update(request_id=request_id, log={})
        status = 499  # as web servers log a client that left

        async def numbered(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                MutableHeaders(scope=message)["X-Request-ID"] = request_id
            await send(message)

        self.metrics.in_flight.inc()
        try:
            await self._answer(scope, receive, numbered)
        finally:
            self.metrics.in_flight.dec()
            self._report(scope, status, time.perf_counter() - started)

    async def _answer(self, scope: Scope, receive: Receive, send: Send) -> None:
        request_id, asks = scope["state"]["request_id"], 0
        try:
            body = await self._admitted(scope, Headers(scope=scope), receive)
            asks = int(scope["method"] not in _WITHOUT_BODY)  # a stream that stays open is no work
            self.n_in_flight += asks
            await self.app(scope, body, send)
        except ServiceError as error:
            await error_response(error, request_id)(scope, receive, send)
        except _ClientLeftError:
            pass
        except Exception as error:  # whatever it is, the client gets an answer and the log no text
            await error_response(unforeseen(error, request_id), request_id)(scope, receive, send)
        finally:
            self.n_in_flight -= asks

    async def _admitted(self, scope: Scope, headers: Headers, receive: Receive) -> Receive:
        """What gives the request's whole body, once it is here."""
        limits = self.options.limits
        self._check_token(scope["path"], headers)
        if scope["method"] in _WITHOUT_BODY:
            return receive
        try:
            async with asyncio.timeout(limits.timeout_seconds):
                body = await _whole_body(headers, receive, limits.max_body_bytes)
        except TimeoutError:
            raise ServiceError(f"the body did not arrive within {limits.timeout_seconds:g} s", status=408) from None
        if self.n_in_flight >= limits.max_in_flight:  # those whose body still comes in do not count
            raise ServiceError(f"{limits.max_in_flight} requests are being worked on; ask again", status=429)
        return _replayed(body, receive)

    def _check_token(self, path: str, headers: Headers) -> None:
        token = self.options.token
        if token is None or self.is_public(path):
            return
        scheme, _, given = headers.get("authorization", "").partition(" ")
        if scheme.lower() != "bearer" or not compare_digest(given.strip().encode("latin-1"), token.encode()):
            raise ServiceError("the bearer token is missing or wrong", status=401)

    def _report(self, scope: Scope, status: int, seconds: float) -> None:
        route = getattr(scope.get("route"), "path", "unmatched")
        self.metrics.answered(route, status, seconds)
        state: MutableMapping[str, Any] = scope["state"]
        fields = {"request_id": state["request_id"], "method": scope["method"], "route": route, "status": status}
        logger.info("answered", extra={"fields": {**fields, "ms": round(1000 * seconds, 2), **state["log"]}})


class _ClientLeftError(Exception):
    """The client hung up before its request was complete."""


def _request_id(headers: Headers) -> str:
    given = headers.get("x-request-id", "")
    return given if _REQUEST_ID.fullmatch(given) else uuid4().hex


async def _whole_body(headers: Headers, receive: Receive, max_bytes: int) -> bytes:
    too_large = ServiceError(f"the body is larger than {max_bytes:,} bytes", status=413)
    announced = headers.get("content-length", "")
    if announced.isdecimal() and int(announced) > max_bytes and "expect" in headers:
        raise too_large  # the client waits for a word before it sends
    chunks: list[bytes] = []
    n_bytes, more = 0, True
    while more:
        message = await receive()
        if message["type"] == "http.disconnect":
            raise _ClientLeftError
        chunk, more = message.get("body", b""), message.get("more_body", False)
        n_bytes += len(chunk)
        if n_bytes > _DRAINED_BODIES * max_bytes:
            raise too_large
        if n_bytes > max_bytes:
            chunks.clear()
        else:
            chunks.append(chunk)
    if n_bytes > max_bytes:
        raise too_large
    return b"".join(chunks)


def _replayed(body: bytes, receive: Receive) -> Receive:
    """Gives the body, then what the connection gives."""
    waiting = [body]

    async def replay() -> Message:
        return {"type": "http.request", "body": waiting.pop(), "more_body": False} if waiting else await receive()

    return replay
