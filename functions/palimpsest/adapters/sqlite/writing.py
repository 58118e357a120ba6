"""Writes: the version guard in SQL, what a filter compares beside it, and tombstones that keep
nothing.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime

import apsw

from palimpsest.adapters.sqlite.encoding import (
    Attribute,
    attributes,
    encode_terms,
    encode_vector,
    unusable,
)
from palimpsest.adapters.sqlite.schema import meta, run
from palimpsest.domain.entries import Entry, WriteOutcome, WriteResult
from palimpsest.domain.instants import to_millis

_UPSERT = """
INSERT INTO entries (partition, id, revision, version, sequence, text_hash,
                     event_time, valid_from, valid_to, expires_at, terms, counts, vector, signs)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
ON CONFLICT (partition, id) DO UPDATE SET
  revision = excluded.revision, version = excluded.version, sequence = excluded.sequence,
  text_hash = excluded.text_hash, event_time = excluded.event_time,
  valid_from = excluded.valid_from, valid_to = excluded.valid_to, expires_at = excluded.expires_at,
  terms = excluded.terms, counts = excluded.counts, vector = excluded.vector, signs = excluded.signs
WHERE excluded.version >= entries.version
RETURNING number
"""


@dataclass(frozen=True, slots=True)
class Prepared:
    """An entry in the form of the file, made before that is locked, or why it cannot stand."""

    entry: Entry
    columns: tuple[object, ...] = ()
    attributes: tuple[Attribute, ...] = ()
    rejection: str | None = None


def prepared(entry: Entry) -> Prepared:
    """Analyse and encode one entry."""
    content = entry.content
    if content is None:
        return Prepared(entry, (None,) * 9)
    reason = None if entry.vector is None else unusable(entry.vector, dimension=None)
    if reason is not None:
        return Prepared(entry, rejection=reason)
    try:
        vector = (None, None) if entry.vector is None else encode_vector(entry.vector)
        instants = (content.event_time, content.valid_from, content.valid_to, content.expires_at)
        terms = encode_terms(content)
        columns = (content.text_hash, *map(_millis, instants), *terms, *vector)
        return Prepared(entry, columns, tuple(dict.fromkeys(attributes(entry))))
    except UnicodeEncodeError:
        return Prepared(entry, rejection="not_unicode")


def apply(connection: apsw.Connection, entries: Iterable[Prepared]) -> list[WriteResult]:
    """Write entries inside a transaction; one result each, in order."""
    statement = "UPDATE meta SET value = value + 1 WHERE name = 'sequence' RETURNING value"
    sequence = run(connection, statement)[0][0]
    numbers: dict[str, int] = {}
    dimension: int | None = meta(connection, "dimension")
    results = []
    for item in entries:
        entry, reason = item.entry, item.rejection
        if reason is None and entry.vector is not None and entry.content is not None:
            if dimension is None:
                dimension = len(entry.vector)
                run(connection, "INSERT INTO meta VALUES ('dimension', ?)", (dimension,))
            reason = "wrong_width" if len(entry.vector) != dimension else None
        if reason is not None:
            results.append(WriteResult(entry.id, WriteOutcome.REJECTED, reason))
            continue
        if entry.partition not in numbers:
            numbers[entry.partition] = _number_of(connection, entry.partition)
        stands = _stored(connection, item, partition=numbers[entry.partition], sequence=sequence)
        results.append(
            WriteResult(entry.id, WriteOutcome.APPLIED if stands else WriteOutcome.STALE)
        )
    return results


def erases(entries: Sequence[Entry], results: Sequence[WriteResult]) -> bool:
    """Whether a tombstone among the entries was applied."""
    return any(
        entry.content is None and result.outcome is WriteOutcome.APPLIED
        for entry, result in zip(entries, results, strict=True)
    )


def partition_number(connection: apsw.Connection, name: str) -> int | None:
    """The number of a partition in this file; None if nothing was ever written to it."""
    rows = run(connection, "SELECT number FROM partitions WHERE name = ?", (name,))
    return int(rows[0][0]) if rows else None


def _number_of(connection: apsw.Connection, name: str) -> int:
    run(connection, "INSERT INTO partitions (name) VALUES (?) ON CONFLICT DO NOTHING", (name,))
    return partition_number(connection, name) or 0


def _stored(connection: apsw.Connection, item: Prepared, *, partition: int, sequence: int) -> bool:
    entry = item.entry
    values = (partition, entry.id, entry.revision, entry.version, sequence, *item.columns)
    written = run(connection, _UPSERT, values)
    if not written:
        return False
    number = written[0][0]
    run(connection, "DELETE FROM attributes WHERE entry = ?", (number,))
    rows = [(partition, *one, number) for one in item.attributes]
    if rows:
        connection.executemany("INSERT INTO attributes VALUES (?, ?, ?, ?, ?)", rows)
    return True


def _millis(instant: datetime | None) -> int | None:
    return None if instant is None else to_millis(instant)
