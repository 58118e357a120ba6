"""The node that the OpenSearch benchmark asks: as `make run` has it, with the better compiler and a
heap for several indices, in a folder of its own; gone at the end.
"""

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from opensearch import distribution, node

HEAP = "2g"


@contextmanager
def opened(folder: Path, *, say: Callable[[str], None]) -> Iterator[str]:
    """The base address of a node with its data in `folder`. It ends with this process at latest."""
    prepared = distribution.prepare(say=say)
    environment = {"OPENSEARCH_HEAP": HEAP, **os.environ}
    options = [f"-Dlocal.follows={os.getpid()}"]
    told = node.command(prepared, folder / "data", port=0, options=options, environment=environment)
    running = node.start(told, log=folder / "log")
    try:
        yield running.url
    finally:
        running.stop()
