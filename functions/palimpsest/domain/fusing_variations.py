"""Fusion where a question was asked in several ways: every ranking of every leg is one list.

In `weighted` and `rrf` a leg's weight is shared among its rankings: half of it is the original's,
the other half that of all variations together, so that a poor variation never outweighs what was
asked. Where only the original was answered it has it all. In `blend` all rankings count alike, as
in its source.
"""

from collections.abc import Collection, Mapping, Sequence

from palimpsest.domain.blending import FLOOR, blended
from palimpsest.domain.entries import Candidate, EntryKey, Leg
from palimpsest.domain.fusion import (
    RRF_K,
    FusedHit,
    Fusion,
    FusionMethod,
    Part,
    Way,
    min_max,
    originals,
)

_DIGITS = 12
ORIGINAL_SHARE = 0.5

Rankings = Mapping[Leg, Mapping[int, Sequence[Candidate]]]
"""Of each leg the rankings that were answered, by variation: 0 is the original, which is there."""

Shares = Mapping[Leg, Mapping[int, float]]
"""Of each leg what the ranking of each variation counts."""


def fuse_variations(rankings: Rankings, fusion: Fusion) -> list[FusedHit]:
    """The fused list of every candidate of any ranking, best first; ties as in `fuse`.

    The part of a leg holds its best rank and score in any of its rankings, the mean of its
    normalised scores by their shares, and the sum of what they contribute.
    """
    share = {leg: shares(several) for leg, several in rankings.items()}
    ways, newest = _ways(rankings, share, fusion)
    hits = [_hit(ways[key], newest[key], share, fusion) for key in newest]
    if fusion.method is FusionMethod.BLEND:
        hits = [hit for hit in hits if hit.score >= FLOOR]
    return sorted(hits, key=lambda hit: (-hit.score, hit.best_rank, hit.id, hit.key[0]))


def shares(variations: Collection[int]) -> dict[int, float]:
    """What the ranking of each of these variations counts; 1 in all."""
    others = len(variations) - 1
    if not others:
        return dict.fromkeys(variations, 1.0)
    return {one: (1 - ORIGINAL_SHARE) / others if one else ORIGINAL_SHARE for one in variations}


def _ways(
    rankings: Rankings, share: Shares, fusion: Fusion
) -> tuple[dict[EntryKey, list[Way]], dict[EntryKey, Candidate]]:
    """Every way in which each entry was found, at its better rank where one has it twice."""
    terms = _blend_terms(rankings) if fusion.method is FusionMethod.BLEND else {}
    found: dict[EntryKey, dict[tuple[Leg, int], Way]] = {}
    newest: dict[EntryKey, Candidate] = {}
    for leg, several in rankings.items():
        for variation, candidates in several.items():
            levels = _levels(leg, candidates, fusion)
            for rank, (one, level) in enumerate(zip(candidates, levels, strict=True), 1):
                if fusion.method is FusionMethod.BLEND:
                    term = terms[one.key][leg, variation]
                else:
                    term = share[leg][variation] * _term(leg, rank, level, fusion)
                way = Way(leg, variation, rank, one.score, level, term)
                found.setdefault(one.key, {}).setdefault((leg, variation), way)
                known = newest.setdefault(one.key, one)
                if one.revision > known.revision:
                    newest[one.key] = one
    return {key: list(by.values()) for key, by in found.items()}, newest


def _levels(leg: Leg, candidates: Sequence[Candidate], fusion: Fusion) -> list[float]:
    if fusion.method is FusionMethod.BLEND:
        return originals(leg, candidates)
    return min_max([candidate.score for candidate in candidates])


def _term(leg: Leg, rank: int, level: float, fusion: Fusion) -> float:
    weight = fusion.weight(leg)
    if fusion.method is FusionMethod.RRF:
        return weight / (RRF_K + rank)
    return weight * level / (fusion.lexical + fusion.semantic)


def _blend_terms(rankings: Rankings) -> dict[EntryKey, dict[tuple[Leg, int], float]]:
    return blended(
        {
            (leg, variation): [
                (one.key, level)
                for one, level in zip(candidates, originals(leg, candidates), strict=True)
            ]
            for leg, several in rankings.items()
            for variation, candidates in several.items()
        }
    )


def _hit(ways: Sequence[Way], candidate: Candidate, share: Shares, fusion: Fusion) -> FusedHit:
    parts: dict[Leg, Part] = {}
    for leg, by_variation in share.items():
        own = [way for way in ways if way.leg is leg]
        if own:
            parts[leg] = Part(
                min(way.rank for way in own),
                max(way.score for way in own),
                sum(by_variation[way.variation] * way.normalised for way in own),
                1.0 if fusion.method is FusionMethod.BLEND else fusion.weight(leg),
                sum(way.contribution for way in own),
            )
    score = round(sum(way.contribution for way in ways), _DIGITS)
    return FusedHit(score, parts, candidate, None, tuple(ways))
