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


class SharedCache(Generic[Key, Value]):
    """Keeps the `most` values used last, each for `seconds`. Failures are never kept. Serves many
    threads.
    """

    def __init__(self, clock: Clock, *, most: int, seconds: float) -> None:
        self._clock, self._most, self._seconds = clock, most, seconds
        self._kept: OrderedDict[Key, tuple[Value, float]] = OrderedDict()
        self._making: dict[Key, Future[Value]] = {}
        self._lock = threading.Lock()

    def peek(self, key: Key) -> Value | None:
        """The value that is kept, if there is one."""
        with self._lock:
            return self._standing(key)

    def get(self, key: Key, make: Callable[[], Value], *, timeout: float) -> Kept[Value]:
        """The value of `key`: the kept one, or the one that another caller is making, or the one
        that `make` makes now. Raises what `make` raises; `TimeoutError` where the other caller took
        longer than `timeout` seconds. If that one fails, this one makes its own.
        """
        with self._lock:
            known = self._standing(key)
            if known is not None:
                return Kept(known, shared=True)
            theirs = self._making.get(key)
            if theirs is None:
                self._making[key] = mine = Future[Value]()
        if theirs is None:
            return Kept(self._make(key, make, mine), shared=False)
        failed = theirs.exception(timeout)
        return Kept(make() if failed else theirs.result(), shared=failed is None)

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

    def _make(self, key: Key, make: Callable[[], Value], mine: Future[Value]) -> Value:
        try:
            value = make()
        except BaseException as error:
            with self._lock:
                del self._making[key]
            mine.set_exception(error)
            raise
        with self._lock:
            del self._making[key]
            self._kept[key] = value, self._clock.monotonic() + self._seconds
            while len(self._kept) > self._most:
                self._kept.popitem(last=False)
        mine.set_result(value)
        return value
