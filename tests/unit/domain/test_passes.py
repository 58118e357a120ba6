from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from palimpsest.domain.commits import Clock, CommitPlan
from palimpsest.domain.passes import (
    MAX_REVISION,
    Displaced,
    Fence,
    Pass,
    PlannedChange,
    plan_pass_commit,
)
from palimpsest.domain.planning import ChangeKind
from palimpsest.domain.records import Content, Record, Status
from palimpsest.domain.vectors import Vector

BEFORE, NOW = datetime(2026, 1, 1, tzinfo=UTC), datetime(2026, 6, 1, tzinfo=UTC)
MODELS = ("first:1", "second:2")
PASS = Pass(
    tenant="acme",
    namespace="notes",
    revision=7,
    attempt="attempt",
    base=10,
    floor=2,
    forget=False,
    by="key",
)


def record(
    record_id: str, revision: int, status: Status = Status.ACTIVE, text: str = "old"
) -> Record:
    gone = status is Status.DELETED
    return Record(
        id=record_id,
        namespace="notes",
        revision=revision,
        status=status,
        content=None if gone else Content(text=text),
        created_at=BEFORE,
        updated_at=BEFORE,
        history_floor=revision if gone else 0,
    )


def put(record_id: str, text: str = "new") -> PlannedChange:
    return PlannedChange(ChangeKind.UPDATED, record_id, Content(text=text))


def removal(record_id: str) -> PlannedChange:
    return PlannedChange(ChangeKind.REMOVED, record_id)


def clock_of(records: Sequence[Record], *, floor: int = 2) -> Clock:
    counts = {
        status: sum(r.status is status and r.revision > floor for r in records) for status in Status
    }
    return Clock(revision=10, counts=counts, floor=floor)


def planned(
    changes: Sequence[PlannedChange],
    *records: Record,
    one: Pass = PASS,
    clock: Clock | None = None,
    vectors: Mapping[str, tuple[str, Vector]] | None = None,
) -> CommitPlan | None:
    return plan_pass_commit(
        one,
        changes,
        clock or clock_of(records),
        {r.id: r for r in records},
        vectors=vectors or {},
        models=MODELS,
        now=NOW,
        commit_id="commit",
    )


def done(*changes: PlannedChange, records: Sequence[Record] = (), one: Pass = PASS) -> CommitPlan:
    plan = planned(changes, *records, one=one)
    assert plan is not None
    return plan


IDS = [f"r{n}" for n in range(5)]
STATES = st.builds(
    record,
    st.just("r"),
    st.integers(1, 14),
    st.sampled_from(Status),
    st.sampled_from(["old", "new"]),
)
CHANGES = st.dictionaries(
    st.sampled_from(IDS), st.sampled_from([removal("x"), put("x", "new"), put("x", "other")])
)


@given(
    st.dictionaries(st.sampled_from(IDS), STATES),
    CHANGES,
    st.sampled_from([PASS, replace(PASS, forget=True)]),
)
def test_a_commit_of_a_pass_is_nothing_once_it_is_applied_and_leaves_what_came_later(
    states: dict[str, Record], changing: dict[str, PlannedChange], one: Pass
) -> None:
    records = {i: replace(r, id=i) for i, r in states.items()}
    changes = [replace(change, id=i) for i, change in changing.items()]
    clock = replace(clock_of(list(records.values())), revision=14)
    plan = planned(changes, *records.values(), one=one, clock=clock)
    if plan is None:
        return
    assert plan.revision == 15
    assert all(records[c.after.id].revision <= 10 for c in plan.changes if c.before is not None)
    after = records | {c.after.id: c.after for c in plan.changes}
    for change in changes:
        before = records.get(change.id)
        if before is None or before.revision <= 10:
            text = content.text if (content := change.content) else None
            here = after.get(change.id)
            active = here is not None and here.status is Status.ACTIVE and here.revision > 2
            assert (here.content.text if active and here and here.content else None) == text
    then = replace(clock, revision=15, counts=plan.counts)
    assert then.counts == replace(clock_of(list(after.values()))).counts
    assert planned(changes, *after.values(), one=one, clock=then) is None


