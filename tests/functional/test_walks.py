"""Lists and the change feed, walked page by page while others write."""

import random
from collections.abc import Callable
from typing import Any

import pytest

from palimpsest.adapters.dynamodb.batches import query
from palimpsest.domain.commit_planning import Operation
from palimpsest.domain.commits import CommitPlan, LogEntry
from palimpsest.domain.errors import CursorMismatch, Unavailable
from palimpsest.domain.records import Content, Record, Status
from palimpsest.domain.walks import Order, Position, RecordsWanted, WalkPage
from palimpsest.services import walks as walks_module
from world import NAMESPACE, TENANT, World

ANY = RecordsWanted(status=None)


def walked(
    world: World,
    *,
    order: Order = Order.NEWEST,
    wanted: RecordsWanted = ANY,
    limit: int = 3,
    between: Callable[[], object] = lambda: None,
) -> list[Record]:
    """A whole list; `between` runs after each page."""
    records: list[Record] = []
    position: Position | None = None
    while True:
        page = world.walks.records(
            TENANT, NAMESPACE, wanted, order=order, limit=limit, position=position
        )
        assert len(page.records) <= limit
        records += page.records
        if page.following is None:
            return records
        position = page.following
        between()


def ids(records: list[Record]) -> list[str]:
    return [record.id for record in records]


def feed(world: World, since: int = 0, limit: int = 3) -> tuple[list[Record], int]:
    changes: list[Record] = []
    position = None
    while True:
        page: WalkPage[Any] = world.walks.changes(
            TENANT, NAMESPACE, since=since, limit=limit, position=position
        )
        changes += page.records
        position = page.following
        if position is None:
            return changes, page.revision


@pytest.mark.parametrize("limit", [1, 2, 3, 7, 100])
def test_d13_lists_are_newest_change_first_and_oldest_is_the_exact_reverse(
    world: World, limit: int
) -> None:
    world.put_many({f"r{n:02}": "x" for n in range(30)})
    world.put("r03", "changed")
    world.forget("r05")
    newest = ids(walked(world, limit=limit))
    assert newest[:2] == ["r05", "r03"]
    assert sorted(newest) == [f"r{n:02}" for n in range(30)]
    assert ids(walked(world, order=Order.OLDEST, limit=limit)) == newest[::-1]


def test_an_empty_namespace_has_an_empty_list_and_feed(world: World) -> None:
    assert walked(world) == []
    assert feed(world) == ([], 0)


def test_a_page_that_ends_with_the_last_record_is_the_last(world: World) -> None:
    world.put_many({f"r{n}": "x" for n in range(4)})
    page = world.walks.records(TENANT, NAMESPACE, ANY, order=Order.NEWEST, limit=4)
    assert (len(page.records), page.following) == (4, None)
    page = world.walks.records(TENANT, NAMESPACE, ANY, order=Order.NEWEST, limit=3)
    assert (len(page.records), page.following is None) == (3, False)


def test_c10_the_pages_of_each_status_add_up_to_the_counts(world: World) -> None:
    world.put_many({f"r{n:02}": "x" for n in range(12)}, kind="fact")
    for n in range(100):
        world.put(f"new{n:03}", "y")
    world.put("s", "z", supersedes=("r01", "r02"))
    world.forget("r03")
    clock, _ = world.store.read(TENANT, NAMESPACE)
    for status in Status:
        listed = walked(world, wanted=RecordsWanted(status=status), limit=7)
        assert len(listed) == len(set(ids(listed))) == clock.counts[status]
    facts = walked(world, wanted=RecordsWanted(kind="fact"), limit=4)
    assert sorted(ids(facts)) == [f"r{n:02}" for n in range(12) if n not in (1, 2, 3)]


@pytest.mark.parametrize("order", list(Order))
def test_a_list_walked_while_its_records_change_shows_each_once(world: World, order: Order) -> None:
    names = [f"r{n:02}" for n in range(40)]
    world.put_many(dict.fromkeys(names, "x"))
    draw, count = random.Random(7), iter(range(10_000))

    def others_write() -> None:
        for _ in range(3):
            world.put(draw.choice(names), f"changed {next(count)}")
        world.put(f"new{next(count)}", "new")

    listed = ids(walked(world, order=order, between=others_write))
    assert sorted(listed) == names


