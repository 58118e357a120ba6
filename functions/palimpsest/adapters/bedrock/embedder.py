"""Embedder over Amazon Bedrock's Titan and Cohere models."""

import json
import time
from collections.abc import Callable, Sequence
from enum import StrEnum
from typing import Any, Protocol

from palimpsest.adapters.bedrock.embedding_models import named
from palimpsest.adapters.bedrock.failures import Operation, translated
from palimpsest.domain.clean import without_broken
from palimpsest.domain.embedding import (
    STAGE,
    Embedded,
    TextRefused,
    cut,
    cut_to_tokens,
    is_blank,
)
from palimpsest.domain.embedding_batches import (
    Batch,
    BatchLimits,
    Prepared,
    Result,
    embed_in_batches,
)
from palimpsest.domain.errors import DeadlineExceeded, EmbeddingRejected, ProviderError
from palimpsest.domain.vectors import Vector, unit

BATCH_BYTES = 1024 * 1024
EMBEDDING = Operation(STAGE, TextRefused)


class Purpose(StrEnum):
    """What a text is; the values are Cohere's `input_type`."""

    QUERY = "search_query"
    PASSAGE = "search_document"


class BedrockRuntime(Protocol):
    """What is used of a boto3 `bedrock-runtime` client."""

    def invoke_model(self, **request: Any) -> dict[str, Any]:
        """As boto3's."""
        ...


class BedrockEmbedder:
    """One model of `MODELS` (an inference profile such as `eu.cohere.embed-v4:0` is its model).

    A request cannot be broken off: give the client a `read_timeout` shorter than any `timeout`
    here, and the retries it may make. Between two requests the time is looked at.
    """

    def __init__(
        self,
        client: BedrockRuntime,
        *,
        model: str,
        dimension: int,
        monotonic: Callable[[], float] = time.monotonic,
    ) -> None:
        name, self._model = named(model)
        if dimension not in self._model.dimensions:
            raise ValueError(f"{model} has no vectors of {dimension} dimensions")
        self.dimension = dimension
        self.fingerprint = f"bedrock:{name}:{dimension}"
        self._client = client
        self._id = model
        self._titan = name.startswith("amazon.titan")
        self._monotonic = monotonic

    def embed_query(self, text: str, *, timeout: float) -> Vector:
        """The unit vector of a question, in one request."""
        deadline = self._monotonic() + timeout
        whole = without_broken(text)
        if is_blank(whole):
            raise EmbeddingRejected("blank")
        sent = Prepared(0, self._shorten(whole), truncated=False)
        (result,) = self._request([sent], Purpose.QUERY, deadline)
        if isinstance(result, EmbeddingRejected):
            raise result
        return result.vector

    def embed_passages(self, texts: Sequence[str], *, timeout: float) -> list[Result]:
        """One result a text, in order."""
        deadline = self._monotonic() + timeout
        return embed_in_batches(
            texts,
            shorten=self._shorten,
            limits=BatchLimits(texts=self._model.batch_texts, size=BATCH_BYTES),
            send=lambda batch: self._request(batch, Purpose.PASSAGE, deadline),
        )

    def _shorten(self, text: str) -> str:
        short = cut(text, self._model.max_characters)
        tokens = self._model.max_tokens
        return short if tokens is None else cut_to_tokens(short, tokens)

    def _request(self, batch: Batch, purpose: Purpose, deadline: float) -> list[Result]:
        if self._monotonic() >= deadline:
            raise DeadlineExceeded("no time left to embed", stage=STAGE)
        texts = [one.text for one in batch]
        body = self._titan_body(texts[0]) if self._titan else self._cohere_body(texts, purpose)
        with translated(EMBEDDING):
            response = self._client.invoke_model(
                modelId=self._id,
                body=json.dumps(body),
                contentType="application/json",
                accept="application/json",
            )
            data = response["body"].read()
        vectors = _vectors(data, titan=self._titan)
        if len(vectors) != len(batch):
            message = f"{len(batch)} texts were sent, {len(vectors)} vectors came back"
            raise ProviderError(message, stage=STAGE)
        return [self._result(one, values) for one, values in zip(batch, vectors, strict=True)]

    def _titan_body(self, text: str) -> dict[str, Any]:
        return {"inputText": text, "dimensions": self.dimension, "normalize": True}

    def _cohere_body(self, texts: list[str], purpose: Purpose) -> dict[str, Any]:
        body: dict[str, Any] = {
            "texts": texts,
            "input_type": purpose,
            "truncate": self._model.truncate,
            "embedding_types": ["float"],
        }
        if self._model.takes_dimension:
            body["output_dimension"] = self.dimension
        return body

    def _result(self, one: Prepared, values: object) -> Result:
        usual = self._model.usual_tokens
        truncated = one.truncated or (usual is not None and _usually(one.text) > usual)
        if not isinstance(values, list):
            return EmbeddingRejected("wrong_width")
        try:
            return Embedded(unit(values, dimension=self.dimension), truncated)
        except EmbeddingRejected as rejected:
            return rejected


def _usually(text: str) -> float:
    ascii_characters = sum(char.isascii() for char in text)
    return ascii_characters / 4 + (len(text) - ascii_characters)


def _vectors(data: bytes, *, titan: bool) -> list[object]:
    """The lists in an answer. Cohere's are under their type, in older answers without it."""
    try:
        answer = json.loads(data)
        found = [answer["embedding"]] if titan else answer["embeddings"]
        vectors = found["float"] if isinstance(found, dict) else found
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        raise ProviderError("Bedrock answers what is no embedding", stage=STAGE) from error
    if not isinstance(vectors, list):
        raise ProviderError("Bedrock answers what is no embedding", stage=STAGE)
    return vectors
