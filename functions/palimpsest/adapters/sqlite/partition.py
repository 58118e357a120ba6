"""One partition in memory: an unchanging view for searches, brought up to date by what was written
since.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

import apsw
import numpy as np
import numpy.typing as npt

from palimpsest.adapters.sqlite.failures import Damaged
from palimpsest.adapters.sqlite.nearest import Vectors
from palimpsest.adapters.sqlite.postings import Postings, Segment, added, segment_of
from palimpsest.adapters.sqlite.schema import run
from palimpsest.domain.filters import TimeRange
from palimpsest.domain.instants import to_millis
from palimpsest.domain.lexical import FieldWeights

_EARLIEST, _LATEST = np.iinfo(np.int64).min, np.iinfo(np.int64).max
_COMPACT_AFTER = 2_000
_CHANGES = """
SELECT number, sequence, id, revision, text_hash, event_time, valid_from, valid_to, expires_at,
       terms, counts, vector, signs
FROM entries WHERE partition = ? AND sequence > ? ORDER BY sequence, number
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class View:
    """The entries of a partition as of one state of the file, in slots.

    A changed entry gets a new slot and its old one dies. `ids` and `hashes` may go on growing for
    later views. `times`: event, valid from, valid to and expiry of each slot in epoch milliseconds.
    """

    partition: int
    sequence: int
    ids: list[str]
    hashes: list[str]
    numbers: npt.NDArray[np.int64]
    revisions: npt.NDArray[np.int64]
    times: npt.NDArray[np.int64]
    lengths: npt.NDArray[np.int64]
    alive: npt.NDArray[np.bool_]
    embedded: npt.NDArray[np.bool_]
    segments: tuple[Segment, ...]
    vectors: Vectors

    @classmethod
    def empty(cls, partition: int, *, dimension: int) -> "View":
        """No entries, as before the first write."""
        none = np.zeros(0, np.int64)
        nobody = np.zeros(0, np.bool_)
        return cls(
            partition=partition, sequence=0, ids=[], hashes=[], numbers=none, revisions=none,
            times=np.zeros((0, 4), np.int64), lengths=none, alive=nobody, embedded=nobody,
            segments=(), vectors=Vectors.empty(dimension),
        )  # fmt: skip

    @property
    def postings(self) -> Postings:
        """The words of the entries."""
        return Postings(self.segments, self.alive, self.lengths)

    def current(self, now: datetime, time_range: TimeRange | None) -> npt.NDArray[np.bool_]:
        """By slot, whether the entry lives, is valid at `now`, and its event lies in the range."""
        event, start, end, expiry = self.times.T
        moment = to_millis(now)
        standing: npt.NDArray[np.bool_] = (
            self.alive & (start <= moment) & (moment < end) & (moment < expiry)
        )
        if time_range is not None:
            standing &= event != _EARLIEST
            if time_range.start is not None:
                standing &= event >= to_millis(time_range.start)
            if time_range.end is not None:
                standing &= event <= to_millis(time_range.end)
        return standing


def refreshed(
    view: View, connection: apsw.Connection, *, dimension: int, weights: FieldWeights
) -> View:
    """The view as of the connection's transaction. Raises `Damaged` for bytes that are no entry."""
    rows = run(connection, _CHANGES, (view.partition, view.sequence))
    if not rows:
        return view
    grown = len(view.ids) + len(rows)
    if grown > _COMPACT_AFTER and view.sequence and grown > 2 * (view.alive.sum() + len(rows)):
        fresh = View.empty(view.partition, dimension=dimension)
        return refreshed(fresh, connection, dimension=dimension, weights=weights)
    if view.vectors.matrix.shape[1] != dimension:  # until now no entry had a vector
        blank = np.zeros((len(view.ids), dimension), np.float16)
        words = np.zeros((len(view.ids), -(-dimension // 64)), np.uint64)
        view = replace(view, vectors=Vectors.empty(dimension).appended(blank, words))
    try:
        return _with(view, rows, dimension=dimension, weights=weights)
    except (ValueError, IndexError) as error:
        raise Damaged("an entry of the index cannot be read") from error


def _with(view: View, rows: Sequence[Any], *, dimension: int, weights: FieldWeights) -> View:
    changed = np.fromiter((row[0] for row in rows), np.int64, len(rows))
    alive = view.alive & ~np.isin(view.numbers, changed)
    sequence = rows[-1][1]
    living = [row for row in rows if row[4] is not None]
    if not living:
        return replace(view, sequence=sequence, alive=alive)
    alive = np.concatenate((alive, np.ones(len(living), np.bool_)))
    columns = list(zip(*living, strict=True))
    segment, lengths = segment_of(
        columns[9], columns[10], first_slot=len(view.ids), weights=weights
    )
    matrix, signs, embedded = _vectors(columns[11], columns[12], dimension=dimension)
    times = np.array(list(zip(*map(_instants, columns[5:9], range(4)), strict=True)), np.int64)
    view.ids.extend(columns[2])
    view.hashes.extend(columns[4])
    return replace(
        view,
        sequence=sequence,
        numbers=np.concatenate((view.numbers, np.array(columns[0], np.int64))),
        revisions=np.concatenate((view.revisions, np.array(columns[3], np.int64))),
        times=np.concatenate((view.times, times)),
        lengths=np.concatenate((view.lengths, lengths)),
        alive=alive,
        embedded=np.concatenate((view.embedded, embedded)),
        segments=added(view.segments, segment, alive=alive),
        vectors=view.vectors.appended(matrix, signs),
    )


def _instants(column: Sequence[int | None], place: int) -> list[int]:
    """Open ends as the earliest or latest number: event and start, then end and expiry."""
    open_end = _EARLIEST if place < 2 else _LATEST  # noqa: PLR2004 - the first two of four
    return [open_end if value is None else value for value in column]


def _vectors(
    vectors: Sequence[bytes | None], signs: Sequence[bytes | None], *, dimension: int
) -> tuple[npt.NDArray[np.float16], npt.NDArray[np.uint64], npt.NDArray[np.bool_]]:
    width, words = 2 * dimension, 8 * -(-dimension // 64)
    matrix = np.frombuffer(b"".join(v or bytes(width) for v in vectors), np.float16)
    bits = np.frombuffer(b"".join(s or bytes(words) for s in signs), np.uint64)
    embedded = np.fromiter((v is not None for v in vectors), np.bool_, len(vectors))
    rows = len(vectors)
    return matrix.reshape(rows, dimension), bits.reshape(rows, words // 8), embedded
