"""The language models by name, for the command line, the service and `qtie.toml`."""

import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, get_args

from qtie.errors import ConfigError, require
from qtie.llm.chat import ChatModel

__all__ = ["BACKENDS", "LlmOptions", "make_chat"]

_Endpoint = Literal["chat", "completions"]
_Granularity = Literal["day", "month"]
_MOST_SHOTS = 4


@dataclass(frozen=True, slots=True, kw_only=True)
class LlmOptions:
    """Which language model is asked, and how: section `[llm]`; a backend ignores what it does not need.

    Raises:
        ConfigError: a choice that is none, or a number out of its range.
    """

    model: str | None = None
    """Its name at the endpoint; of a local model its folder, file or hub name."""
    base_url: str | None = None
    """Of an OpenAI-compatible endpoint, such as http://localhost:8000/v1."""
    api_key_env: str | None = None
    """The environment variable that holds the key; without it none is sent."""
    endpoint: _Endpoint = "chat"
    """chat puts the prompt into the model's template; completions, for models tuned on plain text, does not."""
    timeout_seconds: float = 120.0
    """The longest that one prompt takes, retries included."""
    concurrency: int = 32
    """How many requests are under way at a time."""
    adapter: str | None = None
    """Folder of a LoRA adapter for a local model."""
    cache: str | None = None
    """File in which answers are kept, so that the same prompt is asked once."""
    shots: int | None = None
    """Demonstrations in the prompt for a query's time, 0 to 4; by default 4, or 0 with an adapter."""
    granularity: _Granularity = "day"
    """What a query's time is asked by."""
    json_schema: bool = False
    """Constrain the answer to a JSON schema; not every server can."""
    fallback: str = "grammar"
    """Name of the extractor that reads queries which the model fails on; "none" makes them errors."""

    def __post_init__(self) -> None:
        for name, choices in (("endpoint", get_args(_Endpoint)), ("granularity", get_args(_Granularity))):
            if getattr(self, name) not in choices:
                raise ConfigError(f"{name} must be one of {', '.join(choices)}, not {getattr(self, name)!r}")
        if not self.timeout_seconds > 0:
            raise ConfigError(f"timeout_seconds must be above 0, not {self.timeout_seconds!r}")
        if self.shots is not None and not 0 <= self.shots <= _MOST_SHOTS:
            raise ConfigError(f"shots must be from 0 to {_MOST_SHOTS}, not {self.shots!r}")
        if self.concurrency < 1:
            raise ConfigError(f"concurrency must be 1 or more, not {self.concurrency!r}")


def make_chat(name: str, options: LlmOptions) -> ChatModel:
    """The language model of that backend, with a cache where the options name one.

    Raises:
        ConfigError: there is no such backend, or the options lack what it needs.
        MissingExtraError: its packages are missing.
    """
    if name not in BACKENDS:
        raise ConfigError(f"unknown language model backend {name!r}; one of {', '.join(BACKENDS)}")
    chat = BACKENDS[name](options)
    if not options.cache:
        return chat
    from qtie.llm.cache import AnswerCache, CachedChat

    return CachedChat(chat, AnswerCache(Path(options.cache).expanduser()))


def _openai(options: LlmOptions) -> ChatModel:
    from qtie.llm.openai import OpenAIChat

    return OpenAIChat(
        _needed("openai", "model", options.model),
        base_url=_needed("openai", "base_url", options.base_url),
        api_key=_key(options.api_key_env),
        endpoint=options.endpoint,
        timeout_seconds=options.timeout_seconds,
        concurrency=options.concurrency,
    )


def _transformers(options: LlmOptions) -> ChatModel:
    from qtie.llm.transformers import TransformersChat

    for package in ("torch", "transformers"):
        require(package, extra="transformers")
    template = options.endpoint == "chat" and options.adapter is None  # adapters are tuned on plain text
    return TransformersChat(_needed("transformers", "model", options.model), adapter=options.adapter, template=template)


def _llama_cpp(options: LlmOptions) -> ChatModel:
    from qtie.llm.llama_cpp import LlamaCppChat

    return LlamaCppChat(_needed("llama-cpp", "model", options.model), template=options.endpoint == "chat")


BACKENDS: dict[str, Callable[[LlmOptions], ChatModel]] = {
    "openai": _openai,
    "transformers": _transformers,
    "llama-cpp": _llama_cpp,
}


def _needed(backend: str, name: str, value: str | None) -> str:
    if not value:
        option = f"--{name.replace('_', '-')}"
        raise ConfigError(f"{backend} needs a {name}: {option}, or {name} in section [llm] of qtie.toml")
    return value


def _key(variable: str | None) -> str | None:
    if variable is None:
        return None
    if variable not in os.environ:
        raise ConfigError(f"api_key_env: there is no environment variable {variable!r}")
    return os.environ[variable]
