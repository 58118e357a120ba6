"""What the language model over chat completions makes of an endpoint's failures and answers."""

from collections.abc import Iterator

import httpx
import pytest

from palimpsest.adapters.http_models import ChatCompletionsModel
from palimpsest.domain.errors import (
    DeadlineExceeded,
    PalimpsestError,
    ProviderError,
    Throttled,
    Unavailable,
)
from unit.adapters.broken_connections import BROKEN
from unit.adapters.scripted_chats import (
    PROMPT,
    Endpoint,
    answering,
    good,
    refusing,
    scripted,
)


@pytest.fixture
def endpoint() -> Iterator[Endpoint]:
    with scripted() as made:
        yield made


@pytest.mark.parametrize(
    ("status", "error"),
    [
        (400, ProviderError),
        (401, ProviderError),
        (403, ProviderError),
        (404, ProviderError),
        (413, ProviderError),
        (422, ProviderError),
        (302, ProviderError),
        (204, ProviderError),
        (408, Unavailable),
        (429, Throttled),
        (500, Unavailable),
        (503, Unavailable),
        (529, Unavailable),
    ],
)
@pytest.mark.parametrize(
    "body",
    [
        {"error": {"message": "the text was: kiln secret-key", "code": "some_code"}},
        {"error": "model 'kiln' not found"},
        {"error": {"message": "kiln", "code": 400, "param": None}},
        {"object": "error", "message": "kiln", "code": 400, "param": None},
        {"error": None},
        {"detail": [{"loc": ["body"], "msg": "kiln"}]},
        ["kiln"],
        b"<html>kiln</html>",
        b"\xff\xfe",
        b"",
        b"[" * 100_000,
        b'{"error": {"code": ' + b"9" * 5_000 + b"}}",
    ],
)
def test_a_status_becomes_an_error_of_its_kind_whatever_its_body(
    endpoint: Endpoint, status: int, error: type[PalimpsestError], body: object
) -> None:
    with pytest.raises(error) as caught:
        endpoint.ask(answering(body, status))
    assert type(caught.value) is error
    assert getattr(caught.value, "stage", "rewrite") == "rewrite"
    assert "kiln" not in str(caught.value)
    assert "secret-key" not in str(caught.value)
    assert len(endpoint.requests) == (2 if status in {400, 422} else 1)


@pytest.mark.parametrize(
    ("value", "seconds"), [("7", 7), ("0.5", 0.5), ("9999", 300), ("soon", 1), ("nan", 1)]
)
def test_patience_is_as_long_as_the_endpoint_asks_for(
    endpoint: Endpoint, value: str, seconds: float
) -> None:
    with pytest.raises(Throttled) as caught:
        endpoint.ask(answering({}, 429, **{"Retry-After": value}))
    assert caught.value.retry_after == seconds
    with pytest.raises(Unavailable) as unavailable:
        endpoint.ask(answering({}, 503, **{"Retry-After": value}))
    assert unavailable.value.retry_after == seconds


@pytest.mark.parametrize(("raised", "error"), BROKEN)
def test_a_broken_connection_becomes_an_error_of_its_kind(
    endpoint: Endpoint, raised: Exception, error: type[PalimpsestError]
) -> None:
    def handler(_: httpx.Request) -> httpx.Response:
        raise raised

    with pytest.raises(error) as caught:
        endpoint.ask(handler)
    assert type(caught.value) is error
    assert len(endpoint.requests) == 1


def test_an_answer_that_trickles_in_is_broken_off_at_the_deadline(endpoint: Endpoint) -> None:
    read = []

    def trickle() -> Iterator[bytes]:
        for number in range(100):
            endpoint.now += 1
            read.append(number)
            yield b" "

    with pytest.raises(DeadlineExceeded):
        endpoint.ask(lambda _: httpx.Response(200, content=trickle()))
    assert len(read) == 6


def test_requests_share_one_time(endpoint: Endpoint) -> None:
    endpoint.slowness = 4
    model = endpoint.model(refusing("response_format", "temperature", "max_tokens"))
    with pytest.raises(DeadlineExceeded):
        model.complete(PROMPT, timeout=10)
    assert len(endpoint.requests) == 3
    assert model.complete(PROMPT, timeout=100).text == "yes"


def test_no_request_is_made_where_there_is_no_time(endpoint: Endpoint) -> None:
    with pytest.raises(DeadlineExceeded):
        endpoint.ask(good, timeout=0)
    assert endpoint.requests == []


def test_the_key_goes_in_the_header_and_the_request_to_the_route(endpoint: Endpoint) -> None:
    endpoint.ask(good)
    assert str(endpoint.raw[0].url) == "http://127.0.0.1:9/v1/chat/completions"
    assert endpoint.raw[0].headers["Authorization"] == "Bearer secret-key"


def test_the_client_that_was_given_stays_open(endpoint: Endpoint) -> None:
    model = endpoint.model(good)
    model.close()
    assert model.complete(PROMPT, timeout=5).text == "yes"


def test_a_model_without_a_client_makes_and_closes_its_own() -> None:
    for url in ("http://127.0.0.1:9/v1", "https://models.example/v1"):
        model = ChatCompletionsModel(base_url=url, model="m")
        assert model.name == "openai:m"
        model.close()
        model.close()
