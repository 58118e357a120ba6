"""Preparing a page of a pass: its texts are embedded before anything is committed."""

from collections.abc import Sequence
from dataclasses import dataclass

from palimpsest.domain.batching import batched
from palimpsest.domain.embedding import Embedded
from palimpsest.domain.errors import EmbeddingRejected, ProviderError, Throttled, Unavailable
from palimpsest.domain.passes import Pass, PlannedChange, Prepared
from palimpsest.domain.vectors import text_hash
from palimpsest.ports import Clock, Embedder, VectorStore
from palimpsest.services.embed_records import BATCH_CHARACTERS, BATCH_TEXTS

TRIES = 4
PAUSE_S = 0.2
MAX_PAUSE_S = 5.0
LEAST_S = 1.0


@dataclass(frozen=True, slots=True)
class PreparingService:
    """Embeds what has no held vector. What it cannot embed is left to the projection, which finds
    it lexically and notes it in the ledger.
    """

    embedder: Embedder
    held: VectorStore
    clock: Clock
    timeout_s: float = 15.0

    def prepare(
        self, one: Pass, page: Sequence[PlannedChange], before: Prepared, *, until: float
    ) -> Prepared:
        """The vectors of a page's texts, those made `before` among them, beginning no call after
        `until` (monotonic seconds). A provider that fails is asked again a few times, at the pace
        it asks for.
        """
        texts = {c.id: c.content.embedded_text for c in page if c.content is not None}
        hashes = {record_id: text_hash(text) for record_id, text in texts.items()}
        known = self.held.held(
            one.tenant,
            one.namespace,
            hashes,
            fingerprint=self.embedder.fingerprint,
            dimension=self.embedder.dimension,
        )
        made = dict(before.vectors)
        todo = sorted(texts.keys() - known.keys() - made.keys(), key=lambda i: (len(texts[i]), i))
        calls = before.calls
        for batch in batched(
            todo, most=BATCH_TEXTS, size=BATCH_CHARACTERS, size_of=lambda i: len(texts[i])
        ):
            results, tried = self._asked([texts[i] for i in batch], until=until)
            calls += tried
            if results is None:
                return Prepared(made, calls, complete=False)
            for record_id, result in zip(batch, results, strict=True):
                if isinstance(result, Embedded):
                    made[record_id] = (hashes[record_id], result.vector)
        return Prepared(made, calls)

    def _asked(
        self, texts: Sequence[str], *, until: float
    ) -> tuple[Sequence[Embedded | EmbeddingRejected] | None, int]:
        """The answer (None: there was none in time), and the calls it took."""
        calls = 0
        while self.clock.monotonic() < until:
            calls += 1
            try:
                answer = self.embedder.embed_passages(texts, timeout=self._timeout(until))
            except (ProviderError, Throttled, Unavailable) as error:
                asked = min(MAX_PAUSE_S, max(error.retry_after, PAUSE_S * 2 ** (calls - 1)))
                if calls == TRIES or self.clock.monotonic() + asked >= until:
                    break
                self.clock.sleep(asked)
            else:
                return answer, calls
        return None, calls

    def _timeout(self, until: float) -> float:
        """A call ends about when nobody waits for it any more."""
        return min(self.timeout_s, max(LEAST_S, until - self.clock.monotonic()))
