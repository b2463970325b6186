"""What every language model answers to: a prompt in, the text of its greedy answer out."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, runtime_checkable

from qtie.errors import ConfigError, LlmError

__all__ = ["DEFAULTS", "ChatModel", "ChatOptions", "OnAnswer"]

OnAnswer = Callable[[int, str], None]
"""Called with a prompt's position and its answer as soon as that is known, maybe from another thread."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ChatOptions:
    """How prompts are answered; always greedily, so that the same prompt has the same answer.

    Raises:
        ConfigError: no token is allowed, or an empty stop string.
    """

    max_tokens: int = 256
    """The answer ends after that many tokens at the latest."""
    stop: tuple[str, ...] = ()
    """The answer ends before the first of these texts."""
    system: str = ""
    """What the model is told before the prompt; empty: nothing."""
    schema: Mapping[str, Any] | None = None
    """The JSON schema that the answer follows, for servers that constrain decoding; None: free text."""

    def __post_init__(self) -> None:
        if self.max_tokens < 1:
            raise ConfigError(f"max_tokens must be 1 or more, not {self.max_tokens!r}")
        if "" in self.stop:
            raise ConfigError("a stop string must not be empty")


DEFAULTS = ChatOptions()


@runtime_checkable
class ChatModel(Protocol):
    """A language model, near or far; safe to use from several threads."""

    name: str
    """What people call it, such as openai."""
    identity: str
    """All that decides its answers besides prompt and options: endpoint, model, adapter. Without secrets."""

    def complete(self, prompt: str, options: ChatOptions = DEFAULTS) -> str:
        """The answer, as the model gave it.

        Raises:
            LlmError: there is none; says why, without the prompt.
        """
        ...

    def complete_many(
        self, prompts: Sequence[str], options: ChatOptions = DEFAULTS, *, on_answer: OnAnswer | None = None
    ) -> list[str | LlmError]:
        """For each prompt, in order, its answer or why there is none."""
        ...

    def stream(self, prompt: str, options: ChatOptions = DEFAULTS) -> Iterator[str]:
        """The answer in pieces, as they come.

        Raises:
            LlmError: there is none, or it breaks off.
        """
        ...
