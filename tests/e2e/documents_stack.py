"""The stack for much work on documents: the one that all tests share, or one of its own where there
is so much that the endpoint becomes slow.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from stack import LocalStack, free_ports


@contextmanager
def own_stack(folder: Path) -> Iterator[LocalStack]:
    """A stack that nobody else uses, taken down at the end."""
    made = LocalStack(folder, free_ports())
    made.make("up")
    try:
        yield made
    finally:
        made.make("down")
