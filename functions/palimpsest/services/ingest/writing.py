"""Writing a generation: its chunks are embedded and committed, page by page, under the attempt."""

import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from palimpsest.domain.batching import batched
from palimpsest.domain.chunk_records import chunk_record
from palimpsest.domain.commits import VectorChanges
from palimpsest.domain.document_commits import Signature, plan_chunks
from palimpsest.domain.errors import NotFound
from palimpsest.domain.records import Record
from palimpsest.domain.vectors import Vector, text_hash
from palimpsest.ports import Documents, ObjectStore, RecordStore, VectorStore
from palimpsest.services.embed_texts import TextEmbedding
from palimpsest.services.ingest.attempts import At, Attempts, Lost, Paused, contended
from palimpsest.services.ingest.document_files import DocumentFiles

COMMIT_CHUNKS = 45
"""A chunk and its vector each, of a transaction's 100 items, beside clock, log and document."""

COMMIT_BYTES = 2_000_000
EMBEDDER_PAUSE_S = 5.0

Vectors = Mapping[str, tuple[str, Vector]]
"""By chunk, the hash of the embedded text and its vector."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WritingService:
    """Writes chunks. `bucket`: where the documents' files lie, for their sources."""

    store: RecordStore
    documents: Documents
    attempts: Attempts
    objects: ObjectStore
    held: VectorStore
    embedding: TextEmbedding
    bucket: str
    patience_s: float = 600.0

    def write(self, at: At, *, until: float) -> At:
        """Write the pages that are left, keeping count of those done. Raises `Lost`; `Paused` where
        the time is up, or the embedder does not answer: once it has not for `patience_s`, the
        chunks are written without vectors, which the projection makes later.
        """
        former = self._embedded_before(at)
        uri = f"s3://{self.bucket}/{at.place.key}"
        files = DocumentFiles.of(self.objects, at.tenant, at.document, at.attempt.generation)
        while at.attempt.pages is not None and at.attempt.done < at.attempt.pages:
            if self.embedding.clock.monotonic() >= until:
                raise Paused
            try:
                page = files.page(at.attempt.done)
            except NotFound as error:
                self.attempts.drop(at)
                raise Lost("its chunks are gone") from error
            records = [
                chunk_record(at.document, at.attempt.generation, chunk, uri=uri) for chunk in page
            ]
            vectors = self._vectors(at, records, former, until=until)
            at = self._committed(at, records, vectors, until=until)
        return at

    def _embedded_before(self, at: At) -> Mapping[str, str]:
        """Of the generation that readers see by now, a chunk for each hash of an embedded text."""
        current = at.document.current
        if current is None:
            return {}
        return self.documents.embedded(
            at.tenant,
            at.document.namespace,
            at.document.id,
            current.number,
            fingerprint=self.embedding.embedder.fingerprint,
        )

    def _vectors(
        self, at: At, records: Sequence[Record], former: Mapping[str, str], *, until: float
    ) -> Vectors:
        """The vectors of a page: those that the former generation has of the same texts, and new
        ones. Raises `Paused`.
        """
        texts = {r.id: r.content.embedded_text for r in records if r.content is not None}
        hashes = {chunk_id: text_hash(text) for chunk_id, text in texts.items()}
        same = {former[told]: told for told in hashes.values() if told in former}
        embedder = self.embedding.embedder
        held = self.held.held(
            at.tenant,
            at.document.namespace,
            same,
            fingerprint=embedder.fingerprint,
            dimension=embedder.dimension,
        )
        by_hash = {same[chunk_id]: vector for chunk_id, vector in held.items()}
        first = {told: chunk_id for chunk_id, told in hashes.items() if told not in by_hash}
        done = self.embedding.embed({i: texts[i] for i in first.values()}, until=until)
        if not done.complete:
            self._wait(at, done.retry_after)
        by_hash |= {hashes[chunk_id]: vector for chunk_id, vector in done.made.items()}
        return {i: (told, by_hash[told]) for i, told in hashes.items() if told in by_hash}

    def _wait(self, at: At, retry_after: float | None) -> None:
        """Raises `Paused`, unless the embedder has failed for so long that nobody waits for it."""
        if retry_after is None:
            raise Paused
        waited = self.embedding.clock.now() - at.attempt.heard
        if waited.total_seconds() < self.patience_s:
            raise Paused(max(EMBEDDER_PAUSE_S, retry_after))

    def _committed(
        self, at: At, records: Sequence[Record], vectors: Vectors, *, until: float
    ) -> At:
        """The attempt once a page is committed, as far as that was not done before."""
        revision = at.attempt.revision
        for batch in batched(
            records,
            most=COMMIT_CHUNKS,
            size=COMMIT_BYTES,
            size_of=lambda r: r.content.size if r.content else 0,
        ):

            def commit(batch: Sequence[Record] = batch) -> int | None:
                return self._attempt(at, batch, vectors)

            revision = max(revision, contended(commit, self.embedding.clock, until=until))
        now = self.embedding.clock.now()
        done = replace(at.attempt, done=at.attempt.done + 1, revision=revision, tries=1, heard=now)
        return self.attempts.keep(at, done)

    def _attempt(self, at: At, batch: Sequence[Record], vectors: Vectors) -> int | None:
        """The revision at which these chunks are there; None where others were writing too."""
        namespace = at.document.namespace
        ids = [record.id for record in batch]
        clock, there = self.store.read(at.tenant, namespace, ids)
        self.attempts.current(at)
        missing = [
            replace(record, revision=clock.revision + 1)
            for record in batch
            if record.id not in there
        ]
        if not missing:
            return max(record.revision for record in there.values())
        plan = plan_chunks(
            at.tenant,
            at.document,
            missing,
            clock,
            vectors=VectorChanges(
                fingerprint=self.embedding.embedder.fingerprint,
                made={r.id: vectors[r.id] for r in missing if r.id in vectors},
            ),
            attempt=at.attempt.id,
            signed=Signature(commit_id=str(uuid.uuid4()), at=self.embedding.clock.now()),
        )
        return plan.revision if self.store.commit(plan) else None
