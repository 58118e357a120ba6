"""The query's vector, or the reason why the semantic leg must do without."""

from dataclasses import dataclass

from palimpsest.domain.entries import LegStatus
from palimpsest.domain.errors import (
    DeadlineExceeded,
    EmbeddingRejected,
    ProviderError,
    Throttled,
    Unavailable,
)
from palimpsest.domain.vectors import Vector
from palimpsest.ports import Clock, Embedder

BLANK = "blank"


@dataclass(frozen=True, slots=True)
class QueryVector:
    """The vector, or a leg status with its reason; `ms` is what it took."""

    vector: Vector | None
    status: LegStatus
    reason: str | None
    ms: float


def embed_query(
    embedder: Embedder | None, clock: Clock, text: str, *, timeout_s: float
) -> QueryVector:
    """Embed a question. No failure of the embedder is an exception here: the other leg answers.
    Without an embedder: the index holds vectors of a model that there is none of.
    """
    if embedder is None:
        return QueryVector(None, LegStatus.FAILED, "fingerprint_mismatch", 0.0)
    start = clock.monotonic()
    vector, status, reason = None, LegStatus.FAILED, None
    try:
        vector = embedder.embed_query(text, timeout=timeout_s)
        status = LegStatus.OK
    except EmbeddingRejected as error:
        reason = f"embedding_{error.reason}"
        if error.reason == BLANK:  # a question of signs alone has no meaning to look for
            status, reason = LegStatus.SKIPPED, "nothing_to_embed"
    except DeadlineExceeded:
        status, reason = LegStatus.TIMEOUT, "embedder_timeout"
    except Throttled:
        reason = "embedder_throttled"
    except ProviderError:
        reason = "embedder_error"
    except Unavailable:
        reason = "embedder_unavailable"
    return QueryVector(vector, status, reason, (clock.monotonic() - start) * 1000)
