import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from palimpsest.adapters.simulated import Fault, FaultKind, Operation, SimulatedEmbedder
from palimpsest.adapters.system import SystemClock, ThreadExecutor
from palimpsest.domain.entries import Leg, LegStatus
from palimpsest.domain.vectors import Vector
from palimpsest.services.query_vector import KEPT_S, QueryVector, QueryVectors
from search_scene import Around, Scene, TimedExecutor
from world import MovableClock

PATIENCE = 5.0
TEXTS = {f"r{n:02}": f"the heron stands by the river, walk {n}" for n in range(12)}


@pytest.fixture
def executor() -> Iterator[ThreadExecutor]:
    found = ThreadExecutor(workers=8)
    yield found
    found.close()


class Held:
    """An embedder that answers when it is let go."""

    def __init__(self, embedder: SimulatedEmbedder) -> None:
        self.embedder = embedder
        self.fingerprint, self.dimension = embedder.fingerprint, embedder.dimension
        self.let_go = threading.Event()
        self.begun = threading.Semaphore(0)

    def embed_query(self, text: str, *, timeout: float) -> Vector:
        self.begun.release()
        assert self.let_go.wait(PATIENCE)
        return self.embedder.embed_query(text, timeout=timeout)

    def embed_passages(self, texts: Any, *, timeout: float) -> Any:
        return self.embedder.embed_passages(texts, timeout=timeout)

    def has_begun(self, times: int) -> bool:
        return all(self.begun.acquire(timeout=PATIENCE) for _ in range(times))


def asked(vectors: QueryVectors, embedder: Any, *texts: str, clock: Any) -> list[QueryVector]:
    begun = vectors.begin(texts, tenant="acme", fingerprint=embedder.fingerprint, timeout=PATIENCE)
    return vectors.finish(begun, until=clock.monotonic() + PATIENCE)


def made(*embedders: Any, clock: MovableClock) -> QueryVectors:
    named = {one.fingerprint: one for one in embedders}
    return QueryVectors(named, executor=TimedExecutor(clock), clock=clock)


def test_a_question_is_embedded_once_and_kept() -> None:
    clock, embedder = MovableClock(), SimulatedEmbedder()
    vectors = made(embedder, clock=clock)
    (first,) = asked(vectors, embedder, "heron", clock=clock)
    (again,) = asked(vectors, embedder, "heron", clock=clock)
    assert (first.called, again.called) == (True, False)
    assert first.vector == again.vector == embedder.embed_query("heron", timeout=1.0)
    assert embedder.calls == [["heron"], ["heron"]]  # the second is this test's own


def test_a_vector_is_kept_for_its_time() -> None:
    clock, embedder = MovableClock(), SimulatedEmbedder()
    vectors = made(embedder, clock=clock)
    asked(vectors, embedder, "heron", clock=clock)
    clock.move(KEPT_S - 1)
    assert not asked(vectors, embedder, "heron", clock=clock)[0].called
    clock.move(1)
    assert asked(vectors, embedder, "heron", clock=clock)[0].called


def test_vectors_of_two_models_never_stand_for_each_other() -> None:
    clock, one, other = MovableClock(), SimulatedEmbedder(seed=1), SimulatedEmbedder(seed=2)
    vectors = made(one, other, clock=clock)
    (first,) = asked(vectors, one, "heron", clock=clock)
    (second,) = asked(vectors, other, "heron", clock=clock)
    assert second.called
    assert first.vector != second.vector


def test_an_index_of_another_model_is_refused_and_nobody_is_asked() -> None:
    clock, embedder, other = MovableClock(), SimulatedEmbedder(), SimulatedEmbedder(seed=9)
    vectors = made(embedder, clock=clock)
    found = asked(vectors, other, "heron", "egret", clock=clock)
    expected = QueryVector(status=LegStatus.FAILED, reason="fingerprint_mismatch")
    assert (found, embedder.calls) == ([expected, expected], [])


def test_b1_a_failure_is_told_and_not_kept() -> None:
    clock = MovableClock()
    once = Fault(kind=FaultKind.NOT_FINITE, operation=Operation.QUERY, max_count=1)
    embedder = SimulatedEmbedder(faults=[once])
    vectors = made(embedder, clock=clock)
    (first,) = asked(vectors, embedder, "heron", clock=clock)
    assert (first.status, first.reason, first.vector, first.called) == (
        LegStatus.FAILED,
        "embedding_not_finite",
        None,
        True,
    )
    (second,) = asked(vectors, embedder, "heron", clock=clock)
    assert (second.status, second.called) == (LegStatus.OK, True)


def test_signs_that_mean_nothing_are_skipped_and_no_call_is_counted() -> None:
    clock, embedder = MovableClock(), SimulatedEmbedder()
    (found,) = asked(made(embedder, clock=clock), embedder, "\u200b\u200d", clock=clock)
    assert (found.status, found.reason) == (LegStatus.SKIPPED, "nothing_to_embed")
    assert (found.called, embedder.calls) == (False, [])


