"""What a caller is told when the index cannot answer, in part or at all: never an empty list."""

import time
from typing import Any

import pytest

from contract.opensearch_index import generations
from index_faults import faults
from index_faults.fault_proxy import Fault, FaultProxy
from palimpsest.domain.entries import Leg, LegStatus
from palimpsest.domain.errors import DeadlineExceeded, PalimpsestError, Throttled, Unavailable
from palimpsest.domain.queries import Mode
from world import World

pytestmark = pytest.mark.opensearch
MSEARCH = "/_msearch"
TEXTS = {
    "a": "the heron waits by the weir",
    "b": "an otter under the bridge",
    "c": "a heron and an otter",
}
BROKEN = {"error": {"type": "search_phase_execution_exception"}, "status": 503}


@pytest.fixture
def world(tables: dict[str, str], proxy: FaultProxy, index_prefix: str) -> World:
    """One whose index is behind the proxy, with three records in it."""
    plain = World(tables["RecordsTable"])
    made = generations(
        proxy.url,
        index_prefix,
        fingerprint=plain.embedder.fingerprint,
        dimension=plain.embedder.dimension,
    )
    world = World(tables["RecordsTable"], index=made.reading(patience_s=10))
    world.put_many(TEXTS)
    world.project()
    assert sorted(world.found("heron otter")) == ["a", "b", "c"]
    return world


def broken(place: int | None = None) -> Fault:
    """One leg's answer is an error, or the answer of each."""

    def change(answer: Any) -> None:
        for n in range(len(answer["responses"])):
            if place in {None, n}:
                answer["responses"][n] = BROKEN

    return faults.rewritten(change)


@pytest.mark.parametrize(("place", "leg"), [(0, Leg.LEXICAL), (1, Leg.SEMANTIC)])
def test_one_leg_that_failed_degrades_the_answer_of_the_other(
    world: World, proxy: FaultProxy, place: int, leg: Leg
) -> None:
    (other,) = {Leg.LEXICAL, Leg.SEMANTIC} - {leg}
    alone = [hit.record.id for hit in world.search("heron", mode=Mode(other.value)).hits]
    proxy.inject(broken(place), MSEARCH)
    answer = world.search("heron")
    assert answer.degraded == [leg.value]
    assert answer.legs[leg].status is LegStatus.FAILED
    assert answer.legs[other].status is LegStatus.OK
    assert [hit.record.id for hit in answer.hits] == alone
    assert alone[:1] == ["c"]


OUTAGES: list[tuple[Fault, type[PalimpsestError]]] = [
    (broken(), Unavailable),
    (faults.answers(503), Unavailable),
    (faults.answers(403), Unavailable),
    (faults.answers(429), Throttled),
    (faults.hangs_up, Unavailable),
    (faults.truncates, Unavailable),
    (faults.shaped({"responses": []}), Unavailable),
]


def test_no_leg_that_answers_is_an_outage_and_no_empty_list(
    world: World, proxy: FaultProxy
) -> None:
    for fault, raised in OUTAGES:
        rule = proxy.inject(fault, MSEARCH)
        for mode in Mode:
            with pytest.raises(raised):
                world.search("heron", mode=mode, limit=1)
        assert rule.hits >= len(Mode)
        proxy.heal()
        assert world.found("heron")[0] == "c"


def test_a_slow_node_ends_the_search_within_its_time(world: World, proxy: FaultProxy) -> None:
    proxy.inject(faults.stalls(20), MSEARCH)
    start = time.monotonic()
    with pytest.raises(DeadlineExceeded):
        world.search("heron", timeout_ms=1000)
    assert time.monotonic() - start < 2


def test_a_node_too_slow_to_say_which_index_is_read_ends_the_search_within_its_time(
    world: World, proxy: FaultProxy
) -> None:
    world.index._known = None  # type: ignore[attr-defined]  # as after some seconds
    proxy.inject(faults.stalls(20), "-read")
    start = time.monotonic()
    with pytest.raises(DeadlineExceeded):
        world.search("heron", timeout_ms=1000)
    assert time.monotonic() - start < 2


def test_a_leg_that_the_engine_broke_off_degrades_the_answer_and_keeps_its_hits(
    world: World, proxy: FaultProxy
) -> None:
    def late(answer: Any) -> None:
        answer["responses"][0]["timed_out"] = True

    whole = world.found("heron otter")
    proxy.inject(faults.rewritten(late), MSEARCH)
    answer = world.search("heron otter")
    assert answer.degraded == ["lexical"]
    assert [hit.record.id for hit in answer.hits] == whole
