"""OpenAI-compatible endpoints: many requests at a time, a server that dies, and answers that are none."""

import logging
import re
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from qtie.errors import ConfigError, LlmError
from qtie.llm.chat import ChatModel, ChatOptions
from qtie.llm.openai import OpenAIChat

KEY = "sk-very-secret"
SAYS = "the private words of a query"


def chat_at(url: str, **options: Any) -> OpenAIChat:
    settings = {"api_key": KEY, "timeout_seconds": 60.0, "read_seconds": 60.0, "n_retries": 1, **options}
    return OpenAIChat("m", base_url=url, **settings)


def prompt_of(request: dict[str, Any]) -> str:
    return str(request["messages"][-1]["content"])


def marker_of(request: dict[str, Any]) -> str:
    found = re.search(r"marker-\d+", prompt_of(request))
    assert found
    return found[0]


def test_it_is_a_chat_model_and_shows_no_key() -> None:
    chat = chat_at("http://localhost:1/v1")
    assert isinstance(chat, ChatModel)
    assert KEY not in f"{chat!r} {chat} {chat.identity}"


def test_what_is_sent(llm_server: Any) -> None:
    stub = llm_server(lambda request: "yes")
    options = ChatOptions(max_tokens=7, stop=("\n",), system="Be brief.", schema={"type": "object"})
    assert chat_at(stub.base_url + "/").complete("Really?", options) == "yes"
    assert chat_at(stub.base_url, endpoint="completions", api_key=None).complete("Really?", options) == "yes"
    extra = {"temperature": None, "top_k": 1}
    assert chat_at(stub.base_url, extra=extra).complete("Really?") == "yes"
    chat, completion, other = stub.requests
    assert stub.keys[0] == f"Bearer {KEY}"
    assert KEY not in stub.keys[1]
    assert chat["path"] == "/v1/chat/completions"
    assert chat["messages"] == [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "Really?"}]
    assert (chat["model"], chat["temperature"], chat["max_tokens"], chat["stop"]) == ("m", 0, 7, ["\n"])
    assert chat["response_format"]["json_schema"]["schema"] == {"type": "object"}
    assert (completion["path"], completion["prompt"]) == ("/v1/completions", "Be brief.\n\nReally?")
    assert "temperature" not in other
    assert other["top_k"] == 1


def test_many_requests_at_a_time_none_lost_or_mixed_up(llm_server: Any) -> None:
    all_here = threading.Barrier(32, timeout=60)  # nobody is answered before 32 requests wait

    def reply(request: dict[str, Any]) -> str:
        all_here.wait()
        return f"answer to {marker_of(request)}"

    stub = llm_server(reply)
    chat = chat_at(stub.base_url)
    told: dict[int, str] = {}
    answers = chat.complete_many([f"query marker-{n}" for n in range(192)], on_answer=told.__setitem__)
    assert answers == [f"answer to marker-{n}" for n in range(192)]
    assert told == dict(enumerate(answers))
    assert stub.most_in_flight == 32
    assert len(stub.requests) == chat.n_requests == 192


def test_the_limit_holds_over_threads_and_inside_a_running_event_loop(llm_server: Any) -> None:
    import asyncio

    def reply(request: dict[str, Any]) -> str:
        time.sleep(0.02)
        return marker_of(request)

    stub = llm_server(reply)
    chat = chat_at(stub.base_url, concurrency=3)
    with ThreadPoolExecutor(12) as pool:
        assert list(pool.map(chat.complete, (f"marker-{n}" for n in range(30)))) == [f"marker-{n}" for n in range(30)]
    assert stub.most_in_flight == 3

    async def inside() -> str:
        return chat.complete("marker-7")

    assert asyncio.run(inside()) == "marker-7"