def test_what_is_not_there_in_time_is_too_late() -> None:
    clock, embedder = MovableClock(), SimulatedEmbedder()

    def late(text: str, *, timeout: float) -> Vector:
        clock.move(3600)
        return embedder.embed_query(text, timeout=timeout)

    slow = Around(embedder, embed_query=late)
    (found,) = asked(made(slow, clock=clock), slow, "heron", clock=clock)
    assert (found.status, found.reason, found.called) == (
        LegStatus.TIMEOUT,
        "embedder_timeout",
        True,
    )
    assert (found.ms, clock.elapsed) == (PATIENCE * 1000, PATIENCE)


def test_two_equal_questions_at_once_cost_one_call(executor: ThreadExecutor) -> None:
    clock, held = SystemClock(), Held(SimulatedEmbedder())
    vectors = QueryVectors({held.fingerprint: held}, executor=executor, clock=clock)
    name = held.fingerprint
    begun = [
        vectors.begin(["heron"], tenant="acme", fingerprint=name, timeout=PATIENCE)
        for _ in range(4)
    ]
    assert held.has_begun(1)
    held.let_go.set()
    until = clock.monotonic() + PATIENCE
    found = [one for several in begun for one in vectors.finish(several, until=until)]
    assert sorted(one.called for one in found) == [False, False, False, True]
    assert (len({one.vector for one in found}), held.embedder.calls) == (1, [["heron"]])


def test_who_waited_in_vain_for_anothers_call_has_made_none(executor: ThreadExecutor) -> None:
    clock, held = SystemClock(), Held(SimulatedEmbedder())
    vectors = QueryVectors({held.fingerprint: held}, executor=executor, clock=clock)
    first = vectors.begin(["heron"], tenant="acme", fingerprint=held.fingerprint, timeout=PATIENCE)
    assert held.has_begun(1)
    second = vectors.begin(["heron"], tenant="acme", fingerprint=held.fingerprint, timeout=0.02)
    (late,) = vectors.finish(second, until=clock.monotonic() + PATIENCE)
    assert (late.status, late.reason, late.called) == (
        LegStatus.TIMEOUT,
        "embedder_timeout",
        False,
    )
    held.let_go.set()
    (whole,) = vectors.finish(first, until=clock.monotonic() + PATIENCE)
    assert (whole.status, whole.called) == (LegStatus.OK, True)


def test_the_failure_of_one_caller_is_not_the_others(executor: ThreadExecutor) -> None:
    fault = Fault(kind=FaultKind.OUTAGE, operation=Operation.QUERY, max_count=1)
    clock, held = SystemClock(), Held(SimulatedEmbedder(faults=[fault]))
    vectors = QueryVectors({held.fingerprint: held}, executor=executor, clock=clock)
    name = held.fingerprint
    begun = [
        vectors.begin(["heron"], tenant="acme", fingerprint=name, timeout=PATIENCE)
        for _ in range(2)
    ]
    held.let_go.set()
    until = clock.monotonic() + PATIENCE
    found = [one for several in begun for one in vectors.finish(several, until=until)]
    assert sorted(one.status for one in found) == [LegStatus.FAILED, LegStatus.OK]


def test_b4_different_questions_at_once_each_get_what_they_get_alone(
    executor: ThreadExecutor,
) -> None:
    questions = ["heron river 7", "walk 3", "the weir", "river walk 11"]
    scene = Scene(TEXTS)
    alone = [[(h.record.id, h.fused) for h in scene.search(one).hits] for one in questions]
    held = Held(scene.embedder)
    scene.use(embedders={held.fingerprint: held}, executor=executor, clock=SystemClock())
    with ThreadPoolExecutor(len(questions)) as callers:
        answers = [callers.submit(scene.search, one, timeout_ms=20_000) for one in questions]
        assert held.has_begun(len(questions))  # all are under way before any is answered
        held.let_go.set()
        together = [[(h.record.id, h.fused) for h in one.result(PATIENCE).hits] for one in answers]
    assert together == alone


def test_equal_questions_of_two_searches_at_once_share_a_call_and_say_so(
    executor: ThreadExecutor,
) -> None:
    scene = Scene(TEXTS)
    held = Held(scene.embedder)
    scene.use(embedders={held.fingerprint: held}, executor=executor, clock=SystemClock())
    with ThreadPoolExecutor(2) as callers:
        answers = [callers.submit(scene.search, "heron", timeout_ms=20_000) for _ in range(2)]
        assert held.has_begun(1)
        held.let_go.set()
        found = [one.result(PATIENCE) for one in answers]
    usage = sorted((a.usage.embedding_calls, a.usage.embedding_cache_hits) for a in found)
    assert usage == [(0, 1), (1, 0)]
    assert [h.fused for h in found[0].hits] == [h.fused for h in found[1].hits]
    assert all(answer.legs[Leg.SEMANTIC].status is LegStatus.OK for answer in found)
