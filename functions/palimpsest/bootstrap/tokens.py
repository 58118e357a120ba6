"""How chunks are measured: in the embedder's own tokens where they can be counted."""

from palimpsest.bootstrap.secret_text import secret_of
from palimpsest.domain.token_estimate import TokenEstimate
from palimpsest.ports import TokenCounter
from palimpsest.setting_kinds import TokenizerKind
from palimpsest.settings import Settings, given


def make_token_counter(settings: Settings) -> TokenCounter:
    """The counter of `EMBEDDING_TOKENIZER`."""
    if settings.embedding_tokenizer is TokenizerKind.ESTIMATE:
        return TokenEstimate()
    given(settings, "embedding_url", "embedding_model")
    from palimpsest.adapters.http_models.token_counter import HttpTokenCounter

    return HttpTokenCounter(
        base_url=settings.embedding_url,
        model=settings.embedding_model,
        api_key=secret_of(settings.embedding_api_key_arn),
    )
