"""Canonical reconcile: an index that is not what the table says is found out and mended, while
writes go on."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Any

import pytest

from palimpsest.adapters.memory import MemoryIndex
from palimpsest.adapters.simulated import Fault, FaultKind, SimulatedEmbedder
from palimpsest.domain.entries import Entry, EntryState
from palimpsest.domain.errors import Unavailable
from palimpsest.domain.pass_report import PassReport
from palimpsest.domain.queries import Mode
from palimpsest.domain.records import Content
from palimpsest.services.project import entry_of
from quick_world import PARTITION, QuickWorld
from world import NAMESPACE, TENANT

TEXTS = {
    f"r{n}": f"Note {n} about the {word}." for n, word in enumerate(["heron", "otter", "lynx"])
}


class OpenIndex(MemoryIndex):
    """An index into which a test reaches past every version; `beside` stand there twice."""

    beside: int = 0

    def lose(self, record_id: str) -> None:
        del self._entries[PARTITION][record_id]
        self._stored[PARTITION].pop(record_id, None)

    def force(self, entry: Entry) -> None:
        if entry.id in self._entries.get(PARTITION, {}):
            self.lose(entry.id)
        self.write([entry])

    def strays(self, partition: str, *, remove: bool = False) -> int:
        assert partition == PARTITION
        found = self.beside
        if remove:
            self.beside = 0
        return found


@pytest.fixture
def world() -> QuickWorld:
    """Three records, projected into an index that can be damaged."""
    quick = QuickWorld(index=OpenIndex(fingerprint="simulated:0:64"))
    quick.put_many(TEXTS)
    quick.put("r0", "Note 0 about the heron, again.")
    quick.project()
    return quick


def index(world: QuickWorld) -> OpenIndex:
    assert isinstance(world.index, OpenIndex)
    return world.index


def entry(world: QuickWorld, record_id: str, *, revision: int | None = None) -> Entry:
    """The entry of a record as it is, without its vector; of another revision, if one is given."""
    clock, records = world.store.read(TENANT, NAMESPACE, [record_id])
    found = entry_of(PARTITION, records[record_id], clock, None)
    if revision is None:
        return found
    content = Content(text="An old text that nobody may find.")
    return replace(found, revision=revision, version=2 * revision + 1, content=content)


def missing(world: QuickWorld) -> None:
    index(world).lose("r1")


def stale(world: QuickWorld) -> None:
    index(world).force(entry(world, "r0", revision=1))


def vectorless(world: QuickWorld) -> None:
    index(world).force(entry(world, "r1"))


def orphaned(world: QuickWorld) -> None:
    index(world).force(replace(entry(world, "r1", revision=1), id="ghost"))


def hidden(world: QuickWorld) -> None:
    """A tombstone entry over a record that is active."""
    index(world).force(replace(entry(world, "r1"), version=2 * 1 + 1, content=None))


def twice(world: QuickWorld) -> None:
    index(world).beside = 2


Damage = Callable[[QuickWorld], None]
DAMAGES: dict[str, tuple[Damage, tuple[int, int, int]]] = {
    "missing": (missing, (1, 0, 0)),
    "stale": (stale, (0, 1, 0)),
    "vectorless": (vectorless, (0, 1, 0)),
    "orphaned": (orphaned, (0, 0, 1)),
    "hidden": (hidden, (0, 1, 0)),
    "twice": (twice, (0, 0, 2)),
}


def counts(report: PassReport) -> tuple[int, int, int]:
    return report.added, report.updated, report.removed


def reconciled(world: QuickWorld, *, dry_run: bool = False) -> PassReport:
    return world.canonical.reconcile(TENANT, NAMESPACE, dry_run=dry_run)


def states(world: QuickWorld) -> dict[str, EntryState]:
    return {state.id: state for state in world.index.walk(PARTITION)}


def is_whole(world: QuickWorld) -> bool:
    found = states(world)
    return (
        all(found[record_id].vector for record_id in TEXTS)
        and all(world.found(text, mode=Mode.SEMANTIC)[0] == i for i, text in TEXTS.items())
        and world.found("An old text that nobody may find", mode=Mode.LEXICAL) != ["ghost"]
        and ("ghost" not in found or found["ghost"].tombstone)
    )


@pytest.mark.parametrize("damage", list(DAMAGES))
def test_what_is_wrong_with_the_index_is_counted_and_mended(world: QuickWorld, damage: str) -> None:
    hurt, expected = DAMAGES[damage]
    hurt(world)
    calls = len(world.embedder.calls)
    report = reconciled(world)
    assert counts(report) == expected
    assert (report.applied, report.verified, report.failed) == (True, True, [])
    assert report.unchanged == 3 - report.added - report.updated
    assert (report.embedded, len(world.embedder.calls)) == (0, calls)  # vectors are held
    assert is_whole(world)
    again = reconciled(world)
    assert (counts(again), again.unchanged, again.verified) == ((0, 0, 0), 3, True)


@pytest.mark.parametrize("damage", list(DAMAGES))
def test_a_dry_run_tells_what_is_wrong_and_changes_nothing(world: QuickWorld, damage: str) -> None:
    hurt, expected = DAMAGES[damage]
    hurt(world)
    items, entries = world.items(), states(world)
    report = reconciled(world, dry_run=True)
    assert counts(report) == expected
    assert (report.applied, report.dry_run, report.verified) == (False, True, False)
    assert (world.items(), states(world)) == (items, entries)
    assert counts(reconciled(world, dry_run=True)) == expected
    assert report.ids is not None
    told = [len(report.ids[kind]) for kind in ("added", "updated", "removed")]  # type: ignore[index]
    assert told == (list(expected) if damage != "twice" else [0, 0, 0])


def test_a_dry_run_of_an_index_in_line_proves_it(world: QuickWorld) -> None:
    report = reconciled(world, dry_run=True)
    assert (report.applied, report.verified, report.unchanged) == (False, True, 3)
    digests = report.verification["digests"]
    assert digests["table"] == digests["index"]
    assert (report.verification["entries"], report.verification["revision"]) == (3, 2)


def test_everything_at_once_is_mended_at_once(world: QuickWorld) -> None:
    for hurt in (missing, stale, orphaned, twice):
        hurt(world)
    report = reconciled(world)
    assert (counts(report), report.verified) == ((1, 1, 3), True)
    assert is_whole(world)


def test_an_index_that_was_lost_is_written_again_without_embedding(world: QuickWorld) -> None:
    world.index.renew()
    calls = len(world.embedder.calls)
    report = reconciled(world)
    assert (report.verified, len(world.embedder.calls)) == (True, calls)
    assert is_whole(world)


def test_what_waits_for_a_vector_gets_it(world: QuickWorld) -> None:
    world.embedder.inject(Fault(kind=FaultKind.OUTAGE, max_count=1))
    world.put("r1", "Note 1 about a marten.")
    world.project()
    assert not states(world)["r1"].vector
    report = reconciled(world)
    assert (report.embedded, report.verified, counts(report)) == (1, True, (0, 0, 0))
    assert states(world)["r1"].vector


def test_what_the_model_has_no_vector_for_is_no_fault_of_the_index(world: QuickWorld) -> None:
    world.embedder.inject(Fault(kind=FaultKind.ZERO, containing="marten"))
    world.put("r1", "Note 1 about a marten.")
    world.project()
    report = reconciled(world)
    assert (counts(report), report.verified) == ((0, 0, 0), True)


def test_an_entry_that_is_ahead_of_its_record_is_told_and_never_proved(world: QuickWorld) -> None:
    index(world).force(entry(world, "r1", revision=9))
    report = reconciled(world)
    assert [(one.id, one.reason) for one in report.failed] == [("r1", "index_ahead")]
    assert (report.updated, report.verified) == (1, False)
    assert states(world)["r1"].revision == 9


def test_forgotten_and_superseded_records_are_no_orphans(world: QuickWorld) -> None:
    world.forget("r1")
    world.reconcile(1, {"r0": TEXTS["r0"]})
    index(world).lose("r1")  # an engine may have swept the tombstone entry
    report = reconciled(world)
    assert (counts(report), report.verified) == ((0, 0, 0), True)


def test_an_entry_of_a_forgotten_record_that_can_be_found_again_is_hidden(
    world: QuickWorld,
) -> None:
    old = entry(world, "r1")
    world.forget("r1")
    world.project()
    index(world).force(old)
    report = reconciled(world)
    assert (counts(report), report.verified) == ((0, 1, 0), True)
    assert "r1" not in world.found(TEXTS["r1"])


def test_an_entry_of_a_purged_record_is_hidden(world: QuickWorld) -> None:
    old = entry(world, "r1")
    world.run_purge(world.purges.purge(TENANT, NAMESPACE, by="key"))
    index(world).force(old)
    report = reconciled(world)
    assert (counts(report), report.verified) == ((0, 0, 1), True)
    floor = world.store.read(TENANT, NAMESPACE)[0].floor
    assert (states(world)["r1"].tombstone, states(world)["r1"].version) == (True, 2 * floor + 1)
    world.put("r1", TEXTS["r1"])
    world.project()
    assert world.found(TEXTS["r1"], mode=Mode.LEXICAL) == ["r1"]


def test_an_id_that_comes_to_life_while_it_is_found_orphaned_is_not_hidden(
    world: QuickWorld,
) -> None:
    orphaned(world)
    client = QuickWorld(beside=world)

    class Written:
        """The index, before whose last walk a client has written the orphan's record."""

        def __init__(self) -> None:
            self.walks = 0

        def walk(self, partition: str) -> Iterator[EntryState]:
            self.walks += 1
            if self.walks == 2:
                client.put("ghost", "The ghost is a record now.")
                client.project()
            return client.index.walk(partition)

        def __getattr__(self, name: str) -> Any:
            return getattr(client.index, name)

    world.index = Written()
    world.reproject()
    report = reconciled(world)
    assert (report.removed, report.verified) == (1, True)
    assert client.found("ghost", mode=Mode.LEXICAL) == ["ghost"]


