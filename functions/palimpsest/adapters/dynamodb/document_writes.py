"""What a transaction does to a document, or asks of it."""

from collections.abc import Iterator
from typing import Any, NamedTuple

from palimpsest.adapters.dynamodb import items
from palimpsest.adapters.dynamodb.document_items import document_item, document_sk, under_way_sk
from palimpsest.adapters.dynamodb.ledger_items import ledger_attributes, ledger_sk
from palimpsest.domain.commits import DocumentAttempt, DocumentChange
from palimpsest.domain.documents import Document, DocumentState
from palimpsest.domain.instants import to_millis
from palimpsest.domain.ledger import DOCUMENTS, LedgerEntry, Reason

Write = dict[str, Any]


class EndedMark(NamedTuple):
    """A generation that is to be erased, not before `due` (epoch milliseconds)."""

    due: int
    document_id: str
    generation: int

    @property
    def sk(self) -> str:
        """Where it is marked: the marks of a namespace stand in the order in which they are due."""
        return f"G#{self.due:015}#{self.document_id}#{self.generation}"

    @classmethod
    def of(cls, sk: str) -> "EndedMark":
        """The inverse of `sk`."""
        _, due, document_id, generation = sk.split("#")
        return cls(int(due), document_id, int(generation))


def attempt_check(attempt: DocumentAttempt, pk: str, table: str) -> Write:
    """The part of a transaction that holds only while nobody else is at work on the document."""
    still_ours = "attempt = :attempt"
    return {
        "ConditionCheck": {
            "TableName": table,
            "Key": items.key(pk, document_sk(attempt.document_id)),
            "ConditionExpression": still_ours,
            "ExpressionAttributeValues": {":attempt": {"S": attempt.attempt}},
        }
    }


def document_writes(change: DocumentChange, pk: str, table: str) -> Iterator[Write]:
    """The parts of a transaction that replace a document and mark what is to be erased."""
    yield {"Put": document_put(document_item(pk, change.after), table, writes=change.writes)}
    yield from beside_document(change.after, pk, table)
    for generation in change.ended:
        mark = EndedMark(to_millis(change.erased_from), change.after.id, generation)
        yield {"Put": {"TableName": table, "Item": items.key(pk, mark.sk)}}


def document_put(item: items.Item, table: str, *, writes: int | None) -> Write:
    """The put of a document that holds only while it is as it was read."""
    if writes is None:
        not_there = "attribute_not_exists(pk)"
        return {"TableName": table, "Item": item, "ConditionExpression": not_there}
    as_it_was_read = "w = :writes"
    return {
        "TableName": table,
        "Item": item,
        "ConditionExpression": as_it_was_read,
        "ExpressionAttributeValues": {":writes": items.number(writes)},
    }


def beside_document(document: Document, pk: str, table: str) -> Iterator[Write]:
    """The parts of a transaction that keep in step with a document: its entry of the ledger while
    it cannot be found, and the mark of whoever is at work on it.
    """
    ledger = items.key(pk, ledger_sk(DOCUMENTS, document.id))
    if document.state in {DocumentState.READY, DocumentState.DELETED}:
        yield {"Delete": {"TableName": table, "Key": ledger}}
    else:
        entry = LedgerEntry(
            id=document.id,
            revision=document.base + 1,
            reason=Reason(document.reason or Reason.PENDING),
            detail=document.detail or "",
            since=document.updated_at,
        )
        yield {"Put": {"TableName": table, "Item": {**ledger, **ledger_attributes(entry)}}}
    mark = items.key(pk, under_way_sk(document.id))
    if document.attempt is None:
        yield {"Delete": {"TableName": table, "Key": mark}}
    else:
        yield {"Put": {"TableName": table, "Item": mark}}
