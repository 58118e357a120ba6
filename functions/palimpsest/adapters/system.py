"""The machine itself: its time, and its threads."""

import time
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from datetime import UTC, datetime
from typing import TypeVar

from palimpsest.domain.instants import whole

T = TypeVar("T")


class SystemClock:
    """`Clock` by the machine's clocks."""

    def now(self) -> datetime:
        """See `Clock.now`."""
        return whole(datetime.now(UTC))

    def monotonic(self) -> float:
        """See `Clock.monotonic`."""
        return time.monotonic()

    def sleep(self, seconds: float) -> None:
        """See `Clock.sleep`."""
        time.sleep(seconds)


class ThreadExecutor:
    """`Executor` over a pool of threads, kept for the life of the process: more than one request
    can use, since work that nobody waits for any more still holds its thread.
    """

    def __init__(self, *, workers: int = 32) -> None:
        self._pool = ThreadPoolExecutor(workers, thread_name_prefix="palimpsest")

    def submit(self, work: Callable[[], T]) -> Future[T]:
        """See `Executor.submit`."""
        return self._pool.submit(work)

    def close(self) -> None:
        """Wait for what runs and end the threads."""
        self._pool.shutdown()
