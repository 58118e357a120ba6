import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from palimpsest.domain.entries import Candidate, Leg
from palimpsest.domain.fusion import Fusion, FusionMethod, extend, fuse, min_max, single

IDS = [f"r{n}" for n in range(8)]


def candidate(record_id: str, score: float, namespace: str = "n") -> Candidate:
    return Candidate(f"t#{namespace}", record_id, score, 1, "h")


legs = st.lists(
    st.tuples(st.sampled_from(IDS), st.floats(-5, 20).map(lambda x: round(x, 1))), max_size=10
).map(
    lambda rows: sorted((candidate(i, score) for i, score in rows), key=lambda c: (-c.score, c.id))
)
weights = st.floats(0, 5)


def plain_weighted(
    lexical: list[Candidate], semantic: list[Candidate], w_lex: float, w_sem: float
) -> dict[str, float]:
    """The formula of the contract, as slowly as it can be said."""
    found: dict[str, float] = {}
    for i in {c.id for c in lexical} | {c.id for c in semantic}:
        total = 0.0
        for leg, weight in ((lexical, w_lex), (semantic, w_sem)):
            scores = [c.score for c in leg]
            mine = [c.score for c in leg if c.id == i]
            if not mine:
                continue
            low, high = min(scores), max(scores)
            level = 1.0 if high == low else (max(mine) - low) / (high - low)
            total += weight * level
        found[i] = total / (w_lex + w_sem)
    return found


def plain_rrf(
    lexical: list[Candidate], semantic: list[Candidate], w_lex: float, w_sem: float
) -> dict[str, float]:
    found: dict[str, float] = {}
    for leg, weight in ((lexical, w_lex), (semantic, w_sem)):
        for i in {c.id for c in leg}:
            rank = 1 + next(n for n, c in enumerate(leg) if c.id == i)
            found[i] = found.get(i, 0.0) + weight / (60 + rank)
    return found


def plain_blend(
    lexical: list[Candidate], semantic: list[Candidate], _w_lex: float, _w_sem: float
) -> dict[str, float]:
    best = max((c.score for c in lexical), default=0.0)
    originals = [
        [(c.id, c.score / best if best > 0 else 0.0) for c in lexical],
        [(c.id, (1 + c.score) / 2) for c in semantic],
    ]
    sums: dict[str, float] = {}
    for leg in originals:
        for i in {i for i, _ in leg}:
            sums[i] = sums.get(i, 0.0) + 1 / (60 + [j for j, _ in leg].index(i))
    found = {}
    for i, total in sums.items():
        firsts = [next(score for j, score in leg if j == i) for leg in originals if i in dict(leg)]
        found[i] = round(0.7 * max(firsts) + 0.3 * total / max(sums.values()), 12)
    return {i: score for i, score in found.items() if score >= 0.3}


@pytest.mark.parametrize(
    ("method", "plain"),
    [
        (FusionMethod.WEIGHTED, plain_weighted),
        (FusionMethod.RRF, plain_rrf),
        (FusionMethod.BLEND, plain_blend),
    ],
)
@given(lexical=legs, semantic=legs, w_lex=weights, w_sem=weights)
def test_c5_fusion_equals_a_plain_reference_with_ties_duplicates_and_empty_legs(
    method: FusionMethod,
    plain: object,
    lexical: list[Candidate],
    semantic: list[Candidate],
    w_lex: float,
    w_sem: float,
) -> None:
    if w_lex + w_sem < 1e-3:
        w_lex = 1.0
    fusion = Fusion(method=method, lexical=w_lex, semantic=w_sem)
    hits = fuse({Leg.LEXICAL: lexical, Leg.SEMANTIC: semantic}, fusion)
    expected = plain(lexical, semantic, w_lex, w_sem)  # type: ignore[operator]
    assert {h.id for h in hits} == set(expected)
    for hit in hits:
        assert math.isclose(hit.score, expected[hit.id], abs_tol=1e-9)
    keys = [(-h.score, h.best_rank, h.id) for h in hits]
    assert keys == sorted(keys)


