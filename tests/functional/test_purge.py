"""Purge: one commit hides everything at once, a job erases it. F1, F2, E4."""

from datetime import timedelta
from typing import Any

import pytest

from palimpsest.domain.commit_planning import CommitRequest, Operation
from palimpsest.domain.commits import Clock
from palimpsest.domain.document_attempts import Worker, begun
from palimpsest.domain.errors import IdempotencyMismatch, NotFound, Throttled
from palimpsest.domain.idempotency import IdempotencyKey
from palimpsest.domain.jobs import Job, JobKind, JobStatus
from palimpsest.domain.ledger import LedgerEntry, Reason
from palimpsest.domain.queries import Mode
from palimpsest.domain.records import Content, Status
from palimpsest.domain.walks import Order, RecordsWanted
from palimpsest.services.ingest.document_files import text_prefix
from palimpsest.services.prove import ProofService
from quick_world import PARTITION, QuickWorld
from world import NAMESPACE, TENANT

TEXTS = {"a": "Ada keeps bees.", "b": "Ben bakes bread.", "c": "Cleo mends clocks."}
NOTHING = {
    "lexical": 0,
    "semantic": 0,
    "records": 0,
    "history": 0,
    "vectors": 0,
    "ledger": 0,
    "erasures": 0,
    "documents": 0,
    "marks": 0,
    "objects": 0,
}
KEY = IdempotencyKey("key", "request")
STAYS = ("CLOCK", "C#", "SYNC", "J#", "INDEX#", "K#")


def purge(world: QuickWorld, key: IdempotencyKey | None = None, namespace: str = NAMESPACE) -> Job:
    return world.purges.purge(TENANT, namespace, by="key", key=key)


def receipt(job: Job) -> dict[str, int]:
    assert job.status is JobStatus.SUCCEEDED
    assert job.result is not None
    return dict(job.result["receipt"])


@pytest.fixture
def full(quick: QuickWorld) -> QuickWorld:
    """A namespace with everything a namespace may have: revision 7."""
    quick.put_many(TEXTS)
    quick.put("a", "Ada sells honey.")
    quick.forget("c")
    quick.reconcile(1, {"a": "Ada sells honey.", "b": TEXTS["b"], "d": "Dan rows boats."})
    quick.put("e", "Eve plays chess.")
    quick.project()
    quick.put("b", "Ben bakes cakes.")
    pending = LedgerEntry("b", 6, Reason.PENDING, "", quick.clock.now())
    generation = quick.index.generation()
    quick.ledger.settle(TENANT, NAMESPACE, generation, add=[pending], clear={})
    quick.uploads.put(f"uploads/{TENANT}/{NAMESPACE}/doc.txt", b"a document")
    being_read(quick, "doc.txt")
    quick.clock.move(1)
    return quick


def being_read(world: QuickWorld, path: str) -> None:
    """Let somebody be at work on a document, some of whose text is kept already."""
    clock, _ = world.documents.read(TENANT, NAMESPACE, ())
    seen = world.uploads.seen(f"uploads/{TENANT}/{NAMESPACE}/{path}")
    document = begun(
        None,
        seen,
        Worker("worker", world.clock.now()),
        clock,
        namespace=NAMESPACE,
        path=path,
        granted=None,
        now=world.clock.now(),
    )
    assert world.documents.put(TENANT, document, writes=None)
    world.objects.put(f"{text_prefix(TENANT, NAMESPACE, document.id, 1)}text/000000.txt", b"text")


def is_hidden(world: QuickWorld, upto: int) -> None:
    """Nothing up to a revision can be read any more, whichever way."""
    wanted = RecordsWanted(status=None)
    listed = world.walks.records(TENANT, NAMESPACE, wanted, order=Order.NEWEST, limit=50)
    assert (listed.records, listed.floor) == ([], upto)
    feed = world.walks.changes(TENANT, NAMESPACE, since=0, limit=50)
    assert (feed.records, feed.floor) == ([], upto)
    for record_id in (*TEXTS, "d", "e"):
        with pytest.raises(NotFound):
            world.history.revisions(TENANT, NAMESPACE, record_id, limit=5)
        for revision in range(1, upto + 1):
            assert world.history.as_of(TENANT, NAMESPACE, record_id, revision) is None
    for mode in Mode:
        for text in (*TEXTS.values(), "Ben bakes cakes.", "Eve plays chess."):
            assert world.found(text, mode=mode) == []
    assert world.store.read(TENANT, NAMESPACE)[0].counts == dict.fromkeys(Status, 0)


