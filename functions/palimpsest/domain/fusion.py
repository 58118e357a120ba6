"""Fusion: one ranking out of several legs' rankings.

A leg's list is ordered, rank 1 first. A fused score is rounded to 1e-12; ties go to the better
single rank, then to the smaller id, then to the smaller partition, so that the same legs always
give the same list. Equal ids of different partitions are different entries.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple

from palimpsest.domain.blending import FLOOR, blended
from palimpsest.domain.entries import Candidate, EntryKey, Leg

RRF_K = 60
"""The constant of reciprocal rank fusion. Source: Cormack, Clarke, Buettcher, SIGIR 2009."""

DEFAULT_WEIGHT = 0.5
_DIGITS = 12


class FusionMethod(StrEnum):
    """How leg rankings become one."""

    WEIGHTED = "weighted"
    RRF = "rrf"
    BLEND = "blend"


class Part(NamedTuple):
    """What one leg gave a fused hit: its rank and raw score there, and the term it adds to the
    score.
    """

    rank: int
    score: float
    normalised: float
    weight: float
    contribution: float


class Way(NamedTuple):
    """What one way of asking a leg gave a hit; `variation` 0 is the original."""

    leg: Leg
    variation: int
    rank: int
    score: float
    normalised: float
    contribution: float


class FusedHit(NamedTuple):
    """One entry of the fused list, with the whole arithmetic by leg, and where a question was asked
    in several ways, by each of them; `relevance` is a reranker's score, once it has one.
    """

    score: float
    parts: Mapping[Leg, Part]
    candidate: Candidate
    relevance: float | None = None
    ways: Sequence[Way] = ()

    @property
    def ordering(self) -> float:
        """The score that gives it its place."""
        return self.score if self.relevance is None else self.relevance

    @property
    def id(self) -> str:
        """The record's id."""
        return self.candidate.id

    @property
    def key(self) -> EntryKey:
        """What names the entry among those of all partitions."""
        return self.candidate.key

    @property
    def best_rank(self) -> int:
        """The best rank that any leg gave it."""
        return min(part.rank for part in self.parts.values())


@dataclass(frozen=True, slots=True, kw_only=True)
class Fusion:
    """A method and the weight of each leg (at least one above 0)."""

    method: FusionMethod = FusionMethod.WEIGHTED
    lexical: float = DEFAULT_WEIGHT
    semantic: float = DEFAULT_WEIGHT

    def weight(self, leg: Leg) -> float:
        """The weight of a leg."""
        return self.lexical if leg is Leg.LEXICAL else self.semantic


def fuse(legs: Mapping[Leg, Sequence[Candidate]], fusion: Fusion) -> list[FusedHit]:
    """The fused list of every candidate of any leg, best first.

    `weighted`: the mean, by the legs' weights, of scores normalised to 0..1 in each leg by its
    minimum and maximum; equal scores count 1.0; a leg that does not have the candidate counts 0.
    `rrf`: the sum of weight / (60 + rank).
    `blend`: of `domain/blending.py`, whatever the weights; the original scores are (1 + cosine) / 2
    and BM25 divided by the leg's best. A hit below the floor is left out.
    """
    if fusion.method is FusionMethod.BLEND:
        return _blend(legs)
    total, by_rank = fusion.lexical + fusion.semantic, fusion.method is FusionMethod.RRF
    entries: _Entries = {}
    for leg, candidates in legs.items():
        weight = fusion.weight(leg)
        levels = min_max([candidate.score for candidate in candidates])
        for rank, (candidate, level) in enumerate(zip(candidates, levels, strict=True), 1):
            term = weight / (RRF_K + rank) if by_rank else weight * level / total
            _add(entries, candidate, leg, Part(rank, candidate.score, level, weight, term))
    return _ordered(entries)


_Entries = dict[EntryKey, tuple[Candidate, dict[Leg, Part]]]
"""Each entry's newest candidate, and what its legs gave it."""


def _add(entries: _Entries, candidate: Candidate, leg: Leg, part: Part) -> None:
    """Add what a leg gave. The same entry twice in a leg counts at its better rank."""
    key = candidate[:2]
    known = entries.get(key)
    if known is None:
        entries[key] = candidate, {leg: part}
    elif leg not in known[1]:
        known[1][leg] = part
        if candidate.revision > known[0].revision:
            entries[key] = candidate, known[1]


def _ordered(entries: _Entries) -> list[FusedHit]:
    """The hits of these entries: score descending, best rank, id, partition."""
    rows = []
    for candidate, by_leg in entries.values():
        if len(by_leg) == 1:
            (part,) = by_leg.values()
            score, best = part.contribution, part.rank
        else:
            score = sum([part.contribution for part in by_leg.values()])
            best = min([part.rank for part in by_leg.values()])
        partition, record_id = candidate[:2]  # rank, id and partition together are nobody else's
        rows.append((-round(score, _DIGITS), best, record_id, partition, by_leg, candidate))
    rows.sort()
    return [FusedHit(-negative, by_leg, one) for negative, _, _, _, by_leg, one in rows]


def _blend(legs: Mapping[Leg, Sequence[Candidate]]) -> list[FusedHit]:
    levels = {leg: originals(leg, candidates) for leg, candidates in legs.items()}
    terms = blended(
        {
            leg: [(one.key, level) for one, level in zip(candidates, levels[leg], strict=True)]
            for leg, candidates in legs.items()
        }
    )
    entries: _Entries = {}
    for leg, candidates in legs.items():
        for rank, (one, level) in enumerate(zip(candidates, levels[leg], strict=True), 1):
            _add(entries, one, leg, Part(rank, one.score, level, 1.0, terms[one.key][leg]))
    return [hit for hit in _ordered(entries) if hit.score >= FLOOR]


def originals(leg: Leg, candidates: Sequence[Candidate]) -> list[float]:
    """Raw scores on 0..1, each on the scale of its leg."""
    if leg is Leg.SEMANTIC:
        return [(1 + candidate.score) / 2 for candidate in candidates]
    best = max((candidate.score for candidate in candidates), default=0.0)
    return [candidate.score / best if best > 0 else 0.0 for candidate in candidates]


def single(leg: Leg, candidates: Sequence[Candidate]) -> list[FusedHit]:
    """A list of one leg alone, in its own order, by its own score."""
    seen: dict[EntryKey, FusedHit] = {}
    for rank, candidate in enumerate(candidates, 1):
        score = candidate.score
        part = Part(rank, score, score, 1.0, score)
        seen.setdefault(candidate.key, FusedHit(score, {leg: part}, candidate))
    return list(seen.values())


def min_max(scores: Sequence[float]) -> list[float]:
    """Scores moved to 0..1 by their minimum and maximum; all 1.0 where they are equal."""
    if not scores:
        return []
    low, high = min(scores), max(scores)
    if high <= low:
        return [1.0] * len(scores)
    return [(score - low) / (high - low) for score in scores]


def extend(known: Sequence[FusedHit], deeper: Sequence[FusedHit]) -> list[FusedHit]:
    """The hits that only the deeper candidates have, to stand behind `known`: their score is never
    above the last known one, so that what was ranked before keeps its place.
    """
    keys = {hit.key for hit in known}
    ceiling = known[-1].score if known else None
    return [
        hit if ceiling is None or hit.score <= ceiling else hit._replace(score=ceiling)
        for hit in deeper
        if hit.key not in keys
    ]
