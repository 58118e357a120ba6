"""What the tools function works with: all that search and documents do, and commits."""

from dataclasses import dataclass

from palimpsest.bootstrap.documents import documents_services
from palimpsest.bootstrap.search import search_services
from palimpsest.bootstrap.searching import SearchParts
from palimpsest.services.answer_once import AnswerOnceService
from palimpsest.services.commit import CommitService
from palimpsest.services.retrying import RetryService
from palimpsest.services.tools.forget import ForgetTool
from palimpsest.services.tools.read_source import ReadTool
from palimpsest.services.tools.reindex_source import ReindexTool
from palimpsest.services.tools.remember import RememberTool
from palimpsest.services.tools.search_memory import SearchTool
from palimpsest.services.tools.sources import Sources
from palimpsest.settings import Settings, load


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolsServices:
    """What the tools function works with."""

    settings: Settings
    parts: SearchParts
    once: AnswerOnceService
    search: SearchTool
    read: ReadTool
    remember: RememberTool
    forget: ForgetTool
    reindex: ReindexTool


def tools_services(settings: Settings | None = None) -> ToolsServices:
    """The five tools over one set of parts."""
    settings = settings or load()
    searching, kept = search_services(settings), documents_services(settings)
    parts, documents = searching.parts, kept.documents
    store, ledger, clock = parts.store, parts.ledger, parts.clock
    sources = Sources(
        store=store,
        documents=documents,
        index=parts.index,
        ledger=ledger,
        waker=parts.waker,
        clock=clock,
        bucket=settings.uploads_bucket,
    )
    commits = CommitService(store, clock)
    return ToolsServices(
        settings=settings,
        parts=parts,
        once=kept.once,
        search=SearchTool(searching.search, store),
        read=ReadTool(sources, documents, clock),
        remember=RememberTool(commits, clock),
        forget=ForgetTool(sources, commits, documents),
        reindex=ReindexTool(
            sources,
            documents,
            parts.index,
            ledger,
            RetryService(store, ledger, parts.waker, clock),
        ),
    )
