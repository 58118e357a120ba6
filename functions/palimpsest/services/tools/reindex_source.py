"""The re-indexing tool: a document is read again; a record that some leg lacks is tried again."""

from collections.abc import Sequence
from dataclasses import dataclass

from palimpsest.domain.records import Record, Status
from palimpsest.domain.tool_results import ToolResult
from palimpsest.domain.tool_text import address
from palimpsest.ports import IndexLedger, SearchIndex
from palimpsest.services.documents import DocumentService
from palimpsest.services.retrying import RetryService
from palimpsest.services.tools.caller import ToolCaller
from palimpsest.services.tools.sources import Sources


@dataclass(frozen=True, slots=True)
class ReindexTool:
    """Has sources indexed again."""

    sources: Sources
    documents: DocumentService
    index: SearchIndex
    ledger: IndexLedger
    retrying: RetryService

    def reindex(self, caller: ToolCaller, source: str) -> ToolResult:
        """Have what stands under `source` indexed again, beside what is found of it until then.
        Raises `ToolRefused` where there is nothing.
        """
        found = self.sources.find(caller, source)
        if found.document is not None:
            document = found.document
            self.documents.read_again(caller.tenant, caller.namespace, document.id)
            path = address(document.path)
            return ToolResult(
                f"Document {document.id} ({path}) is being read again; until that is done it is "
                "found as it was."
            )
        return ToolResult(" ".join(self._records(caller, found.records)))

    def _records(self, caller: ToolCaller, records: Sequence[Record]) -> Sequence[str]:
        generation = self.index.reading().generation
        tenant, namespace = caller.tenant, caller.namespace
        progress = self.ledger.progress(tenant, namespace, generation)
        lacking = {one.id for one in self.ledger.unsearchable(tenant, namespace, generation)}
        late = [one for one in records if one.revision > progress.revision or one.id in lacking]
        if late:
            self.retrying.ask(tenant, namespace, generation)
            return [f"{', '.join(one.id for one in late)}: being indexed again."]
        return [
            f"{one.id}: indexed as it is."
            if one.status is Status.ACTIVE
            else f"{one.id}: superseded, so it is not searched."
            for one in records
        ]
