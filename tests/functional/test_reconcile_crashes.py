"""A job is killed at any call of any port, and its machine takes the step again: the end is the
same. H4: nothing is embedded more often than the crash makes it."""

import json
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest

from functional.repeating_machine import Killed, RepeatingMachine
from palimpsest.domain.jobs import Job, JobStatus
from palimpsest.services.prove import ProofService
from palimpsest.services.reconciling import planning
from quick_world import QuickWorld
from world import NAMESPACE, TENANT

OLD = {"a": "Ada keeps bees.", "b": "Ben bakes bread.", "c": "Cleo mends clocks."}
NEW = {
    "a": OLD["a"],
    "b": "Ben bakes cakes.",
    "d": "Dan rows boats.",
    "e": "Eve plays chess.",
    "f": "Fay writes odes.",
}
LIST = "lists/acme/given.jsonl"
Begin = Callable[[QuickWorld], Job]


@dataclass(slots=True)
class Killer:
    """Kills at the calls of these numbers."""

    at: tuple[int, ...]
    calls: int = 0

    def told(self, _: str) -> None:
        self.calls += 1
        if self.calls in self.at:
            raise Killed


def inline(world: QuickWorld) -> Job:
    return world.begun(2, NEW)


def from_an_object(world: QuickWorld) -> Job:
    lines = [json.dumps({"id": i, "text": text}) for i, text in NEW.items()]
    world.objects.put(LIST, "\n".join(lines).encode())
    job = world.passes.read_later(world.request(2), LIST, dry_run=False)
    assert isinstance(job, Job)
    return job


def killed(begin: Begin, *at: int) -> tuple[QuickWorld, Job, int]:
    """A job that is killed at these calls: the world, the ended job, how many calls it took."""
    world = QuickWorld()
    world.reconcile(1, OLD)
    job, seen = begin(world), QuickWorld(beside=world)
    killer = Killer(at)
    world.watch(killer.told)
    return seen, RepeatingMachine(world).run(job), killer.calls


@pytest.fixture
def small_pages(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(planning, "PAGE_CHANGES", 2)


@pytest.mark.usefixtures("small_pages")
@pytest.mark.parametrize("begin", [inline, from_an_object])
@pytest.mark.parametrize("again", [(), (9,)])
def test_h4_a_job_that_is_killed_at_any_call_ends_as_if_it_had_not_been(
    begin: Begin, again: tuple[int, ...]
) -> None:
    n = 0
    while True:
        n += 1
        world, job, calls = killed(begin, n, *(n + later for later in again))
        assert job.status is JobStatus.SUCCEEDED, n
        assert world.active() == NEW, n
        report: Any = job.result
        told = {kind: report[kind] for kind in ("added", "updated", "removed", "unchanged")}
        assert told == {"added": 3, "updated": 1, "removed": 1, "unchanged": 1}, n
        assert (report["embedded"], report["reused_vectors"], report["newer"]) == (4, 0, 0), n
        assert (report["applied"], report["verified"], report["failed"]) == (True, True, []), n
        assert (job.done, job.total) == (5, 5), n
        texts = Counter(text for call in world.embedder.calls for text in call)
        assert all(texts[text] in range(1, 3 + len(again)) for text in NEW.values()), n
        assert list(world.objects.keys("work/")) == [], n
        proof = ProofService(store=world.store, ledger=world.ledger)
        assert proof.prove(TENANT, NAMESPACE, world.index).equal, n
        if n > calls:
            break
    assert set(texts.values()) == {1}
    assert calls > 60


@pytest.mark.usefixtures("small_pages")
def test_a_request_that_is_killed_at_any_call_may_be_sent_again() -> None:
    n, calls = 0, 1
    while n < calls:
        n += 1
        world = QuickWorld()
        world.reconcile(1, OLD)
        seen, killer = QuickWorld(beside=world), Killer((n,))
        world.watch(killer.told)
        report = RepeatingMachine(world).again(lambda: world.reconcile(2, NEW))  # noqa: B023
        calls = killer.calls
        assert (seen.active(), report.applied, report.verified) == (NEW, True, True), n
        assert report.added + report.updated + report.removed + report.unchanged <= 6, n
    assert n > 20
