"""`wait_ms` and `timeout_ms`: two times, neither of which is taken from the other; and who keeps
them.
"""

from collections.abc import Callable
from typing import Any

import pytest

from palimpsest.adapters.simulated import SimulatedLanguageModel, SimulatedReranker
from palimpsest.domain.commits import Clock as NamespaceClock
from palimpsest.domain.errors import DeadlineExceeded
from palimpsest.domain.ledger import Progress
from search_scene import Around, Scene, T, Timed, TimedExecutor
from world import MovableClock

QUESTION = "who saw the heron?"
TEXTS = {f"r{n:02}": f"the heron stands by the river, walk {n}" for n in range(40)}


class SlowTable:
    """A table whose every read takes a while, and an index that arrives late."""

    def __init__(self, scene: Scene, *, read_s: float, arrives_s: float) -> None:
        self.table, self.clock = scene.table, scene.clock
        self.read_s, self.arrives_s = read_s, arrives_s

    def read(self, tenant: str, namespace: str, wanted: Any = ()) -> tuple[NamespaceClock, Any]:
        self.clock.move(self.read_s)
        return self.table.read(tenant, namespace, wanted)

    def progress(self, tenant: str, namespace: str, generation: str) -> Progress:  # noqa: ARG002
        revision = 2 if self.clock.elapsed >= self.arrives_s else 1
        return Progress(revision=revision, target=1)


@pytest.mark.parametrize("read_s", [0.0, 0.05, 0.2])
@pytest.mark.parametrize(("arrives_s", "degraded"), [(3.0, []), (60.0, ["stale_index"])])
def test_waiting_for_a_revision_does_not_eat_the_budget(
    read_s: float, arrives_s: float, degraded: list[str]
) -> None:
    model = SimulatedLanguageModel({}, otherwise='{"variations": ["a grey bird"]}')
    scene = Scene(TEXTS, model=model, reranker=SimulatedReranker())
    slow = SlowTable(scene, read_s=read_s, arrives_s=arrives_s)
    scene.table.revision = 2
    scene.use(store=slow, ledger=slow)
    answer = scene.search(QUESTION, min_revision=2, wait_ms=5000, timeout_ms=1000)
    assert (answer.degraded, answer.outcome.rerank.status) == (degraded, "ok")
    assert len(answer.hits) == 10
    assert scene.clock.elapsed <= 5.0 + 1.0
    timings = answer.timings_ms  # of its own work: what it waited is not counted
    assert max(timings.values()) == timings["total"] <= 1000


def test_waiting_takes_no_longer_than_asked_and_the_budget_together() -> None:
    scene = Scene(TEXTS)
    clock: MovableClock = scene.clock
    slow = SlowTable(scene, read_s=0.0, arrives_s=60.0)
    scene.use(store=slow, ledger=slow)

    def hangs_at_last(tenant: str, namespace: str, wanted: Any = ()) -> Any:
        if clock.elapsed > 4.9:
            clock.move(3600)
        return scene.table.read(tenant, namespace, wanted)

    scene.use(store=Around(slow, read=hangs_at_last))
    with pytest.raises(DeadlineExceeded):
        scene.search("heron", min_revision=9, wait_ms=5000, timeout_ms=1000)
    assert clock.elapsed <= 6.0


def test_an_index_that_keeps_time_itself_is_asked_without_another_thread() -> None:
    scene = Scene(TEXTS)
    plain = scene.search("heron")
    asked: list[str] = []
    inside: list[bool] = []

    def here(method: str) -> Callable[..., Any]:
        def told(*arguments: Any, **options: Any) -> Any:
            assert not inside, "the executor runs it"
            asked.append(method)
            return getattr(scene.index, method)(*arguments, **options)

        return told

    class Noting(TimedExecutor):
        def submit(self, work: Callable[[], T]) -> Timed:
            def noted() -> T:
                inside.append(True)
                try:
                    return work()
                finally:
                    inside.pop()

            return super().submit(noted)

    taken = {"reading": here("reading"), "search": here("search")}
    index = Around(scene.index, keeps_time=True, **taken)
    scene.use(index=index, executor=Noting(scene.clock))
    answer = scene.search("heron")
    assert asked == ["reading", "search"]
    assert [hit.fused for hit in answer.hits] == [hit.fused for hit in plain.hits]
