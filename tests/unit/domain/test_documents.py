"""Documents: ids, generations, and the next step towards what their objects are."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from palimpsest.domain.commits import Clock
from palimpsest.domain.document_attempts import Granted, Worker, begun, left, resumed
from palimpsest.domain.document_steps import MAX_TRIES, Step, next_step
from palimpsest.domain.documents import (
    ChunkKey,
    Document,
    DocumentState,
    Generation,
    ObjectVersion,
    document_id,
    is_there,
)
from palimpsest.domain.names import record_id_fault

NOW = datetime(2026, 6, 1, 12, tzinfo=UTC)
LEASE = NOW + timedelta(minutes=5)
SEEN = ObjectVersion(version="v1", etag='"e"', bytes=3, modified=NOW)
OTHER = replace(SEEN, version="v2")
CLOCK = Clock(revision=7)


def attempted(document: Document | None = None, clock: Clock = CLOCK) -> Document:
    return begun(
        document,
        SEEN,
        Worker("w", LEASE),
        clock,
        namespace="notes",
        path="a.txt",
        granted=None,
        now=NOW,
    )


def settled(state: DocumentState = DocumentState.READY) -> Document:
    return replace(attempted(), state=state, attempt=None)


@given(st.text(min_size=1, max_size=100))
def test_an_id_is_the_path_s_alone_and_no_client_s(path: str) -> None:
    its_id = document_id(path)
    assert its_id == document_id(path)
    assert its_id != document_id(path + "x")
    assert record_id_fault(its_id, writing=False) is None
    assert record_id_fault(its_id, writing=True) is not None
    assert ChunkKey.of(its_id) is None


@given(st.integers(1, 10**9), st.integers(0, 10**7))
def test_a_chunk_s_id_tells_document_generation_and_ordinal(generation: int, ordinal: int) -> None:
    key = ChunkKey(document_id("a"), generation, ordinal)
    assert ChunkKey.of(str(key)) == key
    assert record_id_fault(str(key), writing=False) is None


@pytest.mark.parametrize(
    "record_id", ["a", "doc_x.1", "doc_.1.000000", "doc_x.1.00000", "xdoc_a.1.000000"]
)
def test_other_ids_are_no_chunk_s(record_id: str) -> None:
    assert ChunkKey.of(record_id) is None


def test_the_current_generation_is_the_one_that_has_begun_and_not_ended() -> None:
    former, current = Generation(number=1, since=2, until=5), Generation(number=2, since=5)
    document = replace(settled(), generations=(former, current, Generation(number=3)))
    assert document.current == current
    assert document.generation(1) == former
    assert document.generation(9) is None
    assert document.without_generation(2).current is None
    again = replace(current, chunks=4)
    changed = document.with_generation(again)
    assert (changed.current, len(changed.generations)) == (again, 3)


def test_there_is_what_was_neither_deleted_nor_purged() -> None:
    assert is_there(settled(), floor=7)
    assert not is_there(settled(), floor=8)
    assert not is_there(settled(DocumentState.DELETED), floor=0)
    assert not is_there(None, floor=0)


@pytest.mark.parametrize(
    ("document", "seen", "step"),
    [
        (None, None, Step.NOTHING),
        (None, SEEN, Step.BEGIN),
        (settled(), SEEN, Step.NOTHING),
        (settled(DocumentState.FAILED), SEEN, Step.NOTHING),
        (settled(), OTHER, Step.BEGIN),
        (settled(), None, Step.FORGET),
        (attempted(), None, Step.FORGET),
        (attempted(), SEEN, Step.NOTHING),
        (attempted(), OTHER, Step.BEGIN),
        (replace(attempted(), attempt=None), SEEN, Step.BEGIN),
        (replace(attempted(), object=None), SEEN, Step.BEGIN),
        (settled(DocumentState.DELETED), SEEN, Step.NOTHING),
        (settled(DocumentState.DELETED), OTHER, Step.BEGIN),
        (settled(DocumentState.DELETED), None, Step.NOTHING),
        (replace(settled(DocumentState.DELETED), object=None), SEEN, Step.BEGIN),
    ],
)
def test_the_object_as_it_is_now_decides(
    document: Document | None, seen: ObjectVersion | None, step: Step
) -> None:
    assert next_step(document, seen, CLOCK, now=NOW) is step


def test_what_is_the_same_is_read_again_on_request_alone() -> None:
    assert next_step(settled(), SEEN, CLOCK, now=NOW, again=True) is Step.BEGIN
    assert next_step(attempted(), SEEN, CLOCK, now=NOW, again=True) is Step.NOTHING


def test_an_attempt_is_taken_up_when_its_lease_is_over_and_given_up_after_some_tries() -> None:
    document = attempted()
    assert next_step(document, SEEN, CLOCK, now=LEASE) is Step.RESUME
    for _ in range(MAX_TRIES - 1):
        assert document.attempt is not None
        document = resumed(document, document.attempt, Worker("x", LEASE), now=NOW)
    assert next_step(document, SEEN, CLOCK, now=LEASE) is Step.GIVE_UP
    assert document.attempt is not None
    waiting = left(document, document.attempt, until=NOW, now=NOW)
    assert waiting.state is DocumentState.PENDING
    assert next_step(waiting, SEEN, CLOCK, now=NOW) is Step.RESUME


def test_e4_what_is_from_before_a_purge_is_not_read_again_and_what_comes_after_is() -> None:
    purged = Clock(revision=9, floor=9, purged_at=NOW + timedelta(seconds=3, milliseconds=500))
    assert next_step(settled(), SEEN, purged, now=NOW) is Step.NOTHING
    assert next_step(settled(DocumentState.DELETED), SEEN, purged, now=NOW) is Step.NOTHING
    later = replace(SEEN, modified=NOW + timedelta(seconds=3))  # S3 tells whole seconds
    assert next_step(settled(), later, purged, now=NOW) is Step.BEGIN
    assert next_step(settled(), None, purged, now=NOW) is Step.NOTHING


def test_what_was_told_of_a_document_stays_until_something_else_is_told() -> None:
    told = Granted(metadata={"team": "blue"}, event_time=NOW)
    first = begun(
        None,
        SEEN,
        Worker("w", LEASE),
        CLOCK,
        namespace="notes",
        path="a.txt",
        granted=told,
        now=NOW,
    )
    second = attempted(replace(first, title="Old", created_at=NOW - timedelta(days=1)))
    assert (second.metadata, second.event_time) == (told.metadata, NOW)
    assert second.created_at == NOW - timedelta(days=1)
    assert (second.last_generation, second.writes) == (2, first.writes + 1)
    after_deletion = attempted(replace(first, state=DocumentState.DELETED))
    assert (after_deletion.metadata, after_deletion.created_at) == ({}, NOW)
    after_purge = attempted(first, Clock(revision=9, floor=8))
    assert (after_purge.metadata, len(after_purge.generations)) == ({}, 1)
    assert after_purge.last_generation == 2
