"""Readers of documents that are being replaced, erased and purged; rounds that find what no event
told of; messages of every kind."""

import json
from typing import Any

import pytest

from ingest_world import IngestWorld
from palimpsest.domain.documents import ChunkKey, DocumentState, document_id
from palimpsest.domain.queries import Mode
from palimpsest.domain.records import Status
from palimpsest.domain.upload_keys import UploadPlace
from palimpsest.domain.walks import Order, RecordsWanted
from palimpsest.services.ingest import reading
from palimpsest.services.ingest.rounds import RoundsService
from world import NAMESPACE, TENANT


@pytest.fixture
def world(monkeypatch: pytest.MonkeyPatch) -> IngestWorld:
    monkeypatch.setattr(reading, "PAGE", 2)
    return IngestWorld()


def edition(number: int) -> str:
    said = f"The perihelion essay, edition number{number}. " * 30
    return "\n\n".join(f"## Part {part}\n\n{said}" for part in range(3 + number % 3))


def editions(world: IngestWorld, **options: Any) -> set[str]:
    found = world.search("perihelion essay edition", limit=20, **options)
    assert not {"hydrate_partial"} & set(found.degraded)
    texts = [hit.record.content.text for hit in found.hits if hit.record.content]
    return {word for text in texts for word in text.split() if word.startswith("number")}


def test_searches_before_every_call_of_100_replacements_see_old_or_new_never_both_never_neither(
    world: IngestWorld,
) -> None:
    world.ingest("essay.md", edition(0))
    seen, looking = list[set[str]](), False

    def told(_: str) -> None:
        nonlocal looking
        if not looking:
            looking = True
            seen.append(editions(world, mode=Mode.LEXICAL))
            looking = False

    world.watch(told, "store", "documents", "objects", "index")
    for number in range(1, 101):
        world.upload("essay.md", edition(number))
        assert world.look("essay.md") is None
        world.clock.move(20)
        world.erase_documents()
    assert len(seen) > 1_000
    assert all(len(one) == 1 for one in seen)
    in_order = [int(min(one).strip(".").removeprefix("number")) for one in seen]
    assert in_order == sorted(in_order)
    assert set(in_order) == set(range(101))


def test_a_reader_of_an_older_clock_still_sees_the_generation_of_that_time(
    world: IngestWorld,
) -> None:
    first = world.ingest("essay.md", edition(0))
    old_chunk = str(ChunkKey(first.id, 1, 0))
    clock, _ = world.store.read(TENANT, NAMESPACE)
    world.ingest("essay.md", edition(1))
    _, records = world.store.read(TENANT, NAMESPACE, [old_chunk])
    record = records[old_chunk]
    assert record.content is not None
    assert record.chunk is not None
    assert record.chunk.current_at(clock.revision)
    assert not record.chunk.current_at(clock.revision + 1_000)
    world.clock.move(61)
    world.erase_documents()
    _, records = world.store.read(TENANT, NAMESPACE, [old_chunk])
    assert records[old_chunk].status is Status.DELETED


def test_a_chunk_is_read_as_of_a_revision_from_its_flip_on(world: IngestWorld) -> None:
    document = world.ingest("essay.md", edition(0))
    chunk = str(ChunkKey(document.id, 1, 0))
    since = document.revision
    _, records = world.store.read(TENANT, NAMESPACE, [chunk])
    assert records[chunk].revision < since
    assert world.history.as_of(TENANT, NAMESPACE, chunk, since - 1) is None
    assert world.history.as_of(TENANT, NAMESPACE, chunk, since) == records[chunk]
    (only,) = world.history.revisions(TENANT, NAMESPACE, chunk, limit=5).records
    assert only == records[chunk]


def test_lists_and_counts_agree_whatever_is_under_way(world: IngestWorld) -> None:
    world.put("own", "A record of its own.")
    world.ingest("essay.md", edition(0))

    def told(_: str) -> None:
        clock, _records = world.store.read(TENANT, NAMESPACE)
        wanted = RecordsWanted()
        listed = world.walks.records(TENANT, NAMESPACE, wanted, order=Order.NEWEST, limit=100)
        assert len(listed.records) == clock.counts[Status.ACTIVE]

    world.watch(told, "objects", "index")
    world.ingest("essay.md", edition(2))
    world.clock.move(61)
    world.erase_documents()


