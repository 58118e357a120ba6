"""Reading a file outside of searches: entries in order, those that pass a filter, how high each
partition is, the legs of one id.
"""

import json
from collections.abc import Iterator
from itertools import islice

import apsw
import numpy as np

from palimpsest.adapters.sqlite.file import IndexFile
from palimpsest.adapters.sqlite.filtering import Booleans, passing
from palimpsest.adapters.sqlite.schema import run
from palimpsest.adapters.sqlite.writing import partition_number
from palimpsest.domain.entries import EntryState, Leg
from palimpsest.domain.filters import Filter

PAGE = 1_000
FEW = 1_000
"""So many entries that pass a filter are looked up one by one. Where there are more of them, the
partition's are read in order, until enough have been found.
"""

_PAGE_OF_STATES = """
SELECT id, revision, version, text_hash IS NULL, vector IS NOT NULL
FROM entries WHERE partition = ? AND id > ? ORDER BY id LIMIT ?
"""
_PAGE_OF_NUMBERS = """
SELECT id, number, text_hash IS NOT NULL
FROM entries WHERE partition = ? AND id > ? ORDER BY id LIMIT ?
"""
# CROSS: by the numbers, whatever else SQLite would rather begin with
_OF_NUMBERS = """
SELECT entries.id FROM json_each(?) CROSS JOIN entries ON number = json_each.value
WHERE partition = ? AND entries.id > ? AND text_hash IS NOT NULL ORDER BY entries.id LIMIT ?
"""
_LEGS = """
SELECT terms IS NOT NULL, vector IS NOT NULL FROM entries WHERE partition = ? AND id = ?
"""
_HEIGHTS = """
SELECT name, max(version) / 2 FROM entries JOIN partitions ON partitions.number = partition
GROUP BY partition
"""


def page(file: IndexFile, partition: str, after: str) -> list[EntryState]:
    """The next entries of a partition after an id, in order; none at the end."""
    with file.reading() as connection:
        number = partition_number(connection, partition)
        rows = run(connection, _PAGE_OF_STATES, (number, after, PAGE))
    return [EntryState(i, rev, ver, bool(gone), bool(vec)) for i, rev, ver, gone, vec in rows]


def heights(file: IndexFile) -> list[tuple[str, int]]:
    """Each partition with the highest revision that the version of an entry is made of."""
    with file.reading() as connection:
        return [(str(name), int(height)) for name, height in run(connection, _HEIGHTS)]


def legs(file: IndexFile, partition: str, record_id: str) -> frozenset[Leg]:
    """The legs on which an id can be found."""
    with file.reading() as connection:
        number = partition_number(connection, partition)
        rows = run(connection, _LEGS, (number, record_id))
    return frozenset(
        leg
        for row in rows
        for leg, there in zip((Leg.LEXICAL, Leg.SEMANTIC), row, strict=True)
        if there
    )


def matching(
    file: IndexFile, partition: str, where: Filter, *, after: str, limit: int
) -> list[str]:
    """The ids of entries that pass a filter, in order, as of one state of the file."""
    with file.reading() as connection:
        number = partition_number(connection, partition)
        if number is None:
            return []
        size = run(connection, "SELECT ifnull(max(number), 0) + 1 FROM entries")[0][0]
        fits = passing(connection, where, partition=number, entries=size)
        found = np.flatnonzero(fits)
        if found.size > FEW:
            return list(islice(_in_order(connection, number, fits, after), limit))
        told = json.dumps(found.tolist())
        return [row[0] for row in run(connection, _OF_NUMBERS, (told, number, after, limit))]


def _in_order(
    connection: apsw.Connection, partition: int, fits: Booleans, after: str
) -> Iterator[str]:
    while rows := run(connection, _PAGE_OF_NUMBERS, (partition, after, PAGE)):
        yield from (record_id for record_id, number, living in rows if living and fits[number])
        after = rows[-1][0]
