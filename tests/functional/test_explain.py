"""One test a stage at which a record can be lost, over each index."""

from collections.abc import Callable, Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from contract.opensearch_index import generations
from functional.explain_world import FILLER, Judge, explain, lost, projected
from palimpsest.adapters.simulated import Fault, FaultKind, Operation, SimulatedEmbedder
from palimpsest.adapters.sqlite import SqliteIndex
from palimpsest.domain.entries import Leg
from palimpsest.domain.filters import OneOf, TimeRange
from palimpsest.domain.fusion import Fusion, FusionMethod
from palimpsest.domain.queries import Mode, SemanticPolicy
from quick_world import in_memory
from world import World

Make = Callable[..., World]
EVERYWHERE = ["memory", "sqlite", pytest.param("opensearch", marks=pytest.mark.opensearch)]


@pytest.fixture(params=EVERYWHERE)
def make(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Make]:
    opened: list[SqliteIndex] = []
    worlds: list[World] = []

    def made(**parts: Any) -> World:
        embedder = SimulatedEmbedder(dimension=64)
        index: Any = None
        if request.param == "sqlite":
            index = SqliteIndex(tmp_path, fingerprint=embedder.fingerprint)
            opened.append(index)
        if request.param == "opensearch":
            url, prefix = map(request.getfixturevalue, ("opensearch_url", "index_prefix"))
            kept = generations(url, prefix, fingerprint=embedder.fingerprint, dimension=64)
            index = kept.reading(patience_s=10)
        beside = worlds[0] if worlds else None
        worlds.append(in_memory(beside=beside, index=index, embedder=embedder, **parts))
        return worlds[-1]

    yield made
    for index in opened:
        index.close()


@pytest.fixture
def world(make: Make) -> World:
    return projected(make(), {"best": "the heron nests by the weir", **FILLER})


def at(rank: int | None, score: float) -> Any:
    return {"rank": rank, "score": pytest.approx(score, abs=1e-6)}


def test_returned_with_the_ranks_and_scores_that_its_hit_has(world: World) -> None:
    answer, (told,) = explain(world, "heron weir", "best")
    hit = answer.hits[0].fused
    assert (told.stage, hit.id) == ("returned", "best")
    assert told.stages == {
        "record": {"namespace": "notes", "status": "active", "revision": 1},
        "index": {"legs": ["lexical", "semantic"]},
        "lexical": at(1, hit.parts[Leg.LEXICAL].score),
        "semantic": at(1, hit.parts[Leg.SEMANTIC].score),
        "fused": at(1, hit.score),
    }


def test_unknown_never_written(world: World) -> None:
    told = lost(world, "heron", "nobody")
    assert (told.stage, told.stages) == ("unknown", {"record": None})


@pytest.mark.parametrize("caught_up", [False, True])
def test_deleted_whether_or_not_the_index_knows_it(world: World, *, caught_up: bool) -> None:
    world.forget("best")
    if caught_up:
        world.project()
    told = lost(world, "heron weir", "best")
    assert told.stage == "deleted"
    assert told.stages["record"]["status"] == "deleted"
    assert told.stages["index"] == {"legs": [] if caught_up else ["lexical", "semantic"]}
    assert (told.stages["fused"] is None) is caught_up


def test_superseded_by_another(world: World) -> None:
    world.put("newer", "the heron has left", supersedes=("best",))
    told = lost(world, "heron weir", "best")
    assert (told.stage, told.stages["record"]["status"]) == ("superseded", "superseded")
    assert (told.stages["lexical"]["rank"], told.stages["fused"]["rank"]) == (1, 1)


def test_expired_or_not_valid_yet(world: World) -> None:
    now, hour = world.clock.now(), timedelta(hours=1)
    world.put("past", "heron weir", expires_at=now)
    world.put("future", "heron weir", valid_from=now + hour)
    world.project()
    for record_id in ("past", "future"):
        told = lost(world, "heron weir", record_id)
        assert told.stage == "expired"
        assert told.stages["lexical"] is told.stages["semantic"] is told.stages["fused"] is None


