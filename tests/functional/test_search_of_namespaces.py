"""A search of several namespaces: each with its own clock, all with one ranking."""

from collections.abc import Sequence
from typing import Any

import pytest

from palimpsest.adapters.memory import MemoryIndex
from palimpsest.adapters.simulated import Fault, FaultKind
from palimpsest.adapters.simulated import Operation as EmbedderOperation
from palimpsest.domain.commit_planning import Operation
from palimpsest.domain.entries import LegQuery, LegResult
from palimpsest.domain.filters import Not, OneOf
from palimpsest.domain.queries import Mode, Revisions
from palimpsest.domain.records import Content
from palimpsest.services.side_by_side import side_by_side
from quick_world import in_memory
from world import TENANT, InlineExecutor, MovableClock, World

BOTH = ("left", "right")


def put(world: World, namespace: str, record_id: str, text: str, **fields: Any) -> int:
    content = Content(text=text, **fields)
    return world.commit(Operation(id=record_id, content=content), namespace=namespace).revision


def forget(world: World, namespace: str, record_id: str) -> None:
    world.commit(Operation(id=record_id, content=None), namespace=namespace)


def project(world: World, *namespaces: str) -> None:
    for namespace in namespaces:
        world.projection.project(TENANT, namespace)


def found(world: World, query: str, namespaces: Sequence[str] = BOTH, **options: Any) -> list[str]:
    hits = world.search(query, namespaces=tuple(namespaces), **options).hits
    return [f"{hit.record.namespace}/{hit.record.id}" for hit in hits]


@pytest.mark.parametrize("mode", list(Mode))
def test_equal_ids_of_two_namespaces_are_two_hits_and_a_third_stays_out(
    world: World, mode: Mode
) -> None:
    for namespace in (*BOTH, "third"):
        put(world, namespace, "same", "The heron nests by the weir.")
    project(world, *BOTH, "third")
    assert found(world, "heron weir", mode=mode) == ["left/same", "right/same"]
    assert found(world, "heron weir", ("right", "left"), mode=mode) == ["left/same", "right/same"]
    assert found(world, "heron weir", ("right",), mode=mode) == ["right/same"]


@pytest.mark.parametrize("mode", list(Mode))
def test_a_search_of_two_namespaces_ranks_as_one_of_a_namespace_that_holds_both(
    world: World, mode: Mode
) -> None:
    for namespace, numbers in (("left", range(0, 20, 2)), ("right", range(1, 20, 2)),
                               ("whole", range(20))):  # fmt: skip
        texts = {n: f"the heron by the river {'river ' * (n % 3)}walk {n}" for n in numbers}
        world.commit(
            *(Operation(id=f"r{n:02}", content=Content(text=text)) for n, text in texts.items()),
            namespace=namespace,
        )
    project(world, *BOTH, "whole")
    split = world.search("heron river 7", namespaces=BOTH, mode=mode, limit=20).hits
    whole = world.search("heron river 7", namespaces=("whole",), mode=mode, limit=20).hits
    assert [(h.record.id, h.fused.score) for h in split] == [
        (h.record.id, h.fused.score) for h in whole
    ]


@pytest.mark.parametrize("mode", list(Mode))
def test_each_hit_is_what_its_own_namespace_says_now(world: World, mode: Mode) -> None:
    for namespace in BOTH:
        for record_id in ("a", "b", "c"):
            put(world, namespace, record_id, "The heron nests.", kind="draft")
    project(world, *BOTH)
    forget(world, "left", "a")
    put(world, "right", "b", "quite another text")
    put(world, "left", "c", "The heron nests.", kind="final")
    assert sorted(found(world, "heron", mode=mode)) == ["left/b", "left/c", "right/a", "right/c"]
    drafts = OneOf("kind", ("draft",))
    wanted = found(world, "heron", mode=mode, filter=drafts)
    assert sorted(wanted) == ["left/b", "right/a", "right/c"]
    assert found(world, "heron", mode=mode, filter=Not(drafts)) == []  # as it was indexed


def test_dropped_hits_are_replaced_from_any_of_the_namespaces() -> None:
    world = in_memory(depth=5)
    for n in range(20):
        put(world, BOTH[n % 2], f"r{n:02}", f"the heron stands by the river, walk {n}")
    project(world, *BOTH)
    best = world.search("heron river walk", namespaces=BOTH, limit=5).hits
    for hit in best:
        forget(world, hit.record.namespace, hit.record.id)
    again = found(world, "heron river walk", limit=5)
    assert len(again) == 5
    assert not set(again) & {f"{hit.record.namespace}/{hit.record.id}" for hit in best}


