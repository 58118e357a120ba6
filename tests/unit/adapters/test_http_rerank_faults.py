"""What the HTTP reranker makes of an endpoint's failures, in each shape."""

import json
from collections.abc import Iterator

import httpx
import pytest

from contract.scripted_rerank import TEI, Handler, ScriptedEndpoint, answering, ranks
from palimpsest.adapters.http_models import RerankShape
from palimpsest.domain.errors import (
    DeadlineExceeded,
    PalimpsestError,
    ProviderError,
    Throttled,
    Unavailable,
)
from unit.adapters.broken_connections import BROKEN

DOCUMENTS = ["first", "second", "third"]

each_shape = pytest.mark.parametrize("shape", RerankShape)


@pytest.fixture
def endpoint() -> Iterator[ScriptedEndpoint]:
    made = ScriptedEndpoint()
    yield made
    made.close()


def failure(endpoint: ScriptedEndpoint, handler: Handler, shape: RerankShape) -> PalimpsestError:
    """What is raised; nothing is asked twice, and no error tells a text or the key."""
    reranker = endpoint.reranker(handler, shape)
    with pytest.raises(PalimpsestError) as caught:
        reranker.rerank("why", DOCUMENTS, timeout=5)
    assert len(endpoint.requests) == 1
    assert getattr(caught.value, "stage", "rerank") == "rerank"
    assert not any(text in str(caught.value) for text in ["why", "secret", *DOCUMENTS])
    return caught.value


@each_shape
@pytest.mark.parametrize(
    ("status", "error"),
    [
        (400, ProviderError),
        (401, ProviderError),
        (403, ProviderError),
        (404, ProviderError),
        (413, ProviderError),
        (422, ProviderError),
        (424, ProviderError),
        (302, ProviderError),
        (204, ProviderError),
        (408, Unavailable),
        (429, Throttled),
        (500, Unavailable),
        (501, Unavailable),
        (503, Unavailable),
        (529, Unavailable),
    ],
)
def test_a_status_becomes_an_error_of_its_kind(
    endpoint: ScriptedEndpoint, shape: RerankShape, status: int, error: type[PalimpsestError]
) -> None:
    body = {"error": {"message": "the text was: why first", "code": "some_code"}}
    raised = failure(endpoint, answering(body, status), shape)
    assert type(raised) is error
    assert "some_code" in str(raised)


@each_shape
def test_a_throttled_endpoint_says_when_to_come_back(
    endpoint: ScriptedEndpoint, shape: RerankShape
) -> None:
    raised = failure(endpoint, answering({}, 429, **{"Retry-After": "7"}), shape)
    assert isinstance(raised, Throttled)
    assert raised.retry_after == 7
    endpoint.requests.clear()
    raised = failure(endpoint, answering({}, 503, **{"Retry-After": "9"}), shape)
    assert isinstance(raised, Unavailable)
    assert raised.retry_after == 9


@pytest.mark.parametrize(("raised", "error"), BROKEN)
def test_a_broken_connection_becomes_an_error_of_its_kind(
    endpoint: ScriptedEndpoint, raised: Exception, error: type[PalimpsestError]
) -> None:
    def handler(_: httpx.Request) -> httpx.Response:
        raise raised

    assert type(failure(endpoint, handler, TEI)) is error


def test_an_answer_that_breaks_off_is_unavailable(endpoint: ScriptedEndpoint) -> None:
    def half() -> Iterator[bytes]:
        yield b'{"results": ['
        raise httpx.RemoteProtocolError("peer closed connection")

    raised = failure(endpoint, lambda _: httpx.Response(200, content=half()), RerankShape.JINA)
    assert type(raised) is Unavailable


def test_an_answer_that_trickles_past_the_deadline_is_broken_off(
    endpoint: ScriptedEndpoint,
) -> None:
    sent: list[int] = []

    def trickle() -> Iterator[bytes]:
        for number in range(100):
            endpoint.now += 2
            sent.append(number)
            yield b" "

    handler: Handler = lambda _: httpx.Response(200, content=trickle())  # noqa: E731  # one line
    assert type(failure(endpoint, handler, RerankShape.COHERE)) is DeadlineExceeded
    assert len(sent) == 3


