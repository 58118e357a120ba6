"""Preparing a page of a pass: its texts are embedded before anything is committed."""

from collections.abc import Sequence
from dataclasses import dataclass

from palimpsest.domain.passes import Pass, PlannedChange, Prepared
from palimpsest.domain.vectors import text_hash
from palimpsest.ports import VectorStore
from palimpsest.services.embed_texts import TextEmbedding


@dataclass(frozen=True, slots=True)
class PreparingService:
    """Embeds what has no held vector. What it cannot embed is left to the projection, which finds
    it lexically and notes it in the ledger.
    """

    embedding: TextEmbedding
    held: VectorStore

    def prepare(
        self, one: Pass, page: Sequence[PlannedChange], before: Prepared, *, until: float
    ) -> Prepared:
        """The vectors of a page's texts, those made `before` among them, beginning no call after
        `until` (monotonic seconds). A provider that fails is asked again a few times, at the pace
        it asks for.
        """
        embedder = self.embedding.embedder
        texts = {c.id: c.content.embedded_text for c in page if c.content is not None}
        hashes = {record_id: text_hash(text) for record_id, text in texts.items()}
        known = self.held.held(
            one.tenant,
            one.namespace,
            hashes,
            fingerprint=embedder.fingerprint,
            dimension=embedder.dimension,
        )
        todo = texts.keys() - known.keys() - before.vectors.keys()
        done = self.embedding.embed({i: texts[i] for i in todo}, until=until)
        made = {i: (hashes[i], vector) for i, vector in done.made.items()}
        return Prepared({**before.vectors, **made}, before.calls + done.calls, done.complete)
