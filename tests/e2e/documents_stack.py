"""The stack for much work on documents: the one that all tests share, or one of its own where there
is so much that the endpoint becomes slow.
"""

from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from stack import LocalStack, free_ports


@contextmanager
def stack_for(request: pytest.FixtureRequest, *, much: bool) -> Iterator[LocalStack]:
    """The stack that all tests share; where there is `much` to do one that nobody else uses, taken
    down at the end.
    """
    if not much:
        yield request.getfixturevalue("local_stack")
        return
    folders: pytest.TempPathFactory = request.getfixturevalue("tmp_path_factory")
    made = LocalStack(folders.mktemp("documents"), free_ports())
    made.make("up")
    try:
        yield made
    finally:
        made.make("down")
