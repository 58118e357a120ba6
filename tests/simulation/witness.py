"""The witness of table and engine: takes everything that happens into the truth, and checks it."""

from collections.abc import Callable, Sequence

from palimpsest.domain.vectors import text_hash
from simulation import (
    commit_invariants,
    index_invariants,
    job_invariants,
    pass_invariants,
    purge_invariants,
)
from simulation.commit_invariants import Commit
from simulation.engine import Document, Engine, EngineIndex
from simulation.passes import Passes
from simulation.requests import Requests
from simulation.scheduling import Violated
from simulation.table import Item, Key, Table, Written
from simulation.truth import ABSENT, Truth

BESIDE_COMMITS = ("INDEX#", "U#", "V#", "K#", "READ", "RESTORING", "N#", "T#")
"""What is written by other than commits. Histories and marks are deleted beside, never put."""

ERASED = ("H#", "E#", "R#")


class Witness:
    """Told of every write; `committed` is called with the namespace of each commit."""

    def __init__(
        self, table: Table, engine: Engine, requests: Requests, event: Callable[[], int]
    ) -> None:
        self.truth = Truth()
        self.passes = Passes()
        self.faults: Callable[[], int] = lambda: 0
        self._table, self._engine, self._requests = table, engine, requests
        self._event = event
        self.committed: Callable[[str, int], None] = lambda *_: None
        table.witness = self
        engine.witness = self.indexed

    def written(self, writes: Sequence[Written], *, together: bool) -> None:
        """See `table.Witness`."""
        moment = self._event()
        commit = commit_invariants.commit_of(writes) if together else None
        if commit is not None:
            self._commit(commit, writes, moment)
            self.committed(commit.pk, commit.revision)
            return
        for one in writes:
            self._beside(one, moment)

    def _commit(self, commit: Commit, writes: Sequence[Written], moment: int) -> None:
        truth, passes, request = self.truth, self.passes, None
        if commit.by in passes.purges:
            fence = next((one for one in writes if one.key.sk == "SYNC"), None)
            commit_invariants.check_clock(commit, truth)
            purge_invariants.check_commit(commit, fence, passes, moment)
        elif commit.by in passes.by_name:
            commit_invariants.check_clock(commit, truth)
            commit_invariants.check_counts(commit, truth)
            pass_invariants.check_commit(commit, truth, passes, self._table)
        else:
            request = commit_invariants.check(commit, truth, self._requests)
        commit_invariants.applied(commit, truth, request, moment)
        if commit.by in passes.purges:
            truth.purge(commit.pk, commit.revision, moment, commit.by)

    def visible(self, key: Key) -> None:
        """See `table.Witness`."""
        if key in self.truth.hidden:
            self.truth.shown(key, self._event())

    def indexed(self, index: EngineIndex, name: str, document: Document) -> None:
        """See `Engine`."""
        index_invariants.check_document(index, name, document, self.truth)

    def _beside(self, one: Written, moment: int) -> None:
        key, before, after = one
        if after is None and before is not None and key.sk.startswith(ERASED):
            self._erased(key, before)
        elif key.sk == "SYNC":
            pass_invariants.check_fence(one, self.truth, self.passes, moment)
        elif key.sk.startswith("J#"):
            job_invariants.check(one, self.truth, self.passes, self._table, self.faults())
        elif key.sk.startswith("INDEX#"):
            index_invariants.check_progress(one, self._table, self._engine, self.truth)
        elif key.sk.startswith("V#") and after is not None:
            self._held(key, after["eh"]["S"])
        elif not (before is None and after is None) and not key.sk.startswith(BESIDE_COMMITS):
            raise Violated("phantom write", f"{key} is written beside a commit: {after}")

    def _held(self, key: Key, embedded_hash: str) -> None:
        record_id = key.sk.split("#")[1]
        version = self.truth.now((key.pk, record_id))
        if (
            version.status == ABSENT and version.ends
        ):  # it is purged, and its item may still be there
            item = self._table.true(Key(key.pk, f"R#{record_id}")) or {}
            if item.get("eh", {"S": ""})["S"] == embedded_hash:
                return
        if version.text is None or text_hash(version.text) != embedded_hash:
            raise Violated("vectors", f"{key}: a vector of a text that is no longer there")

    def _erased(self, key: Key, before: Item) -> None:
        """A former version may go once a forgetting followed it, a mark when all else has gone."""
        if purge_invariants.check_erased(key, before, self.truth):
            return
        kind, record_id, number = key.sk.split("#")
        revision = int(number)
        later = [
            one
            for one in self.truth.standing((key.pk, record_id))
            if one.ends and one.revision >= revision
        ]
        if not later:
            raise Violated("history", f"{key} is erased, and nothing was forgotten")
        left = [
            other
            for other, item in self._table.everything().items()
            if (other.pk, *other.sk.split("#")[:2]) == (key.pk, "H", record_id)
            and int(other.sk.split("#")[2]) <= revision
            and "c" in item
        ]
        if kind == "E" and left:
            raise Violated("forgetting", f"{key} goes before {left}")
