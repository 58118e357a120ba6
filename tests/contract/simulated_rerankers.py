"""Endpoints that answer as rerank providers do, with their limits, scored by the simulated
reranker. Best first, as all of them answer; whatever a provider does not take is refused.
"""

import io
import json
from collections.abc import Callable
from typing import Any

import boto3
from botocore.awsrequest import AWSPreparedRequest, AWSResponse
from botocore.compat import HTTPHeaders
from botocore.config import Config

from contract.serving import Reply
from palimpsest.adapters.http_models import RerankShape
from palimpsest.adapters.simulated import SimulatedReranker

MODEL = "some-reranker"
ARN = "arn:aws:bedrock:eu-central-1::foundation-model/cohere.rerank-v3-5:0"
PAGE = 20
Answer = tuple[int, str, object]
"""Of Bedrock: status, error code (empty: none) and body, JSON or bytes."""
COMMON = {"model", "query", "documents", "top_n"}
MEMBERS = {
    RerankShape.COHERE: COMMON,
    RerankShape.JINA: COMMON | {"return_documents"},
    RerankShape.LLAMA_SERVER: COMMON,
    RerankShape.TEI: {"query", "texts", "truncate"},
}


def ranked(query: str, documents: list[str]) -> list[tuple[int, float]]:
    """Index and score, best first."""
    scores = SimulatedReranker().rerank(query, documents, timeout=1.0)
    return sorted(enumerate(scores), key=lambda pair: -pair[1])


class SimulatedRerankEndpoint:
    """One shape over HTTP; `requests` are the bodies it got."""

    def __init__(self, shape: RerankShape) -> None:
        self._shape = shape
        self.requests: list[dict[str, Any]] = []

    def __call__(self, body: dict[str, Any]) -> Reply:
        self.requests.append(body)
        texts = body.get("texts" if self._shape is RerankShape.TEI else "documents")
        if set(body) != MEMBERS[self._shape] or not texts or not all(texts):
            return _json(422, {"error": "a member is missing, unknown or empty"})
        if self._shape is RerankShape.TEI:
            return self._tei(body["query"], texts)
        if body["model"] != MODEL:
            return _json(404, {"error": "no such model"})
        results = [
            {"index": index, "relevance_score": score}
            for index, score in ranked(body["query"], texts)
        ]
        return _json(200, {"model": MODEL, "results": results[: body["top_n"]]})

    def _tei(self, query: str, texts: list[str]) -> Reply:
        if len(texts) > 32:
            error = f"batch size {len(texts)} > maximum allowed batch size 32"
            return _json(413, {"error": error, "error_type": "Validation"})
        return _json(200, [{"index": i, "score": score} for i, score in ranked(query, texts)])


def _json(status: int, body: object) -> Reply:
    return status, {"Content-Type": "application/json"}, json.dumps(body).encode()


class _Raw(io.BytesIO):
    """What botocore reads an answer from."""

    def stream(self, **_: object) -> list[bytes]:
        return [self.read()]


def agent_runtime_client(answer: Callable[[dict[str, Any]], Answer]) -> Any:
    """A `bedrock-agent-runtime` client whose requests `answer` answers, by their bodies."""
    client = boto3.client(
        "bedrock-agent-runtime",
        region_name="eu-central-1",
        aws_access_key_id="test",
        aws_secret_access_key="test",
        config=Config(retries={"max_attempts": 0}),
    )

    def send(request: AWSPreparedRequest, **_: object) -> AWSResponse:
        body = request.body
        asked = json.loads(body if isinstance(body, bytes | str) else b"")
        status, code, answered = answer(asked)
        headers = HTTPHeaders.from_dict({"Content-Type": "application/json"})
        if code:
            headers["x-amzn-ErrorType"] = code
        data = answered if isinstance(answered, bytes) else json.dumps(answered).encode()
        return AWSResponse(request.url, status, headers, _Raw(data))

    client.meta.events.register("before-send.bedrock-agent-runtime.Rerank", send)
    return client


class SimulatedRerank:
    """Bedrock's `Rerank` in pages of 20; `requests` are the bodies it got."""

    def __init__(self) -> None:
        self.requests: list[dict[str, Any]] = []

    def __call__(self, body: dict[str, Any]) -> Answer:
        self.requests.append(body)
        (query,) = [one["textQuery"]["text"] for one in body["queries"]]
        texts = [one["inlineDocumentSource"]["textDocument"]["text"] for one in body["sources"]]
        wanted = body["rerankingConfiguration"]["bedrockRerankingConfiguration"]
        lengths = [len(text) for text in [query, *texts]]
        if len(texts) > 1_000 or max(lengths) > 32_000 or min(lengths) < 1:
            return 400, "ValidationException", {"message": "too many, too long or empty"}
        if wanted["modelConfiguration"]["modelArn"] != ARN:
            return 404, "ResourceNotFoundException", {"message": "no such model"}
        results = [{"index": i, "relevanceScore": score} for i, score in ranked(query, texts)]
        start = int(body.get("nextToken", "0"))
        end = min(start + PAGE, wanted["numberOfResults"])
        following = {"nextToken": str(end)} if end < wanted["numberOfResults"] else {}
        return 200, "", {"results": results[start:end], **following}
