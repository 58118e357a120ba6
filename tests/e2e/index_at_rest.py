"""The index and the table of a running stack, read from below, so that they can be compared at
rest.
"""

from pathlib import Path

import boto3

from palimpsest.adapters.dynamodb import items
from palimpsest.adapters.sqlite import SqliteIndex
from palimpsest.domain.records import Status
from stack import LocalStack

TENANT = "demo"
Versions = dict[str, tuple[int, bool]]


def entries_of(stack: LocalStack, namespace: str) -> Versions:
    """(version, tombstone) of every index entry of a namespace, by id."""
    index = SqliteIndex(Path(stack.folder) / "index", fingerprint=fingerprint(stack))
    try:
        return {e.id: (e.version, e.tombstone) for e in index.walk(f"{TENANT}#{namespace}")}
    finally:
        index.close()


def records_of(stack: LocalStack, namespace: str) -> Versions:
    """What the index must hold: every record and tombstone at 2 x revision + 1."""
    client = table(stack)
    found: Versions = {}
    pages = client.get_paginator("query").paginate(
        TableName=stack.values["TABLE_NAME"],
        ConsistentRead=True,
        KeyConditionExpression="pk = :pk AND begins_with(sk, :r)",
        ExpressionAttributeValues={
            ":pk": {"S": items.partition(TENANT, namespace)},
            ":r": {"S": "R#"},
        },
    )
    for page in pages:
        for record in map(items.record_of, page["Items"]):
            gone = record.status is not Status.ACTIVE
            found[record.id] = (2 * record.revision + 1, gone)
    return found


def fingerprint(stack: LocalStack) -> str:
    """The fingerprint of the model that the stack's index was made with."""
    item = table(stack).get_item(
        TableName=stack.values["TABLE_NAME"], Key=items.key("#index", "READ")
    )["Item"]
    return str(item["model"]["S"])


def table(stack: LocalStack):  # type: ignore[no-untyped-def]  # noqa: ANN201  # boto3's own client
    """A client of the stack's own endpoint."""
    values = stack.values
    return boto3.client(
        "dynamodb",
        endpoint_url=values["AWS_ENDPOINT_URL"],
        region_name=values["AWS_REGION"],
        aws_access_key_id=values["AWS_ACCESS_KEY_ID"],
        aws_secret_access_key=values["AWS_SECRET_ACCESS_KEY"],
    )
