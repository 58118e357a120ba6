"""Time, chance and identity inside the code under test, for one run: the simulated clock and the
seeded source in the place of `time`, `random`, `uuid`, `secrets` and locks.
"""

import random
import secrets
import sys
import time
import uuid
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from contextlib import contextmanager
from datetime import datetime
from types import SimpleNamespace
from typing import Any

from simulation.scheduling import FOREVER, Scheduler

REPLACED = {"time": time, "random": random, "uuid": uuid, "secrets": secrets}
OF_THE_CODE = ("palimpsest.", "projector.", "jobs.", "reconcile.")
LOCKED = ("palimpsest.adapters.opensearch.index", "palimpsest.services.shared_cache")
NOW_READ = ("palimpsest.adapters.opensearch.index",)
POLL_S = 0.005


class SimulatedLock:
    """A lock that other actors, not other threads, wait for."""

    def __init__(self, scheduler: Scheduler) -> None:
        self._scheduler = scheduler
        self._held = False

    def acquire(self, blocking: bool = True, timeout: float = -1) -> bool:  # noqa: FBT001, FBT002
        until = FOREVER if timeout < 0 else self._scheduler.clock.seconds + timeout
        while self._held:
            if not blocking or self._scheduler.clock.seconds >= until:
                return False
            self._scheduler.sleep(POLL_S)
        self._held = True
        return True

    def release(self) -> None:
        self._held = False

    def __enter__(self) -> bool:
        return self.acquire()

    def __exit__(self, *_: object) -> None:
        self.release()


def _future_of(scheduler: Scheduler) -> type[Future[Any]]:
    class SimulatedFuture(Future[Any]):
        """A future that actors wait for."""

        def exception(self, timeout: float | None = None) -> BaseException | None:
            until = FOREVER if timeout is None else scheduler.clock.seconds + timeout
            while not self.done():
                if scheduler.clock.seconds >= until:
                    raise TimeoutError
                scheduler.sleep(POLL_S)
            return super().exception(0)

    return SimulatedFuture


def _replacements(scheduler: Scheduler) -> dict[str, Any]:
    chance, clock = scheduler.chance, scheduler.clock

    def identity() -> uuid.UUID:
        return uuid.UUID(int=chance.getrandbits(128), version=4)

    return {
        "time": SimpleNamespace(
            monotonic=clock.monotonic,
            perf_counter=clock.monotonic,
            time=lambda: clock.now().timestamp(),
            sleep=scheduler.sleep,
        ),
        "random": chance,
        "uuid": SimpleNamespace(uuid4=identity, uuid5=uuid.uuid5, UUID=uuid.UUID),
        "secrets": SimpleNamespace(
            token_hex=lambda size: f"{chance.getrandbits(8 * size):0{2 * size}x}",
            token_bytes=chance.randbytes,
        ),
    }


_PLACES: list[tuple[Any, str]] = []


def _places() -> list[tuple[Any, str]]:
    """Where the code under test holds one of the replaced modules."""
    loaded = [m for name, m in sorted(sys.modules.items()) if name.startswith(OF_THE_CODE)]
    if len(_PLACES) == 0 or _PLACES[-1][1] != str(len(loaded)):
        _PLACES[:] = [
            (module, name)
            for module in loaded
            for name, original in REPLACED.items()
            if vars(module).get(name) is original
        ]
        _PLACES.append((None, str(len(loaded))))
    return _PLACES[:-1]


@contextmanager
def replaced(scheduler: Scheduler) -> Iterator[None]:
    """Replaced as long as the run lasts, and put back in any case."""
    new = _replacements(scheduler)
    places: list[tuple[Any, str, Any]] = [(m, name, new[name]) for m, name in _places()]
    lock: Callable[[], Any] = lambda: SimulatedLock(scheduler)  # noqa: E731
    read = SimpleNamespace(now=lambda zone: scheduler.clock.now().astimezone(zone))
    places += [(sys.modules[one], "threading", SimpleNamespace(Lock=lock)) for one in LOCKED]
    places.append((sys.modules[LOCKED[1]], "Future", _future_of(scheduler)))
    places += [(sys.modules[one], datetime.__name__, read) for one in NOW_READ]
    before = [(module, name, vars(module)[name]) for module, name, _ in places]
    try:
        for module, name, value in places:
            setattr(module, name, value)
        yield
    finally:
        for module, name, value in before:
            setattr(module, name, value)