def test_f1_a_purge_hides_everything_at_once_before_anything_is_erased(full: QuickWorld) -> None:
    job = purge(full)
    assert (job.kind, job.status, job.total) == (JobKind.PURGE, JobStatus.QUEUED, 5)
    assert full.starter.payloads == [
        {"kind": "purge", "tenant": TENANT, "job": job.id, "prepared": False}
    ]
    floor = full.store.read(TENANT, NAMESPACE)[0].floor
    assert floor == full.store.read(TENANT, NAMESPACE)[0].revision
    is_hidden(full, floor)
    full.project()
    is_hidden(full, floor)
    full.run_purge(job)
    is_hidden(full, floor)
    full.project(retry_pending=True)
    is_hidden(full, floor)


def test_f1_a_receipt_tells_what_a_new_look_at_every_place_finds(full: QuickWorld) -> None:
    job = purge(full)
    remains = full.erasure.remains(TENANT, NAMESPACE, floor=7)
    assert all(remains.values()), remains
    full.purge_jobs.finish(full.job(job))  # before index and objects have been looked after
    found = receipt(full.job(job))
    assert {place for place, count in found.items() if count} == {"lexical", "semantic", "objects"}
    again = purge(full)
    assert receipt(full.run_purge(again)) == NOTHING
    assert full.job(again).result == {"receipt": NOTHING, "revision": 8}
    left = full.items()
    assert all(sk.startswith(STAYS) for sk in left)
    assert not any(text in str(left) for text in ("bees", "bakes", "Eve", "honey"))
    assert list(full.objects.keys("")) == list(full.uploads.keys("")) == []
    assert all(state.tombstone for state in full.index.walk(PARTITION))


def test_f2_a_purged_namespace_goes_on_with_its_clock_and_its_ids_may_be_used_again(
    full: QuickWorld,
) -> None:
    full.run_purge(purge(full))
    before = full.store.read(TENANT, NAMESPACE)[0].revision
    assert full.put("a", TEXTS["a"], guard=0) == before + 1
    full.project()
    for mode in (Mode.LEXICAL, Mode.SEMANTIC):
        assert full.found(TEXTS["a"], mode=mode) == ["a"]
    page = full.history.revisions(TENANT, NAMESPACE, "a", limit=5)
    assert [record.revision for record in page.records] == [before + 1]
    assert full.items("H#") == {}
    report = full.reconcile(2, {"b": TEXTS["b"]})
    assert (report.added, report.removed, report.verified) == (1, 1, True)


def test_f2_an_id_is_used_again_before_its_old_traces_are_erased(full: QuickWorld) -> None:
    job = purge(full)
    full.put("a", "Ada flies kites.", guard=0)
    assert full.items("H#a#00000000000000000002") == {}
    assert full.found("Ada sells honey.", mode=Mode.LEXICAL) == []
    full.project()
    assert receipt(full.run_purge(job)) == NOTHING
    assert full.active() == {"a": "Ada flies kites."}
    assert [sk.split("#")[1] for sk in full.items("V#")] == ["a"]
    assert full.found("kites", mode=Mode.LEXICAL) == ["a"]
    proof = ProofService(store=full.store, ledger=full.ledger)
    assert proof.prove(TENANT, NAMESPACE, full.index).equal


def state_of(world: QuickWorld, tenant: str, namespace: str) -> Any:
    """All there is of a namespace: items, entries and objects."""
    partition = f"{tenant}#{namespace}"
    return (
        world.items(pk=partition),
        list(world.index.walk(partition)),
        [
            (state.id, world.index.legs(partition, state.id))
            for state in world.index.walk(partition)
        ],
        [key for key in world.objects.keys("") if f"/{tenant}/{namespace}/" in key],
        [key for key, _ in world.uploads.keys("") if f"/{tenant}/{namespace}/" in key],
    )


def test_e4_a_purge_leaves_every_other_namespace_and_tenant_as_it_was(full: QuickWorld) -> None:
    others = [(TENANT, "notes2"), (TENANT, "note"), ("acme2", NAMESPACE), ("acm", NAMESPACE)]
    for tenant, namespace in others:
        beside = QuickWorld(beside=full)
        for record_id, text in TEXTS.items():
            put_as(beside, tenant, namespace, record_id, text)
            put_as(beside, tenant, namespace, record_id, f"{text} Again.")
        full.projection.project(tenant, namespace)
        full.uploads.put(f"uploads/{tenant}/{namespace}/doc.txt", b"a document")
        full.objects.put(f"work/{tenant}/{namespace}/reconcile-1/list.jsonl", b"a list")
    before = [state_of(full, *other) for other in others]
    assert receipt(full.run_purge(purge(full))) == NOTHING
    assert [state_of(full, *other) for other in others] == before
    assert all(len(state[1]) == 3 for state in before)


