"""A request of several commits that comes again under its idempotency key gets the first answer."""

from collections.abc import Callable
from typing import Any

import pytest

from palimpsest.domain.errors import IdempotencyMismatch, InProgress, Throttled, Unavailable
from palimpsest.domain.idempotency import Applied, IdempotencyKey
from palimpsest.services.answer_once import (
    CLAIMED_FOR,
    PATIENCE_S,
    PAUSE_S,
    Answered,
    AnswerOnceService,
)
from quick_world import QuickWorld
from world import NAMESPACE, TENANT, MovableClock

KEY = IdempotencyKey("key", "request")
DAY_S = 24 * 3600.0


class Killed(BaseException):
    """The process is gone."""


class PatientClock(MovableClock):
    """A clock that, while it is slept on, lets something happen. `sleeps`: how long each was."""

    def __init__(self) -> None:
        super().__init__()
        self.meanwhile: Callable[[int], object] = lambda _: None
        self.sleeps: list[float] = []

    def sleep(self, seconds: float) -> None:
        self.sleeps.append(seconds)
        super().sleep(seconds)
        self.meanwhile(len(self.sleeps))


class Scene:
    """The service over a table. `done` counts the work."""

    def __init__(self) -> None:
        self.world = QuickWorld()
        self.clock = PatientClock()
        self.world.clock = self.clock
        self.world.compose()
        self.keys: Any = self.world.keys
        self.once = AnswerOnceService(self.keys, self.clock)
        self.done = 0

    def work(self) -> Answered:
        self.done += 1
        return Answered(report=f"report {self.done}")

    def ask(
        self, key: IdempotencyKey | None = KEY, work: Callable[[], Answered] | None = None
    ) -> Answered:
        return self.once.answer(TENANT, NAMESPACE, key, work or self.work)


@pytest.fixture
def scene() -> Scene:
    return Scene()


def test_d7_the_same_request_under_its_key_gets_the_first_answer(scene: Scene) -> None:
    assert scene.ask() == scene.ask() == Answered(report="report 1")
    assert (scene.done, scene.clock.sleeps) == (1, [])


def test_an_answer_that_is_a_job_is_kept_too(scene: Scene) -> None:
    def begun() -> Answered:
        return Answered(job="notes~reconcile-1")

    assert scene.ask(work=begun) == scene.ask() == Answered(job="notes~reconcile-1")
    assert scene.done == 0


def test_without_a_key_the_work_is_done_each_time(scene: Scene) -> None:
    assert [scene.ask(None).report, scene.ask(None).report] == ["report 1", "report 2"]
    assert scene.world.items("K#") == {}


def test_another_key_and_another_namespace_are_answers_of_their_own(scene: Scene) -> None:
    scene.ask()
    assert scene.ask(IdempotencyKey("other", "request")).report == "report 2"
    assert scene.once.answer(TENANT, "other", KEY, scene.work).report == "report 3"
    assert scene.once.answer("other", NAMESPACE, KEY, scene.work).report == "report 4"


def test_another_request_under_the_same_key_is_refused_during_and_after_the_first(
    scene: Scene,
) -> None:
    other = IdempotencyKey("key", "another request")

    def work() -> Answered:
        with pytest.raises(IdempotencyMismatch):
            scene.ask(other)
        return scene.work()

    scene.ask(work=work)
    with pytest.raises(IdempotencyMismatch):
        scene.ask(other)
    assert scene.done == 1


def test_a_twin_waits_for_the_first_and_gets_its_answer(scene: Scene) -> None:
    first = Applied(key=KEY, until=scene.clock.now() + CLAIMED_FOR, claim="first")
    assert scene.keys.claim(TENANT, NAMESPACE, first) is None

    def ended(sleeps: int) -> None:
        if sleeps == 3:
            until = scene.clock.now() + CLAIMED_FOR
            answered = Applied(key=KEY, until=until, claim="first", report="the first's")
            scene.keys.settle(TENANT, NAMESPACE, answered)

    scene.clock.meanwhile = ended
    assert scene.ask() == Answered(report="the first's")
    assert (scene.done, scene.clock.sleeps) == (0, [PAUSE_S] * 3)


def test_a_twin_of_one_that_fails_does_the_work_itself(scene: Scene) -> None:
    first = Applied(key=KEY, until=scene.clock.now() + CLAIMED_FOR, claim="first")
    scene.keys.claim(TENANT, NAMESPACE, first)
    scene.clock.meanwhile = lambda _: scene.keys.release(TENANT, NAMESPACE, first)
    assert scene.ask() == Answered(report="report 1")


def test_a_twin_gives_up_after_its_patience(scene: Scene) -> None:
    def work() -> Answered:
        with pytest.raises(InProgress) as caught:
            scene.ask()
        assert caught.value.retry_after == 1.0
        return scene.work()

    assert scene.ask(work=work) == Answered(report="report 1")
    assert sum(scene.clock.sleeps) == PATIENCE_S
    assert scene.done == 1


@pytest.mark.parametrize("error", [Unavailable("no", stage="table"), ValueError(), Killed()])
def test_what_fails_is_not_kept_and_frees_the_key(scene: Scene, error: BaseException) -> None:
    def work() -> Answered:
        raise error

    with pytest.raises(type(error)):
        scene.ask(work=work)
    assert scene.world.items("K#") == {}
    assert scene.ask() == Answered(report="report 1")


def test_the_claim_of_one_that_was_killed_is_over_after_its_time(scene: Scene) -> None:
    killed = Applied(key=KEY, until=scene.clock.now() + CLAIMED_FOR, claim="killed")
    scene.keys.claim(TENANT, NAMESPACE, killed)
    scene.clock.move(CLAIMED_FOR.total_seconds() - PATIENCE_S - 0.001)
    with pytest.raises(InProgress):
        scene.ask()
    scene.clock.move(0.001)
    assert scene.ask() == Answered(report="report 1")
    late = Applied(key=KEY, until=killed.until, claim="killed", report="too late")
    scene.keys.settle(TENANT, NAMESPACE, late)
    scene.keys.release(TENANT, NAMESPACE, killed)
    assert scene.ask() == Answered(report="report 1")  # the key is another claim's by now


def test_an_answer_is_kept_for_a_day(scene: Scene) -> None:
    scene.ask()
    scene.clock.move(DAY_S - 0.001)
    assert scene.ask().report == "report 1"
    scene.clock.move(0.001)
    assert scene.ask().report == "report 2"


def test_a_claim_whose_answer_was_lost_finds_itself(scene: Scene) -> None:
    claim = Applied(key=KEY, until=scene.clock.now() + CLAIMED_FOR, claim="mine")
    assert scene.keys.claim(TENANT, NAMESPACE, claim) is None
    assert scene.keys.claim(TENANT, NAMESPACE, claim) is None
    other = Applied(key=KEY, until=scene.clock.now() + CLAIMED_FOR, claim="another's")
    found = scene.keys.claim(TENANT, NAMESPACE, other)
    assert found is not None
    assert (found.claim, found.under_way) == ("mine", True)


def test_a_key_that_is_freed_whenever_it_is_looked_at_is_given_up(
    scene: Scene, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(scene.keys, "_put", lambda *_: False)
    with pytest.raises(Throttled):
        scene.ask()
    assert scene.done == 0
