from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from palimpsest.adapters.simulated import Fault, FaultKind, Operation
from palimpsest.domain.entries import Leg, LegQuery, LegResult, LegStatus
from palimpsest.domain.errors import DeadlineExceeded, Unavailable
from palimpsest.domain.filters import OneOf, TimeRange
from palimpsest.domain.fusion import Fusion, FusionMethod
from palimpsest.domain.queries import Mode, Revisions, SemanticPolicy
from quick_world import in_memory
from world import NAMESPACE, World

DAY = timedelta(days=1)


def seed(world: World, count: int = 5, **fields: Any) -> None:
    texts = {f"r{n:03}": f"the heron stands by the river, walk {n}" for n in range(count)}
    world.put_many(texts, **fields)
    world.project()


def test_a_hit_is_the_record_as_it_is_now(world: World) -> None:
    world.put("a", "The heron nests by the weir.", kind="draft")
    world.project()
    world.put("a", "The heron nests by the weir.", kind="final")
    (hit,) = world.search("heron").hits
    assert (hit.record.revision, hit.record.content.kind if hit.record.content else None) == (
        2,
        "final",
    )
    assert world.found("heron", filter=OneOf("kind", ("draft",))) == []


@pytest.mark.parametrize("mode", list(Mode))
def test_a_stale_index_loses_facts_and_never_serves_wrong_ones(world: World, mode: Mode) -> None:
    seed(world, 3)
    world.put("r000", "quite another text")
    world.forget("r001")
    world.put("new", "a correction", supersedes=("r002",))
    assert world.found("heron river", mode=mode) == []


@pytest.mark.parametrize("mode", list(Mode))
def test_expired_and_not_yet_valid_records_never_come_back(world: World, mode: Mode) -> None:
    now = world.clock.now()
    world.put("live", "parking permit", expires_at=now + DAY, valid_from=now - DAY)
    world.put("past", "parking permit", expires_at=now)
    world.put("over", "parking permit", valid_to=now)
    world.put("future", "parking permit", valid_from=now + DAY)
    world.project()
    assert world.found("parking permit", mode=mode) == ["live"]
    world.clock.move(2 * 86_400)
    assert world.found("parking permit", mode=mode) == ["future"]


def test_dropped_hits_are_replaced_from_deeper_candidates() -> None:
    world = in_memory(depth=5)
    seed(world, 20)
    best = world.found("heron river walk", limit=5)
    for record_id in best:
        world.forget(record_id)
    answer = world.search("heron river walk", limit=5)
    assert len(answer.hits) == 5
    assert not set(best) & {hit.record.id for hit in answer.hits}


@pytest.mark.parametrize("method", list(FusionMethod))
@pytest.mark.parametrize("mode", list(Mode))
def test_c1_the_first_three_of_fifty_are_the_answer_to_three(
    mode: Mode, method: FusionMethod
) -> None:
    world = in_memory(depth=10)
    seed(world, 30)
    for n in range(0, 30, 4):
        world.forget(f"r{n:03}")
    options: dict[str, Any] = {"mode": mode, "fusion": Fusion(method=method)}
    few = world.search("heron river 7", limit=3, **options).hits
    many = world.search("heron river 7", limit=50, **options).hits
    assert [(h.record.id, h.fused.score) for h in few] == [
        (h.record.id, h.fused.score) for h in many[:3]
    ]


def test_the_time_range_is_part_of_the_question_and_not_starved() -> None:
    world = in_memory(depth=5)
    for n in range(20):
        when = datetime(2026, 6, 1, tzinfo=UTC) + n * DAY
        world.put(f"n{n}", "outage outage report", event_time=when)
    world.put("old", "a short outage", event_time=datetime(2020, 1, 1, tzinfo=UTC))
    world.put("none", "an outage without a time")
    world.project()
    range_ = TimeRange(datetime(2020, 1, 1, tzinfo=UTC), datetime(2020, 1, 1, tzinfo=UTC))
    for mode in Mode:
        assert world.found("outage report", mode=mode, time_range=range_) == ["old"]


def test_an_embedder_outage_leaves_the_lexical_leg_and_is_told(world: World) -> None:
    seed(world)
    world.embedder.inject(Fault(kind=FaultKind.OUTAGE, operation=Operation.QUERY))
    answer = world.search("heron")
    assert len(answer.hits) == 5
    assert answer.degraded == ["semantic"]
    semantic = answer.legs[Leg.SEMANTIC]
    assert (semantic.status, semantic.reason) == (LegStatus.FAILED, "embedder_unavailable")
    assert answer.score_kind == "weighted"


