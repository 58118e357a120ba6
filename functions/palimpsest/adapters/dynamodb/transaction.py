"""One commit as one transaction, and what to make of each way in which it may end."""

import random
import time
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

from botocore.exceptions import BotoCoreError, ClientError

from palimpsest.adapters.dynamodb import items
from palimpsest.adapters.dynamodb.client import THROTTLED, code_of, translated
from palimpsest.adapters.dynamodb.document_writes import attempt_check, document_writes
from palimpsest.adapters.dynamodb.fences import fence_check, fence_replaced
from palimpsest.adapters.dynamodb.idempotency import keep_write
from palimpsest.adapters.dynamodb.jobs import job_item
from palimpsest.adapters.dynamodb.vector_items import vector_changes
from palimpsest.domain.commits import Change, CommitPlan, LogEntry
from palimpsest.domain.errors import Throttled, TooLarge, Unavailable
from palimpsest.domain.instants import to_millis
from palimpsest.domain.names import MAX_TRANSACTION_BYTES
from palimpsest.domain.records import Status
from palimpsest.domain.visibility import stands

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient

AMBIGUOUS_TRIES = 4
DOUBTFUL_S = 6.0
"""No attempt begins later: the function has to answer before its own time is over."""

_FOR_GOOD = frozenset({"ValidationError", "ItemCollectionSizeLimitExceeded"})
_AMBIGUOUS = frozenset(
    {"InternalServerError", "ServiceUnavailable", "TransactionInProgressException"}
)


def commit_writes(plan: CommitPlan, *, table: str) -> list[dict[str, Any]]:
    """The writes of a commit. Raises `TooLarge` beyond the 4 MB of a transaction."""
    pk = items.partition(plan.tenant, plan.namespace)
    entry = LogEntry(
        revision=plan.revision,
        previous=plan.clock.revision,
        commit_id=plan.commit_id,
        record_ids=tuple(change.after.id for change in plan.changes),
        at=plan.at,
        before=tuple(change.before.revision if change.before else 0 for change in plan.changes),
        document_id=plan.document.after.id if plan.document else None,
    )
    log = items.log_item(pk, entry, by=plan.by)
    writes = [_advance_clock(plan, pk, table), _create(table, log)]
    for change in plan.changes:
        writes.append(_replace_record(change, pk, table))
        writes.extend(_left_behind(change, plan, pk, table))
    if plan.clock.revision == 0:
        writes.extend(_directories(plan, table))
    writes.extend(_beside(plan, pk, table))
    size = sum(items.size_of(put["Put"]["Item"]) for put in writes if "Put" in put)
    if size > MAX_TRANSACTION_BYTES:
        raise TooLarge("the commit is larger than one transaction takes", MAX_TRANSACTION_BYTES)
    return writes


def _advance_clock(plan: CommitPlan, pk: str, table: str) -> dict[str, Any]:
    values = {":next": items.number(plan.revision)}
    names = {"#rev": "rev"}
    sets = ["#rev = :next"]
    for attribute, value in items.count_values(plan.counts).items():
        sets.append(f"{attribute} = :{attribute}")
        values[f":{attribute}"] = value
    if plan.purges:
        sets += ["fl = :next", "ft = :at"]
        values[":at"] = items.number(to_millis(plan.at))
    clock_unchanged = "#rev = :planned" if plan.clock.revision else "attribute_not_exists(#rev)"
    if plan.clock.revision:
        values[":planned"] = items.number(plan.clock.revision)
    return {
        "Update": {
            "TableName": table,
            "Key": items.key(pk, items.CLOCK),
            "UpdateExpression": "SET " + ", ".join(sets),
            "ConditionExpression": clock_unchanged,
            "ExpressionAttributeNames": names,
            "ExpressionAttributeValues": values,
        }
    }


def _create(table: str, item: items.Item) -> dict[str, Any]:
    never_written = "attribute_not_exists(pk)"
    return {"Put": {"TableName": table, "Item": item, "ConditionExpression": never_written}}


def _replace_record(change: Change, pk: str, table: str) -> dict[str, Any]:
    item = items.record_item(pk, items.record_sk(change.after.id), change.after)
    if change.before is None:
        return _create(table, item)
    record_unchanged = "#rev = :before"
    return {
        "Put": {
            "TableName": table,
            "Item": item,
            "ConditionExpression": record_unchanged,
            "ExpressionAttributeNames": {"#rev": "rev"},
            "ExpressionAttributeValues": {":before": items.number(change.before.revision)},
        }
    }


