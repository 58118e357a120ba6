"""Vectors for records: the held ones, and new ones for texts that have none; embedder faults never
raise.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field

from palimpsest.domain.batching import batched
from palimpsest.domain.errors import (
    EmbeddingRejected,
    ProviderError,
    Throttled,
    Unavailable,
)
from palimpsest.domain.ledger import Reason
from palimpsest.domain.records import Record
from palimpsest.domain.vectors import Vector, from_float16, text_hash, to_float16
from palimpsest.ports import Embedder, VectorStore

BATCH_TEXTS = 64
BATCH_CHARACTERS = 20_000
"""A call stays short, so that it ends within its time-out on a small machine too."""


@dataclass(frozen=True, slots=True)
class EmbeddedRecords:
    """Vectors by record id, why others have none, and how many texts were embedded for it.

    `outage` names what the embedder failed with (None: it answered, or was not asked).
    """

    found: dict[str, Vector] = field(default_factory=dict)
    missing: dict[str, tuple[Reason, str]] = field(default_factory=dict)
    embedded: int = 0
    outage: str | None = None


@dataclass(frozen=True, slots=True)
class RecordEmbedding:
    """Finds or makes the vectors of records and keeps the new ones. `timeout_s` is for one
    batch.
    """

    embedder: Embedder
    vectors_held: VectorStore
    timeout_s: float = 15.0

    def vectors(
        self,
        tenant: str,
        namespace: str,
        records: Mapping[str, Record],
        *,
        outage: str | None = None,
    ) -> EmbeddedRecords:
        """The vector of every record's present text; with a known `outage` only held ones.

        A text that the model has no vector for is `embedding_failed`; once the embedder could not
        answer, it is not asked again and what is left is `pending`. A vector of a record that has
        changed meanwhile is not kept: its next projection finds the new text.
        """
        texts = {i: r.content.embedded_text for i, r in records.items() if r.content is not None}
        hashes = {record_id: text_hash(text) for record_id, text in texts.items()}
        fingerprint = self.embedder.fingerprint
        found = self.vectors_held.held(
            tenant,
            namespace,
            hashes,
            fingerprint=fingerprint,
            dimension=self.embedder.dimension,
        )
        missing: dict[str, tuple[Reason, str]] = {}
        embedded = 0
        todo = sorted(texts.keys() - found.keys(), key=lambda i: (len(texts[i]), i))
        for batch in batched(
            todo, most=BATCH_TEXTS, size=BATCH_CHARACTERS, size_of=lambda i: len(texts[i])
        ):
            if outage is None:
                made, outage = self._embed({i: texts[i] for i in batch}, missing)
                embedded += len(made)
                held = {i: (hashes[i], vector) for i, vector in made.items()}
                self.vectors_held.hold(tenant, namespace, held, fingerprint=fingerprint)
                found |= made
            if outage is not None:
                missing.update(dict.fromkeys(batch, (Reason.PENDING, outage)))
        return EmbeddedRecords(found, missing, embedded, outage)

    def _embed(
        self, texts: Mapping[str, str], missing: dict[str, tuple[Reason, str]]
    ) -> tuple[dict[str, Vector], str | None]:
        try:
            results = self.embedder.embed_passages(list(texts.values()), timeout=self.timeout_s)
        except (ProviderError, Throttled, Unavailable) as error:
            return {}, type(error).__name__
        made: dict[str, Vector] = {}
        for record_id, result in zip(texts, results, strict=True):
            if isinstance(result, EmbeddingRejected):
                missing[record_id] = (Reason.EMBEDDING_FAILED, result.reason)
            else:
                made[record_id] = _as_held(result.vector)
        return made, None


def _as_held(vector: Vector) -> Vector:
    # what a later projection will read back, so that the index is the same whoever embedded
    return from_float16(to_float16(vector), dimension=len(vector)) or vector
