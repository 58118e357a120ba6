"""Batches: a sequence cut into runs that hold so many items and so much of them."""

from collections.abc import Callable, Iterable, Iterator
from typing import TypeVar

T = TypeVar("T")


def batched(
    items: Iterable[T], *, most: int, size: int, size_of: Callable[[T], int]
) -> Iterator[list[T]]:
    """The items in order, at most `most` in a batch and their sizes at most `size` together; an
    item that is larger goes alone.
    """
    batch: list[T] = []
    held = 0
    for item in items:
        own = size_of(item)
        if batch and (len(batch) == most or held + own > size):
            yield batch
            batch, held = [], 0
        batch.append(item)
        held += own
    if batch:
        yield batch
