"""Fusion: one ranking out of several legs' rankings.

A leg's list is ordered, rank 1 first. A fused score is rounded to 1e-12; ties go to the better
single rank, then to the smaller id, then to the smaller partition, so that the same legs always
give the same list. Equal ids of different partitions are different entries.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from palimpsest.domain.entries import Candidate, EntryKey, Leg

RRF_K = 60
"""The constant of reciprocal rank fusion. Source: Cormack, Clarke, Buettcher, SIGIR 2009."""

DEFAULT_WEIGHT = 0.5
_DIGITS = 12


class FusionMethod(StrEnum):
    """How leg rankings become one."""

    WEIGHTED = "weighted"
    RRF = "rrf"


@dataclass(frozen=True, slots=True)
class Part:
    """What one leg gave a fused hit: its rank and raw score there, and the term it adds to the
    score.
    """

    rank: int
    score: float
    normalised: float
    weight: float
    contribution: float


@dataclass(frozen=True, slots=True)
class FusedHit:
    """One entry of the fused list, with the whole arithmetic by leg."""

    score: float
    parts: Mapping[Leg, Part]
    candidate: Candidate

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
    """
    total = fusion.lexical + fusion.semantic
    parts: dict[EntryKey, dict[Leg, Part]] = {}
    first: dict[EntryKey, Candidate] = {}
    for leg, candidates in legs.items():
        weight = fusion.weight(leg)
        normalised = min_max([candidate.score for candidate in candidates])
        for rank, (candidate, level) in enumerate(zip(candidates, normalised, strict=True), 1):
            key = candidate.key
            by_leg = parts.setdefault(key, {})
            if leg in by_leg:
                continue  # the same entry twice in a leg counts at its better rank
            term = (
                weight / (RRF_K + rank)
                if fusion.method is FusionMethod.RRF
                else weight * level / total
            )
            by_leg[leg] = Part(rank, candidate.score, level, weight, term)
            known = first.get(key)
            if known is None or candidate.revision > known.revision:
                first[key] = candidate
    hits = [
        FusedHit(
            round(sum(part.contribution for part in by_leg.values()), _DIGITS), by_leg, first[key]
        )
        for key, by_leg in parts.items()
    ]
    return sorted(hits, key=order)


def single(leg: Leg, candidates: Sequence[Candidate]) -> list[FusedHit]:
    """A list of one leg alone, in its own order, by its own score."""
    seen: dict[EntryKey, FusedHit] = {}
    for rank, candidate in enumerate(candidates, 1):
        score = candidate.score
        part = Part(rank, score, score, 1.0, score)
        seen.setdefault(candidate.key, FusedHit(score, {leg: part}, candidate))
    return list(seen.values())


def order(hit: FusedHit) -> tuple[float, int, str, str]:
    """The sort key of a fused list."""
    return -hit.score, hit.best_rank, hit.id, hit.candidate.partition


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
        hit
        if ceiling is None or hit.score <= ceiling
        else FusedHit(ceiling, hit.parts, hit.candidate)
        for hit in deeper
        if hit.key not in keys
    ]
