"""The cache of answers: nothing is asked twice, processes share it, and a damaged file is one clear error."""

import json
import sqlite3
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from qtie.errors import ConfigError, LlmError
from qtie.llm.cache import AnswerCache, CachedChat
from qtie.llm.chat import DEFAULTS, ChatModel, ChatOptions, OnAnswer


class Parrot:
    """Says what it hears, and notes it; fails on "bad"."""

    name = "parrot"

    def __init__(self, identity: str = "parrot") -> None:
        self.identity = identity
        self.heard: list[str] = []

    def complete(self, prompt: str, options: ChatOptions = DEFAULTS) -> str:
        (answer,) = self.complete_many([prompt], options)
        if isinstance(answer, LlmError):
            raise answer
        return answer

    def complete_many(
        self, prompts: Sequence[str], options: ChatOptions = DEFAULTS, *, on_answer: OnAnswer | None = None
    ) -> list[str | LlmError]:
        self.heard += prompts
        for at, prompt in enumerate(prompts):
            if prompt == "die":
                raise KeyboardInterrupt
            if on_answer and prompt != "bad":
                on_answer(at, f"{prompt}!")
        return [LlmError("no") if prompt == "bad" else f"{prompt}!" for prompt in prompts]

    def stream(self, prompt: str, options: ChatOptions = DEFAULTS) -> Iterator[str]:
        self.heard.append(prompt)
        yield prompt
        if prompt == "bad":
            raise LlmError("broke off")
        yield "!"


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "answers.sqlite"


def test_a_second_run_asks_nothing(file: Path) -> None:
    prompts = [f"p{n % 700}" for n in range(1500)]  # more than one statement's keys; each at least twice
    first, second = Parrot(), Parrot()
    told: dict[int, str] = {}
    answers = CachedChat(first, AnswerCache(file)).complete_many(prompts, on_answer=told.__setitem__)
    assert answers == [f"{prompt}!" for prompt in prompts]
    assert told == dict(enumerate(answers))
    assert len(first.heard) == 700
    again: dict[int, str] = {}
    chat = CachedChat(second, AnswerCache(file))
    assert isinstance(chat, ChatModel)
    assert chat.complete_many(prompts, on_answer=again.__setitem__) == answers
    assert again == told
    assert second.heard == []
    assert file.read_bytes()[:15] == b"SQLite format 3"
    assert "p1" not in [key for (key,) in sqlite3.connect(file).execute("SELECT key FROM answers")]


def test_the_key_is_model_prompt_and_every_option(file: Path) -> None:
    cache = AnswerCache(file)
    variants = [
        ("a", "p", ChatOptions()),
        ("b", "p", ChatOptions()),
        ("a", "q", ChatOptions()),
        ("a", "p", ChatOptions(max_tokens=9)),
        ("a", "p", ChatOptions(stop=("\n",))),
        ("a", "p", ChatOptions(system="s")),
        ("a", "p", ChatOptions(schema={"type": "object"})),
    ]
    for identity, prompt, options in variants:
        parrot = Parrot(identity)
        assert CachedChat(parrot, cache).complete(prompt, options) == f"{prompt}!"
        assert parrot.heard == [prompt]


def test_failures_are_not_kept(file: Path) -> None:
    parrot = Parrot()
    chat = CachedChat(parrot, AnswerCache(file))
    assert [str(answer) for answer in chat.complete_many(["good", "bad"])] == ["good!", "no"]
    with pytest.raises(LlmError, match="no"):
        chat.complete("bad")
    with pytest.raises(LlmError, match="broke off"):
        list(chat.stream("bad"))
    assert parrot.heard == ["good", "bad", "bad", "bad"]


def test_answers_before_an_interruption_are_kept(file: Path) -> None:
    with pytest.raises(KeyboardInterrupt):
        CachedChat(Parrot(), AnswerCache(file)).complete_many(["one", "two", "die"])
    parrot = Parrot()
    assert CachedChat(parrot, AnswerCache(file)).complete_many(["one", "two"]) == ["one!", "two!"]
    assert parrot.heard == []


def test_a_stream_is_kept_when_it_is_whole(file: Path) -> None:
    parrot = Parrot()
    chat = CachedChat(parrot, AnswerCache(file))
    next(chat.stream("hello"))  # the reader leaves
    assert list(chat.stream("hello")) == ["hello", "!"]
    assert list(chat.stream("hello")) == ["hello!"]
    assert chat.complete("hello") == "hello!"
    assert parrot.heard == ["hello", "hello"]


WRITER = """
import sys
from qtie.llm.cache import AnswerCache
cache = AnswerCache(sys.argv[1])
for n in range(200):
    cache.put(f"{sys.argv[2]}-{n}", sys.argv[2])
"""


def test_processes_write_at_the_same_time(file: Path) -> None:
    writers = [subprocess.Popen([sys.executable, "-c", WRITER, str(file), name]) for name in "abcd"]
    assert [writer.wait(60) for writer in writers] == [0] * 4
    keys = [f"{name}-{n}" for name in "abcd" for n in range(200)]
    assert AnswerCache(file).get_many(keys) == {key: key[0] for key in keys}


def _other_database(path: Path) -> None:
    with sqlite3.connect(path) as connection:
        connection.execute("CREATE TABLE customers (name TEXT)")
    connection.close()


@pytest.mark.parametrize("kind", ["text", "another database", "damaged", "a folder", "no such folder"])
def test_a_file_that_is_no_cache_is_one_clear_error_and_stays_as_it_is(kind: str, file: Path) -> None:
    if kind == "text":
        file.write_text("these are my notes, and not a database at all " * 9, encoding="utf-8")
    elif kind == "another database":
        _other_database(file)
    elif kind == "damaged":
        CachedChat(Parrot(), AnswerCache(file)).complete_many([f"p{n}" for n in range(2000)])
        content = file.read_bytes()
        file.write_bytes(content[:4096] + b"\x07" * (len(content) - 4096))
        for side in ("-wal", "-shm"):
            file.with_name(file.name + side).unlink(missing_ok=True)
    elif kind == "a folder":
        file.mkdir()
    else:
        file = file.parent / "missing" / "answers.sqlite"
    before = file.read_bytes() if file.is_file() else None
    with pytest.raises(ConfigError, match="cannot be used as a cache of answers") as caught:
        CachedChat(Parrot(), AnswerCache(file)).complete_many([f"p{n}" for n in range(2000)])
    assert str(file) in str(caught.value)
    assert before is None or file.read_bytes() == before


def test_answers_of_any_text_come_back(file: Path) -> None:
    answer = json.loads('"\\u0000 line\\n quote \\" \\ud83d\\ude00 ü"')
    AnswerCache(file).put("k", answer)
    assert AnswerCache(file).get_many(["k", "l"]) == {"k": answer}
