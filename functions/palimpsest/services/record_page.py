"""A page of records: closed by its limit, or before its answer passes 4 MB."""

from dataclasses import dataclass, field
from typing import Generic, TypeVar

from palimpsest.domain.documents import Document
from palimpsest.domain.names import MAX_ANSWER_BYTES
from palimpsest.domain.records import Content, Record

T = TypeVar("T", bound=Record | Document)

BESIDE_CONTENT = 1_500
"""Bytes of a record beside its own content, at most: ids, status, instants."""


@dataclass(slots=True)
class RecordPage(Generic[T]):
    """A page being filled, of records or of whatever has changed."""

    limit: int
    records: list[T] = field(default_factory=list)
    size: int = 0

    def takes(self, record: T) -> bool:
        """Whether the record fits, in which case it is on the page now. The first always does."""
        size = BESIDE_CONTENT + _size(record)
        too_large = bool(self.records) and self.size + size > MAX_ANSWER_BYTES
        if too_large or len(self.records) >= self.limit:
            return False
        self.records.append(record)
        self.size += size
        return True


def _size(one: Record | Document) -> int:
    if isinstance(one, Document):
        return Content(text="", metadata=one.metadata).size
    return one.content.size if one.content else 0
