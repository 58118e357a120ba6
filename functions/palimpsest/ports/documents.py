"""What ingesting needs of the canonical table beside records: documents, and what of them is to be
erased. All reads are strongly consistent.
"""

from collections.abc import Sequence
from datetime import datetime
from typing import NamedTuple, Protocol

from palimpsest.domain.commits import Clock
from palimpsest.domain.document_attempts import Granted
from palimpsest.domain.documents import Document


class Ended(NamedTuple):
    """A generation that is over, to be erased by now; `mark` names it for `unmark`."""

    document_id: str
    generation: int
    mark: str


class Documents(Protocol):
    """The documents of a namespace."""

    def read(
        self, tenant: str, namespace: str, document_ids: Sequence[str]
    ) -> tuple[Clock, dict[str, Document]]:
        """The namespace's clock, and the documents by id: tombstones too, and what was purged and
        not erased yet (`domain.documents.is_there` tells).
        """
        ...

    def put(self, tenant: str, document: Document, *, writes: int | None) -> bool:
        """Write a document that is being worked on, in place of the one that had made so many
        `writes` (None: there was none at all); False and nothing where it is not that any more.
        """
        ...

    def page(self, tenant: str, namespace: str, *, after: str, limit: int) -> list[Document]:
        """At most `limit` documents after an id, in the order of ids: those that are there."""
        ...

    def count(self, tenant: str, namespace: str) -> int:
        """How many documents are there."""
        ...

    def under_way(self, tenant: str, namespace: str) -> list[str]:
        """The ids of those that somebody is, or was, at work on."""
        ...

    def ended(self, tenant: str, namespace: str, *, now: datetime, limit: int) -> list[Ended]:
        """Generations that are to be erased by now, those first that have waited longest."""
        ...

    def unmark(self, tenant: str, namespace: str, ended: Ended) -> None:
        """That generation has been erased."""
        ...

    def chunk_ids(
        self, tenant: str, namespace: str, document_id: str, generation: int, *, limit: int
    ) -> list[str]:
        """The ids of at most `limit` chunks of a generation that are still there."""
        ...

    def erase_chunks(self, tenant: str, namespace: str, chunk_ids: Sequence[str]) -> None:
        """Erase these chunks, which follow one another, with their vectors of every model."""
        ...

    def embedded(
        self, tenant: str, namespace: str, document_id: str, generation: int, *, fingerprint: str
    ) -> dict[str, str]:
        """Of a generation's chunks with a held vector, an id for each hash of an embedded text."""
        ...


class Grants(Protocol):
    """What was told of documents when places to upload them were asked for, for some days."""

    def keep(
        self, tenant: str, namespace: str, grant: str, told: Granted, *, revision: int
    ) -> None:
        """Keep what was told at a revision of the namespace's clock, under the name that the upload
        will bear.
        """
        ...

    def get(self, tenant: str, namespace: str, grant: str) -> Granted | None:
        """What was told under that name; None where it is gone, or older than the last purge."""
        ...
