"""From what a search has found to its answer: where the page ends, what its scores are called, what
is left for the next one, and what fell short.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from palimpsest.domain.entries import Leg
from palimpsest.domain.errors import InvalidRequest
from palimpsest.domain.fusion import FusedHit, FusionMethod
from palimpsest.domain.page_cut import within_tokens
from palimpsest.domain.queries import (
    Hit,
    Mode,
    Outcome,
    Reranked,
    RerankStatus,
    Rest,
    SearchAnswer,
    SearchRequest,
    Usage,
)
from palimpsest.domain.records import Record
from palimpsest.domain.snippets import snippet
from palimpsest.services.ask_legs import with_embedding_time
from palimpsest.services.choose_legs import AskedLegs
from palimpsest.services.hydrate import Page
from palimpsest.services.leg_outcomes import degraded
from palimpsest.services.look_around import Seen

Placed = tuple[FusedHit, Record]
PARTIAL, STALE = "hydrate_partial", "stale_index"
IGNORED = ("min_score", "ignored_without_reranker")


@dataclass(frozen=True, slots=True)
class Found:
    """The fused list with its deeper candidates, the page that was read from it, its hits in their
    last order, what is left of the list for a next page, and how reranking fared.
    """

    fused: Sequence[FusedHit]
    page: Page
    placed: Sequence[Placed]
    left: Sequence[FusedHit]
    reranked: Reranked


def check_scores(request: SearchRequest, *, reranked: bool) -> None:
    """Raises `InvalidRequest` for a `min_score` where scores have no scale of their own: BM25, and
    fused ones but the blend.
    """
    if request.min_score is None or reranked or _has_scale(request):
        return
    message = "only for the scores of mode semantic, of fusion blend, or of a reranker"
    raise InvalidRequest.one("body", "min_score", msg=message, kind="no_scale")


def answer_of(
    request: SearchRequest,
    seen: Seen,
    asked: AskedLegs,
    found: Found,
    timings: Mapping[str, float],
) -> SearchAnswer:
    """The answer of a first page."""
    reranked, vectors = found.reranked, asked.question.vectors
    placed, left, warnings = _scored(request, found)
    on_page = placed[: request.limit]
    hits = _hits(request, on_page)
    left = [hit for hit, _ in placed[len(hits) :]] + left
    outcome = Outcome(
        legs=with_embedding_time(asked.asked, vectors),
        deep=seen.deep,
        rerank=reranked,
        degraded=_fell_short(asked, seen, found),
    )
    kind = _base_kind(request)
    embedding = {"embed": max(vector.ms for vector in vectors)} if vectors else {}
    return SearchAnswer(
        request=request,
        hits=hits,
        score_kind=f"rerank:{reranked.model}" if reranked.status is RerankStatus.OK else kind,
        outcome=outcome,
        revisions=seen.read.revisions,
        usage=_usage(asked, seen, reranked),
        timings_ms={**embedding, **timings},
        closed_early=found.page.closed_early and len(on_page) < request.limit,
        rest=Rest(left, kind, seen.reading.generation, outcome) if left else None,
        warnings=warnings,
    )


def _scored(
    request: SearchRequest, found: Found
) -> tuple[list[Placed], list[FusedHit], list[tuple[str, str]]]:
    """The hits and what is left of the list above `min_score`, with the warnings about it."""
    placed, left = list(found.placed), list(found.left)
    if request.min_score is not None and found.reranked.status is RerankStatus.OK:
        # what was not reranked has no score to compare
        return [one for one in placed if one[0].ordering >= request.min_score], [], []
    return placed, left, _ignored(request, found.reranked)


def _ignored(request: SearchRequest, reranked: Reranked) -> list[tuple[str, str]]:
    """A warning where `min_score` says nothing: it was meant for a reranker, which failed."""
    return [IGNORED] if request.min_score is not None and reranked.fell_short else []


def resumed_answer(
    request: SearchRequest, seen: Seen, page: Page, rest: Rest, timings: Mapping[str, float]
) -> SearchAnswer:
    """The answer of a later page."""
    hits = _hits(request, page.hits)
    left = [hit for hit, _ in page.hits[len(hits) :]] + list(rest.hits[page.taken :])
    outcome = rest.outcome
    if page.cut_off and PARTIAL not in outcome.degraded:
        before = [stage for stage in outcome.degraded if stage != STALE]
        after = [stage for stage in outcome.degraded if stage == STALE]
        outcome = replace(outcome, degraded=[*before, PARTIAL, *after])
    reranked = rest.hits[0].relevance is not None
    return SearchAnswer(
        request=request,
        hits=hits,
        score_kind=f"rerank:{outcome.rerank.model}" if reranked else rest.score_kind,
        outcome=outcome,
        revisions=seen.read.revisions,
        usage=Usage(),
        timings_ms=timings,
        closed_early=page.closed_early,
        rest=replace(rest, hits=left) if left else None,
        warnings=_ignored(request, outcome.rerank),
    )


def _hits(request: SearchRequest, placed: Sequence[Placed]) -> list[Hit]:
    hits = [
        Hit(fused, record, snippet(record.content.text, request.query))
        for fused, record in placed
        if record.content is not None
    ]
    return within_tokens(hits, request.max_tokens)


def _base_kind(request: SearchRequest) -> str:
    if request.mode is Mode.HYBRID:
        return request.fusion.method.value
    return "bm25" if request.mode is Mode.LEXICAL else "cosine"


def _has_scale(request: SearchRequest) -> bool:
    return _base_kind(request) in {"cosine", FusionMethod.BLEND.value}


def _fell_short(asked: AskedLegs, seen: Seen, found: Found) -> list[str]:
    stages = [leg.value for leg in Leg if leg in asked.asked.merged]
    short = {leg.value for leg, result in asked.asked.merged.items() if degraded(result)}
    listed = [stage for stage in stages if stage in short]
    if seen.deep.fell_short:
        listed.append("rewrite")
    if found.reranked.fell_short:
        listed.append("rerank")
    if found.page.cut_off:
        listed.append(PARTIAL)
    wanted = asked.question.request.min_revision or 0
    if seen.read.building or not seen.read.reached(wanted):
        listed.append(STALE)
    return listed


def _usage(asked: AskedLegs, seen: Seen, reranked: Reranked) -> Usage:
    vectors = asked.question.vectors
    known = [one for one in vectors if one.vector is not None and not one.called]
    return Usage(
        embedding_calls=sum(one.called for one in vectors),
        embedding_cache_hits=len(known),
        llm_calls=seen.deep.llm_calls,
        llm_tokens=seen.deep.llm_tokens,
        rerank_calls=reranked.calls,
    )
