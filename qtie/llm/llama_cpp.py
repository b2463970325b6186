"""A GGUF file on this machine, run by llama.cpp; the `xllamacpp` package brings its compiled library."""

import threading
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from os import cpu_count
from pathlib import Path
from queue import SimpleQueue
from typing import Any

from qtie.errors import ConfigError, LlmError, require
from qtie.llm.chat import DEFAULTS, ChatOptions, OnAnswer

__all__ = ["LlamaCppChat"]


class LlamaCppChat:
    """A GGUF model as a `ChatModel`: greedy, one prompt at a time, loaded at first use.

    Of two prompts in a row, what both begin with is read once.

    Args:
        model: the GGUF file.
        template: put prompts into the model's chat template.
        n_context: how many tokens a prompt and its answer may have together.
        n_threads: by default one for each processor.

    Raises:
        ConfigError: there is no such file.
        MissingExtraError: `xllamacpp` is not installed.
    """

    name = "llama.cpp"

    def __init__(
        self, model: str | Path, *, template: bool = True, n_context: int = 8192, n_threads: int | None = None
    ) -> None:
        self._path, self._template = Path(model), template
        if not self._path.is_file():
            raise ConfigError(f"{model}: there is no such GGUF file")
        self._library = require("xllamacpp", extra="llama-cpp")
        self._n_context, self._n_threads = n_context, n_threads or cpu_count() or 1
        self._lock = threading.Lock()
        size = self._path.stat()
        kind = "chat" if template else "plain"
        self.identity = f"{self.name} {model} {size.st_size}:{size.st_mtime_ns} {kind} {n_context}"

    @cached_property
    def _server(self) -> Any:
        params = self._library.CommonParams()
        params.model.path, params.n_ctx, params.n_parallel = str(self._path), self._n_context, 1
        params.cpuparams.n_threads = params.cpuparams_batch.n_threads = self._n_threads
        params.verbosity = 0
        try:
            return self._library.Server(params)
        except RuntimeError as error:
            raise ConfigError(f"{self._path}: llama.cpp cannot load it: {error}") from error

    def complete(self, prompt: str, options: ChatOptions = DEFAULTS) -> str:
        """The answer; see `ChatModel.complete`.

        Raises:
            LlmError: the prompt is longer than the context, or the answer is empty.
            ConfigError: the file is no model.
        """
        with self._lock:
            record = self._handle(self._asked(prompt, options))
        text = _text(record, "message")
        if not text.strip():
            raise LlmError(f"{self.name}: an empty answer", reason="empty answer")
        return text

    def complete_many(
        self, prompts: Sequence[str], options: ChatOptions = DEFAULTS, *, on_answer: OnAnswer | None = None
    ) -> list[str | LlmError]:
        """For each prompt, in order, its answer or why there is none."""
        answers: list[str | LlmError] = []
        for at, prompt in enumerate(prompts):
            try:
                answers.append(answer := self.complete(prompt, options))
            except LlmError as error:
                answers.append(error)
            else:
                if on_answer:
                    on_answer(at, answer)
        return answers

    def stream(self, prompt: str, options: ChatOptions = DEFAULTS) -> Iterator[str]:
        """The answer in pieces, as they come; see `ChatModel.stream`.

        Raises:
            LlmError: as `complete`.
        """
        pieces: SimpleQueue[str | Exception | None] = SimpleQueue()
        gone = threading.Event()

        def hear(record: Any) -> bool:
            for each in record if isinstance(record, list) else [record]:
                try:
                    pieces.put(_text(each, "delta"))
                except LlmError as error:
                    pieces.put(error)
            return gone.is_set()

        def work() -> None:
            try:
                with self._lock:
                    self._handle({**self._asked(prompt, options), "stream": True}, hear)
                pieces.put(None)
            except Exception as error:  # whatever it is, the thread that waits must hear of it
                pieces.put(error)

        threading.Thread(target=work, daemon=True).start()
        try:
            while (piece := pieces.get()) is not None:
                if isinstance(piece, Exception):
                    raise piece
                if piece:
                    yield piece
        finally:
            gone.set()

    def _handle(self, asked: Mapping[str, Any], *hear: Any) -> Any:
        handle = self._server.handle_chat_completions if self._template else self._server.handle_completions
        return handle(asked, *hear)

    def _asked(self, prompt: str, options: ChatOptions) -> dict[str, Any]:
        asked: dict[str, Any] = {"max_tokens": options.max_tokens, "temperature": 0, "stop": list(options.stop)}
        if options.schema is not None:
            schema = {"name": "answer", "schema": dict(options.schema), "strict": True}
            asked["response_format"] = {"type": "json_schema", "json_schema": schema}
        if not self._template:
            return {**asked, "prompt": f"{options.system}\n\n{prompt}" if options.system else prompt}
        told = [{"role": "system", "content": options.system}] if options.system else []
        return {**asked, "messages": [*told, {"role": "user", "content": prompt}]}


def _text(record: Any, part: str) -> str:
    """The text of a response's first choice; `part` is message or, of a stream, delta."""
    if isinstance(record, dict) and isinstance(error := record.get("error"), dict):
        too_long = error.get("type") == "exceed_context_size_error"
        raise LlmError(f"llama.cpp: {error.get('message')}", reason="prompt too long" if too_long else "refused")
    try:
        choice = record["choices"][0]
        return str((choice["text"] if "text" in choice else choice[part].get("content")) or "")
    except (LookupError, TypeError, AttributeError):
        raise LlmError("llama.cpp: not an answer", reason="malformed answer") from None
