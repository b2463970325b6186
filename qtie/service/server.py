"""The process: one socket, uvicorn on it, connections that must ask in time, and logs as JSON lines."""

import asyncio
import json
import logging
import math
import os
import socket
from typing import Any

from qtie.errors import ConfigError, require
from qtie.service.options import Limits

require("uvicorn", extra="serve")

import uvicorn
from starlette.types import ASGIApp
from uvicorn.protocols.http.h11_impl import H11Protocol

__all__ = ["bind", "log_to_stderr", "serve"]

_KEEP_ALIVE_SECONDS = 75
_REFUSAL = b"HTTP/1.1 408 Request Timeout\r\nConnection: close\r\nContent-Length: 0\r\n\r\n"


def bind(host: str, port: int) -> socket.socket:
    """A listening socket; port 0 takes a free one.

    Raises:
        ConfigError: the address is not this machine's, or in use.

    Example:
        >>> with bind("127.0.0.1", 0) as free:
        ...     free.getsockname()[0]
        '127.0.0.1'
    """
    try:
        family, *_, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)[0]
        listening = socket.create_server(address[:2], family=family, backlog=2048)
    except (OSError, OverflowError, UnicodeError) as error:
        number = getattr(error, "errno", None)
        reason = os.strerror(number) if number and number > 0 else str(error)
        raise ConfigError(f"cannot listen on {host}:{port}: {reason}") from error
    listening.setsockopt(
        socket.IPPROTO_TCP, socket.TCP_NODELAY, 1
    )  # else a kept connection waits 40 ms for each answer
    return listening


def serve(app: ASGIApp, listening: socket.socket, *, limits: Limits) -> None:
    """Answer on the socket until SIGTERM or SIGINT; what is being answered then is finished first."""
    protocol = type("Protocol", (_PromptProtocol,), {"header_seconds": limits.header_seconds})
    config = uvicorn.Config(
        app, http=protocol, ws="none", lifespan="on", log_config=None, access_log=False, server_header=False,
        proxy_headers=False, timeout_keep_alive=_KEEP_ALIVE_SECONDS,
        timeout_graceful_shutdown=math.ceil(limits.timeout_seconds),
    )  # fmt: skip
    uvicorn.Server(config).run(sockets=[listening])


class _PromptProtocol(H11Protocol):
    """uvicorn's protocol, closing connections that send no whole request head in time (slow loris)."""

    header_seconds: float
    _deadline: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override, unused-ignore]
        super().connection_made(transport)
        self._wait_for_head()

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        if self._answering:
            self._stop_waiting()
        elif self._deadline is None:
            self._wait_for_head()

    def connection_lost(self, exc: Exception | None) -> None:
        self._stop_waiting()
        super().connection_lost(exc)

    @property
    def _answering(self) -> bool:
        return self.cycle is not None and not self.cycle.response_complete

    def _wait_for_head(self) -> None:
        self._deadline = self.loop.call_later(self.header_seconds, self._give_up)

    def _stop_waiting(self) -> None:
        if self._deadline is not None:
            self._deadline.cancel()
            self._deadline = None

    def _give_up(self) -> None:
        self._deadline = None
        if not self._answering and not self.transport.is_closing():
            self.transport.write(_REFUSAL)
            self.transport.close()


class _JsonLines(logging.Formatter):
    def format(self, record: logging.LogRecord) -> str:
        fields: dict[str, Any] = getattr(record, "fields", {})
        head = {"time": self.formatTime(record), "level": record.levelname.lower(), "event": record.getMessage()}
        if record.exc_info and record.exc_info[0]:
            head["error"] = record.exc_info[0].__name__  # no traceback: its last line may hold a query
        return json.dumps({**head, **fields})


def log_to_stderr(level: str = "INFO") -> None:
    """Write what the service and uvicorn log as JSON lines on stderr."""
    handler = logging.StreamHandler()
    handler.setFormatter(_JsonLines())
    for name in ("qtie.service", "uvicorn"):
        logger = logging.getLogger(name)
        logger.handlers, logger.propagate = [handler], False
        logger.setLevel(level)
