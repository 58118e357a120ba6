"""Attempts at documents, as the services of an ingestion hand them to one another."""

import random
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import TypeVar

from palimpsest.domain.commits import Clock as NamespaceClock
from palimpsest.domain.document_attempts import left, with_attempt
from palimpsest.domain.documents import Attempt, Document
from palimpsest.domain.errors import PalimpsestError, Throttled
from palimpsest.domain.upload_keys import UploadPlace
from palimpsest.ports import Clock, Documents
from palimpsest.services.commit import BASE_PAUSE_S

T = TypeVar("T")

LEASE_S = 300.0
"""How long a worker is taken to be alive after it was last heard of; each page renews it."""

MAX_PAUSE_S = 0.1
PATIENCE_S = 14.0


class Lost(PalimpsestError):
    """Another attempt at the document has begun, or it has been forgotten or purged: this one
    cannot write anything more.
    """


class Paused(PalimpsestError):
    """The time is up, or a provider wants to be left alone for `seconds`: the attempt goes on from
    where it is, later.
    """

    def __init__(self, seconds: float = 0.0) -> None:
        super().__init__(f"to be taken up again in {seconds} s")
        self.seconds = seconds


@dataclass(frozen=True, slots=True)
class At:
    """The document that is worked on, and whose it is."""

    tenant: str
    document: Document

    @property
    def place(self) -> UploadPlace:
        """Where its file lies."""
        return UploadPlace(self.tenant, self.document.namespace, self.document.path)

    @property
    def attempt(self) -> Attempt:
        """The attempt at it. Raises `Lost` where there is none any more."""
        if self.document.attempt is None:
            raise Lost("nobody is at work on the document")
        return self.document.attempt


@dataclass(frozen=True, slots=True)
class Attempts:
    """Reads and writes attempts."""

    documents: Documents
    clock: Clock

    def current(self, at: At) -> tuple[NamespaceClock, At]:
        """The namespace's clock and the attempt as they are now. Raises `Lost`."""
        document = at.document
        clock, found = self.documents.read(at.tenant, document.namespace, [document.id])
        now = found.get(document.id)
        if now is None or now.base < clock.floor or At(at.tenant, now).attempt.id != at.attempt.id:
            raise Lost("another attempt has begun")
        return clock, At(at.tenant, now)

    def leave(self, at: At, *, seconds: float) -> None:
        """Leave the attempt to whoever looks at it in so many seconds. Raises `Lost`."""
        _, at = self.current(at)
        now = self.clock.now()
        self._put(
            at, left(at.document, at.attempt, until=now + timedelta(seconds=seconds), now=now)
        )

    def drop(self, at: At) -> None:
        """Give the attempt up: whoever looks at the document next begins anew. Raises `Lost`."""
        self._put(at, replace(at.document, attempt=None, writes=at.document.writes + 1))

    def keep(self, at: At, attempt: Attempt) -> At:
        """The attempt as it is from now on, its worker being alive. Raises `Lost`."""
        now = self.clock.now()
        leased = replace(attempt, lease=now + timedelta(seconds=LEASE_S))
        return self._put(at, with_attempt(at.document, leased, now=now))

    def _put(self, at: At, after: Document) -> At:
        if not self.documents.put(at.tenant, after, writes=at.document.writes):
            raise Lost("another attempt has begun")
        return At(at.tenant, after)


def contended(work: Callable[[], T | None], clock: Clock, *, until: float) -> T:
    """What `work` makes, tried again while it is None or throttled: others write to the same clock.
    Raises `Throttled` at the end of the patience, or after `until` (monotonic seconds).
    """
    end = min(until, clock.monotonic() + PATIENCE_S)
    attempt = 0
    while True:
        try:
            done = work()
        except Throttled:
            if clock.monotonic() >= end:
                raise
            done = None
        if done is not None:
            return done
        if clock.monotonic() >= end:
            raise Throttled("the namespace is too busy", retry_after=1.0)
        ceiling = min(MAX_PAUSE_S, BASE_PAUSE_S * 2 ** min(attempt, 10))
        clock.sleep(random.uniform(0, ceiling))  # noqa: S311  # full jitter, not a secret
        attempt += 1
