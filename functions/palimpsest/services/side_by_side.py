"""The same work for several namespaces at once."""

from collections.abc import Callable, Iterable
from functools import partial
from typing import TypeVar

from palimpsest.ports import Clock, Executor
from palimpsest.services.in_time import in_time

T = TypeVar("T")


def side_by_side(
    executor: Executor,
    work: Callable[[str], T],
    namespaces: Iterable[str],
    *,
    clock: Clock,
    until: float,
    stage: str,
) -> dict[str, T]:
    """The result of `work` for each namespace. Raises what any of them raises; `DeadlineExceeded`
    where one is not done by then (seconds of the monotonic `clock`).
    """
    pending = {name: executor.submit(partial(work, name)) for name in namespaces}
    return {
        name: in_time(one, timeout=max(0.0, until - clock.monotonic()), stage=stage)
        for name, one in pending.items()
    }
