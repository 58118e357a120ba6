"""The ports: what services need of the world; all adapters of a port pass its contract tests.

Every method raises `Unavailable` (or `DeadlineExceeded`) when its dependency cannot answer, and
nothing turns such an outage into an empty result.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import datetime
from typing import Protocol, TypeVar

from palimpsest.domain.commits import Clock as NamespaceClock
from palimpsest.domain.commits import CommitPlan, Erasure, LogEntry
from palimpsest.domain.embedding import Embedded
from palimpsest.domain.entries import Entry, EntryState, LegQuery, LegResult, WriteResult
from palimpsest.domain.errors import EmbeddingRejected
from palimpsest.domain.ledger import LedgerEntry, Progress, Reading
from palimpsest.domain.records import Record
from palimpsest.domain.vectors import Vector

T = TypeVar("T")


class Clock(Protocol):
    """Time. Services never read it elsewhere."""

    def now(self) -> datetime:
        """The present instant, UTC, in whole milliseconds."""
        ...

    def monotonic(self) -> float:
        """Seconds from an arbitrary start, never going back."""
        ...

    def sleep(self, seconds: float) -> None:
        """Let that much time pass."""
        ...


class Pending(Protocol[T]):  # type: ignore[misc]  # invariant by use
    """A result to come."""

    def result(self, timeout: float | None = None) -> T:
        """The result or the exception of the work; `TimeoutError` after `timeout` seconds."""
        ...


class Executor(Protocol):
    """Runs what may run side by side; the only place that starts a thread."""

    def submit(self, work: Callable[[], T]) -> Pending[T]:
        """Start `work`."""
        ...


class Embedder(Protocol):
    """Text to vectors of one model. One instance serves many threads."""

    @property
    def fingerprint(self) -> str:
        """Names model, build and width; vectors of different fingerprints are never compared.

        Characters: `A-Z a-z 0-9 . _ : -`.
        """
        ...

    @property
    def dimension(self) -> int:
        """The width of every vector."""
        ...

    def embed_query(self, text: str, *, timeout: float) -> Vector:
        """The unit vector of a question. Raises `EmbeddingRejected` if the model gave no usable
        one, `ProviderError`, `Throttled`, `Unavailable` or `DeadlineExceeded` (`timeout` in
        seconds).
        """
        ...

    def embed_passages(
        self, texts: Sequence[str], *, timeout: float
    ) -> Sequence[Embedded | EmbeddingRejected]:
        """One result a text, in order: its unit vector, or why that one text has none.

        Blank texts are never sent to the model (`EmbeddingRejected("blank")`). A call that failed
        as a whole (an outage, too few vectors) raises as `embed_query` does.
        """
        ...


class SearchIndex(Protocol):
    """The disposable index: lexical and semantic legs over entries that carry a version.

    A partition is `{tenant}#{namespace}`. Of two writes of one id the higher version stands, equal
    versions: the later; so anything may be written twice, late or out of order.
    """

    def generation(self) -> str:
        """The generation that is read and written now; another one after the index was lost or
        rebuilt.
        """
        ...

    def write(self, entries: Sequence[Entry]) -> list[WriteResult]:
        """Write entries (of any partitions), one result each, in order: `applied`, `stale`
        (something newer is there: success) or `rejected` with a reason. On return what was
        applied is visible.
        """
        ...

    def search(self, queries: Sequence[LegQuery], *, timeout: float) -> list[LegResult]:
        """Ask all legs in one round trip; one result each, in order. Candidates are ordered by
        score descending, then id. A leg that failed says so in its `status`; if none could be
        asked: raises.
        """
        ...

    def walk(self, partition: str) -> Iterator[EntryState]:
        """Every entry of a partition, tombstones included, ordered by id."""
        ...


class RecordStore(Protocol):
    """The canonical table. All reads are strongly consistent."""

    def read(
        self, tenant: str, namespace: str, ids: Sequence[str] = ()
    ) -> tuple[NamespaceClock, dict[str, Record]]:
        """The namespace's clock (revision 0 where nothing was ever written) and current records by
        id, tombstones too; absent ids are not in it. Each is strongly consistent by itself; of one
        commit some may be seen before others.
        """
        ...

    def stood_together(
        self, tenant: str, namespace: str, ids: Sequence[str], records: Mapping[str, Record]
    ) -> bool:
        """Whether the records of these ids (those not in `records`: absent) are all as given, at
        one instant during this call.
        """
        ...

    def as_of(self, tenant: str, namespace: str, record_id: str, revision: int) -> Record | None:
        """The record as it was at `revision`; None if it was absent, deleted, or has been
        forgotten.
        """
        ...

    def commit(self, plan: CommitPlan) -> bool:
        """Apply a plan as one transaction. True: applied. False: something it was planned on has
        changed; plan again. An ambiguous failure is settled by the commit's id in the log.
        Raises `TooLarge`.
        """
        ...

    def log(self, tenant: str, namespace: str, *, after: int, limit: int) -> list[LogEntry]:
        """The commit log after a revision, in order, only as far as it is unbroken."""
        ...

    def namespaces(self) -> Iterator[tuple[str, str]]:
        """Every (tenant, namespace) that was ever written to."""
        ...


class VectorStore(Protocol):
    """Held vectors: per record and model fingerprint, with the hash of the text they were
    made of.
    """

    def held(
        self, tenant: str, namespace: str, wanted: Mapping[str, str], *, fingerprint: str
    ) -> dict[str, Vector]:
        """Of `{record id: embedded-text hash}`, the vectors held for exactly that text, by id."""
        ...

    def hold(
        self,
        tenant: str,
        namespace: str,
        vectors: Mapping[str, tuple[str, Vector]],
        *,
        fingerprint: str,
    ) -> set[str]:
        """Keep `{id: (embedded-text hash, vector)}` of records that stand with exactly that text
        now; the ids that were kept.
        """
        ...


class IndexLedger(Protocol):
    """How far an index generation is, and what cannot be found in it."""

    def progress(self, tenant: str, namespace: str, generation: str) -> Progress:
        """How far that generation is; all 0 where it was never begun."""
        ...

    def advance(
        self, tenant: str, namespace: str, generation: str, revision: int, *, target: int
    ) -> None:
        """Raise its revision; never lowers it. The first call fixes `target`."""
        ...

    def unsearchable(self, tenant: str, namespace: str, generation: str) -> list[LedgerEntry]:
        """The entries of the ledger."""
        ...

    def settle(
        self,
        tenant: str,
        namespace: str,
        generation: str,
        *,
        add: Sequence[LedgerEntry],
        clear: Mapping[str, int],
    ) -> None:
        """Write entries, remove those of `{id: revision}`; each only where nothing newer is."""
        ...


class GenerationRegister(Protocol):
    """Which index generation is read, as the table knows it: for functions that do not load the
    index.
    """

    def reading(self) -> Reading | None:
        """The generation and model in use; None before the first projection."""
        ...

    def use(self, reading: Reading) -> None:
        """From now on this one is read."""
        ...


class Erasures(Protocol):
    """What forgetting leaves behind in the table: content that no read shows any more."""

    def due(self, tenant: str, namespace: str, *, limit: int) -> list[Erasure]:
        """At most `limit` erasures still to be done."""
        ...

    def erase(self, tenant: str, namespace: str, erasures: Sequence[Erasure]) -> None:
        """Erase histories up to their revisions and vectors of forgotten texts. May be repeated."""
        ...


class Waker(Protocol):
    """Asks for a projection of a namespace soon. Losing a wake-up costs time, never truth."""

    def wake(self, tenant: str, namespace: str, revision: int, *, generation: str) -> None:
        """The namespace lags behind `revision`. Never raises: it is a hint."""
        ...
