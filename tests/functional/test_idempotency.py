"""Idempotency keys over the table: what is kept, when it is looked at, and racing twins."""

from typing import Any

import pytest

from palimpsest.adapters.simulated import Fault, FaultKind
from palimpsest.domain.commit_planning import CommitRequest, Guard, Operation
from palimpsest.domain.errors import (
    IdempotencyMismatch,
    InvalidRequest,
    RevisionConflict,
    Throttled,
)
from palimpsest.domain.idempotency import KEPT_FOR, Applied, IdempotencyKey
from palimpsest.domain.records import Content
from palimpsest.services.commit import Committed
from world import NAMESPACE, TENANT, World


@pytest.fixture
def world(tables: dict[str, str]) -> World:
    """Over moto, whose client these tests look into."""
    return World(tables["RecordsTable"])


KEY = IdempotencyKey("k", "request")


def put(
    world: World, text: str = "x", *, key: IdempotencyKey = KEY, guard: Guard = None
) -> Committed:
    operation = Operation(id="a", content=Content(text=text), guard=guard)
    return world.commits.commit(
        CommitRequest(
            tenant=TENANT, namespace=NAMESPACE, operations=[operation], by="k", idempotency=key
        )
    )


def clock(world: World) -> int:
    return world.store.read(TENANT, NAMESPACE)[0].revision


def test_the_same_key_and_request_write_once_before_any_guard(world: World) -> None:
    first = put(world, guard=0)
    again = put(world, guard=0)
    assert (again.repeated, again.outcomes, again.revision) == (True, first.outcomes, 1)
    assert clock(world) == 1


def test_another_request_under_the_key_is_a_mismatch_and_writes_nothing(world: World) -> None:
    put(world)
    with pytest.raises(IdempotencyMismatch):
        put(world, "y", key=IdempotencyKey("k", "another"))
    assert clock(world) == 1


def test_a_failure_is_not_kept(world: World) -> None:
    with pytest.raises(RevisionConflict):
        put(world, guard=1)
    put(world, key=IdempotencyKey("other", "r"))
    assert not put(world, "changed", guard=1).repeated


def test_a_change_that_changes_nothing_is_kept_too(world: World) -> None:
    put(world, key=IdempotencyKey("other", "r"))
    first = put(world)
    assert (first.outcomes[0].changed, first.revision) == (False, 1)
    world.put("a", "changed since")
    again = put(world)
    assert (again.repeated, again.outcomes) == (True, first.outcomes)


def test_a_key_is_kept_for_24_hours_and_counts_as_absent_after(world: World) -> None:
    put(world)
    world.clock.move(24 * 3600 - 0.001)
    assert put(world).repeated
    world.clock.move(0.001)
    with_another_request = put(world, "y", key=IdempotencyKey("k", "another"))
    assert not with_another_request.repeated
    assert put(world, "y", key=IdempotencyKey("k", "another")).repeated


def test_f1_what_is_kept_has_no_content(world: World) -> None:
    put(world, "zebrasecret")
    (item,) = [
        i for i in world.client.scan(TableName=world.table)["Items"] if i["sk"]["S"] == "K#k"
    ]
    assert "zebrasecret" not in str(item)
    assert int(item["ttl"]["N"]) == pytest.approx(world.clock.now().timestamp() + 24 * 3600, abs=2)


@pytest.mark.parametrize("guard", [0, None])
def test_a_twin_that_was_first_meanwhile_gives_its_answer(world: World, guard: Guard) -> None:
    """The twin is applied between this one's look for the key and its read of the records."""
    read, raced = world.store.read, list[bool]()

    def after_the_twin(*args: Any) -> Any:
        if not raced:
            raced.append(True)
            put(World(world.table), guard=guard)
        return read(*args)

    world.store.read = after_the_twin  # type: ignore[method-assign,assignment]
    answer = put(world, guard=guard)
    assert (answer.repeated, answer.revision, clock(world)) == (True, 1, 1)


def test_a_twin_with_another_body_that_was_first_meanwhile_is_a_mismatch(world: World) -> None:
    read, raced = world.store.read, list[bool]()

    def after_the_twin(*args: Any) -> Any:
        if not raced:
            raced.append(True)
            put(World(world.table), "first")
        return read(*args)

    world.store.read = after_the_twin  # type: ignore[method-assign,assignment]
    with pytest.raises(IdempotencyMismatch):
        put(world, "second", key=IdempotencyKey("k", "another"), guard=0)


def test_a_refusal_is_told_where_no_twin_was_applied(world: World) -> None:
    request = CommitRequest(
        tenant=TENANT,
        namespace=NAMESPACE,
        operations=[Operation(id="a", content=Content(text="x", supersedes=("nobody",)))],
        by="k",
        idempotency=KEY,
    )
    with pytest.raises(InvalidRequest):
        world.commits.commit(request)
    assert clock(world) == 0


def test_a_key_that_others_keep_writing_under_asks_for_patience(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("time.sleep", lambda _: None)
    refusal = world.client.exceptions.TransactionCanceledException({}, "TransactGetItems")

    def busy(**_: Any) -> Any:
        raise refusal

    monkeypatch.setattr(world.client, "transact_get_items", busy)
    with pytest.raises(Throttled):
        world.store.applied(TENANT, NAMESPACE, KEY, serial=True)


def test_retrying_the_ledger_is_kept_under_its_key(world: World) -> None:
    world.embedder.inject(Fault(kind=FaultKind.OUTAGE))
    world.put_many({"a": "x", "b": "y"})
    world.project()
    assert world.unsearchable.retry(TENANT, NAMESPACE, key=KEY) == 2
    world.embedder.heal()
    world.project()
    assert world.unsearchable.retry(TENANT, NAMESPACE, key=KEY) == 2
    assert world.unsearchable.retry(TENANT, NAMESPACE) == 0
    with pytest.raises(IdempotencyMismatch):
        world.unsearchable.retry(TENANT, NAMESPACE, key=IdempotencyKey("k", "another"))


def test_a_retry_whose_twin_was_first_gives_the_twins_count(world: World) -> None:
    together = world.store.stood_together

    def after_the_twin(*args: Any, **options: Any) -> bool:
        world.store.stood_together = together  # type: ignore[method-assign]
        applied = Applied(key=KEY, until=world.clock.now() + KEPT_FOR, count=7)
        assert together(TENANT, NAMESPACE, [], {}, keep=applied)
        return together(*args, **options)

    world.store.stood_together = after_the_twin  # type: ignore[method-assign]
    assert world.unsearchable.retry(TENANT, NAMESPACE, key=KEY) == 7
