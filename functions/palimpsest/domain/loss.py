"""Why a record that an index has found, or that somebody expects, is not served."""

from datetime import datetime
from enum import StrEnum

from palimpsest.domain.commits import Clock
from palimpsest.domain.filters import passes
from palimpsest.domain.queries import SearchRequest
from palimpsest.domain.records import Content, Record, Status
from palimpsest.domain.visibility import stands, valid_at


class Loss(StrEnum):
    """What keeps a record from being served, in the order in which it is looked at."""

    UNKNOWN = "unknown"
    DELETED = "deleted"
    SUPERSEDED = "superseded"
    EXPIRED = "expired"
    FILTERED = "filtered"
    STALE = "stale_in_index"


def loss_of(
    record: Record | None,
    request: SearchRequest,
    clock: Clock,
    *,
    now: datetime,
    text_hash: str | None = None,
) -> Loss | None:
    """Why a request is not served this record; None if it may be. `clock` is its namespace's.
    `text_hash`: of the text that was found, where it was found. Not yet valid counts as expired.
    """
    if record is None or not stands(record, clock):
        return Loss.UNKNOWN
    content = record.content
    if record.status is Status.DELETED or content is None:
        return Loss.DELETED
    if record.status is Status.SUPERSEDED:
        return Loss.SUPERSEDED
    if not valid_at(content, now):
        return Loss.EXPIRED
    return _unfit(record, content, request, text_hash)


def _unfit(
    record: Record, content: Content, request: SearchRequest, text_hash: str | None
) -> Loss | None:
    """Why a record that could be found is not what was asked for, or is not what was found."""
    held = request.time_range is None or request.time_range.holds(content.event_time)
    if not held or not passes(record, request.filter):
        return Loss.FILTERED
    return Loss.STALE if text_hash not in (None, content.text_hash) else None
