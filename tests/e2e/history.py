"""What clients did and saw on one namespace, what its table holds in the end, and the time line of
every record that follows from both.

The namespace's clock orders all that was written, so nothing has to be searched for: the commit
log says which revision changed which records, an acknowledged write says what its revision means.
"""

from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import accumulate

ACTIVE, SUPERSEDED, DELETED = "active", "superseded", "deleted"
ALWAYS = float("inf")


@dataclass(frozen=True, slots=True)
class Step:
    """One record of a write: its new text (None: it is forgotten, or, with `superseded`, only
    marked), and the revision that its guard expects (0: absent, None: no guard).

    Every text is written by one write only. An id that is not known is empty.
    """

    record_id: str
    text: str | None = None
    expected: int | None = None
    superseded: bool = False


@dataclass(frozen=True, slots=True)
class Write:
    """One write, repeated or not: its records, when it first began and last ended (seconds), and
    its outcome.

    `made` is the revision it made; `found` has the revision of each record that refused it (0:
    absent), and is empty where something else refused it. Both None: nobody knows.
    """

    steps: tuple[Step, ...]
    began: float
    ended: float
    made: int | None = None
    found: Mapping[str, int] | None = None

    @property
    def ids(self) -> frozenset[str]:
        return frozenset(step.record_id for step in self.steps)


@dataclass(frozen=True, slots=True)
class Version:
    """A record at a revision. `text` is None where it is forgotten, or where it is not known."""

    revision: int
    status: str | None
    text: str | None = None

    @property
    def maybe_there(self) -> bool:
        """Whether the record may be read: it was not forgotten, as far as is known."""
        return self.revision > 0 and self.status != DELETED

    @property
    def maybe_absent(self) -> bool:
        return self.revision == 0 or self.status in {DELETED, None}


ABSENT = Version(0, DELETED)


@dataclass(frozen=True, slots=True)
class Read:
    """A record as it was shown, now or as of a revision; revision 0: not there."""

    record_id: str
    began: float
    ended: float
    version: Version
    as_of: int | None = None


@dataclass(frozen=True, slots=True)
class Listing:
    """A whole walk through a list: what it showed, and the status it asked for (None: any)."""

    began: float
    ended: float
    ids: tuple[str, ...]
    status: str | None = ACTIVE


@dataclass(frozen=True, slots=True)
class Chain:
    """The newest versions of a record as `revisions` told them, and whether it told of no more."""

    record_id: str
    began: float
    ended: float
    revisions: tuple[int, ...]
    whole: bool


@dataclass(frozen=True, slots=True)
class Entry:
    """One commit in the log: its revision, the one before it, and what each record was before."""

    revision: int
    previous: int
    before: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class Table:
    """What the table holds in the end: the clock, the log, and every version not erased."""

    clock: int
    log: Sequence[Entry]
    versions: Mapping[tuple[str, int], Version]


@dataclass(slots=True)
class History:
    """What clients did and saw."""

    writes: list[Write] = field(default_factory=list)
    reads: list[Read] = field(default_factory=list)
    listings: list[Listing] = field(default_factory=list)
    chains: list[Chain] = field(default_factory=list)


class Timeline:
    """Every version of every record in order, and when each revision was made at the earliest and
    at the latest, by what its own client and those before and after it saw.
    """

    def __init__(self, table: Table, written: Mapping[int, Write]) -> None:
        self._revisions = [entry.revision for entry in table.log]
        began = [written[r].began if r in written else -ALWAYS for r in self._revisions]
        ended = [_acknowledged(r, written) for r in self._revisions]
        self._earliest = dict(zip(self._revisions, accumulate(began, max), strict=True))
        latest = list(accumulate(reversed(ended), min))[::-1]
        self._latest = dict(zip(self._revisions, latest, strict=True))
        self.records: dict[str, list[Version]] = defaultdict(lambda: [ABSENT])
        for entry in table.log:
            for record_id in entry.before:
                chain = self.records[record_id]
                version = _version(
                    table, written.get(entry.revision), record_id, entry.revision, chain[-1]
                )
                chain.append(version)

    def earliest(self, revision: int) -> float:
        """Before this moment the revision was not there."""
        return self._earliest.get(revision, -ALWAYS)

    def latest(self, revision: int) -> float:
        """After this moment the revision was there."""
        return self._latest.get(revision, -ALWAYS if revision == 0 else ALWAYS)

    def standing(self, record_id: str, began: float, ended: float) -> Sequence[Version]:
        """The versions that may have stood at some moment between the two."""
        chain = self.records.get(record_id, [ABSENT])
        following = bisect_left(chain, began, key=lambda version: self.latest(version.revision))
        end = bisect_right(chain, ended, key=lambda version: self.earliest(version.revision))
        return chain[max(following - 1, 0) : end]

    def upto(self, record_id: str, revision: int) -> tuple[Version, Sequence[Version]]:
        """The version at a revision of the namespace, and those after it."""
        chain = self.records.get(record_id, [ABSENT])
        at = bisect_right(chain, revision, key=lambda version: version.revision)
        return chain[at - 1], chain[at:]


def _acknowledged(revision: int, written: Mapping[int, Write]) -> float:
    write = written.get(revision)
    return write.ended if write is not None and write.made == revision else ALWAYS


def _version(
    table: Table, write: Write | None, record_id: str, revision: int, before: Version
) -> Version:
    """What is known of a version: by its write, else by the table."""
    held = table.versions.get((record_id, revision), Version(revision, None))
    step = next((s for s in write.steps if s.record_id == record_id), None) if write else None
    if step is None or (step.superseded and before.status is None):
        return held
    if step.superseded:
        return Version(revision, SUPERSEDED, before.text)
    return Version(revision, DELETED if step.text is None else ACTIVE, step.text)
