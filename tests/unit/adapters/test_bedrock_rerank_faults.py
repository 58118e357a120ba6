"""What the Bedrock reranker makes of failures, requests and limits. botocore is the real one; what
it would send is answered in this process.
"""

from typing import Any

import pytest
from botocore.exceptions import (
    ConnectTimeoutError,
    EndpointConnectionError,
    IncompleteReadError,
    NoCredentialsError,
    ReadTimeoutError,
)

from contract.simulated_rerankers import ARN, Answer, SimulatedRerank, agent_runtime_client
from palimpsest.adapters.bedrock import BedrockReranker
from palimpsest.domain.errors import (
    DeadlineExceeded,
    PalimpsestError,
    ProviderError,
    Throttled,
    Unavailable,
)

MODEL = "cohere.rerank-v3-5:0"
DOCUMENTS = ["first", "second", "third"]


def reranker(answer: Any, model: str = MODEL, region: str = "eu-central-1") -> BedrockReranker:
    return BedrockReranker(agent_runtime_client(answer), model=model, region=region)


def results(*pairs: tuple[object, object], **more: object) -> dict[str, object]:
    return {"results": [{"index": i, "relevanceScore": score} for i, score in pairs], **more}


def failure(answer: Any) -> PalimpsestError:
    """What is raised; nothing is asked twice, and no error tells a text."""
    asked: list[object] = []

    def once(body: dict[str, Any]) -> Answer:
        asked.append(body)
        answered: Answer = answer(body)
        return answered

    with pytest.raises(PalimpsestError) as caught:
        reranker(once).rerank("why", DOCUMENTS, timeout=5)
    assert len(asked) == 1
    assert getattr(caught.value, "stage", "rerank") == "rerank"
    assert not any(text in str(caught.value) for text in ["why", *DOCUMENTS])
    return caught.value


@pytest.mark.parametrize(
    ("code", "status", "error"),
    [
        ("ThrottlingException", 429, Throttled),
        ("ServiceQuotaExceededException", 400, Throttled),
        ("ServiceUnavailableException", 503, Unavailable),
        ("InternalServerException", 500, Unavailable),
        ("BadGatewayException", 502, Unavailable),
        ("ModelTimeoutException", 408, DeadlineExceeded),
        ("ValidationException", 400, ProviderError),
        ("AccessDeniedException", 403, ProviderError),
        ("ResourceNotFoundException", 404, ProviderError),
        ("ConflictException", 409, ProviderError),
        ("DependencyFailedException", 424, ProviderError),
        ("SomethingNew", 418, ProviderError),
    ],
)
def test_a_code_becomes_an_error_of_its_kind(
    code: str, status: int, error: type[PalimpsestError]
) -> None:
    raised = failure(lambda _: (status, code, {"message": "the text was: why first"}))
    assert type(raised) is error


@pytest.mark.parametrize(
    ("raised", "error"),
    [
        (EndpointConnectionError(endpoint_url="here"), Unavailable),
        (IncompleteReadError(actual_bytes=3, expected_bytes=9), Unavailable),
        (ConnectTimeoutError(endpoint_url="here"), DeadlineExceeded),
        (ReadTimeoutError(endpoint_url="here"), DeadlineExceeded),
        (NoCredentialsError(), ProviderError),
    ],
)
def test_a_broken_connection_becomes_an_error_of_its_kind(
    raised: Exception, error: type[PalimpsestError]
) -> None:
    def answer(_body: dict[str, Any]) -> Answer:
        raise raised

    assert type(failure(answer)) is error


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"<html>",
        b"\xff\xfe",
        b'{"results": [',
        b"[" * 100_000,
        None,
        3,
        "text",
        [],
        [1],
        {},
        {"results": None},
        {"results": "text"},
        {"results": 3},
        {"results": {}},
        {"results": {"a": 1}},
        {"results": []},
        {"results": ["a", "b", "c"]},
        {"results": [None, None, None]},
        {"results": [[0, 0.9], [1, 0.8], [2, 0.7]]},
        {"results": [{}, {}, {}]},
        {"results": [{"index": n} for n in range(3)]},
        {"results": [{"relevanceScore": 0.5} for _ in range(3)]},
    ],
    ids=lambda body: repr(body)[:30],
)
def test_an_answer_of_another_form_is_useless(body: object) -> None:
    assert type(failure(lambda _: (200, "", body))) is ProviderError


