"""What is kept of one generation of a document beside its records: its extracted text, in segments
of equal length, and its chunks, page by page, until they are committed.
"""

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from palimpsest.domain.chunks import Chunk
from palimpsest.domain.documents import Document
from palimpsest.domain.extraction import Block, Place, Unit
from palimpsest.ports import ObjectStore

TEXT = "text"
SEGMENT = 100_000
"""Characters of a segment: a page of the text lies in two of them at most."""

PAGE = 200
"""Chunks of a page."""


def text_prefix(tenant: str, namespace: str, document_id: str = "", generation: int = 0) -> str:
    """Where the files of a generation lie, or all files of a namespace."""
    whole = f"{TEXT}/{tenant}/{namespace}/"
    return f"{whole}{document_id}/{generation}/" if document_id else whole


@dataclass(frozen=True, slots=True)
class DocumentFiles:
    """The files of one generation, below a prefix of their own. All may be written again."""

    objects: ObjectStore
    prefix: str

    @classmethod
    def of(
        cls, objects: ObjectStore, tenant: str, document: Document, generation: int
    ) -> "DocumentFiles":
        """Those of a document's generation."""
        return cls(objects, text_prefix(tenant, document.namespace, document.id, generation))

    def keep_text(self, blocks: Iterable[Block]) -> Iterator[Block]:
        """The blocks as they come, while their text is kept: all of it once they have been walked
        to their end.
        """
        number, held, size = 0, list[str](), 0
        for block in blocks:
            yield block
            held.append(block.text)
            size += len(block.text)
            while size >= SEGMENT:
                text = "".join(held)
                self.objects.put(self._segment(number), text[:SEGMENT].encode())
                held, size, number = [text[SEGMENT:]], size - SEGMENT, number + 1
        if size:
            self.objects.put(self._segment(number), "".join(held).encode())

    def text(self, offset: int, limit: int) -> str:
        """At most `limit` characters from `offset` on, within the text. Raises `NotFound` where it
        is gone.
        """
        first, last = offset // SEGMENT, (offset + limit - 1) // SEGMENT
        held = [self.objects.get(self._segment(n)).decode() for n in range(first, last + 1)]
        begin = offset - first * SEGMENT
        return "".join(held)[begin : begin + limit]

    def keep_page(self, number: int, chunks: Sequence[Chunk]) -> None:
        """Keep a page of chunks."""
        rows = [
            [c.start, c.end, c.text, list(c.heading_path), list(c.place) if c.place else None]
            for c in chunks
        ]
        data = json.dumps([chunks[0].ordinal, rows], ensure_ascii=False, separators=(",", ":"))
        self.objects.put(self._page(number), data.encode())

    def page(self, number: int) -> list[Chunk]:
        """A page of chunks. Raises `NotFound` where it is gone."""
        first, rows = json.loads(self.objects.get(self._page(number)))
        return [
            Chunk(
                ordinal=first + place,
                start=start,
                end=end,
                text=text,
                heading_path=tuple(headings),
                place=_place(where),
            )
            for place, (start, end, text, headings, where) in enumerate(rows)
        ]

    def drop_pages(self) -> None:
        """Remove the pages: they are committed."""
        self.objects.erase(f"{self.prefix}chunks/")

    def erase(self) -> None:
        """Remove them all."""
        self.objects.erase(self.prefix)

    def _segment(self, number: int) -> str:
        return f"{self.prefix}text/{number:06}.txt"

    def _page(self, number: int) -> str:
        return f"{self.prefix}chunks/{number:06}.json"


def _place(told: Sequence[Any] | None) -> Place | None:
    if told is None:
        return None
    unit, first, last, within = told
    return Place(Unit(unit), first, last, within)
