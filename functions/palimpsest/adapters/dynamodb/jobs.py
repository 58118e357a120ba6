"""Jobs as items: `J#{job id}`, beside the records of their namespace."""

import json
from collections.abc import Mapping
from contextlib import suppress
from datetime import datetime
from typing import TYPE_CHECKING, Any

from palimpsest.adapters.dynamodb import items
from palimpsest.adapters.dynamodb.batches import get_items, query
from palimpsest.adapters.dynamodb.client import translated
from palimpsest.domain.instants import from_millis, to_millis
from palimpsest.domain.jobs import KEPT_FOR, Job, JobKind, JobStatus, namespace_of

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient


class DynamoJobs:
    """`Jobs` over the canonical table."""

    def __init__(self, table: str, client: "DynamoDBClient") -> None:
        self._table = table
        self._client = client

    def begin(self, job: Job) -> None:
        """See `Jobs.begin`. A namespace that nobody has written to is not in the directory yet, by
        which whoever looks after jobs goes.
        """
        with translated():
            for item in items.directory_items(job.tenant, job.namespace):
                self._client.put_item(TableName=self._table, Item=item)
        not_there = "attribute_not_exists(pk)"
        self._put(job, not_there)

    def get(self, tenant: str, job_id: str) -> Job | None:
        """See `Jobs.get`."""
        namespace = namespace_of(job_id)
        if namespace is None:
            return None
        key = items.key(items.partition(tenant, namespace), f"J#{job_id}")
        with translated():
            found = get_items(self._client, self._table, [key])
        return _job_of(found[0]) if found else None

    def unfinished(self, tenant: str, namespace: str) -> list[Job]:
        """See `Jobs.unfinished`."""
        pk = items.partition(tenant, namespace)
        with translated():
            found = query(self._client, self._table, pk, first="J#", last=f"J#{items.LAST}")
            return [job for job in map(_job_of, found) if not job.ended]

    def save(self, job: Job) -> None:
        """See `Jobs.save`."""
        not_ended = "attribute_not_exists(fa)"
        self._put(job, not_ended)

    def _put(self, job: Job, condition: str) -> None:
        failed = self._client.exceptions.ConditionalCheckFailedException
        with translated(), suppress(failed):
            self._client.put_item(
                TableName=self._table, Item=job_item(job), ConditionExpression=condition
            )


def job_item(job: Job) -> items.Item:
    """A job as an item; it goes some days after it was begun."""
    item: items.Item = {
        **items.key(items.partition(job.tenant, job.namespace), f"J#{job.id}"),
        "kind": {"S": job.kind.value},
        "st": {"S": job.status.value},
        "ca": items.number(to_millis(job.created_at)),
        "done": items.number(job.done),
        "total": items.number(job.total),
        "dry": {"BOOL": job.dry_run},
        "fl": items.number(job.floor),
        "ttl": items.number(to_millis(job.created_at + KEPT_FOR) // 1000),
    }
    for name, instant in (("sa", job.started_at), ("fa", job.finished_at)):
        if instant is not None:
            item[name] = items.number(to_millis(instant))
    for name, told in (("res", job.result), ("err", job.error)):
        if told is not None:
            item[name] = {"S": json.dumps(told, ensure_ascii=False, separators=(",", ":"))}
    return item


def _job_of(item: Mapping[str, Any]) -> Job:
    tenant, _, namespace = item["pk"]["S"].partition("#")
    return Job(
        id=item["sk"]["S"].removeprefix("J#"),
        kind=JobKind(item["kind"]["S"]),
        tenant=tenant,
        namespace=namespace,
        status=JobStatus(item["st"]["S"]),
        created_at=from_millis(int(item["ca"]["N"])),
        done=int(item["done"]["N"]),
        total=int(item["total"]["N"]),
        dry_run=item["dry"]["BOOL"],
        floor=int(item["fl"]["N"]),
        started_at=_instant(item, "sa"),
        finished_at=_instant(item, "fa"),
        result=json.loads(item["res"]["S"]) if "res" in item else None,
        error=json.loads(item["err"]["S"]) if "err" in item else None,
    )


def _instant(item: Mapping[str, Any], name: str) -> datetime | None:
    return from_millis(int(item[name]["N"])) if name in item else None
