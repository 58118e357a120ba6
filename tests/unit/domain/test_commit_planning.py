from collections.abc import Sequence
from datetime import UTC, datetime
from itertools import count

import pytest
from hypothesis import given
from hypothesis import strategies as st

from palimpsest.domain.commit_form import check_form
from palimpsest.domain.commit_planning import (
    EXISTS,
    CommitRequest,
    Guard,
    Operation,
    Planned,
    plan_commit,
)
from palimpsest.domain.commits import Clock
from palimpsest.domain.errors import InvalidRequest, NotFound, RevisionConflict
from palimpsest.domain.records import Content, Record, Status

NOW = datetime(2026, 1, 1, tzinfo=UTC)
IDS = ("a", "b", "c", "d")


class Namespace:
    """A namespace in memory that applies plans, as the table would."""

    def __init__(self) -> None:
        self.clock = Clock(counts=dict.fromkeys(Status, 0))
        self.records: dict[str, Record] = {}
        self._ids = count()

    def plan(self, operations: Sequence[Operation], expected: int | None = None) -> Planned:
        request = CommitRequest(
            tenant="t", namespace="n", operations=operations, by="k", expected_revision=expected
        )
        check_form(request)
        return plan_commit(
            request, self.clock, self.records, now=NOW, commit_id=str(next(self._ids))
        )

    def commit(self, *operations: Operation, expected: int | None = None) -> Planned:
        planned = self.plan(operations, expected)
        if planned.plan is not None:
            for change in planned.plan.changes:
                assert self.records.get(change.after.id) == change.before
                self.records[change.after.id] = change.after
            self.clock = Clock(revision=planned.revision, counts=planned.plan.counts)
        return planned


def put(
    record_id: str, text: str, *, guard: Guard = None, supersedes: tuple[str, ...] = ()
) -> Operation:
    return Operation(id=record_id, content=Content(text=text, supersedes=supersedes), guard=guard)


def forget(record_id: str, *, guard: Guard = None) -> Operation:
    return Operation(id=record_id, content=None, guard=guard)


def test_a_first_put_creates_at_revision_one() -> None:
    planned = Namespace().commit(put("a", "x"))
    (outcome,) = planned.outcomes
    assert (outcome.created, outcome.changed, outcome.revision) == (True, True, 1)


def test_a_put_that_changes_nothing_keeps_its_revision_and_the_clock() -> None:
    space = Namespace()
    space.commit(put("a", "x"))
    planned = space.commit(put("a", "x"))
    assert (planned.plan, planned.revision, planned.outcomes[0].changed) == (None, 1, False)


@pytest.mark.parametrize(("old", "new"), [(1, True), (1, 1.0), (0, False)])
def test_metadata_that_python_calls_equal_is_still_a_change(old: float, new: float) -> None:
    space = Namespace()
    space.commit(Operation(id="a", content=Content(text="x", metadata={"n": old})))
    planned = space.commit(Operation(id="a", content=Content(text="x", metadata={"n": new})))
    assert planned.outcomes[0].changed


def test_a_commit_with_one_unchanged_operation_keeps_that_records_revision() -> None:
    space = Namespace()
    space.commit(put("a", "x"))
    planned = space.commit(put("a", "x"), put("b", "y"))
    assert [(o.id, o.revision, o.changed) for o in planned.outcomes] == [
        ("a", 1, False),
        ("b", 2, True),
    ]


@pytest.mark.parametrize("guard", [0, 2, 7])
def test_a_failed_guard_tells_what_was_found(guard: int) -> None:
    space = Namespace()
    space.commit(put("a", "x"))
    with pytest.raises(RevisionConflict) as raised:
        space.commit(put("a", "y", guard=guard))
    (conflict,) = raised.value.operations
    assert (conflict.expected_revision, conflict.revision) == (guard, 1)
    assert raised.value.current_revision == 1


def test_a_guard_for_anything_there_refuses_what_is_absent_or_forgotten() -> None:
    space = Namespace()
    with pytest.raises(RevisionConflict):
        space.commit(put("a", "x", guard=EXISTS))
    space.commit(put("a", "x"))
    assert space.commit(put("a", "y", guard=EXISTS)).revision == 2
    space.commit(forget("a"))
    with pytest.raises(RevisionConflict):
        space.commit(put("a", "z", guard=EXISTS))


def test_a_stale_namespace_guard_refuses_with_the_clock_and_no_operations() -> None:
    space = Namespace()
    space.commit(put("a", "x"))
    with pytest.raises(RevisionConflict) as raised:
        space.commit(put("b", "y"), expected=0)
    assert (raised.value.current_revision, raised.value.operations) == (1, ())


def test_every_failed_guard_of_a_commit_is_reported() -> None:
    space = Namespace()
    space.commit(put("a", "x"), put("b", "x"))
    with pytest.raises(RevisionConflict) as raised:
        space.commit(put("a", "y", guard=0), put("b", "y", guard=5), put("c", "y", guard=0))
    assert [c.id for c in raised.value.operations] == ["a", "b"]


def test_forgetting_leaves_a_tombstone_without_content_and_a_history_floor() -> None:
    space = Namespace()
    space.commit(put("a", "x"))
    space.commit(forget("a"))
    record = space.records["a"]
    assert (record.status, record.content, record.revision, record.history_floor) == (
        Status.DELETED,
        None,
        2,
        2,
    )