def test_a_server_that_is_killed_and_started_again_loses_nothing(llm_server: Any) -> None:
    def reply(request: dict[str, Any]) -> str:
        time.sleep(0.05)
        return f"answer to {marker_of(request)}"

    stub = llm_server(reply)
    chat = chat_at(stub.base_url, n_retries=6)

    def kill_and_restart() -> None:
        while len(stub.requests) < 60:
            time.sleep(0.005)
        stub.kill()
        time.sleep(0.7)
        stub.start()

    killer = threading.Thread(target=kill_and_restart)
    killer.start()
    answers = chat.complete_many([f"query marker-{n}" for n in range(150)])
    killer.join()
    assert answers == [f"answer to marker-{n}" for n in range(150)]
    assert chat.n_requests > 150


def test_a_server_that_was_overloaded_for_a_while_is_asked_again(llm_server: Any, raw: Any) -> None:
    for status in (429, 500, 503):
        replies = iter([raw(b"{}", status, {"Retry-After": "0.01"}), raw(b"{}", status), "at last"])
        stub = llm_server(lambda request, replies=replies: next(replies))
        assert chat_at(stub.base_url, n_retries=2).complete("x") == "at last"


def _answer(body: bytes) -> Callable[[Any], Any]:
    return lambda raw: raw(body)


BAD_ANSWERS: dict[str, tuple[Callable[[Any], Any], str]] = {
    "429": (lambda raw: raw(b'{"error": "slow"}', 429, {"Retry-After": "0.01"}), "HTTP 429"),
    "429 for an hour": (lambda raw: raw(b"{}", 429, {"Retry-After": "3600"}), "HTTP 429"),
    "429 for a minute": (lambda raw: raw(b"{}", 429, {"Retry-After": "60"}), "timeout"),
    "500": (lambda raw: raw(f"trouble with {SAYS}".encode(), 500), "HTTP 500"),
    "401": (lambda raw: raw(f'{{"error": {{"message": "no such key {KEY}"}}}}'.encode(), 401), "HTTP 401"),
    "404": (lambda raw: raw(b"", 404), "HTTP 404"),
    "a page": (lambda raw: raw(f"<html>{SAYS}".encode(), headers={"Content-Type": "text/html"}), "malformed answer"),
    "no JSON": (_answer(b"<html>"), "malformed answer"),
    "no UTF-8": (_answer(b'{"choices": [{"message": {"content": "\xff"}}]}'), "malformed answer"),
    "another record": (_answer(b'{"answer": 1}'), "malformed answer"),
    "null": (_answer(b"null"), "malformed answer"),
    "a list": (_answer(b"[1]"), "malformed answer"),
    "no choice": (_answer(b'{"choices": []}'), "malformed answer"),
    "a wrong choice": (_answer(b'{"choices": "abc"}'), "malformed answer"),
    "a wrong message": (_answer(b'{"choices": [{"message": null}]}'), "malformed answer"),
    "a wrong text": (_answer(b'{"choices": [{"message": {"content": 3}}]}'), "malformed answer"),
    "no text": (_answer(b'{"choices": [{"message": {"content": null}}]}'), "empty answer"),
    "an empty text": (lambda raw: "", "empty answer"),
    "blanks": (lambda raw: " \n", "empty answer"),
    "a huge text": (lambda raw: "9" * 1_000_000, "answer too long"),
    "half an answer": (lambda raw: raw(b'{"choices": [{"mess', cut=True), "unreachable"),
    "broken compression": (lambda raw: raw(b"abc", headers={"Content-Encoding": "gzip"}), "unreachable"),
    "silence": (lambda raw: raw(b"{}", wait_seconds=3), "timeout"),
    "a trickle": (lambda raw: raw(b"{" + b" " * 99, seconds_per_byte=0.2), "timeout"),
}


@pytest.mark.parametrize("case", BAD_ANSWERS)
def test_a_bad_answer_is_one_clear_error_in_time(
    case: str, llm_server: Any, raw: Any, caplog: pytest.LogCaptureFixture
) -> None:
    make, reason = BAD_ANSWERS[case]
    caplog.set_level(logging.DEBUG)
    stub = llm_server(lambda request: make(raw))
    seconds = 1.5 if reason == "timeout" else 60.0
    started = time.monotonic()
    with pytest.raises(LlmError) as caught:
        chat_at(stub.base_url, timeout_seconds=seconds).complete(SAYS)
    assert time.monotonic() - started < seconds + 8
    assert caught.value.reason == reason
    assert stub.base_url in str(caught.value)
    assert caught.value.__suppress_context__
    said = caplog.text + str(caught.value) + repr(caught.value)
    assert SAYS not in said
    assert KEY not in said


