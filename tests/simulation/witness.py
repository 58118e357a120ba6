"""The witness of table and engine: takes everything that happens into the truth, and checks it."""

from collections.abc import Callable, Sequence

from palimpsest.domain.vectors import text_hash
from simulation import commit_invariants, index_invariants
from simulation.engine import Document, Engine, EngineIndex
from simulation.requests import Requests
from simulation.scheduling import Violated
from simulation.table import Key, Table, Written
from simulation.truth import DELETED, Truth

BESIDE_COMMITS = ("INDEX#", "U#", "V#", "K#", "READ", "RESTORING", "SYNC", "J#")
"""What is written by other than commits. Histories and marks are deleted beside, never put."""

ERASED = ("H#", "E#")


class Witness:
    """Told of every write; `committed` is called with the namespace of each commit."""

    def __init__(
        self, table: Table, engine: Engine, requests: Requests, event: Callable[[], int]
    ) -> None:
        self.truth = Truth()
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
            request = commit_invariants.check(commit, self.truth, self._requests)
            commit_invariants.applied(commit, self.truth, request, moment)
            self.committed(commit.pk, commit.revision)
            return
        for one in writes:
            self._beside(one)

    def visible(self, key: Key) -> None:
        """See `table.Witness`."""
        hidden = self.truth.hidden.pop(key, None)
        if hidden is not None:
            hidden.visible = self._event()

    def indexed(self, index: EngineIndex, name: str, document: Document) -> None:
        """See `Engine`."""
        index_invariants.check_document(index, name, document, self.truth)

    def _beside(self, one: Written) -> None:
        key, before, after = one
        if after is None and before is not None and key.sk.startswith(ERASED):
            self._erased(key)
        elif key.sk.startswith("INDEX#"):
            index_invariants.check_progress(one, self._table, self._engine, self.truth)
        elif key.sk.startswith("V#") and after is not None:
            self._held(key, after["eh"]["S"])
        elif not (before is None and after is None) and not key.sk.startswith(BESIDE_COMMITS):
            raise Violated("phantom write", f"{key} is written beside a commit: {after}")

    def _held(self, key: Key, embedded_hash: str) -> None:
        version = self.truth.now((key.pk, key.sk.split("#")[1]))
        if version.text is None or text_hash(version.text) != embedded_hash:
            raise Violated("vectors", f"{key}: a vector of a text that is no longer there")

    def _erased(self, key: Key) -> None:
        """A former version may go once a forgetting came after it, a mark when all else has gone."""
        kind, record_id, number = key.sk.split("#")
        revision = int(number)
        later = [
            one
            for one in self.truth.standing((key.pk, record_id))
            if one.status == DELETED and one.revision >= revision
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
