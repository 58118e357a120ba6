"""What a model's failure is called in an answer, after the name of the model's kind."""

from palimpsest.domain.errors import (
    DeadlineExceeded,
    PalimpsestError,
    ProviderError,
    Throttled,
    Unavailable,
)

TIMEOUT = "timeout"


def failure(error: PalimpsestError) -> str:
    """`timeout`, `throttled`, `error` or `unavailable`. Raises again what is no model's failure."""
    for kind, reason in (
        (DeadlineExceeded, TIMEOUT),
        (Throttled, "throttled"),
        (ProviderError, "error"),
        (Unavailable, "unavailable"),
    ):
        if isinstance(error, kind):
            return reason
    raise error
