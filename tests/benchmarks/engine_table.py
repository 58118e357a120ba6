"""The canonical table in this process's memory, as much of it as search and projection ask for, so
that neither is measured with an endpoint's time in it.

One namespace. Records are handed out as they are kept and vectors ready to use: reading and parsing
items is the table's work, and part of the other benchmarks.
"""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime

from benchmarks.engine_corpus import Corpus
from palimpsest.domain.commits import Clock, LogEntry
from palimpsest.domain.ledger import LedgerEntry, Progress, Reading
from palimpsest.domain.records import Record, Status
from palimpsest.domain.vectors import Vector, text_hash

TENANT, NAMESPACE = "bench", "engine"
PARTITION = f"{TENANT}#{NAMESPACE}"
COMMIT = 25
NOW = datetime(2026, 7, 1, tzinfo=UTC)


class MemoryTable:
    """`RecordStore`, `VectorStore`, `IndexLedger` and `GenerationRegister` over dictionaries."""

    def __init__(self, corpus: Corpus) -> None:
        self.corpus = corpus
        self.clock = Clock()
        self._records: dict[str, Record] = {}
        self._rows: dict[str, int] = {}
        self._hashes: dict[str, str] = {}
        self._log: list[LogEntry] = []
        self._progress: dict[str, Progress] = {}
        self._reading: Reading | None = None

    def put(self, rows: int) -> None:
        """Commit so many first rows of the corpus, those that are not there yet, `COMMIT` at a
        time.
        """
        for start in range(len(self._records), rows, COMMIT):
            self._commit(range(start, min(start + COMMIT, rows)))

    def _commit(self, rows: range) -> None:
        revision = self.clock.revision + 1
        ids = tuple(self.corpus.ids[row] for row in rows)
        for record_id, row in zip(ids, rows, strict=True):
            content = self.corpus.contents[row]
            self._rows[record_id] = row
            self._hashes[record_id] = text_hash(content.embedded_text)
            self._records[record_id] = Record(
                id=record_id,
                namespace=NAMESPACE,
                revision=revision,
                status=Status.ACTIVE,
                content=content,
                created_at=NOW,
                updated_at=NOW,
            )
        entry = LogEntry(
            revision=revision, previous=revision - 1, commit_id=f"{revision:032x}",
            record_ids=ids, at=NOW, before=(0,) * len(ids),
        )  # fmt: skip
        self._log.append(entry)
        self.clock = Clock(revision=revision, counts={Status.ACTIVE: len(self._records)})

    def read(
        self, _tenant: str, _namespace: str, ids: Sequence[str] = ()
    ) -> tuple[Clock, dict[str, Record]]:
        return self.clock, {i: self._records[i] for i in ids if i in self._records}

    def log(self, _tenant: str, _namespace: str, *, after: int, limit: int) -> list[LogEntry]:
        return self._log[after : after + limit]  # revision n is entry n - 1

    def held(
        self,
        _tenant: str,
        _namespace: str,
        wanted: Mapping[str, str],
        *,
        fingerprint: str,
        dimension: int,  # noqa: ARG002  # that of the corpus
    ) -> dict[str, Vector]:
        if fingerprint != self.corpus.fingerprint:
            return {}
        return {
            record_id: self.corpus.vector(self._rows[record_id])
            for record_id, hashed in wanted.items()
            if self._hashes.get(record_id) == hashed
        }

    def progress(self, _tenant: str, _namespace: str, generation: str) -> Progress:
        return self._progress.get(generation, Progress())

    def advance(
        self, _tenant: str, _namespace: str, generation: str, revision: int, *, target: int
    ) -> None:
        known = self._progress.get(generation, Progress(target=target))
        self._progress[generation] = Progress(max(known.revision, revision), known.target)

    def settle(
        self,
        _tenant: str,
        _namespace: str,
        _generation: str,
        *,
        add: Sequence[LedgerEntry],
        clear: Mapping[str, int],  # noqa: ARG002  # nothing is ever in this ledger
    ) -> None:
        if add:
            raise RuntimeError(f"not wholly in the index: {add[0]}")

    def reading(self) -> Reading | None:
        return self._reading

    def use(self, reading: Reading) -> None:
        self._reading = reading
