"""What became of one expected record at each stage of a search."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from palimpsest.domain.entries import EntryKey, Leg
from palimpsest.domain.explanation import LostAt
from palimpsest.domain.fusion import FusedHit
from palimpsest.domain.loss import Loss
from palimpsest.domain.queries import RerankStatus
from palimpsest.domain.records import Record
from palimpsest.services.search import Searched


@dataclass(frozen=True, slots=True)
class Placing:
    """An expected id in one namespace: its record now, what keeps it from being served, and how far
    the index was with that namespace.
    """

    id: str
    partition: str
    record: Record | None
    loss: Loss | None
    indexed: int

    @property
    def key(self) -> EntryKey:
        """What names its entry."""
        return self.partition, self.id


def reached(
    searched: Searched, placing: Placing, scores: Mapping[Leg, float]
) -> dict[str, dict[str, Any] | None]:
    """Rank and score at each stage: null where the stage did not have it. Beyond a leg's depth it
    has no rank, and a score where the leg finds it at all.
    """
    told: dict[str, dict[str, Any] | None] = {}
    for leg, result in searched.asked.asked.merged.items():
        place = _place([one.key for one in result.candidates], placing.key)
        score = scores.get(leg)
        if place is not None:
            told[leg.value] = {"rank": place, "score": result.candidates[place - 1].score}
        else:
            told[leg.value] = None if score is None else {"rank": None, "score": score}
    fused = _place([hit.key for hit in searched.found.fused], placing.key)
    told["fused"] = _at(searched.found.fused, fused)
    if searched.found.reranked.status is RerankStatus.OK:
        ordered = [hit for hit, _ in searched.found.placed]
        place = _place([hit.key for hit in ordered], placing.key)
        relevance = None if place is None else ordered[place - 1].relevance
        told["rerank"] = None if place is None else {"rank": place, "score": relevance}
    return told


def verdict(
    searched: Searched, placing: Placing, *, legs: frozenset[Leg], scores: Mapping[Leg, float]
) -> LostAt:
    """The stage that lost it."""
    if placing.loss is not None:
        return LostAt(placing.loss.value)
    returned = {(hit.fused.candidate.partition, hit.record.id) for hit in searched.answer.hits}
    if placing.key in returned:
        return LostAt.RETURNED
    if any(hit.key == placing.key for hit, _ in searched.found.page.dropped):
        return LostAt.STALE_IN_INDEX
    if any(hit.key == placing.key for hit in searched.found.fused):
        return _after_fusion(searched, placing)
    return _before_fusion(searched, placing, legs, scores)


def _before_fusion(
    searched: Searched, placing: Placing, legs: frozenset[Leg], scores: Mapping[Leg, float]
) -> LostAt:
    candidates = (r.candidates for r in searched.asked.asked.merged.values())
    if any(one.key == placing.key for several in candidates for one in several):
        return LostAt.FUSED_OUT
    if not legs:
        return LostAt.NOT_INDEXED
    if placing.record is not None and placing.record.revision > placing.indexed:
        return LostAt.STALE_IN_INDEX
    asked = searched.asked.legs
    if Leg.SEMANTIC not in asked or (Leg.LEXICAL in asked and Leg.LEXICAL in scores):
        return LostAt.LEXICAL_RANK
    return LostAt.SEMANTIC_RANK


def _after_fusion(searched: Searched, placing: Placing) -> LostAt:
    """It was ranked, and is not on the page."""
    request, found = searched.answer.request, searched.found
    keys = [hit.key for hit, _ in found.placed]
    place = _place(keys, placing.key)
    before = _place([hit.key for hit in found.fused], placing.key) or 0
    ok = found.reranked.status is RerankStatus.OK
    if request.min_score is not None and not found.reranked.fell_short:
        ranked = [hit for hit, _ in found.placed] if ok else found.fused
        hit = next((one for one in ranked if one.key == placing.key), None)
        if hit is not None and hit.ordering < request.min_score:
            return LostAt.BELOW_MIN_SCORE
    if place is not None and place <= request.limit:
        return LostAt.OVER_TOKEN_BUDGET
    if ok and place is not None and before <= request.limit:
        return LostAt.RERANKED_OUT
    return LostAt.OVER_LIMIT


def _place(keys: Sequence[EntryKey], key: EntryKey) -> int | None:
    return keys.index(key) + 1 if key in keys else None


def _at(hits: Sequence[FusedHit], place: int | None) -> dict[str, Any] | None:
    return None if place is None else {"rank": place, "score": hits[place - 1].score}