def test_writes_at_any_call_are_neither_lost_nor_taken_for_faults() -> None:
    n, calls = 0, 1
    while n < calls:
        n += 1
        world = QuickWorld(index=OpenIndex(fingerprint="simulated:0:64"))
        world.put_many(TEXTS)
        world.project()
        for hurt in (missing, stale, orphaned):
            hurt(world)
        client, counted = QuickWorld(beside=world), [0]

        def told(
            _: str, at: int = n, counted: list[int] = counted, client: QuickWorld = client
        ) -> None:
            counted[0] += 1
            if counted[0] == at:
                client.put("r1", "Note 1 about a badger.")
                client.put("own", "A new one.")
                client.forget("r2")
                if at % 2:
                    client.project()

        world.watch(told)
        report = world.canonical.reconcile(TENANT, NAMESPACE, dry_run=False)
        calls = counted[0]
        assert (report.verified, report.failed) == (True, []), n
        client.project()
        after = client.canonical.reconcile(TENANT, NAMESPACE, dry_run=True)
        assert (after.verified, counts(after)) == (True, (0, 0, 0)), n
        assert client.found("badger", mode=Mode.LEXICAL) == ["r1"], n
        assert client.found(TEXTS["r2"], mode=Mode.LEXICAL) != ["r2"], n
    assert n > 15