def put_as(world: QuickWorld, tenant: str, namespace: str, record_id: str, text: str) -> None:
    operation = Operation(id=record_id, content=Content(text=text))
    world.commits.commit(
        CommitRequest(tenant=tenant, namespace=namespace, operations=[operation], by="key")
    )


def test_a_namespace_that_was_never_used_can_be_purged(quick: QuickWorld) -> None:
    job = quick.run_purge(purge(quick, namespace="empty"))
    assert (receipt(job), job.total) == (NOTHING, 0)
    assert quick.store.read(TENANT, "empty")[0].floor == 1
    assert (TENANT, "empty") in list(quick.store.namespaces())


def test_uploads_of_a_namespace_go_under_the_name_that_their_keys_have(quick: QuickWorld) -> None:
    keys = ["uploads/acme/u%40x/a", "uploads/acme/u@x/a", "uploads/acme/u%40x2/a"]
    for key in keys:
        quick.uploads.put(key, b"a document")
    quick.clock.move(1)
    assert receipt(quick.run_purge(purge(quick, namespace="u@x")))["objects"] == 0
    assert [key for key, _ in quick.uploads.keys("")] == sorted(keys[1:])


def test_a_namespace_can_be_purged_twice(full: QuickWorld) -> None:
    first = purge(full)
    full.put("a", TEXTS["a"])
    second = purge(full)
    assert full.job(second).total == 1
    assert (receipt(full.run_purge(second)), receipt(full.run_purge(first))) == (NOTHING, NOTHING)
    assert full.active() == {}
    third = full.run_purge(purge(full))
    assert (receipt(third), third.total) == (NOTHING, 0)


def test_d7_a_purge_that_comes_again_under_its_key_is_the_same_job(full: QuickWorld) -> None:
    job = purge(full, KEY)
    before = full.store.read(TENANT, NAMESPACE)[0].revision
    full.put("new", "Written after the purge.")
    assert purge(full, KEY) == job
    assert [told["job"] for told in full.starter.payloads] == [job.id, job.id]
    full.run_purge(job)
    assert purge(full, KEY).status is JobStatus.SUCCEEDED
    assert len(full.starter.payloads) == 2  # one that has ended is not started again
    assert full.active() == {"new": "Written after the purge."}
    assert full.store.read(TENANT, NAMESPACE)[0].revision == before + 1
    assert purge(full, IdempotencyKey("other", "request")).id != job.id
    with pytest.raises(IdempotencyMismatch):
        purge(full, IdempotencyKey("key", "another request"))


def test_a_key_of_a_purge_is_forgotten_after_a_day(full: QuickWorld) -> None:
    job = purge(full, KEY)
    full.clock.move(timedelta(hours=24).total_seconds() - 1)
    assert purge(full, KEY).id == job.id
    full.clock.move(1)
    assert purge(full, KEY).id != job.id


class Busy:
    """A table whose clock another writer moves just before each of the first commits."""

    def __init__(self, store: Any, rival: QuickWorld, times: int) -> None:
        self._store, self._rival, self._times = store, rival, times

    def commit(self, plan: Any) -> bool:
        if self._times:
            self._times -= 1
            self._rival.put("rival", f"Writing, {self._times} to go.")
        return bool(self._store.commit(plan))

    def __getattr__(self, name: str) -> Any:
        return getattr(self._store, name)


def test_a_purge_goes_on_trying_where_others_write(full: QuickWorld) -> None:
    busy: Any = Busy(full.store, QuickWorld(beside=full), 5)
    full.store = busy
    full.compose()
    purge(full, KEY)
    is_hidden(full, full.store.read(TENANT, NAMESPACE)[0].revision)


def test_a_purge_gives_up_where_others_never_stop_and_has_done_nothing(full: QuickWorld) -> None:
    busy: Any = Busy(full.store, QuickWorld(beside=full), 10_000)
    full.store = busy
    full.compose()
    begun = full.clock.monotonic()
    with pytest.raises(Throttled):
        purge(full)
    assert 14 <= full.clock.monotonic() - begun < 14 + 1.6
    assert full.store.read(TENANT, NAMESPACE)[0].floor == 0
    assert full.starter.payloads == []


def test_a_purge_that_cannot_be_seen_yet_is_known_by_its_job(full: QuickWorld) -> None:
    job, store = purge(full), full.store
    left: list[Any] = [(Clock(counts=dict.fromkeys(Status, 0)), {})]

    class Late:
        def read(self, *arguments: Any) -> Any:
            return left.pop() if left else store.read(*arguments)

        def __getattr__(self, name: str) -> Any:
            return getattr(store, name)

    late: Any = Late()
    full.store = late
    full.compose()
    assert receipt(full.run_purge(job)) == NOTHING
    assert not left
