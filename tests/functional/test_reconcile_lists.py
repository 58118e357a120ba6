"""Lists: what is refused before anything begins, and dry runs."""

from collections.abc import Callable
from typing import Any

import pytest

from palimpsest.domain.commit_planning import Operation
from palimpsest.domain.errors import InvalidRequest
from palimpsest.domain.pass_report import PassReport
from palimpsest.domain.records import Content
from palimpsest.services.reconciling import planning
from palimpsest.services.reconciling.pass_files import Desired
from quick_world import QuickWorld
from reconcile_world import desired, facts
from world import NAMESPACE, TENANT

OLD = {"a": "Ada keeps bees.", "b": "Ben bakes bread.", "c": "Cleo mends clocks."}
NEW = {"a": OLD["a"], "b": "Ben bakes cakes.", "d": "Dan rows boats.", "e": "Eve plays chess."}
WAYS = [{}, {"dry_run": True}, {"job": True}, {"job": True, "dry_run": True}]
KINDS = ("added", "updated", "removed", "unchanged", "embedded", "reused_vectors")


@pytest.fixture
def listed(quick: QuickWorld) -> QuickWorld:
    quick.reconcile(5, OLD)
    return quick


def numbers(report: PassReport) -> dict[str, int]:
    return {kind: getattr(report, kind) for kind in KINDS}


@pytest.mark.parametrize("way", WAYS)
def test_d7_an_id_that_is_on_the_list_twice_is_refused_before_anything_begins(
    listed: QuickWorld, way: dict[str, bool]
) -> None:
    before, twice = listed.items(), [*desired(NEW), ("b", Content(text="Ben again."))]
    with pytest.raises(InvalidRequest) as caught:
        listed.passes.reconcile(listed.request(9), twice, **way)
    (error,) = caught.value.errors
    assert (error.loc, error.type) == (("body", "active", 4, "id"), "twice")
    assert (listed.items(), list(listed.objects.keys("")), listed.starter.payloads) == (
        before,
        [],
        [],
    )
    assert listed.reconcile(6, OLD).applied  # 9 was never begun


@pytest.mark.parametrize("way", WAYS)
def test_a_list_may_have_so_many_records_and_not_one_more(
    listed: QuickWorld, way: dict[str, bool], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(planning, "MOST_RECORDS", 4)
    before = listed.items()
    with pytest.raises(InvalidRequest) as caught:
        listed.passes.reconcile(listed.request(6), desired(NEW | {"f": "Fay."}), **way)
    assert [error.type for error in caught.value.errors] == ["too_long"]
    assert listed.items() == before
    listed.passes.reconcile(listed.request(6), desired(NEW), **way)


def test_a_dry_run_tells_what_applying_does_and_begins_nothing(listed: QuickWorld) -> None:
    listed.put("own", "A client's own.")
    before = listed.items()
    told = listed.reconcile(6, NEW, dry_run=True)
    assert listed.items() == before
    assert (told.applied, told.dry_run, told.verified, told.revision) == (False, True, False, 2)
    assert told.ids == {"added": ("d", "e"), "updated": ("b",), "removed": ("c", "own")}
    done = listed.reconcile(6, NEW)
    assert numbers(done) == numbers(told)
    assert (done.ids, told.source_revision) == (None, 6)
    again = listed.reconcile(6, NEW, dry_run=True)
    assert (again.ids, again.unchanged) == ({"added": (), "updated": (), "removed": ()}, 4)


def test_a_dry_run_that_would_be_stale_says_so(listed: QuickWorld) -> None:
    told = listed.reconcile(4, NEW, dry_run=True)
    assert (told.applied, told.dry_run, told.reason, told.newest) == (False, True, "stale", 5)
    assert listed.reconcile(5, NEW, dry_run=True).reason is None


def test_a_dry_run_neither_counts_nor_tells_what_it_would_embed_twice(listed: QuickWorld) -> None:
    kept = {i: Content(text=text, kind="fact") for i, text in OLD.items()}
    told = listed.reconcile(6, {**kept, "d": "Dan rows boats."}, dry_run=True)
    assert (told.embedded, told.reused_vectors) == (1, 3)
    assert told.usage == {}


def test_a_dry_run_tells_the_first_hundred_ids_of_a_kind(quick: QuickWorld) -> None:
    told = quick.reconcile(1, facts(101), dry_run=True)
    assert (told.added, told.ids) == (
        101,
        {"added": tuple(facts(100)), "updated": (), "removed": ()},
    )


Changed = Callable[[list[Desired]], list[Desired]]
CHANGES: dict[str, Changed] = {
    "another text": lambda rows: [*rows[:-1], (rows[-1][0], Content(text="Something else."))],
    "another text of what is unchanged": lambda rows: [("a", Content(text="x")), *rows[1:]],
    "one more": lambda rows: [*rows, ("z", Content(text="Zoe."))],
    "one less": lambda rows: rows[:-1],
    "one twice": lambda rows: [*rows, rows[1]],
    "nothing": lambda _: [],
}


@pytest.mark.parametrize("change", list(CHANGES))
def test_a_list_that_changes_while_it_is_read_is_refused(listed: QuickWorld, change: str) -> None:
    readings = iter([desired(NEW), CHANGES[change](list(desired(NEW)))])
    one = listed.beginning.begin(listed.request(6), attempt="attempt")
    with pytest.raises(InvalidRequest) as caught:
        listed.pass_jobs.planning.plan(one, lambda: next(readings), None)
    assert "changed" in str(caught.value)


def test_a_list_in_another_order_at_its_second_reading_is_the_same_list(
    listed: QuickWorld,
) -> None:
    readings = iter([desired(NEW), desired(NEW)[::-1]])
    one = listed.beginning.begin(listed.request(6), attempt="attempt")
    planned = listed.pass_jobs.planning.plan(one, lambda: next(readings), None)
    assert (planned.changes, planned.unchanged) == (4, 1)


def test_pages_put_first_and_remove_last_and_end_at_so_many_changes_or_bytes(
    listed: QuickWorld, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(planning, "PAGE_CHANGES", 2)
    pages = kept_pages(listed)
    assert pages == [["b", "d"], ["e"], ["c"]]
    monkeypatch.setattr(planning, "PAGE_CHANGES", 250)
    size = Content(text=NEW["b"]).size + Content(text=NEW["d"]).size
    for most, first in ((size, ["b", "d"]), (size - 1, ["b"])):
        monkeypatch.setattr(planning, "PAGE_BYTES", most)
        assert kept_pages(listed)[0] == first


def kept_pages(world: QuickWorld) -> list[list[str]]:
    """The ids of each page of a pass, which is not applied."""
    job = world.begun(0, NEW)
    numbers, _ = world.pass_jobs.plan(world.job(job))
    files: Any = world.pass_jobs._files(job)
    return [[change.id for change in files.page(number)] for number in numbers]


def test_a_pass_of_one_namespace_leaves_the_others_alone(listed: QuickWorld) -> None:
    listed.commit(Operation(id="x", content=Content(text="theirs")), namespace="other")
    listed.reconcile(6, {})
    assert listed.store.read(TENANT, "other", ["x"])[1]["x"].status == "active"
    assert listed.active() == {}
    assert listed.fences.read(TENANT, "other").begun == 0
    assert listed.fences.read(TENANT, NAMESPACE).begun == 6
