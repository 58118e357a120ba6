"""Chunks as records: what a reader of the table makes of them, given their documents."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from palimpsest.domain.chunks import Chunk
from palimpsest.domain.documents import ChunkKey, Document
from palimpsest.domain.records import ChunkOf, Content, Record, Source, Status

HEADINGS = " > "


def documents_of(record_ids: Sequence[str]) -> list[str]:
    """The documents that the chunks among these ids belong to, each once."""
    keys = (ChunkKey.of(record_id) for record_id in record_ids)
    return list(dict.fromkeys(key.document_id for key in keys if key is not None))


def as_they_are(
    record_ids: Sequence[str], found: Mapping[str, Record], documents: Mapping[str, Document]
) -> dict[str, Record]:
    """The records of these ids, chunks with the revisions in which their generation was current.

    A chunk that has been erased, or is about to be, is a tombstone of the revision at which its
    generation ended, so that nobody waits for it. One that is only not in view yet, as its
    generation is still to come, is absent; so is one whose document is.
    """
    seen = dict[str, Record]()
    for record_id in record_ids:
        key = ChunkKey.of(record_id)
        record = found.get(record_id)
        if key is not None:
            document = documents.get(key.document_id)
            record = None if document is None else _chunk(key, record, document)
        if record is not None:
            seen[record_id] = record
    return seen


def _chunk(key: ChunkKey, record: Record | None, document: Document) -> Record | None:
    generation = document.generation(key.generation)
    if generation is None:
        return _erased(key, document, revision=document.revision)
    if record is None or record.chunk is None:
        until = generation.until
        return None if until is None else _erased(key, document, revision=until)
    return replace(
        record, chunk=replace(record.chunk, since=generation.since, until=generation.until)
    )


def _erased(key: ChunkKey, document: Document, *, revision: int) -> Record:
    return Record(
        id=str(key),
        namespace=document.namespace,
        revision=revision,
        status=Status.DELETED,
        content=None,
        created_at=document.created_at,
        updated_at=document.updated_at,
        chunk=ChunkOf(
            document_id=key.document_id,
            generation=key.generation,
            ordinal=key.ordinal,
            start=0,
            end=0,
        ),
    )


def chunk_record(document: Document, generation: int, chunk: Chunk, *, uri: str) -> Record:
    """The record of a chunk, of which only the revision is still to be told. Its title are the
    headings above it, by which it is embedded and found too; its source leads to the place in the
    file.
    """
    return Record(
        id=str(ChunkKey(document.id, generation, chunk.ordinal)),
        namespace=document.namespace,
        revision=0,
        status=Status.ACTIVE,
        content=Content(
            text=chunk.text,
            title=HEADINGS.join(chunk.heading_path) or None,
            title_first=True,
            event_time=document.event_time,
            source=Source(
                uri=uri,
                title=document.path.rpartition("/")[2],
                locator=str(chunk.place) if chunk.place else None,
            ),
            metadata=document.metadata,
        ),
        created_at=document.updated_at,
        updated_at=document.updated_at,
        chunk=ChunkOf(
            document_id=document.id,
            generation=generation,
            ordinal=chunk.ordinal,
            start=chunk.start,
            end=chunk.end,
            heading_path=chunk.heading_path,
        ),
    )
