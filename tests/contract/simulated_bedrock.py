"""A Bedrock runtime in this process: real botocore requests and answers, no network."""

import json
from collections.abc import Callable
from typing import Any
from urllib.parse import unquote

import boto3
from botocore.awsrequest import AWSPreparedRequest, AWSResponse
from botocore.compat import HTTPHeaders
from botocore.config import Config

from palimpsest.adapters.simulated import SimulatedEmbedder

TITAN = "amazon.titan-embed-text-v2:0"
Answer = tuple[int, str, dict[str, Any] | bytes]
"""Status, error code (empty: none) and body, as JSON or as it is sent."""


class _Body:
    """What botocore reads an answer from."""

    def __init__(self, data: bytes) -> None:
        self._data = data

    def read(self, _size: int | None = None, **_: object) -> bytes:
        data, self._data = self._data, b""
        return data

    def stream(self, **_: object) -> list[bytes]:
        return [self.read()]


def bedrock_client(answer: Callable[[str, dict[str, Any]], Answer]) -> Any:
    """A `bedrock-runtime` client whose requests, by model and body, `answer` answers."""
    client = boto3.client(
        "bedrock-runtime",
        region_name="eu-central-1",
        aws_access_key_id="test",
        aws_secret_access_key="test",
        config=Config(retries={"max_attempts": 0}),
    )

    def send(request: AWSPreparedRequest, **_: object) -> AWSResponse:
        model = unquote(request.url.split("/model/")[1].split("/")[0])
        status, code, body = answer(model, json.loads(_text(request.body)))
        headers = HTTPHeaders.from_dict({"Content-Type": "application/json"})
        if code:
            headers["x-amzn-ErrorType"] = code
        data = body if isinstance(body, bytes) else json.dumps(body).encode()
        return AWSResponse(request.url, status, headers, _Body(data))

    client.meta.events.register("before-send.bedrock-runtime", send)
    return client


def _text(body: object) -> str:
    return body.decode() if isinstance(body, bytes) else str(body)


class SimulatedBedrock:
    """Titan and Cohere as they answer, with their limits; `requests` are the bodies it got."""

    def __init__(self, *, dimension: int) -> None:
        self._embedder = SimulatedEmbedder(dimension=dimension)
        self._dimension = dimension
        self.requests: list[dict[str, Any]] = []

    def __call__(self, model: str, body: dict[str, Any]) -> Answer:
        self.requests.append(body)
        if model == TITAN:
            return self._titan(body)
        texts = body["texts"]
        longest = 2048 if "v3" in model else 2**40
        if len(texts) > 96 or any(len(text) > longest for text in texts):
            return _invalid("too many texts or characters")
        if body["truncate"] != ("END" if "v3" in model else "RIGHT"):
            return _invalid("truncate has another value in this version")
        if body["input_type"] not in ("search_query", "search_document"):
            return _invalid("input_type")
        if "v4" in model and body["output_dimension"] != self._dimension:
            return _invalid("another dimension was expected")
        return 200, "", {"embeddings": {"float": [self._vector(text) for text in texts]}}

    def _titan(self, body: dict[str, Any]) -> Answer:
        text = body["inputText"]
        if len(text) > 50_000 or tokens(text) > 8192 or body["dimensions"] != self._dimension:
            return _invalid("Too many input tokens")
        return 200, "", {"embedding": self._vector(text), "inputTextTokenCount": tokens(text)}

    def _vector(self, text: str) -> list[float]:
        return list(self._embedder.embed_query(text, timeout=1.0))


def tokens(text: str) -> int:
    """About what a byte-level tokenizer finds: one for four ASCII characters or any other one."""
    ascii_characters = sum(char.isascii() for char in text)
    return ascii_characters // 4 + (len(text) - ascii_characters)


def _invalid(message: str) -> Answer:
    return 400, "ValidationException", {"message": message}