def test_a_refused_connection_is_an_error_and_then_fails_at_once(llm_server: Any) -> None:
    stub = llm_server(lambda request: "yes")
    stub.kill()
    chat = chat_at(stub.base_url)
    started = time.monotonic()
    answers = chat.complete_many(["x"] * 1000)
    assert time.monotonic() - started < 30
    assert {answer.reason for answer in answers if isinstance(answer, LlmError)} == {"unreachable"}
    assert len(answers) == 1000
    assert chat.n_requests < 100  # of the first 33 or so, once again


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost"])
def test_an_endpoint_where_nobody_listens_is_given_up_soon(llm_server: Any, host: str) -> None:
    stub = llm_server(lambda request: "yes")
    stub.kill()
    chat = chat_at(stub.base_url.replace("127.0.0.1", host), n_retries=6)
    started = time.monotonic()
    with pytest.raises(LlmError, match="cannot be reached") as caught:
        chat.complete("x")
    assert 0.4 < time.monotonic() - started < 2
    assert (caught.value.reason, chat.n_requests) == ("unreachable", 2)


def test_an_endpoint_that_begins_to_listen_meanwhile_answers(llm_server: Any) -> None:
    stub = llm_server(lambda request: "yes")
    stub.kill()
    starter = threading.Timer(0.2, stub.start)
    starter.start()
    assert chat_at(stub.base_url, n_retries=6).complete("x") == "yes"
    starter.join()


def test_an_endpoint_that_has_answered_is_waited_for(llm_server: Any) -> None:
    stub = llm_server(lambda request: "yes")
    chat = chat_at(stub.base_url, n_retries=6)
    assert chat.complete("x") == "yes"
    stub.kill()
    starter = threading.Timer(1.5, stub.start)
    starter.start()
    assert chat.complete("x") == "yes"
    starter.join()


def test_a_failing_prompt_does_not_stop_the_others(llm_server: Any, raw: Any) -> None:
    stub = llm_server(lambda request: raw(b"{}", 503) if prompt_of(request).endswith("-3") else marker_of(request))
    answers = chat_at(stub.base_url, n_retries=0).complete_many([f"marker-{n}" for n in range(40)])
    assert [isinstance(answer, LlmError) for answer in answers] == [n == 3 for n in range(40)]


