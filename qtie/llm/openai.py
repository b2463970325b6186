"""Any endpoint that speaks OpenAI's protocol: vLLM, Ollama, a llama.cpp server, a hosted model."""

import asyncio
import json
import os
import re
import time
import weakref
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from queue import SimpleQueue
from threading import RLock
from typing import Any, Literal, NamedTuple
from urllib.parse import urlsplit

from qtie.errors import ConfigError, LlmError, require
from qtie.llm.chat import DEFAULTS, ChatOptions, OnAnswer
from qtie.llm.event_loop import run, start
from qtie.llm.http_client import http_client

__all__ = ["Endpoint", "OpenAIChat", "check_url", "failure_of"]

Endpoint = Literal["chat", "completions"]
_PATHS: dict[Endpoint, str] = {"chat": "/chat/completions", "completions": "/completions"}
_OVERLOADED = ("timeout", "unreachable", "HTTP 429", "HTTP 502", "HTTP 503", "HTTP 504")
"""Reasons that lie in the endpoint and not in the prompt."""
_N_FAILURES = 2
_PAUSE_SECONDS = 10.0
_CHARACTERS_PER_TOKEN = 100
"""More than any tokenizer's average: an answer longer than that ignores `max_tokens`."""


class OpenAIChat:
    """A model behind an OpenAI-compatible endpoint; a `ChatModel`.

    Requests that meet status 408, 409, 429 or 5xx, a timeout or a lost connection are sent again after growing waits,
    or after what the server's Retry-After says. Where nobody listens at an endpoint that has never answered, one more
    attempt half a second later is the last. Where two prompts fail all the same while no other is answered, the
    endpoint is left alone for ten seconds: prompts fail at once meanwhile, so that no long run hangs at a dead server.

    The key is sent to the endpoint and shown nowhere: it stands in no message, log or `repr`.

    Args:
        model: its name at the endpoint.
        base_url: http or https; most end in /v1.
        api_key: None for servers that want none. No environment variable is read.
        endpoint: chat, which puts the prompt into the model's template, or completions, which goes on where the prompt
            ends, as models tuned on plain text want it.
        timeout_seconds: the longest that one prompt takes, waits and retries included.
        read_seconds: the longest that the server may stay silent before the request is sent again.
        n_retries: how often a request is sent again; six are about 20 seconds, enough for a server to restart.
        concurrency: how many requests are under way at a time, over all threads.
        extra: further fields of each request, such as `{"chat_template_kwargs": {"enable_thinking": False}}`; None
            takes a field out.

    Raises:
        ConfigError: an argument that makes no sense.
        MissingExtraError: the `openai` package is missing.

    Example:
        >>> OpenAIChat("qwen3", base_url="http://localhost:8000/v1", api_key="secret")
        OpenAIChat('qwen3', base_url='http://localhost:8000/v1')
    """

    name = "openai"

    def __init__(
        self,
        model: str,
        *,
        base_url: str,
        api_key: str | None = None,
        endpoint: Endpoint = "chat",
        timeout_seconds: float = 120.0,
        read_seconds: float = 60.0,
        n_retries: int = 6,
        concurrency: int = 32,
        extra: Mapping[str, Any] | None = None,
    ) -> None:
        check_url(base_url)
        if api_key is not None and not re.fullmatch("[!-~]+", api_key):  # the header's own error would quote it
            raise ConfigError("the API key is empty or has characters that no key has, such as a line break")
        if endpoint not in _PATHS:
            raise ConfigError(f"endpoint must be one of {', '.join(_PATHS)}, not {endpoint!r}")
        if not (timeout_seconds > 0 and read_seconds > 0 and n_retries >= 0 and concurrency >= 1):
            raise ConfigError("timeouts must be above 0, n_retries 0 or more, concurrency 1 or more")
        self.model = model
        self.base_url = base_url.rstrip("/")
        self.identity = json.dumps([self.name, self.base_url, model, endpoint, dict(extra or {})], sort_keys=True)
        self._openai = require("openai", extra="llm")
        self._api_key = api_key
        self._endpoint: Endpoint = endpoint
        self._timeouts = (timeout_seconds, min(read_seconds, timeout_seconds))
        self._n_retries = n_retries
        self._concurrency = concurrency
        self._extra = dict(extra or {})
        self._lines: dict[int, _Line] = {}
        self._counts = {
            "requests": 0,
            "responses": 0,
        }  # not an attribute, so that connections do not keep their owner alive
        self._lock = RLock()
        self._n_answered = self._n_failed = 0
        self._paused_until = 0.0

    def __repr__(self) -> str:
        return f"OpenAIChat({self.model!r}, base_url={self.base_url!r})"

    @property
    def n_requests(self) -> int:
        """How many requests were sent, retries included."""
        return self._counts["requests"]

    def complete(self, prompt: str, options: ChatOptions = DEFAULTS) -> str:
        """The answer, as the model gave it.

        Raises:
            LlmError: there is none within the time; says why, without the prompt.
        """
        return run(self._ask(prompt, options))

    def complete_many(
        self, prompts: Sequence[str], options: ChatOptions = DEFAULTS, *, on_answer: OnAnswer | None = None
    ) -> list[str | LlmError]:
        """For each prompt, in order, its answer or why there is none; `concurrency` of them at a time."""
        return run(self._ask_all(prompts, options, on_answer))

    def stream(self, prompt: str, options: ChatOptions = DEFAULTS) -> Iterator[str]:
        """The answer in pieces, as they come; only its start is tried again.

        Raises:
            LlmError: there is none within the time, or it breaks off.
        """
        pieces: SimpleQueue[str | BaseException | None] = SimpleQueue()
        pump = start(self._pump(prompt, options, pieces))
        try:
            while (piece := pieces.get()) is not None:
                if isinstance(piece, BaseException):
                    raise piece
                yield piece
        finally:
            pump.cancel()

    async def _ask_all(
        self, prompts: Sequence[str], options: ChatOptions, on_answer: OnAnswer | None
    ) -> list[str | LlmError]:
        answers: list[str | LlmError] = [LlmError("not asked")] * len(prompts)
        waiting = iter(enumerate(prompts))

        async def work() -> None:
            for at, prompt in waiting:
                try:
                    answers[at] = answer = await self._ask(prompt, options)
                except LlmError as error:
                    answers[at] = error
                else:
                    if on_answer:
                        on_answer(at, answer)

        workers = [asyncio.create_task(work()) for _ in range(min(self._concurrency, len(prompts)))]
        try:
            await asyncio.gather(*workers)
        finally:
            for worker in workers:
                worker.cancel()
        return answers

    async def _ask(self, prompt: str, options: ChatOptions) -> str:
        line, body = self._line(), self._body(prompt, options)
        async with line.slots:
            with _Watch(self):
                async with asyncio.timeout(self._timeouts[0]):
                    record = await line.client.post(_PATHS[self._endpoint], cast_to=object, body=body)
                return self._checked(_text(record, "message", where=self.base_url), options)

    async def _pump(self, prompt: str, options: ChatOptions, pieces: "SimpleQueue[str | BaseException | None]") -> None:
        """Put the answer's pieces into the queue, then None or what went wrong."""
        try:
            line, body = self._line(), {**self._body(prompt, options), "stream": True}
            async with line.slots:
                with _Watch(self):
                    async with asyncio.timeout(self._timeouts[0]):
                        await self._stream(line, body, options, pieces)
        except BaseException as error:
            pieces.put(error)
            if isinstance(error, asyncio.CancelledError):
                raise
        else:
            pieces.put(None)

    async def _stream(
        self, line: "_Line", body: Mapping[str, Any], options: ChatOptions,
        pieces: "SimpleQueue[str | BaseException | None]",
    ) -> None:  # fmt: skip
        said, is_whole = "", False
        records = await line.client.post(
            _PATHS[self._endpoint], cast_to=object, body=body, stream=True, stream_cls=self._openai.AsyncStream[object]
        )
        with suppress(self._openai.APIConnectionError):  # whether the answer was whole by then, its last record says
            async with records:
                async for record in records:
                    if isinstance(record, dict) and record.get("choices") == []:  # some servers' last has usage alone
                        continue
                    piece = _text(record, "delta", where=self.base_url)
                    is_whole = is_whole or bool(record["choices"][0].get("finish_reason"))
                    self._checked(said := said + piece, options, may_be_empty=True)
                    if piece:
                        pieces.put(piece)
        if not is_whole:
            raise LlmError(f"{self.base_url}: the answer broke off", reason="broken off")
        self._checked(said, options)

    def _body(self, prompt: str, options: ChatOptions) -> dict[str, Any]:
        try:
            (prompt + options.system).encode()
        except UnicodeEncodeError:
            raise LlmError("the prompt is not Unicode text", reason="bad prompt") from None
        asked: dict[str, Any] = {"model": self.model, "temperature": 0, "max_tokens": options.max_tokens}
        if self._endpoint == "chat":
            system = [{"role": "system", "content": options.system}] if options.system else []
            asked["messages"] = [*system, {"role": "user", "content": prompt}]
        else:
            asked["prompt"] = f"{options.system}\n\n{prompt}" if options.system else prompt
        if options.stop:
            asked["stop"] = list(options.stop)
        if options.schema is not None:
            schema = {"name": "answer", "schema": dict(options.schema), "strict": True}
            asked["response_format"] = {"type": "json_schema", "json_schema": schema}
        return {key: value for key, value in {**asked, **self._extra}.items() if value is not None}

    def _checked(self, text: str, options: ChatOptions, *, may_be_empty: bool = False) -> str:
        if not (may_be_empty or text.strip()):
            raise LlmError(f"{self.base_url}: an empty answer", reason="empty answer")
        if len(text) > _CHARACTERS_PER_TOKEN * options.max_tokens:
            raise LlmError(
                f"{self.base_url}: an answer of far more than {options.max_tokens} tokens", reason="answer too long"
            )
        return text

    def _line(self) -> "_Line":
        """The connections of this process: a forked one must not use its parent's."""
        with self._lock:
            if os.getpid() not in self._lines:
                client = self._client()
                self._lines[os.getpid()] = _Line(client, asyncio.Semaphore(self._concurrency))
                weakref.finalize(self, _close, client, os.getpid())
            return self._lines[os.getpid()]

    def _client(self) -> Any:
        timeout = self._openai.Timeout(self._timeouts[1], connect=min(5.0, self._timeouts[1]), pool=None)
        return self._openai.AsyncOpenAI(
            base_url=self.base_url,
            api_key=self._api_key or "none",
            max_retries=self._n_retries,
            timeout=timeout,
            http_client=http_client(self._openai, self._counts, timeout=timeout, again=self._n_retries > 0),
        )


