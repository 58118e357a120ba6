"""The DynamoDB adapters of reconcile, purge and jobs over the table as the template makes it."""

from types import SimpleNamespace
from typing import Any

import pytest
from botocore.exceptions import ClientError

from palimpsest.adapters.dynamodb import fences, items, purging
from palimpsest.domain.commits import CommitPlan, VectorChanges
from palimpsest.domain.errors import Throttled
from palimpsest.domain.idempotency import Applied, IdempotencyKey
from palimpsest.domain.jobs import JobStatus
from palimpsest.domain.ledger import LedgerEntry, Reason
from palimpsest.domain.passes import Fence
from palimpsest.domain.planning import Standing
from palimpsest.domain.queries import Mode
from palimpsest.domain.records import Content, Status
from reconcile_world import ReconcileWorld, facts
from world import NAMESPACE, TENANT

PARTITION = f"{TENANT}#{NAMESPACE}"


@pytest.fixture
def world(tables: dict[str, str]) -> ReconcileWorld:
    return ReconcileWorld(tables["RecordsTable"])


def stored(world: ReconcileWorld, prefix: str) -> dict[str, Any]:
    answer = world.client.query(
        TableName=world.table,
        KeyConditionExpression="pk = :pk AND begins_with(sk, :prefix)",
        ExpressionAttributeValues={":pk": {"S": PARTITION}, ":prefix": {"S": prefix}},
    )
    return {item["sk"]["S"]: item for item in answer["Items"]}


def test_passes_jobs_purges_and_canonical_ones_run_on_the_table(world: ReconcileWorld) -> None:
    first = world.reconcile(1, facts(4))
    assert (first.added, first.verified, first.embedded) == (4, True, 4)
    assert not world.reconcile(0, facts(2), dry_run=True).applied
    ended = world.run(world.begun(2, facts(3, "second")))
    assert ended.result is not None
    assert (ended.result["updated"], ended.result["removed"], ended.result["verified"]) == (
        3,
        1,
        True,
    )
    assert world.reconcile(1, {}).reason == "stale"
    assert world.canonical.reconcile(TENANT, NAMESPACE, dry_run=False).verified
    purged = world.run_purge(world.purges.purge(TENANT, NAMESPACE, by="key"))
    assert purged.status is JobStatus.SUCCEEDED
    assert purged.result is not None
    assert set(purged.result["receipt"].values()) == {0}
    assert world.reconcile(2, facts(2)).verified
    assert world.found(facts(2)["f0001"], mode=Mode.SEMANTIC)[0] == "f0001"


def test_a_fence_goes_upward_only_and_0_leaves_its_revision(world: ReconcileWorld) -> None:
    def begin(revision: int, attempt: str) -> bool:
        return world.fences.begin(
            TENANT, NAMESPACE, revision, attempt=attempt, asked=world.clock.now()
        )

    def read() -> Fence:
        return world.fences.read(TENANT, NAMESPACE)

    assert read() == Fence()
    assert begin(0, "a")
    assert read() == Fence(attempt="a")
    assert begin(5, "b")
    assert begin(5, "b")  # a repetition whose first answer was lost
    assert not begin(4, "c")
    assert read() == Fence(begun=5, attempt="b")
    assert begin(0, "d")
    assert not world.fences.finish(TENANT, NAMESPACE, 5, attempt="b")
    assert world.fences.finish(TENANT, NAMESPACE, 0, attempt="d")
    assert read() == Fence(begun=5, attempt="d")
    assert begin(2**53 - 1, "e")
    assert world.fences.finish(TENANT, NAMESPACE, 2**53 - 1, attempt="e")
    assert read() == Fence(begun=2**53 - 1, attempt="e", applied=2**53 - 1)


def test_a_fence_is_read_together_with_the_clock(world: ReconcileWorld) -> None:
    fence, clock = world.fences.settled(TENANT, NAMESPACE)
    assert (fence, clock.revision, clock.counts) == (Fence(), 0, dict.fromkeys(Status, 0))
    world.put("a", "Ada keeps bees.")
    world.fences.begin(TENANT, NAMESPACE, 3, attempt="a", asked=world.clock.now())
    fence, clock = world.fences.settled(TENANT, NAMESPACE)
    assert (fence.begun, clock.revision, clock.counts[Status.ACTIVE]) == (3, 1, 1)


class Conflicting:
    """A client whose first transactional reads meet a transaction under way."""

    def __init__(self, client: Any, times: int) -> None:
        self._client, self._left = client, times
        self.exceptions = client.exceptions

    def transact_get_items(self, **asked: Any) -> Any:
        if self._left:
            self._left -= 1
            answer: Any = {
                "Error": {"Code": "TransactionCanceledException", "Message": "no"},
                "ResponseMetadata": {"HTTPStatusCode": 400},
            }
            error: ClientError = self.exceptions.TransactionCanceledException(
                answer, "TransactGetItems"
            )
            raise error
        return self._client.transact_get_items(**asked)


