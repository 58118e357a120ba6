"""How chunks are measured: in the embedder's own tokens where they can be counted."""

from palimpsest.domain.token_estimate import TokenEstimate
from palimpsest.ports import TokenCounter
from palimpsest.settings import Settings


def make_token_counter(_: Settings) -> TokenCounter:
    """The counter of the settings' embedder."""
    return TokenEstimate()
