"""What reconcilers, purgers and canonical reconciles are to do."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Literal

Way = Literal["at once", "as a job", "uploaded"]
DAMAGES = ("lost", "old", "without vector", "without record", "beside")
Damage = Literal["lost", "old", "without vector", "without record", "beside"]


@dataclass(frozen=True, slots=True)
class Pass:
    """A reconcile of the caller's `revision` (0: none) to a list of ids and texts. `way`: the list
    comes with its request, is to become a job in any case, or lies in the bucket.
    """

    revision: int
    listed: tuple[tuple[str, str], ...]
    forget: bool = False
    dry_run: bool = False
    way: Way = "at once"
    keyed: bool = False

    def __str__(self) -> str:
        texts = ", ".join(f"{record_id} = {text!r}" for record_id, text in self.listed)
        said = f"pass {self.revision} [{texts}] {self.way}" + " forgetting" * self.forget
        return said + " dry" * self.dry_run + " under a key" * self.keyed

    def simpler(self) -> Iterator["Pass"]:
        """The same with less in it."""
        for place in range(len(self.listed)):
            yield replace(self, listed=self.listed[:place] + self.listed[place + 1 :])
        if self.keyed:
            yield replace(self, keyed=False)
        if self.forget:
            yield replace(self, forget=False)
        if self.way != "at once":
            yield replace(self, way="at once")


@dataclass(frozen=True, slots=True)
class Canonical:
    """A canonical reconcile, after some entries of the index have been damaged from outside."""

    damages: tuple[Damage, ...] = ()
    dry_run: bool = False
    job: bool = False

    def __str__(self) -> str:
        damaged = f" once entries are {', '.join(self.damages)}" if self.damages else ""
        return "canonical" + " dry" * self.dry_run + " as a job" * self.job + damaged

    def simpler(self) -> Iterator["Canonical"]:
        """The same with less in it."""
        for place in range(len(self.damages)):
            yield replace(self, damages=self.damages[:place] + self.damages[place + 1 :])
        if self.job:
            yield replace(self, job=False)


@dataclass(frozen=True, slots=True)
class Purge:
    """A purge. `keyed`: under an idempotency key, and repeated until its job is known."""

    keyed: bool = False

    def __str__(self) -> str:
        return "purge" + " under a key" * self.keyed

    def simpler(self) -> Iterator["Purge"]:
        """Nothing is simpler."""
        yield from ()
