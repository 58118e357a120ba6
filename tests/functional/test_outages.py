"""C13, D2: an outage is told, and never an empty list."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from ladder import TEXTS
from palimpsest.adapters.simulated import Fault, FaultKind, SimulatedReranker
from palimpsest.domain.entries import Leg, LegResult, LegStatus
from palimpsest.domain.errors import CursorMismatch, DeadlineExceeded, Throttled, Unavailable
from palimpsest.domain.queries import SearchRequest
from search_scene import NAMESPACE, TENANT, Around, Scene


def raising(error: Exception) -> Callable[..., Any]:
    def raised(*_: Any, **__: Any) -> Any:
        raise error

    return raised


@pytest.mark.parametrize("error", [Unavailable, DeadlineExceeded])
@pytest.mark.parametrize(
    ("part", "method"), [("store", "read"), ("ledger", "progress"), ("index", "reading")]
)
def test_without_clock_progress_or_generation_there_is_no_answer(
    part: str, method: str, error: type[Unavailable]
) -> None:
    scene = Scene(TEXTS)
    own = {"store": scene.table, "ledger": scene.table, "index": scene.index}[part]
    scene.use(**{part: Around(own, **{method: raising(error("nobody there", stage="test"))})})
    with pytest.raises(Unavailable) as outage:
        scene.search("heron")
    assert type(outage.value) is error


@pytest.mark.parametrize("hangs", [False, True])
@pytest.mark.parametrize("method", ["read", "progress"])
def test_one_of_several_namespaces_that_cannot_be_told_of_is_an_outage(
    method: str, *, hangs: bool
) -> None:
    scene = Scene(TEXTS)
    both = ("notes", "more")
    assert scene.search("heron", namespaces=both).revisions.keys() == set(both)

    def lost(tenant: str, namespace: str, *others: Any) -> Any:
        if namespace == "more":
            if not hangs:
                raise Unavailable("nobody there", stage="table")
            scene.clock.move(3600)
        return getattr(scene.table, method)(tenant, namespace, *others)

    part = "store" if method == "read" else "ledger"
    scene.use(**{part: Around(scene.table, **{method: lost})})
    with pytest.raises(Unavailable) as outage:
        scene.search("heron", namespaces=both)
    assert type(outage.value) is (DeadlineExceeded if hangs else Unavailable)
    assert scene.clock.elapsed <= 5.0


def reading(scene: Scene, read: Callable[[int], None]) -> None:
    """Let `read` be told before each slice of hits which one it is, from 0."""
    slices = iter(range(1000))

    def told(tenant: str, namespace: str, ids: Any = ()) -> Any:
        if ids:
            read(next(slices))
        return scene.table.read(tenant, namespace, ids)

    scene.use(store=Around(scene.table, read=told))


@pytest.mark.parametrize(
    "error", [Unavailable("no", stage="t"), DeadlineExceeded("no", stage="t"), Throttled("no")]
)
def test_a_table_that_stops_to_answer_ends_the_page_and_is_told(error: Exception) -> None:
    scene = Scene(TEXTS)
    whole = scene.found("heron", limit=40)

    def read(place: int) -> None:
        if place:
            raise error

    reading(scene, read)
    answer = scene.search("heron", limit=40)
    assert [hit.record.id for hit in answer.hits] == whole[:25]
    assert answer.degraded == ["hydrate_partial"]
    assert answer.rest is not None  # and the next page goes on where this one ended
    scene.use(store=scene.table)
    later = [hit.id for hit in answer.rest.hits]
    assert [*whole[:25], *later][:40] == whole


def test_a_table_that_never_answers_for_a_hit_is_an_outage_not_an_empty_page() -> None:
    scene = Scene(TEXTS)
    scene.table.forget(*scene.found("heron", limit=25))  # the first slice is dropped as a whole

    def read(place: int) -> None:
        if place:
            raise Unavailable("nobody there", stage="table")

    reading(scene, read)
    with pytest.raises(Unavailable):
        scene.search("heron", limit=40)


def deep_down(scene: Scene, answer: Callable[[list[LegResult]], list[LegResult]]) -> None:
    """Let the legs, when they are asked once more and deeper, answer this."""

    def search(queries: Any, **options: Any) -> Any:
        found = scene.index.search(queries, **options)
        return answer(found) if queries[0].depth > scene.parts["depth"] else found

    scene.use(index=Around(scene.index, search=search))


def half_forgotten() -> Scene:
    """A scene whose legs find ten each, of which most are gone."""
    scene = Scene(TEXTS, depth=10)
    scene.table.forget(*scene.found("heron river seen walk", limit=40)[1:])
    return scene


def test_d2_dropped_hits_are_replaced_from_deeper_down() -> None:
    scene = half_forgotten()
    answer = scene.search("heron river seen walk", limit=10)
    assert (len(answer.hits), answer.degraded) == (10, [])


def test_legs_that_cannot_be_asked_deeper_leave_the_page_short_and_told() -> None:
    scene = half_forgotten()
    deep_down(scene, raising(Unavailable("nobody there", stage="search")))
    answer = scene.search("heron river seen walk", limit=10)
    assert (len(answer.hits), answer.degraded) == (1, ["hydrate_partial"])


@pytest.mark.parametrize("lost", [{Leg.LEXICAL}, {Leg.SEMANTIC}, set(Leg)])
def test_a_cut_leg_that_falls_short_deeper_down_is_told(lost: set[Leg]) -> None:
    scene = half_forgotten()

    def late(results: list[LegResult]) -> list[LegResult]:
        return [
            LegResult(leg=one.leg, status=LegStatus.TIMEOUT, reason="timeout")
            if one.leg in lost
            else one
            for one in results
        ]

    deep_down(scene, late)
    answer = scene.search("heron river seen walk", limit=40)
    assert answer.degraded == ["hydrate_partial"]
    found = {hit.record.id for hit in answer.hits}
    live = {one for one, record in scene.table.records.items() if record.content}
    assert (found == live) if len(lost) == 1 else (len(found) == 1)


@pytest.mark.parametrize(
    ("lost", "raised"),
    [
        (raising(Unavailable("nobody there", stage="search")), Unavailable),
        (raising(DeadlineExceeded("too late", stage="search")), DeadlineExceeded),
        (
            lambda results: [
                LegResult(leg=one.leg, status=LegStatus.TIMEOUT, reason="timeout")
                for one in results
            ],
            DeadlineExceeded,
        ),
    ],
)
def test_d2_if_all_was_dropped_and_nothing_deeper_can_be_asked_it_is_an_outage(
    lost: Any, raised: type[Unavailable]
) -> None:
    scene = Scene(TEXTS, depth=10)
    scene.table.forget(*scene.found("heron river seen walk", limit=40))
    deep_down(scene, lost)
    with pytest.raises(Unavailable) as outage:
        scene.search("heron river seen walk", limit=10)
    assert type(outage.value) is raised


def test_d2_if_all_was_forgotten_and_nothing_is_left_the_page_is_rightly_empty() -> None:
    scene = Scene(TEXTS, depth=10)
    scene.table.forget(*TEXTS)
    answer = scene.search("heron river seen walk", limit=10)
    assert (answer.hits, answer.degraded) == ([], [])


def test_later_pages_tell_what_the_first_one_lacked_and_what_they_lack_themselves() -> None:
    scene = Scene(TEXTS, reranker=SimulatedReranker(faults=[Fault(kind=FaultKind.OUTAGE)]))
    request = SearchRequest(tenant=TENANT, namespaces=(NAMESPACE,), query="heron", limit=10)
    whole = scene.found("heron", limit=44, rerank=False)
    first = scene.searches.search(request)
    further = replace(request, limit=34)
    later = scene.searches.search(further, first.rest)
    found = [hit.record.id for answer in (first, later) for hit in answer.hits]
    assert (found, later.degraded, later.rest) == (whole, ["rerank"], None)

    def read(place: int) -> None:
        if place:
            raise Unavailable("nobody there", stage="table")

    reading(scene, read)
    broken = scene.searches.search(further, first.rest)
    assert [hit.record.id for hit in broken.hits] == whole[10:35]
    assert broken.degraded == ["rerank", "hydrate_partial"]
    scene.use(store=Around(scene.table, read=raising(Unavailable("nobody there", stage="table"))))
    with pytest.raises(Unavailable):
        scene.searches.search(further, first.rest)


def test_a_later_page_of_an_index_that_was_lost_is_refused() -> None:
    scene = Scene(TEXTS)
    request = SearchRequest(tenant=TENANT, namespaces=(NAMESPACE,), query="heron", limit=3)
    first = scene.searches.search(request)
    scene.index.renew()
    with pytest.raises(CursorMismatch):
        scene.searches.search(request, first.rest)
