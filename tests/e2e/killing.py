"""Killing parts of a running stack at random, without warning (-9)."""

import json
import random
import threading
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from e2e.processes import command, descendants, kill, talks
from stack import LocalStack

STREAM_SOURCE, NODE = "local.stream_feed", "LocalNode"
"""How the commands of two children of a stack are told."""


def workers(stack: LocalStack) -> list[int]:
    """The processes in which the endpoint runs functions, but for those that are starting: where
    one of these dies, the endpoint ends all workers of its function.
    """
    pids = descendants(int(stack.values["PALIMPSEST_PID"]))
    return [pid for pid in pids if "ministack-lambda" in command(pid) and talks(pid)]


def child(stack: LocalStack, named: str) -> list[int]:
    """The child of the stack whose command says so, while it runs."""
    try:
        noted: dict[str, str] = json.loads((stack.folder / "children.json").read_text())
    except ValueError:  # it is being written
        return []
    return [int(pid) for pid, told in noted.items() if named in told and command(int(pid))]


@contextmanager
def killed_at_random(
    kinds: dict[str, tuple[float, Callable[[], list[int]]]],
) -> Iterator[Counter[str]]:
    """Meanwhile a process of each kind is killed every so many seconds on average; how many of
    each.
    """
    over, killed = threading.Event(), Counter[str]()

    def kill_some(name: str, every: float, found: Callable[[], list[int]]) -> None:
        chance = random.Random(name)
        while not over.wait(chance.uniform(0.5, 1.5) * every):
            pids = found()
            if pids and kill(chance.choice(pids)):
                killed[name] += 1

    threads = [
        threading.Thread(target=kill_some, args=(name, every, found))
        for name, (every, found) in kinds.items()
    ]
    for thread in threads:
        thread.start()
    try:
        yield killed
    finally:
        over.set()
        for thread in threads:
            thread.join()
