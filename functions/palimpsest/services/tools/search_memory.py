"""The search tool: one question, at most five sources; how deep it goes and whether it is reranked
is the deployment's choice, not the model's.
"""

from dataclasses import dataclass

from palimpsest.domain.passages import passage
from palimpsest.domain.queries import Hit, SearchAnswer, SearchRequest
from palimpsest.domain.tool_results import ToolResult, ToolSource, heading, score_text
from palimpsest.domain.tool_text import PREFACE, quoted
from palimpsest.ports import RecordStore
from palimpsest.services.search import SearchService
from palimpsest.services.tools.caller import ToolCaller

SOURCES = 5
TIMEOUT_MS = 10_000
WAIT_MS = 1_000
"""How long a search waits for what was remembered just before."""

NOTHING = "Nothing is stored here that answers this. Try other words, or go on without it."


@dataclass(frozen=True, slots=True)
class SearchTool:
    """Finds sources."""

    searches: SearchService
    store: RecordStore

    def search(self, caller: ToolCaller, query: str) -> ToolResult:
        """The best sources for a question, each with its best passage. Raises as a search does."""
        clock, _ = self.store.read(caller.tenant, caller.namespace)
        found = self.searches.search(
            SearchRequest(
                tenant=caller.tenant,
                namespaces=(caller.namespace,),
                query=query,
                limit=SOURCES,
                min_revision=clock.revision,
                wait_ms=WAIT_MS,
                timeout_ms=TIMEOUT_MS,
            )
        )
        blocks = [_block(number, hit, found) for number, hit in enumerate(found.hits, start=1)]
        lines = [PREFACE, *blocks] if blocks else [NOTHING]
        if found.degraded:
            stages = ", ".join(found.degraded)
            lines.append(f"This search fell short ({stages}): something may be missing.")
        return ToolResult("\n\n".join(lines), [ToolSource.of(hit.record) for hit in found.hits])


def _block(number: int, hit: Hit, found: SearchAnswer) -> str:
    content = hit.record.content
    score = f"{found.score_kind}={score_text(hit.fused.ordering)}"
    above = heading(number, hit.record.id, content.source if content else None, score)
    said = passage(content.text, found.request.query) if content else ""
    return f"{above}\n{quoted(said)}"
