"""Reranker over HTTP, in the shapes of Cohere, Jina, llama-server and Text Embeddings Inference."""

import time
from collections.abc import Sequence
from enum import StrEnum
from typing import Any

import httpx

from palimpsest.adapters.http_models.wire import (
    Endpoint,
    Monotonic,
    accepted,
    accepted_json,
    exchange,
    own_client,
)
from palimpsest.domain.batching import batched
from palimpsest.domain.relevance import STAGE, in_order, presentable

ENDPOINT = Endpoint(STAGE, "the reranker's endpoint")

TEXTS, BYTES = 1_000, 8 * 1024 * 1024
"""Of a request: Cohere advises against more than 1,000 documents (API reference, "Rerank")."""
TEI_TEXTS, TEI_BYTES = 32, 1024 * 1024
"""TEI answers 413 to more than its `--max-client-batch-size` (32) and `--payload-limit` (2 MB)."""


class RerankShape(StrEnum):
    """What a request and its answer look like.

    `COHERE`: version 2 (`/v2/rerank`), which cuts long documents itself. `JINA`: `/v1/rerank`,
    which repeats the documents unless told not to. `LLAMA_SERVER`: its `/v1/rerank`; it fails where
    question and document are longer than its `--ubatch-size` (512 tokens) or context. `TEI`:
    `/rerank` of Text Embeddings Inference, also spoken by llama-server; the answer is a bare list.
    """

    COHERE = "cohere"
    JINA = "jina"
    LLAMA_SERVER = "llama_server"
    TEI = "tei"


class HttpReranker:
    """A model behind `url`, the full address of the rerank route.

    All documents go in one request, of which TEI takes 32 at a time; `timeout` of a call is one
    budget for all. Nothing is asked twice. TEI serves one model, so that `model` only names it.
    `client` stays the caller's; without one the reranker makes its own, which `close` closes.
    """

    def __init__(
        self,
        *,
        url: str,
        model: str,
        shape: RerankShape,
        api_key: str | None = None,
        client: httpx.Client | None = None,
        monotonic: Monotonic = time.monotonic,
    ) -> None:
        self._url, self._model, self._shape = url, model, RerankShape(shape)
        self._headers = {"Authorization": f"Bearer {api_key}"} if api_key else {}
        self._client = client or own_client(url)
        self._owns_client = client is None
        self._monotonic = monotonic

    @property
    def name(self) -> str:
        """The model's name."""
        return self._model

    def close(self) -> None:
        """Close the connections, if they are this reranker's own."""
        if self._owns_client:
            self._client.close()

    def rerank(self, query: str, documents: Sequence[str], *, timeout: float) -> list[float]:
        """The score of each document, in their order."""
        deadline = self._monotonic() + timeout
        tei = self._shape is RerankShape.TEI
        batches = batched(
            map(presentable, documents),
            most=TEI_TEXTS if tei else TEXTS,
            size=TEI_BYTES if tei else BYTES,
            size_of=lambda text: len(text.encode()),
        )
        asked = presentable(query)
        return [score for batch in batches for score in self._scores(asked, batch, deadline)]

    def _scores(self, query: str, documents: list[str], deadline: float) -> list[float]:
        tei = self._shape is RerankShape.TEI
        answer = exchange(
            self._client,
            self._url,
            self._tei_body(query, documents) if tei else self._body(query, documents),
            endpoint=ENDPOINT,
            headers=self._headers,
            deadline=deadline,
            monotonic=self._monotonic,
        )
        if tei:
            return in_order(accepted_json(ENDPOINT, answer), len(documents), member="score")
        results = accepted(ENDPOINT, answer).get("results")
        return in_order(results, len(documents), member="relevance_score")

    def _tei_body(self, query: str, documents: list[str]) -> dict[str, Any]:
        return {"query": query, "texts": documents, "truncate": True}

    def _body(self, query: str, documents: list[str]) -> dict[str, Any]:
        body: dict[str, Any] = {
            "model": self._model,
            "query": query,
            "documents": documents,
            "top_n": len(documents),
        }
        if self._shape is RerankShape.JINA:
            body["return_documents"] = False
        return body
