"""Explanations of several namespaces, of deep searches, and while something is broken or moves."""

import json
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest

from functional.explain_world import FILLER, Mute, PassedOn, explain, lost, projected, without
from palimpsest.adapters.simulated import (
    Fault,
    FaultKind,
    Operation,
    SimulatedEmbedder,
    SimulatedLanguageModel,
    SimulatedReranker,
)
from palimpsest.domain.commit_planning import Operation as Write
from palimpsest.domain.entries import Leg, LegResult
from palimpsest.domain.errors import Throttled, Unavailable
from palimpsest.domain.queries import Mode, SemanticPolicy
from palimpsest.domain.records import Content
from quick_world import in_memory
from world import TENANT, World

BOTH = ("notes", "more")


def put_in(world: World, namespace: str, record_id: str, text: str) -> None:
    world.commit(Write(id=record_id, content=Content(text=text)), namespace=namespace)
    world.projection.project(TENANT, namespace)


@pytest.fixture
def world(world: World) -> World:
    return projected(world, {"best": "the heron nests by the weir", **FILLER})


def with_index(world: World, index: Any) -> World:
    world.searches_with(index=index)
    return world


def test_an_id_of_several_namespaces_is_told_of_where_it_came_furthest(world: World) -> None:
    put_in(world, "more", "best", "the heron has left the weir for good, and so has everyone")
    _, (told,) = explain(world, "heron nests", "best", namespaces=("more", "notes"), limit=1)
    assert (told.stage, told.stages["record"]["namespace"]) == ("returned", "notes")
    world.forget("best")
    told = lost(world, "heron nests", "best", namespaces=BOTH)
    assert (told.stage, told.stages["record"]["namespace"]) == ("returned", "more")
    world.commit(Write(id="best", content=None), namespace="more")
    told = lost(world, "heron nests", "best", namespaces=BOTH)
    assert (told.stage, told.stages["record"]["namespace"]) == ("deleted", "notes")


def test_an_id_of_one_of_several_namespaces_is_found_there(world: World) -> None:
    put_in(world, "more", "only", "a heron")
    _, told = explain(world, "heron", "only", "best", "nobody", namespaces=BOTH)
    assert [one.stage for one in told] == ["returned", "returned", "unknown"]
    assert [one.stages["record"] and one.stages["record"]["namespace"] for one in told] == [
        "more",
        "notes",
        None,
    ]
    assert lost(world, "heron", "only").stage == "unknown"


def test_an_id_asked_twice_is_told_twice_in_the_order_asked(world: World) -> None:
    _, told = explain(world, "heron", "nobody", "best", "nobody")
    assert [one.id for one in told] == ["nobody", "best", "nobody"]


class Purged:
    """A table whose namespaces were purged at their present revision."""

    def __init__(self, store: Any) -> None:
        self._store = store

    def __getattr__(self, name: str) -> Any:
        return getattr(self._store, name)

    def read(self, tenant: str, namespace: str, ids: Sequence[str] = ()) -> Any:
        clock, records = self._store.read(tenant, namespace, ids)
        return replace(clock, floor=clock.revision), records


def test_a_purged_record_is_unknown(world: World) -> None:
    world.searches_with(store=Purged(world.store))
    told = lost(world, "heron", "best")
    assert (told.stage, told.stages) == ("unknown", {"record": None})


def test_a_deep_search_is_explained_by_all_its_variations(world: World) -> None:
    said = json.dumps({"standalone": "x", "variations": ["heron nests", "bird of the weir"]})
    world.searches_with(model=SimulatedLanguageModel({}, otherwise=said))
    answer, (told,) = explain(world, "who fishes here", "best", deep=True)
    assert answer.outcome.deep.used
    hit = answer.hits[0].fused
    assert (told.stage, hit.id) == ("returned", "best")
    assert told.stages["lexical"] == {"rank": 1, "score": hit.parts[Leg.LEXICAL].score}
    assert lost(world, "who fishes here", "best", mode=Mode.LEXICAL, deep=False).stage == (
        "lexical_rank"
    )


def test_a_deep_search_tells_the_merged_score_beyond_the_depth() -> None:
    said = json.dumps({"standalone": "x", "variations": ["a quagga grazes"]})
    model = SimulatedLanguageModel({}, otherwise=said)
    world = in_memory(depth=1, model=model)
    projected(world, {"one": "a quagga", "two": "a quagga seen from far away", **FILLER})
    told = lost(world, "quagga", "two", deep=True)
    world.searches_with(depth=50)
    whole = explain(world, "quagga", "two", deep=True)[1][0]
    assert (told.stage, whole.stage) == ("lexical_rank", "returned")
    assert told.stages["lexical"] == {"rank": None, "score": whole.stages["lexical"]["score"]}


@pytest.mark.parametrize("policy", [SemanticPolicy.NEVER, SemanticPolicy.WHEN_LEXICAL_THIN])
def test_a_leg_that_was_not_asked_lost_nothing(world: World, policy: SemanticPolicy) -> None:
    told = lost(world, "heron nests", "f1", semantic=policy, limit=1)
    assert (told.stage, told.stages["semantic"]) == ("lexical_rank", None)


