"""A search's answer as JSON."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

from palimpsest.api.record_json import chunk_json, content_json
from palimpsest.domain.entries import Leg, LegResult, LegStatus
from palimpsest.domain.fusion import Part
from palimpsest.domain.queries import Hit, Reranked, SearchAnswer

CLOSED_EARLY = {"field": "hits", "code": "page_closed_early"}
_HIT_FIELDS = ("text", "title", "kind", "metadata", "event_time", "source")


def search_json(
    answer: SearchAnswer,
    *,
    warnings: Sequence[Mapping[str, str]],
    by_namespace: bool,
    next_cursor: str | None,
) -> dict[str, Any]:
    """The whole answer; `by_namespace`: revisions as a map, as `namespaces` is answered."""
    request, outcome = answer.request, answer.outcome
    ours = [{"field": field, "code": code} for field, code in answer.warnings]
    return {
        "query": request.query,
        "hits": [_hit(hit, answer) for hit in answer.hits],
        "score_kind": answer.score_kind,
        "deep": {
            "used": outcome.deep.used,
            "variations": list(outcome.deep.variations),
            "reason": outcome.deep.reason,
        },
        "legs": {leg.value: _leg(result) for leg, result in _all_legs(answer).items()},
        "rerank": _rerank(outcome.rerank),
        "degraded": list(outcome.degraded),
        "revision": _revision(answer, by_namespace=by_namespace),
        "warnings": [*warnings, *ours, *([CLOSED_EARLY] if answer.closed_early else [])],
        "usage": asdict(answer.usage),
        "timings_ms": {stage: round(ms, 1) for stage, ms in answer.timings_ms.items()},
        "next_cursor": next_cursor,
    }


def _rerank(reranked: Reranked) -> dict[str, Any]:
    told = {"status": reranked.status.value, "reason": reranked.reason, "model": reranked.model}
    return {name: value for name, value in told.items() if value is not None}


def _revision(answer: SearchAnswer, *, by_namespace: bool) -> dict[str, Any]:
    told = {name: asdict(revisions) for name, revisions in answer.revisions.items()}
    if by_namespace:
        return told
    (only,) = told.values()
    return only


def _all_legs(answer: SearchAnswer) -> dict[Leg, LegResult]:
    skipped = {
        leg: LegResult(leg=leg, status=LegStatus.SKIPPED, reason=f"mode:{answer.request.mode}")
        for leg in Leg
    }
    return skipped | dict(answer.legs)


def _leg(result: LegResult) -> dict[str, Any]:
    told: dict[str, Any] = {
        "status": result.status.value,
        "hits": len(result.candidates),
        "ms": round(result.ms, 1),
    }
    return told if result.reason is None else {**told, "reason": result.reason}


def _hit(hit: Hit, answer: SearchAnswer) -> dict[str, Any]:
    content = content_json(hit.record.content)
    told = {
        "id": hit.record.id,
        "namespace": hit.record.namespace,
        "revision": hit.record.read_as,
        "score": hit.fused.ordering,
        **{name: content[name] for name in _HIT_FIELDS},
        **({} if hit.text is None else {"text": hit.text}),
        "document": chunk_json(hit.record.chunk),
        "snippet": hit.snippet,
        "truncated": hit.text is not None,
        "legs": {leg.value: _rank(hit.fused.parts.get(leg)) for leg in answer.request.mode.legs},
    }
    if answer.request.explain:
        told["explain"] = _explained(hit, answer)
    return told


def _rank(part: Part | None) -> dict[str, Any] | None:
    return None if part is None else {"rank": part.rank, "score": part.score}


def _explained(hit: Hit, answer: SearchAnswer) -> dict[str, Any]:
    """The whole arithmetic of a hit; `ways`: of each way of asking, where there were several."""
    ways = [{**way._asdict(), "leg": way.leg.value} for way in hit.fused.ways]
    return {
        **({"ways": ways} if ways else {}),
        "score_kind": answer.score_kind,
        "legs": {
            leg.value: {
                "rank": part.rank,
                "score": part.score,
                "normalised": part.normalised,
                "weight": part.weight,
                "contribution": part.contribution,
            }
            for leg, part in hit.fused.parts.items()
        },
        "fused": hit.fused.score,
        "rerank": hit.fused.relevance,
    }
