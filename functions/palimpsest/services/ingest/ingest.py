"""Ingest: a document is brought in line with its object as it is now, whatever events say of it.

An event is a hint: to look at one document. What the table has of it is read first, then its
object, and whatever is begun is written only if the document is still what it was: so no older
version is ever taken for the newest. When a version has been worked off the object is looked at
again, until there is nothing left to do.
"""

import uuid
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import cast

from palimpsest.domain.document_attempts import Granted, Worker, begun, resumed
from palimpsest.domain.document_steps import Step, next_step
from palimpsest.domain.documents import ObjectVersion, document_id
from palimpsest.domain.errors import PalimpsestError, Throttled
from palimpsest.domain.extraction import Unreadable
from palimpsest.domain.upload_keys import UploadPlace
from palimpsest.ports import Clock, Documents, Grants, Uploads
from palimpsest.services.ingest.attempts import LEASE_S, At, Attempts, Lost, Paused
from palimpsest.services.ingest.forgetting import ForgettingService
from palimpsest.services.ingest.reading import ReadingService
from palimpsest.services.ingest.settling import SettlingService
from palimpsest.services.ingest.writing import WritingService

READING_S = 240.0
"""What reading a file may take: with less time left, it is not begun, if there is ever more."""


@dataclass(frozen=True, slots=True, kw_only=True)
class IngestService:
    """Ingests documents, one at a time."""

    documents: Documents
    uploads: Uploads
    grants: Grants
    attempts: Attempts
    reading: ReadingService
    writing: WritingService
    settling: SettlingService
    forgetting: ForgettingService
    clock: Clock

    def look(
        self,
        place: UploadPlace,
        *,
        until: float,
        again: bool = False,
        reading_s: float = READING_S,
    ) -> float | None:
        """Look at a document and do what there is to do, beginning nothing after `until`
        (monotonic seconds), nor a reading within `reading_s` before that: None once there is
        nothing left, else in how many seconds it is to be looked at again. With `again` it is read
        anew though its object is the same.

        Raises `Unavailable` or `Throttled` where table, bucket or index cannot answer: the attempt
        is then free for whoever looks at it next.
        """
        while True:
            at = self._taken_up(place, again=again, until=until)
            if at is None:
                return None
            again = False
            try:
                self._worked_off(at, until=until, reading_s=reading_s)
            except Lost:
                continue
            except Paused as paused:
                self._leave(at, paused.seconds)
                return paused.seconds
            except PalimpsestError:
                self._leave(at, 0.0)
                raise

    def _taken_up(self, place: UploadPlace, *, again: bool, until: float) -> At | None:
        """The attempt to be worked on; None where there is nothing to do."""
        tenant, namespace = place.tenant, place.namespace
        its_id = document_id(place.path)
        while True:
            clock, found = self.documents.read(tenant, namespace, [its_id])
            document, seen = found.get(its_id), self.uploads.seen(place.key)
            now = self.clock.now()
            if self.clock.monotonic() >= until:
                raise Throttled("others keep writing this document", retry_after=1.0)
            step = next_step(document, seen, clock, now=now, again=again)
            if step is Step.NOTHING:
                return None
            worker = Worker(str(uuid.uuid4()), now + timedelta(seconds=LEASE_S))
            if step is Step.FORGET and document is not None:
                self.forgetting.forget(tenant, document, seen, until=until)
            elif step is Step.GIVE_UP and document is not None:
                with suppress(Lost):
                    self.settling.given_up(At(tenant, document), until=until)
            elif step is Step.RESUME and document is not None:
                after = resumed(document, At(tenant, document).attempt, worker, now=now)
                if self.documents.put(tenant, after, writes=document.writes):
                    return At(tenant, after)
            else:
                found_object = cast("ObjectVersion", seen)  # nothing is begun without one
                after = begun(
                    document,
                    found_object,
                    worker,
                    clock,
                    namespace=namespace,
                    path=place.path,
                    granted=self._granted(place, found_object),
                    now=now,
                )
                if self.documents.put(tenant, after, writes=document.writes if document else None):
                    return At(tenant, after)

    def _granted(self, place: UploadPlace, seen: ObjectVersion) -> Granted | None:
        if seen.grant is None:
            return None
        return self.grants.get(place.tenant, place.namespace, seen.grant)

    def _worked_off(self, at: At, *, until: float, reading_s: float) -> None:
        try:
            if at.attempt.pages is None:
                if self.clock.monotonic() + reading_s > until:
                    raise Paused
                at = self._read(at)
            at = self.writing.write(at, until=until)
            self.settling.flip(at, until=until)
        except Unreadable as why:
            self.settling.unreadable(at, why, until=until)

    def _read(self, at: At) -> At:
        laid = self.reading.lay_out(at)
        attempt = replace(
            at.attempt,
            pages=laid.pages,
            chunks=laid.generation.chunks,
            characters=laid.generation.characters,
            title=laid.title,
            heard=self.clock.now(),
        )
        return self.attempts.keep(at, attempt)

    def _leave(self, at: At, seconds: float) -> None:
        with suppress(PalimpsestError):  # else its lease will end
            self.attempts.leave(at, seconds=seconds)
