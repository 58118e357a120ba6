"""What the HTTP reranker sends, in each shape."""

from collections.abc import Iterator
from typing import Any

import httpx
import pytest

from contract.scripted_rerank import ScriptedEndpoint, answering, good
from palimpsest.adapters.http_models import HttpReranker, RerankShape
from palimpsest.domain.errors import DeadlineExceeded, ProviderError, Unavailable

DOCUMENTS = ["first", "the second", "third one"]
COMMON = {"model": "some-model", "query": "why", "documents": DOCUMENTS, "top_n": 3}


@pytest.fixture
def endpoint() -> Iterator[ScriptedEndpoint]:
    made = ScriptedEndpoint()
    yield made
    made.close()


@pytest.mark.parametrize(
    ("shape", "body"),
    [
        (RerankShape.COHERE, COMMON),
        (RerankShape.JINA, {**COMMON, "return_documents": False}),
        (RerankShape.LLAMA_SERVER, COMMON),
        (RerankShape.TEI, {"query": "why", "texts": DOCUMENTS, "truncate": True}),
    ],
)
def test_a_request_has_the_members_of_its_shape_and_asks_for_every_score(
    endpoint: ScriptedEndpoint, shape: RerankShape, body: dict[str, Any]
) -> None:
    assert endpoint.reranker(good, shape).rerank("why", DOCUMENTS, timeout=5) == [5, 10, 9]
    assert endpoint.requests == [body]


@pytest.mark.parametrize("shape", RerankShape)
def test_fifty_documents_go_at_once_but_to_tei_in_two_parts(
    endpoint: ScriptedEndpoint, shape: RerankShape
) -> None:
    texts = ["x" * (n * 7 % 50 + 1) for n in range(50)]
    scores = endpoint.reranker(good, shape).rerank("why", texts, timeout=5)
    assert scores == [len(text) for text in texts]
    member = "texts" if shape is RerankShape.TEI else "documents"
    sent = [len(request[member]) for request in endpoint.requests]
    assert sent == ([32, 18] if shape is RerankShape.TEI else [50])


def test_parts_for_tei_stay_below_its_limit_of_bytes(endpoint: ScriptedEndpoint) -> None:
    texts = ["记" * 150_000] * 3 + ["x"]
    scores = endpoint.reranker(good, RerankShape.TEI).rerank("why", texts, timeout=5)
    assert scores == [150_000] * 3 + [1]
    assert [len(request["texts"]) for request in endpoint.requests] == [2, 2]


def test_parts_share_one_time_and_one_that_fails_fails_all(endpoint: ScriptedEndpoint) -> None:
    def slow(request: httpx.Request) -> httpx.Response:
        endpoint.now += 4
        return good(request)

    with pytest.raises(DeadlineExceeded):
        endpoint.reranker(slow, RerankShape.TEI).rerank("why", ["text"] * 100, timeout=7)
    assert len(endpoint.requests) == 2

    def second_fails(request: httpx.Request) -> httpx.Response:
        return good(request) if len(endpoint.requests) < 4 else httpx.Response(503)

    with pytest.raises(Unavailable):
        endpoint.reranker(second_fails, RerankShape.TEI).rerank("why", ["text"] * 50, timeout=7)
    assert len(endpoint.requests) == 4


@pytest.mark.parametrize("shape", RerankShape)
def test_blank_documents_are_sent_as_a_dash_and_broken_characters_not_at_all(
    endpoint: ScriptedEndpoint, shape: RerankShape
) -> None:
    endpoint.reranker(good, shape).rerank("w\0hy", ["", "\u200b", "a\ud800b"], timeout=5)
    (request,) = endpoint.requests
    assert request["query"] == "why"
    assert request.get("texts", request.get("documents")) == ["-", "-", "ab"]


def test_no_documents_are_no_request(endpoint: ScriptedEndpoint) -> None:
    assert endpoint.reranker(good).rerank("why", [], timeout=5) == []
    assert endpoint.requests == []


def test_no_time_is_no_request(endpoint: ScriptedEndpoint) -> None:
    with pytest.raises(DeadlineExceeded):
        endpoint.reranker(good).rerank("why", DOCUMENTS, timeout=0)
    assert endpoint.requests == []


def test_the_key_goes_in_the_header_and_into_no_error(endpoint: ScriptedEndpoint) -> None:
    with pytest.raises(ProviderError) as caught:
        endpoint.reranker(answering({}, 401)).rerank("why", DOCUMENTS, timeout=5)
    assert endpoint.headers[0]["Authorization"] == "Bearer secret"
    assert "secret" not in str(caught.value)


def test_without_a_key_no_header_is_sent(endpoint: ScriptedEndpoint) -> None:
    endpoint.reranker(good, key=None).rerank("why", DOCUMENTS, timeout=5)
    assert "Authorization" not in endpoint.headers[0]


def test_a_shape_may_be_named_as_a_setting_names_it() -> None:
    made = HttpReranker(
        url="http://127.0.0.1:9/rerank", model="bge-reranker-v2-m3", shape=RerankShape("tei")
    )
    assert made.name == "bge-reranker-v2-m3"
    made.close()


def test_a_client_that_was_given_stays_open(endpoint: ScriptedEndpoint) -> None:
    reranker = endpoint.reranker(good)
    reranker.close()
    assert reranker.rerank("why", DOCUMENTS, timeout=5) == [5, 10, 9]
