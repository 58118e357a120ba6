"""Reading a document: its object is fetched, its text extracted and cut into chunks, and both kept
until they are committed.
"""

import tempfile
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path

from palimpsest.domain.chunks import Chunk, chunked
from palimpsest.domain.documents import Document, Generation, ObjectVersion
from palimpsest.domain.errors import NotFound
from palimpsest.domain.extraction import FileName, Unreadable, UnreadableReason
from palimpsest.ports import DocumentReader, ObjectStore, TokenCounter, Uploads
from palimpsest.services.ingest.attempts import At, Lost
from palimpsest.services.ingest.document_files import PAGE, DocumentFiles

MAX_BYTES = 100_000_000


@dataclass(frozen=True, slots=True)
class LaidOut:
    """What a reading has left to be committed: the generation as it will be, in so many pages of
    chunks, and the title that the document gives itself.
    """

    generation: Generation
    pages: int
    title: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadingService:
    """Reads documents. `max_bytes` of a file, beyond which it is not even fetched."""

    uploads: Uploads
    reader: DocumentReader
    tokens: TokenCounter
    objects: ObjectStore
    max_bytes: int = MAX_BYTES

    def lay_out(self, at: At) -> LaidOut:
        """Read the document of an attempt and keep its text and chunks. Raises `Unreadable`;
        `Lost` where the object is another one by now; `Unavailable` where the bucket, or whoever
        counts tokens, cannot answer.
        """
        document, seen = at.document, at.document.object
        if seen is None:
            raise Lost("the document shows no object")
        if seen.bytes > self.max_bytes:
            told = f"it has {seen.bytes} bytes; {self.max_bytes} are possible"
            raise Unreadable(UnreadableReason.TOO_LARGE, told)
        with tempfile.TemporaryDirectory(prefix="ingest-") as folder:
            source = Path(folder) / "file"
            self._fetch(at, seen, source)
            return self._kept(at, document, seen, source)

    def _fetch(self, at: At, seen: ObjectVersion, source: Path) -> None:
        try:
            self.uploads.fetch(at.place.key, seen, to=source)
        except NotFound as error:
            raise Lost("the object has been replaced or deleted") from error

    def _kept(self, at: At, document: Document, seen: ObjectVersion, source: Path) -> LaidOut:
        number = at.attempt.generation
        files = DocumentFiles.of(self.objects, at.tenant, document, number)
        read = self.reader.read(source, FileName(document.path, seen.content_type))
        try:
            blocks = files.keep_text(read.blocks())
            generation, pages = Generation(number=number), 0
            for page in _pages(chunked(blocks, tokens=self.tokens.count)):
                files.keep_page(pages, page)
                pages += 1
                generation = replace(
                    generation, chunks=generation.chunks + len(page), characters=page[-1].end
                )
            if not pages:
                raise Unreadable(UnreadableReason.NO_TEXT, "it holds no text")
            return LaidOut(generation, pages, read.extraction.title)
        finally:
            read.close()


def _pages(chunks: Iterator[Chunk]) -> Iterator[list[Chunk]]:
    while page := list(islice(chunks, PAGE)):
        yield page
