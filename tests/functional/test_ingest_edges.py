"""What an ingestion meets at its edges: limits, busy clocks, files that vanish, texts that are
replaced while they are read."""

from dataclasses import replace
from typing import Any

import pytest

from ingest_world import IngestWorld
from palimpsest.adapters.simulated import Fault, FaultKind
from palimpsest.domain.document_attempts import Granted
from palimpsest.domain.documents import DocumentState
from palimpsest.domain.errors import NotFound, NotReady, Throttled
from palimpsest.domain.idempotency import IdempotencyKey
from palimpsest.domain.upload_keys import UploadPlace
from palimpsest.services import project
from palimpsest.services.documents import TRIES, DocumentService
from palimpsest.services.ingest import document_files, reading, settling, writing
from palimpsest.services.ingest.attempts import At, Lost
from world import NAMESPACE, TENANT

TEXT = "\n\n".join(f"Paragraph {n} speaks of topic{n}. " + "On and on. " * 60 for n in range(6))


@pytest.fixture
def world(monkeypatch: pytest.MonkeyPatch) -> IngestWorld:
    monkeypatch.setattr(reading, "PAGE", 2)
    monkeypatch.setattr(document_files, "SEGMENT", 500)
    return IngestWorld()


def service(world: IngestWorld) -> DocumentService:
    return DocumentService(
        documents=world.documents,
        uploads=world.uploads,
        grants=world.grants,
        queue=world.queue,
        objects=world.objects,
        forgetting=world.forgetting,
        clock=world.clock,
    )


class Failing:
    """A port one method of which fails so many times: it raises, or answers what it is given."""

    def __init__(self, port: Any, method: str, times: int, what: Any) -> None:
        self._port, self._method, self._left, self._what = port, method, times, what

    def __getattr__(self, name: str) -> Any:
        found = getattr(self._port, name)
        if name != self._method:
            return found

        def call(*arguments: Any, **named: Any) -> Any:
            if self._left:
                self._left -= 1
                if isinstance(self._what, Exception):
                    raise self._what
                return self._what
            return found(*arguments, **named)

        return call


def test_a_file_of_exactly_the_limit_is_read_and_a_larger_one_is_too_large(
    world: IngestWorld,
) -> None:
    limited = replace(world.ingesting.reading, max_bytes=20)
    world.ingesting = replace(world.ingesting, reading=limited)
    assert world.ingest("a.txt", "x" * 20).state is DocumentState.READY
    document = world.ingest("b.txt", "x" * 21)
    assert (document.state, document.reason) == (DocumentState.FAILED, "too_large")
    assert world.reader.read_names == ["a.txt"]


def test_a_blank_document_that_a_reader_lets_through_has_no_text(world: IngestWorld) -> None:
    class Blank:
        def read(self, *_: Any) -> Any:
            return self

        def blocks(self) -> Any:
            return iter(())

        def close(self) -> None: ...

    world.reader = Blank()
    world.compose()
    document = world.ingest("a.txt", "x")
    assert (document.state, document.reason) == (DocumentState.NO_TEXT, "no_text")


@pytest.mark.parametrize("fault", [False, Throttled("busy", retry_after=0.1)])
def test_a_busy_clock_is_waited_for_a_while(world: IngestWorld, fault: Any) -> None:
    here: Any = world
    here.store = Failing(world.store, "commit", 20, fault)
    world.compose()
    assert world.ingest("a.txt", TEXT).state is DocumentState.READY
    here.store = Failing(world.store, "commit", 10**9, fault)
    world.compose()
    world.upload("b.txt", TEXT)
    begun = world.clock.monotonic()
    with pytest.raises(Throttled):
        world.look("b.txt")
    assert 14 <= world.clock.monotonic() - begun < 16
    document = world.document("b.txt")
    assert document.state is DocumentState.PENDING
    assert document.attempt is not None


