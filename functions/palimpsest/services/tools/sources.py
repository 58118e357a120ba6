"""What a source is that a model names: a record, a document, or all records of an address."""

from collections.abc import Sequence
from dataclasses import dataclass

from palimpsest.domain.documents import ChunkKey, Document
from palimpsest.domain.errors import NotFound
from palimpsest.domain.filters import OneOf
from palimpsest.domain.names import RESERVED_ID_PREFIX, record_id_fault
from palimpsest.domain.records import Record
from palimpsest.domain.tool_results import ToolRefused
from palimpsest.domain.tool_text import in_quotes
from palimpsest.domain.upload_keys import path_fault, upload_place
from palimpsest.domain.visibility import exists
from palimpsest.ports import Clock, IndexLedger, RecordStore, SearchIndex, Waker
from palimpsest.services.documents import DocumentService
from palimpsest.services.tools.caller import ToolCaller

MOST_RECORDS = 500
"""Records of one address that a tool works on."""

WAIT_S = 3.0
POLL_S = 0.1
SHOWN = 80
"""Characters of an unknown source that the refusal repeats."""


@dataclass(frozen=True, slots=True)
class Found:
    """A document, or else records, at least one, oldest first; chunks are only found by their own
    ids.
    """

    records: Sequence[Record] = ()
    document: Document | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Sources:
    """Finds what a model names. `bucket`: where the files of documents are."""

    store: RecordStore
    documents: DocumentService
    index: SearchIndex
    ledger: IndexLedger
    waker: Waker
    clock: Clock
    bucket: str

    def find(self, caller: ToolCaller, named: str) -> Found:
        """What stands under an id, a document's path or an address, in this order. Raises
        `ToolRefused` where there is nothing, and where the index, by which records of an address
        are found, is behind.
        """
        for source in dict.fromkeys([named, named.strip()]):
            found = self._document(caller, source) or self._record(caller, source)
            if found is None and not source.startswith(RESERVED_ID_PREFIX):
                found = (
                    self._uploaded(caller, source)
                    or self._at_path(caller, source)
                    or self._of_address(caller, source)
                )
            if found is not None:
                return found
        raise self._unknown(caller, named.strip())

    def _unknown(self, caller: ToolCaller, source: str) -> ToolRefused:
        """A part of a document that has been replaced since is known by its id."""
        key = ChunkKey.of(source)
        if key is not None and self._document(caller, key.document_id) is not None:
            return ToolRefused(
                f"Document {key.document_id} has been replaced or read again since: this part of "
                "it is gone. Search again, or read the document."
            )
        return ToolRefused(
            f"There is no source {in_quotes(source[:SHOWN])} here. Give the id that stands behind "
            "a label such as [S1] in what search_memory answers, or its address; not the label."
        )

    def _document(self, caller: ToolCaller, source: str) -> Found | None:
        if not source.startswith(RESERVED_ID_PREFIX) or ChunkKey.of(source) is not None:
            return None
        try:
            return Found(document=self.documents.get(caller.tenant, caller.namespace, source))
        except NotFound:
            return None

    def _record(self, caller: ToolCaller, source: str) -> Found | None:
        if record_id_fault(source, writing=False):
            return None
        clock, found = self.store.read(caller.tenant, caller.namespace, [source])
        record = found.get(source)
        return Found([record]) if record is not None and exists(record, clock) else None

    def _uploaded(self, caller: ToolCaller, source: str) -> Found | None:
        """The document whose file has this address, which is the caller's own."""
        place = upload_place(source.removeprefix(f"s3://{self.bucket}/"))
        if place is None or place[:2] != caller[:2]:
            return None
        return self._at_path(caller, place.path)

    def _at_path(self, caller: ToolCaller, path: str) -> Found | None:
        if path_fault(path) is not None:
            return None
        document = self.documents.at_path(caller.tenant, caller.namespace, path)
        return Found(document=document) if document else None

    def _of_address(self, caller: ToolCaller, uri: str) -> Found | None:
        """Every record of an address that stands: what the index knows of, and what the ledger says
        the index lacks; each as the table has it.
        """
        generation = self._level(caller)
        tenant, namespace = caller.tenant, caller.namespace
        where = OneOf("source.uri", (uri,))
        ids = self.index.matching(f"{tenant}#{namespace}", where, limit=MOST_RECORDS + 1)
        lacking = self.ledger.unsearchable(tenant, namespace, generation)
        ids = list(dict.fromkeys([*ids, *(entry.id for entry in lacking)]))
        clock, found = self.store.read(tenant, namespace, ids)
        of_it = [one for one in found.values() if exists(one, clock) and _address(one) == uri]
        of_it.sort(key=lambda one: (one.created_at, one.id))
        if len(of_it) > MOST_RECORDS:
            raise ToolRefused(
                f"More than {MOST_RECORDS} records are of this source. Give the id of one of them."
            )
        return Found(of_it) if of_it else None

    def _level(self, caller: ToolCaller) -> str:
        """The generation of the index that is read, which has everything that was written before
        this call.
        """
        generation, end = self.index.reading().generation, self.clock.monotonic() + WAIT_S
        clock, _ = self.store.read(caller.tenant, caller.namespace)
        waited = False
        while not self._has(caller, generation, clock.revision):
            if not waited:
                self.waker.wake(*caller[:2], clock.revision, generation=generation)
                waited = True
            if self.clock.monotonic() >= end:
                raise ToolRefused(
                    "No record and no document has this id, and addresses cannot be looked up "
                    "until what was written last is indexed. Try again in a few seconds."
                )
            self.clock.sleep(POLL_S)
        return generation

    def _has(self, caller: ToolCaller, generation: str, revision: int) -> bool:
        progress = self.ledger.progress(caller.tenant, caller.namespace, generation)
        return progress.revision >= revision


def _address(record: Record) -> str | None:
    source = record.content.source if record.content and record.chunk is None else None
    return source.uri if source else None