@pytest.mark.parametrize(("less", "settled"), [(1, True), (0, False)])
def test_fence_and_clock_are_read_again_where_others_write(
    world: ReconcileWorld, less: int, *, settled: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(fences, "time", SimpleNamespace(sleep=world.clock.move))
    client: Any = Conflicting(world.client, fences.SETTLING_TRIES - less)
    asked = fences.DynamoFences(world.table, client)
    if settled:
        assert asked.settled(TENANT, NAMESPACE)[0] == Fence()
        return
    with pytest.raises(Throttled):
        asked.settled(TENANT, NAMESPACE)


def plan(world: ReconcileWorld, **more: Any) -> CommitPlan:
    clock, _ = world.store.read(TENANT, NAMESPACE)
    return CommitPlan(
        tenant=TENANT,
        namespace=NAMESPACE,
        commit_id=f"0f8fad5b-d9cb-469f-a165-7086772{clock.revision:05}",
        clock=clock,
        counts=clock.counts,
        changes=(),
        at=world.clock.now(),
        by="key",
        **more,
    )


def test_a_commit_under_a_fence_is_applied_only_while_it_bears_its_attempt(
    world: ReconcileWorld,
) -> None:
    assert not world.store.commit(plan(world, fence="a"))
    world.fences.begin(TENANT, NAMESPACE, 0, attempt="a", asked=world.clock.now())
    assert world.store.commit(plan(world, fence="a"))
    world.fences.begin(TENANT, NAMESPACE, 0, attempt="b", asked=world.clock.now())
    assert not world.store.commit(plan(world, fence="a"))
    assert world.store.commit(plan(world, purges=True))
    assert not world.store.commit(plan(world, fence="b"))
    assert world.store.read(TENANT, NAMESPACE)[0].floor == 2


def test_a_commit_makes_and_retires_vectors(world: ReconcileWorld) -> None:
    made = VectorChanges(
        fingerprint="m:2", made={"a": ("hash", (0.6, 0.8)), "b": ("hash", (1.0, 0.0))}
    )
    assert world.store.commit(plan(world, vectors=made))
    wanted = {"a": "hash", "b": "another hash"}
    held = world.vectors.held(TENANT, NAMESPACE, wanted, fingerprint="m:2")
    assert held == {"a": pytest.approx((0.6, 0.8), abs=1e-3)}
    gone = VectorChanges(fingerprint="m:2", retired=("a", "never there"), of=("m:2", "n:2"))
    assert world.store.commit(plan(world, vectors=gone))
    assert list(stored(world, "V#")) == ["V#b#m:2"]


def test_a_scan_sees_each_record_once_in_the_order_of_ids(world: ReconcileWorld) -> None:
    world.put("b", "Ben bakes bread.")
    world.put("~", "The last of all ids.")
    world.put("a", "Ada keeps bees.")
    world.put("a", "Ada sells honey.")
    world.forget("b")
    world.put("c", "Cleo mends clocks.")
    superseding = Content(text="Cleo sells clocks.", supersedes=("c",))
    world.put("d", superseding.text, supersedes=("c",))
    found = list(world.scan.standing(TENANT, NAMESPACE))
    assert found == [
        Standing("a", 4, Status.ACTIVE, Content(text="Ada sells honey.").content_hash),
        Standing("b", 5, Status.DELETED, None),
        Standing("c", 7, Status.SUPERSEDED, Content(text="Cleo mends clocks.").content_hash),
        Standing("d", 7, Status.ACTIVE, superseding.content_hash),
        Standing("~", 2, Status.ACTIVE, Content(text="The last of all ids.").content_hash),
    ]


def without_hash(world: ReconcileWorld, record_id: str) -> None:
    """As records were written before their hash was kept beside them."""
    world.client.update_item(
        TableName=world.table,
        Key=items.key(PARTITION, items.record_sk(record_id)),
        UpdateExpression="REMOVE ch",
    )


def test_a_record_that_was_written_without_its_hash_is_no_change(world: ReconcileWorld) -> None:
    world.put_many(facts(3))
    without_hash(world, "f0001")
    report = world.reconcile(1, facts(3))
    assert (report.unchanged, report.updated, report.verified) == (3, 0, True)


def test_a_record_without_its_hash_that_is_gone_when_it_is_read_has_none(
    world: ReconcileWorld,
) -> None:
    for vanished in (True, False):
        world.put("a", f"Ada keeps bees: {vanished}.")
        without_hash(world, "a")
        scanned = world.scan.standing(TENANT, NAMESPACE)
        get = world.client.get_item

        def gone(*, vanished: bool = vanished, get: Any = get, **asked: Any) -> Any:
            answer = get(**asked)
            return {} if vanished else {"Item": {**answer["Item"], "c": {"S": '{"text":"x"}'}}}

        world.client.get_item = gone  # type: ignore[method-assign]
        (found,) = scanned
        world.client.get_item = get  # type: ignore[method-assign]
        assert found.content_hash == (None if vanished else Content(text="x").content_hash)


class Written:
    """A client before whose first transaction of deletions somebody writes."""

    def __init__(self, client: Any, write: Any) -> None:
        self._client, self._write = client, write
        self.exceptions = client.exceptions

    def transact_write_items(self, **asked: Any) -> Any:
        write, self._write = self._write, lambda: None
        write()
        return self._client.transact_write_items(**asked)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._client, name)


