"""Readiness: whether each dependency answers, and how fast."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from palimpsest.domain.errors import DeadlineExceeded, PalimpsestError, Unavailable
from palimpsest.ports import Clock, Executor

Check = Callable[[], object]


@dataclass(frozen=True, slots=True)
class Answered:
    """What became of asking one dependency. `reason`: why it did not answer."""

    status: str
    ms: float
    reason: str | None = None


@dataclass(frozen=True, slots=True)
class ReadinessService:
    """Asks dependencies side by side: without those `needed` nothing can be answered, without those
    `helpful` a search falls short.
    """

    needed: Mapping[str, Check]
    helpful: Mapping[str, Check]
    executor: Executor
    clock: Clock

    def check(self) -> Mapping[str, Answered]:
        """How each fared. Raises `Unavailable` naming a needed one that did not answer."""
        checks = {**self.needed, **self.helpful}
        asked = {
            name: self.executor.submit(lambda check=check: self._asked(check))  # type: ignore[misc]
            for name, check in checks.items()
        }
        answers = {name: pending.result() for name, pending in asked.items()}
        for name in self.needed:
            if answers[name].status != "ok":
                raise Unavailable(f"the {name} does not answer", stage=name)
        return answers

    def _asked(self, check: Check) -> Answered:
        start = self.clock.monotonic()
        status, reason = "ok", None
        try:
            check()
        except DeadlineExceeded:
            status, reason = "timeout", "deadline_exceeded"
        except PalimpsestError as error:
            status, reason = "failed", type(error).__name__
        return Answered(status, (self.clock.monotonic() - start) * 1000, reason)