class _Line(NamedTuple):
    client: Any
    slots: asyncio.Semaphore


class _Watch:
    """Turns what goes wrong at an endpoint into an LlmError, and pauses an endpoint that answers nobody."""

    def __init__(self, chat: OpenAIChat) -> None:
        self._chat = chat

    def __enter__(self) -> None:
        self._n_answered = self._chat._n_answered
        if time.monotonic() < self._chat._paused_until:
            raise LlmError(f"{self._chat.base_url}: failed a moment ago, and is not asked yet", reason="unreachable")

    def __exit__(self, kind: object, error: BaseException | None, traceback: object) -> None:
        if error is None:
            self._chat._n_answered += 1
            self._chat._n_failed = 0
        elif isinstance(error, LlmError | ValueError | TimeoutError | self._chat._openai.OpenAIError):
            failure = failure_of(error, self._chat._openai, where=self._chat.base_url)
            if failure.reason in _OVERLOADED and self._chat._n_answered == self._n_answered:
                self._chat._n_failed += 1
                if self._chat._n_failed >= _N_FAILURES:
                    self._chat._paused_until = time.monotonic() + _PAUSE_SECONDS
            raise failure from None  # the cause holds the request: key and prompt


def failure_of(error: Exception, openai: Any, *, where: str) -> LlmError:
    """What the package `openai` raised as an LlmError that begins with the endpoint, without prompt and key."""
    if isinstance(error, LlmError):
        return error
    if isinstance(error, TimeoutError | openai.APITimeoutError):
        return LlmError(f"{where}: no answer in time", reason="timeout")
    if isinstance(error, openai.APIStatusError):
        hint = "; are the base URL (most end in /v1) and the model right?" if error.status_code == 404 else ""
        return LlmError(f"{where}: HTTP status {error.status_code}{hint}", reason=f"HTTP {error.status_code}")
    if isinstance(error, openai.APIConnectionError):
        return LlmError(f"{where}: cannot be reached ({type(error.__cause__).__name__})", reason="unreachable")
    return LlmError(f"{where}: not an OpenAI answer ({type(error).__name__})", reason="malformed answer")


