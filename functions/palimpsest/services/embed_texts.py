"""Embedding many texts before they are committed, at the pace the provider asks for."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from palimpsest.domain.batching import batched
from palimpsest.domain.embedding import Embedded
from palimpsest.domain.errors import EmbeddingRejected, ProviderError, Throttled, Unavailable
from palimpsest.domain.vectors import Vector
from palimpsest.ports import Clock, Embedder
from palimpsest.services.embed_records import BATCH_CHARACTERS, BATCH_TEXTS

TRIES = 4
PAUSE_S = 0.2
MAX_PAUSE_S = 5.0
LEAST_S = 1.0


@dataclass(slots=True)
class EmbeddedTexts:
    """The vectors made, by id; how many calls that took; whether all texts were tried. Where the
    provider failed in the end, how long it asked to be left alone (seconds).
    """

    made: dict[str, Vector] = field(default_factory=dict)
    calls: int = 0
    complete: bool = True
    retry_after: float | None = None


@dataclass(frozen=True, slots=True)
class TextEmbedding:
    """Embeds texts in batches; short ones first, so that a batch is seldom padded. `timeout_s` is
    for one call.
    """

    embedder: Embedder
    clock: Clock
    timeout_s: float = 15.0

    def embed(self, texts: Mapping[str, str], *, until: float) -> EmbeddedTexts:
        """The vectors of these texts, beginning no call after `until` (monotonic seconds). A
        provider that fails is asked again a few times; a text that it has no vector for has none.
        """
        done = EmbeddedTexts()
        todo = sorted(texts, key=lambda i: (len(texts[i]), i))
        for batch in batched(
            todo, most=BATCH_TEXTS, size=BATCH_CHARACTERS, size_of=lambda i: len(texts[i])
        ):
            results = self._asked([texts[i] for i in batch], done, until=until)
            if results is None:
                done.complete = False
                break
            for record_id, result in zip(batch, results, strict=True):
                if isinstance(result, Embedded):
                    done.made[record_id] = result.vector
        return done

    def _asked(
        self, texts: Sequence[str], done: EmbeddedTexts, *, until: float
    ) -> Sequence[Embedded | EmbeddingRejected] | None:
        """The answer; None: there was none in time."""
        tried = 0
        while self.clock.monotonic() < until:
            tried += 1
            done.calls += 1
            try:
                return self.embedder.embed_passages(texts, timeout=self._timeout(until))
            except (ProviderError, Throttled, Unavailable) as error:
                done.retry_after = error.retry_after
                pause = min(MAX_PAUSE_S, max(error.retry_after, PAUSE_S * 2 ** (tried - 1)))
                if tried == TRIES or self.clock.monotonic() + pause >= until:
                    break
                self.clock.sleep(pause)
        return None

    def _timeout(self, until: float) -> float:
        """A call ends about when nobody waits for it any more."""
        return min(self.timeout_s, max(LEAST_S, until - self.clock.monotonic()))
