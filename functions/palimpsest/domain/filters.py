"""Filters: a small language over record fields, its meaning, and the time range beside it.

A filter is a tree: leaves ask one thing of one field, and `And`, `Or`, `Not` combine them. A leaf
is true or false, never unknown: a record without the field fails every leaf, and so passes its
`Not`. All parts are hashable values.
"""

import operator
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any, TypeAlias

from palimpsest.domain.records import Content, Record

FilterValue = str | int | float | bool | datetime
"""What can be asked for; numbers are finite."""

STRING_FIELDS = frozenset(
    {"id", "kind", "subject", "predicate", "location", "source.uri", "document.id"}
)
LIST_FIELDS = frozenset({"tags", "aliases", "entities"})
NUMBER_FIELDS = frozenset({"importance"})
INSTANT_FIELDS = frozenset({"event_time", "created_at", "updated_at"})
FIXED_FIELDS = STRING_FIELDS | LIST_FIELDS | NUMBER_FIELDS | INSTANT_FIELDS
METADATA_PREFIX = "metadata."


class Relation(StrEnum):
    """How a stored value stands to the one asked for."""

    GT = "gt"
    GTE = "gte"
    LT = "lt"
    LTE = "lte"


@dataclass(frozen=True, slots=True)
class OneOf:
    """The field is one of `values`, or, being a list, holds one of them.

    Strings match exactly, numbers by value, booleans only booleans.
    """

    field: str
    values: tuple[FilterValue, ...]


@dataclass(frozen=True, slots=True)
class Compare:
    """The field, or an entry of it, is of the type of `value` and stands in `relation` to it.

    Numbers compare by value, instants by time, strings by code points; booleans have no order.
    """

    field: str
    relation: Relation
    value: FilterValue


@dataclass(frozen=True, slots=True)
class Prefix:
    """The field, or an entry of it, is a string that begins with exactly `text`."""

    field: str
    text: str


@dataclass(frozen=True, slots=True)
class Exists:
    """The record has the field; an empty list counts as none."""

    field: str


@dataclass(frozen=True, slots=True)
class And:
    """All parts hold."""

    parts: "tuple[Filter, ...]"


@dataclass(frozen=True, slots=True)
class Or:
    """At least one part holds."""

    parts: "tuple[Filter, ...]"


@dataclass(frozen=True, slots=True)
class Not:
    """The part does not hold."""

    part: "Filter"


Leaf: TypeAlias = OneOf | Compare | Prefix | Exists
Filter: TypeAlias = Leaf | And | Or | Not


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


def passes(record: Record, wanted: Filter | None) -> bool:
    """Whether a record passes a filter: the plain meaning, against which every adapter is tested.

    Everything passes None; a tombstone passes nothing else.
    """
    if wanted is None:
        return True
    return record.content is not None and _holds(record, record.content, wanted)


def _holds(record: Record, content: Content, wanted: Filter) -> bool:
    if isinstance(wanted, And):
        return all(_holds(record, content, part) for part in wanted.parts)
    if isinstance(wanted, Or):
        return any(_holds(record, content, part) for part in wanted.parts)
    if isinstance(wanted, Not):
        return not _holds(record, content, wanted.part)
    return any(_fits(stored, wanted) for stored in _stored(record, content, wanted.field))


def _fits(stored: object, leaf: Leaf) -> bool:
    """Whether one value that a record has in the field is what the leaf asks for."""
    if isinstance(leaf, OneOf):
        return any(_alike(stored, asked) and stored == asked for asked in leaf.values)
    if isinstance(leaf, Prefix):
        return isinstance(stored, str) and stored.startswith(leaf.text)
    if isinstance(leaf, Compare):
        ordered = _alike(stored, leaf.value) and not isinstance(stored, bool)
        return ordered and _RELATIONS[leaf.relation](stored, leaf.value)
    return True


_RELATIONS: Mapping[Relation, Callable[[Any, Any], bool]] = {
    Relation.GT: operator.gt,
    Relation.GTE: operator.ge,
    Relation.LT: operator.lt,
    Relation.LTE: operator.le,
}


def _alike(stored: object, asked: FilterValue) -> bool:
    """Of the same type, where whole and other numbers are one type and booleans another."""
    if isinstance(stored, bool) or isinstance(asked, bool):
        return isinstance(stored, bool) and isinstance(asked, bool)
    if isinstance(asked, int | float):
        return isinstance(stored, int | float)
    return type(stored) is type(asked)


def _stored(record: Record, content: Content, field: str) -> Iterator[object]:
    value: object
    if field.startswith(METADATA_PREFIX):
        value = content.metadata.get(field.removeprefix(METADATA_PREFIX))
    elif field in ("id", "created_at", "updated_at"):
        value = getattr(record, field)
    elif field == "source.uri":
        value = content.source.uri if content.source else None
    elif field == "document.id":
        value = record.chunk.document_id if record.chunk else None
    else:
        value = getattr(content, field)
    if isinstance(value, tuple):
        yield from value
    elif value is not None:
        yield value
