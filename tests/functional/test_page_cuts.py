"""Where a page ends: token budgets, least scores, and that a shorter page is the beginning of a
longer one.
"""

import json
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest

from functional.explain_world import Judge, PassedOn
from palimpsest.adapters.simulated import (
    Fault,
    FaultKind,
    SimulatedLanguageModel,
    SimulatedReranker,
)
from palimpsest.domain.entries import Leg, LegResult
from palimpsest.domain.errors import InvalidRequest, Unavailable
from palimpsest.domain.fusion import Fusion, FusionMethod
from palimpsest.domain.queries import Hit, Mode, SearchAnswer
from quick_world import in_memory
from world import World

ANIMALS = ("heron", "otter", "lynx", "badger", "falcon", "marten", "pike")
TEXTS = {
    f"r{n:02}": f"Note {n}: the {ANIMALS[n % 7]} by the {ANIMALS[n % 5]} pool " + "river " * (n % 4)
    for n in range(50)
}
BLEND, RRF = (Fusion(method=method) for method in (FusionMethod.BLEND, FusionMethod.RRF))
SAID = json.dumps({"standalone": "x", "variations": ["heron pool", "the lynx of the river"]})
QUERY = "otter river"


def text_of(hit: Hit) -> str:
    assert hit.record.content is not None
    return hit.record.content.text if hit.text is None else hit.text


def rows(answer: SearchAnswer) -> list[tuple[str, float, str | None]]:
    return [(hit.record.id, hit.fused.ordering, hit.text) for hit in answer.hits]


@pytest.fixture
def pool(world: World) -> World:
    world.put_many(TEXTS)
    world.project()
    return world


@pytest.fixture
def long(world: World) -> World:
    """Five texts of 600 characters, which are 150 tokens each."""
    world.put_many({f"r{n}": (f"{n} heron " + "x " * 300)[:600] for n in range(5)})
    world.project()
    return world


def test_c17_a_first_hit_over_the_budget_is_cut_to_it_and_marked(long: World) -> None:
    (hit,) = long.search("heron", max_tokens=80).hits
    assert hit.text is not None
    assert len(hit.text) == 320
    assert text_of(long.search("heron", limit=1).hits[0]).startswith(hit.text)


def test_a_page_ends_before_the_hit_that_would_pass_the_budget(long: World) -> None:
    every = long.search("heron").hits
    ends = ((150, 1), (299, 1), (300, 2), (449, 2), (450, 3), (750, 5), (10_000, 5))
    for budget, whole in ends:
        hits = long.search("heron", max_tokens=budget).hits
        assert [hit.text for hit in hits] == [None] * whole
        assert hits == every[:whole]


def test_a_budget_of_one_token_less_than_the_first_hit_cuts_it(long: World) -> None:
    (hit,) = long.search("heron", max_tokens=149).hits
    assert len(hit.text or "") == 596


def test_what_the_budget_left_out_is_on_the_next_page(long: World) -> None:
    first = long.search("heron", max_tokens=300)
    assert first.rest is not None
    assert [hit.id for hit in first.rest.hits] == long.found("heron")[2:]


def test_a_later_page_asks_no_leg_and_no_model(pool: World) -> None:
    round_trips: list[int] = []

    def noted(searches: int, found: list[LegResult]) -> list[LegResult]:
        round_trips.append(searches)
        return found

    index: Any = PassedOn(pool.index, noted)
    model, reranker = SimulatedLanguageModel({}, otherwise=SAID), SimulatedReranker()
    pool.searches_with(index=index, model=model, reranker=reranker)
    page = pool.search(QUERY, deep=True, limit=7)
    asked = [len(part.calls) for part in (model, reranker, pool.embedder)]
    assert asked == [1, 1, len(page.outcome.deep.variations) + 1]  # the last of the projection
    seen = [hit.record.id for hit in page.hits]
    while page.rest is not None:
        page = pool.searches.search(page.request, page.rest)
        seen += [hit.record.id for hit in page.hits]
    assert sorted(seen) == sorted(TEXTS)
    assert round_trips == [0]
    assert [len(part.calls) for part in (model, reranker, pool.embedder)] == asked


