"""Many clients on few records of one namespace, all at once, for a while."""

import threading
import time
from collections.abc import Callable
from contextlib import suppress

import httpx

from e2e.client import Client
from e2e.readers import FEED_LIMITS, Follower, read
from e2e.scene import Scene
from e2e.writers import delete, write

WRITERS, DELETERS, READERS = 32, 8, 8


def fire(
    client: Client, namespace: str, *, seconds: float, enough: Callable[[int], bool]
) -> tuple[Scene, list[Follower]]:
    """Write, delete, read and follow for that time; up to three times as long until `enough` (of
    the newest revision), on a machine that is busy otherwise.
    """
    began = time.monotonic()
    scene = Scene(client, namespace, began + seconds, began + 3 * seconds, enough)
    followers = [Follower(scene, limit) for limit in FEED_LIMITS]
    clients = [(write, WRITERS), (delete, DELETERS), (read, READERS)]
    run(
        [
            *(
                threading.Thread(target=work, args=(scene, seed))
                for work, count in clients
                for seed in range(count)
            ),
            *(threading.Thread(target=follower.follow) for follower in followers),
        ]
    )
    return scene, followers


def warm_up(client: Client) -> None:
    """Have a warm worker for each client, started a few at a time: cold starts are another test."""
    for at_once in (4, 8, 16, WRITERS, WRITERS + DELETERS + READERS + len(FEED_LIMITS)):
        run([threading.Thread(target=_touch, args=(client,)) for _ in range(at_once)])


def _touch(client: Client) -> None:
    with suppress(httpx.TransportError):  # a worker may be killed meanwhile
        client.get("warm-up", "nobody")


def run(threads: list[threading.Thread]) -> None:
    """Start all, wait for all."""
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
