"""One event loop for all requests of a process, in a thread of its own, beside any loop of the caller."""

import asyncio
import os
from collections.abc import Coroutine
from concurrent.futures import Future
from threading import RLock, Thread
from typing import Any, TypeVar

__all__ = ["run", "start"]

Result = TypeVar("Result")
_LOOPS: dict[int, asyncio.AbstractEventLoop] = {}  # by process: a fork has none of its parent's threads
_LOCK = RLock()  # what the garbage collector closes while it is held may start something, too


def start(coroutine: Coroutine[Any, Any, Result]) -> "Future[Result]":
    """The coroutine under way; cancelling the future cancels it."""
    with _LOCK:
        if os.getpid() not in _LOOPS:
            _LOOPS[os.getpid()] = loop = asyncio.new_event_loop()
            Thread(target=loop.run_forever, name="qtie-llm", daemon=True).start()
        return asyncio.run_coroutine_threadsafe(coroutine, _LOOPS[os.getpid()])


def run(coroutine: Coroutine[Any, Any, Result]) -> Result:
    """What the coroutine returns; it stops where the caller is interrupted.

    Example:
        >>> run(asyncio.sleep(0, "done"))
        'done'
    """
    future = start(coroutine)
    try:
        return future.result()
    finally:
        future.cancel()
