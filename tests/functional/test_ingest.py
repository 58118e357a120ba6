"""Documents: an object becomes chunks, is replaced in one commit, and is forgotten with it."""

import pytest

from ingest_world import IngestWorld
from palimpsest.domain.documents import DocumentState
from palimpsest.domain.records import Status
from world import NAMESPACE, TENANT

LONG = "\n\n".join(
    f"Paragraph {n} speaks of topic{n}. " + "It goes on and on. " * 40 for n in range(8)
)


@pytest.fixture
def world() -> IngestWorld:
    return IngestWorld()


def texts(world: IngestWorld, query: str, **options: object) -> list[str]:
    found = world.search(query, **options)
    return [hit.record.content.text.strip() for hit in found.hits if hit.record.content]


def test_an_uploaded_file_is_found_by_its_text(world: IngestWorld) -> None:
    document = world.ingest(
        "notes/ferry.md", "# Ferry\n\nThe ferry to the island leaves at nine.\n"
    )
    assert (document.state, document.reason, document.attempt) == (DocumentState.READY, None, None)
    (hit,) = world.search("island ferry").hits
    chunk = hit.record.chunk
    assert chunk is not None
    assert (chunk.document_id, chunk.generation, chunk.ordinal) == (document.id, 1, 0)
    assert chunk.heading_path == ("Ferry",)
    content = hit.record.content
    assert content is not None
    assert content.source is not None
    assert content.source.uri == f"s3://uploads/uploads/{TENANT}/{NAMESPACE}/notes/ferry.md"
    assert content.source.title == "ferry.md"


def test_a_document_counts_its_chunks_once_it_is_ready(world: IngestWorld) -> None:
    world.put("own", "a record of its own")
    document = world.ingest("long.txt", LONG)
    assert document.current is not None
    chunks = document.current.chunks
    assert chunks >= 4
    status = world.status.status(TENANT, NAMESPACE)
    assert status.counts[Status.ACTIVE] == 1 + chunks
    assert document.current.characters == len(LONG)


def test_replaced_by_a_shorter_text_it_shows_nothing_of_the_longer_one(world: IngestWorld) -> None:
    first = world.ingest("long.txt", LONG)
    second = world.ingest("long.txt", "It was withdrawn, topic3 and all.")
    assert second.last_generation == first.last_generation + 1
    assert texts(world, "topic3 goes on") == ["It was withdrawn, topic3 and all."]
    assert world.status.status(TENANT, NAMESPACE).counts[Status.ACTIVE] == 1


def test_texts_that_are_the_same_in_the_new_generation_are_not_embedded_again(
    world: IngestWorld,
) -> None:
    world.ingest("long.txt", LONG)
    asked = list[str]()
    embed = world.embedder.embed_passages

    def noted(some: list[str], **named: float) -> object:
        asked.extend(some)
        return embed(some, **named)

    world.embedder.embed_passages = noted
    world.ingest("long.txt", LONG.replace("topic7.", "topic seven."))
    assert asked
    assert all("topic seven" in text for text in asked)


def test_an_object_that_is_deleted_takes_its_document_away(world: IngestWorld) -> None:
    world.ingest("gone.txt", "The dotterel breeds on the fell.")
    world.take_away("gone.txt")
    assert world.look("gone.txt") is None
    assert world.found_document("gone.txt") is None
    assert texts(world, "dotterel") == []
    assert world.status.status(TENANT, NAMESPACE).counts[Status.ACTIVE] == 0


@pytest.mark.parametrize(
    ("data", "state", "reason"),
    [
        (b"", DocumentState.NO_TEXT, "no_text"),
        (b" \n\t", DocumentState.NO_TEXT, "no_text"),
        (b"\xff\xfe\xfd", DocumentState.FAILED, "unsupported_type"),
        (b"LOCKED", DocumentState.FAILED, "encrypted"),
    ],
)
def test_g5_a_file_without_text_says_why(
    world: IngestWorld, data: bytes, state: DocumentState, reason: str
) -> None:
    document = world.ingest("odd.bin", data)
    assert (document.state, document.reason) == (state, reason)
    assert world.look("odd.bin") is None


def test_a_generation_that_is_over_is_erased_a_minute_later(world: IngestWorld) -> None:
    first = world.ingest("long.txt", LONG)
    world.ingest("long.txt", "short")
    assert world.erase_documents() == 0
    assert world.items(f"R#{first.id}.1.")
    world.clock.move(61)
    assert world.erase_documents() == 1
    assert not world.items(f"R#{first.id}.1.")
    assert not world.items(f"V#{first.id}.1.")
    assert list(world.objects.keys(f"text/{TENANT}/{NAMESPACE}/{first.id}/1/")) == []
    assert not world.items("G#")
    found = [state for state in world.index.walk(f"{TENANT}#{NAMESPACE}") if not state.tombstone]
    assert len(found) == 1
    assert texts(world, "topic3 goes on short") == ["short"]
    report = world.canonical.reconcile(TENANT, NAMESPACE, dry_run=True)
    assert report.verified


def test_the_index_is_proved_equal_through_every_replacement(world: IngestWorld) -> None:
    for number in range(4):
        world.ingest("a.txt", f"{LONG}\n\nEdition {number}.")
        assert world.canonical.reconcile(TENANT, NAMESPACE, dry_run=True).verified
        world.clock.move(61)
        world.erase_documents()
        report = world.canonical.reconcile(TENANT, NAMESPACE, dry_run=True)
        assert (report.verified, report.added, report.updated, report.removed) == (True, 0, 0, 0)


def test_an_index_that_was_lost_is_built_again_without_embedding(world: IngestWorld) -> None:
    world.ingest("a.txt", LONG)
    world.ingest("a.txt", LONG.replace("topic1", "theme1"))
    world.clock.move(61)
    world.erase_documents()
    world.index.renew()
    report = world.canonical.reconcile(TENANT, NAMESPACE, dry_run=False)
    assert (report.verified, report.embedded) == (True, 0)
    assert any("theme1" in text for text in texts(world, "theme1"))
    assert not any("topic1 " in text for text in texts(world, "topic1", limit=50))
