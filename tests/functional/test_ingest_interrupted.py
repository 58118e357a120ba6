"""Ingestions that are interrupted anywhere, overtaken, or left without their providers: whoever looks
at the document next completes it."""

import itertools
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from ingest_world import IngestWorld
from palimpsest.adapters.simulated import Fault, FaultKind
from palimpsest.domain.documents import Document, DocumentState
from palimpsest.domain.records import Status
from palimpsest.services.ingest import document_files, writing
from world import NAMESPACE, TENANT

OLD = "\n\n".join(f"Old paragraph {n} speaks of topic{n}. " + "Old on and on. " * 60 for n in range(6))
NEW = OLD.replace("Old", "New").replace("topic5", "theme5")
PORTS = ("store", "documents", "uploads", "objects", "vectors", "embedder", "ledger", "index")


class Killed(BaseException):
    """The process has ended here."""


@pytest.fixture(autouse=True)
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Pages of two chunks, commits of one, segments of 500 characters."""
    monkeypatch.setattr(document_files, "PAGE", 2)
    monkeypatch.setattr(document_files, "SEGMENT", 500)
    monkeypatch.setattr(writing, "COMMIT_CHUNKS", 1)


def stopped(nth: int) -> tuple[IngestWorld, bool]:
    """A world where a replacement was killed before its `nth` call of a port; whether it was."""
    world = IngestWorld()
    world.ingest("a.txt", OLD)
    world.upload("a.txt", NEW)
    calls = itertools.count(1)

    def told(_: str) -> None:
        if next(calls) == nth:
            raise Killed

    world.watch(told, *PORTS)
    try:
        world.look("a.txt")
    except Killed:
        return world, True
    return world, False


def seen(world: IngestWorld) -> set[str]:
    """Which edition a search finds, whole."""
    found = world.search("paragraph speaks of", limit=50)
    texts = [hit.record.content.text for hit in found.hits if hit.record.content]
    assert len(texts) == world.status.status(TENANT, NAMESPACE).counts[Status.ACTIVE]
    return {"New" if "New" in text else "Old" for text in texts}


def is_whole(world: IngestWorld, document: Document) -> None:
    """The new edition alone is there, proved, and nothing is left of anything else."""
    assert document.state is DocumentState.READY
    world.clock.move(61)
    while world.erase_documents():
        pass
    assert seen(world) == {"New"}
    (generation,) = world.document("a.txt").generations
    chunks = world.items("R#")
    assert len(chunks) == generation.chunks
    assert all(sk.startswith(f"R#{document.id}.{generation.number}.") for sk in chunks)
    assert {sk.split("#")[1] for sk in world.items("V#")} == {sk[2:] for sk in chunks}
    assert not [*world.items("W#"), *world.items("G#"), *world.items("U#")]
    folder = f"text/{TENANT}/{NAMESPACE}/{document.id}/{generation.number}/text/"
    assert all(key.startswith(folder) for key in world.objects.keys("text/"))
    report = world.canonical.reconcile(TENANT, NAMESPACE, dry_run=True)
    assert (report.verified, report.added, report.updated, report.removed) == (True, 0, 0, 0)


def test_killed_before_any_call_of_anything_the_next_look_completes_it() -> None:
    for nth in itertools.count(1):
        world, killed = stopped(nth)
        if not killed:
            assert nth > 40
            break
        assert len(seen(world)) == 1, nth  # old or new, never both, never neither
        world.watched = False
        world.clock.move(301)
        assert world.look("a.txt") is None, nth
        is_whole(world, world.document("a.txt"))
