"""What table, bucket, index and queues of a running stack hold of documents, read from below once
nothing happens any more.
"""

from collections.abc import Iterator
from typing import Any

from e2e.documents_scene import Folder
from e2e.endpoint_clients import client_of, output_of
from e2e.index_at_rest import TENANT, entries_of, table
from palimpsest.adapters.dynamodb import items
from palimpsest.adapters.dynamodb.batches import query
from palimpsest.domain.documents import ChunkKey
from palimpsest.domain.entries import Entry
from stack import LocalStack

MARKS = ("W#", "G#", "U#", "E#")
"""Of work, of what is to be erased, of what cannot be found, of records that were forgotten."""


def leavings(folder: Folder, documents: dict[str, dict[str, Any]]) -> str:
    """What is there beside these documents' own chunks, vectors, entries and texts, or is not there
    of them; nothing if all is as it should be.
    """
    wanted = {
        str(ChunkKey(one["id"], one["generation"], ordinal))
        for one in documents.values()
        for ordinal in range(one["chunks"])
    }
    texts = tuple(
        f"text/{TENANT}/{folder.namespace}/{one['id']}/{one['generation']}/text/"
        for one in documents.values()
    )
    records, entries = _records(folder), _entries(folder)
    told = {
        "records": wanted ^ records.keys(),
        "vectors": wanted ^ {sk.split("#")[1] for sk in _below(folder, "V#")},
        "entries": {i for i in wanted | entries.keys() if entries.get(i) != records.get(i)},
        "marks": {sk for mark in MARKS for sk in _below(folder, mark)},
        "objects": {key for key in _texts(folder) if not key.startswith(texts)},
    }
    return ", ".join(f"{len(ids)} {kind}: {sorted(ids)[:3]}" for kind, ids in told.items() if ids)


def waiting(stack: LocalStack, output: str) -> int:
    """How many messages the queue of that output holds for whoever asks."""
    told = client_of(stack, "sqs").get_queue_attributes(
        QueueUrl=output_of(stack, output), AttributeNames=["ApproximateNumberOfMessages"]
    )
    return int(told["Attributes"]["ApproximateNumberOfMessages"])


def _records(folder: Folder) -> dict[str, int]:
    """By record, the version that its entry of the index must have."""
    return {
        sk.removeprefix("R#"): Entry.version_of(int(item["rev"]["N"]), complete=True)
        for sk, item in _below(folder, "R#", "rev").items()
    }


def _entries(folder: Folder) -> dict[str, int]:
    """By record, the version of its entry of the index, if it can be found."""
    entries = entries_of(folder.stack, folder.namespace)
    return {its_id: version for its_id, (version, tombstone) in entries.items() if not tombstone}


def _below(folder: Folder, prefix: str, *attributes: str) -> dict[str, items.Item]:
    """The namespace's items whose sort keys begin so, by these."""
    found = query(
        table(folder.stack),
        folder.stack.values["TABLE_NAME"],
        items.partition(TENANT, folder.namespace),
        first=prefix,
        last=prefix + items.LAST,
        attributes=("sk", *attributes),
    )
    return {item["sk"]["S"]: item for item in found}


def _texts(folder: Folder) -> Iterator[str]:
    pages = folder.s3.get_paginator("list_objects_v2").paginate(
        Bucket=folder.bucket, Prefix=f"text/{TENANT}/{folder.namespace}/"
    )
    for page in pages:
        yield from (one["Key"] for one in page.get("Contents", []))
