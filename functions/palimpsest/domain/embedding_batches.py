"""Many texts for a remote embedder: cut, grouped, and isolated from a text that is refused."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from palimpsest.domain.batching import batched
from palimpsest.domain.clean import without_broken
from palimpsest.domain.embedding import STAGE, Embedded, TextRefused, is_blank
from palimpsest.domain.errors import EmbeddingRejected, ProviderError

Result = Embedded | EmbeddingRejected


@dataclass(frozen=True, slots=True)
class Prepared:
    """A text as it is sent; `number` is its place in the call, `truncated` whether it was cut."""

    number: int
    text: str
    truncated: bool


Batch = list[Prepared]
Send = Callable[[Batch], list[Result]]
"""Embeds a batch: one result a text, in order. Raises `TextRefused` or what ends the whole call."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BatchLimits:
    """What one request may hold: texts, and their UTF-8 bytes (a larger text goes alone)."""

    texts: int
    size: int


def embed_in_batches(
    texts: Sequence[str], *, shorten: Callable[[str], str], limits: BatchLimits, send: Send
) -> list[Result]:
    """One result a text, in order. Blank texts are not sent; a refused batch is sent again by
    halves, so that only the text at fault is rejected (`refused`).

    Raises `ProviderError` if every one of several texts was refused: then it is not the texts.
    """
    results: list[Result] = [EmbeddingRejected("blank") for _ in texts]
    prepared = []
    for number, text in enumerate(texts):
        whole = without_broken(text)
        if not is_blank(whole):
            sent = shorten(whole)
            prepared.append(Prepared(number, sent, len(sent) < len(whole)))
    refused = 0
    for batch in batched(
        prepared, most=limits.texts, size=limits.size, size_of=lambda one: len(one.text.encode())
    ):
        for one, result in zip(batch, _by_halves(batch, send), strict=True):
            results[one.number] = result
            refused += isinstance(result, EmbeddingRejected) and result.reason == "refused"
    if refused > 1 and refused == len(prepared):
        raise ProviderError(f"the provider refused all of {refused} texts", stage=STAGE)
    return results


def _by_halves(batch: Batch, send: Send) -> list[Result]:
    try:
        return send(batch)
    except TextRefused:
        if len(batch) == 1:
            return [EmbeddingRejected("refused")]
    middle = len(batch) // 2
    return _by_halves(batch[:middle], send) + _by_halves(batch[middle:], send)