@pytest.mark.parametrize(
    "pairs",
    [
        [(0, 0.9), (1, 0.8)],
        [(0, 0.9), (1, 0.8), (2, 0.7), (3, 0.6)],
        [(0, 0.9), (1, 0.8), (1, 0.7)],
        [(0, 0.9), (1, 0.8), (3, 0.7)],
        [(0, 0.9), (1, 0.8), (-1, 0.7)],
        [(0, 0.9), (1, 0.8), ("two", 0.7)],
        [(0, 0.9), (1, 0.8), (None, 0.7)],
        [(0, 0.9), (1, 0.8), (2, float("nan"))],
        [(0, 0.9), (1, 0.8), (2, float("inf"))],
        [(0, 0.9), (1, 0.8), (2, "NaN")],
        [(0, 0.9), (1, 0.8), (2, "high")],
        [(0, 0.9), (1, 0.8), (2, 10**400)],
        [(0, 0.9), (1, 0.8), (2, None)],
        [(0, 0.9), (1, 0.8), (2, [0.7])],
    ],
    ids=lambda pairs: str(pairs[2:])[:20],
)
def test_anything_but_one_finite_score_a_document_is_useless(
    pairs: list[tuple[object, object]],
) -> None:
    assert type(failure(lambda _: (200, "", results(*pairs)))) is ProviderError


def test_scores_come_back_in_the_order_of_the_documents() -> None:
    answer = results((2, 3), (0, -0.5), (1, -12.25))
    scores = reranker(lambda _: (200, "", answer)).rerank("why", DOCUMENTS, timeout=5)
    assert scores == [-0.5, -12.25, 3.0]


def test_an_answer_in_pages_is_read_to_its_end() -> None:
    model = SimulatedRerank()
    texts = [f"note {n}" for n in range(50)]
    scores = reranker(model).rerank("note 49", texts, timeout=5)
    assert (len(scores), scores.index(max(scores))) == (50, 49)
    tokens = [request.get("nextToken") for request in model.requests]
    assert tokens == [None, "20", "40"]
    assert all(request["sources"] == model.requests[0]["sources"] for request in model.requests)


def test_pages_that_never_end_end_with_the_time() -> None:
    now = [0.0]

    def answer(_body: dict[str, Any]) -> Answer:
        now[0] += 3
        return 200, "", {"results": [], "nextToken": "more"}

    client = agent_runtime_client(answer)
    slow = BedrockReranker(client, model=ARN, region="", monotonic=lambda: now[0])
    with pytest.raises(DeadlineExceeded) as caught:
        slow.rerank("why", DOCUMENTS, timeout=5)
    assert caught.value.stage == "rerank"
    assert now == [6.0]


def test_no_page_is_asked_for_when_every_document_has_its_score() -> None:
    asked: list[object] = []

    def answer(body: dict[str, Any]) -> Answer:
        asked.append(body)
        return 200, "", results((0, 0.9), (1, 0.8), (2, 0.7), nextToken="more")

    assert reranker(answer).rerank("why", DOCUMENTS, timeout=5) == [0.9, 0.8, 0.7]
    assert len(asked) == 1


def test_a_page_that_repeats_a_document_makes_all_useless() -> None:
    pages = iter([results((0, 0.9), (1, 0.8), nextToken="more"), results((0, 0.9))])
    with pytest.raises(ProviderError):
        reranker(lambda _: (200, "", next(pages))).rerank("why", DOCUMENTS, timeout=5)
