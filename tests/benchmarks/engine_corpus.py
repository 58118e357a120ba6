"""What the OpenSearch benchmark stores and asks: made sentences with made vectors, the same for
every contender.

A made vector is a direction that all share, one of a few hundred topics, and noise, so that cosines
lie where those of a real model do (.7 between topics, .9 within one). Its numbers have 7 decimals,
as many as our adapter writes, so that whoever writes them out in full writes no more than we do.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from benchmarks.sentences import Sentences
from palimpsest.domain.records import Content
from palimpsest.domain.vectors import Vector

DIMENSION = 384
DECIMALS = 7
TOPICS = 300
TOPIC, NOISE, ASKED = 0.5, 0.4, 0.3
"""Lengths beside the shared direction, and of what moves a question away from a record."""

Matrix = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Asked:
    """A question with the vector that a model would have made of it."""

    text: str
    vector: Vector


@dataclass(frozen=True, slots=True, kw_only=True)
class Corpus:
    """Records by row, their vectors, and the questions. `fingerprint` names the model."""

    name: str
    fingerprint: str
    ids: Sequence[str]
    contents: Sequence[Content]
    vectors: Matrix
    questions: Sequence[Asked]

    @property
    def dimension(self) -> int:
        return int(self.vectors.shape[1])

    def __len__(self) -> int:
        return len(self.ids)

    def vector(self, row: int) -> Vector:
        return tuple(self.vectors[row].tolist())


def made(records: int, *, questions: int) -> Corpus:
    """A corpus of that many records; the smaller one is no part of the larger one."""
    numbers = np.random.default_rng(records)
    shared = unit_rows(numbers.normal(size=(1, DIMENSION)))
    topics = shared + TOPIC * unit_rows(numbers.normal(size=(TOPICS, DIMENSION)))
    noise = unit_rows(numbers.normal(size=(records, DIMENSION)))
    vectors = unit_rows(topics[numbers.integers(0, TOPICS, records)] + NOISE * noise).round(
        DECIMALS
    )
    away = ASKED * unit_rows(numbers.normal(size=(questions, DIMENSION)))
    near = unit_rows(vectors[numbers.integers(0, records, questions)] + away).round(DECIMALS)
    words = Sentences(seed=records)
    return Corpus(
        name=f"{records:,} records",
        fingerprint=f"made:{DIMENSION}",
        ids=[f"record-{number:06}" for number in range(records)],
        contents=[Content(text=text) for text in words.records(records)],
        vectors=vectors,
        questions=[Asked(words.question(), tuple(row)) for row in near.tolist()],
    )


def unit_rows(matrix: Matrix) -> Matrix:
    return matrix / np.linalg.norm(matrix, axis=1, keepdims=True)
