from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from palimpsest.domain.entries import Candidate, EntryKey, Leg, LegResult, LegStatus
from palimpsest.domain.leg_merging import merge_variations

KEYS = [(f"t#{n}", f"r{i}") for n in "ab" for i in range(4)]
SHORT = (LegStatus.FAILED, LegStatus.TIMEOUT)


def candidate(key: EntryKey, score: float, *, revision: int = 1, text_hash: str = "h") -> Candidate:
    return Candidate(*key, score, revision, text_hash)


def answered(
    leg: Leg,
    candidates: Sequence[Candidate] = (),
    *,
    cut: bool = False,
    status: LegStatus = LegStatus.OK,
) -> LegResult:
    reason = None if status is LegStatus.OK else f"because:{status}"
    return LegResult(
        leg=leg, status=status, candidates=candidates, cut=cut, reason=reason, ms=float(cut)
    )


rankings = st.lists(
    st.builds(
        candidate,
        st.sampled_from(KEYS),
        st.integers(-8, 8).map(lambda eighths: eighths / 8),  # sums of eighths are exact
        revision=st.integers(1, 3),
    ),
    max_size=6,
).map(lambda found: sorted(found, key=lambda one: (-one.score, one.id, one.partition)))


@st.composite
def results(draw: st.DrawFn, leg: Leg) -> list[LegResult]:
    """Of one leg the answers to one to three variations."""
    found = []
    for _ in range(draw(st.integers(1, 3))):
        status = draw(st.sampled_from([LegStatus.OK, LegStatus.OK, *LegStatus]))
        ok = status is LegStatus.OK
        candidates = draw(rankings) if ok else []
        found.append(answered(leg, candidates, cut=ok and draw(st.booleans()), status=status))
    return found


def plainly(leg: Leg, answers: Sequence[LegResult]) -> list[tuple[EntryKey, float, int]]:
    """The rule as slowly as it can be said: each entry once a ranking, where it stands best."""
    usable = [one for one in answers if one.status is LegStatus.OK]
    found = []
    for key in {one.key for answer in usable for one in answer.candidates}:
        mine = [
            next(one for one in answer.candidates if one.key == key)
            for answer in usable
            if any(one.key == key for one in answer.candidates)
        ]
        scores = [one.score for one in mine]
        score = sum(scores) if leg is Leg.LEXICAL else max(scores)
        found.append((key, score, max(one.revision for one in mine)))
    return sorted(found, key=lambda row: (-row[1], row[0][1], row[0][0]))


@pytest.mark.parametrize("leg", list(Leg))
@given(data=st.data(), depth=st.integers(1, 8))
def test_merging_is_the_sum_of_the_words_and_the_best_cosine(
    leg: Leg, data: st.DataObject, depth: int
) -> None:
    answers = data.draw(results(leg))
    merged = merge_variations(answers, depth=depth)
    original, *others = answers
    if original.status is not LegStatus.OK or not others:
        assert merged == original
        return
    expected = plainly(leg, answers)
    assert [(one.key, one.score, one.revision) for one in merged.candidates] == expected[:depth]
    assert merged.cut == (any(one.cut for one in answers) or len(expected) > depth)
    short = [one.reason for one in others if one.status in SHORT]
    assert merged.reason == (f"variation:{short[0]}" if short else None)
    assert (merged.leg, merged.status, merged.ms) == (leg, LegStatus.OK, original.ms)


@given(found=rankings, depth=st.integers(1, 8))
def test_one_way_of_asking_is_left_as_it_is(found: list[Candidate], depth: int) -> None:
    alone = answered(Leg.LEXICAL, found, cut=True)
    assert merge_variations([alone], depth=depth) is alone


def test_a_better_variation_lifts_a_hit_above_the_originals_best() -> None:
    a, b = KEYS[0], KEYS[1]
    first = answered(Leg.LEXICAL, [candidate(a, 5.0), candidate(b, 3.0)])
    second = answered(Leg.LEXICAL, [candidate(b, 4.0)])
    merged = merge_variations([first, second], depth=9)
    assert [(one.key, one.score) for one in merged.candidates] == [(b, 7.0), (a, 5.0)]
    first, second = (answered(Leg.SEMANTIC, one.candidates) for one in (first, second))
    best = merge_variations([first, second], depth=9)
    assert [(one.key, one.score) for one in best.candidates] == [(a, 5.0), (b, 4.0)]


def test_the_newest_text_found_is_the_one_that_is_checked_later() -> None:
    old = candidate(KEYS[0], 0.9, revision=1, text_hash="old")
    new = candidate(KEYS[0], 0.5, revision=2, text_hash="new")
    merged = merge_variations(
        [answered(Leg.SEMANTIC, [old]), answered(Leg.SEMANTIC, [new])], depth=9
    )
    assert merged.candidates == [new._replace(score=0.9)]


@pytest.mark.parametrize("status", [s for s in LegStatus if s is not LegStatus.OK])
def test_a_leg_whose_original_was_not_answered_has_not_answered(status: LegStatus) -> None:
    original = answered(Leg.SEMANTIC, status=status)
    other = answered(Leg.SEMANTIC, [candidate(KEYS[0], 0.9)])
    assert merge_variations([original, other], depth=9) is original


def test_a_skipped_variation_is_no_shortcoming() -> None:
    skipped = answered(Leg.LEXICAL, status=LegStatus.SKIPPED)
    merged = merge_variations([answered(Leg.LEXICAL, [candidate(KEYS[0], 1.0)]), skipped], depth=9)
    assert (merged.status, merged.reason, len(merged.candidates)) == (LegStatus.OK, None, 1)