def test_e4_f1_a_purge_takes_documents_and_their_files_and_a_path_is_used_again(
    world: IngestWorld,
) -> None:
    world.ingest("essay.md", edition(0))
    world.ingest("essay.md", edition(1))
    world.ingest("odd.bin", b"\xff\xfe")
    world.clock.move(1)
    job = world.purges.purge(TENANT, NAMESPACE, by="key")
    assert world.found_document("essay.md") is None
    assert editions(world) == set()
    assert world.look("essay.md") is None  # its object is from before the purge
    assert world.found_document("essay.md") is None
    world.clock.move(1)
    world.upload("essay.md", edition(2))
    assert world.look("essay.md") is None
    done = world.run_purge(job)
    assert done.result is not None
    assert set(done.result["receipt"].values()) == {0}
    assert editions(world) == {"number2."}
    document = world.document("essay.md")
    prefix = f"text/{TENANT}/{NAMESPACE}/{document.id}/"
    assert all(key.startswith(prefix) for key in world.objects.keys("text/"))
    world.clock.move(61)
    world.erase_documents()
    assert world.canonical.reconcile(TENANT, NAMESPACE, dry_run=True).verified
    assert editions(world) == {"number2."}


def rounds(world: IngestWorld) -> RoundsService:
    return RoundsService(
        store=world.store,
        documents=world.documents,
        uploads=world.uploads,
        queue=world.queue,
        erasing=world.erasing_documents,
        clock=world.clock,
    )


def sweep(world: IngestWorld, prefix: str = "uploads/") -> list[str]:
    """What a sweep sends, all of which is looked at."""
    world.queue.sent.clear()
    assert rounds(world).sweep(prefix) == len(world.queue.sent)
    paths = [path for path, _, _ in world.queue.sent]
    for path in paths:
        assert world.look(path) is None
    return sorted(paths)


def test_a_sweep_finds_what_no_event_told_of_and_no_more(world: IngestWorld) -> None:
    for path in ("a.txt", "b.txt", "c.txt"):
        world.upload(path, f"Text of {path}.")
    world.uploads.put("uploads/stray.txt", b"x")
    world.uploads.put(f"uploads/{TENANT}/{NAMESPACE}/folder/", b"")
    assert sweep(world) == ["a.txt", "b.txt", "c.txt"]
    assert sweep(world) == []
    world.upload("a.txt", "Another text.")
    world.take_away("b.txt")
    assert sweep(world, f"uploads/{TENANT}/other/") == []
    assert sweep(world, f"uploads/{TENANT}/{NAMESPACE}/c") == []
    assert sweep(world) == ["a.txt", "b.txt"]
    assert sweep(world) == []
    for path in ("a.txt", "c.txt"):
        world.take_away(path)
    assert sweep(world) == ["a.txt", "c.txt"]
    assert world.documents.count(TENANT, NAMESPACE) == 0


def test_a_round_takes_up_what_was_left_and_erases_what_is_over(world: IngestWorld) -> None:
    world.ingest("done.txt", edition(0))
    world.ingest("done.txt", edition(1))
    world.upload("left.txt", "Some text.")

    def told(call: str) -> None:
        if call == "uploads.fetch":
            raise RuntimeError

    fetched, world.uploads = world.uploads, world.uploads
    world.watch(told, "uploads")
    with pytest.raises(RuntimeError):
        world.look("left.txt")
    world.uploads = fetched
    world.compose()
    assert rounds(world).tend(until=world.clock.monotonic() + 10) == 0
    world.clock.move(301)
    assert rounds(world).tend(until=world.clock.monotonic() + 10) == 1
    assert world.queue.sent == [("left.txt", 0.0, False)]
    assert not world.items("G#")
    assert world.look("left.txt") is None
    assert world.document("left.txt").state is DocumentState.READY


def test_a_round_whose_time_is_up_leaves_the_rest_to_the_next(world: IngestWorld) -> None:
    for number in range(3):
        world.ingest("a.txt", edition(number))
    world.clock.move(61)
    assert rounds(world).tend(until=world.clock.monotonic()) == 0
    assert len(world.items("G#")) == 2
    rounds(world).tend(until=world.clock.monotonic() + 100)
    assert not world.items("G#")


def test_d7_the_same_object_again_is_no_second_document(world: IngestWorld) -> None:
    world.ingest("a.txt", edition(0))
    before = world.items("R#")
    again = world.ingest("a.txt", edition(0))
    assert (again.id, again.last_generation) == (document_id("a.txt"), 2)
    assert world.documents.count(TENANT, NAMESPACE) == 1
    assert world.status.status(TENANT, NAMESPACE).counts[Status.ACTIVE] == len(before)
    assert world.look("a.txt") is None
    assert world.document("a.txt") == again


def test_a_place_is_told_from_its_key_and_back() -> None:
    for place in (
        UploadPlace("acme", "notes", "a b+c%2F語.txt"),
        UploadPlace("u@x:y", "a:b@c", "d/e/f"),
    ):
        assert json.loads(json.dumps(place.key)) == place.key
