"""What is known of embedding models, as data."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class EmbeddingModel:
    """How one model wants to be asked.

    `max_tokens`: longer texts are cut before they are sent; None: the endpoint cuts, or its limit
    is not known. `batch_texts` and `batch_bytes` bound a request. `takes_dimensions`: the width may
    be chosen.
    """

    max_tokens: int | None = None
    query_prefix: str = ""
    passage_prefix: str = ""
    batch_texts: int = 32
    batch_bytes: int = 128 * 1024
    takes_dimensions: bool = False


UNKNOWN = EmbeddingModel()

# OpenAI's API reference, "Create embeddings": 8,192 tokens a text (8,191 in the guide), 2,048 texts
# and 300,000 tokens a request; a request of fewer bytes cannot have more tokens.
_OPENAI = EmbeddingModel(max_tokens=8191, batch_texts=256, batch_bytes=256 * 1024)
_OPENAI_3 = EmbeddingModel(
    max_tokens=8191, batch_texts=256, batch_bytes=256 * 1024, takes_dimensions=True
)

# The model cards of intfloat's e5: without the prefixes the model is markedly worse.
_E5 = EmbeddingModel(query_prefix="query: ", passage_prefix="passage: ")

MODELS = {
    "text-embedding-3-small": _OPENAI_3,
    "text-embedding-3-large": _OPENAI_3,
    "text-embedding-ada-002": _OPENAI,
    "multilingual-e5-small": _E5,
    "multilingual-e5-base": _E5,
    "multilingual-e5-large": _E5,
    "e5-small-v2": _E5,
    "e5-base-v2": _E5,
    "e5-large-v2": _E5,
    "all-minilm-l6-v2": UNKNOWN,
}


def known(name: str) -> EmbeddingModel:
    """What is known of a model; its publisher (`intfloat/…`) and case do not matter."""
    return MODELS.get(name.rpartition("/")[2].lower(), UNKNOWN)
