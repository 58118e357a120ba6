"""Time that goes by for the documents of a running stack, faster than it does: leases of workers
that are dead end at once, what is to be erased in a minute is due, and rounds come early.
"""

import json
from dataclasses import replace
from datetime import UTC, datetime

from e2e.documents_scene import Folder
from e2e.endpoint_clients import client_of, output_of
from e2e.index_at_rest import TENANT, table
from palimpsest.adapters.dynamodb import items
from palimpsest.adapters.dynamodb.document_writes import EndedMark
from palimpsest.adapters.dynamodb.documents import DynamoDocuments
from palimpsest.domain.documents import Document

DUE = 0
TOGETHER = 100


def under_way(folder: Folder) -> list[Document]:
    """The documents that somebody is, or was, at work on."""
    return _documents(folder, _kept(folder).under_way(TENANT, folder.namespace))


def end_leases(folder: Folder, dead: set[str]) -> None:
    """The leases of these attempts are over, where they are the documents' own still."""
    for document in under_way(folder):
        attempt, now = document.attempt, datetime.now(UTC)
        if attempt is not None and attempt.id in dead and attempt.lease > now:
            over = replace(
                document, attempt=replace(attempt, lease=now), writes=document.writes + 1
            )
            _kept(folder).put(TENANT, over, writes=document.writes)


def make_due(folder: Folder) -> None:
    """What is marked to be erased is to be erased now."""
    client, name = table(folder.stack), folder.stack.values["TABLE_NAME"]
    pk = items.partition(TENANT, folder.namespace)
    far = datetime(9999, 1, 1, tzinfo=UTC)
    for ended in _kept(folder).ended(TENANT, folder.namespace, now=far, limit=TOGETHER):
        due = EndedMark(DUE, ended.document_id, ended.generation).sk
        if ended.mark != due:
            client.put_item(TableName=name, Item=items.key(pk, due))
            client.delete_item(TableName=name, Key=items.key(pk, ended.mark))


def make_round(folder: Folder, job: str) -> None:
    """A round, as its schedule begins it (`tend` each minute, `sweep` each hour), to its end. Its
    worker may be killed.
    """
    name = output_of(folder.stack, "IngestFunctionName")
    client_of(folder.stack, "lambda").invoke(
        FunctionName=name,
        Qualifier="live",
        Payload=json.dumps({"job": job}).encode(),
    )


def _kept(folder: Folder) -> DynamoDocuments:
    return DynamoDocuments(folder.stack.values["TABLE_NAME"], table(folder.stack))


def _documents(folder: Folder, ids: list[str]) -> list[Document]:
    _, found = _kept(folder).read(TENANT, folder.namespace, ids)
    return list(found.values())
