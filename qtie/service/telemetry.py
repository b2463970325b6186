"""Spans of OpenTelemetry, where that is installed; they hold counts and kinds, never a text."""

from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from typing import Any

__all__ = ["span"]


def _tracer() -> Any:
    try:
        return import_module("opentelemetry.trace").get_tracer("qtie")
    except ModuleNotFoundError:
        return None


_TRACER = _tracer()


@contextmanager
def span(name: str, **attributes: str | int | bool) -> Iterator[None]:
    """A span of that name around the block, a child of the one that is open.

    Example:
        >>> with span("qtie.rerank", n_documents=2):
        ...     pass
    """
    if _TRACER is None:
        yield
        return
    with _TRACER.start_as_current_span(name, attributes=attributes):
        yield
