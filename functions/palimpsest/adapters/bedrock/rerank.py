"""Reranker over Amazon Bedrock: `Rerank` of its agent runtime."""

import time
from collections.abc import Callable, Sequence
from typing import Any, Protocol

from botocore.parsers import ResponseParserError

from palimpsest.adapters.bedrock.failures import Operation, translated
from palimpsest.domain.batching import batched
from palimpsest.domain.errors import DeadlineExceeded, ProviderError
from palimpsest.domain.relevance import STAGE, in_order, presentable

SOURCES = 1_000
CHARACTERS = 32_000
"""Of a request, and of a question or document (API reference: Rerank, RerankTextDocument)."""

RERANKING = Operation(STAGE)
UNREADABLE = (
    AttributeError,
    OverflowError,
    RecursionError,
    ResponseParserError,
    TypeError,
    ValueError,
)
"""What botocore raises at an answer of another form than it expects: it does not look first."""
PARTITIONS = {"cn": "aws-cn", "us-gov": "aws-us-gov"}


class BedrockAgentRuntime(Protocol):
    """What is used of a boto3 `bedrock-agent-runtime` client."""

    def rerank(self, **request: Any) -> dict[str, Any]:
        """As boto3's."""
        ...


class BedrockReranker:
    """A reranker model: its id in `region`, or an ARN.

    A request cannot be broken off: give the client a `read_timeout` shorter than any `timeout`
    here, and no retries. Before each request and each page of an answer the time is looked at.
    """

    def __init__(
        self,
        client: BedrockAgentRuntime,
        *,
        model: str,
        region: str,
        monotonic: Callable[[], float] = time.monotonic,
    ) -> None:
        self._client = client
        self._arn = model if model.startswith("arn:") else _arn(model, region)
        self._monotonic = monotonic

    @property
    def name(self) -> str:
        """The model's id."""
        return self._arn.rpartition("/")[2]

    def rerank(self, query: str, documents: Sequence[str], *, timeout: float) -> list[float]:
        """The score of each document, in their order; what is too long is judged by its
        beginning.
        """
        deadline = self._monotonic() + timeout
        batches = batched(
            (presentable(text, characters=CHARACTERS) for text in documents),
            most=SOURCES,
            size=SOURCES * CHARACTERS,
            size_of=len,
        )
        asked = presentable(query, characters=CHARACTERS)
        return [score for batch in batches for score in self._scores(asked, batch, deadline)]

    def _scores(self, query: str, documents: list[str], deadline: float) -> list[float]:
        request = self._body(query, documents)
        results: list[object] = []
        while True:
            page = self._page(request, deadline)
            found = page.get("results")
            if not isinstance(found, list):
                raise ProviderError("Bedrock answers no list of scores", stage=STAGE)
            results += found
            token = page.get("nextToken")
            if not token or len(results) >= len(documents):
                return in_order(results, len(documents), member="relevanceScore")
            request["nextToken"] = token

    def _page(self, request: dict[str, Any], deadline: float) -> dict[str, Any]:
        if self._monotonic() >= deadline:
            raise DeadlineExceeded("no time left to rerank", stage=STAGE)
        try:
            with translated(RERANKING):
                return self._client.rerank(**request)
        except UNREADABLE as error:
            raise ProviderError("Bedrock answers what is no reranking", stage=STAGE) from error

    def _body(self, query: str, documents: list[str]) -> dict[str, Any]:
        sources = [
            {
                "type": "INLINE",
                "inlineDocumentSource": {"type": "TEXT", "textDocument": {"text": text}},
            }
            for text in documents
        ]
        configuration = {
            "modelConfiguration": {"modelArn": self._arn},
            "numberOfResults": len(documents),
        }
        return {
            "queries": [{"type": "TEXT", "textQuery": {"text": query}}],
            "sources": sources,
            "rerankingConfiguration": {
                "type": "BEDROCK_RERANKING_MODEL",
                "bedrockRerankingConfiguration": configuration,
            },
        }


def _arn(model: str, region: str) -> str:
    partition = PARTITIONS.get(region.rpartition("-")[0].rpartition("-")[0], "aws")
    return f"arn:{partition}:bedrock:{region}::foundation-model/{model}"