@pytest.mark.parametrize(
    ("kind", "status", "reason"),
    [
        (FaultKind.TIMEOUT, LegStatus.TIMEOUT, "embedder_timeout"),
        (FaultKind.THROTTLED, LegStatus.FAILED, "embedder_throttled"),
        (FaultKind.ZERO, LegStatus.FAILED, "embedding_zero"),
        (FaultKind.NOT_FINITE, LegStatus.FAILED, "embedding_not_finite"),
        (FaultKind.WRONG_WIDTH, LegStatus.FAILED, "embedding_wrong_width"),
        (FaultKind.TOO_FEW, LegStatus.FAILED, "embedder_error"),
    ],
)
def test_b1_each_failure_of_the_query_embedding_has_its_reason(
    world: World, kind: FaultKind, status: LegStatus, reason: str
) -> None:
    seed(world)
    world.embedder.inject(Fault(kind=kind, operation=Operation.QUERY))
    answer = world.search("heron")
    leg = answer.legs[Leg.SEMANTIC]
    assert (leg.status, leg.reason, answer.degraded) == (status, reason, ["semantic"])
    assert len(answer.hits) == 5


def test_no_leg_at_all_is_an_outage_never_an_empty_list(world: World) -> None:
    seed(world)
    world.embedder.inject(Fault(kind=FaultKind.OUTAGE, operation=Operation.QUERY))
    with pytest.raises(Unavailable):
        world.search("heron", mode=Mode.SEMANTIC)
    with pytest.raises(Unavailable):
        world.search("the of and", mode=Mode.HYBRID)  # no words to look for, and no vector
    world.embedder.heal()
    world.embedder.inject(Fault(kind=FaultKind.TIMEOUT, operation=Operation.QUERY))
    with pytest.raises(DeadlineExceeded):
        world.search("heron", mode=Mode.SEMANTIC)


def test_a4_a_question_of_stop_words_is_answered_by_meaning(world: World) -> None:
    seed(world)
    answer = world.search("to be or not to be")
    assert answer.legs[Leg.LEXICAL].status is LegStatus.SKIPPED
    assert answer.legs[Leg.LEXICAL].reason == "no_terms"
    assert (answer.degraded, bool(answer.hits)) == ([], True)
    assert world.search("the", mode=Mode.LEXICAL).hits == []


class BrokenLeg:
    """An index one of whose legs answers with a failure."""

    def __init__(self, index: Any, leg: Leg, status: LegStatus) -> None:
        self._index, self._leg, self._status = index, leg, status

    def __getattr__(self, name: str) -> Any:
        return getattr(self._index, name)

    def search(
        self,
        queries: list[LegQuery],
        *,
        timeout: float,
        generation: str,  # noqa: ARG002
    ) -> list[LegResult]:
        return [
            LegResult(leg=r.leg, status=self._status, reason="broken") if r.leg is self._leg else r
            for r in self._index.search(queries, timeout=timeout)
        ]


@pytest.mark.parametrize("leg", list(Leg))
@pytest.mark.parametrize("status", [LegStatus.FAILED, LegStatus.TIMEOUT])
def test_one_leg_down_the_other_answers_and_it_is_told(leg: Leg, status: LegStatus) -> None:
    whole = in_memory()
    seed(whole)
    world = in_memory(beside=whole, index=BrokenLeg(whole.index, leg, status))
    answer = world.search("heron river")
    assert len(answer.hits) == 5
    assert answer.degraded == [leg.value]
    assert all(leg not in hit.fused.parts for hit in answer.hits)


def test_revisions_say_what_was_seen_and_a_lag_wakes_the_projection(world: World) -> None:
    seed(world, 2)
    assert world.search("heron").revisions == {NAMESPACE: Revisions(1, 1)}
    assert world.wakes.asked == []
    world.put("late", "heron")
    answer = world.search("heron")
    assert (answer.revisions, answer.degraded) == ({NAMESPACE: Revisions(2, 1)}, [])
    assert world.wakes.asked == [("acme", "notes", 2)]


def test_a_revision_that_is_not_reached_in_time_is_told(world: World) -> None:
    seed(world, 2)
    answer = world.search("heron", min_revision=9, wait_ms=800)
    assert (answer.degraded, len(answer.hits)) == (["stale_index"], 2)
    assert 0.8 <= world.clock.elapsed < 1.0


def test_a_revision_that_is_reached_while_waiting_is_served(world: World) -> None:
    seed(world, 2)
    revision = world.put("late", "a fresh pangolin")
    sleep = world.clock.sleep

    def meanwhile(seconds: float) -> None:
        world.project()
        sleep(seconds)

    world.clock.sleep = meanwhile  # type: ignore[method-assign]
    answer = world.search("pangolin", min_revision=revision, wait_ms=5000)
    assert (answer.degraded, answer.hits[0].record.id) == ([], "late")


