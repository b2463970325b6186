"""Answers kept on disk, so that the same prompt is asked once; a hash stands for the prompt."""

import json
import os
import sqlite3
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict
from hashlib import sha256
from pathlib import Path
from threading import Lock
from typing import TypeVar

from qtie.errors import ConfigError, LlmError
from qtie.llm.chat import DEFAULTS, ChatModel, ChatOptions, OnAnswer

__all__ = ["AnswerCache", "CachedChat"]

Result = TypeVar("Result")
_APPLICATION_ID = 0x51746965
"""Marks a file as ours in its header, so that no other program's database is written to."""
_N_ROWS = 500
"""Keys of one statement; SQLite takes about a thousand."""
_WAIT_SECONDS = 30.0
"""How long to wait for another process that writes."""


class AnswerCache:
    """A file of answers by key; threads and processes may use it at the same time.

    Example:
        >>> cache = AnswerCache(":memory:")
        >>> cache.put("1f", "2016-01, 2016-12")
        >>> cache.get_many(["1f", "2e"])
        {'1f': '2016-01, 2016-12'}
        >>> len(cache)
        1
    """

    def __init__(self, path: Path | str) -> None:
        self.path = path
        self._lock = Lock()
        self._opened: tuple[int, sqlite3.Connection] | None = None

    def __len__(self) -> int:
        """How many answers there are."""
        return self._do(lambda connection: int(connection.execute("SELECT count(*) FROM answers").fetchone()[0]))

    def get_many(self, keys: Sequence[str]) -> dict[str, str]:
        """The answers that are known, by key.

        Raises:
            ConfigError: the file is no cache, is damaged or cannot be read.
        """
        return self._do(lambda connection: dict(_rows(connection, keys)))

    def put(self, key: str, answer: str) -> None:
        """Keep an answer; another process that is killed meanwhile costs at most its own last answers.

        Raises:
            ConfigError: the file is no cache, is damaged or cannot be written.
        """
        self._do(lambda connection: connection.execute("INSERT OR REPLACE INTO answers VALUES (?, ?)", (key, answer)))

    def _do(self, action: Callable[[sqlite3.Connection], Result]) -> Result:
        with self._lock:
            try:
                if self._opened is None or self._opened[0] != os.getpid():  # a fork must not use its parent's
                    self._opened = (os.getpid(), _opened(self.path))
                return action(self._opened[1])
            except sqlite3.Error as error:
                raise ConfigError(f"{self.path}: cannot be used as a cache of answers: {error}") from error


def _rows(connection: sqlite3.Connection, keys: Sequence[str]) -> Iterator[tuple[str, str]]:
    for start in range(0, len(keys), _N_ROWS):
        some = keys[start : start + _N_ROWS]
        places = ", ".join("?" * len(some))
        yield from connection.execute(f"SELECT key, answer FROM answers WHERE key IN ({places})", some)


def _opened(path: Path | str) -> sqlite3.Connection:
    connection = sqlite3.connect(path, timeout=_WAIT_SECONDS, isolation_level=None, check_same_thread=False)
    try:
        connection.execute("BEGIN IMMEDIATE")  # of two processes that make the file, one waits
        (application_id,) = connection.execute("PRAGMA application_id").fetchone()
        (n_tables,) = connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
        if n_tables and application_id != _APPLICATION_ID:
            raise sqlite3.DatabaseError("it is another program's database")
        if not n_tables:
            connection.execute(f"PRAGMA application_id = {_APPLICATION_ID}")
            connection.execute("CREATE TABLE answers (key TEXT PRIMARY KEY, answer TEXT NOT NULL) WITHOUT ROWID")
        connection.execute("COMMIT")
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA synchronous = NORMAL")
    except sqlite3.Error:
        connection.close()
        raise
    return connection


class CachedChat:
    """A `ChatModel` that asks another one only what the cache does not know; failures are not kept.

    Example:
        >>> class Echo:
        ...     name = identity = "echo"
        ...
        ...     def complete_many(self, prompts, options, *, on_answer=None):
        ...         print("asked", prompts)
        ...         for at, prompt in enumerate(prompts):
        ...             on_answer(at, prompt.upper())
        ...         return [prompt.upper() for prompt in prompts]
        >>> chat = CachedChat(Echo(), AnswerCache(":memory:"))
        >>> chat.complete_many(["a", "b", "a"]), chat.complete("b")
        asked ['a', 'b']
        (['A', 'B', 'A'], 'B')
    """

    def __init__(self, chat: ChatModel, cache: AnswerCache) -> None:
        self.chat = chat
        self.cache = cache
        self.name = chat.name
        self.identity = chat.identity

    def complete(self, prompt: str, options: ChatOptions = DEFAULTS) -> str:
        """The answer, from the cache where it is there.

        Raises:
            LlmError: it is not there, and the model gives none.
        """
        (answer,) = self.complete_many([prompt], options)
        if isinstance(answer, LlmError):
            raise answer
        return answer

    def complete_many(
        self, prompts: Sequence[str], options: ChatOptions = DEFAULTS, *, on_answer: OnAnswer | None = None
    ) -> list[str | LlmError]:
        """For each prompt, in order, its answer or why there is none; an answer is kept as soon as it is known."""
        keys = [self._key(prompt, options) for prompt in prompts]
        known: Mapping[str, str] = self.cache.get_many(list(dict.fromkeys(keys)))
        places: dict[str, list[int]] = {}
        for at, key in enumerate(keys):
            places.setdefault(key, []).append(at)
        unknown = [key for key in places if key not in known]

        def keep(at: int, answer: str) -> None:
            self.cache.put(unknown[at], answer)
            self._tell(places[unknown[at]], answer, on_answer)

        for key, answer in known.items():
            self._tell(places[key], answer, on_answer)
        asked = [prompts[places[key][0]] for key in unknown]
        given = self.chat.complete_many(asked, options, on_answer=keep) if asked else []
        answers: dict[str, str | LlmError] = {**known, **dict(zip(unknown, given, strict=True))}
        return [answers[key] for key in keys]

    def stream(self, prompt: str, options: ChatOptions = DEFAULTS) -> Iterator[str]:
        """The answer in pieces, as they come; in one piece from the cache.

        Raises:
            LlmError: it is not in the cache, and the model gives none.
        """
        key = self._key(prompt, options)
        known = self.cache.get_many([key])
        if known:
            yield known[key]
            return
        pieces = []
        for piece in self.chat.stream(prompt, options):
            pieces.append(piece)
            yield piece
        self.cache.put(key, "".join(pieces))

    def _key(self, prompt: str, options: ChatOptions) -> str:
        asked = json.dumps([self.identity, prompt, asdict(options)], sort_keys=True)
        return sha256(asked.encode()).hexdigest()

    @staticmethod
    def _tell(places: Sequence[int], answer: str, on_answer: OnAnswer | None) -> None:
        for at in places if on_answer else ():
            on_answer(at, answer)  # type: ignore[misc]