class Failing:
    """A table that serves so many more reads of records and then cannot."""

    def __init__(self, store: Any, reads: int) -> None:
        self._store, self.reads = store, reads

    def __getattr__(self, name: str) -> Any:
        return getattr(self._store, name)

    def read(self, tenant: str, namespace: str, ids: Sequence[str] = ()) -> Any:
        self.reads -= bool(ids)
        if self.reads < 0:
            raise Unavailable("no table", stage="table")
        return self._store.read(tenant, namespace, ids)


def test_a_table_that_stops_to_answer_ends_any_page_and_the_next_one_goes_on(pool: World) -> None:
    listed = pool.found(QUERY, limit=100)
    store: Any = Failing(pool.store, reads=1)
    pool.searches_with(store=store)
    first = pool.search(QUERY, limit=40)
    assert (len(first.hits), first.degraded) == (25, ["hydrate_partial"])
    store.reads = 5
    second = pool.searches.search(first.request, first.rest)
    assert second.degraded == ["hydrate_partial"]  # as the list came to be
    seen = [hit.record.id for answer in (first, second) for hit in answer.hits]
    assert (seen, second.rest) == (listed, None)
    whole = pool.search(QUERY, limit=10)
    assert whole.rest is not None
    again = replace(whole.request, limit=40)
    store.reads = 1
    cut = pool.searches.search(again, whole.rest)
    assert (len(cut.hits), cut.degraded, whole.degraded) == (25, ["hydrate_partial"], [])
    assert [hit.record.id for hit in (*whole.hits, *cut.hits)] == listed[:35]
    with pytest.raises(Unavailable):
        pool.searches.search(again, cut.rest)


@pytest.mark.parametrize(
    "options", [{"mode": Mode.SEMANTIC}, {"fusion": BLEND}], ids=["cosine", "blend"]
)
def test_min_score_keeps_what_reaches_it_and_leaves_nothing_below_for_later(
    pool: World, options: dict[str, Any]
) -> None:
    whole = pool.search(QUERY, limit=100, **options).hits
    least = whole[4].fused.score
    wanted = [hit.record.id for hit in whole if hit.fused.score >= least]
    assert 5 <= len(wanted) < len(whole)
    assert pool.found(QUERY, limit=100, min_score=least, **options) == wanted
    first = pool.search(QUERY, limit=3, min_score=least, **options)
    assert first.rest is not None
    assert [hit.record.id for hit in first.hits] + [hit.id for hit in first.rest.hits] == wanted
    above = pool.search(QUERY, min_score=whole[0].fused.score + 1e-6, **options)
    assert (above.hits, above.rest, above.degraded) == ([], None, [])


def test_min_score_holds_for_deeper_candidates_too() -> None:
    world = in_memory(depth=5)
    world.put_many(TEXTS)
    world.project()
    whole = world.search(QUERY, mode=Mode.SEMANTIC, limit=100).hits
    world.searches_with(depth=100)
    deep = world.search(QUERY, mode=Mode.SEMANTIC, limit=100).hits
    world.searches_with(depth=5)
    world.forget(whole[0].record.id)
    least = (deep[6].fused.score + deep[7].fused.score) / 2
    answer = world.search(QUERY, mode=Mode.SEMANTIC, limit=100, min_score=least)
    assert [hit.record.id for hit in answer.hits] == [hit.record.id for hit in deep[1:7]]
    assert (answer.rest, answer.degraded) == (None, [])


def test_min_score_of_a_reranker_is_its_own_scale(pool: World) -> None:
    pool.searches_with(reranker=Judge(otter=0.75, lynx=-0.25))
    answer = pool.search(QUERY, limit=100, min_score=-0.25)
    assert answer.score_kind == "rerank:judge"
    scores = [hit.fused.ordering for hit in answer.hits]
    assert set(scores) == {0.75, -0.25}
    assert scores == sorted(scores, reverse=True)
    assert all(hit.fused.ordering == 0.75 for hit in pool.search(QUERY, min_score=0.75).hits)
    first = pool.search(QUERY, limit=2, min_score=0.75)
    assert first.rest is not None
    assert {hit.ordering for hit in first.rest.hits} == {0.75}
    assert pool.search(QUERY, min_score=0.76).hits == []


