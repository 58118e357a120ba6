"""Which members a chat completion is asked for with, and what is made of a member's refusal."""

import json
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from threading import Barrier

import httpx
import pytest

from palimpsest.domain.errors import DeadlineExceeded, ProviderError, Unavailable
from unit.adapters.scripted_chats import (
    PROMPT,
    Endpoint,
    Handler,
    answering,
    good,
    refusing,
    scripted,
)

OPENAI = "https://api.openai.com/v1"
ELSEWHERE = "http://127.0.0.1:9/v1"
OPTIONAL = ["max_completion_tokens", "max_tokens", "response_format", "temperature"]
ORDINARY = ["max_tokens", "response_format", "temperature"]


@pytest.fixture
def endpoint() -> Iterator[Endpoint]:
    with scripted() as made:
        yield made


def members(endpoint: Endpoint) -> list[list[str]]:
    """The optional members of each request."""
    return [[name for name in OPTIONAL if name in sent] for sent in endpoint.requests]


def twice(endpoint: Endpoint, handler: Handler, name: str = "some-model") -> list[list[str]]:
    """The members of all the requests that two answers take."""
    model = endpoint.model(handler, name)
    for _ in range(2):
        assert model.complete(PROMPT, timeout=5).text == "yes"
    return members(endpoint)


def test_a_request_holds_model_messages_limit_and_the_wish_for_json(endpoint: Endpoint) -> None:
    endpoint.ask(good)
    assert endpoint.requests == [
        {
            "model": "some-model",
            "messages": [
                {"role": "system", "content": PROMPT.system},
                {"role": "user", "content": PROMPT.user},
            ],
            "max_tokens": 50,
            "temperature": 0,
            "response_format": {"type": "json_object"},
        }
    ]


def test_json_is_asked_for_only_where_the_prompt_speaks_of_it(endpoint: Endpoint) -> None:
    model = endpoint.model(good)
    model.complete(replace(PROMPT, system="Answer."), timeout=5)
    model.complete(replace(PROMPT, system="", user="as Json"), timeout=5)
    assert ["response_format" in sent for sent in endpoint.requests] == [False, True]
    assert [len(sent["messages"]) for sent in endpoint.requests] == [2, 1]


@pytest.mark.parametrize(
    ("url", "name", "expected"),
    [
        (ELSEWHERE, "qwen3:8b", ORDINARY),
        (ELSEWHERE, "gpt-oss:20b", ORDINARY),
        (ELSEWHERE, "marco-o1", ORDINARY),
        (ELSEWHERE, "o1x", ORDINARY),
        (ELSEWHERE, "gpt-4o", ORDINARY),
        (OPENAI, "gpt-4o", ["max_completion_tokens", "response_format", "temperature"]),
        (OPENAI, "o3", ["max_completion_tokens", "response_format"]),
        (OPENAI, "o4-mini-2025-04-16", ["max_completion_tokens", "response_format"]),
        (OPENAI, "ft:o4-mini:acme", ["max_completion_tokens", "response_format"]),
        (OPENAI, "gpt-5-mini", ["max_completion_tokens", "response_format"]),
        (OPENAI, "gpt-5.4", ["max_completion_tokens", "response_format"]),
        (ELSEWHERE, "openai/gpt-5", ["max_completion_tokens", "response_format"]),
    ],
)
def test_limit_and_temperature_are_as_the_model_takes_them(
    endpoint: Endpoint, url: str, name: str, expected: list[str]
) -> None:
    endpoint.model(good, name, url).complete(PROMPT, timeout=5)
    assert members(endpoint) == [expected]


@pytest.mark.parametrize("status", [400, 422])
@pytest.mark.parametrize(
    "body",
    [
        {"error": {"message": "no", "param": "response_format", "code": "unsupported_parameter"}},
        {"error": {"message": "no", "param": "response_format.type"}},
        {"error": "'response_format.type' must be 'json_schema' or 'text'"},
        {"object": "error", "message": "response_format is not known", "param": None},
        {"detail": [{"loc": ["body", "response_format"], "msg": "Extra inputs"}]},
        {"error": "something is wrong"},
        {"error": {"message": "bad request", "param": "", "code": None}},
        ["bad request"],
        b"<html>bad request</html>",
        b"",
    ],
)
def test_refused_json_is_left_out_once_and_for_all(
    endpoint: Endpoint, status: int, body: object
) -> None:
    handler = refusing("response_format", body=body, status=status)
    assert twice(endpoint, handler) == [ORDINARY, *[["max_tokens", "temperature"]] * 2]


@pytest.mark.parametrize(
    "body",
    [
        None,
        {"error": {"message": "'max_tokens' is not supported. Use 'max_completion_tokens'."}},
        {"error": "max_tokens: unknown field"},
    ],
)
def test_a_refused_limit_has_its_other_name_from_then_on(endpoint: Endpoint, body: object) -> None:
    newer = ["max_completion_tokens", "response_format", "temperature"]
    assert twice(endpoint, refusing("max_tokens", body=body)) == [ORDINARY, newer, newer]
    assert [sent.get("max_completion_tokens") for sent in endpoint.requests] == [None, 50, 50]


