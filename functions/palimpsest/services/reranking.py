"""Reranking: the best hits in the order of a model that has read them beside the question. Where
that model fails in any way they stay in the order they had.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from palimpsest.domain.errors import InvalidRequest, PalimpsestError
from palimpsest.domain.fusion import FusedHit
from palimpsest.domain.queries import Reranked, RerankStatus, SearchRequest
from palimpsest.domain.records import Content, Record
from palimpsest.ports import Clock, Executor, Reranker
from palimpsest.services.failure_reasons import TIMEOUT, failure
from palimpsest.services.in_time import INNER_SHARE, in_time

STAGE = "rerank"
CANDIDATES = 50
"""How many of the best hits are reranked, whatever the limit."""

LONGEST_DOCUMENT = 1_600
"""Characters of a record that are sent: rerankers read some 512 tokens, and one refuses more."""

Placed = tuple[FusedHit, Record]


@dataclass(frozen=True, slots=True, kw_only=True)
class Reranking:
    """Reranks with one model, or with none."""

    reranker: Reranker | None
    executor: Executor
    clock: Clock

    def refusal(self, request: SearchRequest) -> Reranked | None:
        """Why this request is not reranked, if it is not. Raises `InvalidRequest` where it asks for
        what is not there.
        """
        if request.rerank is False:
            return Reranked(RerankStatus.OFF, "not_asked")
        if self.reranker is not None:
            return None
        if request.rerank:
            msg = "no reranker is configured"
            raise InvalidRequest.one("body", "rerank", msg=msg, kind="not_configured")
        return Reranked(RerankStatus.OFF, "not_configured")

    def rerank(
        self, query: str, placed: Sequence[Placed], *, timeout: float
    ) -> tuple[list[Placed], Reranked]:
        """These hits by relevance, each with its score; equal ones as they stood. As they are, with
        the reason, where the model gave no usable answer within `timeout` seconds.
        """
        reranker = self.reranker
        if reranker is None or not placed:
            return list(placed), Reranked(RerankStatus.SKIPPED, "no_candidates")
        documents = [_document(record.content) for _, record in placed]
        start = self.clock.monotonic()
        pending = self.executor.submit(
            lambda: reranker.rerank(query, documents, timeout=INNER_SHARE * timeout)
        )
        try:
            scores = in_time(pending, timeout=timeout, stage=STAGE)
        except PalimpsestError as error:
            kind = failure(error)
            status = RerankStatus.TIMEOUT if kind == TIMEOUT else RerankStatus.FAILED
            reason = f"reranker_{kind}"
            return list(placed), Reranked(status, reason, calls=1, ms=self._since(start))
        ordered = sorted(zip(scores, range(len(placed)), strict=True), key=lambda s: (-s[0], s[1]))
        told = [(placed[at][0]._replace(relevance=score), placed[at][1]) for score, at in ordered]
        return told, Reranked(RerankStatus.OK, model=reranker.name, calls=1, ms=self._since(start))

    def _since(self, start: float) -> float:
        return (self.clock.monotonic() - start) * 1000


def _document(content: Content | None) -> str:
    """What the model reads of a record."""
    if content is None:
        return ""
    heading = f"{content.title}\n" if content.title else ""
    return f"{heading}{content.text}"[:LONGEST_DOCUMENT]
