"""Several ways of asking become one list: every ranking counts, the original as the rest."""

import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from palimpsest.domain.entries import Candidate, Leg
from palimpsest.domain.fusing_variations import fuse_variations, shares
from palimpsest.domain.fusion import Fusion, FusionMethod, fuse

IDS = [f"r{n}" for n in range(8)]


def candidate(record_id: str, score: float, revision: int = 1) -> Candidate:
    return Candidate("t#n", record_id, score, revision, "h")


rankings = st.lists(
    st.tuples(st.sampled_from(IDS), st.floats(-1, 20).map(lambda x: round(x, 1))), max_size=8
).map(
    lambda rows: sorted((candidate(i, score) for i, score in rows), key=lambda c: (-c.score, c.id))
)
legs = st.dictionaries(
    st.sampled_from(list(Leg)), st.lists(rankings, min_size=1, max_size=3), min_size=1
)


def plain(asked: dict[Leg, list[list[Candidate]]], fusion: Fusion) -> dict[str, float]:
    """The rule as slowly as it can be said."""
    found: dict[str, float] = {}
    for leg, several in asked.items():
        for variation, ranking in enumerate(several):
            share = 1.0
            if len(several) > 1:
                share = 0.5 if variation == 0 else 0.5 / (len(several) - 1)
            scores = [one.score for one in ranking]
            for rank, one in enumerate(ranking, 1):
                if [other.id for other in ranking].index(one.id) != rank - 1:
                    continue
                low, high = min(scores), max(scores)
                level = 1.0 if high == low else (one.score - low) / (high - low)
                term = level * fusion.weight(leg) / (fusion.lexical + fusion.semantic)
                if fusion.method is FusionMethod.RRF:
                    term = fusion.weight(leg) / (60 + rank)
                found[one.id] = found.get(one.id, 0.0) + share * term
    return found


@pytest.mark.parametrize("method", [FusionMethod.WEIGHTED, FusionMethod.RRF])
@given(asked=legs, lexical=st.floats(0, 3))
def test_c5_fusing_variations_equals_a_plain_reference(
    method: FusionMethod, asked: dict[Leg, list[list[Candidate]]], lexical: float
) -> None:
    fusion = Fusion(method=method, lexical=lexical, semantic=1.0)
    hits = fuse_variations(
        {leg: dict(enumerate(several)) for leg, several in asked.items()}, fusion
    )
    expected = plain(asked, fusion)
    assert {hit.id for hit in hits} == set(expected)
    for hit in hits:
        assert math.isclose(hit.score, expected[hit.id], abs_tol=1e-9)
        assert math.isclose(
            sum(part.contribution for part in hit.parts.values()), hit.score, abs_tol=1e-9
        )
    keys = [(-hit.score, hit.best_rank, hit.id) for hit in hits]
    assert keys == sorted(keys)


@pytest.mark.parametrize("method", FusionMethod)
@given(lexical=rankings, semantic=rankings)
def test_one_way_of_asking_is_fused_as_ever(
    method: FusionMethod, lexical: list[Candidate], semantic: list[Candidate]
) -> None:
    fusion = Fusion(method=method)
    alone = fuse({Leg.LEXICAL: lexical, Leg.SEMANTIC: semantic}, fusion)
    several = fuse_variations({Leg.LEXICAL: {0: lexical}, Leg.SEMANTIC: {0: semantic}}, fusion)
    assert [(h.id, h.parts) for h in several] == [(h.id, h.parts) for h in alone]
    assert [h.score for h in several] == pytest.approx([h.score for h in alone], abs=1e-9)


def test_the_original_counts_as_much_as_all_variations_together() -> None:
    assert shares([0]) == {0: 1.0}
    assert shares([0, 2]) == {0: 0.5, 2: 0.5}
    assert shares([0, 1, 2]) == {0: 0.5, 1: 0.25, 2: 0.25}


def test_a_part_tells_the_best_of_its_ways_and_every_way_is_told() -> None:
    asked: Any = {
        Leg.LEXICAL: {0: [candidate("a", 9.0), candidate("b", 3.0)], 2: [candidate("b", 5.0, 7)]}
    }
    hit = next(h for h in fuse_variations(asked, Fusion()) if h.id == "b")
    part = hit.parts[Leg.LEXICAL]
    assert (part.rank, part.score, part.normalised) == (1, 5.0, 0.5)
    assert [(way.variation, way.rank, way.score) for way in hit.ways] == [(0, 2, 3.0), (2, 1, 5.0)]
    assert hit.candidate.revision == 7


def test_the_blend_merges_all_rankings_and_drops_what_is_below_its_floor() -> None:
    asked: Any = {
        Leg.SEMANTIC: {0: [candidate("a", 0.8), candidate("z", -1.0)], 1: [candidate("a", 0.6)]},
    }
    hits = fuse_variations(asked, Fusion(method=FusionMethod.BLEND))
    assert [hit.id for hit in hits] == ["a"]
    assert hits[0].score == pytest.approx(0.7 * 0.9 + 0.3)