def test_chunks_that_are_gone_are_made_anew_in_another_generation(world: IngestWorld) -> None:
    world.upload("a.txt", TEXT)
    done = list[str]()

    def told(call: str) -> None:
        if call == "embedder.embed_passages" and not done:
            done.append(call)
            world.clock.move(800)

    world.watch(told, "embedder")
    assert world.look("a.txt") == 0.0
    document = world.document("a.txt")
    prefix = document_files.text_prefix(TENANT, NAMESPACE, document.id, 1)
    world.objects.erase(f"{prefix}chunks/")
    assert world.look("a.txt") is None
    document = world.document("a.txt")
    assert (document.state, document.last_generation) == (DocumentState.READY, 2)
    world.clock.move(61)
    assert world.erase_documents() == 1
    assert len(world.items("R#")) == document.current.chunks  # type: ignore[union-attr]


def test_an_object_that_is_gone_before_it_is_fetched_is_looked_at_again(world: IngestWorld) -> None:
    world.upload("a.txt", TEXT)
    erased = list[str]()

    def told(call: str) -> None:
        if call == "uploads.fetch" and not erased:
            erased.append(call)
            world.clock.move(1)
            key = UploadPlace(TENANT, NAMESPACE, "a.txt").key
            world.uploads.erase(key, before=world.clock.now())

    world.watch(told, "uploads")
    assert world.look("a.txt") is None
    assert world.found_document("a.txt") is None


def test_a_document_without_an_object_or_an_attempt_is_lost(world: IngestWorld) -> None:
    document = world.ingest("a.txt", "x")
    with pytest.raises(Lost):
        _ = At(TENANT, document).attempt
    with pytest.raises(Lost):
        world.ingesting.reading.lay_out(At(TENANT, replace(document, object=None)))


