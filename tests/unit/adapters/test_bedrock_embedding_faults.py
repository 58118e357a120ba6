"""What the Bedrock embedder makes of failures, requests and limits. botocore is the real one; what
it would send is answered in this process.
"""

from typing import Any

import pytest
from botocore.exceptions import (
    ConnectTimeoutError,
    EndpointConnectionError,
    NoCredentialsError,
    ReadTimeoutError,
)

from contract.simulated_bedrock import Answer, bedrock_client
from palimpsest.adapters.bedrock import BedrockEmbedder
from palimpsest.domain.embedding import Embedded
from palimpsest.domain.errors import (
    DeadlineExceeded,
    EmbeddingRejected,
    PalimpsestError,
    ProviderError,
    Throttled,
    Unavailable,
)

TITAN = "amazon.titan-embed-text-v2:0"
COHERE = "cohere.embed-multilingual-v3"
GOOD = [1.0] * 1024


def embedder(answer: Any, model: str = COHERE) -> BedrockEmbedder:
    return BedrockEmbedder(bedrock_client(answer), model=model, dimension=1024)


def failing(code: str, status: int = 400) -> Any:
    return lambda _model, _body: (status, code, {"message": "the text was: why"})


def cohere(*embeddings: object) -> Any:
    return lambda _model, _body: (200, "", {"embeddings": {"float": list(embeddings)}})


@pytest.mark.parametrize(
    ("code", "status", "error"),
    [
        ("ThrottlingException", 429, Throttled),
        ("ServiceQuotaExceededException", 400, Throttled),
        ("ServiceUnavailableException", 503, Unavailable),
        ("InternalServerException", 500, Unavailable),
        ("ModelNotReadyException", 429, Unavailable),
        ("ModelTimeoutException", 408, DeadlineExceeded),
        ("ValidationException", 400, ProviderError),
        ("AccessDeniedException", 403, ProviderError),
        ("ResourceNotFoundException", 404, ProviderError),
        ("ModelErrorException", 424, ProviderError),
        ("SomethingNew", 418, ProviderError),
    ],
)
def test_a_code_becomes_an_error_of_its_kind(
    code: str, status: int, error: type[PalimpsestError]
) -> None:
    with pytest.raises(error) as caught:
        embedder(failing(code, status)).embed_query("why", timeout=5)
    assert type(caught.value) is error or code == "ValidationException"
    assert "why" not in str(caught.value)


@pytest.mark.parametrize(
    ("raised", "error"),
    [
        (EndpointConnectionError(endpoint_url="here"), Unavailable),
        (ConnectTimeoutError(endpoint_url="here"), DeadlineExceeded),
        (ReadTimeoutError(endpoint_url="here"), DeadlineExceeded),
        (NoCredentialsError(), ProviderError),
    ],
)
def test_a_broken_connection_becomes_an_error_of_its_kind(
    raised: Exception, error: type[PalimpsestError]
) -> None:
    def answer(_model: str, _body: dict[str, Any]) -> Answer:
        raise raised

    with pytest.raises(error) as caught:
        embedder(answer).embed_query("why", timeout=5)
    assert type(caught.value) is error


@pytest.mark.parametrize(
    ("values", "reason"),
    [
        ([0.0] * 1024, "zero"),
        ([None] * 1024, "not_finite"),
        ([float("nan")] * 1024, "not_finite"),
        ([1.0] * 384, "wrong_width"),
        (None, "wrong_width"),
    ],
)
def test_b2_a_useless_vector_rejects_its_text_and_no_other(values: object, reason: str) -> None:
    first, second = embedder(cohere(GOOD, values)).embed_passages(["a", "b"], timeout=5)
    assert isinstance(first, Embedded)
    assert isinstance(second, EmbeddingRejected)
    assert second.reason == reason


@pytest.mark.parametrize(
    "body",
    [
        {"embeddings": {"float": [GOOD]}},
        {"embeddings": {"int8": [GOOD, GOOD]}},
        {"embeddings": None},
        {"message": "hello"},
        [],
    ],
)
def test_b2_too_few_vectors_fail_the_call(body: Any) -> None:
    with pytest.raises(ProviderError):
        embedder(lambda _model, _body: (200, "", body)).embed_passages(["a", "b"], timeout=5)


def test_cohere_gets_batches_of_96_texts_of_2048_characters() -> None:
    sizes: list[tuple[int, int]] = []

    def answer(_model: str, body: dict[str, Any]) -> Answer:
        sizes.append((len(body["texts"]), max(map(len, body["texts"]))))
        return 200, "", {"embeddings": [GOOD] * len(body["texts"])}

    results = embedder(answer).embed_passages(["ab" * 2000] + ["a"] * 99, timeout=5)
    assert sizes == [(96, 2048), (4, 1)]
    assert [r.truncated for r in results if isinstance(r, Embedded)] == [True] + [False] * 99


def test_titan_gets_one_text_a_request_and_says_the_width() -> None:
    bodies: list[dict[str, Any]] = []

    def answer(_model: str, body: dict[str, Any]) -> Answer:
        bodies.append(body)
        return 200, "", {"embedding": GOOD}

    embedder(answer, TITAN).embed_passages(["a", "b"], timeout=5)
    assert bodies == [{"inputText": t, "dimensions": 1024, "normalize": True} for t in "ab"]


def test_one_text_that_is_refused_does_not_take_its_batch_along() -> None:
    def answer(_model: str, body: dict[str, Any]) -> Answer:
        if "poison" in body["texts"]:
            return 400, "ValidationException", {"message": "no"}
        return 200, "", {"embeddings": [GOOD] * len(body["texts"])}

    results = embedder(answer).embed_passages(["a", "poison", "b"], timeout=5)
    assert [isinstance(result, Embedded) for result in results] == [True, False, True]


def test_the_time_is_looked_at_between_requests() -> None:
    now = [0.0]

    def answer(_model: str, _body: dict[str, Any]) -> Answer:
        now[0] += 3
        return 200, "", {"embedding": GOOD}

    client = bedrock_client(answer)
    slow = BedrockEmbedder(client, model=TITAN, dimension=1024, monotonic=lambda: now[0])
    with pytest.raises(DeadlineExceeded):
        slow.embed_passages(["a", "b", "c"], timeout=5)
    assert now == [6.0]


def test_an_unknown_model_or_width_is_refused_at_once() -> None:
    client = bedrock_client(failing("none"))
    with pytest.raises(ValueError, match="is not one of"):
        BedrockEmbedder(client, model="amazon.titan-embed-image-v1", dimension=1024)
    with pytest.raises(ValueError, match="no vectors of 384"):
        BedrockEmbedder(client, model=TITAN, dimension=384)


def test_an_inference_profile_has_the_fingerprint_of_its_model() -> None:
    client = bedrock_client(failing("none"))
    profile = BedrockEmbedder(client, model="eu.cohere.embed-v4:0", dimension=1536)
    assert profile.fingerprint == "bedrock:cohere.embed-v4:0:1536"
