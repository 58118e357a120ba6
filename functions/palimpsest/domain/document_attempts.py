"""An attempt at a document: how one begins, is taken up by another worker, and goes on."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime

from palimpsest.domain.commits import Clock
from palimpsest.domain.documents import (
    Attempt,
    Document,
    DocumentState,
    Generation,
    ObjectVersion,
    document_id,
)
from palimpsest.domain.records import MetadataValue


@dataclass(frozen=True, slots=True, kw_only=True)
class Granted:
    """What was told of a document when a place to upload it was asked for."""

    metadata: Mapping[str, MetadataValue] = field(default_factory=dict)
    event_time: datetime | None = None


@dataclass(frozen=True, slots=True)
class Worker:
    """One beginning of work: its id, and until when it may be taken to be alive."""

    id: str
    lease: datetime


def begun(
    document: Document | None,
    seen: ObjectVersion,
    worker: Worker,
    clock: Clock,
    *,
    namespace: str,
    path: str,
    granted: Granted | None,
    now: datetime,
) -> Document:
    """The document once an attempt at this version of its object has begun. What was told of it
    stays from one version to the next, unless something else is `granted`.
    """
    known = document if document is not None and document.base >= clock.floor else None
    there = known if known is not None and known.state is not DocumentState.DELETED else None
    number = 1 + (document.last_generation if document else 0)
    told = granted or Granted(
        metadata=there.metadata if there else {}, event_time=there.event_time if there else None
    )
    return Document(
        id=document_id(path),
        namespace=namespace,
        path=path,
        state=DocumentState.INDEXING,
        created_at=there.created_at if there else now,
        updated_at=now,
        object=seen,
        title=there.title if there else None,
        metadata=told.metadata,
        event_time=told.event_time,
        attempt=Attempt(id=worker.id, generation=number, lease=worker.lease, heard=now),
        generations=(*(known.generations if known else ()), Generation(number=number)),
        last_generation=number,
        revision=known.revision if known else 0,
        base=clock.revision,
        writes=1 + (document.writes if document else 0),
    )


def resumed(document: Document, attempt: Attempt, worker: Worker, *, now: datetime) -> Document:
    """The document once somebody else has taken up an attempt that its worker left."""
    taken = replace(attempt, id=worker.id, lease=worker.lease, tries=attempt.tries + 1)
    return with_attempt(replace(document, state=DocumentState.INDEXING), taken, now=now)


def left(document: Document, attempt: Attempt, *, until: datetime, now: datetime) -> Document:
    """The document once its worker has left it, to be taken up again from `until` on: what made it
    wait is no fault of the document's.
    """
    waiting = replace(attempt, lease=until, tries=max(0, attempt.tries - 1))
    return with_attempt(replace(document, state=DocumentState.PENDING), waiting, now=now)


def with_attempt(document: Document, attempt: Attempt, *, now: datetime) -> Document:
    """The document with its attempt as it is by now."""
    return replace(document, attempt=attempt, updated_at=now, writes=document.writes + 1)
