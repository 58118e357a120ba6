"""Entries and questions for tests of search indexes; vectors are three numbers wide."""

from datetime import UTC, datetime, timedelta
from typing import Any

from palimpsest.domain.entries import (
    Entry,
    Leg,
    LegQuery,
    LegResult,
    LegStatus,
)
from palimpsest.domain.records import Content
from palimpsest.domain.vectors import Vector, unit
from palimpsest.ports import SearchIndex

FINGERPRINT = "test:model:3"
NOW = datetime(2026, 6, 1, 12, tzinfo=UTC)
PARTITION = "acme#notes"
HOUR = timedelta(hours=1)


def entry(entry_id: str, text: str, revision: int = 1, **options: Any) -> Entry:
    """A record; `vector` and `partition` are the entry's, everything else is its content's."""
    vector: Vector | None = options.pop("vector", None)
    return Entry(
        partition=options.pop("partition", PARTITION),
        id=entry_id,
        revision=revision,
        version=Entry.version_of(revision, complete=vector is not None),
        content=Content(text=text, **options),
        created_at=NOW - HOUR,
        updated_at=NOW,
        vector=vector,
    )


def tombstone(entry_id: str, revision: int, partition: str = PARTITION) -> Entry:
    version = Entry.version_of(revision, complete=True)
    return Entry(partition=partition, id=entry_id, revision=revision, version=version)


def vector(*values: float) -> Vector:
    return unit(values, dimension=len(values))


def by_words(text: str, **options: Any) -> LegQuery:
    known = {"partitions": (PARTITION,), "depth": 100, "now": NOW, **options}
    return LegQuery(leg=Leg.LEXICAL, text=text, **known)


def by_vector(*values: float, **options: Any) -> LegQuery:
    known = {
        "partitions": (PARTITION,),
        "depth": 100,
        "now": NOW,
        "fingerprint": FINGERPRINT,
        **options,
    }
    return LegQuery(leg=Leg.SEMANTIC, vector=vector(*values), **known)


def ask(index: SearchIndex, query: LegQuery) -> LegResult:
    (result,) = index.search([query], timeout=10)
    return result


def ids(index: SearchIndex, query: LegQuery) -> list[str]:
    result = ask(index, query)
    assert result.status is LegStatus.OK, result
    return [candidate.id for candidate in result.candidates]
