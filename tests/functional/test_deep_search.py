from typing import Any

import pytest

from functional.deep_scene import QUESTION, TEXTS, VARIATIONS, scene
from palimpsest.adapters.simulated import Fault, FaultKind, Operation
from palimpsest.domain.entries import Leg, LegResult, LegStatus
from palimpsest.domain.errors import DeadlineExceeded, Unavailable
from palimpsest.domain.queries import Mode
from search_scene import Around, Calls, Scene


def test_the_router_sends_a_question_with_signals_to_the_rewriter() -> None:
    deep = scene().search(QUESTION).outcome.deep
    assert (deep.used, deep.reason) == (True, "router:interrogative")
    assert deep.variations == (QUESTION, *VARIATIONS)


def test_the_reason_names_each_kind_of_signal_once() -> None:
    deep = scene().search("who and when and what before last week").outcome.deep
    assert deep.reason == "router:interrogative,time"


def test_the_router_leaves_a_question_without_signals_as_it_is() -> None:
    here = scene()
    answer = here.search("espresso machine")
    deep = answer.outcome.deep
    assert (deep.used, deep.reason, deep.variations) == (
        False,
        "router:no-signal",
        ("espresso machine",),
    )
    assert (here.parts["model"].calls, answer.degraded) == ([], [])


def test_deep_by_request_asks_whatever_the_router_thinks() -> None:
    deep = scene().search("espresso machine", deep=True).outcome.deep
    assert (deep.used, deep.reason) == (True, "asked")


def test_a_search_that_declines_depth_asks_no_model() -> None:
    here = scene()
    deep = here.search(QUESTION, deep=False).outcome.deep
    assert (deep.used, deep.reason, here.parts["model"].calls) == (False, "not_asked", [])


@pytest.mark.parametrize("asked", [{}, {"deep": True}])
def test_without_a_model_a_search_is_as_it_is_and_not_degraded(asked: dict[str, bool]) -> None:
    answer = scene(model=None).search(QUESTION, **asked)
    assert (answer.outcome.deep.used, answer.outcome.deep.reason) == (False, "not_configured")
    assert (answer.degraded, answer.usage.llm_calls) == ([], 0)


def test_all_variations_of_both_legs_are_one_round_trip() -> None:
    index = Calls(Scene(TEXTS).index)
    here = scene(index=index)
    here.search(QUESTION)
    (queries,) = index.asked
    assert [query.leg for query in queries] == [Leg.LEXICAL] * 3 + [Leg.SEMANTIC] * 3
    vectors = [here.embedder.embed_query(text, timeout=1.0) for text in (QUESTION, *VARIATIONS)]
    assert [query.vector for query in queries if query.leg is Leg.SEMANTIC] == vectors


@pytest.mark.parametrize("mode", [Mode.HYBRID, Mode.LEXICAL])
def test_a_deep_search_finds_what_only_a_variation_says(mode: Mode) -> None:
    here = scene()

    def by_words(*, deep: bool) -> set[str]:
        hits = here.search(QUESTION, mode=mode, deep=deep).hits
        return {hit.record.id for hit in hits if Leg.LEXICAL in hit.fused.parts}

    assert by_words(deep=False) == {"note", "list"}
    assert by_words(deep=True) == {"note", "list", "memo"}


@pytest.mark.parametrize("mode", [Mode.LEXICAL, Mode.SEMANTIC])
def test_in_one_leg_the_score_is_the_sum_of_the_words_or_the_best_cosine(mode: Mode) -> None:
    here = scene()
    leg = Leg(mode.value)
    several = [here.candidates(leg, text) for text in (QUESTION, *VARIATIONS)]
    expected = {}
    for one in TEXTS:
        scores = [hit.score for found in several for hit in found if hit.id == one]
        if scores:
            expected[one] = round(sum(scores), 9) if leg is Leg.LEXICAL else max(scores)
    hits = here.search(QUESTION, mode=mode).hits
    assert {hit.record.id: pytest.approx(hit.fused.score) for hit in hits} == expected
    assert [hit.record.id for hit in hits] == sorted(expected, key=lambda one: -expected[one])


def test_usage_counts_what_was_asked_and_a_second_time_nothing_is() -> None:
    here = scene()
    first, again = here.search(QUESTION).usage, here.search(QUESTION).usage
    assert (first.llm_calls, first.embedding_calls, first.embedding_cache_hits) == (1, 3, 0)
    assert first.llm_tokens > 0
    assert (again.llm_calls, again.llm_tokens) == (0, 0)
    assert (again.embedding_calls, again.embedding_cache_hits) == (0, 3)
    assert len(here.parts["model"].calls) == 1


def test_a_variation_that_was_embedded_before_is_not_embedded_again() -> None:
    here = scene()
    here.search(VARIATIONS[0], deep=False)
    usage = here.search(QUESTION).usage
    assert (usage.embedding_calls, usage.embedding_cache_hits) == (2, 1)


def test_a_variation_without_a_vector_is_told_and_the_others_answer() -> None:
    here = scene()
    fault = Fault(kind=FaultKind.ZERO, operation=Operation.QUERY, containing="technician")
    here.embedder.inject(fault)
    answer = here.search(QUESTION)
    leg = answer.legs[Leg.SEMANTIC]
    assert (leg.status, leg.reason) == (LegStatus.OK, "variation:embedding_zero")
    assert answer.degraded == ["semantic"]
    assert answer.hits[0].record.id == "note"


def test_an_original_without_a_vector_is_a_leg_without_an_answer() -> None:
    here = scene()
    here.embedder.inject(
        Fault(kind=FaultKind.ZERO, operation=Operation.QUERY, containing="who fixes")
    )
    answer = here.search(QUESTION)
    leg = answer.legs[Leg.SEMANTIC]
    assert (leg.status, leg.reason) == (LegStatus.FAILED, "embedding_zero")
    assert answer.degraded == ["semantic"]
    assert all(Leg.SEMANTIC not in hit.fused.parts for hit in answer.hits)
    assert {hit.record.id for hit in answer.hits} == {"note", "memo", "list"}


def test_an_index_of_another_model_is_never_compared_and_words_still_find() -> None:
    here = scene(embedders={})
    answer = here.search(QUESTION)
    leg = answer.legs[Leg.SEMANTIC]
    assert (leg.status, leg.reason) == (LegStatus.FAILED, "fingerprint_mismatch")
    assert (answer.degraded, answer.usage.embedding_calls) == (["semantic"], 0)
    assert answer.hits[0].record.id == "note"
    with pytest.raises(Unavailable) as outage:
        here.search(QUESTION, mode=Mode.SEMANTIC)
    assert not isinstance(outage.value, DeadlineExceeded)


def test_a_variation_that_one_leg_did_not_answer_costs_that_variation_alone() -> None:
    base = Scene(TEXTS)

    def search(queries: Any, **options: Any) -> list[LegResult]:
        found = base.index.search(queries, **options)
        failed = LegResult(leg=Leg.LEXICAL, status=LegStatus.TIMEOUT, reason="timeout")
        return [found[0], failed, *found[2:]]

    here = scene(index=Around(base.index, search=search))
    answer = here.search(QUESTION)
    assert answer.legs[Leg.LEXICAL].reason == "variation:timeout"
    assert (answer.degraded, answer.hits[0].record.id) == (["lexical"], "note")