def test_filtered_by_the_filter_or_the_time_range(world: World) -> None:
    now = world.clock.now()
    for options in ({"filter": OneOf("kind", ("fact",))}, {"time_range": TimeRange(now, now)}):
        told = lost(world, "heron weir", "best", **options)
        assert (told.stage, told.stages["lexical"]) == ("filtered", None)
        assert told.stages["index"] == {"legs": ["lexical", "semantic"]}


def test_not_indexed_yet(world: World) -> None:
    world.put("late", "the heron by the weir again")
    told = lost(world, "heron weir", "late")
    assert (told.stage, told.stages["index"]) == ("not_indexed", {"legs": []})
    assert told.stages["lexical"] is told.stages["semantic"] is told.stages["fused"] is None


def test_not_indexed_on_the_leg_that_was_asked(make: Make) -> None:
    world = make()
    without_vector = Fault(kind=FaultKind.ZERO, operation=Operation.PASSAGES, containing="quagga")
    world.embedder.inject(without_vector)
    projected(world, {"bare": "a quagga", **FILLER})
    assert lost(world, "quagga", "bare").stage == "returned"
    told = lost(world, "quagga", "bare", mode=Mode.SEMANTIC)
    assert (told.stage, told.stages["index"]) == ("not_indexed", {"legs": ["lexical"]})
    assert lost(world, "ledger", "bare", mode=Mode.LEXICAL).stage == "lexical_rank"
    assert lost(world, "zebra", "bare").stage == "not_indexed"


def test_stale_in_index_found_by_a_text_that_it_no_longer_has(world: World) -> None:
    world.put("best", "nothing of the kind")
    told = lost(world, "heron weir", "best")
    assert told.stage == "stale_in_index"
    assert (told.stages["lexical"]["rank"], told.stages["fused"]["rank"]) == (1, 1)


def test_stale_in_index_not_found_by_the_text_that_it_has_now(make: Make) -> None:
    world = projected(make(depth=1), {"turned": "the otter sleeps", "best": "a quagga", **FILLER})
    world.put("turned", "a quagga by the weir")
    told = lost(world, "quagga", "turned", semantic=SemanticPolicy.NEVER)
    assert (told.stage, told.stages["lexical"]) == ("stale_in_index", None)


def test_a_record_whose_text_the_index_has_is_not_stale_for_its_other_fields(make: Make) -> None:
    world = projected(make(depth=1), {"one": "a quagga", "two": "a quagga and more", **FILLER})
    world.put("two", "a quagga and more", kind="fact")
    assert lost(world, "quagga", "two").stage == "lexical_rank"
    assert lost(world, "quagga", "one").stage == "returned"


def test_lexical_rank_beyond_the_depth_of_its_leg_with_its_score_there(make: Make) -> None:
    texts = {"one": "a quagga", "two": "a quagga and so much more of everything", **FILLER}
    world = projected(make(depth=1), texts)
    told = lost(world, "quagga", "two")
    whole = projected(make(), {}).search("quagga", mode=Mode.LEXICAL).hits
    assert [hit.record.id for hit in whole] == ["one", "two"]
    assert told.stage == "lexical_rank"
    assert told.stages["lexical"] == at(None, whole[1].fused.score)
    assert told.stages["semantic"]["rank"] is told.stages["fused"] is None
    assert told.stages["semantic"]["score"] == pytest.approx(
        next(
            hit.fused.score
            for hit in projected(make(), {}).search("quagga", mode=Mode.SEMANTIC).hits
            if hit.record.id == "two"
        ),
        abs=1e-6,
    )


def test_semantic_rank_without_a_word_of_the_question(make: Make) -> None:
    world = projected(make(depth=1), {"best": "a quagga", "other": "no such beast", **FILLER})
    told = lost(world, "quagga", "other")
    assert (told.stage, told.stages["lexical"]) == ("semantic_rank", None)
    assert told.stages["semantic"]["rank"] is None
    assert -1 <= told.stages["semantic"]["score"] < 1
    assert lost(world, "quagga", "other", mode=Mode.SEMANTIC).stage == "semantic_rank"


