"""Embedder over any endpoint in the shape of OpenAI's embeddings API."""

import random
import re
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import httpx

from palimpsest.adapters.http_models.embedding_models import known
from palimpsest.adapters.http_models.wire import Endpoint, Monotonic, own_client, post
from palimpsest.domain.clean import without_broken
from palimpsest.domain.embedding import STAGE, Embedded, TextRefused, cut_to_tokens, is_blank
from palimpsest.domain.embedding_batches import (
    Batch,
    BatchLimits,
    Prepared,
    Result,
    embed_in_batches,
)
from palimpsest.domain.errors import (
    DeadlineExceeded,
    EmbeddingRejected,
    ProviderError,
    Throttled,
    Unavailable,
)
from palimpsest.domain.vectors import Vector, unit

ATTEMPTS = 5
FIRST_PAUSE = 0.2  # seconds
LONGEST_PAUSE = 5.0
SURELY_SHORT = 480
"""Tokens of what is left of a refused text for one more try: every model in use takes 512."""
NOT_IN_FINGERPRINTS = re.compile("[^A-Za-z0-9._:-]")
ENDPOINT = Endpoint(STAGE, "the embedding endpoint", TextRefused)


class OpenAICompatibleEmbedder:
    """A model behind `{base_url}/embeddings`.

    `timeout` of a call is one budget for all its requests. Passages that are answered 429 or 5xx
    are asked for again after a pause with full jitter (and no shorter than `Retry-After`), a
    question never. Give `fingerprint` where the endpoint serves a build that has one of its own.
    `client` stays the caller's; without one the embedder makes its own, which `close` closes.
    """

    def __init__(
        self,
        *,
        base_url: str,
        model: str,
        dimension: int,
        api_key: str | None = None,
        fingerprint: str | None = None,
        client: httpx.Client | None = None,
        monotonic: Monotonic = time.monotonic,
        sleep: Callable[[float], None] = time.sleep,
        jitter: Callable[[], float] = random.random,
    ) -> None:
        self.dimension = dimension
        named = fingerprint or f"openai:{model}:{dimension}"
        self.fingerprint = NOT_IN_FINGERPRINTS.sub("-", named)
        self._model = model
        self._known = known(model)
        self._url = f"{base_url.rstrip('/')}/embeddings"
        self._headers = {"Authorization": f"Bearer {api_key}"} if api_key else {}
        self._client = client or own_client(base_url)
        self._owns_client = client is None
        self._monotonic, self._sleep, self._jitter = monotonic, sleep, jitter

    def close(self) -> None:
        """Close the connections, if they are this embedder's own."""
        if self._owns_client:
            self._client.close()

    def embed_query(self, text: str, *, timeout: float) -> Vector:
        """The unit vector of a question, in one request."""
        deadline = self._monotonic() + timeout
        whole = without_broken(text)
        if is_blank(whole):
            raise EmbeddingRejected("blank")
        sent = Prepared(0, self._shorten(whole), truncated=False)
        (result,) = self._request([sent], self._known.query_prefix, deadline)
        if isinstance(result, EmbeddingRejected):
            raise result
        return result.vector

    def embed_passages(self, texts: Sequence[str], *, timeout: float) -> list[Result]:
        """One result a text, in order."""
        deadline = self._monotonic() + timeout
        limits = BatchLimits(texts=self._known.batch_texts, size=self._known.batch_bytes)
        return embed_in_batches(
            texts,
            shorten=self._shorten,
            limits=limits,
            send=lambda batch: self._persist(batch, deadline),
        )

    def _shorten(self, text: str) -> str:
        tokens = self._known.max_tokens
        return text if tokens is None else cut_to_tokens(text, tokens)

    def _persist(self, batch: Batch, deadline: float) -> list[Result]:
        """Ask until there is an answer, no attempt is left, or the next would come too late."""
        prefix = self._known.passage_prefix
        for attempt in range(ATTEMPTS - 1):
            try:
                return self._request_or_shorter(batch, prefix, deadline)
            except DeadlineExceeded:
                raise
            except (Throttled, Unavailable) as error:
                asked = error.retry_after if isinstance(error, Throttled) else 0.0
                longest = min(LONGEST_PAUSE, FIRST_PAUSE * 2**attempt)
                pause = asked + longest * self._jitter()
                if self._monotonic() + pause >= deadline:
                    raise
                self._sleep(pause)
        return self._request_or_shorter(batch, prefix, deadline)

    def _request_or_shorter(self, batch: Batch, prefix: str, deadline: float) -> list[Result]:
        """A text that is refused alone may be too long for a model whose limit is not known."""
        try:
            return self._request(batch, prefix, deadline)
        except TextRefused:
            shorter = cut_to_tokens(batch[0].text, SURELY_SHORT)
            if len(batch) > 1 or shorter == batch[0].text:
                raise
        return self._request([replace(batch[0], text=shorter, truncated=True)], prefix, deadline)

    def _request(self, batch: Batch, prefix: str, deadline: float) -> list[Result]:
        body: dict[str, Any] = {"model": self._model, "input": [prefix + one.text for one in batch]}
        if self._known.takes_dimensions:
            body["dimensions"] = self.dimension
        answer = post(
            self._client,
            self._url,
            body,
            endpoint=ENDPOINT,
            headers=self._headers,
            deadline=deadline,
            monotonic=self._monotonic,
        )
        data = _in_order(answer.get("data"), len(batch))
        return [
            self._result(item, truncated=one.truncated)
            for one, item in zip(batch, data, strict=True)
        ]

    def _result(self, item: dict[str, Any], *, truncated: bool) -> Result:
        values = item.get("embedding")
        if not isinstance(values, list):
            return EmbeddingRejected("wrong_width")
        try:
            vector = unit(values, dimension=self.dimension)
        except EmbeddingRejected as rejected:
            return rejected
        # `truncated` in an item is what the local embedding server adds to the API
        return Embedded(vector, truncated or item.get("truncated") is True)


def _in_order(data: object, count: int) -> list[dict[str, Any]]:
    """The items by their `index`. Raises `ProviderError` unless each of 0 to count - 1 is there
    once.
    """
    items = data if isinstance(data, list) else []
    placed = {
        item["index"]: item
        for item in items
        if isinstance(item, dict) and type(item.get("index")) is int
    }
    if len(items) != count or set(placed) != set(range(count)):
        message = (
            f"{count} texts were sent, {len(items)} vectors came back or their order is unclear"
        )
        raise ProviderError(message, stage=STAGE)
    return [placed[index] for index in range(count)]
