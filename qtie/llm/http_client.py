"""The HTTP client under the `openai` package: where nobody listens, it does not wait for long."""

import asyncio
from typing import Any

__all__ = ["http_client"]

_REFUSED_SECONDS = 0.5
"""How long to wait before asking again where nobody listens."""


def http_client(openai: Any, counts: dict[str, int], *, timeout: Any, again: bool) -> Any:
    """A client that gives up soon where an endpoint that has never answered refuses the connection.

    Args:
        openai: the package.
        counts: "requests" and "responses" so far, kept by the client; a response of any status is one.
        timeout: the package's own.
        again: whether to ask once more.
    """

    class Client(openai.DefaultAsyncHttpxClient):  # type: ignore[misc]
        async def send(self, request: Any, **options: Any) -> Any:
            for seconds in (_REFUSED_SECONDS, None) if again else (None,):
                counts["requests"] += 1
                try:
                    response = await super().send(request, **options)
                except Exception as error:
                    if counts["responses"] or not _is_refused(error):
                        raise  # and is tried again after growing waits
                    if seconds is None:
                        raise openai.APIConnectionError(request=request) from error  # which is not
                    await asyncio.sleep(seconds)
                else:
                    counts["responses"] += 1
                    return response

    return Client(timeout=timeout)


def _is_refused(error: BaseException) -> bool:
    """Whether a connection failed because nobody listens at an address."""
    if isinstance(error, BaseExceptionGroup):
        return any(map(_is_refused, error.exceptions))
    cause = error.__cause__ or error.__context__
    return isinstance(error, ConnectionRefusedError) or (cause is not None and _is_refused(cause))