def test_fused_out_below_the_floor_of_the_blend(make: Make) -> None:
    world = make(depth=2)
    texts = {"best": "is the heron of the weir", "near": "is the of the", **FILLER}
    weak = "weir " + " ".join(f"word{n}" for n in range(300))
    projected(world, {**texts, "weak": weak})
    query, blend = "is the heron of the weir", Fusion(method=FusionMethod.BLEND)
    told = lost(world, query, "weak", fusion=blend)
    assert (told.stage, told.stages["fused"]) == ("fused_out", None)
    assert told.stages["lexical"]["rank"] == 2
    assert told.stages["semantic"]["rank"] is None
    assert lost(world, query, "weak").stage == "returned"


def test_reranked_out_moved_off_the_page(world: World) -> None:
    projected(world, {"other": "the weir", "third": "a heron"})
    world.searches_with(reranker=Judge(nests=0.1, weir=0.9, heron=0.5))
    told = lost(world, "heron weir nests", "best", limit=2)
    assert told.stage == "reranked_out"
    assert told.stages["fused"]["rank"] == 1
    assert told.stages["rerank"] == at(3, 0.1)
    assert lost(world, "heron weir nests", "other", limit=1).stages["rerank"] == at(1, 0.9)


def test_reranked_out_counts_places_without_what_was_dropped(world: World) -> None:
    projected(world, {"other": "a weir", "third": "a heron among other birds"})
    world.searches_with(reranker=Judge(among=0.9, weir=0.1))
    before = [hit.record.id for hit in world.search("heron weir nests", rerank=False).hits]
    assert before[:3] == ["best", "other", "third"]
    world.forget("best")
    told = lost(world, "heron weir nests", "other", limit=1)
    assert (told.stage, told.stages["fused"]["rank"]) == ("reranked_out", 2)
    assert told.stages["rerank"]["rank"] > 1
    assert lost(world, "heron weir nests", "f1", limit=1).stage == "over_limit"


@pytest.mark.parametrize(
    ("options", "stage"),
    [
        ({"mode": Mode.SEMANTIC}, "semantic"),
        ({"fusion": Fusion(method=FusionMethod.BLEND)}, "fused"),
    ],
)
def test_below_min_score_of_a_leg_or_the_blend(
    world: World, options: dict[str, Any], stage: str
) -> None:
    whole = explain(world, "heron weir", "f1", **options)[1][0]
    assert whole.stage == "returned"
    least = whole.stages[stage]["score"] + 0.001
    told = lost(world, "heron weir", "f1", min_score=least, **options)
    assert (told.stage, told.stages) == ("below_min_score", whole.stages)


def test_below_min_score_of_the_reranker(world: World) -> None:
    world.searches_with(reranker=Judge(heron=0.5))
    told = lost(world, "heron weir", "f1", min_score=-0.5)
    assert (told.stage, told.stages["rerank"]["score"]) == ("below_min_score", -1)


def test_over_limit_and_over_token_budget(world: World) -> None:
    answer, (first, second) = explain(world, "heron weir", "best", "f1", limit=1)
    assert [hit.record.id for hit in answer.hits] == ["best"]
    assert (first.stage, second.stage) == ("returned", "over_limit")
    assert second.stages["fused"]["rank"] > 1
    enough = {"mode": Mode.SEMANTIC, "min_score": -1.0}
    assert lost(world, "heron weir", "f1", limit=1, **enough).stage == "over_limit"
    texts = [answer.hits[0].record.content.text] if answer.hits[0].record.content else []
    budget = -(-len(texts[0]) // 4)
    _, (first, second) = explain(world, "heron weir", "best", "f1", max_tokens=budget, limit=50)
    assert (first.stage, second.stage) == ("returned", "over_token_budget")
    assert second.stages["fused"]["rank"] > 1


def test_a_record_served_from_deeper_candidates_is_returned_with_its_rank(make: Make) -> None:
    world = projected(make(depth=1), {"one": "a quagga", "two": "a quagga and more", **FILLER})
    world.forget("one")
    answer, (gone, served) = explain(world, "quagga", "one", "two", limit=1)
    assert [hit.record.id for hit in answer.hits] == ["two"]
    assert (gone.stage, served.stage) == ("deleted", "returned")
    assert served.stages["fused"] == at(2, answer.hits[0].fused.score)
    assert served.stages["lexical"]["rank"] == 2
    later = lost(world, "quagga", "f1", limit=1, mode=Mode.SEMANTIC)
    assert (later.stage, later.stages["fused"] is None) == ("over_limit", False)