def test_a_commit_carries_the_fence_and_whose_it_is() -> None:
    plan = done(put("a"))
    assert (plan.fence, plan.by, plan.commit_id) == ("attempt", "key", "commit")
    assert (plan.tenant, plan.namespace, plan.at) == ("acme", "notes", NOW)
    assert not plan.purges


def test_a_commit_makes_the_vectors_of_what_it_puts_and_retires_those_of_what_leaves() -> None:
    made = {name: (f"hash of {name}", (1.0,)) for name in ("a", "b", "c")}
    records = [record("b", 3, text="new"), record("gone", 4)]
    changes = [put("a"), put("b"), removal("gone")]
    plan = planned(changes, *records, vectors=made)
    assert plan is not None
    assert plan.vectors is not None
    assert plan.vectors.fingerprint == "first:1"
    assert plan.vectors.made == {"a": ("hash of a", (1.0,))}  # b has its content already
    assert (plan.vectors.retired, plan.vectors.of) == (("gone",), MODELS)


def test_what_is_not_on_the_list_is_superseded_by_nothing_else() -> None:
    (change,) = done(removal("a"), records=[record("a", 3)]).changes
    assert change.after == replace(
        record("a", 3), status=Status.SUPERSEDED, revision=11, updated_at=NOW
    )


def test_what_is_not_on_the_list_is_forgotten_where_that_was_asked_for() -> None:
    forgetting = replace(PASS, forget=True)
    (change,) = done(removal("a"), records=[record("a", 3)], one=forgetting).changes
    assert (change.after.status, change.after.content) == (Status.DELETED, None)
    assert (change.after.history_floor, change.after.created_at) == (11, BEFORE)


@pytest.mark.parametrize("status", [Status.SUPERSEDED, Status.DELETED])
def test_what_is_not_active_is_not_removed_again(status: Status) -> None:
    assert planned([removal("a")], record("a", 3, status)) is None
    assert planned([removal("a")]) is None


def test_what_was_purged_is_not_there_to_be_removed() -> None:
    assert planned([removal("a")], record("a", 2)) is None
    assert planned([removal("a")], record("a", 3)) is not None


def test_what_was_purged_is_made_anew_above_its_old_item() -> None:
    old = replace(record("a", 2), history_floor=1)
    (change,) = done(put("a"), records=[old]).changes
    assert (change.before, change.after.created_at) == (old, NOW)
    assert change.after.history_floor == 1


def test_what_was_superseded_becomes_active_again_as_the_same_record() -> None:
    plan = done(put("a"), records=[record("a", 3, Status.SUPERSEDED)])
    (change,) = plan.changes
    assert (change.after.status, change.after.created_at) == (Status.ACTIVE, BEFORE)
    assert plan.counts == {Status.ACTIVE: 1, Status.SUPERSEDED: 0, Status.DELETED: 0}


def test_what_a_client_has_written_after_the_base_stands_and_before_it_does_not() -> None:
    for change in (put("a"), removal("a")):
        assert planned([change], record("a", 11)) is None
        assert planned([change], record("a", 10)) is not None


def test_a_purge_since_the_pass_began_displaces_it() -> None:
    assert planned([put("a")], clock=Clock(revision=12, floor=2)) is not None
    with pytest.raises(Displaced) as caught:
        planned([put("a")], clock=Clock(revision=12, floor=3))
    assert caught.value.newest == 7


def test_a_fence_refuses_what_is_lower_than_the_newest_begun_and_never_0() -> None:
    fence = Fence(begun=5)
    refused = {r: fence.refuses(r) for r in (0, 1, 4, 5, 6, MAX_REVISION)}
    assert refused == {0: False, 1: True, 4: True, 5: False, 6: False, MAX_REVISION: False}
    assert not Fence().refuses(1)
