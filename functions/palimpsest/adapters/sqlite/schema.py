"""The tables of the index file. A change here is another `VERSION`, hence another generation.

No text stands in the file: terms are 64-bit hashes with their counts. What a filter compares stands
in `attributes`, one row a value. A tombstone entry has no `text_hash` and no content.
"""

from typing import Any

import apsw

APPLICATION = 0x50414C49
VERSION = 2

_TABLES = """
CREATE TABLE meta (name TEXT PRIMARY KEY, value) WITHOUT ROWID;
CREATE TABLE partitions (number INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE);
CREATE TABLE entries (
  number INTEGER PRIMARY KEY,
  partition INTEGER NOT NULL,
  id TEXT NOT NULL,
  revision INTEGER NOT NULL,
  version INTEGER NOT NULL,
  sequence INTEGER NOT NULL,  -- of the write, growing: what a reader has not seen yet
  text_hash TEXT,
  event_time INTEGER,  -- this and the next three: epoch milliseconds
  valid_from INTEGER,
  valid_to INTEGER,
  expires_at INTEGER,
  terms BLOB,   -- uint64, the hash of each distinct term
  counts BLOB,  -- uint16, three for each term: in names, heads and body
  vector BLOB,  -- float16
  signs BLOB,   -- one bit a dimension, 1 where it is not negative
  UNIQUE (partition, id)
);
CREATE INDEX entries_by_change ON entries (partition, sequence);
CREATE TABLE attributes (
  partition INTEGER NOT NULL,
  field TEXT NOT NULL,
  kind TEXT NOT NULL,
  value NOT NULL,
  entry INTEGER NOT NULL,
  PRIMARY KEY (partition, field, kind, value, entry)
) WITHOUT ROWID;
CREATE INDEX attributes_by_entry ON attributes (entry);
"""


def run(connection: apsw.Connection, statements: str, values: Any = None) -> list[Any]:
    """Run statements to their end (a cursor that is not read stops at its first row)."""
    rows: list[Any] = connection.execute(statements, values).fetchall()
    return rows


def create(connection: apsw.Connection, *, generation: str, fingerprint: str) -> None:
    """Make the tables of a new generation, all or none."""
    run(connection, "PRAGMA journal_mode = WAL")
    with connection:
        run(connection, _TABLES)
        facts = [("generation", generation), ("fingerprint", fingerprint), ("sequence", 0)]
        for fact in facts:
            run(connection, "INSERT INTO meta VALUES (?, ?)", fact)
        run(connection, f"PRAGMA user_version = {VERSION}")
        run(connection, f"PRAGMA application_id = {APPLICATION}")


def meta(connection: apsw.Connection, name: str) -> Any:
    """A fact about the file; None if it is not known (yet)."""
    rows = run(connection, "SELECT value FROM meta WHERE name = ?", (name,))
    return rows[0][0] if rows else None
