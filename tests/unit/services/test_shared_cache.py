import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor

import pytest

from palimpsest.adapters.system import SystemClock
from palimpsest.domain.errors import Unavailable
from palimpsest.services.shared_cache import Kept, SharedCache
from world import MovableClock

PATIENCE = 5.0


class Making:
    """A value that is being made for as long as the test likes."""

    def __init__(self, value: str = "value", *, fails: bool = False) -> None:
        self.begun, self.released = threading.Event(), threading.Event()
        self.calls = 0
        self._value, self._fails = value, fails

    def __call__(self) -> str:
        self.calls += 1
        self.begun.set()
        assert self.released.wait(PATIENCE)
        if self._fails:
            raise Unavailable("nobody there", stage="test")
        return self._value


class Threads:
    """Callers of one cache at the same time."""

    def __init__(self, cache: SharedCache[str, str]) -> None:
        self.cache, self._pool = cache, ThreadPoolExecutor(8)

    def get(
        self, key: str, make: Callable[[], str], *, timeout: float = PATIENCE
    ) -> Future[Kept[str]]:
        return self._pool.submit(lambda: self.cache.get(key, make, timeout=timeout))

    def close(self) -> None:
        self._pool.shutdown()


@pytest.fixture
def threads() -> Iterator[Threads]:
    found = Threads(SharedCache(SystemClock(), most=10, seconds=60))
    yield found
    found.close()


def kept(clock: MovableClock, *, most: int = 10, seconds: float = 60) -> SharedCache[str, str]:
    return SharedCache(clock, most=most, seconds=seconds)


def never() -> str:
    raise AssertionError("it is there already")


def test_what_was_made_is_kept_and_shared() -> None:
    cache = kept(MovableClock())
    assert cache.peek("a") is None
    assert cache.get("a", lambda: "1", timeout=1) == Kept("1", shared=False)
    assert cache.get("a", never, timeout=1) == Kept("1", shared=True)
    assert (cache.peek("a"), cache.peek("b")) == ("1", None)


def test_a_value_is_kept_for_its_time_and_not_a_moment_longer() -> None:
    clock = MovableClock()
    cache = kept(clock, seconds=60)
    cache.get("a", lambda: "old", timeout=1)
    clock.move(59.5)
    assert cache.get("a", never, timeout=1).value == "old"  # being used makes it no younger
    clock.move(0.5)
    assert cache.peek("a") is None
    assert cache.get("a", lambda: "new", timeout=1) == Kept("new", shared=False)


def test_of_too_many_values_those_used_last_are_kept() -> None:
    cache = kept(MovableClock(), most=2)
    cache.get("a", lambda: "1", timeout=1)
    cache.get("b", lambda: "2", timeout=1)
    cache.get("a", never, timeout=1)
    cache.get("c", lambda: "3", timeout=1)
    assert [cache.peek(key) for key in "abc"] == ["1", None, "3"]
    assert cache.peek("a") == "1"  # a look is a use too
    cache.get("d", lambda: "4", timeout=1)
    assert [cache.peek(key) for key in "acd"] == ["1", None, "4"]


def test_a_failure_is_raised_and_never_kept() -> None:
    cache = kept(MovableClock())

    def fails() -> str:
        raise Unavailable("nobody there", stage="test")

    with pytest.raises(Unavailable):
        cache.get("a", fails, timeout=1)
    assert cache.get("a", lambda: "1", timeout=1) == Kept("1", shared=False)


def test_two_who_ask_the_same_at_once_cost_one_call(threads: Threads) -> None:
    make = Making()
    first = threads.get("a", make)
    assert make.begun.wait(PATIENCE)
    others = [threads.get("a", never) for _ in range(4)]
    make.released.set()
    assert first.result(PATIENCE) == Kept("value", shared=False)
    assert [one.result(PATIENCE) for one in others] == [Kept("value", shared=True)] * 4
    assert make.calls == 1


def test_b4_two_who_ask_differently_at_once_never_share(threads: Threads) -> None:
    one, other = Making("one"), Making("other")
    first, second = threads.get("a", one), threads.get("b", other)
    assert one.begun.wait(PATIENCE)
    assert other.begun.wait(PATIENCE)  # neither waits for the other
    other.released.set()
    assert second.result(PATIENCE) == Kept("other", shared=False)
    one.released.set()
    assert first.result(PATIENCE) == Kept("one", shared=False)


def test_the_failure_of_the_first_is_not_the_seconds_who_makes_its_own(threads: Threads) -> None:
    broken, whole = Making(fails=True), Making("mine")
    first = threads.get("a", broken)
    assert broken.begun.wait(PATIENCE)
    second = threads.get("a", whole)
    whole.released.set()
    broken.released.set()
    with pytest.raises(Unavailable):
        first.result(PATIENCE)
    assert second.result(PATIENCE) == Kept("mine", shared=False)
    assert threads.cache.peek("a") == "mine"


def test_when_the_first_fails_those_who_waited_cost_one_call_again(threads: Threads) -> None:
    broken, whole = Making(fails=True), Making()
    first = threads.get("a", broken)
    assert broken.begun.wait(PATIENCE)
    others = [threads.get("a", whole) for _ in range(4)]
    broken.released.set()
    assert whole.begun.wait(PATIENCE)
    whole.released.set()
    found = [one.result(PATIENCE) for one in others]
    assert isinstance(first.exception(PATIENCE), Unavailable)
    assert sorted(one.shared for one in found) == [False, True, True, True]
    assert whole.calls == 1


def test_who_waits_for_another_waits_no_longer_than_it_would_for_itself(threads: Threads) -> None:
    make = Making()
    first = threads.get("a", make)
    assert make.begun.wait(PATIENCE)
    with pytest.raises(TimeoutError):
        threads.cache.get("a", never, timeout=0.05)
    make.released.set()
    assert first.result(PATIENCE).value == "value"


def test_one_that_hangs_for_longer_than_it_may_holds_up_nobody_new(threads: Threads) -> None:
    stuck = Making("late")
    first = threads.get("a", stuck, timeout=0.01)
    assert stuck.begun.wait(PATIENCE)
    SystemClock().sleep(0.02)
    assert threads.cache.get("a", lambda: "fresh", timeout=PATIENCE) == Kept("fresh", shared=False)
    stuck.released.set()
    assert first.result(PATIENCE).value == "late"


def test_one_that_was_given_up_does_not_take_the_place_of_the_one_after_it(
    threads: Threads,
) -> None:
    stuck, newer = Making("late"), Making("newer")
    first = threads.get("a", stuck, timeout=0.01)
    assert stuck.begun.wait(PATIENCE)
    SystemClock().sleep(0.02)
    second = threads.get("a", newer)
    assert newer.begun.wait(PATIENCE)
    stuck.released.set()
    first.result(PATIENCE)
    newer.released.set()
    assert second.result(PATIENCE) == Kept("newer", shared=False)
    assert threads.cache.peek("a") == "newer"
