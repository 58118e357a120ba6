"""The simulated embedder: a narrow bag of hashed words, with a provider's faults. A text that holds
`UNSPEAKABLE` never gets a vector.
"""

import hashlib
from collections.abc import Sequence
from functools import lru_cache

from palimpsest.domain.embedding import STAGE, Embedded
from palimpsest.domain.errors import (
    DeadlineExceeded,
    EmbeddingRejected,
    ProviderError,
    Throttled,
    Unavailable,
)
from palimpsest.domain.vectors import Vector, unit
from simulation.faults import Fault
from simulation.gate import Gate

UNSPEAKABLE = "unspeakable"


class SimulatedEmbedder:
    """`Embedder` of one model of that width."""

    def __init__(self, gate: Gate, *, dimension: int) -> None:
        self._gate = gate
        self.dimension = dimension
        self.fingerprint = f"words:{dimension}"

    def embed_query(self, text: str, *, timeout: float) -> Vector:
        self._call(text, timeout)
        return vector_of(text, self.dimension)

    def embed_passages(
        self, texts: Sequence[str], *, timeout: float
    ) -> list[Embedded | EmbeddingRejected]:
        self._call(f"{len(texts)} texts", timeout)
        return [
            EmbeddingRejected("zero")
            if UNSPEAKABLE in text
            else Embedded(vector_of(text, self.dimension))
            for text in texts
        ]

    def _call(self, said: str, timeout: float) -> None:
        clock = self._gate.scheduler.clock
        until = clock.monotonic() + timeout
        fault = self._gate.enter("embedder.embed", said)
        if fault is Fault.TIMEOUT or clock.monotonic() >= until:
            raise DeadlineExceeded("simulated", stage=STAGE)
        if fault is Fault.OUTAGE:
            raise Unavailable("simulated", stage=STAGE)
        if fault is Fault.THROTTLED:
            raise Throttled("simulated")
        if fault is not None:
            raise ProviderError("simulated", stage=STAGE)


@lru_cache(maxsize=65_536)
def vector_of(text: str, dimension: int) -> Vector:
    """The vector of a text: the sum of its words' directions."""
    sums = [0.0] * dimension
    for word in text.split():
        digest = hashlib.blake2b(word.encode(), digest_size=dimension).digest()
        for place, byte in enumerate(digest):
            sums[place] += byte - 127.5
    return unit(sums, dimension=dimension)
