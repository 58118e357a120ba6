"""How an entry stands in the file: hashed terms, counts, attributes, vector and sign bits."""

import math
from collections.abc import Iterator, Sequence
from datetime import datetime

import numpy as np
import numpy.typing as npt

from palimpsest.domain.entries import Entry
from palimpsest.domain.filterable import filterable
from palimpsest.domain.instants import to_millis
from palimpsest.domain.lexical import field_counts
from palimpsest.domain.records import Content
from palimpsest.domain.term_hashes import term_hash
from palimpsest.domain.vectors import Vector, to_float16

Attribute = tuple[str, str, str | int | float]
"""Field, kind and value; values of different kinds are never equal."""

STRING, BOOLEAN, INSTANT, NUMBER = "string", "boolean", "instant", "number"
LARGE_NEGATIVE, LARGE = "large negative number", "large number"
NUMBER_KINDS = (LARGE_NEGATIVE, NUMBER, LARGE)
"""In ascending order: every number of a kind is below all of the next."""

_LARGEST_COUNT = 65_535
_LARGEST_INTEGER = 2**63
_TURNED_ROUND = str.maketrans("0123456789", "9876543210")


def encode_terms(content: Content) -> tuple[bytes, bytes]:
    """Hashes and counts of a record's terms."""
    counts = field_counts(content)
    hashes = np.fromiter(map(term_hash, counts), np.uint64, len(counts))
    table = np.array(list(counts.values()), np.int64).reshape(-1, 3)
    return hashes.tobytes(), np.minimum(table, _LARGEST_COUNT).astype(np.uint16).tobytes()


def encode_vector(vector: Vector) -> tuple[bytes, bytes]:
    """The vector in float16 and its sign bits."""
    return to_float16(vector), sign_bits(np.asarray(vector)).tobytes()


def sign_bits(vector: npt.NDArray[np.floating]) -> npt.NDArray[np.uint64]:
    """One bit a dimension, 1 where it is not negative, in whole 64-bit words."""
    words = -(-vector.shape[0] // 64)
    bits = np.zeros(words * 64, np.uint8)
    bits[: vector.shape[0]] = vector >= 0
    return np.packbits(bits).view(np.uint64)


def kind_and_value(value: object) -> tuple[str, str | int | float] | None:
    """How a filter's value, or a record's, is compared: within a kind by SQLite's own order, across
    the kinds of numbers by that of `NUMBER_KINDS`; None if nothing in the file can equal it.
    """
    if isinstance(value, bool):
        return BOOLEAN, int(value)
    if isinstance(value, datetime):
        return INSTANT, to_millis(value)
    if isinstance(value, str):
        return (STRING, value) if storable(value) else None
    if isinstance(value, float) and not value.is_integer():
        return None if math.isnan(value) else (NUMBER, value)
    if isinstance(value, int | float):
        return _whole(int(value))
    return None


def _whole(number: int) -> tuple[str, str | int]:
    """A whole number, beyond 64 bits as text whose order is the numbers': the count of digits
    stands before them, and of negative ones each digit is turned round.
    """
    if -_LARGEST_INTEGER <= number < _LARGEST_INTEGER:
        return NUMBER, number
    digits = str(abs(number))
    text = f"{len(digits):04}{digits}"
    return (LARGE, text) if number > 0 else (LARGE_NEGATIVE, text.translate(_TURNED_ROUND))


def attributes(entry: Entry) -> Iterator[Attribute]:
    """Everything of an entry that a filter may compare. Raises `UnicodeEncodeError` for a string or
    a metadata key that is none.
    """
    if entry.content is None:
        return
    for field, values in filterable(entry, entry.content):
        for value in values:
            found = kind_and_value(value)
            if found is not None:
                yield field, *found


def storable(text: str) -> bool:
    """Whether the text can stand in the file: it holds no half of a surrogate pair."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def unusable(vector: Sequence[float], *, dimension: int | None) -> str | None:
    """Why a vector cannot be stored beside those of `dimension` numbers; None if it can."""
    if not vector or (dimension is not None and len(vector) != dimension):
        return "wrong_width"
    with np.errstate(over="ignore"):
        stored = np.asarray(vector, np.float64).astype(np.float16)
    if not np.isfinite(stored).all():
        return "not_finite"
    return None if stored.any() else "zero"