def test_what_is_written_just_before_it_would_be_erased_stays(world: ReconcileWorld) -> None:
    world.put_many(facts(3))
    world.purges.purge(TENANT, NAMESPACE, by="key")

    def again() -> None:
        world.put("f0001", "Written above the floor.")

    client: Any = Written(world.client, again)
    erasure = purging.DynamoNamespaceErasure(world.table, client)
    assert list(erasure.ids(TENANT, NAMESPACE, floor=2)) == ["f0000", "f0001", "f0002"]
    assert erasure.erase(TENANT, NAMESPACE, floor=2, limit=100) == 3
    assert list(stored(world, "R#")) == ["R#f0001"]
    assert erasure.erase(TENANT, NAMESPACE, floor=2, limit=100) == 0
    assert world.active() == {"f0001": "Written above the floor."}


def test_what_is_written_above_the_floor_stays_with_all_its_traces(
    world: ReconcileWorld,
) -> None:
    world.put_many(facts(2))
    world.purges.purge(TENANT, NAMESPACE, by="key")
    world.put("f0000", "Above the floor.")
    world.put("f0000", "Above the floor, again.")
    world.put("f0001", "Above the floor.")
    world.forget("f0001")
    entry = LedgerEntry("f0000", 4, Reason.PENDING, "", world.clock.now())
    generation = world.index.generation()
    world.ledger.settle(TENANT, NAMESPACE, generation, add=[entry], clear={})
    before = [stored(world, prefix) for prefix in ("R#", "H#", "E#", "U#")]
    assert [len(found) for found in before] == [2, 1, 1, 1]
    assert set(world.erasure.remains(TENANT, NAMESPACE, floor=2).values()) == {0}
    assert world.erasure.erase(TENANT, NAMESPACE, floor=2, limit=100) == 0
    assert [stored(world, prefix) for prefix in ("R#", "H#", "E#", "U#")] == before


def test_an_erasure_takes_at_most_so_many_items_and_the_records_last(
    world: ReconcileWorld,
) -> None:
    world.put_many(facts(3))
    world.put_many(facts(3, "second"))
    world.project()
    world.purges.purge(TENANT, NAMESPACE, by="key")
    floor = world.store.read(TENANT, NAMESPACE)[0].floor
    left = []
    while world.erasure.erase(TENANT, NAMESPACE, floor=floor, limit=4):
        remains = world.erasure.remains(TENANT, NAMESPACE, floor=floor)
        left.append((remains["history"], remains["vectors"], remains["records"]))
    assert left == [(0, 2, 3), (0, 0, 1), (0, 0, 0)]


def test_keys_are_claimed_once_settled_and_freed(world: ReconcileWorld) -> None:
    key = IdempotencyKey("key", "request")
    until = world.clock.now().replace(hour=1)
    mine = Applied(key=key, until=until, claim="mine")
    other = Applied(key=key, until=until, claim="another's")
    claim, settle, release = world.keys.claim, world.keys.settle, world.keys.release
    assert claim(TENANT, NAMESPACE, mine) is None
    assert claim(TENANT, NAMESPACE, mine) is None
    assert claim(TENANT, NAMESPACE, other) == mine
    release(TENANT, NAMESPACE, other)
    settle(TENANT, NAMESPACE, Applied(key=key, until=until, claim="another's", report="no"))
    assert claim(TENANT, NAMESPACE, other) == mine
    answered = Applied(key=key, until=until, claim="mine", report="yes")
    settle(TENANT, NAMESPACE, answered)
    assert claim(TENANT, NAMESPACE, other) == answered
    release(TENANT, NAMESPACE, mine)
    assert claim(TENANT, NAMESPACE, other) is None
