"""The query's vectors, each or the reason why the semantic leg must do without."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial

from palimpsest.domain.entries import LegStatus
from palimpsest.domain.errors import DeadlineExceeded, EmbeddingRejected, PalimpsestError
from palimpsest.domain.vectors import Vector
from palimpsest.ports import Clock, Embedder, Executor, Pending
from palimpsest.services.failure_reasons import TIMEOUT, failure
from palimpsest.services.in_time import in_time
from palimpsest.services.shared_cache import Kept, SharedCache

BLANK = "blank"
STAGE = "embed"
KEPT, KEPT_S = 512, 600.0
"""How many vectors of questions a process keeps, and for how many seconds."""


@dataclass(frozen=True, slots=True, kw_only=True)
class QueryVector:
    """The vector of one text, or a leg status with its reason; `ms` is what it took. `called`:
    the model was asked for it; else it was kept, or is being made for another caller.
    """

    vector: Vector | None = None
    status: LegStatus = LegStatus.OK
    reason: str | None = None
    ms: float = 0.0
    called: bool = False


class QueryVectors:
    """Embeds questions, by the model of the index that is asked. Vectors are kept, and made once
    for all of a tenant who ask at the same time, by tenant, model and text: no other tenant learns
    what was asked.
    """

    def __init__(
        self, embedders: Mapping[str, Embedder], *, executor: Executor, clock: Clock
    ) -> None:
        self._embedders, self._executor, self._clock = embedders, executor, clock
        self._cache = SharedCache[tuple[str, str, str], Vector](clock, most=KEPT, seconds=KEPT_S)

    def begin(
        self, texts: Sequence[str], *, tenant: str, fingerprint: str, timeout: float
    ) -> list[QueryVector | Pending[QueryVector]]:
        """Start embedding these, side by side; what is kept is there at once. An index whose model
        nobody here embeds with is answered with a mismatch, never with another model's vectors.
        """
        return [self._begin((tenant, fingerprint, text), timeout) for text in texts]

    def finish(
        self, begun: Sequence[QueryVector | Pending[QueryVector]], *, until: float
    ) -> list[QueryVector]:
        """The vectors; what is not there by then (monotonic seconds) is too late."""
        return [one if isinstance(one, QueryVector) else self._wait(one, until) for one in begun]

    def _begin(
        self, key: tuple[str, str, str], timeout: float
    ) -> QueryVector | Pending[QueryVector]:
        embedder = self._embedders.get(key[1])
        if embedder is None:
            return QueryVector(status=LegStatus.FAILED, reason="fingerprint_mismatch")
        known = self._cache.peek(key)
        if known is not None:
            return QueryVector(vector=known)
        return self._executor.submit(partial(self._embedded, embedder, key, timeout))

    def _wait(self, pending: Pending[QueryVector], until: float) -> QueryVector:
        start = self._clock.monotonic()
        try:
            return in_time(pending, timeout=max(0.0, until - start), stage=STAGE)
        except DeadlineExceeded:
            took = (self._clock.monotonic() - start) * 1000
            return QueryVector(
                status=LegStatus.TIMEOUT, reason="embedder_timeout", ms=took, called=True
            )

    def _embedded(
        self, embedder: Embedder, key: tuple[str, str, str], timeout: float
    ) -> QueryVector:
        """No failure of the embedder is an exception here: the other leg answers."""
        start = self._clock.monotonic()
        kept: Kept[Vector] | None = None
        status, reason, called = LegStatus.FAILED, None, True
        try:
            kept = self._cache.get(
                key, lambda: embedder.embed_query(key[2], timeout=timeout), timeout=timeout
            )
            status, called = LegStatus.OK, not kept.shared
        except EmbeddingRejected as error:
            reason = f"embedding_{error.reason}"
            if error.reason == BLANK:  # a question of signs alone has no meaning to look for
                status, reason, called = LegStatus.SKIPPED, "nothing_to_embed", False
        except TimeoutError:  # another caller's
            status, reason, called = LegStatus.TIMEOUT, "embedder_timeout", False
        except PalimpsestError as error:
            kind = failure(error)
            status = LegStatus.TIMEOUT if kind == TIMEOUT else LegStatus.FAILED
            reason = f"embedder_{kind}"
        return QueryVector(
            vector=kept.value if kept else None,
            status=status,
            reason=reason,
            ms=(self._clock.monotonic() - start) * 1000,
            called=called,
        )
