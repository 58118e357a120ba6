"""A page of records: closed by its limit, or before its answer passes 4 MB."""

from dataclasses import dataclass, field

from palimpsest.domain.names import MAX_ANSWER_BYTES
from palimpsest.domain.records import Record

BESIDE_CONTENT = 1_500
"""Bytes of a record beside its own content, at most: ids, status, instants."""


@dataclass(slots=True)
class RecordPage:
    """A page being filled."""

    limit: int
    records: list[Record] = field(default_factory=list)
    size: int = 0

    def takes(self, record: Record) -> bool:
        """Whether the record fits, in which case it is on the page now. The first always does."""
        size = BESIDE_CONTENT + (record.content.size if record.content else 0)
        too_large = bool(self.records) and self.size + size > MAX_ANSWER_BYTES
        if too_large or len(self.records) >= self.limit:
            return False
        self.records.append(record)
        self.size += size
        return True
