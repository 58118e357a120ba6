"""Workers of ingest are killed (-9) at random moments while documents of up to several pages are
uploaded and replaced: each ends as its newest object, and nothing else is left.

What a dead worker was at is taken up when its lease has ended, and what no event tells of any more
by the sweep of the hour. Here both come soon; with DOCUMENT_FIRE_S (seconds of fire) leases, marks
and the rounds of the minute take their time.
"""

import logging
import os
import random
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field

import pytest

from e2e.client import Client
from e2e.documents_at_rest import leavings, waiting
from e2e.documents_scene import Folder, until
from e2e.documents_time import end_leases, make_due, make_round, under_way
from e2e.killing import workers
from e2e.processes import command, kill
from stack import LocalStack

pytestmark = pytest.mark.stack
REAL_TIME = bool(os.environ.get("DOCUMENT_FIRE_S"))
SECONDS = float(os.environ.get("DOCUMENT_FIRE_S") or 12)
DOCUMENTS = 20
SECTIONS = (450, 450, 450) if REAL_TIME else (20, 60, 210)
"""Of every third document. Each is a chunk of its own; a page of chunks has 200."""

FEWEST_KILLS, MOST_KILLS = 2, 1000 if REAL_TIME else 4
"""A document has failed at the fifth death without a page between: with leases that end at once
there could be so many.
"""

BETWEEN_KILLS_S = 5.0
"""On average: a worker takes some seconds to begin."""

BETWEEN_ROUNDS_S = 2.0
GONE_WITHIN_S = 10.0
PATIENCE_S = 1200.0 if REAL_TIME else 180.0


def word(number: int, edition: int) -> str:
    """One that stands in this edition alone."""
    letters = dict(zip("0123456789", "bdfghklmnp", strict=True))
    return "".join(f"{letters[digit]}a" for digit in f"{number:02}{edition:03}") + "x"


def sections(number: int, edition: int) -> int:
    """An edition has one more than the last."""
    return SECTIONS[number % 3] + edition


def book(number: int, edition: int) -> bytes:
    """An edition of a book, which says its word in each section."""
    said = f"The {word(number, edition)} book"
    parts = range(sections(number, edition))
    return "\n".join(f"# Part {n}\n\n{said}, part {n}.\n" for n in parts).encode()


@dataclass
class Killer:
    """Kills all workers of ingest at random moments, as the endpoint does where one dies. `dead`:
    the attempts that died with them.
    """

    folder: Folder
    kills: int = 0
    dead: set[str] = field(default_factory=set)

    def killing(self) -> AbstractContextManager[None]:
        """Meanwhile workers die."""
        return meanwhile(self._kill, every_s=BETWEEN_KILLS_S)

    def time_going_by(self) -> AbstractContextManager[None]:
        """Meanwhile comes sooner what time brings: the ends of dead leases, and rounds."""
        return meanwhile(self._look_around, every_s=BETWEEN_ROUNDS_S)

    def _kill(self) -> None:
        if self.kills == MOST_KILLS:
            return
        pids = [pid for pid in workers(self.folder.stack) if "-ingest-" in command(pid)]
        attempts = {d.attempt.id for d in under_way(self.folder) if d.attempt is not None}
        self.kills += max(map(kill, pids), default=False)
        until(lambda: ", ".join(filter(None, map(command, pids))), patience_s=GONE_WITHIN_S)
        self.dead |= attempts

    def _look_around(self) -> None:
        if not REAL_TIME:
            end_leases(self.folder, self.dead)
            make_due(self.folder)
            make_round(self.folder, "tend")


@contextmanager
def meanwhile(work: Callable[[], None], *, every_s: float) -> Iterator[None]:
    """Meanwhile this is done again and again, at random moments."""
    over, chance = threading.Event(), random.Random("meanwhile")

    def go_on() -> None:
        while not over.wait(chance.uniform(0.5, 1.5) * every_s):
            work()

    thread = threading.Thread(target=go_on)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()


def replace_some(folder: Folder, killer: Killer) -> dict[int, int]:
    """Upload all books, then newer editions of them while the time lasts, and until enough was
    killed; the newest edition of each.
    """
    newest = dict.fromkeys(range(DOCUMENTS), 1)
    folder.put_all({f"book{n}.md": book(n, 1) for n in newest})
    chance, began = random.Random("editions"), time.monotonic()
    while time.monotonic() < began + SECONDS or killer.kills < FEWEST_KILLS or not killer.dead:
        assert time.monotonic() < began + SECONDS + PATIENCE_S, f"{killer.kills} kills"
        number = chance.randrange(DOCUMENTS)
        newest[number] += 1
        folder.put(f"book{number}.md", book(number, newest[number]))
        time.sleep(chance.uniform(0, 2.0))
    return newest


def not_newest(folder: Folder, newest: Mapping[int, int]) -> str:
    """The books that are not yet what was uploaded last."""
    documents, told = folder.documents(), dict[int, str]()
    for number, edition in newest.items():
        one = documents.get(f"book{number}.md")
        state = one["state"] if one else "not listed"
        assert state in {"pending", "indexing", "ready", "not listed"}, one
        if one is None or state != "ready" or one["chunks"] != sections(number, edition):
            told[number] = state
    return str(told) if told else ""


def test_d4_d7_documents_whose_workers_are_killed_end_as_their_newest_objects(
    client: Client, local_stack: LocalStack, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO, logger=__name__)
    folder = Folder(client, local_stack, client.fresh("killed"))
    killer = Killer(folder)
    with killer.time_going_by():
        with killer.killing():
            newest = replace_some(folder, killer)
        make_round(folder, "sweep")
        seconds = until(lambda: not_newest(folder, newest), patience_s=PATIENCE_S)
        logging.getLogger(__name__).info(
            "%s kills, %s attempts died, %s editions; at rest %.1f s after the last",
            *(killer.kills, len(killer.dead), sum(newest.values()), seconds),
        )
        assert_newest(folder, newest)
        until(
            lambda: leavings(folder, folder.documents()),
            patience_s=PATIENCE_S,
            every_s=BETWEEN_ROUNDS_S,
        )
    assert killer.dead
    assert sum(newest.values()) > DOCUMENTS
    assert waiting(local_stack, "IngestFailuresUrl") == 0


def assert_newest(folder: Folder, newest: Mapping[int, int]) -> None:
    """What readers see of them is the newest edition alone."""
    documents = folder.documents()
    assert len(documents) == DOCUMENTS
    assert folder.ledger() == {}
    for number, edition in newest.items():
        one = documents[f"book{number}.md"]
        assert folder.text(one["id"]).encode() == book(number, edition)
        for written in range(1, edition + 1):
            hits = folder.hits(word(number, written), mode="lexical", limit=5)
            found = {hit["document"]["id"] for hit in hits}
            assert found == ({one["id"]} if written == edition else set()), (number, written)
    counts = folder.client.wait(folder.namespace)["counts"]
    chunks = sum(one["chunks"] for one in documents.values())
    assert (counts["active"], counts["documents"]) == (chunks, DOCUMENTS)
