"""The same work for several namespaces at once."""

from collections.abc import Callable, Iterable
from functools import partial
from typing import TypeVar

from palimpsest.ports import Executor

T = TypeVar("T")


def side_by_side(
    executor: Executor, work: Callable[[str], T], namespaces: Iterable[str]
) -> dict[str, T]:
    """The result of `work` for each namespace: the first is done here, the others beside it. Raises
    what any of them raises.
    """
    first, *others = namespaces
    pending = {name: executor.submit(partial(work, name)) for name in others}
    return {first: work(first)} | {name: one.result() for name, one in pending.items()}