def _left_behind(change: Change, plan: CommitPlan, pk: str, table: str) -> list[dict[str, Any]]:
    before, after = change.before, change.after
    if after.status is Status.DELETED:
        marker = items.key(pk, items.erasure_sk(after.id, after.revision))
        return [{"Put": {"TableName": table, "Item": marker}}]
    if before is None or not stands(before, plan.clock):
        return []
    former = items.record_item(pk, items.history_sk(before.id, before.revision), before)
    former["rb"] = items.number(after.revision)
    return [{"Put": {"TableName": table, "Item": former}}]


def _beside(plan: CommitPlan, pk: str, table: str) -> Iterator[dict[str, Any]]:
    """What a commit checks or keeps beside its records."""
    for record_id, revision in plan.unchanged:
        yield record_check(record_id, revision, pk, table)
    if plan.fence is not None:
        yield fence_check(plan.fence, pk, table)
    if plan.purges:
        yield fence_replaced(plan.commit_id, pk, table)
    if plan.vectors is not None:
        yield from vector_changes(plan.vectors, pk, table)
    if plan.attempt is not None:
        yield attempt_check(plan.attempt, pk, table)
    if plan.document is not None:
        yield from document_writes(plan.document, pk, table)
    if plan.job is not None:
        yield {"Put": {"TableName": table, "Item": job_item(plan.job)}}
    if plan.keep is not None:
        yield keep_write(plan.keep, pk, table)


def record_check(record_id: str, revision: int, pk: str, table: str) -> dict[str, Any]:
    """The part of a transaction that holds only while a record is at this revision (0: absent)."""
    check: dict[str, Any] = {
        "TableName": table,
        "Key": items.key(pk, items.record_sk(record_id)),
        "ConditionExpression": "attribute_not_exists(pk)",
    }
    if revision:
        check["ConditionExpression"] = "#rev = :seen"
        check["ExpressionAttributeNames"] = {"#rev": "rev"}
        check["ExpressionAttributeValues"] = {":seen": items.number(revision)}
    return {"ConditionCheck": check}


def _directories(plan: CommitPlan, table: str) -> list[dict[str, Any]]:
    named = items.directory_items(plan.tenant, plan.namespace)
    return [{"Put": {"TableName": table, "Item": item}} for item in named]


def refused_for_good(error: ClientError) -> bool:
    """Whether a cancellation would happen again however often it is tried: a fault of the
    request.
    """
    reasons = error.response.get("CancellationReasons", [])
    return any(reason.get("Code") in _FOR_GOOD for reason in reasons)


def condition_failed(error: ClientError) -> bool:
    """Whether a cancellation says that a condition did not hold, not only that others were
    writing.
    """
    reasons = error.response.get("CancellationReasons", [])
    return any(reason.get("Code") == "ConditionalCheckFailed" for reason in reasons)


def transact(
    client: "DynamoDBClient",
    writes: list[dict[str, Any]],
    *,
    token: str,
    settled: Callable[[], bool | None],
) -> bool:
    """Send a transaction. True: applied. False: a condition did not hold, or others were writing.

    Where an attempt may have been applied without our hearing of it (a time-out after sending, a
    server error), `settled` decides: True (the log has our commit), False (it has another's, so
    that ours can never be applied), None (nothing there yet, or it cannot be asked now). Until it
    does, the same request is sent again under the same token, and a refusal of that, throttling
    too, says nothing: to plan anew would refuse, or make twice, what was applied. Raises
    `Unavailable` where the outcome stays unknown.
    """
    end = time.monotonic() + DOUBTFUL_S
    for attempt in range(AMBIGUOUS_TRIES):
        outcome = _sent(client, writes, token, doubtful=attempt > 0)
        if outcome is None:
            outcome = _answer_of(settled)
        if outcome is not None:
            return outcome
        if time.monotonic() >= end:
            break
        time.sleep(random.uniform(0, 0.05 * 2**attempt))  # noqa: S311  # full jitter
    raise Unavailable("the outcome of the commit is not known", stage="table")


def _sent(
    client: "DynamoDBClient", writes: list[dict[str, Any]], token: str, *, doubtful: bool
) -> bool | None:
    """One attempt. True: applied. False: refused. None: in doubt, as it was before or as it is
    now.
    """
    try:
        client.transact_write_items(TransactItems=writes, ClientRequestToken=token)  # type: ignore[arg-type]
    except client.exceptions.TransactionCanceledException as error:
        if refused_for_good(error):
            raise
        return None if doubtful else False
    except ClientError as error:
        code = code_of(error)
        if code not in _AMBIGUOUS and not (doubtful and code in THROTTLED):
            with translated():
                raise
        return None
    except BotoCoreError:
        return None
    return True


def _answer_of(settled: Callable[[], bool | None]) -> bool | None:
    try:
        return settled()
    except Throttled:  # raised from here, it would have the commit planned anew
        return None
