"""What the OpenAI-compatible embedder makes of an endpoint's failures. No sockets: httpx's own
transport for tests stands for the network.
"""

import json
import math
from collections.abc import Callable, Iterator
from typing import Any

import httpx
import pytest

from palimpsest.adapters.http_models import OpenAICompatibleEmbedder
from palimpsest.domain.embedding import Embedded
from palimpsest.domain.errors import (
    DeadlineExceeded,
    EmbeddingRejected,
    PalimpsestError,
    ProviderError,
    Throttled,
    Unavailable,
)
from unit.adapters.broken_connections import BROKEN

Handler = Callable[[httpx.Request], httpx.Response]
GOOD = [3.0, 0.0, 4.0]


class Time:
    """Seconds that pass only while something sleeps."""

    def __init__(self) -> None:
        self.now = 100.0
        self.pauses: list[float] = []

    def monotonic(self) -> float:
        return self.now

    def sleep(self, seconds: float) -> None:
        self.pauses.append(seconds)
        self.now += seconds


class Endpoint:
    """An embedder over an endpoint that a test scripts; it keeps the requests."""

    def __init__(self) -> None:
        self.time = Time()
        self.requests: list[dict[str, Any]] = []
        self.headers: list[httpx.Headers] = []
        self.clients: list[httpx.Client] = []

    def embedder(self, handler: Handler, model: str = "some-model") -> OpenAICompatibleEmbedder:
        def keep(request: httpx.Request) -> httpx.Response:
            self.requests.append(json.loads(request.content))
            self.headers.append(request.headers)
            return handler(request)

        self.clients.append(httpx.Client(transport=httpx.MockTransport(keep)))
        return OpenAICompatibleEmbedder(
            base_url="http://127.0.0.1:9/v1/",
            model=model,
            dimension=3,
            api_key="secret-key",
            client=self.clients[-1],
            monotonic=self.time.monotonic,
            sleep=self.time.sleep,
            jitter=lambda: 0.5,
        )


@pytest.fixture
def endpoint() -> Iterator[Endpoint]:
    made = Endpoint()
    yield made
    for client in made.clients:
        client.close()


def vectors(*embeddings: object) -> Handler:
    """Answers with these embeddings, whatever was sent."""
    data = [{"index": i, "embedding": values} for i, values in enumerate(embeddings)]
    return answering({"data": data})


def answering(body: object, status: int = 200, **headers: str) -> Handler:
    content = json.dumps(body).encode()
    return lambda _: httpx.Response(status, content=content, headers=headers)


def good(request: httpx.Request) -> httpx.Response:
    """A vector for each text; its direction tells its place in the request."""
    texts = json.loads(request.content)["input"]
    data = [{"index": i, "embedding": [1.0, float(i), 0.0]} for i in range(len(texts))]
    return httpx.Response(200, json={"data": list(reversed(data))})


def failing_first(times: int, status: int, **headers: str) -> Handler:
    """Fails so many times, then answers."""
    left = [times]

    def handler(request: httpx.Request) -> httpx.Response:
        left[0] -= 1
        return httpx.Response(status, headers=headers) if left[0] >= 0 else good(request)

    return handler


@pytest.mark.parametrize(
    ("values", "reason"),
    [
        ([0.0, 0.0, 0.0], "zero"),
        ([1.0, math.nan, 0.0], "not_finite"),
        ([1.0, math.inf, 0.0], "not_finite"),
        ([1.0, None, 0.0], "not_finite"),
        ([1.0, "0.5", 0.0], "not_finite"),
        ([1.0, True, 0.0], "not_finite"),
        ([1.0, 10**400, 0.0], "not_finite"),
        ([1.0, 0.0], "wrong_width"),
        ([], "wrong_width"),
        (None, "wrong_width"),
        ("AACAPwAAAAA=", "wrong_width"),
    ],
)
def test_b2_a_useless_vector_rejects_its_text_and_no_other(
    endpoint: Endpoint, values: object, reason: str
) -> None:
    embedder = endpoint.embedder(vectors(GOOD, values, GOOD))
    first, second, third = embedder.embed_passages(["a", "b", "c"], timeout=5)
    assert first == third == Embedded((0.6, 0.0, 0.8))
    assert isinstance(second, EmbeddingRejected)
    assert second.reason == reason


def test_b1_a_zero_vector_for_a_question_is_rejected(endpoint: Endpoint) -> None:
    with pytest.raises(EmbeddingRejected) as caught:
        endpoint.embedder(vectors([0, 0, 0])).embed_query("why", timeout=5)
    assert caught.value.reason == "zero"


