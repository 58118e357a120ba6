"""The forgetting tool: a record, a document with its file, or every record of an address."""

from collections.abc import Sequence
from dataclasses import dataclass

from palimpsest.domain.commit_planning import CommitRequest, Operation
from palimpsest.domain.names import MAX_OPERATIONS
from palimpsest.domain.records import Record
from palimpsest.domain.tool_results import ToolRefused, ToolResult
from palimpsest.domain.tool_text import address
from palimpsest.services.commit import CommitService
from palimpsest.services.documents import DocumentService
from palimpsest.services.tools.caller import ToolCaller
from palimpsest.services.tools.sources import Sources


@dataclass(frozen=True, slots=True)
class ForgetTool:
    """Forgets sources."""

    sources: Sources
    commits: CommitService
    documents: DocumentService

    def forget(self, caller: ToolCaller, source: str) -> ToolResult:
        """Forget what stands under `source`. Records of one address beyond 25 are forgotten in
        several commits. Raises `ToolRefused`, and as a commit or a deletion does.
        """
        found = self.sources.find(caller, source)
        if found.document is not None:
            document = found.document
            self.documents.delete(caller.tenant, caller.namespace, document.id, by=caller.by)
            path = address(document.path)
            return ToolResult(f"Forgotten: document {document.id} ({path}) with its file.")
        for chunk in (one.chunk for one in found.records if one.chunk is not None):
            raise ToolRefused(
                f"This is a part of document {chunk.document_id}, and a part cannot be forgotten "
                "by itself. Forget the document, if all of it shall go."
            )
        for start in range(0, len(found.records), MAX_OPERATIONS):
            self._forget(caller, found.records[start : start + MAX_OPERATIONS])
        ids = ", ".join(record.id for record in found.records)
        return ToolResult(f"Forgotten: {ids}.")

    def _forget(self, caller: ToolCaller, records: Sequence[Record]) -> None:
        self.commits.commit(
            CommitRequest(
                tenant=caller.tenant,
                namespace=caller.namespace,
                operations=[Operation(id=record.id, content=None) for record in records],
                by=caller.by,
            )
        )
