"""What passes and purges were asked for, when each replaced its fence, and how it went."""

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field

from simulation.truth import NEVER


@dataclass(slots=True, eq=False)
class Listed:
    """A pass under its own name `by`, begun once or several times. `texts` by id are its list."""

    by: str
    pk: str
    revision: int
    texts: Mapping[str, str]
    forget: bool
    dry_run: bool
    began: float = NEVER
    struck: int = 0
    """Faults until it was asked for."""

    def __str__(self) -> str:
        return f"{self.by} {self.pk} R{self.revision} {dict(self.texts)}"


@dataclass(slots=True, eq=False)
class Begun:
    """One attempt of a pass at the fence. `clock`: the namespace's, as it first replaced the fence
    (None: it has not); `bases`: what each of those who took its first step at once, a step that had
    been given up among them, took for the past: the last to keep its state decides; `finished`: the
    fence was its own until its end.
    """

    attempt: str
    listed: Listed
    clock: int | None = None
    bases: list[int] = field(default_factory=list)
    finished: bool = False

    @property
    def first(self) -> int:
        """What it has taken for the past in any case."""
        return min(self.bases, default=0)

    @property
    def last(self) -> int:
        """What it may have taken for the past."""
        return max(self.bases, default=0)


@dataclass(frozen=True, slots=True)
class FenceWrite:
    """The fence of a namespace from a moment on."""

    moment: int
    attempt: str
    begun: int


@dataclass(slots=True, eq=False)
class Purged:
    """A purge as it was asked for. `applied`: the revisions of its commits; `keyed`: it may be sent
    again.
    """

    by: str
    pk: str
    applied: list[int] = field(default_factory=list)
    job: str = ""


@dataclass(slots=True)
class Passes:
    """All passes and purges of a run, and the fences of all namespaces."""

    by_name: dict[str, Listed] = field(default_factory=dict)
    attempts: dict[str, Begun] = field(default_factory=dict)
    fences: dict[str, list[FenceWrite]] = field(default_factory=lambda: defaultdict(list))
    purges: dict[str, Purged] = field(default_factory=dict)
    jobs: dict[str, Listed] = field(default_factory=dict)
    """Passes by the names of the jobs that they were said to have become."""

    damaging: bool = False
    """Whether the index has been damaged from outside."""

    def of(self, listed: Listed) -> list[Begun]:
        """The attempts of a pass, in the order in which they began."""
        return [one for one in self.attempts.values() if one.listed is listed]

    def holds(self, pk: str, attempt: str) -> bool:
        """Whether the fence is that attempt's, and no other has replaced it since it began."""
        writes = self.fences[pk]
        place = next((n for n, one in enumerate(writes) if one.attempt == attempt), None)
        return place is not None and all(one.attempt == attempt for one in writes[place:])

    def newest(self, pk: str) -> int:
        """The newest revision of a caller that has begun."""
        return self.fences[pk][-1].begun if self.fences[pk] else 0
