"""Every error and warning that qtie raises, and the one door to optional dependencies.

QtieError                      every error we raise
├── IntervalError              a text or pair of bounds that is no interval
├── IntentParseError           an extractor's answer that is no intent
├── LlmError                   a language model that gives no answer
├── DocumentError              a document, corpus or candidate file that cannot be read
├── ConfigError                an option or a qtie.toml that makes no sense
├── EvaluationError            qrels, runs or measures that do not fit together
├── BatchError                 a run over many files that cannot begin, or cannot go on
├── StoreError                 an index on disk that cannot be opened, read or written
├── ServiceError               a request that the service refuses, or cannot answer
└── MissingExtraError          an optional dependency that is not installed

QtieWarning                    data that is passed over, such as a document's time that cannot be read
"""

from importlib import import_module
from types import ModuleType

__all__ = [
    "BatchError",
    "ConfigError",
    "DocumentError",
    "EvaluationError",
    "IntentParseError",
    "IntervalError",
    "LlmError",
    "MissingExtraError",
    "QtieError",
    "QtieWarning",
    "ServiceError",
    "StoreError",
    "require",
]


class QtieError(Exception):
    """The base of every error that qtie raises; its text says what is wrong and where."""


class QtieWarning(UserWarning):
    """Data that is passed over, such as a document's time that cannot be read and so counts as missing."""


class IntervalError(QtieError, ValueError):
    """A text or a pair of bounds that is no time interval."""


class IntentParseError(QtieError, ValueError):
    """An extractor's answer, or a JSON record, that is no temporal intent.

    The answer of a language model stands in `answer` and not in the message, since it may repeat the query.
    """

    def __init__(self, message: str, *, answer: str | None = None) -> None:
        super().__init__(message)
        self.answer = answer


class LlmError(QtieError):
    """A language model that gives no answer; its text has neither the prompt nor the key."""

    def __init__(self, message: str, *, reason: str = "no answer") -> None:
        super().__init__(message)
        self.reason = reason
        """Why, in a word or two: "timeout", "HTTP 429", "empty answer"."""


class DocumentError(QtieError, ValueError):
    """A document, corpus or candidate file that cannot be read."""


class ConfigError(QtieError, ValueError):
    """An option, an argument or a `qtie.toml` that makes no sense."""


class EvaluationError(QtieError, ValueError):
    """Qrels, runs or measures that do not fit together."""


class BatchError(QtieError):
    """A run over many files that cannot begin, or cannot go on: changed input, or a worker that keeps dying."""


class StoreError(QtieError):
    """An index on disk that cannot be opened, read or written; its text begins with the store's place."""


class ServiceError(QtieError):
    """A request that the service refuses, or cannot answer; its text begins with the field's path."""

    def __init__(self, message: str, *, status: int, path: str | None = None) -> None:
        super().__init__(f"{path}: {message}" if path else message)
        self.status = status
        """Of the HTTP answer."""
        self.path = path
        """The field that is wrong, such as `documents[3].text`."""


class MissingExtraError(QtieError, ImportError):
    """An optional dependency that is not installed; the text names the extra that brings it."""


def require(module: str, *, extra: str) -> ModuleType:
    """The optional `module`, imported now.

    Raises:
        MissingExtraError: it is not installed; the message has the `pip install` line.

    Example:
        >>> require("json", extra="eval").__name__
        'json'
    """
    try:
        return import_module(module)
    except ModuleNotFoundError as error:
        if error.name != module.split(".")[0] and error.name != module:
            raise  # the dependency is there, but broken: its own error says more
        raise MissingExtraError(f'{module} is missing; try: pip install "qtie[{extra}]"') from error