@pytest.mark.parametrize("order", list(Order))
@pytest.mark.parametrize("erase", [False, True])
def test_a_list_walked_while_its_records_are_forgotten_and_come_back_shows_each_once(
    world: World, order: Order, *, erase: bool
) -> None:
    names = [f"r{n:02}" for n in range(24)]
    world.put_many(dict.fromkeys(names, "x"))
    for n in range(0, 24, 2):
        world.put(names[n], "changed before the walk")
    draw, count = random.Random(3), iter(range(10_000))

    def others_write() -> None:
        name = draw.choice(names)
        clock, found = world.store.read(TENANT, NAMESPACE, [name])
        del clock
        if found[name].status is Status.DELETED:
            world.put(name, f"back {next(count)}")
        else:
            world.put(name, f"once more {next(count)}")
            world.forget(name)
        if erase:
            world.erase()

    assert sorted(ids(walked(world, order=order, between=others_write, limit=2))) == names


@pytest.mark.parametrize("order", list(Order))
@pytest.mark.parametrize("erase", [True, False])
def test_a_record_that_came_back_before_a_walk_and_changes_during_it_is_shown_once(
    world: World, order: Order, *, erase: bool
) -> None:
    world.put("a", "one")
    world.put("other", "x")
    world.forget("a")
    world.put("third", "x")
    world.put("a", "back")
    world.put("fourth", "x")
    if erase:
        world.erase()
    changes = iter(["changed", "and again"])

    def others_write() -> None:
        text = next(changes, None)
        if text is not None:
            world.put("a", text)

    found = ids(walked(world, order=order, between=others_write, limit=1))
    assert sorted(found) == ["a", "fourth", "other", "third"]


def test_the_list_shows_records_as_they_are_now_and_leaves_out_what_no_longer_fits(
    world: World,
) -> None:
    world.put_many({"a": "x", "b": "x", "c": "x"})

    def changes() -> None:
        if world.store.read(TENANT, NAMESPACE)[0].revision == 1:
            world.put("a", "changed")
            world.forget("b")

    listed = walked(world, wanted=RecordsWanted(), limit=1, between=changes)
    assert [(r.id, r.content.text if r.content else None) for r in listed] == [
        ("c", "x"),
        ("a", "changed"),
    ]


def test_the_feed_gives_each_changed_record_once_as_it_is_now_in_revision_order(
    world: World,
) -> None:
    for n in range(6):
        world.put(f"r{n}", "x")
    world.put("r0", "changed")
    world.forget("r3")
    changes, revision = feed(world)
    assert [(r.id, r.revision) for r in changes] == [
        ("r1", 2), ("r2", 3), ("r4", 5), ("r5", 6), ("r0", 7), ("r3", 8),
    ]  # fmt: skip
    assert (revision, changes[-1].content) == (8, None)
    assert [r.id for r in feed(world, 6)[0]] == ["r0", "r3"]
    assert feed(world, 8) == ([], 8)
    assert feed(world, 99) == ([], 8)


def test_following_the_feed_ends_with_every_record_as_it_is(world: World) -> None:
    draw = random.Random(11)
    held: dict[str, Record] = {}
    since = 0
    for step in range(40):
        name = f"r{draw.randrange(9)}"
        if draw.random() < 0.3 and held.get(name) and held[name].content:
            world.forget(name)
        else:
            world.put(name, f"{step}")
        if step % 3 == 0:
            changes, since = feed(world, since, limit=2)
            assert [c.revision for c in changes] == sorted(c.revision for c in changes)
            held |= {change.id: change for change in changes}
    held |= {change.id: change for change in feed(world, since)[0]}
    _, records = world.store.read(TENANT, NAMESPACE, list(held))
    assert held == records


def test_a_page_closes_before_it_passes_4_mb(world: World) -> None:
    large = {f"k{n:02}": tuple(f"{n}-{i} " + "v" * 235 for i in range(50)) for n in range(20)}
    for n in range(16):
        world.put(f"r{n:02}", "x", metadata=large)
    pages: tuple[WalkPage[Any], ...] = (
        world.walks.records(TENANT, NAMESPACE, ANY, order=Order.NEWEST, limit=100),
        world.walks.changes(TENANT, NAMESPACE, since=0, limit=100),
    )
    for page in pages:
        size = sum(record.content.size for record in page.records if record.content)
        assert 3_000_000 < size < 4_000_000
        assert page.following is not None
    assert len(walked(world, limit=100)) == 16


