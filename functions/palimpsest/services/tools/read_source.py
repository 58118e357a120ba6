"""The reading tool: the text of a source, page by page."""

from collections.abc import Callable
from dataclasses import dataclass

from palimpsest.domain.documents import Document, DocumentState
from palimpsest.domain.errors import NotFound, NotReady
from palimpsest.domain.records import Record, Source
from palimpsest.domain.tool_results import ToolRefused, ToolResult, ToolSource, heading
from palimpsest.domain.tool_text import PREFACE, one_line, quoted
from palimpsest.domain.visibility import valid_at
from palimpsest.domain.whole_characters import LONGEST, whole_end
from palimpsest.ports import Clock
from palimpsest.services.documents import DocumentService
from palimpsest.services.tools.caller import ToolCaller
from palimpsest.services.tools.sources import Found, Sources

PAGE = 8_000
"""Characters of a page."""


@dataclass(frozen=True, slots=True)
class _Part:
    """One text of a source. `read` gives the characters from an offset on, at most so many."""

    source: ToolSource
    told: Source | None
    length: int
    read: Callable[[int, int], str]
    note: str = ""

    def piece(self, start: int, end: int) -> tuple[int, str]:
        """The text between two places, each moved back where it would part a character; and where
        that text begins.
        """
        first = max(0, start - LONGEST)
        around = self.read(first, min(self.length, end + LONGEST) - first)
        begin = first + whole_end(around, start - first) if start else 0
        until = first + whole_end(around, end - first) if end < self.length else self.length
        return begin, around[begin - first : until - first]


@dataclass(frozen=True, slots=True)
class ReadTool:
    """Reads sources. Texts of one address follow one another, oldest first; pages are cut from
    them all at once, so the pages of a source together are its whole text.
    """

    sources: Sources
    documents: DocumentService
    clock: Clock

    def read(self, caller: ToolCaller, source: str, page: int) -> ToolResult:
        """A page, from 1, of a source's text. Raises `ToolRefused` where there is no such source or
        page, or no text.
        """
        parts = self._parts(caller, self.sources.find(caller, source))
        total = sum(part.length for part in parts)
        pages = max(1, -(-total // PAGE))
        if page > pages:
            raise ToolRefused(f"There is no page {page}: this source has {_pages(pages)}.")
        start, end = (page - 1) * PAGE, page * PAGE
        blocks, sources, before = [PREFACE], list[ToolSource](), 0
        for part in parts:
            first, last = max(start - before, 0), min(end - before, part.length)
            before += part.length
            if first < last:
                begin, text = part.piece(first, last)
                sources.append(part.source)
                blocks.append(_block(len(sources), part, begin, text))
        if pages > 1:
            more = f" Call again with page {page + 1} for the next." if page < pages else ""
            blocks.append(f"This is page {page} of {pages}.{more}")
        return ToolResult("\n\n".join(blocks), sources)

    def _parts(self, caller: ToolCaller, found: Found) -> list[_Part]:
        if found.document is not None:
            return [self._of_document(caller, found.document)]
        return [self._of_record(record) for record in found.records]

    def _of_record(self, record: Record) -> _Part:
        content = record.content
        text = content.text if content else ""
        return _Part(
            ToolSource.of(record),
            content.source if content else None,
            len(text),
            lambda offset, limit: text[offset : offset + limit],
            self._note(record),
        )

    def _note(self, record: Record) -> str:
        if record.chunk is not None:
            return f"a part of document {record.chunk.document_id}"
        if record.superseded_by is not None:
            return f"superseded by {record.superseded_by}"
        if record.content and not valid_at(record.content, self.clock.now()):
            return "not valid now"
        return ""

    def _of_document(self, caller: ToolCaller, document: Document) -> _Part:
        current = document.current
        if current is None:
            raise ToolRefused(_without_text(document))

        def read(offset: int, limit: int) -> str:
            asked = (caller.tenant, caller.namespace, document.id)
            try:
                return self.documents.text(*asked, offset=offset, limit=limit).text
            except (NotFound, NotReady) as error:
                raise ToolRefused("This document has just been replaced; read again.") from error

        source = ToolSource(document.id, document.namespace, document.revision)
        path = Source(uri=document.path, title=document.title)
        return _Part(source, path, current.characters, read)


def _block(number: int, part: _Part, begin: int, text: str) -> str:
    place = f"characters {begin}-{begin + len(text)} of {part.length}"
    told = [f"revision {part.source.revision}", place, *([part.note] if part.note else [])]
    return f"{heading(number, part.source.id, part.told, ', '.join(told))}\n{quoted(text)}"


def _pages(pages: int) -> str:
    return "one page" if pages == 1 else f"{pages} pages"


def _without_text(document: Document) -> str:
    if document.state in {DocumentState.PENDING, DocumentState.INDEXING}:
        return "This document is still being read. Try again in a minute."
    reason = one_line(document.reason or document.state)
    return f"This document has no text that can be read ({reason})."
