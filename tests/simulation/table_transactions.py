"""Transactions on the simulated table: all conditions at one instant, then all effects, and the
same request under the same token once only.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from botocore.exceptions import ClientError

from simulation import table_errors
from simulation.expressions import NotUnderstood, Place, holds, updated
from simulation.gate import Gate
from simulation.table import Item, Key, Table, UnderWay

OPERATION = "TransactWriteItems"
MOST = 100
SPOILED = ("TransactionConflict", "ThrottlingError", "ProvisionedThroughputExceeded")
_KINDS = {"Put", "Update", "Delete", "ConditionCheck"}
_KNOWN = {"TableName", "Item", "Key", "UpdateExpression", "ConditionExpression"} | {
    "ExpressionAttributeNames",
    "ExpressionAttributeValues",
    "ReturnValuesOnConditionCheckFailure",
}


class Transactions:
    """Applies transactions. Their tokens are remembered (in truth for ten minutes)."""

    def __init__(self, table: Table, gate: Gate) -> None:
        self._table = table
        self._gate = gate
        self._chance = gate.scheduler.chance
        self._tokens: dict[str, Any] = {}
        self._in_progress: set[str] = set()

    def free(self, key: Key) -> bool:
        """Whether an item may be written: none that a transaction under way has written, unless it
        becomes visible just now.
        """
        if not self._table.is_hidden(key):
            return True
        if self._chance.random() < 0.5:
            return False
        self._table.show(key)
        return True

    def spoiled(self, several: int) -> ClientError:
        """A cancellation that has nothing to do with any condition."""
        reasons = ["None"] * several
        reasons[self._chance.randrange(several)] = self._chance.choice(SPOILED)
        return table_errors.cancelled(reasons, OPERATION)

    def begin(self, token: str | None) -> None:
        """A request under this token has been taken in and will be done later."""
        if token is not None:
            self._in_progress.add(token)

    def refuse_in_progress(self, token: str | None) -> None:
        """Raise where the same request is still being done, unless that one is overtaken."""
        if token in self._in_progress and self._chance.random() < 0.5:
            raise table_errors.refused("TransactionInProgressException", OPERATION)

    def apply(
        self, name: str, writes: Sequence[Mapping[str, Any]], token: str | None, *, answered: bool
    ) -> None:
        """All of it or nothing. Where the caller gets no answer, the items become visible later."""
        self._in_progress.discard(token or "")
        if token is not None and token in self._tokens:
            if self._tokens[token] != writes:
                raise table_errors.refused("IdempotentParameterMismatchException", OPERATION)
            return
        effects = self._effects(name, writes)
        under_way = self._table.transact([one for one in effects if one is not None])
        if token is not None:
            self._tokens[token] = writes
        self._become_visible(under_way, answered=answered)

    def forget_tokens(self) -> None:
        """Another table knows none of them."""
        self._tokens.clear()

    def _become_visible(self, under_way: UnderWay, *, answered: bool) -> None:
        if not under_way.hidden:
            return
        if not answered:
            self._table.abandon(under_way)
            return
        try:
            while under_way.hidden and self._chance.random() < 0.85:
                self._gate.scheduler.pause()
                self._table.go_on()
        except BaseException:
            self._table.abandon(under_way)
            raise
        self._table.show_all(under_way)

    def _effects(
        self, name: str, writes: Sequence[Mapping[str, Any]]
    ) -> list[tuple[Key, Item | None] | None]:
        found = [self._of(name, write) for write in writes]
        keys = [key for key, _, _ in found]
        if not 0 < len(writes) <= MOST or len(set(keys)) < len(keys):
            raise table_errors.refused("ValidationException", OPERATION)
        reasons, effects = [], []
        for key, kind, asked in found:
            reason, effect = self._effect(key, kind, asked)
            reasons.append(reason)
            effects.append(effect)
        if any(reason != "None" for reason in reasons):
            raise table_errors.cancelled(reasons, OPERATION)
        return effects

    def _of(self, name: str, write: Mapping[str, Any]) -> tuple[Key, str, Mapping[str, Any]]:
        ((kind, asked),) = write.items()
        if kind not in _KINDS or asked["TableName"] != name or asked.keys() - _KNOWN:
            raise NotUnderstood(str(write))
        key = asked["Item"] if kind == "Put" else asked["Key"]
        return Key(key["pk"]["S"], key["sk"]["S"]), kind, asked

    def _effect(
        self, key: Key, kind: str, asked: Mapping[str, Any]
    ) -> tuple[str, tuple[Key, Item | None] | None]:
        if not self.free(key):
            return "TransactionConflict", None
        before = self._table.true(key)
        names = asked.get("ExpressionAttributeNames", {})
        values = asked.get("ExpressionAttributeValues", {})
        if not holds(asked.get("ConditionExpression"), Place(before or {}, names, values)):
            return "ConditionalCheckFailed", None
        if kind == "ConditionCheck":
            return "None", None
        if kind == "Put":
            return "None", (key, dict(asked["Item"]))
        if kind == "Delete":
            return "None", (key, None)
        place = Place(before or dict(asked["Key"]), names, values)
        return "None", (key, updated(asked["UpdateExpression"], place))