def test_a_page_closes_after_its_share_of_the_log_possibly_empty(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(walks_module, "MAX_ENTRIES", 20)
    world.put("rare", "x", kind="rare")
    for n in range(45):
        world.put("common", f"{n}")
    wanted = RecordsWanted(kind="rare")
    page = world.walks.records(TENANT, NAMESPACE, wanted, order=Order.NEWEST, limit=10)
    assert (list(page.records), page.following) == ([], Position(46, 26))
    assert ids(walked(world, wanted=wanted, limit=10)) == ["rare"]


def test_one_page_reads_2_000_log_entries_at_most() -> None:
    assert walks_module.MAX_ENTRIES == 2_000


def test_a_log_that_is_not_wholly_seen_yet_is_read_again(world: World) -> None:
    for n in range(3):
        world.put(f"r{n}", "x")
    whole, hidden = world.log.descending, iter([True, True, False])

    def partly(*args: Any, **options: Any) -> list[LogEntry]:
        return [] if next(hidden, False) else whole(*args, **options)

    world.log.descending = partly  # type: ignore[method-assign]
    assert ids(walked(world)) == ["r2", "r1", "r0"]
    world.log.descending = lambda *_, **__: []  # type: ignore[method-assign]
    with pytest.raises(Unavailable):
        walked(world)


def test_a_cursor_of_a_time_that_the_table_has_lost_does_not_open(world: World) -> None:
    for n in range(3):
        world.put(f"r{n}", "x")
    clock, _ = world.store.read(TENANT, NAMESPACE)
    jump = CommitPlan(
        tenant=TENANT,
        namespace=NAMESPACE,
        commit_id="jump",
        clock=clock,
        counts=clock.counts,
        changes=(),
        at=world.clock.now(),
        by="restore",
        jump_to=1003,
    )
    assert world.store.commit(jump)
    world.put("r3", "x")
    lost = Position(upto=5, at=5)
    with pytest.raises(CursorMismatch):
        world.walks.records(TENANT, NAMESPACE, ANY, order=Order.NEWEST, limit=9, position=lost)
    assert ids(walked(world)) == ["r3", "r2", "r1", "r0"]
    assert ids(walked(world, order=Order.OLDEST)) == ["r0", "r1", "r2", "r3"]
    assert [r.id for r in feed(world, 3)[0]] == [r.id for r in feed(world, 500)[0]] == ["r3"]


def test_a_record_older_than_its_log_entry_is_read_again(world: World) -> None:
    world.put("a", "old")
    old = world.store.read(TENANT, NAMESPACE, ["a"])
    world.put("a", "new")
    read, late = world.store.read, iter([True, True])

    def partly(*args: Any) -> Any:
        asked_for_records = len(args) > 2 and args[2]
        return (read(*args)[0], old[1]) if asked_for_records and next(late, False) else read(*args)

    world.store.read = partly  # type: ignore[method-assign,assignment]
    (record,) = walked(world)
    assert record.content is not None
    assert record.content.text == "new"


def test_a_former_version_that_is_not_seen_yet_is_read_again(world: World) -> None:
    world.put_many({"a": "x", "b": "x"})
    page = world.walks.records(TENANT, NAMESPACE, ANY, order=Order.NEWEST, limit=1)
    world.put("a", "changed")
    whole, hidden = world.log.replaced, iter([True, True])
    world.log.replaced = (  # type: ignore[method-assign]
        lambda *args: {} if next(hidden, False) else whole(*args)
    )
    rest = world.walks.records(
        TENANT, NAMESPACE, ANY, order=Order.NEWEST, limit=9, position=page.following
    )
    assert ids(list(rest.records)) == ["a"]
    world.log.replaced = lambda *_: {}  # type: ignore[method-assign]
    with pytest.raises(Unavailable):
        world.walks.records(
            TENANT, NAMESPACE, ANY, order=Order.NEWEST, limit=9, position=page.following
        )


def test_ids_that_sort_last_are_erased_and_told_of_like_others(world: World) -> None:
    world.put("~~last", "secret")
    world.put("~~last", "secret two")
    world.forget("~~last")
    assert world.erase() == 1
    everything = query(world.client, world.table, f"{TENANT}#{NAMESPACE}", first=" ", last="~")
    items = list(everything)
    assert items
    assert "secret" not in str(items)
    assert not [item for item in items if item["sk"]["S"].startswith(("E#", "H#", "V#"))]


def test_a_commit_that_rewrites_many_is_paged_inside_itself(world: World) -> None:
    world.commit(*(Operation(id=f"r{n:02}", content=Content(text="x")) for n in range(25)))
    assert ids(walked(world, limit=4)) == [f"r{n:02}" for n in range(24, -1, -1)]
    assert ids(feed(world, limit=4)[0]) == [f"r{n:02}" for n in range(25)]