@pytest.mark.parametrize(("leg", "other"), [(Leg.LEXICAL, Leg.SEMANTIC), tuple(reversed(Leg))])
def test_with_one_leg_down_the_other_explains(world: World, leg: Leg, other: Leg) -> None:
    with_index(world, PassedOn(world.index, without(leg)))
    answer, (told, second) = explain(world, "heron weir", "best", "f1")
    assert answer.degraded == [leg.value]
    assert (told.stage, told.stages[leg.value]) == ("returned", None)
    assert told.stages[other.value]["rank"] == 1
    assert second.stage == ("returned" if other is Leg.SEMANTIC else "semantic_rank")


def test_without_a_vector_for_the_question_the_words_explain(world: World) -> None:
    world.embedder.inject(Fault(kind=FaultKind.OUTAGE, operation=Operation.QUERY))
    _, (best, other) = explain(world, "heron weir", "best", "f1")
    assert (best.stage, best.stages["semantic"]) == ("returned", None)
    assert (other.stage, other.stages["semantic"]) == ("semantic_rank", None)


def test_an_index_that_falls_silent_after_the_search_is_explained_by_the_search() -> None:
    world = in_memory(depth=1)
    projected(world, {"best": "the heron", **FILLER})
    with_index(world, Mute(world.index))
    _, (best, other, gone) = explain(world, "heron", "best", "f1", "nobody")
    assert [one.stage for one in (best, other, gone)] == ["returned", "semantic_rank", "unknown"]
    assert "index" not in best.stages
    assert best.stages["lexical"]["rank"] == 1
    assert other.stages["semantic"] is None


def test_an_index_that_asks_for_patience_after_the_search_is_not_waited_for(world: World) -> None:
    def throttled(searches: int, found: list[LegResult]) -> Sequence[LegResult]:
        if searches:
            raise Throttled("too many requests")
        return found

    with_index(world, PassedOn(world.index, throttled))
    assert lost(world, "heron", "best").stage == "returned"


def test_an_outage_of_the_search_itself_is_an_outage(world: World) -> None:
    with_index(world, Mute(world.index))
    world.search("heron")
    with pytest.raises(Unavailable):
        explain(world, "heron", "best")


def during(world: World, change: Any) -> World:
    """Let the change happen while the expected records are looked at, after the search."""

    def changing(searches: int, found: list[LegResult]) -> Sequence[LegResult]:
        if searches == 0:
            change()
        return found

    return with_index(world, PassedOn(world.index, changing))


def test_a_record_written_while_the_search_ran_was_not_indexed(world: World) -> None:
    during(world, lambda: world.put("late", "heron weir"))
    assert lost(world, "heron weir", "late").stage == "not_indexed"


def test_a_record_written_and_indexed_while_the_search_ran_came_too_late(world: World) -> None:
    def change() -> None:
        world.put("late", "heron weir")
        world.project()

    during(world, change)
    assert lost(world, "heron weir", "late").stage == "stale_in_index"


def test_a_hit_that_is_forgotten_after_it_was_served_was_returned() -> None:
    forgetting = Forgetting()
    world = in_memory(reranker=forgetting)
    projected(world, {"best": "the heron", **FILLER})
    forgetting.world = world
    answer, (told,) = explain(world, "heron", "best")
    assert [hit.record.id for hit in answer.hits][:1] == ["best"]
    assert (told.stage, told.stages["record"]["status"]) == ("returned", "deleted")


def test_a_hit_that_was_dropped_and_written_again_was_lost_as_the_search_saw_it() -> None:
    again = Forgetting()
    world = in_memory(reranker=again)
    projected(world, {"best": "the heron", **FILLER})
    world.forget("best")
    again.world, again.text = world, "the heron"
    told = lost(world, "heron", "best")
    assert (told.stage, told.stages["record"]["status"]) == ("deleted", "active")


class Forgetting(SimulatedReranker):
    """Between the reading of the hits and the explanation, a record changes."""

    world: World
    text = ""

    def rerank(self, query: str, documents: Sequence[str], *, timeout: float) -> list[float]:
        if self.text:
            self.world.put("best", self.text)
        else:
            self.world.forget("best")
        return super().rerank(query, documents, timeout=timeout)


def test_an_expectation_of_nobody_asks_no_leg(world: World) -> None:
    asked: list[int] = []

    def noted(searches: int, found: list[LegResult]) -> Sequence[LegResult]:
        asked.append(searches)
        return found

    with_index(world, PassedOn(world.index, noted))
    assert lost(world, "heron", "nobody").stage == "unknown"
    assert asked == [0]


def test_explaining_embeds_and_asks_models_no_more_than_the_search(world: World) -> None:
    embedder = SimulatedEmbedder(dimension=64)
    world.searches_with(embedders={embedder.fingerprint: embedder})
    explain(world, "heron weir", "best", "f1", "f2", "nobody")
    assert embedder.calls == [["heron weir"]]
