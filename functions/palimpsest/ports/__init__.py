"""The ports: what services need of the world; all adapters of a port pass its contract tests."""

from palimpsest.ports.canonical import (
    Erasures,
    GenerationRegister,
    IndexLedger,
    RecordStore,
    VectorStore,
)
from palimpsest.ports.documents import Documents, Ended, Grants
from palimpsest.ports.extracting import DocumentReader, ReadDocument, TokenCounter
from palimpsest.ports.finding import Embedder, SearchIndex
from palimpsest.ports.generations import GenerationItems, IndexGenerations
from palimpsest.ports.jobs import JobStarter
from palimpsest.ports.models import LanguageModel, Reranker
from palimpsest.ports.objects import ObjectStore
from palimpsest.ports.purging import NamespaceErasure
from palimpsest.ports.reconciling import Fences, Jobs, PassKeys, RecordScan
from palimpsest.ports.running import Clock, Executor, Pending, Waker
from palimpsest.ports.uploads import IngestQueue, Uploads
from palimpsest.ports.walking import CommitLog, Directory

__all__ = [
    "Clock",
    "CommitLog",
    "Directory",
    "DocumentReader",
    "Documents",
    "Embedder",
    "Ended",
    "Erasures",
    "Executor",
    "Fences",
    "GenerationItems",
    "GenerationRegister",
    "Grants",
    "IndexGenerations",
    "IndexLedger",
    "IngestQueue",
    "JobStarter",
    "Jobs",
    "LanguageModel",
    "NamespaceErasure",
    "ObjectStore",
    "PassKeys",
    "Pending",
    "ReadDocument",
    "RecordScan",
    "RecordStore",
    "Reranker",
    "SearchIndex",
    "TokenCounter",
    "Uploads",
    "VectorStore",
    "Waker",
]
