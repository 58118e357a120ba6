from collections.abc import Sequence
from datetime import UTC, datetime

import pytest

from palimpsest.domain.entries import Candidate
from palimpsest.domain.errors import InvalidRequest, PalimpsestError, Throttled
from palimpsest.domain.fusion import FusedHit
from palimpsest.domain.queries import Reranked, RerankStatus, SearchRequest
from palimpsest.domain.records import Content, Record, Status
from palimpsest.services.reranking import LONGEST_DOCUMENT, Placed, Reranking
from world import InlineExecutor, MovableClock

NOW = datetime(2026, 6, 1, tzinfo=UTC)


class Scores:
    """A reranker with these scores, or this error, that remembers what it read."""

    name = "scores"

    def __init__(self, *scores: float, error: Exception | None = None) -> None:
        self.scores, self.error = scores, error
        self.read: list[str] = []

    def rerank(self, query: str, documents: Sequence[str], *, timeout: float) -> list[float]:  # noqa: ARG002
        self.read = list(documents)
        if self.error:
            raise self.error
        return list(self.scores)


def placed(record_id: str, content: Content | None, score: float = 0.5) -> Placed:
    record = Record(
        id=record_id,
        namespace="notes",
        revision=1,
        status=Status.ACTIVE if content else Status.DELETED,
        content=content,
        created_at=NOW,
        updated_at=NOW,
    )
    return FusedHit(score, {}, Candidate("t#notes", record_id, score, 1, "h")), record


def reranking(reranker: Scores | None) -> Reranking:
    return Reranking(reranker=reranker, executor=InlineExecutor(), clock=MovableClock())


def asked(**options: bool | None) -> SearchRequest:
    request: dict[str, object] = {"tenant": "t", "namespaces": ("notes",), "query": "q", **options}
    return SearchRequest(**request)  # type: ignore[arg-type]


def test_hits_are_ordered_by_relevance_and_equal_ones_stay_as_they_stood() -> None:
    hits = [placed(name, Content(text=name), 1 - n / 10) for n, name in enumerate("abcd")]
    told, reranked = reranking(Scores(-2.0, 3.5, -2.0, 3.5)).rerank("q", hits, timeout=1)
    assert [(hit.id, hit.relevance) for hit, _ in told] == [
        ("b", 3.5),
        ("d", 3.5),
        ("a", -2.0),
        ("c", -2.0),
    ]
    assert [hit.score for hit, _ in told] == [0.9, 0.7, 1.0, 0.8]  # the fused one is kept
    assert reranked == Reranked(RerankStatus.OK, model="scores", calls=1)


def test_a_document_is_its_title_and_text_as_far_as_it_is_read() -> None:
    model = Scores(1.0, 1.0, 1.0)
    hits = [
        placed("a", Content(text="text", title="title")),
        placed("b", Content(text="x" * 5_000)),
        placed("c", None),
    ]
    reranking(model).rerank("q", hits, timeout=1)
    assert model.read == ["title\ntext", "x" * LONGEST_DOCUMENT, ""]


def test_a_reranker_that_asks_for_patience_is_told_and_the_order_stays() -> None:
    hits = [placed("a", Content(text="a")), placed("b", Content(text="b"))]
    told, reranked = reranking(Scores(error=Throttled("later"))).rerank("q", hits, timeout=1)
    assert told == hits
    assert (reranked.status, reranked.reason) == (RerankStatus.FAILED, "reranker_throttled")
    assert reranked.fell_short


def test_an_error_that_is_none_of_a_model_is_not_hidden() -> None:
    hits = [placed("a", Content(text="a"))]
    with pytest.raises(PalimpsestError):
        reranking(Scores(error=InvalidRequest.one("body", msg="ours"))).rerank("q", hits, timeout=1)


def test_no_hits_cost_no_call() -> None:
    model = Scores(error=AssertionError())
    assert reranking(model).rerank("q", [], timeout=1) == (
        [],
        Reranked(RerankStatus.SKIPPED, "no_candidates"),
    )


def test_who_is_not_reranked_learns_why() -> None:
    model = Scores()
    assert reranking(model).refusal(asked()) is None
    assert reranking(model).refusal(asked(rerank=True)) is None
    off = Reranked(RerankStatus.OFF, "not_asked")
    assert reranking(model).refusal(asked(rerank=False)) == off
    assert reranking(None).refusal(asked(rerank=False)) == off
    assert reranking(None).refusal(asked()) == Reranked(RerankStatus.OFF, "not_configured")
    with pytest.raises(InvalidRequest):
        reranking(None).refusal(asked(rerank=True))