@pytest.mark.parametrize("method", FusionMethod)
@given(lexical=legs, semantic=legs)
def test_the_contributions_of_the_legs_add_up_to_the_score(
    method: FusionMethod, lexical: list[Candidate], semantic: list[Candidate]
) -> None:
    for hit in fuse({Leg.LEXICAL: lexical, Leg.SEMANTIC: semantic}, Fusion(method=method)):
        assert math.isclose(
            sum(p.contribution for p in hit.parts.values()), hit.score, abs_tol=1e-9
        )


def test_c2_the_best_of_the_heavy_leg_stays_first_with_extreme_weights() -> None:
    lexical = [candidate("lex", 9.0), candidate("both", 8.0)]
    semantic = [candidate("both", 0.9), candidate("sem", 0.1)]
    by_leg = {Leg.LEXICAL: lexical, Leg.SEMANTIC: semantic}
    assert fuse(by_leg, Fusion(lexical=0.9999, semantic=0.0001))[0].id == "lex"
    assert fuse(by_leg, Fusion(lexical=0.0001, semantic=0.9999))[0].id == "both"


def test_equal_scores_of_a_leg_all_count_one() -> None:
    assert min_max([2.0, 2.0]) == [1.0, 1.0]
    assert min_max([]) == []


def test_ties_go_to_the_better_single_rank_then_to_the_smaller_id() -> None:
    fusion = Fusion(method=FusionMethod.RRF)
    lexical = [candidate("b", 2.0), candidate("z", 1.0)]
    semantic = [candidate("a", 0.9), candidate("y", 0.1)]
    hits = fuse({Leg.LEXICAL: lexical, Leg.SEMANTIC: semantic}, fusion)
    assert [h.id for h in hits] == ["a", "b", "y", "z"]


def test_one_leg_alone_keeps_its_order_and_its_scores() -> None:
    candidates = [
        candidate("a", 3.0),
        candidate("b", 1.0),
        candidate("a", 0.5),
    ]
    hits = single(Leg.LEXICAL, candidates)
    assert [(h.id, h.score, h.best_rank) for h in hits] == [("a", 3.0, 1), ("b", 1.0, 2)]


@given(first=legs, more=legs, semantic=legs)
def test_deeper_candidates_stand_behind_what_was_ranked_before(
    first: list[Candidate], more: list[Candidate], semantic: list[Candidate]
) -> None:
    fusion = Fusion(method=FusionMethod.RRF)
    known = fuse({Leg.LEXICAL: first, Leg.SEMANTIC: semantic}, fusion)
    deeper = fuse({Leg.LEXICAL: [*first, *more], Leg.SEMANTIC: semantic}, fusion)
    behind = extend(known, deeper)
    whole = [*known, *behind]
    assert len({h.id for h in whole}) == len(whole)
    scores = [h.score for h in whole]
    assert scores == sorted(scores, reverse=True)
    assert {h.id for h in whole} == {h.id for h in deeper} | {h.id for h in known}


def test_of_two_legs_revisions_the_newer_is_what_was_found() -> None:
    hits = fuse(
        {
            Leg.LEXICAL: [Candidate("t#n", "a", 1.0, 3, "old")],
            Leg.SEMANTIC: [Candidate("t#n", "a", 1.0, 4, "new")],
        },
        Fusion(),
    )
    assert hits[0].candidate.text_hash == "new"


def test_equal_ids_of_two_namespaces_are_fused_apart_and_ties_end_by_namespace() -> None:
    lexical = [candidate("a", 2.0, "n"), candidate("a", 2.0, "m")]
    semantic = [candidate("a", 0.9, "m"), candidate("a", 0.9, "n")]
    fusion = Fusion(method=FusionMethod.RRF)
    hits = fuse({Leg.LEXICAL: lexical, Leg.SEMANTIC: semantic}, fusion)
    assert [h.key for h in hits] == [("t#m", "a"), ("t#n", "a")]
    assert [h.key for h in single(Leg.LEXICAL, lexical)] == [("t#n", "a"), ("t#m", "a")]
    assert [h.key for h in extend(hits[:1], hits)] == [("t#n", "a")]
