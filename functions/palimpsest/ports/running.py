"""What services need of the process they run in: time, work side by side, wake-ups."""

from collections.abc import Callable
from datetime import datetime
from typing import Protocol, TypeVar

T = TypeVar("T")


class Clock(Protocol):
    """Time. Services never read it elsewhere."""

    def now(self) -> datetime:
        """The present instant, UTC, in whole milliseconds."""
        ...

    def monotonic(self) -> float:
        """Seconds from an arbitrary start, never going back."""
        ...

    def sleep(self, seconds: float) -> None:
        """Let that much time pass."""
        ...


class Pending(Protocol[T]):  # type: ignore[misc]  # invariant by use
    """A result to come."""

    def result(self, timeout: float | None = None) -> T:
        """The result or the exception of the work; `TimeoutError` after `timeout` seconds."""
        ...


class Executor(Protocol):
    """Runs what may run side by side; the only place that starts a thread."""

    def submit(self, work: Callable[[], T]) -> Pending[T]:
        """Start `work`."""
        ...


class Waker(Protocol):
    """Asks for a projection of a namespace soon. Losing a wake-up costs time, never truth."""

    def wake(self, tenant: str, namespace: str, revision: int, *, generation: str) -> None:
        """The namespace lags behind `revision`. Never raises: it is a hint."""
        ...
