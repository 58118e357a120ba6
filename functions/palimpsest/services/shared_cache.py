"""Answers that are kept for a while, and made once for all who ask at the same time."""

import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable
from concurrent.futures import Future
from dataclasses import dataclass
from typing import Generic, TypeVar

from palimpsest.ports import Clock

Key = TypeVar("Key", bound=Hashable)
Value = TypeVar("Value")


@dataclass(frozen=True, slots=True)
class Kept(Generic[Value]):
    """A value; `shared`: this caller did not make it."""

    value: Value
    shared: bool


@dataclass(frozen=True, slots=True)
class _Making(Generic[Value]):
    """A value on its way; nobody begins to wait for it after `until` (monotonic seconds)."""

    future: Future[Value]
    until: float


class SharedCache(Generic[Key, Value]):
    """Keeps the `most` values used last, each for `seconds`. Failures are never kept. Serves many
    threads.
    """

    def __init__(self, clock: Clock, *, most: int, seconds: float) -> None:
        self._clock, self._most, self._seconds = clock, most, seconds
        self._kept: OrderedDict[Key, tuple[Value, float]] = OrderedDict()
        self._making: dict[Key, _Making[Value]] = {}
        self._lock = threading.Lock()

    def peek(self, key: Key) -> Value | None:
        """The value that is kept, if there is one."""
        with self._lock:
            return self._standing(key)

    def get(self, key: Key, make: Callable[[], Value], *, timeout: float) -> Kept[Value]:
        """The value of `key`: the kept one, or the one that another caller is making, or the one
        that `make` makes now, in `timeout` seconds. Raises what `make` raises; `TimeoutError` where
        another caller's took longer. If that one fails, or has been at it for longer than its own
        `timeout`, this one makes its own.
        """
        until = self._clock.monotonic() + timeout
        mine = _Making(Future[Value](), until)
        while True:
            with self._lock:
                known = self._standing(key)
                if known is not None:
                    return Kept(known, shared=True)
                theirs = self._making.get(key)
                if theirs is None or self._clock.monotonic() >= theirs.until:
                    self._making[key] = mine
                    break
            if theirs.future.exception(max(0.0, until - self._clock.monotonic())) is None:
                return Kept(theirs.future.result(), shared=True)
        return Kept(self._make(key, make, mine), shared=False)

    def _standing(self, key: Key) -> Value | None:
        found = self._kept.get(key)
        if found is None:
            return None
        value, until = found
        if self._clock.monotonic() >= until:
            del self._kept[key]
            return None
        self._kept.move_to_end(key)
        return value

    def _make(self, key: Key, make: Callable[[], Value], mine: "_Making[Value]") -> Value:
        try:
            value = make()
        except BaseException as error:
            with self._lock:
                self._made(key, mine)
            mine.future.set_exception(error)
            raise
        with self._lock:
            self._made(key, mine)
            self._kept[key] = value, self._clock.monotonic() + self._seconds
            self._kept.move_to_end(key)
            while len(self._kept) > self._most:
                self._kept.popitem(last=False)
        mine.future.set_result(value)
        return value

    def _made(self, key: Key, mine: "_Making[Value]") -> None:
        """Nobody waits for this one from now on; another caller may have taken its place."""
        if self._making.get(key) is mine:
            del self._making[key]
