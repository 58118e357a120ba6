"""An embedder made of arithmetic: deterministic, seeded, with faults on demand."""

import hashlib
import math
import re
import threading
from collections import deque
from collections.abc import Sequence
from enum import StrEnum
from functools import lru_cache

from palimpsest.adapters.simulated.faults import Fault, FaultKind, Faults, fail
from palimpsest.domain.clean import without_broken
from palimpsest.domain.embedding import STAGE, Embedded, is_blank
from palimpsest.domain.errors import EmbeddingRejected, ProviderError
from palimpsest.domain.vectors import Vector, unit

TOKEN = re.compile(r"[^\W_]+|[^\s\w]")
SCRIPTS_WITHOUT_SPACES = re.compile("[\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff]")

REMEMBERED_CALLS = 10_000
OF_THE_CALL = (FaultKind.OUTAGE, FaultKind.TIMEOUT, FaultKind.THROTTLED, FaultKind.TOO_FEW)
OF_ONE_TEXT = (FaultKind.ZERO, FaultKind.NOT_FINITE, FaultKind.WRONG_WIDTH)


class Operation(StrEnum):
    """The two calls of an embedder."""

    QUERY = "query"
    PASSAGES = "passages"


class SimulatedEmbedder:
    """A bag of hashed tokens as a vector: texts that share words are near, the same text is the
    same.

    `calls` tell a test what was embedded. `timeout` is not measured; the fault `timeout` stands for
    it.
    """

    def __init__(
        self,
        *,
        dimension: int = 64,
        seed: int = 0,
        max_tokens: int = 512,
        faults: Sequence[Fault] = (),
        fingerprint: str | None = None,
    ) -> None:
        self.dimension = dimension
        self.fingerprint = fingerprint or f"simulated:{seed}:{dimension}"
        self._calls: deque[list[str]] = deque(maxlen=REMEMBERED_CALLS)
        self._seed = seed
        self._max_tokens = max_tokens
        self._lock = threading.Lock()
        self._faults = Faults(*faults, possible=OF_THE_CALL + OF_ONE_TEXT, seed=seed)

    @property
    def calls(self) -> list[list[str]]:
        """The texts that reached the model, one list a call; of many calls the newest."""
        with self._lock:
            return list(self._calls)

    def inject(self, *faults: Fault) -> None:
        """Let these faults happen too."""
        self._faults.inject(*faults)

    def heal(self) -> None:
        """No faults from now on."""
        self._faults.heal()

    def embed_query(self, text: str, *, timeout: float) -> Vector:
        """The unit vector of a question, or the injected fault."""
        if is_blank(text):
            raise EmbeddingRejected("blank")
        self._begin(Operation.QUERY, [text], timeout)
        return self._embed(text, Operation.QUERY).vector

    def embed_passages(
        self, texts: Sequence[str], *, timeout: float
    ) -> list[Embedded | EmbeddingRejected]:
        """One result a text, in order, or the injected fault."""
        present = [text for text in texts if not is_blank(text)]
        if present:
            self._begin(Operation.PASSAGES, present, timeout)
        return [self._passage(text) for text in texts]

    def _passage(self, text: str) -> Embedded | EmbeddingRejected:
        if is_blank(text):
            return EmbeddingRejected("blank")
        try:
            return self._embed(text, Operation.PASSAGES)
        except EmbeddingRejected as rejected:
            return rejected

    def _begin(self, operation: Operation, texts: list[str], timeout: float) -> None:
        fault = self._faults.striking("\n".join(texts), kinds=OF_THE_CALL, operation=operation)
        fail(fault, timeout=timeout, stage=STAGE)
        with self._lock:
            self._calls.append(texts)
        if fault and fault.kind is FaultKind.TOO_FEW:
            raise ProviderError("simulated: too few vectors", stage=STAGE)

    def _embed(self, text: str, operation: Operation) -> Embedded:
        tokens = _tokens(text)
        seen = tokens[: self._max_tokens]
        rows = [_direction(token, self._seed, self.dimension) for token in seen]
        values = [math.fsum(column) for column in zip(*rows, strict=True)]
        fault = self._faults.striking(text, kinds=OF_ONE_TEXT, operation=operation)
        kind = fault.kind if fault else None
        if kind is FaultKind.ZERO:
            values = [0.0] * self.dimension
        elif kind is FaultKind.NOT_FINITE:
            values[-1] = math.nan
        elif kind is FaultKind.WRONG_WIDTH:
            values.pop()
        return Embedded(unit(values, dimension=self.dimension), len(seen) < len(tokens))


def _tokens(text: str) -> list[str]:
    """Words in lower case; each character of a script without spaces, each sign; never none."""
    text = without_broken(text)
    spaced = SCRIPTS_WITHOUT_SPACES.sub(lambda found: f" {found[0]} ", text.casefold())
    return TOKEN.findall(spaced) or [text]


@lru_cache(maxsize=65_536)
def _direction(token: str, seed: int, dimension: int) -> tuple[float, ...]:
    """+1 or -1 in each dimension, the bits of the token's hash: two tokens are nearly at right
    angles.
    """
    bits = int.from_bytes(hashlib.shake_128(f"{seed}:{token}".encode()).digest(-(-dimension // 8)))
    return tuple(1.0 if bits >> place & 1 else -1.0 for place in range(dimension))
