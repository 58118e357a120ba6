"""What of an index entry a filter may ask for: the fields of `domain.filters` with their values."""

from collections.abc import Iterator, Mapping

from palimpsest.domain.entries import Entry
from palimpsest.domain.filters import (
    INSTANT_FIELDS,
    LIST_FIELDS,
    METADATA_PREFIX,
    NUMBER_FIELDS,
    STRING_FIELDS,
)
from palimpsest.domain.records import Content


def filterable(entry: Entry, content: Content) -> Iterator[tuple[str, tuple[object, ...]]]:
    """Each field with its values: several of a list, one None where it is absent. Raises
    `UnicodeEncodeError` for a string or a metadata key that is none.
    """
    for field, value in _fields(entry, content):
        values = value if isinstance(value, tuple) else (value,)
        for one in values:
            if isinstance(one, str):
                one.encode()
        yield field, values


def _fields(entry: Entry, content: Content) -> Iterator[tuple[str, object]]:
    own: Mapping[str, object] = {
        "id": entry.id,
        "created_at": entry.created_at,
        "updated_at": entry.updated_at,
        "source.uri": content.source.uri if content.source else None,
        "document.id": entry.document_id,
    }
    for field in STRING_FIELDS | LIST_FIELDS | NUMBER_FIELDS | INSTANT_FIELDS:
        yield field, own[field] if field in own else getattr(content, field)
    for key, value in content.metadata.items():
        key.encode()
        yield METADATA_PREFIX + key, value
