"""The index is carried over to another model, on a real node, step by step."""

import threading
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from functional.carry_over_world import CarryOverWorld
from palimpsest.adapters.dynamodb.erasure import DynamoErasures
from palimpsest.adapters.simulated import Fault, FaultKind
from palimpsest.domain.entries import Leg, LegStatus
from palimpsest.domain.errors import PalimpsestError
from palimpsest.services.carry_over import TOMBSTONES_KEPT, NotReady
from palimpsest.services.receipt import ReceiptService
from world import NAMESPACE, TENANT

pytestmark = [pytest.mark.opensearch, pytest.mark.usefixtures("one_call_at_a_time")]
TEXTS = {f"r{n:02}": f"the heron number {n} waits by weir {n % 7}" for n in range(30)}


@pytest.fixture
def world(tables: dict[str, str], opensearch_url: str, index_prefix: str) -> CarryOverWorld:
    return CarryOverWorld(tables["RecordsTable"], url=opensearch_url, prefix=index_prefix)


def seed(world: CarryOverWorld) -> None:
    world.put_many(TEXTS)
    world.project_all()


def carried(world: CarryOverWorld) -> None:
    """Everything up to the switch."""
    world.carry_over.begin()
    world.carry_over.backfill(until=1e9)
    world.carry_over.switch()


def look_again(world: CarryOverWorld) -> None:
    """As a process does a few seconds later."""
    index = world.search_parts.index
    index._known = None  # type: ignore[attr-defined]