@each_shape
@pytest.mark.parametrize(
    "body", [b"", b"<html>", b"\xff\xfe", b'{"results": [', b"[" * 100_000], ids=lambda b: b[:9]
)
def test_an_answer_that_is_no_json_is_useless(
    endpoint: ScriptedEndpoint, shape: RerankShape, body: bytes
) -> None:
    assert type(failure(endpoint, answering(body), shape)) is ProviderError


@each_shape
@pytest.mark.parametrize(
    "results",
    [
        None,
        {},
        {"index": 0},
        "first",
        3,
        True,
        [],
        [0.9, 0.8, 0.7],
        [None, None, None],
        [[0, 0.9], [1, 0.8], [2, 0.7]],
        [{}, {}, {}],
        [{"index": n} for n in range(3)],
        [{"relevance_score": 0.9, "score": 0.9} for _ in range(3)],
    ],
    ids=json.dumps,
)
def test_json_of_another_form_is_useless(
    endpoint: ScriptedEndpoint, shape: RerankShape, results: object
) -> None:
    body = results if shape is TEI else {"results": results}
    assert type(failure(endpoint, answering(body), shape)) is ProviderError


@each_shape
def test_the_form_of_another_shape_is_useless(
    endpoint: ScriptedEndpoint, shape: RerankShape
) -> None:
    pairs = [(0, 0.9), (1, 0.8), (2, 0.7)]
    other = ranks(RerankShape.COHERE if shape is TEI else TEI, *pairs)
    assert type(failure(endpoint, answering(other), shape)) is ProviderError


@each_shape
@pytest.mark.parametrize(
    "pairs",
    [
        [(0, 0.9), (1, 0.8)],
        [(0, 0.9), (1, 0.8), (2, 0.7), (3, 0.6)],
        [(0, 0.9), (1, 0.8), (2, 0.7), (2, 0.7)],
        [(0, 0.9), (1, 0.8), (1, 0.7)],
        [(0, 0.9), (1, 0.8), (3, 0.7)],
        [(0, 0.9), (1, 0.8), (-1, 0.7)],
        [(0, 0.9), (1, 0.8), (2.0, 0.7)],
        [(0, 0.9), (1, 0.8), ("2", 0.7)],
        [(0, 0.9), (True, 0.8), (2, 0.7)],
        [(0, 0.9), (1, 0.8), (10**400, 0.7)],
        [(0, 0.9), (1, 0.8), (2, float("nan"))],
        [(0, 0.9), (1, 0.8), (2, float("inf"))],
        [(0, 0.9), (1, 0.8), (2, float("-inf"))],
        [(0, 0.9), (1, 0.8), (2, 10**400)],
        [(0, 0.9), (1, 0.8), (2, None)],
        [(0, 0.9), (1, 0.8), (2, "0.7")],
        [(0, 0.9), (1, 0.8), (2, True)],
        [(0, 0.9), (1, 0.8), (2, [0.7])],
    ],
    ids=lambda pairs: str(pairs[2:])[:20],
)
def test_anything_but_one_finite_score_a_document_is_useless(
    endpoint: ScriptedEndpoint, shape: RerankShape, pairs: list[tuple[object, object]]
) -> None:
    assert type(failure(endpoint, answering(ranks(shape, *pairs)), shape)) is ProviderError


@each_shape
def test_scores_come_back_in_the_order_of_the_documents(
    endpoint: ScriptedEndpoint, shape: RerankShape
) -> None:
    answer = ranks(shape, (2, 3), (0, -0.5), (1, -12.25))
    reranker = endpoint.reranker(answering(answer), shape)
    assert reranker.rerank("why", DOCUMENTS, timeout=5) == [-0.5, -12.25, 3.0]
