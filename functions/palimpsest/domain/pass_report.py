"""What a pass tells at its end."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from palimpsest.domain.planning import ChangeKind

IDS_TOLD = 100


@dataclass(frozen=True, slots=True, kw_only=True)
class Failure:
    """A record of the list that cannot be found on every leg yet, and why."""

    id: str
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class PassReport:
    """The report of api.md "Reconcile". `revision` is the clock after the pass, `source_revision`
    the caller's R (None: it had none). `embedded` counts the texts that had no held vector,
    `reused_vectors` those that had. `newer`: how many records clients changed while the pass ran,
    which therefore stand as they are. `ids` are told of a dry run.
    """

    applied: bool
    namespace: str
    revision: int
    source_revision: int | None
    dry_run: bool
    added: int = 0
    updated: int = 0
    removed: int = 0
    unchanged: int = 0
    newer: int = 0
    embedded: int = 0
    reused_vectors: int = 0
    failed: Sequence[Failure] = ()
    usage: Mapping[str, int] = field(default_factory=dict)
    verified: bool = False
    verification: Mapping[str, Any] = field(default_factory=dict)
    ids: Mapping[ChangeKind, Sequence[str]] | None = None
    reason: str | None = None
    newest: int | None = None

    def to_json(self) -> dict[str, Any]:
        """As it is answered and kept."""
        told: dict[str, Any] = {
            "applied": self.applied,
            "namespace": self.namespace,
            "revision": self.revision,
            "source_revision": self.source_revision,
            "dry_run": self.dry_run,
            "added": self.added,
            "updated": self.updated,
            "removed": self.removed,
            "unchanged": self.unchanged,
            "newer": self.newer,
            "embedded": self.embedded,
            "reused_vectors": self.reused_vectors,
            "failed": [{"id": one.id, "reason": one.reason} for one in self.failed],
            "usage": dict(self.usage),
            "verified": self.verified,
            "verification": dict(self.verification),
        }
        if self.ids is not None:
            told["ids"] = {kind: list(ids)[:IDS_TOLD] for kind, ids in self.ids.items()}
        if self.reason is not None:
            told |= {"reason": self.reason, "newest": self.newest}
        return told