def test_the_first_index_is_made_once_however_many_ask(
    tables: dict[str, str], opensearch_url: str, index_prefix: str
) -> None:
    world = CarryOverWorld(tables["RecordsTable"], url=opensearch_url, prefix=f"{index_prefix}-v")
    for one in world.generations.kept():
        world.generations.drop(replace(one, read=False))
    made: list[str] = []
    together = threading.Barrier(3)

    def ensure() -> None:
        together.wait()
        made.append(world.carry_over.ensure().id)

    threads = [threading.Thread(target=ensure) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    (one,) = world.generations.kept()
    assert made == [one.id] * 3
    assert one.read
    assert world.carry_over.ensure() == one
    world.generations.drop(replace(one, read=False))


def test_a_new_generation_is_filled_beside_the_one_that_is_read(world: CarryOverWorld) -> None:
    seed(world)
    begun = world.carry_over.begin()
    assert (begun.read, begun.fingerprint) == (False, world.following.fingerprint)
    assert world.carry_over.begin() == begun
    world.put("new", "an otter under the bridge")
    world.project_all()  # what is written meanwhile goes into both
    assert world.found("otter")[0] == "new"
    index = world.generations.index(begun)
    assert [state.id for state in index.walk(f"{TENANT}#{NAMESPACE}")] == [*sorted({*TEXTS, "new"})]
    assert world.search("heron").degraded == []


def test_a_backfill_embeds_what_the_new_model_has_no_vector_for_and_nothing_twice(
    world: CarryOverWorld,
) -> None:
    seed(world)
    world.carry_over.begin()
    before = sum(map(len, world.embedder.calls))
    done = world.carry_over.backfill(until=1e9)
    assert (done.done, done.namespaces) == (1, 1)
    world.carry_over.backfill(until=1e9)
    assert sum(map(len, world.following.calls)) == len(TEXTS)
    assert sum(map(len, world.embedder.calls)) == before
    assert world.carry_over.backfill(until=-1.0).done == 0


def test_after_the_switch_questions_are_embedded_with_the_new_model(world: CarryOverWorld) -> None:
    seed(world)
    carried(world)
    look_again(world)
    calls = len(world.embedder.calls)
    answer = world.search("heron number 7")
    assert (answer.hits[0].record.id, answer.degraded) == ("r07", [])
    assert len(world.embedder.calls) == calls
    assert world.status.status(TENANT, NAMESPACE).index_generation == world.index.generation()


def test_vectors_of_two_models_are_never_compared(world: CarryOverWorld) -> None:
    seed(world)
    carried(world)
    look_again(world)
    only_old = {world.embedder.fingerprint: world.embedder}
    world.searches_with(embedders=only_old)
    answer = world.search("heron number 7")
    semantic = answer.legs[Leg.SEMANTIC]
    assert (semantic.status, semantic.reason) == (LegStatus.FAILED, "fingerprint_mismatch")
    assert answer.degraded == ["semantic"]
    assert "r07" in [hit.record.id for hit in answer.hits]


def test_searches_go_on_undisturbed_while_the_index_is_carried_over(world: CarryOverWorld) -> None:
    seed(world)
    over = threading.Event()
    troubles: list[object] = []
    answered = 0

    def ask() -> None:
        nonlocal answered
        while not over.is_set():
            try:
                answer = world.search("heron number 3", min_revision=0)
            except PalimpsestError as error:
                troubles.append(error)
                continue
            answered += 1
            if answer.degraded or answer.hits[0].record.id != "r03":
                troubles.append((answer.degraded, [hit.record.id for hit in answer.hits[:3]]))
            if answered % 5 == 0:
                look_again(world)

    asking = threading.Thread(target=ask)
    asking.start()
    try:
        world.carry_over.begin()
        for n in range(10):
            world.put(f"more-{n}", f"a kingfisher {n}")
            world.project_all()
        world.carry_over.backfill(until=1e9)
        world.carry_over.switch()
        world.put("last", "one more kingfisher")
        world.project_all()
        world.carry_over.roll_back()
        world.carry_over.switch()
    finally:
        over.set()
        asking.join()
    assert troubles == []
    assert answered > 10
    assert all(proof.equal for _, proof in world.carry_over.prove())


def test_what_is_not_equal_to_the_table_is_never_switched_to(world: CarryOverWorld) -> None:
    seed(world)
    begun = world.carry_over.begin()
    world.carry_over.backfill(until=1e9)
    client = world.generations.client
    client.delete_by_query(
        index=begun.name, body={"query": {"term": {"id": "r05"}}}, params={"refresh": "true"}
    )
    with pytest.raises(NotReady, match=f"not equal to the table: {TENANT} {NAMESPACE}"):
        world.carry_over.switch()
    ((_, proof),) = world.carry_over.prove()
    assert (proof.equal, proof.missing, proof.orphaned) == (False, ("r05",), ())
    assert world.index.generation() != begun.id


def test_a_former_generation_is_kept_up_to_date_and_can_be_gone_back_to(
    world: CarryOverWorld,
) -> None:
    seed(world)
    first = world.index.generation()
    carried(world)
    world.put("late", "a bittern in the reeds")
    world.forget("r01")
    world.project_all()
    assert world.carry_over.roll_back().id == first
    look_again(world)
    assert world.found("bittern")[0] == "late"
    assert "r01" not in world.found("heron number 1", limit=50)


def test_dropping_removes_the_index_its_models_vectors_and_its_ledger(
    world: CarryOverWorld,
) -> None:
    seed(world)
    (first,) = world.generations.kept()
    carried(world)
    (gone,) = world.carry_over.drop()
    assert gone.id == first.id
    assert [one.fingerprint for one in world.generations.kept()] == [world.following.fingerprint]
    left = world.client.scan(TableName=world.table)["Items"]
    keys = [item["sk"]["S"] for item in left]
    assert [key for key in keys if key.endswith(world.embedder.fingerprint)] == []
    assert [key for key in keys if first.id in key] == []
    assert sum(key.endswith(world.following.fingerprint) for key in keys) == len(TEXTS)
    look_again(world)
    assert world.found("heron number 7")[0] == "r07"


def test_steps_out_of_their_order_are_refused_and_change_nothing(world: CarryOverWorld) -> None:
    seed(world)
    for step in (world.carry_over.switch, world.carry_over.roll_back):
        with pytest.raises(NotReady):
            step()
    with pytest.raises(NotReady, match="begun"):
        world.carry_over.backfill(until=1e9)
    same = replace(world.carry_over, following=None)
    with pytest.raises(NotReady, match="already made for this model"):
        same.begin()
    assert world.carry_over.drop() == []
    assert world.found("heron number 7")[0] == "r07"


def test_trouble_with_the_new_model_never_holds_up_the_index_that_is_read(
    world: CarryOverWorld,
) -> None:
    seed(world)
    world.carry_over.begin()
    world.every.embedders = {world.embedder.fingerprint: world.embedder}
    world.put("new", "an otter")
    with pytest.raises(PalimpsestError, match="no embedder is set"):
        world.project_all()
    assert world.found("otter")[0] == "new"
    world.every.embedders = world.embedders
    world.following.inject(Fault(kind=FaultKind.OUTAGE))
    world.put("newer", "a beaver")
    world.project_all()
    assert world.found("beaver")[0] == "newer"
    world.following.heal()
    assert world.carry_over.switch().fingerprint == world.following.fingerprint


def test_a_damaged_index_is_rebuilt_for_the_same_model_without_embedding(
    world: CarryOverWorld,
) -> None:
    seed(world)
    (damaged,) = world.generations.kept()
    world.generations.client.delete_by_query(
        index=damaged.name, body={"query": {"term": {"id": "r05"}}}, params={"refresh": "true"}
    )
    calls = len(world.embedder.calls)
    begun = world.carry_over.rebuild()
    assert world.carry_over.rebuild() == begun
    world.carry_over.backfill(until=1e9)
    assert world.carry_over.switch().id == begun.id
    assert len(world.embedder.calls) == calls
    assert [one.id for one in world.carry_over.drop()] == [damaged.id]
    look_again(world)
    assert world.found("heron number 5")[0] == "r05"
    assert all(proof.equal for _, proof in world.carry_over.prove())


def test_old_tombstones_are_removed_in_the_end_and_the_index_still_equals_the_table(
    world: CarryOverWorld,
) -> None:
    seed(world)
    world.forget("r01")
    world.project_all()
    world.carry_over.begin()
    world.project_all()
    assert world.carry_over.tidy() == 0
    world.clock.instant = datetime.now(UTC) + TOMBSTONES_KEPT + timedelta(minutes=1)
    assert world.carry_over.tidy() == 2
    for one in world.generations.kept():
        states = world.generations.index(one).walk(f"{TENANT}#{NAMESPACE}")
        assert [state.id for state in states] == sorted(TEXTS.keys() - {"r01"})
    assert all(proof.equal for _, proof in world.carry_over.prove())


def test_a_generation_that_was_dropped_meanwhile_is_no_failure(world: CarryOverWorld) -> None:
    seed(world)
    begun = world.carry_over.begin()
    world.project_all()
    world.generations.drop(begun)
    world.put("new", "an otter")
    world.every.project(TENANT, NAMESPACE)  # by the list that it remembers
    assert world.found("otter")[0] == "new"
    assert world.carry_over.drop() == []


def test_without_an_index_there_is_nothing_to_carry_over_and_nothing_to_project_into(
    world: CarryOverWorld,
) -> None:
    seed(world)
    (first,) = world.generations.kept()
    world.generations.drop(replace(first, read=False))
    for step in (world.carry_over.begin, world.carry_over.switch, world.project_all):
        with pytest.raises(PalimpsestError, match="there is no index yet"):
            step()
    again = world.carry_over.ensure()
    world.project_all()
    look_again(world)
    assert (again.name, again.id == first.id) == (first.name, False)
    assert world.found("heron number 7")[0] == "r07"


def test_f1_a_receipt_asks_every_generation_that_is_kept(world: CarryOverWorld) -> None:
    seed(world)
    world.carry_over.begin()
    world.carry_over.backfill(until=1e9)
    world.forget("r02")
    receipts = ReceiptService(
        world.store,
        lambda: [world.generations.index(one) for one in world.generations.kept()],
        DynamoErasures(world.table, world.client),
    )
    found = receipts.receipt(TENANT, NAMESPACE, "r02").found
    assert (found["lexical"], found["semantic"], found["vectors"]) == (2, 2, 2)
    world.project_all()
    world.erase()
    assert receipts.receipt(TENANT, NAMESPACE, "r02").erased
