"""What is to be done about a document, given what the table and the bucket have of it."""

from datetime import datetime
from enum import StrEnum

from palimpsest.domain.commits import Clock
from palimpsest.domain.documents import SETTLED, Document, DocumentState, ObjectVersion, is_there

MAX_TRIES = 5
"""Beginnings without any progress, after which a document has failed."""


class Step(StrEnum):
    """The next step of an ingestion."""

    NOTHING = "nothing"
    BEGIN = "begin"
    RESUME = "resume"
    GIVE_UP = "give_up"
    FORGET = "forget"


def next_step(
    document: Document | None,
    seen: ObjectVersion | None,
    clock: Clock,
    *,
    now: datetime,
    again: bool = False,
) -> Step:
    """The step that brings a document in line with its object. `seen` is the object as it was after
    the document had been read (None: there is none), so it is no older than what the document
    shows; with `again` it is read again though it is the same.
    """
    here = document if is_there(document, floor=clock.floor) else None
    if seen is None:
        return Step.NOTHING if here is None else Step.FORGET
    if here is None:
        return Step.NOTHING if _is_gone(document, seen, clock) else Step.BEGIN
    if here.object is None or here.object.version != seen.version:
        return Step.BEGIN
    if here.state in SETTLED:
        return Step.BEGIN if again else Step.NOTHING
    return _unfinished(here, now=now)


def _is_gone(document: Document | None, seen: ObjectVersion, clock: Clock) -> bool:
    """Whether an object is only still there because it has not been erased yet: that of a deleted
    document, or one from before a purge (S3 tells seconds).
    """
    if clock.purged_at is not None and seen.modified < clock.purged_at.replace(microsecond=0):
        return True
    if document is None or document.base < clock.floor or document.object is None:
        return False
    return document.state is DocumentState.DELETED and document.object.version == seen.version


def _unfinished(document: Document, *, now: datetime) -> Step:
    """What to do about a document that somebody is, or was, at work on."""
    attempt = document.attempt
    if attempt is None:
        return Step.BEGIN
    if now < attempt.lease:
        return Step.NOTHING
    return Step.GIVE_UP if attempt.tries >= MAX_TRIES else Step.RESUME