def test_an_endpoint_that_answers_again_is_asked_again(llm_server: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("qtie.llm.openai._PAUSE_SECONDS", 1e6)
    stub = llm_server(lambda request: "yes")
    stub.kill()
    chat = chat_at(stub.base_url, n_retries=0)
    for _ in range(2):
        with pytest.raises(LlmError, match="cannot be reached"):
            chat.complete("x")
    stub.start()
    with pytest.raises(LlmError, match="a moment ago"):
        chat.complete("x")
    chat._paused_until = 0.0  # as if the pause were over
    assert chat.complete("x") == "yes"


def test_text_that_is_no_unicode_is_an_error_without_the_text() -> None:
    with pytest.raises(LlmError, match="not Unicode") as caught:
        chat_at("http://127.0.0.1:9/v1").complete(f"{SAYS} \ud800")
    assert SAYS not in str(caught.value)


def test_a_stream_comes_in_pieces(llm_server: Any, raw: Any) -> None:
    stub = llm_server(lambda request: "one two three")
    chat = chat_at(stub.base_url)
    assert list(chat.stream("x")) == ["one", "two", "three"]
    next(chat.stream("x"))  # a reader that goes away early
    assert chat.complete("x") == "one two three"


EVENTS = {"Content-Type": "text/event-stream"}
PIECE = b'data: {"choices": [{"delta": {"content": "one"}}]}\n\n'
BAD_STREAMS: dict[str, tuple[Callable[[Any], Any], str]] = {
    "it ends early": (lambda raw: raw(PIECE, headers=EVENTS), "broken off"),
    "the connection ends": (lambda raw: raw(PIECE, headers=EVENTS, cut=True), "broken off"),
    "nothing": (lambda raw: raw(b"", headers=EVENTS), "broken off"),
    "no JSON": (lambda raw: raw(b"data: {oops\n\n", headers=EVENTS), "malformed answer"),
    "no record": (lambda raw: raw(b"data: 3\n\n", headers=EVENTS), "malformed answer"),
    "an error": (lambda raw: raw(b'data: {"error": {"message": "no"}}\n\n', headers=EVENTS), "malformed answer"),
    "empty": (lambda raw: "", "empty answer"),
    "500": (lambda raw: raw(b"", 500), "HTTP 500"),
    "a trickle": (lambda raw: raw(PIECE * 9, headers=EVENTS, seconds_per_byte=0.05), "timeout"),
}


@pytest.mark.parametrize("case", BAD_STREAMS)
def test_a_bad_stream_is_one_clear_error_in_time(case: str, llm_server: Any, raw: Any) -> None:
    make, reason = BAD_STREAMS[case]
    stub = llm_server(lambda request: make(raw))
    seconds = 1.5 if reason == "timeout" else 60.0
    started = time.monotonic()
    with pytest.raises(LlmError) as caught:
        list(chat_at(stub.base_url, timeout_seconds=seconds).stream(SAYS))
    assert time.monotonic() - started < seconds + 8
    assert caught.value.reason == reason


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"base_url": "localhost:8000"}, "must be like"),
        ({"base_url": "ftp://localhost"}, "must be like"),
        ({"base_url": "http://"}, "must be like"),
        ({"base_url": "http://[1"}, "no URL"),
        ({"base_url": "http://h:99999999"}, "no URL"),
        ({"base_url": f"http://me:{KEY}@h/v1"}, "credentials"),
        ({"base_url": f"http://h/v1?key={KEY}"}, "credentials"),
        ({"api_key": f"{KEY}\n"}, "line break"),
        ({"api_key": ""}, "empty"),
        ({"endpoint": "chatter"}, "one of chat, completions"),
        ({"timeout_seconds": 0}, "above 0"),
        ({"n_retries": -1}, "0 or more"),
        ({"concurrency": 0}, "1 or more"),
    ],
)
def test_arguments_that_make_no_sense_are_refused_without_the_key(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(ConfigError, match=message) as caught:
        OpenAIChat("m", **{"base_url": "http://h/v1", **arguments})
    assert KEY not in str(caught.value)


def test_options_that_make_no_sense_are_refused() -> None:
    with pytest.raises(ConfigError, match="max_tokens"):
        ChatOptions(max_tokens=0)
    with pytest.raises(ConfigError, match="stop"):
        ChatOptions(stop=("",))


def test_what_the_listener_raises_ends_it(llm_server: Any) -> None:
    stub = llm_server(lambda request: "yes")

    def full(at: int, answer: str) -> None:
        raise ConfigError("the disk is full")

    with pytest.raises(ConfigError, match="the disk is full"):
        chat_at(stub.base_url).complete_many(["x"] * 100, on_answer=full)


def test_a_forked_process_asks_with_connections_of_its_own(llm_server: Any) -> None:
    stub = llm_server(lambda request: "yes")
    code = f"""
import os
from qtie.llm.openai import OpenAIChat
chat = OpenAIChat("m", base_url={stub.base_url!r})
assert chat.complete("x") == "yes"
child = os.fork()
if child == 0:
    os._exit(0 if chat.complete("x") == "yes" else 3)
assert os.waitpid(child, 0)[1] == 0
assert chat.complete("x") == "yes"
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=120)
    assert (done.returncode, done.stderr) == (0, "")
    assert len(stub.requests) == 3
