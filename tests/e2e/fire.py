"""Many writers on few records of one namespace, and what they saw."""

import itertools
import random
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from http import HTTPStatus

import httpx

from e2e.client import Client
from e2e.history import Write

WRITERS = 32
RECORDS = 6
_serial = itertools.count(1)


@dataclass(slots=True)
class Seen:
    """The history of a run: every write that may have had an effect, the text of each acknowledged
    one, and how many answers were busy ones (429), which write nothing.
    """

    writes: list[Write] = field(default_factory=list)
    texts: dict[int, tuple[str, str]] = field(default_factory=dict)
    busy: int = 0
    unknown: int = 0
    lock: threading.Lock = field(default_factory=threading.Lock)


def fire(client: Client, namespace: str, *, seconds: float, seed: int = 0) -> Seen:
    """Write under guards with 32 writers until the time is over."""
    seen = Seen()
    warm_up(client)
    end = time.monotonic() + seconds
    threads = [
        threading.Thread(target=_write, args=(client, namespace, end, seen, seed + n))
        for n in range(WRITERS)
    ]
    run(threads)
    return seen


def warm_up(client: Client) -> None:
    """Have a warm worker for each writer, started a few at a time: cold starts are another test."""
    for at_once in (4, 8, 16, WRITERS):
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


def _write(client: Client, namespace: str, end: float, seen: Seen, seed: int) -> None:
    chance = random.Random(seed)
    known = dict.fromkeys((f"r{n}" for n in range(RECORDS)), 0)
    while time.monotonic() < end:
        record_id = chance.choice(list(known))
        text = f"text number {next(_serial)}"
        send = _sender(client, namespace, record_id, text, known[record_id])
        known[record_id] = _note(seen, send, record_id, text, known[record_id])


def _sender(
    client: Client, namespace: str, record_id: str, text: str, expected: int
) -> Callable[[], httpx.Response]:
    return lambda: client.put(namespace, record_id, text, match=expected)


def _note(
    seen: Seen, send: Callable[[], httpx.Response], record_id: str, text: str, expected: int
) -> int:
    """Send one write and note its outcome; the revision that is known of the record afterwards."""
    began = time.monotonic()
    try:
        answer = send()
        status = answer.status_code
    except httpx.TransportError:
        answer, status = None, 0
    ended = time.monotonic()
    made = found = None
    if answer is not None and status in (HTTPStatus.OK, HTTPStatus.CREATED):
        made = int(answer.json()["revision"])
    elif answer is not None and status == HTTPStatus.PRECONDITION_FAILED:
        found = int(answer.json()["current_revision"] or 0)
    with seen.lock:
        if status == HTTPStatus.TOO_MANY_REQUESTS:
            seen.busy += 1
            return expected
        seen.unknown += made is None and found is None
        seen.writes.append(Write(record_id, expected, began, ended, made, found))
        if made is not None:
            seen.texts[made] = (record_id, text)
    return next((known for known in (made, found) if known is not None), expected)