def test_every_clock_is_told_and_each_that_lags_is_woken(world: World) -> None:
    put(world, "left", "a", "heron")
    project(world, "left")
    put(world, "left", "b", "heron")
    put(world, "right", "a", "heron")
    project(world, "right")
    answer = world.search("heron", namespaces=("right", "left", "empty"))
    assert answer.revisions == {
        "right": Revisions(1, 1),
        "left": Revisions(2, 1),
        "empty": Revisions(0, 0),
    }
    assert list(answer.revisions) == ["right", "left", "empty"]
    assert (world.wakes.asked, answer.degraded) == ([(TENANT, "left", 2)], [])
    put(world, "right", "b", "heron")
    world.search("heron", namespaces=BOTH)
    assert world.wakes.asked[1:] == [(TENANT, "left", 2), (TENANT, "right", 2)]


def test_one_namespace_that_is_still_being_rebuilt_makes_the_answer_stale() -> None:
    world = in_memory()
    for namespace in BOTH:
        put(world, namespace, "a", "heron")
    project(world, *BOTH)
    assert world.search("heron", namespaces=BOTH).degraded == []
    rebuilt = in_memory(beside=world)
    project(rebuilt, "left")
    assert rebuilt.search("heron", namespaces=("left",)).degraded == []
    answer = rebuilt.search("heron", namespaces=BOTH)
    assert answer.degraded == ["stale_index"]
    assert [hit.record.namespace for hit in answer.hits] == ["left"]


def test_both_legs_of_all_namespaces_are_one_question_after_all_clocks(world: World) -> None:
    events: list[str] = []

    class Noted:
        def __init__(self, inner: Any, **named: str) -> None:
            self._inner, self._named = inner, named

        def __getattr__(self, name: str) -> Any:
            if name in self._named:
                events.append(self._named[name])
            return getattr(self._inner, name)

    for namespace in BOTH:
        put(world, namespace, "a", "heron")
    project(world, *BOTH)
    parts = world.search_parts
    world.searches_with(
        store=Noted(parts.store, read="table"),
        ledger=Noted(parts.ledger, progress="ledger"),
        index=Noted(parts.index, search="index"),
    )
    assert found(world, "heron") == ["left/a", "right/a"]
    assert events == ["table", "table", "ledger", "ledger", "index", "table", "table"]


def test_an_embedder_outage_leaves_the_words_of_all_namespaces(world: World) -> None:
    for namespace in BOTH:
        put(world, namespace, "a", "heron")
    project(world, *BOTH)
    world.embedder.inject(Fault(kind=FaultKind.OUTAGE, operation=EmbedderOperation.QUERY))
    answer = world.search("heron", namespaces=BOTH)
    assert (answer.degraded, len(answer.hits)) == (["semantic"], 2)


@pytest.mark.parametrize("namespaces", [("left",), BOTH])
def test_c7_both_legs_are_asked_of_the_tenants_own_partitions_alone(
    namespaces: tuple[str, ...],
) -> None:
    asked: list[tuple[str, ...]] = []

    class Noted(MemoryIndex):
        def search(
            self, queries: Sequence[LegQuery], *, timeout: float, generation: str | None = None
        ) -> list[LegResult]:
            asked.extend(query.partitions for query in queries)
            return super().search(queries, timeout=timeout, generation=generation)

    world = in_memory()
    world = in_memory(beside=world, index=Noted(fingerprint=world.embedder.fingerprint))
    put(world, "left", "a", "heron")
    put(world, "right", "a", "heron")
    project(world, *BOTH)
    assert found(world, "heron", namespaces) == [f"{name}/a" for name in namespaces]
    assert asked == [tuple(f"{TENANT}#{name}" for name in namespaces)] * 2


def test_work_side_by_side_gives_a_result_for_each_and_raises_what_any_raises() -> None:
    def upper(name: str) -> str:
        if name == "bad":
            raise ValueError(name)
        return name.upper()

    executor: Any = InlineExecutor()
    waiting: Any = {"clock": MovableClock(), "until": 1.0, "stage": "table"}
    told = side_by_side(executor, upper, ["b", "a"], **waiting)
    assert list(told.items()) == [("b", "B"), ("a", "A")]
    for names in (["bad", "a"], ["a", "bad"]):
        with pytest.raises(ValueError, match="bad"):
            side_by_side(executor, upper, names, **waiting)