@pytest.mark.parametrize(
    "body",
    [
        {"data": [{"index": 0, "embedding": GOOD}]},
        {"data": [{"index": i, "embedding": GOOD} for i in (0, 0)]},
        {"data": [{"index": i, "embedding": GOOD} for i in (1, 2)]},
        {"data": [{"index": str(i), "embedding": GOOD} for i in (0, 1)]},
        {"data": [{"embedding": GOOD}, {"embedding": GOOD}]},
        {"data": [{"index": i, "embedding": GOOD} for i in (0, 1, 2)]},
        {"data": "none"},
        {"error": "none"},
        [1],
        None,
    ],
)
def test_b2_too_few_vectors_or_an_unclear_order_fail_the_call(
    endpoint: Endpoint, body: object
) -> None:
    with pytest.raises(ProviderError) as caught:
        endpoint.embedder(answering(body)).embed_passages(["a", "b"], timeout=5)
    assert caught.value.stage == "embed"
    assert len(endpoint.requests) == 1


def test_an_answer_that_is_no_json_fails_the_call(endpoint: Endpoint) -> None:
    embedder = endpoint.embedder(lambda _: httpx.Response(200, content=b"<html>"))
    with pytest.raises(ProviderError):
        embedder.embed_query("why", timeout=5)


def test_vectors_are_put_in_the_order_of_their_index(endpoint: Endpoint) -> None:
    results = endpoint.embedder(good).embed_passages(["a", "b", "c"], timeout=5)
    slopes = [round(r.vector[1] / r.vector[0]) for r in results if isinstance(r, Embedded)]
    assert slopes == [0, 1, 2]


def test_many_texts_go_in_batches_and_come_back_in_order(endpoint: Endpoint) -> None:
    texts = [f"text {n}" for n in range(70)] + ["long " * 30_000]
    results = endpoint.embedder(good).embed_passages(texts, timeout=5)
    assert [len(request["input"]) for request in endpoint.requests] == [32, 32, 6, 1]
    assert [text for request in endpoint.requests for text in request["input"]] == texts
    assert len(results) == len(texts)


@pytest.mark.parametrize(
    ("status", "error"),
    [
        (400, ProviderError),
        (401, ProviderError),
        (403, ProviderError),
        (404, ProviderError),
        (302, ProviderError),
        (204, ProviderError),
        (408, Unavailable),
        (429, Throttled),
        (500, Unavailable),
        (503, Unavailable),
        (529, Unavailable),
    ],
)
def test_a_status_becomes_an_error_of_its_kind_and_a_question_is_asked_once(
    endpoint: Endpoint, status: int, error: type[PalimpsestError]
) -> None:
    body = {"error": {"message": "the text was: why", "code": "some_code"}}
    with pytest.raises(error) as caught:
        endpoint.embedder(answering(body, status)).embed_query("why", timeout=5)
    assert type(caught.value) is error or status == 400
    assert "some_code" in str(caught.value)
    assert "why" not in str(caught.value)
    assert len(endpoint.requests) == 1


@pytest.mark.parametrize(("raised", "error"), BROKEN)
def test_a_broken_connection_becomes_an_error_of_its_kind(
    endpoint: Endpoint, raised: Exception, error: type[PalimpsestError]
) -> None:
    def handler(_: httpx.Request) -> httpx.Response:
        raise raised

    with pytest.raises(error) as caught:
        endpoint.embedder(handler).embed_query("why", timeout=5)
    assert type(caught.value) is error


def test_passages_are_asked_for_again_until_there_is_an_answer(endpoint: Endpoint) -> None:
    results = endpoint.embedder(failing_first(3, 503)).embed_passages(["a"], timeout=60)
    assert isinstance(results[0], Embedded)
    assert endpoint.time.pauses == [0.1, 0.2, 0.4]


def test_a_pause_is_no_shorter_than_the_endpoint_asks_for(endpoint: Endpoint) -> None:
    handler = failing_first(1, 429, **{"Retry-After": "7"})
    endpoint.embedder(handler).embed_passages(["a"], timeout=60)
    assert endpoint.time.pauses == [7.1]


