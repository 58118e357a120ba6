"""The DynamoDB client as the adapters use it, over the simulated table: its operations, their
conditions, and every way in which a call may end.
"""

from collections.abc import Callable, Mapping
from typing import Any

from botocore.exceptions import ClientError

from simulation import table_errors
from simulation.expressions import NotUnderstood, Place, holds, projected, updated
from simulation.faults import LOST, Fault
from simulation.gate import Gate
from simulation.table import Item, Key, Table
from simulation.table_transactions import Transactions

QUERY = "pk = :pk AND sk BETWEEN :first AND :last"
READ_BATCH, WRITE_BATCH = 100, 25
SPLIT, READ_SPLIT = 0.05, 0.2
"""How likely others run between two items of a query or of a batch read; a page ends as early."""


class SimulatedTableClient:
    """`dynamodb` of boto3 with the operations that are in use, on one table named `name`."""

    def __init__(self, table: Table, transactions: Transactions, gate: Gate, *, name: str) -> None:
        self._table = table
        self._transactions = transactions
        self._gate = gate
        self._name = name
        self._chance = gate.scheduler.chance
        self.exceptions = table_errors.exceptions()

    def get_item(self, **asked: Any) -> dict[str, Any]:
        self._check(asked, {"Key", "ProjectionExpression", "ExpressionAttributeNames"})
        self._read("table.get", "GetItem", asked["Key"]["sk"]["S"])
        item = self._seen(key_of(asked["Key"]), asked)
        return {} if item is None else {"Item": item}

    def batch_get_item(self, *, RequestItems: Any) -> dict[str, Any]:  # noqa: N803
        ((name, asked),) = RequestItems.items()
        self._check({"TableName": name, **asked}, {"Keys", "ProjectionExpression"})
        keys = list(asked["Keys"])
        if not 0 < len(keys) <= READ_BATCH or len({key_of(key) for key in keys}) < len(keys):
            raise table_errors.refused("ValidationException", "BatchGetItem")
        fault = self._read("table.batch_get", "BatchGetItem", keys[-1]["sk"]["S"])
        left = []
        if fault is Fault.UNPROCESSED:
            cut = self._chance.randrange(len(keys))
            keys, left = keys[:cut], keys[cut:]
        self._chance.shuffle(keys)
        found = []
        for key in keys:
            item = self._seen(key_of(key), asked)
            if item is not None:
                found.append(item)
            self._may_split(READ_SPLIT)
        undone = {name: {**asked, "Keys": left}} if left else {}
        return {"Responses": {name: found}, "UnprocessedKeys": undone}

    def query(self, **asked: Any) -> dict[str, Any]:
        self._check(
            asked,
            {"ScanIndexForward", "KeyConditionExpression", "ExpressionAttributeValues", "Limit"}
            | {"ProjectionExpression", "ExclusiveStartKey", "ExpressionAttributeNames"},
        )
        if asked["KeyConditionExpression"] != QUERY or asked["ConsistentRead"] is not True:
            raise NotUnderstood(asked["KeyConditionExpression"])
        values = asked["ExpressionAttributeValues"]
        pk, first, last = (values[name]["S"] for name in (":pk", ":first", ":last"))
        self._read("table.query", "Query", f"{pk} {first}")
        backward = not asked.get("ScanIndexForward", True)
        at, end = (last, first) if backward else (first, last)
        beside = "ExclusiveStartKey" not in asked
        if not beside:
            at = asked["ExclusiveStartKey"]["sk"]["S"]
        return self._page(asked, pk, at, end, backward=backward, beside=beside)

    def put_item(self, **asked: Any) -> dict[str, Any]:
        key = key_of(asked["Item"])
        return self._single("PutItem", key, asked, lambda _: dict(asked["Item"]))

    def update_item(self, **asked: Any) -> dict[str, Any]:
        def after(before: Item | None) -> Item:
            place = _place(before or dict(asked["Key"]), asked)
            return updated(asked["UpdateExpression"], place)

        return self._single("UpdateItem", key_of(asked["Key"]), asked, after)

    def delete_item(self, **asked: Any) -> dict[str, Any]:
        return self._single("DeleteItem", key_of(asked["Key"]), asked, lambda _: None)

    def batch_write_item(self, *, RequestItems: Any) -> dict[str, Any]:  # noqa: N803
        ((name, asked),) = RequestItems.items()
        self._check({"TableName": name, "ConsistentRead": True}, set())
        writes = [_batched(one) for one in asked]
        if not 0 < len(writes) <= WRITE_BATCH or len(dict(writes)) < len(writes):
            raise table_errors.refused("ValidationException", "BatchWriteItem")
        fault = self._enter("table.batch_write", "BatchWriteItem", writes[0][0].sk)
        left: list[Any] = []

        def effect() -> bool:
            for place, (key, after) in enumerate(writes):
                undone = fault is Fault.UNPROCESSED and self._chance.random() < 0.5
                if undone or not self._transactions.free(key):
                    left.append(asked[place])
                    continue
                self._table.write(key, after)
                self._may_split()
            return True

        self._done(fault, "BatchWriteItem", effect)
        return {"UnprocessedItems": {name: left} if left else {}}

    def transact_write_items(self, **asked: Any) -> dict[str, Any]:
        writes, token = asked["TransactItems"], asked.get("ClientRequestToken")
        fault = self._enter("table.transact", "TransactWriteItems", self._said(writes))
        if fault is Fault.CONFLICT:
            raise self._transactions.spoiled(len(writes))
        self._transactions.refuse_in_progress(token)
        if fault is Fault.LATE:
            self._transactions.begin(token)
        answered = fault not in (*LOST, Fault.CRASH_AFTER)

        def effect() -> bool:
            self._transactions.apply(self._name, writes, token, answered=answered)
            return True

        self._done(fault, "TransactWriteItems", effect)
        return {}

    def transact_get_items(self, *, TransactItems: Any) -> dict[str, Any]:  # noqa: N803
        keys = [key_of(one["Get"]["Key"]) for one in TransactItems]
        fault = self._read("table.transact_get", "TransactGetItems", keys[0].sk)
        if fault is Fault.CONFLICT or any(map(self._table.is_hidden, keys)):
            raise table_errors.cancelled(["TransactionConflict"] * len(keys), "TransactGetItems")
        found = [self._table.true(key) for key in keys]
        return {"Responses": [{} if item is None else {"Item": dict(item)} for item in found]}

    def _page(
        self, asked: Any, pk: str, at: str, end: str, *, backward: bool, beside: bool
    ) -> dict[str, Any]:
        found: list[Item] = []
        limit = asked.get("Limit")
        while True:
            following = self._table.following(pk, at, backward=backward, beside=beside)
            if following is None or (following < end if backward else following > end):
                return {"Items": found}
            at, beside = following, False
            item = self._seen(Key(pk, at), asked)
            if item is not None:
                found.append(item)
            if len(found) == limit or self._chance.random() < SPLIT:
                return {"Items": found, "LastEvaluatedKey": {"pk": {"S": pk}, "sk": {"S": at}}}
            self._may_split()

    def _single(
        self, operation: str, key: Key, asked: Any, after: Callable[[Item | None], Item | None]
    ) -> dict[str, Any]:
        self._check({"ConsistentRead": True, **asked}, _OF_WRITES)
        fault = self._enter("table.write", operation, key.sk)

        def effect() -> bool:
            if not self._transactions.free(key):
                raise table_errors.refused("TransactionConflictException", operation)
            before = self._table.true(key)
            if not holds(asked.get("ConditionExpression"), _place(before or {}, asked)):
                raise table_errors.refused("ConditionalCheckFailedException", operation)
            self._table.write(key, after(before))
            return True

        if fault is Fault.REPEATED:  # the client's own retry, when the first answer was lost
            effect()
        self._done(fault, operation, effect)
        return {}

    def _done(self, fault: Fault | None, operation: str, effect: Callable[[], bool]) -> None:
        """The effect of a write, and its answer. What a lost answer would have said is lost too."""

        def unheard() -> bool:
            try:
                return effect()
            except ClientError:
                return False

        told = fault not in LOST and fault is not Fault.CRASH_AFTER
        done = self._gate.settle(fault, operation, effect if told else unheard)
        if done is None:
            if fault is Fault.LOST_ERROR:
                raise table_errors.refused("InternalServerError", operation, status=500)
            raise table_errors.no_answer()

    def _read(self, operation: str, called: str, said: str) -> Fault | None:
        return self._enter(operation, called, said)

    def _enter(self, operation: str, called: str, said: str) -> Fault | None:
        """The fault that the caller brings about; those without an effect are raised here."""
        fault = self._gate.enter(operation, said)
        self._table.go_on()
        if fault is Fault.THROTTLED:
            raise table_errors.refused("ProvisionedThroughputExceededException", called)
        if fault is Fault.OUTAGE:
            raise table_errors.no_connection()
        if fault is Fault.SERVER_ERROR:
            raise table_errors.refused("InternalServerError", called, status=500)
        if fault is Fault.TIMEOUT:
            raise table_errors.no_answer()
        return fault

    def _seen(self, key: Key, asked: Mapping[str, Any]) -> Item | None:
        item = self._table.seen(key)
        if item is None:
            return None
        names = asked.get("ExpressionAttributeNames", {})
        return projected(item, asked.get("ProjectionExpression"), names)

    def _may_split(self, likely: float = SPLIT) -> None:
        """Plain reads of several items, and batches, are not of one moment."""
        if self._chance.random() < likely:
            self._gate.scheduler.pause()
            self._table.go_on()

    def _said(self, writes: Any) -> str:
        ((kind, first),) = writes[0].items()
        key = key_of(first.get("Key") or first["Item"])
        return f"{kind} {key.pk} {key.sk} +{len(writes) - 1}"

    def _check(self, asked: Mapping[str, Any], known: set[str]) -> None:
        if asked["TableName"] != self._name or not asked["ConsistentRead"]:
            raise NotUnderstood(f"another table, or a read that is not consistent: {asked}")
        unknown = asked.keys() - known - {"TableName", "ConsistentRead"}
        if unknown:
            raise NotUnderstood(f"what is {unknown}?")


_OF_WRITES = {"Item", "Key", "UpdateExpression", "ConditionExpression"} | {
    "ExpressionAttributeNames",
    "ExpressionAttributeValues",
}


def key_of(item: Mapping[str, Any]) -> Key:
    """The primary key of an item, or of a key as a request has it."""
    return Key(item["pk"]["S"], item["sk"]["S"])


def _place(item: Mapping[str, Any], asked: Mapping[str, Any]) -> Place:
    names, values = "ExpressionAttributeNames", "ExpressionAttributeValues"
    return Place(item, asked.get(names, {}), asked.get(values, {}))


def _batched(one: Mapping[str, Any]) -> tuple[Key, Item | None]:
    ((kind, inner),) = one.items()
    if kind == "DeleteRequest":
        return key_of(inner["Key"]), None
    if kind == "PutRequest":
        return key_of(inner["Item"]), dict(inner["Item"])
    raise NotUnderstood(kind)
