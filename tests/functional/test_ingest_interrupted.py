"""Ingestions that are interrupted anywhere, overtaken, or left without their providers: whoever
looks at the document next completes it."""

import itertools
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from ingest_world import IngestWorld
from palimpsest.adapters.simulated import Fault, FaultKind
from palimpsest.domain.document_steps import MAX_TRIES
from palimpsest.domain.documents import Document, DocumentState
from palimpsest.domain.errors import Throttled, Unavailable
from palimpsest.domain.records import Status
from palimpsest.domain.upload_keys import UploadPlace
from palimpsest.services.ingest import document_files, reading, writing
from world import NAMESPACE, TENANT

OLD = "\n\n".join(
    f"Old paragraph {n} speaks of topic{n}. " + "Old on and on. " * 60 for n in range(6)
)
NEW = OLD.replace("Old", "New").replace("topic5", "theme5")
PORTS = ("store", "documents", "uploads", "objects", "vectors", "embedder", "ledger", "index")


class Killed(BaseException):
    """The process has ended here."""


@pytest.fixture(autouse=True)
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Pages of two chunks, commits of one, segments of 500 characters."""
    monkeypatch.setattr(reading, "PAGE", 2)
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
        world.clock.move(301)
        assert world.look("a.txt") is None, nth
        is_whole(world, world.document("a.txt"))


def test_d17_while_the_embedder_is_down_documents_wait_and_are_whole_once_it_is_back() -> None:
    world = IngestWorld()
    world.embedder.inject(Fault(kind=FaultKind.OUTAGE))
    paths = [f"{n}.txt" for n in range(6)]
    for path in paths:
        world.upload(path, f"{OLD}\n\nFile {path}.")
        again = world.look(path)
        assert again is not None
        assert again >= writing.EMBEDDER_PAUSE_S
    states = {world.document(path).state for path in paths}
    assert states == {DocumentState.PENDING}
    ledger = world.unsearchable.page(TENANT, NAMESPACE, limit=10).documents
    assert [entry.reason for entry in ledger] == ["pending"] * 6
    world.embedder.heal()
    world.clock.move(60)
    for path in paths:
        assert world.look(path) is None
    assert {world.document(path).state for path in paths} == {DocumentState.READY}
    assert world.unsearchable.page(TENANT, NAMESPACE, limit=10).documents == ()


def test_an_embedder_that_stays_away_does_not_keep_words_from_being_found() -> None:
    world = IngestWorld()
    world.embedder.inject(Fault(kind=FaultKind.OUTAGE))
    world.upload("a.txt", OLD)
    for _ in range(100):
        if world.look("a.txt") is None:
            break
        world.clock.move(30)
    assert world.document("a.txt").state is DocumentState.READY
    assert seen(world) == {"Old"}
    waiting = world.unsearchable.page(TENANT, NAMESPACE, limit=50).records
    assert {entry.reason for entry in waiting} == {"pending"}
    world.embedder.heal()
    world.project(retry_pending=True)
    assert world.unsearchable.page(TENANT, NAMESPACE, limit=50).records == ()


def test_a_wait_is_no_try_and_what_kills_every_worker_ends_in_a_failure() -> None:
    world = IngestWorld()
    world.upload("a.txt", OLD)

    def told(call: str) -> None:
        if call == "uploads.fetch":
            raise Killed

    world.watch(told, "uploads")
    for _ in range(MAX_TRIES):
        with pytest.raises(Killed):
            world.look("a.txt")
        assert world.look("a.txt") is None  # somebody is at work on it
        world.clock.move(301)
    assert world.look("a.txt") is None
    document = world.document("a.txt")
    assert (document.state, document.reason) == (DocumentState.FAILED, "internal")
    with pytest.raises(Killed):
        world.look("a.txt", again=True)


def test_an_outage_leaves_the_document_to_the_next_look_however_often() -> None:
    world = IngestWorld()
    world.upload("a.txt", OLD)
    down = True

    def told(call: str) -> None:
        if down and call == "objects.put":
            raise Unavailable("the bucket cannot be reached", stage="objects")

    world.watch(told, "objects")
    for _ in range(3 * MAX_TRIES):
        with pytest.raises(Unavailable):
            world.look("a.txt")
        assert world.document("a.txt").state is DocumentState.PENDING
        world.clock.move(1)
    down = False
    assert world.look("a.txt") is None
    assert world.document("a.txt").state is DocumentState.READY


def test_h4_a_provider_that_throttles_is_left_alone_and_asked_for_nothing_twice() -> None:
    world = IngestWorld()
    embed, asked, calls = world.embedder.embed_passages, list[str](), itertools.count()

    def throttled(texts: list[str], *, timeout: float) -> Any:
        if next(calls) % 8:
            raise Throttled("slow down", retry_after=2.0)
        asked.extend(texts)
        return embed(texts, timeout=timeout)

    world.embedder.embed_passages = throttled
    world.upload("a.txt", OLD)
    looks = 0
    while (again := world.look("a.txt")) is not None:
        world.clock.move(again)
        looks += 1
    assert looks > 0
    assert world.document("a.txt").state is DocumentState.READY
    assert len(asked) == len(set(asked)) == len(world.items("V#"))


def test_time_that_is_up_pauses_it_at_a_page_and_progress_is_no_new_try() -> None:
    world = IngestWorld()
    world.upload("a.txt", OLD)
    place = UploadPlace(TENANT, NAMESPACE, "a.txt")

    def told(call: str) -> None:
        if call == "embedder.embed_passages":
            world.clock.move(100)

    world.watch(told, "embedder")
    looks = 0
    while world.ingesting.look(place, until=world.clock.monotonic() + 250) is not None:
        looks += 1
        assert world.document("a.txt").attempt is not None
    assert looks >= 1
    assert world.document("a.txt").state is DocumentState.READY
    assert world.reader.read_names == ["a.txt"]


def others_turn(world: IngestWorld, at: str, turn: Callable[[IngestWorld], None]) -> None:
    """Let somebody else have a turn, once, before the first call named `at` of whoever is next."""
    left: Iterator[bool] = iter([True])

    def told(call: str) -> None:
        if call == at and next(left, False):
            turn(world)

    world.watch(told, *PORTS)


@pytest.mark.parametrize(
    "at",
    [
        *("documents.put", "uploads.fetch", "objects.put", "embedder.embed_passages"),
        *("store.commit", "index.write", "objects.erase"),
    ],
)
def test_a_newer_version_overtakes_and_the_loser_leaves_nothing(at: str) -> None:
    world = IngestWorld()
    world.ingest("a.txt", "The first edition.")
    world.upload("a.txt", OLD)

    def replaced(world: IngestWorld) -> None:
        world.upload("a.txt", NEW)
        assert world.look("a.txt") is None

    others_turn(world, at, replaced)
    assert world.look("a.txt") is None
    is_whole(world, world.document("a.txt"))


@pytest.mark.parametrize("at", ["documents.put", "uploads.fetch", "store.commit", "objects.erase"])
def test_an_object_deleted_meanwhile_leaves_nothing(at: str) -> None:
    world = IngestWorld()
    world.upload("a.txt", OLD)

    def deleted(world: IngestWorld) -> None:
        world.take_away("a.txt")
        assert world.look("a.txt") is None

    others_turn(world, at, deleted)
    assert world.look("a.txt") is None
    assert world.found_document("a.txt") is None
    world.clock.move(61)
    while world.erase_documents():
        pass
    assert not [*world.items("R#"), *world.items("V#"), *world.items("W#"), *world.items("G#")]
    assert list(world.objects.keys("")) == []
    assert world.status.status(TENANT, NAMESPACE).counts[Status.ACTIVE] == 0