def test_nothing_is_asked_again_that_would_come_too_late(endpoint: Endpoint) -> None:
    handler = failing_first(1, 429, **{"Retry-After": "70"})
    with pytest.raises(Throttled) as caught:
        endpoint.embedder(handler).embed_passages(["a"], timeout=60)
    assert caught.value.retry_after == 70
    assert endpoint.time.pauses == []


@pytest.mark.parametrize("value", ["soon", "-1", "nan", "inf", ""])
def test_a_senseless_retry_after_is_a_second(endpoint: Endpoint, value: str) -> None:
    handler = answering({}, 429, **{"Retry-After": value})
    with pytest.raises(Throttled) as caught:
        endpoint.embedder(handler).embed_query("why", timeout=5)
    assert caught.value.retry_after == 1


def test_attempts_end(endpoint: Endpoint) -> None:
    with pytest.raises(Unavailable):
        endpoint.embedder(failing_first(99, 500)).embed_passages(["a"], timeout=600)
    assert len(endpoint.requests) == 5


def test_batches_share_one_time(endpoint: Endpoint) -> None:
    def slow(request: httpx.Request) -> httpx.Response:
        endpoint.time.now += 4
        return good(request)

    with pytest.raises(DeadlineExceeded):
        endpoint.embedder(slow).embed_passages(["text"] * 100, timeout=10)
    assert len(endpoint.requests) == 3


def test_one_text_that_is_refused_does_not_take_its_batch_along(endpoint: Endpoint) -> None:
    def handler(request: httpx.Request) -> httpx.Response:
        refused = "poison" in json.loads(request.content)["input"]
        return httpx.Response(400) if refused else good(request)

    results = endpoint.embedder(handler).embed_passages(["a", "b", "poison", "c"], timeout=5)
    assert [isinstance(result, Embedded) for result in results] == [True, True, False, True]
    assert str(results[2]) == "no usable vector: refused"


def test_when_all_texts_are_refused_it_is_not_the_texts(endpoint: Endpoint) -> None:
    with pytest.raises(ProviderError):
        endpoint.embedder(answering({}, 400)).embed_passages(["a", "b"], timeout=5)


def test_a8_a_text_that_is_refused_alone_is_tried_once_more_from_its_beginning(
    endpoint: Endpoint,
) -> None:
    def handler(request: httpx.Request) -> httpx.Response:
        too_long = len(json.loads(request.content)["input"][0]) > 2_000
        return httpx.Response(413) if too_long else good(request)

    (result,) = endpoint.embedder(handler).embed_passages(["mortar " * 1_000], timeout=5)
    assert isinstance(result, Embedded)
    assert result.truncated
    assert endpoint.requests[-1]["input"][0].endswith("mortar")


def test_b5_blank_texts_are_not_sent(endpoint: Endpoint) -> None:
    endpoint.embedder(good).embed_passages(["", "a", " \n"], timeout=5)
    assert [request["input"] for request in endpoint.requests] == [["a"]]


def test_e5_gets_its_prefixes(endpoint: Endpoint) -> None:
    embedder = endpoint.embedder(good, model="intfloat/multilingual-e5-small")
    embedder.embed_query("why", timeout=5)
    embedder.embed_passages(["because"], timeout=5)
    assert [r["input"] for r in endpoint.requests] == [["query: why"], ["passage: because"]]


def test_a_width_is_asked_for_only_where_it_can_be_chosen(endpoint: Endpoint) -> None:
    endpoint.embedder(good, model="text-embedding-3-small").embed_query("why", timeout=5)
    endpoint.embedder(good, model="text-embedding-ada-002").embed_query("why", timeout=5)
    assert [request.get("dimensions") for request in endpoint.requests] == [3, None]


def test_the_key_goes_in_the_header_and_into_no_error(endpoint: Endpoint) -> None:
    with pytest.raises(ProviderError) as caught:
        endpoint.embedder(answering({}, 401)).embed_query("why", timeout=5)
    assert endpoint.headers[0]["Authorization"] == "Bearer secret-key"
    assert "secret-key" not in str(caught.value)


def test_a_fingerprint_can_be_given_and_is_made_safe() -> None:
    given = OpenAICompatibleEmbedder(
        base_url="http://127.0.0.1:9/v1", model="m", dimension=3, fingerprint="built:int8-1:384"
    )
    made = OpenAICompatibleEmbedder(
        base_url="https://models.example/v1", model="intfloat/e5 (new)", dimension=3
    )
    assert given.fingerprint == "built:int8-1:384"
    assert made.fingerprint == "openai:intfloat-e5--new-:3"
    given.close()
    made.close()
