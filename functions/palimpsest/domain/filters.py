"""Filters: a small language over record fields, its meaning, and the time range beside it.

This part has equality and membership (`eq`, `in`); the grammar of api.md is larger.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime

from palimpsest.domain.records import Record

FilterValue = str | int | float | bool | datetime

STRING_FIELDS = frozenset(
    {"id", "kind", "subject", "predicate", "location", "source.uri", "document.id"}
)
LIST_FIELDS = frozenset({"tags", "aliases", "entities"})
NUMBER_FIELDS = frozenset({"importance"})
INSTANT_FIELDS = frozenset({"event_time", "created_at", "updated_at"})
FIXED_FIELDS = STRING_FIELDS | LIST_FIELDS | NUMBER_FIELDS | INSTANT_FIELDS
METADATA_PREFIX = "metadata."


@dataclass(frozen=True, slots=True)
class Condition:
    """A record passes if its `field` is one of `values`, or, being a list, holds one of them.

    Strings match exactly, numbers by value, booleans only booleans; a record without the field does
    not match, nor does a value of another type than asked.
    """

    field: str
    values: tuple[FilterValue, ...]


@dataclass(frozen=True, slots=True)
class Filter:
    """All conditions must hold."""

    conditions: tuple[Condition, ...]


@dataclass(frozen=True, slots=True)
class TimeRange:
    """On `event_time`, both ends inclusive; a record without one is outside."""

    start: datetime | None = None
    end: datetime | None = None

    def holds(self, instant: datetime | None) -> bool:
        """Whether an event at `instant` is inside."""
        if instant is None:
            return False
        return not (
            (self.start is not None and instant < self.start)
            or (self.end is not None and instant > self.end)
        )


def matches(record: Record, condition: Condition) -> bool:
    """The plain meaning of a condition, against which every adapter is tested."""
    return any(
        _same(stored, asked)
        for stored in _stored(record, condition.field)
        for asked in condition.values
    )


def passes(record: Record, wanted: Filter | None) -> bool:
    """Whether a record passes a whole filter."""
    return wanted is None or all(matches(record, condition) for condition in wanted.conditions)


def _same(stored: object, asked: FilterValue) -> bool:
    if isinstance(stored, bool) or isinstance(asked, bool):
        return stored is asked
    return (type(stored) is type(asked) and stored == asked) or (
        isinstance(stored, int | float) and isinstance(asked, int | float) and stored == asked
    )


def _stored(record: Record, field: str) -> Iterator[object]:
    content = record.content
    if content is None:
        return
    value: object
    if field.startswith(METADATA_PREFIX):
        value = content.metadata.get(field.removeprefix(METADATA_PREFIX))
    elif field in ("id", "created_at", "updated_at"):
        value = getattr(record, field)
    elif field == "source.uri":
        value = content.source.uri if content.source else None
    elif field == "document.id":
        value = None
    else:
        value = getattr(content, field)
    if isinstance(value, tuple):
        yield from value
    elif value is not None and not isinstance(value, Mapping):
        yield value
