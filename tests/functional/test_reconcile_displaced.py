"""Two passes at once do not mix: the later to begin stands exactly, the other ends as stale,
whatever the moment at which it is overtaken."""

from collections.abc import Callable
from types import SimpleNamespace

import pytest

from palimpsest.adapters.dynamodb import fences
from palimpsest.domain.pass_report import PassReport
from palimpsest.services.prove import ProofService
from quick_world import QuickWorld
from reconcile_world import desired
from world import NAMESPACE, TENANT

OLD = {"a": "Ada keeps bees.", "b": "Ben bakes bread.", "c": "Cleo mends clocks."}
FIRST = {"a": OLD["a"], "b": "Ben bakes cakes.", "d": "Dan rows boats."}
SECOND = {"a": "Ada sells honey.", "b": OLD["b"], "e": "Eve plays chess."}

Told = dict[str, object]
Doing = Callable[[QuickWorld, int], Told]


def at_once(world: QuickWorld, revision: int) -> Told:
    return world.reconcile(revision, FIRST).to_json()


def as_job(world: QuickWorld, revision: int) -> Told:
    done = world.passes.reconcile(world.request(revision), desired(FIRST), job=True)
    if isinstance(done, PassReport):
        return done.to_json()
    result = world.run(done).result
    assert result is not None
    return dict(result)


def overtaken(
    doing: Doing, first: int, second: int, *, at: int
) -> tuple[QuickWorld, Told, PassReport | None, list[str]]:
    """A pass, before whose call of that number another one begins and ends."""
    world = QuickWorld()
    world.reconcile(0, OLD)
    other, calls, reports = QuickWorld(beside=world), list[str](), list[PassReport]()

    def told(call: str) -> None:
        calls.append(call)
        if len(calls) == at:
            reports.append(other.reconcile(second, SECOND))

    world.watch(told)
    report = doing(world, first)
    return other, report, reports[0] if reports else None, calls


@pytest.mark.parametrize(
    ("doing", "first", "second"),
    [(at_once, 5, 5), (at_once, 5, 6), (at_once, 0, 0), (at_once, 5, 0), (as_job, 5, 5)],
)
def test_a_pass_that_is_overtaken_at_any_call_cannot_write_anything_more(
    doing: Doing, first: int, second: int
) -> None:
    n, begun, finished = 0, 0, 0
    while True:
        n += 1
        world, told, report, calls = overtaken(doing, first, second, at=n)
        if report is None:
            break
        call = calls[n - 1]
        begun = begun or (n if call == "fences.begin" else 0)
        finished = finished or (n if call == "fences.finish" else 0)
        later = (not begun or n == begun) and second <= first
        assert (report.applied, report.verified, report.newer) == (True, True, 0), (n, call)
        if later:  # it is the first one that began last
            assert world.active() == FIRST, (n, call)
            assert (told["applied"], told["verified"]) == (True, True), (n, call)
            continue
        assert world.active() == SECOND, (n, call)
        assert world.store.read(TENANT, NAMESPACE)[0].revision == report.revision, (n, call)
        assert told["applied"] is (finished > 0 and n > finished), (n, call)
        if not told["applied"]:
            assert (told["reason"], told["newest"]) == ("stale", max(first, second)), (n, call)
        proof = ProofService(store=world.store, ledger=world.ledger)
        assert proof.prove(TENANT, NAMESPACE, world.index).equal, (n, call)
    assert 0 < begun < finished
    assert (world.active(), told["verified"]) == (FIRST, True)


def test_an_older_pass_that_begins_meanwhile_is_stale_and_disturbs_nothing() -> None:
    for at in (2, 9, 15):
        world, told, report, _ = overtaken(at_once, 5, 4, at=at)
        assert report is not None
        assert (report.applied, report.reason, report.newest) == (False, "stale", 5)
        assert (world.active(), told["verified"], told["newer"]) == (FIRST, True, 0)


@pytest.mark.parametrize("seed", range(40))
def test_what_is_seen_late_of_a_displaced_pass_is_not_taken_for_a_clients_write(
    seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    world = QuickWorld(seed)
    monkeypatch.setattr(fences, "time", SimpleNamespace(sleep=world.clock.move))
    world.reconcile(0, OLD)
    other, reports = QuickWorld(beside=world), list[PassReport]()
    world.quick.transactions.late = True

    def told(_: str) -> None:
        world.quick.transactions.late = False  # of the second pass, whose answers all come
        reports.append(other.reconcile(5, SECOND))

    world.watch(lambda call: told(call) if call == "fences.finish" else None, "fences")
    report = world.reconcile(5, FIRST)
    assert (report.applied, reports[0].newer, reports[0].verified) == (False, 0, True)
    assert world.active() == SECOND
    assert other.reconcile(5, SECOND).unchanged == len(SECOND)