def test_an_index_that_is_far_behind_is_waited_for_and_the_lease_renewed(
    world: IngestWorld, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(writing, "COMMIT_CHUNKS", 1)
    monkeypatch.setattr(settling, "PROJECT_S", 0.0)
    monkeypatch.setattr(project, "LOG_PAGE", 2)
    writes = world.ingest("a.txt", TEXT).writes
    assert writes > 6
    world.upload("b.txt", TEXT)

    def told(call: str) -> None:
        if call == "index.write":
            world.clock.move(790)

    plain = world.index
    world.watch(told, "index")
    assert world.look("b.txt") == 0.0
    assert world.document("b.txt").attempt is not None
    world.index = plain
    world.reproject()
    assert world.look("b.txt") is None


def test_two_who_take_up_the_same_attempt_are_one(world: IngestWorld) -> None:
    world.upload("a.txt", TEXT)
    world.embedder.inject(Fault(kind=FaultKind.OUTAGE))
    assert world.look("a.txt") is not None
    world.embedder.heal()
    world.clock.move(60)
    taken = list[str]()

    def told(call: str) -> None:
        if call == "documents.put" and not taken:
            taken.append(call)
            assert world.look("a.txt") is None

    world.watch(told, "documents")
    assert world.look("a.txt") is None
    document = world.document("a.txt")
    assert (document.state, document.last_generation) == (DocumentState.READY, 1)


def test_a_text_that_no_vector_can_be_made_of_is_found_by_its_words(world: IngestWorld) -> None:
    world.embedder.inject(Fault(kind=FaultKind.ZERO, containing="topic3"))
    document = world.ingest("a.txt", TEXT)
    assert document.state is DocumentState.READY
    waiting = world.unsearchable.page(TENANT, NAMESPACE, limit=50).records
    assert {entry.reason for entry in waiting} == {"embedding_failed"}
    hits = world.search("topic3", limit=50).hits
    assert any(hit.record.content and "topic3" in hit.record.content.text for hit in hits)


def test_a_page_of_text_is_read_though_the_document_is_replaced_meanwhile(
    world: IngestWorld,
) -> None:
    world.ingest("a.txt", TEXT)
    its_id = world.document("a.txt").id

    def text() -> str:
        return service(world).text(TENANT, NAMESPACE, its_id, offset=0, limit=10).text

    here: Any = world
    objects = world.objects
    here.objects = Failing(objects, "get", TRIES - 1, NotFound("gone"))
    assert text() == TEXT[:10]
    here.objects = Failing(objects, "get", TRIES, NotFound("gone"))
    with pytest.raises(NotFound):
        text()
    world.objects = objects
    world.ingest("b.txt", b"")
    with pytest.raises(NotReady):
        service(world).text(TENANT, NAMESPACE, world.document("b.txt").id, offset=0, limit=9)


def test_a_document_is_deleted_though_somebody_is_writing_it(world: IngestWorld) -> None:
    world.ingest("a.txt", TEXT)
    world.upload("a.txt", f"{TEXT} Again.")
    its_id, written = world.document("a.txt").id, list[str]()

    def told(call: str) -> None:
        if call == "uploads.seen" and not written:
            written.append(call)
            assert world.look("a.txt") is None  # between the document's being read and forgotten

    world.watch(told, "uploads")
    revision = world.forgetting.delete(TENANT, NAMESPACE, its_id, by="key")
    assert written
    assert revision == world.store.read(TENANT, NAMESPACE)[0].revision
    assert world.found_document("a.txt") is None
    with pytest.raises(NotFound):
        world.forgetting.delete(TENANT, NAMESPACE, its_id, by="key")


def test_erasing_goes_on_where_it_was_left_and_whoever_writes_the_document_meanwhile(
    world: IngestWorld,
) -> None:
    first = world.ingest("a.txt", TEXT)
    world.ingest("a.txt", "short")
    world.clock.move(61)
    assert world.erasing_documents.erase(TENANT, NAMESPACE, until=world.clock.monotonic()) == 0
    assert world.items("G#")
    world.documents = Failing(world.documents, "put", 1, False)
    world.compose()
    assert world.erase_documents() == 1
    assert not world.items(f"R#{first.id}.1.")
    assert [one.number for one in world.document("a.txt").generations] == [2]


def test_a_mark_of_what_is_gone_already_is_taken_off(world: IngestWorld) -> None:
    world.ingest("a.txt", TEXT)
    world.ingest("a.txt", "short")
    document = world.document("a.txt")
    after = replace(document.without_generation(1), writes=document.writes + 1)
    assert world.documents.put(TENANT, after, writes=document.writes)
    world.clock.move(61)
    assert world.erase_documents() == 1
    assert not world.items("G#")


def test_what_was_told_of_an_upload_is_taken_up_once_and_not_over_a_purge(
    world: IngestWorld,
) -> None:
    told = Granted(metadata={"team": "blue", "sizes": ("s",)})
    revision = world.store.read(TENANT, NAMESPACE)[0].revision
    world.grants.keep(TENANT, NAMESPACE, "g1", told, revision=revision)
    assert world.ingest("a.txt", "x", grant="g1").metadata == told.metadata
    assert world.ingest("b.txt", "x", grant="unknown").metadata == {}
    world.clock.move(1)
    job = world.purges.purge(TENANT, NAMESPACE, by="key")
    assert world.grants.get(TENANT, NAMESPACE, "g1") is None
    world.run_purge(job)
    assert not world.items("UP#")


def test_the_ledger_of_documents_and_records_is_one_list(world: IngestWorld) -> None:
    world.embedder.inject(Fault(kind=FaultKind.ZERO, containing="cursed"))
    world.put_many({f"r{n}": f"cursed {n}" for n in range(3)})
    world.project()
    for number in range(3):
        world.ingest(f"{number}.txt", b"")
    for limit in range(1, 8):
        found, place = list[str](), ("", "")
        pages = 0
        while True:
            generation, after = place
            page = world.unsearchable.page(
                TENANT, NAMESPACE, limit=limit, after=after, generation=generation
            )
            shown = [entry.id for entry in (*page.documents, *page.records)]
            assert len(shown) <= limit
            found, pages = found + shown, pages + 1
            if page.following is None:
                break
            place = page.following
        assert len(found) == len(set(found)) == 6
        assert pages <= 6 // limit + 1
    key = IdempotencyKey("key", "request")
    assert world.unsearchable.retry(TENANT, NAMESPACE, key=key) == 6
    assert world.unsearchable.retry(TENANT, NAMESPACE, key=key) == 6
    assert sorted(world.queue.sent) == [(f"{n}.txt", 0.0, True) for n in range(3)]


def test_two_who_erase_the_same_generation_are_one(world: IngestWorld) -> None:
    world.ingest("a.txt", TEXT)
    world.ingest("a.txt", "short")
    world.clock.move(61)
    turns = list[str]()

    def told(call: str) -> None:
        if call == "documents.put" and not turns:
            turns.append(call)
            assert world.erase_documents() == 1

    world.watch(told, "documents")
    assert world.erase_documents() == 1
    assert [one.number for one in world.document("a.txt").generations] == [2]
    assert not world.items("G#")


def test_whoever_leaves_a_document_that_is_another_s_by_now_leaves_it_alone(
    world: IngestWorld,
) -> None:
    world.upload("a.txt", TEXT)
    world.embedder.inject(Fault(kind=FaultKind.OUTAGE))
    turns = list[str]()

    def told(call: str) -> None:
        if call == "documents.put" and len(turns) < 3:
            turns.append(call)
            if len(turns) == 3:  # it is being left
                world.upload("a.txt", f"{TEXT} Again.")
                world.embedder.heal()
                assert world.look("a.txt") is None

    world.watch(told, "documents")
    assert world.look("a.txt") is not None
    assert world.document("a.txt").state is DocumentState.READY
    assert world.look("a.txt") is None


def test_a_document_that_others_write_all_the_time_is_left_when_time_is_up(
    world: IngestWorld,
) -> None:
    world.upload("a.txt", TEXT)
    here: Any = world
    here.documents = Failing(world.documents, "put", 10**9, False)
    world.compose()

    def told(call: str) -> None:
        if call == "uploads.seen":
            world.clock.move(300)

    world.watch(told, "uploads")
    with pytest.raises(Throttled):
        world.look("a.txt")


def test_a_reading_is_not_begun_with_too_little_time_left(world: IngestWorld) -> None:
    world.upload("a.txt", TEXT)
    place = UploadPlace(TENANT, NAMESPACE, "a.txt")
    assert world.ingesting.look(place, until=world.clock.monotonic() + 200) == 0.0
    assert world.reader.read_names == []
    assert world.look("a.txt") is None


def test_an_embedding_whose_time_is_up_is_gone_on_with_at_once(world: IngestWorld) -> None:
    world.upload("a.txt", TEXT)

    def told(call: str) -> None:
        if call == "vectors.held":
            world.clock.move(790)

    world.watch(told, "vectors")
    place = UploadPlace(TENANT, NAMESPACE, "a.txt")
    assert world.ingesting.look(place, until=world.clock.monotonic() + 700) == 0.0
    assert world.document("a.txt").attempt is not None


def test_a_ledger_names_what_was_purged_and_nobody_reads_it_again(world: IngestWorld) -> None:
    world.ingest("a.bin", b"\xff\xfe")
    world.clock.move(1)
    world.purges.purge(TENANT, NAMESPACE, by="key")
    assert world.unsearchable.retry(TENANT, NAMESPACE) == 0
    assert world.queue.sent == []


def test_an_attempt_that_another_has_overtaken_writes_nothing_more(world: IngestWorld) -> None:
    world.upload("a.txt", TEXT)
    turns = list[str]()

    def told(call: str) -> None:
        if call == "store.commit" and not turns:
            turns.append(call)
            world.upload("a.txt", f"{TEXT} Again.")
            world.embedder.inject(Fault(kind=FaultKind.OUTAGE))
            assert world.look("a.txt") is not None  # begun, and waiting

    world.watch(told, "store")
    assert world.look("a.txt") is None  # the other one's
    document = world.document("a.txt")
    assert document.state is DocumentState.PENDING
    assert not world.items(f"R#{document.id}.1.")


def test_the_ledger_forgets_chunks_with_their_generation(world: IngestWorld) -> None:
    world.embedder.inject(Fault(kind=FaultKind.ZERO, containing="topic3"))
    world.ingest("a.txt", TEXT)
    assert world.unsearchable.page(TENANT, NAMESPACE, limit=50).records
    world.ingest("a.txt", "short")
    world.clock.move(61)
    assert world.erase_documents() == 1
    page = world.unsearchable.page(TENANT, NAMESPACE, limit=50)
    assert (page.documents, page.records) == ((), ())
    assert not world.items("U#")
