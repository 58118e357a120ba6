"""A rerank endpoint that a test scripts. No sockets: httpx's own transport for tests stands for the
network.
"""

import json
from collections.abc import Callable
from typing import Any

import httpx

from palimpsest.adapters.http_models import HttpReranker, RerankShape

Handler = Callable[[httpx.Request], httpx.Response]
TEI = RerankShape.TEI


class ScriptedEndpoint:
    """A reranker over an endpoint that a test scripts; it keeps the requests."""

    def __init__(self) -> None:
        self.now = 100.0
        self.requests: list[dict[str, Any]] = []
        self.headers: list[httpx.Headers] = []
        self.clients: list[httpx.Client] = []

    def reranker(
        self, handler: Handler, shape: RerankShape = RerankShape.COHERE, key: str | None = "secret"
    ) -> HttpReranker:
        def keep(request: httpx.Request) -> httpx.Response:
            self.requests.append(json.loads(request.content))
            self.headers.append(request.headers)
            assert str(request.url) == "http://127.0.0.1:9/some/rerank"
            return handler(request)

        self.clients.append(httpx.Client(transport=httpx.MockTransport(keep)))
        return HttpReranker(
            url="http://127.0.0.1:9/some/rerank",
            model="some-model",
            shape=shape,
            api_key=key,
            client=self.clients[-1],
            monotonic=lambda: self.now,
        )

    def close(self) -> None:
        for client in self.clients:
            client.close()


def answering(body: object, status: int = 200, **headers: str) -> Handler:
    content = body if isinstance(body, bytes) else json.dumps(body).encode()
    return lambda _: httpx.Response(status, content=content, headers=headers)


def ranks(shape: RerankShape, *pairs: tuple[object, object]) -> object:
    """An answer with these indexes and scores, in the form of the shape."""
    if shape is TEI:
        return [{"index": index, "score": score} for index, score in pairs]
    results = [{"index": index, "relevance_score": score} for index, score in pairs]
    return {"id": "some", "model": "some-model", "results": results, "usage": {"total_tokens": 3}}


def good(request: httpx.Request) -> httpx.Response:
    """The length of each document, best first."""
    body = json.loads(request.content)
    texts = body.get("texts", body.get("documents"))
    pairs = sorted(enumerate(map(len, texts)), key=lambda pair: -pair[1])
    return answering(ranks(TEI if "texts" in body else RerankShape.COHERE, *pairs))(request)
