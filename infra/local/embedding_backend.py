"""What the embedding server serves, and in which order."""

import heapq
import itertools
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Protocol

from palimpsest.adapters.onnx import OnnxEmbedder
from palimpsest.domain.errors import EmbeddingRejected
from palimpsest.ports import Embedder


class Purpose(StrEnum):
    """What a text is to the model. Values are those of `input_type`; `raw` adds no prefix."""

    QUERY = "query"
    PASSAGE = "passage"
    RAW = "raw"


@dataclass(frozen=True, slots=True)
class Served:
    """A vector, how many tokens the model saw, and whether those were all."""

    vector: list[float]
    tokens: int
    truncated: bool


class Backend(Protocol):
    """A model. `embed` is called by one thread at a time."""

    name: str
    fingerprint: str
    dimension: int

    def embed(self, text: str, *, purpose: Purpose) -> Served:
        """One text. Raises `EmbeddingRejected` and what else an embedder raises."""
        ...


class OnnxBackend:
    """The built model in a folder."""

    def __init__(self, folder: Path, *, threads: int) -> None:
        self.model = OnnxEmbedder(folder, threads=threads)
        card = self.model.card
        self.name, self.fingerprint, self.dimension = card.name, card.fingerprint, card.dimension
        self._prefixes = {
            Purpose.QUERY: card.query_prefix,
            Purpose.PASSAGE: card.passage_prefix,
            Purpose.RAW: "",
        }

    def embed(self, text: str, *, purpose: Purpose) -> Served:
        """One run of the model."""
        encoded = self.model.encode(text, prefix=self._prefixes[purpose])
        return Served(encoded.vector, encoded.tokens, encoded.truncated)


class EmbedderBackend:
    """Any embedder, under a name: the simulated one serves tests of the wire."""

    def __init__(self, embedder: Embedder, *, name: str, timeout: float = 10.0) -> None:
        self._embedder = embedder
        self._timeout = timeout
        self.name = name
        self.fingerprint, self.dimension = embedder.fingerprint, embedder.dimension

    def embed(self, text: str, *, purpose: Purpose) -> Served:
        """The embedder's answer; tokens are counted as words. Raises `EmbeddingRejected`."""
        tokens = len(text.split())
        if purpose is Purpose.QUERY:
            vector = self._embedder.embed_query(text, timeout=self._timeout)
            return Served(list(vector), tokens, truncated=False)
        (result,) = self._embedder.embed_passages([text], timeout=self._timeout)
        if isinstance(result, EmbeddingRejected):
            raise result
        return Served(list(result.vector), tokens, result.truncated)


class Turns:
    """Lets one thread at a time through: whoever is urgent first, then by arrival.

    A long batch takes a turn for each text, so a question waits for one text, not for the batch.
    """

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._waiting: list[tuple[bool, int]] = []
        self._arrivals = itertools.count()
        self._busy = False

    @contextmanager
    def turn(self, *, urgent: bool) -> Iterator[None]:
        """Wait for a turn and hold it."""
        with self._changed:
            ticket = (not urgent, next(self._arrivals))
            heapq.heappush(self._waiting, ticket)
            self._changed.wait_for(lambda: not self._busy and self._waiting[0] == ticket)
            heapq.heappop(self._waiting)
            self._busy = True
        try:
            yield
        finally:
            with self._changed:
                self._busy = False
                self._changed.notify_all()
