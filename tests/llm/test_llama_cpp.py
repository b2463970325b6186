"""What is asked of llama.cpp, and what is made of its answers; a stand-in takes the compiled library's place."""

import sys
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest

from qtie.errors import ConfigError, LlmError, MissingExtraError
from qtie.llm.backends import LlmOptions, make_chat
from qtie.llm.chat import ChatModel, ChatOptions
from qtie.llm.llama_cpp import LlamaCppChat

TOO_LONG = {"error": {"type": "exceed_context_size_error", "message": "9 tokens exceed 4"}}


class StubServer:
    """Answers with the request's last words, in capitals; notes what it was asked."""

    def __init__(self, params: Any) -> None:
        self.params = params
        self.asked: list[dict[str, Any]] = []
        if params.model.path.endswith("broken.gguf"):
            raise RuntimeError("no model in it")

    def handle_chat_completions(self, asked: dict[str, Any], hear: Any = None) -> Any:
        self.asked.append(asked)
        prompt = asked["messages"][-1]["content"]
        if "long" in prompt:
            return TOO_LONG if hear is None else hear(TOO_LONG)
        if hear is None:
            return {"choices": [{"message": {"content": prompt.upper()}}]}
        for word in prompt.upper().split():
            if hear([{"choices": [{"delta": {"content": word}}]}]):
                return None
        return hear([{"choices": [{"delta": {}}]}])

    def handle_completions(self, asked: dict[str, Any], hear: Any = None) -> Any:
        self.asked.append(asked)
        return {"choices": [{"text": asked["prompt"].upper()}]}


def make_params() -> Any:
    return SimpleNamespace(model=SimpleNamespace(), cpuparams=SimpleNamespace(), cpuparams_batch=SimpleNamespace())


@pytest.fixture
def gguf(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    library = ModuleType("xllamacpp")
    library.Server, library.CommonParams = StubServer, make_params  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "xllamacpp", library)
    path = tmp_path / "model.gguf"
    path.write_bytes(b"GGUF")
    return path


def test_prompts_are_answered_in_order(gguf: Path) -> None:
    chat = make_chat("llama-cpp", LlmOptions(model=str(gguf)))
    assert isinstance(chat, ChatModel)
    heard: list[tuple[int, str]] = []
    answers = chat.complete_many(["a", "too long", "b"], on_answer=lambda at, answer: heard.append((at, answer)))
    assert (answers[0], answers[2]) == ("A", "B")
    assert isinstance(answers[1], LlmError)
    assert answers[1].reason == "prompt too long"
    assert heard == [(0, "A"), (2, "B")]


def test_what_is_asked(gguf: Path) -> None:
    chat = LlamaCppChat(gguf, n_threads=3)
    chat.complete("hello", ChatOptions(max_tokens=7, stop=("x",), system="be brief"))
    assert chat._server.asked == [
        {
            "max_tokens": 7,
            "temperature": 0,
            "stop": ["x"],
            "messages": [{"role": "system", "content": "be brief"}, {"role": "user", "content": "hello"}],
        }
    ]
    assert chat._server.params.cpuparams.n_threads == 3


def test_without_a_template_the_prompt_goes_on_as_it_is(gguf: Path) -> None:
    assert LlamaCppChat(gguf, template=False).complete("b", ChatOptions(system="a")) == "A\n\nB"


def test_a_stream_comes_in_pieces_and_may_be_left(gguf: Path) -> None:
    chat = LlamaCppChat(gguf)
    assert list(chat.stream("one two three")) == ["ONE", "TWO", "THREE"]
    stream = chat.stream("one two three")
    assert next(stream) == "ONE"
    stream.close()  # type: ignore[attr-defined]
    assert chat.complete("four") == "FOUR"
    with pytest.raises(LlmError, match="9 tokens exceed 4"):
        list(chat.stream("too long"))


def test_an_empty_answer_is_none(gguf: Path) -> None:
    with pytest.raises(LlmError, match="empty answer"):
        LlamaCppChat(gguf).complete(" ")


def test_a_file_that_is_not_there_or_no_model(gguf: Path) -> None:
    with pytest.raises(ConfigError, match="no such GGUF file"):
        LlamaCppChat(gguf.with_name("missing.gguf"))
    broken = gguf.with_name("broken.gguf")
    broken.write_bytes(b"")
    with pytest.raises(ConfigError, match="cannot load it: no model in it"):
        LlamaCppChat(broken).complete("a")


def test_without_the_library(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "model.gguf"
    path.write_bytes(b"GGUF")
    monkeypatch.setitem(sys.modules, "xllamacpp", None)
    with pytest.raises(MissingExtraError, match="llama-cpp"):
        LlamaCppChat(path)
