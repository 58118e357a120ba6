"""Vectors: what a usable one is, and its float16 form at rest."""

import hashlib
import math
import struct
from collections.abc import Sequence

from palimpsest.domain.errors import EmbeddingRejected

Vector = tuple[float, ...]
"""A direction: finite numbers of unit length (Euclidean norm 1)."""

BYTES_PER_DIMENSION = 2


def unit(values: Sequence[object], *, dimension: int) -> Vector:
    """The vector of unit length in the direction of `values`.

    Raises `EmbeddingRejected`: `wrong_width` unless there are exactly `dimension` numbers,
    `not_finite` for anything that is not a finite number, `zero` where there is no direction.
    """
    if len(values) != dimension:
        raise EmbeddingRejected("wrong_width")
    numbers = [_number(value) for value in values]
    largest = max(map(abs, numbers), default=0.0)
    if largest == 0.0:
        raise EmbeddingRejected("zero")
    scaled = [value / largest for value in numbers]  # so that no square overflows or vanishes
    norm = math.sqrt(math.fsum(value * value for value in scaled))
    return tuple(value / norm for value in scaled)


def _number(value: object) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise EmbeddingRejected("not_finite")
    try:
        number = float(value)
    except OverflowError:
        number = math.inf
    if not math.isfinite(number):
        raise EmbeddingRejected("not_finite")
    return number


def to_float16(vector: Vector) -> bytes:
    """Little-endian IEEE 754 binary16, rounded to nearest even; two bytes a dimension."""
    return struct.pack(f"<{len(vector)}e", *vector)


def from_float16(data: bytes, *, dimension: int) -> Vector | None:
    """The unit vector behind `to_float16`; None for a payload of another length or that is no
    direction.
    """
    if len(data) != dimension * BYTES_PER_DIMENSION:
        return None
    try:
        return unit(struct.unpack(f"<{dimension}e", data), dimension=dimension)
    except EmbeddingRejected:
        return None


def text_hash(text: str) -> str:
    """The identity of a text: the first 32 hex digits of its SHA-256 in UTF-8."""
    return hashlib.sha256(text.encode()).hexdigest()[:32]
