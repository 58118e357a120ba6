"""What became of one expected record at each stage of a search."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from palimpsest.domain.entries import Candidate, EntryKey, Leg
from palimpsest.domain.explanation import LostAt
from palimpsest.domain.fusion import FusedHit
from palimpsest.domain.loss import Loss
from palimpsest.domain.queries import Mode, RerankStatus
from palimpsest.domain.records import Record
from palimpsest.services.search import Searched

Stages = dict[str, dict[str, Any] | None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Placing:
    """An expected id in one namespace: its record now and what keeps it from being served, the legs
    on which the index has it (None: the index cannot tell), and what each leg finds of it, wherever
    it ranks.
    """

    id: str
    namespace: str
    partition: str
    record: Record | None
    loss: Loss | None
    legs: frozenset[Leg] | None = None
    found: Mapping[Leg, Candidate] = field(default_factory=dict)

    @property
    def key(self) -> EntryKey:
        """What names its entry."""
        return self.partition, self.id


def reached(searched: Searched, placing: Placing) -> Stages:
    """Rank and score at each stage: null where the stage did not have it. Beyond a leg's depth it
    has no rank, and a score where the leg finds it at all.
    """
    fused = searched.found.fused
    place = _place([hit.key for hit in fused], placing.key)
    hit = None if place is None else fused[place - 1]
    told: Stages = {
        leg.value: _on_leg(searched, placing, leg, hit) for leg in searched.asked.asked.merged
    }
    told["fused"] = None if hit is None else {"rank": place, "score": hit.score}
    if searched.found.reranked.status is RerankStatus.OK:
        ordered = [one for one, _ in searched.found.placed]
        place = _place([one.key for one in ordered], placing.key)
        relevance = None if place is None else ordered[place - 1].relevance
        told["rerank"] = None if place is None else {"rank": place, "score": relevance}
    return told


def _on_leg(
    searched: Searched, placing: Placing, leg: Leg, hit: FusedHit | None
) -> dict[str, Any] | None:
    if hit is not None:
        part = hit.parts.get(leg)
        if part is not None:
            return {"rank": part.rank, "score": part.score}
    places = _candidates(searched, placing, leg)
    if places:
        return {"rank": min(places)[0], "score": max(one.score for _, one in places)}
    found = placing.found.get(leg)
    return None if found is None else {"rank": None, "score": found.score}


def _candidates(searched: Searched, placing: Placing, leg: Leg) -> list[tuple[int, Candidate]]:
    """Where it stands in the lists of a leg that the fused one was made of: those of all ways of
    asking, or of a mode with one leg the merged one.
    """
    asked = searched.asked.asked
    hybrid = searched.answer.request.mode is Mode.HYBRID
    several = asked.by_variation[leg] if hybrid else [asked.merged[leg]]
    return [
        (place, one)
        for result in several
        for place, one in enumerate(result.candidates, 1)
        if one.key == placing.key
    ]


def verdict(searched: Searched, placing: Placing) -> LostAt:
    """The stage that lost it: by what the search saw, and only then by what is there now."""
    if any(hit.fused.key == placing.key for hit in searched.answer.hits):
        return LostAt.RETURNED
    dropped = (loss for hit, loss in searched.found.page.dropped if hit.key == placing.key)
    loss = next(dropped, placing.loss)
    if loss is not None:
        return LostAt(loss.value)
    if any(hit.key == placing.key for hit in searched.found.fused):
        return _after_fusion(searched, placing)
    return _before_fusion(searched, placing)


def _before_fusion(searched: Searched, placing: Placing) -> LostAt:
    """No leg had it among its candidates, or the floor of the blend left it out."""
    asked = searched.asked
    if any(_candidates(searched, placing, leg) for leg in asked.asked.merged):
        return LostAt.FUSED_OUT
    legs = frozenset(Leg) if placing.legs is None else placing.legs
    if legs and _is_older_there(searched, placing):
        return LostAt.STALE_IN_INDEX
    has_words = Leg.LEXICAL in placing.found
    if Leg.SEMANTIC not in asked.legs or (Leg.LEXICAL in asked.legs and has_words):
        leg, stage = Leg.LEXICAL, LostAt.LEXICAL_RANK
    else:
        leg, stage = Leg.SEMANTIC, LostAt.SEMANTIC_RANK
    return stage if leg in legs else LostAt.NOT_INDEXED


def _is_older_there(searched: Searched, placing: Placing) -> bool:
    """Whether the index had another text of the record than the table has. Where only other fields
    are newer there, its legs find the same text; not so what was written after the search began.
    """
    record, read = placing.record, searched.seen.read
    if record is None or record.revision <= read.indexed[placing.namespace].revision:
        return False
    text_hash = record.content.text_hash if record.content else None
    same = any(one.text_hash == text_hash for one in placing.found.values())
    return not same or record.revision > read.clocks[placing.namespace].revision


def _after_fusion(searched: Searched, placing: Placing) -> LostAt:
    """It was ranked, and is not on the page."""
    request, found = searched.answer.request, searched.found
    ok = found.reranked.status is RerankStatus.OK
    place = _place([hit.key for hit, _ in found.placed], placing.key)
    before = _place([hit.key for hit, _ in found.page.hits], placing.key)
    if request.min_score is not None and not found.reranked.fell_short:
        ranked = [hit for hit, _ in found.placed] if ok else found.fused
        hit = next((one for one in ranked if one.key == placing.key), None)
        if hit is not None and hit.ordering < request.min_score:
            return LostAt.BELOW_MIN_SCORE
    if place is not None and place <= request.limit:
        return LostAt.OVER_TOKEN_BUDGET
    if ok and before is not None and before <= request.limit:
        return LostAt.RERANKED_OUT
    return LostAt.OVER_LIMIT


def _place(keys: Sequence[EntryKey], key: EntryKey) -> int | None:
    return keys.index(key) + 1 if key in keys else None