def test_an_older_endpoint_gets_the_old_limit_for_a_new_model(endpoint: Endpoint) -> None:
    asked = twice(endpoint, refusing("max_completion_tokens"), "gpt-5")
    old = ["max_tokens", "response_format"]
    assert asked == [["max_completion_tokens", "response_format"], old, old]


@pytest.mark.parametrize("body", [None, {"error": "'temperature' does not support 0"}])
def test_a_refused_temperature_is_left_out_once_and_for_all(
    endpoint: Endpoint, body: object
) -> None:
    without = ["max_tokens", "response_format"]
    assert twice(endpoint, refusing("temperature", body=body)) == [ORDINARY, without, without]


def test_all_three_may_be_refused_in_four_requests(endpoint: Endpoint) -> None:
    asked = twice(endpoint, refusing("response_format", "temperature", "max_tokens"))
    assert asked == [
        ORDINARY,
        ["max_tokens", "temperature"],
        ["max_tokens"],
        ["max_completion_tokens"],
        ["max_completion_tokens"],
    ]


def test_requests_end_where_everything_is_refused(endpoint: Endpoint) -> None:
    with pytest.raises(ProviderError):
        endpoint.ask(refusing("response_format", "temperature", "max_tokens", "model"))
    assert len(endpoint.requests) == 4
    both = {"error": "max_tokens or max_completion_tokens is too large"}
    with pytest.raises(ProviderError):
        endpoint.ask(refusing("max_tokens", "max_completion_tokens", body=both))
    newer = ["max_completion_tokens", "response_format", "temperature"]
    assert members(endpoint)[4:] == [ORDINARY, newer]


@pytest.mark.parametrize(
    "error",
    [
        {"message": "8192 tokens at most", "code": "context_length_exceeded"},
        {"message": "response_format", "code": "json_validate_failed"},
        {"message": "no such model", "param": "model", "code": "model_not_found"},
        {"message": "too long", "param": "messages"},
    ],
)
def test_a_refusal_of_something_else_is_not_asked_again(
    endpoint: Endpoint, error: dict[str, str]
) -> None:
    with pytest.raises(ProviderError):
        endpoint.ask(answering({"error": error}, 400))
    assert len(endpoint.requests) == 1


def test_what_did_not_help_is_not_remembered(endpoint: Endpoint) -> None:
    def only_short(request: httpx.Request) -> httpx.Response:
        short = len(json.loads(request.content)["messages"][1]["content"]) < 100
        return good(request) if short else answering({"error": "too long"}, 400)(request)

    model = endpoint.model(only_short)
    with pytest.raises(ProviderError):
        model.complete(replace(PROMPT, user="long " * 100), timeout=5)
    model.complete(PROMPT, timeout=5)
    assert members(endpoint) == [ORDINARY, ["max_tokens", "temperature"], ORDINARY]


@pytest.mark.parametrize(
    ("status", "error"), [(503, Unavailable), (401, ProviderError), (413, ProviderError)]
)
def test_a_failure_of_the_second_request_is_the_failure_of_the_call(
    endpoint: Endpoint, status: int, error: type[Exception]
) -> None:
    def handler(request: httpx.Request) -> httpx.Response:
        if "response_format" in json.loads(request.content):
            return refusing("response_format")(request)
        return answering({}, status)(request)

    with pytest.raises(error):
        endpoint.ask(handler)
    assert len(endpoint.requests) == 2


def test_a_refusal_that_took_all_the_time_is_too_late(endpoint: Endpoint) -> None:
    endpoint.slowness = 6
    with pytest.raises(DeadlineExceeded):
        endpoint.ask(refusing("response_format"), timeout=5)
    assert len(endpoint.requests) == 1


def test_what_two_threads_learn_at_once_is_all_remembered(endpoint: Endpoint) -> None:
    together = Barrier(2)

    def by_question(request: httpx.Request) -> httpx.Response:
        sent = json.loads(request.content)
        member = "temperature" if "first" in sent["messages"][1]["content"] else "response_format"
        if member not in sent:
            together.wait(timeout=5)
        return refusing(member)(request)

    model = endpoint.model(by_question)
    with ThreadPoolExecutor(2) as threads:
        prompts = [replace(PROMPT, user=user) for user in ("first", "second")]
        list(threads.map(lambda one: model.complete(one, timeout=5), prompts))
    last = len(endpoint.requests)
    with ThreadPoolExecutor(2) as threads:
        list(threads.map(lambda one: model.complete(one, timeout=5), prompts))
    assert members(endpoint)[last:] == [["max_tokens"]] * 2
