"""Settling a document: its generation is made visible in the index, and one commit flips to it; or
it is told why there is none.
"""

import uuid
from dataclasses import dataclass

from palimpsest.domain.document_commits import Outcome, Signature, plan_settling
from palimpsest.domain.documents import DocumentState, Generation
from palimpsest.domain.extraction import Unreadable, UnreadableReason
from palimpsest.domain.ledger import Reason
from palimpsest.ports import Clock, ObjectStore, RecordStore
from palimpsest.services.ingest.attempts import At, Attempts, Paused, contended
from palimpsest.services.ingest.document_files import DocumentFiles
from palimpsest.services.projections import Projection

PROJECT_S = 60.0
"""Of one projection, after which the lease is renewed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SettlingService:
    """Ends attempts."""

    store: RecordStore
    attempts: Attempts
    projection: Projection
    objects: ObjectStore
    clock: Clock

    def flip(self, at: At, *, until: float) -> None:
        """Make the generation of an attempt, all of whose chunks are committed, its document's
        current one, once it is in the index. Raises `Lost`, or `Paused` where the index was not
        reached in time.
        """
        attempt = at.attempt
        at = self._indexed(at, until=until)
        generation = Generation(
            number=attempt.generation, chunks=attempt.chunks, characters=attempt.characters
        )
        outcome = Outcome(state=DocumentState.READY, generation=generation, title=attempt.title)
        DocumentFiles.of(self.objects, at.tenant, at.document, attempt.generation).drop_pages()
        self._settled(at, outcome, until=until)

    def unreadable(self, at: At, why: Unreadable, *, until: float) -> None:
        """Tell why the document has no text: none of an earlier version is found any more either.
        Raises `Lost`.
        """
        empty = why.reason is UnreadableReason.NO_TEXT
        state = DocumentState.NO_TEXT if empty else DocumentState.FAILED
        outcome = Outcome(state=state, reason=why.reason.value, detail=why.detail)
        self._settled(at, outcome, until=until)

    def given_up(self, at: At, *, until: float) -> None:
        """Give up a document at which every worker has failed; what was there before stays."""
        outcome = Outcome(
            state=DocumentState.FAILED,
            reason=Reason.INTERNAL.value,
            detail="it could not be read, for a reason of the service's own, in several tries",
            generation=at.document.current,
        )
        self._settled(at, outcome, until=until)

    def _indexed(self, at: At, *, until: float) -> At:
        while True:
            now = self.clock.monotonic()
            if now >= until:
                raise Paused
            done = self.projection.project(
                at.tenant,
                at.document.namespace,
                upto=at.attempt.revision,
                until=min(until, now + PROJECT_S),
            )
            if done.revision >= at.attempt.revision:
                return at
            at = self.attempts.keep(at, at.attempt)

    def _settled(self, at: At, outcome: Outcome, *, until: float) -> None:
        def settle() -> bool | None:
            clock, now = self.attempts.current(at)
            signed = Signature(commit_id=str(uuid.uuid4()), at=self.clock.now())
            plan = plan_settling(at.tenant, now.document, outcome, clock, signed=signed)
            return self.store.commit(plan) or None

        contended(settle, self.clock, until=until)
