"""The table put back to an older point: nothing lost is served, no revision is given out twice."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from palimpsest.adapters.dynamodb.batches import delete_items
from palimpsest.adapters.memory import MemoryIndex
from palimpsest.adapters.simulated import SimulatedEmbedder
from palimpsest.adapters.sqlite import SqliteIndex
from palimpsest.domain.commit_planning import Operation
from palimpsest.domain.commits import CommitPlan
from palimpsest.domain.entries import EntryState
from palimpsest.domain.errors import RevisionConflict, Throttled, Unavailable
from palimpsest.domain.queries import Mode
from palimpsest.domain.records import Content
from palimpsest.domain.walks import Order, RecordsWanted
from palimpsest.ports import SearchIndex
from palimpsest.services.restore import MARGIN, TRIES, Jump, Restored, RestoreService
from world import NAMESPACE, TENANT, World

PARTITION = f"{TENANT}#{NAMESPACE}"
Items = list[dict[str, Any]]


@pytest.fixture(params=["memory", "sqlite"])
def world(
    request: pytest.FixtureRequest, tables: dict[str, str], tmp_path: Path
) -> Iterator[World]:
    fingerprint = SimulatedEmbedder(dimension=64).fingerprint
    if request.param == "memory":
        yield World(tables["RecordsTable"], index=MemoryIndex(fingerprint=fingerprint))
        return
    index = SqliteIndex(tmp_path, fingerprint=fingerprint)
    yield World(tables["RecordsTable"], index=index)
    index.close()


def service(world: World) -> RestoreService:
    return RestoreService(
        store=world.store,
        index=world.index,
        register=world.register,
        projection=world.projection,
        clock=world.clock,
    )


def saved(world: World) -> Items:
    pages = world.client.get_paginator("scan").paginate(TableName=world.table)
    return [item for page in pages for item in page["Items"]]


def put_back(world: World, items: Items) -> None:
    """The table as it was when these were saved."""
    delete_items(world.client, world.table, [{k: i[k] for k in ("pk", "sk")} for i in saved(world)])
    for item in items:
        world.client.put_item(TableName=world.table, Item=item)


def clock(world: World, namespace: str = NAMESPACE) -> int:
    return world.store.read(TENANT, namespace)[0].revision


def states(index: SearchIndex) -> list[EntryState]:
    return list(index.walk(PARTITION))


def rebuilt(world: World) -> list[EntryState]:
    """The entries that an index made from this table alone has."""
    fresh = World(world.table)
    fresh.project()
    assert fresh.embedder.calls == []
    return states(fresh.index)


def lost_time(world: World) -> None:
    """Records of which the table then loses a change, a forgetting and a new one, all indexed."""
    world.put("kept", "the heron by the weir")
    world.put("changed", "the otter under the bridge")
    world.put("forgotten", "the lynx on the ridge")
    world.project()
    before = saved(world)
    world.put("changed", "the badger in the wood")
    world.forget("forgotten")
    world.put("lost", "the marten in the loft")
    world.project()
    put_back(world, before)


def test_after_a_restore_the_index_says_what_the_table_says_without_embedding(
    world: World,
) -> None:
    lost_time(world)
    generation, calls = world.index.generation(), world.embedder.calls
    assert world.found("otter bridge", mode=Mode.LEXICAL) == []  # hidden by the entry of later
    done = service(world).restore()
    assert done == Restored(
        ahead=True,
        jumps=(Jump(TENANT, NAMESPACE, 3, 6 + MARGIN),),
        renewed=True,
        generation=world.index.generation(),
        embedded=0,
    )
    assert world.index.generation() != generation
    assert world.embedder.calls == calls
    status = world.status.status(TENANT, NAMESPACE)
    assert (status.lag, status.index_generation) == (0, done.generation)
    assert (status.counts["active"], status.counts["deleted"]) == (3, 0)
    assert states(world.index) == rebuilt(world)
    assert world.found("otter bridge", mode=Mode.LEXICAL) == ["changed"]
    assert world.found("lynx ridge", mode=Mode.LEXICAL) == ["forgotten"]
    assert world.found("marten loft badger", mode=Mode.LEXICAL) == []


def test_new_revisions_lie_beyond_every_one_that_was_seen_and_their_writes_are_found(
    world: World,
) -> None:
    lost_time(world)
    service(world).restore()
    for n, record_id in enumerate(("lost", "changed", "forgotten"), start=1):
        revision = world.put(record_id, f"written anew {n}")
        assert revision == 6 + MARGIN + n
    world.project()
    assert sorted(world.found("written anew", mode=Mode.LEXICAL)) == [
        "changed",
        "forgotten",
        "lost",
    ]
    assert states(world.index) == rebuilt(world)


def test_a_guard_from_the_lost_time_fails(world: World) -> None:
    lost_time(world)
    service(world).restore()
    for record_id, lost in (("changed", 4), ("lost", 6)):
        with pytest.raises(RevisionConflict):
            world.put(record_id, "too late", guard=lost)
    with pytest.raises(RevisionConflict):
        world.put("x", "x", guard=6 + MARGIN)
    assert world.put("changed", "in time", guard=2) > 6 + MARGIN
    assert world.put("lost", "created again", guard=0) > 6 + MARGIN


def test_a_second_restore_does_nothing(world: World) -> None:
    lost_time(world)
    generation = service(world).restore().generation
    world.put("new", "the falcon on the tower")
    world.project()
    before = saved(world)
    assert service(world).restore() == Restored(
        ahead=False, jumps=(), renewed=False, generation=generation, embedded=0
    )
    assert saved(world) == before


@pytest.mark.parametrize("written", [0, 3])
def test_a_table_that_nothing_happened_to_is_left_alone(world: World, written: int) -> None:
    for n in range(written):
        world.put(f"r{n}", "text")
    world.project()
    world.put("unindexed", "text")
    before = saved(world)
    done = service(world).restore()
    assert (done.ahead, done.jumps, done.renewed) == (False, (), False)
    assert saved(world) == before


def test_the_log_shows_the_jump_and_nothing_else_is_missing(world: World) -> None:
    lost_time(world)
    service(world).restore()
    world.put("new", "text")
    log = world.store.log(TENANT, NAMESPACE, after=0, limit=100)
    jumped = 6 + MARGIN
    assert [(e.revision, e.previous) for e in log] == [
        (1, 0), (2, 1), (3, 2), (jumped, 3), (jumped + 1, jumped),
    ]  # fmt: skip
    assert log[3].record_ids == ()
    assert world.store.log(TENANT, NAMESPACE, after=3, limit=1) == [log[3]]
    then = world.history.as_of(TENANT, NAMESPACE, "changed", jumped)
    assert then is not None
    assert then.revision == 2


@pytest.mark.parametrize("order", Order)
def test_lists_and_the_change_feed_walk_over_the_jump(world: World, order: Order) -> None:
    lost_time(world)
    service(world).restore()
    revision = world.put("new", "text")
    page = world.walks.records(TENANT, NAMESPACE, RecordsWanted(), order=order, limit=50)
    listed = ["kept", "changed", "forgotten", "new"]
    assert [r.id for r in page.records] == (listed if order is Order.OLDEST else listed[::-1])
    for since in (3, 5, 6, revision - 1):  # 4 to 6 were seen in the lost time
        feed = world.walks.changes(TENANT, NAMESPACE, since=since, limit=50)
        assert [r.id for r in feed.records] == ["new"]


def put_in(world: World, namespace: str, record_id: str, text: str) -> None:
    """A record of another namespace, indexed."""
    world.commit(Operation(id=record_id, content=Content(text=text)), namespace=namespace)
    world.projection.project(TENANT, namespace)


def test_every_namespace_jumps_that_the_table_or_the_index_knows(world: World) -> None:
    world.put("a", "never indexed")
    put_in(world, "other", "b", "text")
    before = saved(world)
    put_in(world, "born-later", "c", "the newt in the pond")
    put_back(world, before)
    done = service(world).restore()
    assert {one.namespace: (one.before, one.after) for one in done.jumps} == {
        NAMESPACE: (1, 1 + MARGIN),
        "other": (1, 1 + MARGIN),
        "born-later": (0, 1 + MARGIN),
    }
    assert set(world.store.namespaces()) == {(TENANT, one.namespace) for one in done.jumps}
    assert dict(world.index.heights()) == {PARTITION: 1, f"{TENANT}#other": 1}
    put_in(world, "born-later", "c", "another text")
    assert clock(world, "born-later") == 2 + MARGIN


def test_an_index_that_later_commits_have_nearly_caught_up_with_is_still_ahead(
    world: World,
) -> None:
    lost_time(world)
    world.put("changed", "the adder on the path")
    world.put("new", "the heron on the roof")
    assert clock(world) == 5
    assert service(world).restore().ahead
    assert states(world.index) == rebuilt(world)
    assert world.found("adder path", mode=Mode.LEXICAL) == ["changed"]


def test_after_a_kill_clocks_jump_and_an_index_that_is_not_ahead_stays(world: World) -> None:
    world.put("a", "alpha")
    world.project()
    world.put("b", "beta")
    generation = world.index.generation()
    done = service(world).restore(jump=True)
    assert done == Restored(
        ahead=False,
        jumps=(Jump(TENANT, NAMESPACE, 2, 2 + MARGIN),),
        renewed=False,
        generation=generation,
        embedded=1,
    )
    assert world.status.status(TENANT, NAMESPACE).lag == 0
    assert states(world.index) == rebuilt(world)


def test_after_a_restore_of_the_table_the_index_is_renewed_whatever_it_looks_like(
    world: World,
) -> None:
    world.put("a", "alpha")
    world.project()
    generation = world.index.generation()
    done = service(world).restore(renew=True)
    assert (done.ahead, done.renewed, done.generation != generation) == (False, True, True)
    assert (clock(world), done.embedded) == (1 + MARGIN, 0)
    assert states(world.index) == rebuilt(world)


class Interrupted(Exception):
    """The process ends here."""


class Interruptions:
    """Ends the process before the given step of all that change something."""

    def __init__(self, step: int) -> None:
        self.left = step

    def on(self, of: Any, *names: str) -> Any:
        changing = self

        class Watched:
            def __getattr__(self, name: str) -> Any:
                found = getattr(of, name)
                return changing.watched(found) if name in names else found

        return Watched()

    def watched(self, work: Callable[..., Any]) -> Callable[..., Any]:
        def step(*args: Any, **options: Any) -> Any:
            self.left -= 1
            if self.left == 0:
                raise Interrupted
            return work(*args, **options)

        return step


def torn(whole: RestoreService, stops: Interruptions) -> RestoreService:
    return replace(
        whole,
        store=stops.on(whole.store, "commit"),
        index=stops.on(whole.index, "renew"),
        register=stops.on(whole.register, "mark_restoring"),
        projection=stops.on(whole.projection, "project"),
    )


STEPS = ["mark", "clock", "clock", "index", "mark", "projection", "projection"]


@pytest.mark.parametrize("world", ["memory"], indirect=True)
@pytest.mark.parametrize("step", range(1, len(STEPS) + 1))
def test_interrupted_before_any_step_it_can_be_run_again(world: World, step: int) -> None:
    put_in(world, "other", "b", "text")
    lost_time(world)
    calls = world.embedder.calls
    stops, whole = Interruptions(step), service(world)
    with pytest.raises(Interrupted):
        torn(whole, stops).restore()
    world.put("new", "written before it is run again")
    world.project()
    whole.restore()
    for names in world.store.namespaces():
        world.projection.project(*names)  # as a sweep does
    assert states(world.index) == rebuilt(world)
    assert world.embedder.calls == [*calls, ["written before it is run again"]]
    assert min(clock(world), clock(world, "other")) > MARGIN
    assert not whole.restore().ahead


@pytest.mark.parametrize("world", ["memory"], indirect=True)
def test_there_are_no_other_steps(world: World) -> None:
    put_in(world, "other", "b", "text")
    lost_time(world)
    stops = Interruptions(len(STEPS) + 1)
    torn(service(world), stops).restore()
    assert stops.left == 1


def test_a_commit_at_the_same_time_makes_the_jump_plan_again(world: World) -> None:
    lost_time(world)
    commit = world.store.commit
    raced: list[CommitPlan] = []

    def race(plan: CommitPlan) -> bool:
        if not raced:
            raced.append(plan)
            world.put("raced", "text")
        return commit(plan)

    world.store.commit = race  # type: ignore[method-assign]
    (jumped,) = service(world).restore().jumps
    assert (jumped.before, jumped.after) == (4, 6 + MARGIN)
    assert states(world.index) == rebuilt(world)


def test_a_namespace_that_is_never_at_rest_is_named_and_the_restore_stays_due(
    world: World,
) -> None:
    lost_time(world)
    commit, tried = world.store.commit, []
    world.store.commit = lambda plan: bool(tried.append(plan))  # type: ignore[method-assign,func-returns-value]
    with pytest.raises(Throttled, match="notes of acme"):
        service(world).restore()
    assert len(tried) == TRIES
    world.store.commit = commit  # type: ignore[method-assign]
    assert service(world).restore().ahead


@pytest.mark.parametrize("times", [1, 3])
def test_a_projection_that_others_stood_in_the_way_of_is_begun_again(
    world: World, times: int
) -> None:
    lost_time(world)
    whole, refused = service(world), list[tuple[str, ...]]()

    def busy(*names: str) -> Any:
        if len(refused) < times:
            refused.append(names)
            raise Unavailable("the index's log could not be emptied", stage="index")
        return world.projection.project(*names)

    standing: Any = SimpleNamespace(project=busy)
    assert replace(whole, projection=standing).restore().renewed
    assert (len(refused), states(world.index)) == (times, rebuilt(world))


def test_an_outage_is_said_and_changes_nothing(world: World) -> None:
    lost_time(world)
    before = saved(world)

    def down(*_: object, **__: object) -> Any:
        raise Unavailable("down", stage="index")

    index = replace(service(world), index=Broken(world.index, "heights", down))
    table = replace(service(world), store=Broken(world.store, "log", down))
    for broken in (index, table):
        with pytest.raises(Unavailable):
            broken.restore(jump=True)
    assert saved(world) == before


@dataclass(frozen=True, slots=True)
class Broken:
    """Something of which one method is another."""

    whole: Any
    name: str
    instead: Callable[..., Any]

    def __getattr__(self, name: str) -> Any:
        return self.instead if name == self.name else getattr(self.whole, name)
