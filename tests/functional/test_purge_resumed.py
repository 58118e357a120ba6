"""The job of a purge is killed at any call, and meets clients and passes at any moment. F1, F8."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from functional.repeating_machine import Killed, RepeatingMachine
from palimpsest.adapters.memory import MemoryIndex
from palimpsest.domain.errors import NotFound
from palimpsest.domain.jobs import Job, JobStatus
from palimpsest.domain.ledger import LedgerEntry, Reason
from palimpsest.domain.pass_report import PassReport
from palimpsest.domain.queries import Mode
from palimpsest.services import purge_steps
from palimpsest.services.project import entry_of
from palimpsest.services.prove import ProofService
from palimpsest.services.reconciling import planning
from quick_world import PARTITION, QuickWorld
from reconcile_world import LATER, desired, facts
from world import NAMESPACE, TENANT

TEXTS = {"a": "Ada keeps bees.", "b": "Ben bakes bread.", "c": "Cleo mends clocks."}
LISTED = {"a": "Ada sells honey.", "d": "Dan rows boats.", "e": "Eve plays chess."}
WORDS = ("bees", "bakes", "clocks", "honey", "boats", "chess")


class OneByOne:
    """Objects that are erased key by key, as in a bucket, each of which is a call."""

    def __init__(self, objects: Any, told: Callable[[str], None]) -> None:
        self._objects, self._told = objects, told

    def erase(self, prefix: str) -> int:
        erased = 0
        for key in list(self._objects.keys(prefix)):
            self._told("objects.erase one")
            erased += self._objects.erase(key)
        return erased

    def __getattr__(self, name: str) -> Any:
        return getattr(self._objects, name)


def purge(world: QuickWorld) -> Job:
    return world.purges.purge(TENANT, NAMESPACE, by="key")


def fill(world: QuickWorld) -> None:
    """Records, history, vectors, tombstones, ledger entries, and a pass that is a job."""
    world.put_many(TEXTS)
    world.put("a", "Ada sells honey.")
    world.forget("c")
    world.project()
    pending = LedgerEntry("b", 1, Reason.PENDING, "", world.clock.now())
    world.ledger.settle(TENANT, NAMESPACE, world.index.generation(), add=[pending], clear={})
    world.uploads.put(f"uploads/{TENANT}/{NAMESPACE}/doc.txt", b"a document")
    world.clock.move(1)
    begun = world.begun(1, LISTED)
    pages, _ = world.pass_jobs.plan(world.job(begun))
    for page in pages:
        world.pass_jobs.prepare(world.job(begun), page, until=LATER)


def nothing_is_left(world: QuickWorld) -> bool:
    left = str(world.items()) + str([*world.objects.keys(""), *world.uploads.keys("")])
    hidden = all(state.tombstone for state in world.index.walk(PARTITION))
    return hidden and not any(word in left for word in WORDS) and "doc.txt" not in left


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(purge_steps, "WRITE_BATCH", 2)
    monkeypatch.setattr(purge_steps, "ERASE_BATCH", 3)
    monkeypatch.setattr(planning, "PAGE_CHANGES", 2)


@pytest.mark.usefixtures("small")
def test_f8_a_purge_that_is_killed_at_any_call_ends_as_if_it_had_not_been() -> None:
    n, calls = 0, 1
    while n < calls:
        n += 1
        world, counted = QuickWorld(), [0]
        fill(world)
        job, seen = purge(world), QuickWorld(beside=world)

        def told(_: str, at: int = n, counted: list[int] = counted) -> None:
            counted[0] += 1
            if counted[0] == at:
                raise Killed

        world.objects = OneByOne(world.objects, told)
        world.watch(told)
        ended = RepeatingMachine(world).purge(seen.job(job))
        calls = counted[0]
        assert ended.status is JobStatus.SUCCEEDED, n
        assert ended.result is not None
        assert set(ended.result["receipt"].values()) == {0}, (n, ended.result)
        assert nothing_is_left(seen), n
    assert n > 20


@pytest.mark.usefixtures("small")
def test_what_clients_write_while_it_erases_stays_with_its_vectors() -> None:
    """At each call: an old id with its old text, an old id with another, and a new id."""
    n, calls = 0, 1
    theirs = {"a": "Ada sells honey.", "b": "Ben flies kites.", "new": "Gus digs wells."}
    while n < calls:
        n += 1
        world, counted = QuickWorld(), [0]
        fill(world)
        job, client = purge(world), QuickWorld(beside=world)

        def told(
            _: str, at: int = n, counted: list[int] = counted, client: QuickWorld = client
        ) -> None:
            counted[0] += 1
            if counted[0] == at:
                client.put_many(theirs)
                client.project()

        world.watch(told)
        ended = world.run_purge(client.job(job))
        calls = counted[0]
        assert ended.result is not None
        assert set(ended.result["receipt"].values()) == {0}, (n, ended.result)
        if n > calls:
            break
        assert client.active() == theirs, n
        assert sorted(sk.split("#")[1] for sk in client.items("V#")) == sorted(theirs), n
        for record_id, text in theirs.items():
            for mode in (Mode.LEXICAL, Mode.SEMANTIC):
                assert client.found(text, mode=mode)[0] == record_id, n
        proof = ProofService(store=client.store, ledger=client.ledger)
        assert proof.prove(TENANT, NAMESPACE, client.index).equal, n
    assert n > 20


def at_once(world: QuickWorld) -> dict[str, Any]:
    return world.reconcile(5, LISTED).to_json()


def as_job(world: QuickWorld) -> dict[str, Any]:
    done = world.passes.reconcile(world.request(5), desired(LISTED), job=True)
    if isinstance(done, PassReport):
        return done.to_json()
    result = RepeatingMachine(world, (NotFound,)).run(done).result
    assert result is not None
    return dict(result)


@pytest.mark.usefixtures("small")
@pytest.mark.parametrize("doing", [at_once, as_job])
@pytest.mark.parametrize("erased", [False, True])
def test_f1_a_purge_at_any_call_of_a_pass_ends_the_pass_and_nothing_of_it_is_left(
    doing: Callable[[QuickWorld], dict[str, Any]], *, erased: bool
) -> None:
    n, begun, finished = 0, 0, 0
    while True:
        n += 1
        world = QuickWorld()
        world.put_many(TEXTS)
        other, calls, jobs = QuickWorld(beside=world), list[str](), list[Job]()

        def told(
            call: str,
            at: int = n,
            calls: list[str] = calls,
            jobs: list[Job] = jobs,
            other: QuickWorld = other,
        ) -> None:
            calls.append(call)
            if len(calls) == at:
                jobs.append(purge(other))
                if erased:
                    other.run_purge(jobs[0])

        world.watch(told)
        report = doing(world)
        if not jobs:
            break
        call = calls[n - 1]
        begun = begun or (n if call == "fences.begin" else 0)
        finished = finished or (n if call == "fences.finish" else 0)
        other.run_purge(jobs[0])
        if not begun or n == begun:  # the pass began after the purge
            assert (report["applied"], other.active()) == (True, LISTED), (n, call)
            continue
        assert other.active() == {}, (n, call)
        whole = finished > 0 and n > finished  # what it had to read again may be erased
        assert report["applied"] is whole or (whole and erased), (n, call)
        assert report["applied"] or report["reason"] == "stale", (n, call)
        other.project()
        assert nothing_is_left(other), (n, call)
        proof = ProofService(store=other.store, ledger=other.ledger)
        assert proof.prove(TENANT, NAMESPACE, other.index).equal, (n, call)
    assert 0 < begun < finished


def test_a_job_whose_files_a_purge_has_erased_ends_as_stale(quick: QuickWorld) -> None:
    job = quick.begun(5, LISTED)
    quick.pass_jobs.plan(quick.job(job))
    quick.run_purge(purge(quick))
    assert list(quick.objects.keys("")) == []
    for _ in range(2):
        assert quick.pass_jobs.plan(quick.job(job)) == ([], False)
        quick.pass_jobs.prepare(quick.job(job), 0, until=LATER)
        assert quick.pass_jobs.apply(quick.job(job), until=LATER)
        assert quick.pass_jobs.verify(quick.job(job), until=LATER)
        quick.pass_jobs.finish(quick.job(job))
    ended = quick.job(job)
    assert ended.status is JobStatus.SUCCEEDED
    assert ended.result is not None
    assert (ended.result["applied"], ended.result["reason"], ended.result["newest"]) == (
        False,
        "stale",
        5,
    )
    assert (ended.result["revision"], quick.active()) == (1, {})


def test_a_purge_leaves_the_files_of_passes_that_begin_after_it(quick: QuickWorld) -> None:
    quick.put_many(TEXTS)
    dry, purging = quick.begun(5, LISTED, dry_run=True), purge(quick)
    passing = quick.begun(5, LISTED)
    ended = quick.run_purge(purging)
    assert ended.result is not None
    assert ended.result["receipt"]["objects"] == 0
    told, done = quick.run(dry).result, quick.run(passing).result
    assert told is not None
    assert done is not None
    assert (told["added"], done["added"], done["verified"]) == (3, 3, True)
    assert quick.active() == LISTED


def test_f8_a_purge_of_many_records_goes_on_where_its_time_ended(
    quick: QuickWorld, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(purge_steps, "ERASE_BATCH", 100)
    quick.put_many(facts(300))
    quick.project()
    job, left = purge(quick), list[int]()
    while not quick.purge_jobs.erase(quick.job(job), until=quick.clock.monotonic()):
        left.append(len(quick.items("R#")) + len(quick.items("V#")))
        assert quick.job(job).status is JobStatus.RUNNING
        assert quick.job(job).done == 100
    assert left == [500, 400, 300, 200, 100, 0]
    quick.purge_jobs.finish(quick.job(job))
    ended = quick.job(job)
    assert (ended.status, ended.done, ended.total) == (JobStatus.SUCCEEDED, 300, 300)
    assert nothing_is_left(quick)


def test_no_step_does_anything_to_a_purge_that_has_ended(quick: QuickWorld) -> None:
    ended = quick.run_purge(purge(quick))
    quick.put("a", TEXTS["a"])
    before = quick.items()
    assert quick.purge_jobs.erase(ended, until=LATER)
    quick.purge_jobs.finish(ended)
    assert quick.items() == before


def test_every_generation_of_the_index_is_emptied(quick: QuickWorld) -> None:
    quick.put_many(TEXTS)
    quick.project()
    clock, records = quick.store.read(TENANT, NAMESPACE, list(TEXTS))
    beside = MemoryIndex(fingerprint="another:1")
    beside.write([entry_of(PARTITION, record, clock, None) for record in records.values()])
    both = [quick.index, beside]
    quick.purge_jobs = replace(quick.purge_jobs, indexes=lambda: both)
    job = purge(quick)
    assert sum(not state.tombstone for state in beside.walk(PARTITION)) == 3
    ended = quick.run_purge(job)
    assert ended.result is not None
    assert set(ended.result["receipt"].values()) == {0}
    assert all(state.tombstone for index in both for state in index.walk(PARTITION))
