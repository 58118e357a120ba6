"""Clients go on writing while a pass runs: what they write after it began stands, whatever the
moment. D2: and searches never miss what stays valid."""

from collections.abc import Callable

import pytest

from palimpsest.domain.commit_planning import Operation
from palimpsest.domain.pass_report import PassReport
from palimpsest.domain.queries import Mode
from palimpsest.domain.records import Content
from palimpsest.services.prove import ProofService
from quick_world import QuickWorld
from world import NAMESPACE, TENANT

OLD = {"kept": "Ada keeps bees.", "changed": "Ben bakes bread.", "left": "Cleo mends clocks."}
NEW = {"kept": OLD["kept"], "changed": "Ben bakes cakes.", "new": "Eve plays chess."}
THEIRS = {name: f"A client wrote {name}." for name in ("kept", "changed", "left", "new", "own")}

Write = Callable[[QuickWorld], object]


def write_all(world: QuickWorld) -> None:
    world.commit(*(Operation(id=i, content=Content(text=text)) for i, text in THEIRS.items()))


def passed(meanwhile: Write, *, at: int | str) -> tuple[QuickWorld, PassReport, list[str]]:
    """A pass, with something done before its call of that number, or before the first of that
    name: the world, the report, and the calls."""
    world = QuickWorld()
    world.reconcile(1, OLD)
    client, calls = QuickWorld(beside=world), list[str]()

    def told(call: str) -> None:
        calls.append(call)
        if at in (len(calls), call):
            if isinstance(at, str) and calls.count(at) > 1:
                return
            meanwhile(client)

    world.watch(told)
    report = world.reconcile(2, NEW)
    return client, report, calls


def is_in_line(world: QuickWorld) -> bool:
    world.project()
    return (
        ProofService(store=world.store, ledger=world.ledger)
        .prove(TENANT, NAMESPACE, world.index)
        .equal
    )


def test_a_clients_write_stands_from_the_moment_the_pass_has_begun_and_never_before() -> None:
    n, begun = 0, 0
    while True:
        n += 1
        world, report, calls = passed(write_all, at=n)
        if n > len(calls):
            break
        begun = begun or (n if calls[n - 1] == "fences.settled" else 0)
        before = not begun or n == begun
        assert world.active() == (NEW if before else THEIRS), (n, calls[n - 1])
        assert (report.applied, report.verified) == (True, True), (n, calls[n - 1])
        assert 0 <= report.newer <= (0 if before else 5), (n, calls[n - 1])
        assert is_in_line(world)
    assert begun
    assert (world.active(), report.newer) == (NEW, 0)


def test_what_clients_change_before_it_is_planned_is_counted_as_theirs() -> None:
    _, report, _ = passed(write_all, at="scan.standing")
    assert (report.newer, report.unchanged) == (5, 0)
    assert (report.added, report.updated, report.removed) == (0, 0, 0)


def test_what_clients_change_between_plan_and_commit_is_counted_as_theirs() -> None:
    _, report, _ = passed(write_all, at="embedder.embed_passages")
    assert report.newer == 3  # of what the pass would have changed
    assert (report.added, report.updated, report.removed, report.unchanged) == (0, 0, 0, 1)


def test_what_clients_change_after_its_commit_is_counted_as_theirs() -> None:
    _, report, _ = passed(write_all, at="fences.finish")
    assert report.newer == 3
    assert (report.added, report.updated, report.removed, report.unchanged) == (0, 0, 0, 1)


@pytest.mark.parametrize("at", ["scan.standing", "embedder.embed_passages", "fences.finish"])
def test_what_a_client_forgets_meanwhile_stays_forgotten(at: str) -> None:
    world, report, _ = passed(lambda client: client.forget("changed"), at=at)
    assert world.active() == {i: NEW[i] for i in ("kept", "new")}
    assert (report.newer, report.updated, report.verified) == (1, 0, True)
    assert world.found(NEW["changed"], mode=Mode.LEXICAL) == []


@pytest.mark.parametrize("at", ["scan.standing", "embedder.embed_passages", "fences.finish"])
def test_a_client_who_writes_what_the_list_has_is_of_one_mind_with_it(at: str) -> None:
    same = {"changed": NEW["changed"], "new": NEW["new"]}
    world, report, _ = passed(lambda client: client.put_many(same), at=at)
    assert (world.active(), report.newer, report.verified) == (NEW, 0, True)


def test_the_next_pass_settles_what_clients_wrote_during_the_last_one() -> None:
    world, _, _ = passed(write_all, at="embedder.embed_passages")
    report = world.reconcile(2, NEW)
    assert (world.active(), report.newer) == (NEW, 0)
    assert (report.updated, report.removed) == (3, 2)


def test_d2_a_search_at_any_moment_of_a_pass_finds_what_stays_valid() -> None:
    world = QuickWorld()
    world.reconcile(1, OLD)
    reader, moments = QuickWorld(beside=world), list[str]()

    def told(call: str) -> None:
        moments.append(call)
        for mode in Mode:
            answer = reader.search(NEW["kept"], mode=mode)
            assert answer.hits[0].record.id == "kept", (call, mode)
            for hit in answer.hits:
                now = reader.store.read(TENANT, NAMESPACE, [hit.record.id])[1][hit.record.id]
                assert hit.record == now, (call, mode)

    world.watch(told)
    assert world.reconcile(2, NEW).verified
    assert len(moments) > 20
