"""C13: whatever fails, the best answer that is left, and every shortcoming told."""

import random
from collections.abc import Iterator
from itertools import combinations, product

import pytest

from ladder import (
    HEALTHY,
    LIMIT,
    QUESTION,
    STATES,
    Ladder,
    Promised,
    State,
    States,
    promised,
)
from palimpsest.domain.errors import InvalidRequest, Unavailable
from palimpsest.domain.queries import Mode, RerankStatus


@pytest.fixture(scope="module")
def ladder() -> Ladder:
    return Ladder()


def answered(ladder: Ladder, states: States) -> Promised | type[Unavailable]:
    """What a search then answers, told as it was promised."""
    scene = ladder.put(states)
    began = scene.clock.monotonic()
    try:
        answer = scene.search(QUESTION, limit=LIMIT)
    except Unavailable as error:
        return type(error)
    finally:
        assert scene.clock.monotonic() - began <= 5.0
    outcome = answer.outcome
    return Promised(
        ids=[hit.record.id for hit in answer.hits],
        degraded=list(answer.degraded),
        score_kind=answer.score_kind,
        legs={leg.value: (told.status, told.reason) for leg, told in answer.legs.items()},
        deep=outcome.deep.reason,
        rerank=(outcome.rerank.status.value, outcome.rerank.reason),
    )


def check(ladder: Ladder, several: Iterator[States]) -> None:
    for states in several:
        broken = {part: state.value for part, state in states.items() if state is not State.HEALTHY}
        assert (broken, answered(ladder, states)) == (broken, promised(ladder, states))


def test_where_nothing_fails_nothing_is_told(ladder: Ladder) -> None:
    found = answered(ladder, HEALTHY)
    assert found == promised(ladder, HEALTHY)
    assert isinstance(found, Promised)
    assert (found.degraded, len(found.ids)) == ([], LIMIT)


@pytest.mark.parametrize(("one", "other"), list(combinations(STATES, 2)))
def test_c13_any_two_dependencies_in_any_states(ladder: Ladder, one: str, other: str) -> None:
    several = product(STATES[one], STATES[other])
    check(ladder, ({**HEALTHY, one: state, other: another} for state, another in several))


def test_c13_every_set_of_failing_dependencies(ladder: Ladder) -> None:
    several = product((State.HEALTHY, State.FAILING), repeat=len(STATES))
    check(ladder, (dict(zip(STATES, states, strict=True)) for states in several))


def test_c13_a_sample_of_all_states_of_all_dependencies(ladder: Ladder) -> None:
    every = list(product(*STATES.values()))
    several = random.Random(13).sample(every, 1_000)
    check(ladder, (dict(zip(STATES, states, strict=True)) for states in several))


@pytest.mark.parametrize("state", [State.FAILING, State.STALLING, State.RUBBISH])
@pytest.mark.parametrize("limit", [1, 3, 10, 40])
def test_c13_without_its_reranker_a_search_is_exactly_the_fused_one(
    ladder: Ladder, state: State, limit: int
) -> None:
    scene = ladder.put({**HEALTHY, "reranker": state})
    plain = scene.search(QUESTION, limit=limit, rerank=False)
    answer = scene.search(QUESTION, limit=limit)
    assert answer.outcome.rerank.status in (RerankStatus.FAILED, RerankStatus.TIMEOUT)
    assert [hit.fused for hit in answer.hits] == [hit.fused for hit in plain.hits]
    assert (answer.score_kind, plain.degraded) == ("weighted", [])


@pytest.mark.parametrize("state", [State.FAILING, State.STALLING, State.RUBBISH])
def test_a_least_score_that_was_meant_for_a_reranker_is_ignored_and_told_without_it(
    ladder: Ladder, state: State
) -> None:
    scene = ladder.put({**HEALTHY, "reranker": state})
    answer = scene.search(QUESTION, min_score=0.9)
    assert (len(answer.hits), answer.degraded) == (10, ["rerank"])
    assert answer.warnings == [("min_score", "ignored_without_reranker")]
    whole = ladder.put(HEALTHY).search(QUESTION, min_score=0.1)
    assert (len(whole.hits), whole.warnings) == (10, [])
    listed = [*(hit.fused for hit in whole.hits), *(whole.rest.hits if whole.rest else [])]
    assert min(hit.ordering for hit in listed) >= 0.1


@pytest.mark.parametrize("state", STATES["reranker"])
def test_a_least_score_is_refused_where_scores_have_no_scale_whatever_fails(
    ladder: Ladder, state: State
) -> None:
    scene = ladder.put({**HEALTHY, "reranker": state})
    for mode in (Mode.HYBRID, Mode.LEXICAL):
        with pytest.raises(InvalidRequest):
            scene.search(QUESTION, mode=mode, min_score=0.5, rerank=False)
    by_cosine = scene.search(QUESTION, mode=Mode.SEMANTIC, min_score=0.5, rerank=False)
    assert (by_cosine.score_kind, by_cosine.warnings) == ("cosine", [])
    assert by_cosine.hits
    assert all(hit.fused.score >= 0.5 for hit in by_cosine.hits)
