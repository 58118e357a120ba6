"""Entries of the ledger as items: `U#{generation}#{id}`, `U#D#{id}` of documents."""

from collections.abc import Mapping
from typing import Any

from palimpsest.adapters.dynamodb import items
from palimpsest.domain.instants import from_millis, to_millis
from palimpsest.domain.ledger import LedgerEntry, Reason


def ledger_sk(generation: str, record_id: str) -> str:
    """Where an entry stands."""
    return f"U#{generation}#{record_id}"


def ledger_attributes(entry: LedgerEntry) -> items.Item:
    """What an entry tells beside its key."""
    return {
        "rev": items.number(entry.revision),
        "why": {"S": entry.reason.value},
        "detail": {"S": entry.detail},
        "since": items.number(to_millis(entry.since)),
    }


def ledger_entry_of(item: Mapping[str, Any]) -> LedgerEntry:
    """An item as an entry."""
    return LedgerEntry(
        id=item["sk"]["S"].rsplit("#", 1)[1],
        revision=int(item["rev"]["N"]),
        reason=Reason(item["why"]["S"]),
        detail=item["detail"]["S"],
        since=from_millis(int(item["since"]["N"])),
    )
