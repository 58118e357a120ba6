"""What services ask of models that write or judge text.

Neither repeats a failed request: a search would rather go on without it. Both raise `ProviderError`
(refused, or an answer that cannot be used), `Throttled`, `Unavailable` or `DeadlineExceeded`
(`timeout` in seconds, of the whole call); no message holds a text or a key. One instance serves
many threads.
"""

from collections.abc import Sequence
from typing import Protocol

from palimpsest.domain.language import Completion, Prompt


class LanguageModel(Protocol):
    """A model that answers a prompt with text."""

    @property
    def name(self) -> str:
        """Names provider and model: answers of models of one name may stand for each other."""
        ...

    def complete(self, prompt: Prompt, *, timeout: float) -> Completion:
        """The model's answer, whatever it says; blank text too. Raises `Refused` where it declined,
        by its own word or a filter's.
        """
        ...


class Reranker(Protocol):
    """A model that judges how well documents answer a query."""

    @property
    def name(self) -> str:
        """Names the model, as scores show it: scores of different names are never compared."""
        ...

    def rerank(self, query: str, documents: Sequence[str], *, timeout: float) -> list[float]:
        """The relevance of each document, in the order of `documents`: finite, greater is better,
        on a scale of the model's own that may be negative. No documents: no call.

        Anything but exactly one finite number a document (too few or many, an index twice or out of
        range, NaN, null, text) raises `ProviderError`, and nothing of it is used.
        """
        ...
