"""The history of one record, read while its versions come into view, are forgotten or purged."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from palimpsest.domain.errors import NotFound, Unavailable
from palimpsest.ports.walking import Former
from quick_world import QuickWorld
from world import NAMESPACE, TENANT


@pytest.fixture
def world(quick: QuickWorld) -> QuickWorld:
    return quick


def as_of(world: QuickWorld, revision: int) -> str | None:
    found = world.history.as_of(TENANT, NAMESPACE, "a", revision)
    return None if found is None or found.content is None else found.content.text


def purged(world: QuickWorld) -> None:
    world.run_purge(world.purges.purge(TENANT, NAMESPACE, by="key"))


def changes(world: QuickWorld, count: int) -> None:
    """Revisions 1, 3, 5, … are of `a`: `v1`, `v3`, …"""
    for n in range(count):
        world.put("a", f"v{2 * n + 1}")
        world.put("other", f"{n}")


def unseen(
    world: QuickWorld, *revisions: int, reads: float, then: Callable[[], object] = lambda: None
) -> None:
    """The first so many reads of former versions do not see these; `then` comes after the first."""
    whole, left = world.log.former, [reads]

    def partly(*args: Any, limit: int | None = None, **kwargs: Any) -> Iterator[Former]:
        hidden = revisions if left[0] > 0 else ()
        left[0] -= 1
        found = [one for one in whole(*args, **kwargs) if one.record.revision not in hidden]
        if left[0] == reads - 1:
            then()
        yield from found[:limit]

    world.log.former = partly  # type: ignore[method-assign]


def versions(world: QuickWorld, record_id: str, limit: int = 2) -> list[int]:
    found: list[int] = []
    below: int | None = None
    while True:
        page = world.history.revisions(TENANT, NAMESPACE, record_id, limit=limit, below=below)
        found += [record.revision for record in page.records]
        if page.below is None:
            return found
        below = page.below


def test_revisions_are_newest_first_and_page_without_gap(world: QuickWorld) -> None:
    for n in range(5):
        world.put("a", f"v{n}")
        world.put("other", f"{n}")
    assert versions(world, "a") == [9, 7, 5, 3, 1]
    assert versions(world, "a", limit=5) == [9, 7, 5, 3, 1]
    page = world.history.revisions(TENANT, NAMESPACE, "a", limit=2)
    world.put("a", "changed meanwhile")
    rest = world.history.revisions(TENANT, NAMESPACE, "a", limit=9, below=page.below)
    assert [record.revision for record in rest.records] == [5, 3, 1]


def test_a_forgotten_record_has_its_tombstone_alone_and_a_new_life_its_own_history(
    world: QuickWorld,
) -> None:
    world.put("a", "one")
    world.put("a", "two")
    world.forget("a")
    assert versions(world, "a") == [3]
    world.put("a", "again")
    assert versions(world, "a") == [4]
    world.put("a", "and again")
    world.erase()
    assert versions(world, "a") == [5, 4]
    with pytest.raises(NotFound):
        versions(world, "nobody")


@pytest.mark.parametrize("hidden", [(7,), (5,), (3,), (1,), (7, 5), (5, 1), (7, 5, 3, 1)])
def test_versions_that_are_not_seen_yet_are_waited_for(
    world: QuickWorld, hidden: tuple[int, ...]
) -> None:
    changes(world, 5)
    unseen(world, *hidden, reads=3)
    assert versions(world, "a", limit=9) == [9, 7, 5, 3, 1]


@pytest.mark.parametrize("hidden", [(7,), (5,), (1,)])
def test_pages_of_a_history_wait_for_what_is_not_seen_yet(
    world: QuickWorld, hidden: tuple[int, ...]
) -> None:
    changes(world, 5)
    unseen(world, *hidden, reads=2)
    assert versions(world, "a", limit=1) == [9, 7, 5, 3, 1]


@pytest.mark.parametrize("revision", range(1, 11))
@pytest.mark.parametrize("hidden", [(7,), (5,), (5, 3), (1,), (7, 5, 3, 1)])
def test_an_as_of_read_waits_for_a_version_that_is_not_seen_yet(
    world: QuickWorld, hidden: tuple[int, ...], revision: int
) -> None:
    changes(world, 5)
    unseen(world, *hidden, reads=2)
    assert as_of(world, revision) == f"v{revision - 1 + revision % 2}"


def test_an_as_of_read_before_a_record_s_first_version_finds_nothing(world: QuickWorld) -> None:
    for n in range(3):
        world.put("other", f"{n}")
    world.put("a", "v4")
    assert [as_of(world, revision) for revision in (0, 1, 3, 4, 5)] == [None] * 3 + ["v4", None]
    world.put("a", "v5")
    world.put("a", "v6")
    assert [as_of(world, revision) for revision in (3, 4, 5, 6)] == [None, "v4", "v5", "v6"]
    unseen(world, 4, reads=2)
    assert [as_of(world, revision) for revision in (3, 4, 5, 6)] == [None, "v4", "v5", "v6"]


def test_an_as_of_read_knows_what_was_forgotten_and_what_came_after_it(world: QuickWorld) -> None:
    world.put("a", "v1")
    world.put("other", "2")
    world.forget("a")
    world.put("other", "4")
    world.put("a", "v5")
    world.put("a", "v6")
    for _ in range(2):
        assert [as_of(world, revision) for revision in range(1, 7)] == [None] * 4 + ["v5", "v6"]
        world.erase()


def test_a_version_that_is_never_seen_makes_the_read_unavailable(world: QuickWorld) -> None:
    changes(world, 3)
    unseen(world, 3, reads=float("inf"))
    with pytest.raises(Unavailable, match="former version"):
        versions(world, "a", limit=9)
    with pytest.raises(Unavailable, match="former version"):
        as_of(world, 4)
    assert as_of(world, 5) == "v5"


@pytest.mark.parametrize("hidden", [(3,), (3, 1)])
def test_a_version_that_was_forgotten_meanwhile_is_not_waited_for(
    world: QuickWorld, hidden: tuple[int, ...]
) -> None:
    def forgotten() -> None:
        world.forget("a")
        world.erase()

    changes(world, 3)
    unseen(world, *hidden, reads=1, then=forgotten)
    assert versions(world, "a", limit=9) == [5]


@pytest.mark.parametrize("hidden", [(3,), (3, 1)])
def test_a_history_read_while_its_record_is_purged_ends(
    world: QuickWorld, hidden: tuple[int, ...]
) -> None:
    changes(world, 3)
    unseen(world, *hidden, reads=1, then=lambda: purged(world))
    assert versions(world, "a", limit=9) == [5]


def test_an_as_of_read_of_a_record_that_is_purged_meanwhile_finds_nothing(
    world: QuickWorld,
) -> None:
    changes(world, 3)
    unseen(world, 3, reads=1, then=lambda: purged(world))
    assert as_of(world, 3) is None
    with pytest.raises(NotFound):
        versions(world, "a")


def test_a_log_entry_that_is_not_seen_yet_is_waited_for(world: QuickWorld) -> None:
    world.put("a", "v1")
    world.put("a", "v2")
    at, hidden = world.log.at, iter([True])
    world.log.at = (  # type: ignore[method-assign]
        lambda *args: {} if next(hidden, False) else at(*args)
    )
    assert versions(world, "a") == [2, 1]