def test_the_history_floor_stays_with_a_later_record_of_the_same_id() -> None:
    space = Namespace()
    space.commit(put("a", "x"))
    space.commit(forget("a"))
    planned = space.commit(put("a", "again", guard=0))
    assert planned.outcomes[0].created
    assert space.records["a"].history_floor == 2


@pytest.mark.parametrize("twice", [False, True])
def test_forgetting_what_is_not_there_is_not_found_for_the_whole_commit(*, twice: bool) -> None:
    space = Namespace()
    if twice:
        space.commit(put("a", "x"))
        space.commit(forget("a"))
    with pytest.raises(NotFound):
        space.commit(put("b", "y"), forget("a"))


def test_superseding_marks_the_old_ones_in_the_same_commit() -> None:
    space = Namespace()
    space.commit(put("a", "x"), put("b", "y"))
    space.commit(put("c", "z", supersedes=("a", "b")))
    for old in ("a", "b"):
        record = space.records[old]
        assert (record.status, record.superseded_by, record.revision) == (Status.SUPERSEDED, "c", 2)
        assert record.content is not None


def test_superseding_the_same_record_again_changes_nothing() -> None:
    space = Namespace()
    space.commit(put("a", "x"))
    space.commit(put("c", "z", supersedes=("a",)))
    assert space.commit(put("c", "z", supersedes=("a",))).plan is None


def test_putting_a_superseded_record_makes_it_active_again() -> None:
    space = Namespace()
    space.commit(put("a", "x"))
    space.commit(put("c", "z", supersedes=("a",)))
    planned = space.commit(put("a", "x"))
    assert planned.outcomes[0].changed
    assert (space.records["a"].status, space.records["a"].superseded_by) == (Status.ACTIVE, None)


def test_the_link_stays_when_the_superseding_record_goes() -> None:
    space = Namespace()
    space.commit(put("a", "x"))
    space.commit(put("c", "z", supersedes=("a",)))
    space.commit(forget("c"))
    assert (space.records["a"].status, space.records["a"].superseded_by) == (Status.SUPERSEDED, "c")


@pytest.mark.parametrize("old", ["nobody", "gone"])
def test_superseding_what_is_not_there_is_invalid(old: str) -> None:
    space = Namespace()
    space.commit(put("gone", "x"))
    space.commit(forget("gone"))
    with pytest.raises(InvalidRequest):
        space.commit(put("c", "z", supersedes=(old,)))


def test_d7_a_put_repeated_as_it_was_is_unchanged_whatever_was_forgotten_since() -> None:
    space = Namespace()
    space.commit(put("a", "x"))
    space.commit(put("c", "z", supersedes=("a",)))
    space.commit(forget("a"))
    assert space.commit(put("c", "z", supersedes=("a",))).plan is None
    with pytest.raises(InvalidRequest):
        space.commit(put("c", "changed", supersedes=("a",)))


def test_an_id_twice_in_a_commit_is_invalid_also_by_superseding() -> None:
    space = Namespace()
    space.commit(put("a", "x"))
    for operations in (
        [put("b", "1"), put("b", "2")],
        [put("b", "1", supersedes=("b",))],
        [put("a", "1"), put("b", "2", supersedes=("a",))],
        [put("b", "1", supersedes=("a",)), put("c", "2", supersedes=("a",))],
        [put("b", "1", supersedes=("a", "a"))],
    ):
        with pytest.raises(InvalidRequest):
            space.commit(*operations)


@pytest.mark.parametrize(("operations", "fits"), [(0, False), (1, True), (25, True), (26, False)])
def test_a_commit_has_one_to_twenty_five_operations(operations: int, *, fits: bool) -> None:
    space = Namespace()
    wanted = [put(f"r{n}", "x") for n in range(operations)]
    if fits:
        assert space.commit(*wanted).revision == 1
    else:
        with pytest.raises(InvalidRequest):
            space.commit(*wanted)


def test_twenty_records_are_superseded_in_one_commit_and_twenty_one_are_not() -> None:
    space = Namespace()
    space.commit(*(put(f"r{n}", "x") for n in range(21)))
    ids = tuple(f"r{n}" for n in range(21))
    with pytest.raises(InvalidRequest):
        space.commit(put("n1", "x", supersedes=ids[:11]), put("n2", "x", supersedes=ids[11:]))
    assert space.commit(put("n1", "x", supersedes=ids[:20])).revision == 2


steps = st.lists(
    st.lists(
        st.tuples(
            st.sampled_from(["put", "forget"]),
            st.sampled_from(IDS),
            st.sampled_from(["x", "y"]),
            st.lists(st.sampled_from(IDS), max_size=2, unique=True),
        ),
        min_size=1,
        max_size=3,
    ),
    max_size=25,
)


@given(steps)
def test_counts_and_clock_are_true_after_any_history_of_commits(
    history: list[list[tuple[str, str, str, list[str]]]],
) -> None:
    space = Namespace()
    for operations in history:
        wanted = [
            put(record_id, text, supersedes=tuple(old)) if kind == "put" else forget(record_id)
            for kind, record_id, text, old in operations
        ]
        before = space.clock.revision
        try:
            planned = space.commit(*wanted)
        except (InvalidRequest, NotFound):
            assert space.clock.revision == before
            continue
        assert space.clock.revision == before + (planned.plan is not None)
        true = {s: sum(r.status is s for r in space.records.values()) for s in Status}
        assert dict(space.clock.counts) == true
        assert max((r.revision for r in space.records.values()), default=0) == space.clock.revision