def test_a_namespace_nobody_wrote_to_is_empty_and_whole(world: World) -> None:
    answer = world.search("anything")
    assert (answer.hits, answer.degraded) == ([], [])
    assert answer.revisions == {NAMESPACE: Revisions(0, 0)}


def test_f5_of_two_equal_texts_one_is_forgotten_and_the_other_found(world: World) -> None:
    world.put("one", "The heron nests by the weir.")
    world.put("two", "The heron nests by the weir.")
    world.project()
    world.forget("one")
    for projected in (False, True):
        if projected:
            world.project()
        for mode in Mode:
            assert world.found("heron weir", mode=mode) == ["two"]


def test_a_page_of_huge_texts_closes_before_it_is_too_large_for_an_answer(world: World) -> None:
    for n in range(40):
        world.put(f"r{n}", f"heron {n} " + "x" * 99_000)
    world.project()
    answer = world.search("heron", limit=100, mode=Mode.LEXICAL)
    assert answer.closed_early
    assert sum(len(h.record.content.text) for h in answer.hits if h.record.content) < 4_000_000
    assert len(answer.hits) >= 15


def test_a_page_of_wide_records_closes_before_it_is_too_large_for_an_answer(world: World) -> None:
    wide = {f"k{n:02}": tuple("v" * 256 for _ in range(50)) for n in range(19)}
    for n in range(20):
        world.put(f"r{n}", f"heron {n}", metadata=wide)
    world.project()
    answer = world.search("heron", limit=100)
    assert answer.closed_early
    assert sum(h.record.content.size for h in answer.hits if h.record.content) < 4_000_000
    assert len(answer.hits) >= 13


def test_what_expires_or_begins_while_a_search_waits_is_judged_afterwards(world: World) -> None:
    now = world.clock.now()
    world.put("ends", "a wallaby", expires_at=now + timedelta(seconds=4))
    world.put("begins", "a wallaby too", valid_from=now + timedelta(seconds=4))
    world.project()
    assert world.found("wallaby") == ["ends"]
    assert world.found("wallaby", min_revision=99, wait_ms=5000) == ["begins"]


def test_c4_a_search_on_an_index_that_is_still_being_rebuilt_says_so() -> None:
    world = in_memory()
    world.put_many({f"r{n:03}": "heron" for n in range(50)})
    world.project()
    assert world.search("heron").degraded == []
    lost = in_memory(beside=world)
    answer = lost.search("heron")
    assert (answer.hits, answer.degraded) == ([], ["stale_index"])
    generation = lost.index.generation()
    lost.ledger.advance("acme", "notes", generation, 1, target=2)
    assert lost.search("heron").degraded == ["stale_index"]
    lost.project()
    assert lost.search("heron").degraded == []
    lost.put("late", "heron")
    assert lost.search("heron").degraded == []  # an ordinary lag is told by `revision` alone


def test_a_budget_never_passes_the_functions_own_time_limit(world: World) -> None:
    seed(world)
    asked: list[float] = []
    search = world.index.search

    def noted(queries: Any, *, timeout: float, generation: str) -> Any:
        asked.append(timeout)
        return search(queries, timeout=timeout, generation=generation)

    class Noted:
        def __getattr__(self, name: str) -> Any:
            return noted if name == "search" else getattr(world.index, name)

    index: Any = Noted()
    world.searches_with(index=index)
    world.search("heron", timeout_ms=25_000, wait_ms=5_000)
    assert asked[0] <= 27


@pytest.mark.parametrize("query", ["heron", "heron, asked once more"])
def test_c4_an_index_that_is_replaced_amid_a_search_is_looked_at_again_and_told(
    world: World, query: str
) -> None:
    seed(world)
    embed = world.embedder.embed_query

    def embed_and_lose(text: str, *, timeout: float) -> Any:
        world.index.renew()
        world.embedder.embed_query = embed
        return embed(text, timeout=timeout)

    world.embedder.embed_query = embed_and_lose
    answer = world.search(query)
    assert (answer.hits, answer.degraded) == ([], ["stale_index"])
    assert answer.revisions[NAMESPACE].indexed == 0


class Fleeting:
    """An index that is replaced whenever it is about to be asked."""

    def __init__(self, index: Any) -> None:
        self._index = index

    def __getattr__(self, name: str) -> Any:
        return getattr(self._index, name)

    def search(self, queries: list[LegQuery], **options: Any) -> list[LegResult]:
        self._index.renew()
        found: list[LegResult] = self._index.search(queries, **options)
        return found


@pytest.mark.parametrize("policy", list(SemanticPolicy))
def test_c4_an_index_that_is_replaced_again_and_again_is_an_outage(
    world: World, policy: SemanticPolicy
) -> None:
    seed(world)
    world.searches_with(index=Fleeting(world.index))
    with pytest.raises(Unavailable, match="replaced"):
        world.search("heron", semantic=policy)
