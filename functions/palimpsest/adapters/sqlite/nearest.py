"""The nearest vectors of partitions, in memory: a shortlist by sign bits, then exact cosines."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from palimpsest.adapters.sqlite.encoding import sign_bits

Booleans = npt.NDArray[np.bool_]
Floats = npt.NDArray[np.floating]
Integers = npt.NDArray[np.integer]

_MARGIN = 1e-5
"""More than single-precision products of unit vectors can be wrong by."""

_BITS_OF_BYTE = np.array([value.bit_count() for value in range(256)], np.uint8)


@dataclass(frozen=True, slots=True)
class Vectors:
    """Unit vectors by slot with their sign bits; rows beyond `count` belong to later states.

    Appending writes into room that earlier states do not look at, so those stay as they were.
    """

    matrix: npt.NDArray[np.float32]
    signs: npt.NDArray[np.uint64]
    count: int

    @classmethod
    def empty(cls, dimension: int) -> "Vectors":
        """No slots yet."""
        words = -(-dimension // 64)
        return cls(np.zeros((0, dimension), np.float32), np.zeros((0, words), np.uint64), 0)

    def appended(self, rows: npt.NDArray[np.float16], signs: npt.NDArray[np.uint64]) -> "Vectors":
        """With one row more for each of `rows`; rows of zeros stand for slots without a vector."""
        count = self.count + len(rows)
        matrix, words = self.matrix, self.signs
        if count > len(matrix):
            room = max(count, 2 * self.count if self.count else count)
            matrix = np.zeros((room, matrix.shape[1]), np.float32)
            words = np.zeros((room, words.shape[1]), np.uint64)
            matrix[: self.count] = self.matrix[: self.count]
            words[: self.count] = self.signs[: self.count]
        exact = rows.astype(np.float32)
        norms = np.sqrt(np.einsum("ij,ij->i", exact, exact))
        matrix[self.count : count] = exact / np.where(norms > 0, norms, 1)[:, None]
        words[self.count : count] = signs
        return Vectors(matrix, words, count)


@dataclass(frozen=True, slots=True)
class Comparable:
    """One partition's vectors, and the slots of it that may be found."""

    vectors: Vectors
    among: Integers


def nearest(
    partitions: Sequence[Comparable],
    query: npt.NDArray[np.float64],
    *,
    depth: int,
    exact_rows: int,
    shortlist: int,
) -> list[tuple[Integers, Floats]]:
    """For each partition slots, and their cosines with a unit `query`; all together include the
    `depth` nearest of all partitions.

    Up to `exact_rows` slots are all compared; more are cut to the `shortlist` (at least ten times
    the depth) whose signs differ least, ties included, so that the answer depends neither on their
    order nor on how they are spread over partitions.
    """
    if _size(partitions) > exact_rows:
        partitions = _shortlisted(partitions, query, size=max(shortlist, 10 * depth))
    single = query.astype(np.float32)
    # BLAS would wake threads: slow if busy
    rough = [
        np.einsum("ij,j->i", one.vectors.matrix.take(one.among, axis=0), single)
        for one in partitions
    ]
    size = _size(partitions)
    if size > depth:
        least = np.partition(np.concatenate(rough), size - depth)[size - depth] - _MARGIN
        partitions = [
            Comparable(one.vectors, one.among[cosines >= least])
            for one, cosines in zip(partitions, rough, strict=True)
        ]
    return [(one.among, _cosines(one, query)) for one in partitions]


def _size(partitions: Sequence[Comparable]) -> int:
    return sum(one.among.size for one in partitions)


def _cosines(one: Comparable, query: npt.NDArray[np.float64]) -> Floats:
    exact = (one.vectors.matrix[one.among].astype(np.float64) * query).sum(axis=1)
    return np.clip(exact, -1.0, 1.0)


def _shortlisted(
    partitions: Sequence[Comparable], query: npt.NDArray[np.float64], *, size: int
) -> Sequence[Comparable]:
    if _size(partitions) <= size:
        return partitions
    bits = sign_bits(query)
    distances = [_distances(one, bits) for one in partitions]
    farthest = np.partition(np.concatenate(distances), size - 1)[size - 1]
    return [
        Comparable(one.vectors, one.among[distance <= farthest])
        for one, distance in zip(partitions, distances, strict=True)
    ]


def _distances(one: Comparable, bits: npt.NDArray[np.uint64]) -> npt.NDArray[np.uint16]:
    """In how many signs each slot differs."""
    distance = np.zeros(one.among.size, np.uint16)
    whole = one.among.size == one.vectors.count
    for word in range(bits.size):
        column = one.vectors.signs[: one.vectors.count, word]
        distance += bit_count((column if whole else column[one.among]) ^ bits[word])
    return distance


def bit_count(words: npt.NDArray[np.uint64]) -> npt.NDArray[np.uint8]:
    """How many bits are set in each word (`numpy.bitwise_count` came with numpy 2)."""
    if hasattr(np, "bitwise_count"):
        counted: npt.NDArray[np.uint8] = np.bitwise_count(words)
        return counted
    return counted_by_table(words)


def counted_by_table(words: npt.NDArray[np.uint64]) -> npt.NDArray[np.uint8]:
    """The same by looking up each byte."""
    octets = np.ascontiguousarray(words).view(np.uint8).reshape(*words.shape, 8)
    total: npt.NDArray[np.uint8] = _BITS_OF_BYTE[octets].sum(axis=-1, dtype=np.uint8)
    return total
