"""The nearest vectors of one partition, in memory: a shortlist by sign bits, then exact cosines."""

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


def nearest(
    vectors: Vectors,
    query: npt.NDArray[np.float64],
    *,
    among: Integers,
    depth: int,
    exact_rows: int,
    shortlist: int,
) -> tuple[Integers, Floats]:
    """Slots of `among` that include its `depth` nearest, and their cosines with a unit `query`.

    Up to `exact_rows` slots are all compared; more are cut to the `shortlist` (at least ten times
    the depth) whose signs differ least, ties included, so that the answer does not depend on their
    order.
    """
    if among.size > exact_rows:
        among = _shortlisted(vectors, query, among=among, size=max(shortlist, 10 * depth))
    rows = vectors.matrix.take(among, axis=0)
    rough = np.einsum(
        "ij,j->i", rows, query.astype(np.float32)
    )  # BLAS would wake threads: slow if busy
    if among.size > depth:
        least = np.partition(rough, among.size - depth)[among.size - depth]
        among = among[rough >= least - _MARGIN]
    exact = (vectors.matrix[among].astype(np.float64) * query).sum(axis=1)
    return among, np.clip(exact, -1.0, 1.0)


def _shortlisted(
    vectors: Vectors, query: npt.NDArray[np.float64], *, among: Integers, size: int
) -> Integers:
    if among.size <= size:
        return among
    bits = sign_bits(query)
    distance = np.zeros(among.size, np.uint16)
    whole = among.size == vectors.count
    for word in range(bits.size):
        column = vectors.signs[: vectors.count, word]
        distance += bit_count((column if whole else column[among]) ^ bits[word])
    near: Integers = among[distance <= np.partition(distance, size - 1)[size - 1]]
    return near


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
