"""What the embedding server serves, and in which order."""

import threading
from collections import OrderedDict, deque
from collections.abc import Iterator, Sequence
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
    """A model. `embed` is called by two threads at a time at most. `passage_prefix` is what a text
    begins with whose client has made a passage of it (empty: nothing tells). A text of more than
    `max_tokens` is cut.
    """

    name: str
    fingerprint: str
    dimension: int
    passage_prefix: str
    max_tokens: int

    def count_tokens(self, texts: Sequence[str]) -> Sequence[int]:
        """Tokens of each text, without prefixes and special tokens. By any number of threads."""
        ...

    def embed(self, text: str, *, purpose: Purpose) -> Served:
        """One text. Raises `EmbeddingRejected` and what else an embedder raises."""
        ...


class OnnxBackend:
    """The built model in a folder."""

    def __init__(self, folder: Path, *, threads: int) -> None:
        self.model = OnnxEmbedder(folder, threads=threads)
        card = self.model.card
        self.name, self.fingerprint, self.dimension = card.name, card.fingerprint, card.dimension
        self.passage_prefix, self.max_tokens = card.passage_prefix, card.max_tokens
        self._prefixes = {
            Purpose.QUERY: card.query_prefix,
            Purpose.PASSAGE: card.passage_prefix,
            Purpose.RAW: "",
        }

    def count_tokens(self, texts: Sequence[str]) -> Sequence[int]:
        """As the model's own tokenizer counts them."""
        return self.model.count_tokens(texts)

    def embed(self, text: str, *, purpose: Purpose) -> Served:
        """One run of the model."""
        encoded = self.model.encode(text, prefix=self._prefixes[purpose])
        return Served(encoded.vector, encoded.tokens, encoded.truncated)


class EmbedderBackend:
    """Any embedder, under a name: the simulated one serves tests of the wire."""

    def __init__(
        self, embedder: Embedder, *, name: str, max_tokens: int = 512, timeout: float = 10.0
    ) -> None:
        self._embedder = embedder
        self._timeout = timeout
        self.name = name
        self.passage_prefix, self.max_tokens = "", max_tokens
        self.fingerprint, self.dimension = embedder.fingerprint, embedder.dimension

    def count_tokens(self, texts: Sequence[str]) -> Sequence[int]:
        """Words."""
        return [len(text.split()) for text in texts]

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


class Recent:
    """The newest results of passages, by purpose and text.

    A client that gave up on a long batch asks for all of it again; what was done by then it gets at
    once, so that it gets further each time.
    """

    def __init__(self, *, most: int = 1024) -> None:
        self._most = most
        self._lock = threading.Lock()
        self._served: OrderedDict[tuple[Purpose, str], Served] = OrderedDict()

    def get(self, purpose: Purpose, text: str) -> Served | None:
        """What was served for exactly this, if that is not long ago."""
        with self._lock:
            return self._served.get((purpose, text))

    def keep(self, purpose: Purpose, text: str, served: Served) -> None:
        """Keep a result instead of the oldest one."""
        with self._lock:
            self._served[purpose, text] = served
            if len(self._served) > self._most:
                self._served.popitem(last=False)


class Lanes:
    """Lets one thread at a time through for each of two lanes, in the order of their arrival.

    A question takes the urgent lane and never waits for a passage: the model runs both at once, and
    a question is short. (Measured on two busy cores beside a stream of long passages: 56 ms for a
    question, against one second behind the passage that was being embedded.) A batch of passages
    takes the other lane anew for each text, so that no batch keeps another waiting.
    """

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._queues: dict[bool, deque[object]] = {True: deque(), False: deque()}

    @contextmanager
    def turn(self, *, urgent: bool) -> Iterator[None]:
        """Wait for a turn in a lane and hold it."""
        queue, ticket = self._queues[urgent], object()
        with self._changed:
            queue.append(ticket)
            self._changed.wait_for(lambda: queue[0] is ticket)
        try:
            yield
        finally:
            with self._changed:
                queue.popleft()
                self._changed.notify_all()