def test_every_generation_is_brought_in_line_and_the_one_that_is_read_is_told(
    world: QuickWorld,
) -> None:
    embedder = SimulatedEmbedder(dimension=32, fingerprint="another:32")
    beside = MemoryIndex(fingerprint="another:32")
    second = replace(
        world.projection,
        index=beside,
        embedding=replace(world.projection.embedding, embedder=embedder),
        read=False,
    )
    world.canonical = replace(world.canonical, targets=lambda: [world.projection, second])
    missing(world)
    report = reconciled(world)
    assert (counts(report), report.verified, report.embedded) == ((1, 0, 0), True, 0)
    assert [state.vector for state in beside.walk(PARTITION)] == [True] * 3
    ahead = replace(entry(world, "r1", revision=9), vector=None)
    beside.write([ahead])
    told = reconciled(world)
    assert (counts(told), told.verified) == ((0, 0, 0), False)


def test_an_index_that_cannot_answer_is_an_error_and_no_proof(world: QuickWorld) -> None:
    class Broken:
        def walk(self, _: str) -> Sequence[EntryState]:
            raise Unavailable("no answer", stage="index")

        def __getattr__(self, name: str) -> Any:
            return getattr(inner, name)

    inner = world.index
    world.index = Broken()  # type: ignore[assignment]
    world.reproject()
    with pytest.raises(Unavailable):
        reconciled(world)


def test_a_lost_entry_of_a_record_without_a_vector_is_written_again(quick: QuickWorld) -> None:
    quick.put("a", "a cursed text")
    quick.embedder.inject(Fault(kind=FaultKind.ZERO, containing="cursed"))
    quick.project()
    assert quick.canonical.reconcile(TENANT, NAMESPACE, dry_run=False).verified
    index: Any = quick.index
    index._entries[PARTITION].clear()
    index._stored[PARTITION].clear()
    lost = quick.canonical.reconcile(TENANT, NAMESPACE, dry_run=True)
    assert (lost.added, lost.verified) == (1, False)
    mended = quick.canonical.reconcile(TENANT, NAMESPACE, dry_run=False)
    assert (mended.added, mended.failed, mended.verified) == (1, [], True)
    assert quick.found("cursed", mode=Mode.LEXICAL) == ["a"]
