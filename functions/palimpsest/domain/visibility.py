"""The one rule of what stands: which records are there. What a search shows of them: `loss`."""

from datetime import datetime

from palimpsest.domain.commits import Clock
from palimpsest.domain.records import Content, Record, Status


def stands(record: Record, clock: Clock) -> bool:
    """Above the purge floor, and of a document's current generation at the clock's revision if it
    is a chunk: what a walk, a count or a guard knows of at all (tombstones too).
    """
    current = record.chunk is None or record.chunk.current_at(clock.revision)
    return current and record.revision > clock.floor


def is_indexed(record: Record, clock: Clock) -> bool:
    """What the index has an entry of that may be found: active records above the floor, and chunks
    of every generation that is not yet erased, the one to come among them.
    """
    return record.revision > clock.floor and record.status is Status.ACTIVE


def exists(record: Record, clock: Clock) -> bool:
    """A record that can be read: it stands and has not been forgotten."""
    return stands(record, clock) and record.status is not Status.DELETED


def valid_at(content: Content, now: datetime) -> bool:
    """Presently valid and unexpired: `valid_from` <= now < `valid_to`, now < `expires_at`."""
    return (
        (content.valid_from is None or content.valid_from <= now)
        and (content.valid_to is None or now < content.valid_to)
        and (content.expires_at is None or now < content.expires_at)
    )
