"""The simulated table against what DynamoDB promises: expressions, conditions, transactions that
are seen item by item, tokens, batches.
"""

import random
from collections.abc import Callable
from typing import Any

import pytest

from simulation.expressions import NotUnderstood, Place, holds, projected, updated
from simulation.faults import PORTS, Faults
from simulation.gate import Gate
from simulation.scheduling import Process, Scheduler
from simulation.table import Key, Table
from simulation.table_client import SimulatedTableClient
from simulation.table_transactions import Transactions

NAMES = {"#rev": "rev"}
VALUES = {":five": {"N": "5"}, ":ten": {"N": "10"}, ":x": {"S": "x"}}
ITEM = {"rev": {"N": "9"}, "name": {"S": "x"}}


class Scene:
    """A table with its client, without faults."""

    def __init__(self, seed: int = 0) -> None:
        chance = random.Random(seed)
        self.scheduler = Scheduler(chance)
        self.gate = Gate(self.scheduler, Faults(chance, without=PORTS))
        self.table = Table(chance, self.scheduler.clock.monotonic)
        self.client = SimulatedTableClient(
            self.table, Transactions(self.table, self.gate), self.gate, name="t"
        )

    def run(self, *works: Callable[[], object]) -> None:
        for number, work in enumerate(works):
            self.scheduler.spawn(str(number), work, process=Process(str(number)))
        self.scheduler.run()


@pytest.mark.parametrize(
    ("condition", "true"),
    [
        ("#rev = :five", False),
        ("#rev <> :five", True),
        ("#rev < :ten", True),  # as numbers: as text 9 is not below 10
        ("#rev BETWEEN :five AND :ten AND name = :x", True),
        ("NOT (name = :x) OR #rev >= :ten", False),
        ("attribute_exists(name) AND attribute_not_exists(other)", True),
        ("other = :x OR other < :x", False),
        ("other <> :x", True),
        ("name < :five", False),
    ],
)
def test_conditions(condition: str, true: bool) -> None:  # noqa: FBT001
    assert holds(condition, Place(ITEM, NAMES, VALUES)) is true


@pytest.mark.parametrize("condition", ["size(name) > :five", "name ^ :x", "name = :x name"])
def test_what_is_not_understood_is_loud(condition: str) -> None:
    with pytest.raises(NotUnderstood):
        holds(condition, Place(ITEM, NAMES, VALUES))


def test_updates_and_projections() -> None:
    update = "SET a = if_not_exists(a, :five), #rev = #rev + :ten REMOVE name"
    after = updated(update, Place(ITEM, NAMES, VALUES))
    assert after == {"a": {"N": "5"}, "rev": {"N": "19"}}
    assert projected(ITEM, "name, other", {}) == {"name": {"S": "x"}}


def item(sk: str, value: str) -> dict[str, Any]:
    return {"pk": {"S": "p"}, "sk": {"S": sk}, "v": {"S": value}}


def put(sk: str, value: str, **more: Any) -> dict[str, Any]:
    return {"Put": {"TableName": "t", "Item": item(sk, value), **more}}


def test_a_failed_condition_cancels_all_of_a_transaction_and_says_which() -> None:
    scene = Scene()
    there = put("b", "1", ConditionExpression="attribute_exists(pk)")
    with pytest.raises(scene.client.exceptions.TransactionCanceledException) as failed:
        scene.client.transact_write_items(TransactItems=[put("a", "1"), there])
    reasons = [one["Code"] for one in failed.value.response["CancellationReasons"]]
    assert reasons == ["None", "ConditionalCheckFailed"]
    assert scene.table.everything() == {}


def test_the_same_token_applies_once_and_another_request_under_it_is_refused() -> None:
    scene = Scene()
    writes = [put("a", "1", ConditionExpression="attribute_not_exists(pk)")]
    for _ in range(2):
        scene.client.transact_write_items(TransactItems=writes, ClientRequestToken="token")
    with pytest.raises(scene.client.exceptions.IdempotentParameterMismatchException):
        scene.client.transact_write_items(TransactItems=[put("a", "2")], ClientRequestToken="token")


def test_a_transaction_is_seen_half_by_plain_reads_and_never_by_serial_ones() -> None:
    plain, serial = set(), set()
    gets = [{"Get": {"TableName": "t", "Key": {"pk": {"S": "p"}, "sk": {"S": sk}}}} for sk in "ab"]
    for seed in range(60):
        scene = Scene(seed)

        def read(scene: Scene = scene) -> None:
            for _ in range(6):
                seen = scene.table.seen(Key("p", "a")), scene.table.seen(Key("p", "b"))
                plain.add(tuple(one is not None for one in seen))
                try:
                    found = scene.client.transact_get_items(TransactItems=gets)["Responses"]
                except scene.client.exceptions.TransactionCanceledException:
                    continue
                serial.add(tuple("Item" in one for one in found))

        def write(scene: Scene = scene) -> None:
            scene.client.transact_write_items(TransactItems=[put("a", "1"), put("b", "1")])

        scene.run(write, read)
    assert plain == {(False, False), (True, False), (False, True), (True, True)}
    assert serial == {(False, False), (True, True)}


def test_pages_of_a_query_hold_everything_in_order() -> None:
    scene = Scene()
    for number in range(30):
        scene.client.put_item(TableName="t", Item=item(f"s{number:02}", "1"))
    asked: dict[str, Any] = {
        "TableName": "t",
        "ConsistentRead": True,
        "KeyConditionExpression": "pk = :pk AND sk BETWEEN :first AND :last",
        "ExpressionAttributeValues": {
            ":pk": {"S": "p"},
            ":first": {"S": "s05"},
            ":last": {"S": "s24"},
        },
    }
    for forward in (True, False):
        found: list[str] = []
        wanted = asked | {"ScanIndexForward": forward}
        while True:
            page = scene.client.query(**wanted)
            found += [one["sk"]["S"] for one in page["Items"]]
            if "LastEvaluatedKey" not in page:
                break
            wanted["ExclusiveStartKey"] = page["LastEvaluatedKey"]
        expected = [f"s{number:02}" for number in range(5, 25)]
        assert found == (expected if forward else expected[::-1])


def test_operations_and_options_that_are_not_known_are_loud() -> None:
    scene = Scene()
    with pytest.raises(NotUnderstood):
        scene.client.put_item(TableName="t", Item=item("a", "1"), ReturnValues="ALL_OLD")
    with pytest.raises(NotUnderstood):
        scene.client.get_item(TableName="t", Key=item("a", "1"), ConsistentRead=False)
    with pytest.raises(AttributeError):
        scene.client.scan(TableName="t")  # type: ignore[attr-defined]
