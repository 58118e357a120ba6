"""What services need of the canonical table: records, vectors, ledger, erasures.

Every method raises `Unavailable` (or `DeadlineExceeded`) when its dependency cannot answer, and
nothing turns such an outage into an empty result.
"""

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from typing import Protocol

from palimpsest.domain.commits import Clock as NamespaceClock
from palimpsest.domain.commits import CommitPlan, Erasure, LogEntry, Remains
from palimpsest.domain.idempotency import Applied, IdempotencyKey
from palimpsest.domain.ledger import LedgerEntry, Progress, Reading
from palimpsest.domain.records import Record
from palimpsest.domain.vectors import Vector


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
        self,
        tenant: str,
        namespace: str,
        ids: Sequence[str],
        records: Mapping[str, Record],
        *,
        keep: Applied | None = None,
    ) -> bool:
        """Whether the records of these ids (those not in `records`: absent) are all as given, at
        one instant during this call. `keep` is kept at that instant; False if its key was taken.
        """
        ...

    def applied(
        self, tenant: str, namespace: str, key: IdempotencyKey, *, serial: bool = False
    ) -> Applied | None:
        """What is kept under a client's key (of whatever request), past its time too. With
        `serial`, no transaction that is under way is seen half.
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
        self,
        tenant: str,
        namespace: str,
        wanted: Mapping[str, str],
        *,
        fingerprint: str,
        dimension: int | None = None,
    ) -> dict[str, Vector]:
        """Of `{record id: embedded-text hash}`, the vectors held for exactly that text, by id;
        those of another width than `dimension`, if it is given, are none.
        """
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

    def page(
        self, tenant: str, namespace: str, generation: str, *, after: str, limit: int
    ) -> list[LedgerEntry]:
        """At most `limit` entries of the ledger after an id, in the order of ids."""
        ...

    def ask_retry(self, tenant: str, namespace: str, generation: str, *, at: datetime) -> None:
        """Note that everything in the ledger shall be tried again, whatever its reason; nothing
        where the generation was never begun.
        """
        ...

    def retry_done(self, tenant: str, namespace: str, generation: str, *, asked: datetime) -> None:
        """It has been tried, as asked at that instant; a later wish stays."""
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

    def restoring(self) -> bool:
        """Whether a restore has begun that has not replaced the index yet."""
        ...

    def mark_restoring(self, *, begun: bool) -> None:
        """A restore has begun, or it has replaced the index."""
        ...


class Erasures(Protocol):
    """What forgetting leaves behind in the table: content that no read shows any more."""

    def due(self, tenant: str, namespace: str, *, limit: int) -> list[Erasure]:
        """At most `limit` erasures still to be done."""
        ...

    def erase(self, tenant: str, namespace: str, erasures: Sequence[Erasure]) -> Sequence[Erasure]:
        """Erase histories up to their revisions and vectors of forgotten texts; of those erasures
        whose tombstone can be seen, which are returned: the others are for later. May be repeated.
        """
        ...

    def unmark(self, tenant: str, namespace: str, erasures: Sequence[Erasure]) -> None:
        """These are done: no call of `due` tells them any more."""
        ...

    def remains(self, tenant: str, namespace: str, record_id: str, *, upto: int) -> Remains:
        """What is left in the table of a record that was forgotten at revision `upto`."""
        ...