def _text(record: Any, part: str, *, where: str) -> str:
    """The text in a response's first choice; `part` is message or, of a stream, delta."""
    try:
        choice = record["choices"][0]
        text = choice["text"] if "text" in choice else choice[part].get("content")
    except (LookupError, TypeError, AttributeError):
        text = False
    if text is None:  # a choice without words, such as the last one of a stream
        return ""
    if not isinstance(text, str):
        raise LlmError(f"{where}: not an OpenAI answer", reason="malformed answer")
    return text


def check_url(base_url: str) -> None:
    """Refuse what is no plain http or https URL, or holds credentials.

    Raises:
        ConfigError: says which.
    """
    try:
        url = urlsplit(base_url)
        is_plain = url.scheme in ("http", "https") and bool(url.hostname) and (url.port or 1) > 0
    except ValueError:
        raise ConfigError(f"base_url is no URL: {base_url!r}") from None
    if "@" in url.netloc or url.query or url.fragment:
        raise ConfigError("base_url must not hold credentials or a query: they would stand in logs")
    if not is_plain:
        raise ConfigError(f"base_url must be like http://localhost:8000/v1, not {base_url!r}")


def _close(client: Any, process_id: int) -> None:
    """Close the connections of a chat that is no more, where they are this process's own."""
    if process_id == os.getpid():
        start(client.close())
