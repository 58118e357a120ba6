"""Limits of Bedrock's embedding models, as data."""

import re
from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class BedrockModel:
    """Limits of one model, from the Bedrock User Guide's page of its parameters.

    `usual_tokens`: beyond so many tokens at four ASCII characters or one other character each, the
    model has most likely dropped the end by itself (`truncate`), which its answer does not say.
    """

    dimensions: tuple[int, ...]
    batch_texts: int
    max_characters: int
    max_tokens: int | None = None
    usual_tokens: int | None = None
    truncate: str | None = None
    takes_dimension: bool = False


_COHERE_3 = BedrockModel(
    dimensions=(1024,), batch_texts=96, max_characters=2048, usual_tokens=512, truncate="END"
)

MODELS = {
    "amazon.titan-embed-text-v2:0": BedrockModel(
        dimensions=(256, 512, 1024), batch_texts=1, max_characters=50_000, max_tokens=8192
    ),
    "cohere.embed-english-v3": _COHERE_3,
    "cohere.embed-multilingual-v3": _COHERE_3,
    "cohere.embed-v4:0": BedrockModel(
        dimensions=(256, 512, 1024, 1536),
        batch_texts=96,
        max_characters=500_000,
        max_tokens=128_000,
        truncate="RIGHT",  # version 4 calls END so
        takes_dimension=True,
    ),
}
REGION = re.compile("^(us|eu|apac|global|us-gov|jp|au)[.]")  # of an inference profile


def named(model: str) -> tuple[str, BedrockModel]:
    """Name and limits of a model or of its inference profile. Raises `ValueError` for an unknown
    one.
    """
    name = REGION.sub("", model)
    if name not in MODELS:
        raise ValueError(f"{model} is not one of: {', '.join(sorted(MODELS))}")
    return name, MODELS[name]