def test_min_score_is_refused_where_scores_have_no_scale(world: World) -> None:
    world.put("a", "an otter")
    world.project()
    without_scale: Sequence[dict[str, Any]] = (
        {},
        {"fusion": RRF},
        {"mode": Mode.LEXICAL},
        {"mode": Mode.LEXICAL, "fusion": BLEND},
    )
    for options in without_scale:
        with pytest.raises(InvalidRequest) as refused:
            world.search(QUERY, min_score=0.5, **options)
        assert refused.value.errors[0].loc == ("body", "min_score")
    world.searches_with(reranker=SimulatedReranker())
    for options in without_scale:
        with pytest.raises(InvalidRequest):
            world.search(QUERY, min_score=0.5, rerank=False, **options)
        assert world.found(QUERY, min_score=-1.0, **options) == ["a"]


def test_min_score_is_ignored_with_a_warning_on_every_page_where_the_reranker_failed(
    pool: World,
) -> None:
    broken = SimulatedReranker(faults=[Fault(kind=FaultKind.OUTAGE)])
    pool.searches_with(reranker=broken)
    first = pool.search(QUERY, min_score=0.99)
    assert (first.score_kind, first.degraded, len(first.hits)) == ("weighted", ["rerank"], 10)
    assert first.warnings == [("min_score", "ignored_without_reranker")]
    assert pool.search(QUERY).warnings == []
    later = pool.searches.search(first.request, first.rest)
    assert (later.degraded, len(later.hits)) == (["rerank"], 10)
    assert later.warnings == [("min_score", "ignored_without_reranker")]


def test_c16_an_off_topic_question_shows_its_low_cosine_and_may_have_no_hits(pool: World) -> None:
    query = "quarterly revenue forecast"
    best = pool.search(query).hits[0]
    assert best.fused.score == pytest.approx(0.5)  # the best of bad ones, on the fused scale
    assert best.fused.parts[Leg.SEMANTIC].score < 0.4
    on_topic = pool.search("note 3: the badger by the badger pool", mode=Mode.SEMANTIC).hits[0]
    assert on_topic.fused.parts[Leg.SEMANTIC].score > 0.7
    answer = pool.search(query, mode=Mode.SEMANTIC, min_score=0.5)
    assert (answer.hits, answer.degraded, answer.rest) == ([], [], None)


OF_ONE_LEG: Sequence[dict[str, Any]] = [{"mode": Mode.LEXICAL}, {"mode": Mode.SEMANTIC}]
OF_FUSIONS: Sequence[dict[str, Any]] = [{"fusion": Fusion(method=one)} for one in FusionMethod]


@pytest.mark.parametrize("with_reranker", [False, True])
@pytest.mark.parametrize("deep", [False, True])
def test_c1_the_answer_to_three_is_the_first_three_of_fifty(
    pool: World, *, deep: bool, with_reranker: bool
) -> None:
    pool.searches_with(
        model=SimulatedLanguageModel({}, otherwise=SAID),
        reranker=SimulatedReranker() if with_reranker else None,
        depth=25,
    )
    for record_id in ("r01", "r08", "r15"):
        pool.forget(record_id)
    for options in (*OF_ONE_LEG, *OF_FUSIONS):
        few, many = (pool.search(QUERY, limit=n, deep=deep, **options) for n in (3, 50))
        assert few.outcome.deep.used is deep
        assert (len(few.hits), rows(few)) == (3, rows(many)[:3]), options
        assert few.score_kind == many.score_kind
        assert few.score_kind.startswith("rerank:") is with_reranker


def test_c1_holds_under_a_token_budget_and_a_least_score(pool: World) -> None:
    options: dict[str, Any] = {"mode": Mode.SEMANTIC, "max_tokens": 100, "min_score": 0.1}
    few, many = (pool.search(QUERY, limit=n, **options) for n in (3, 50))
    assert rows(few) == rows(many)[:3]
