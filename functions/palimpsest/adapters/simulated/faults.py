"""Seeded faults of a simulated model, and which of them strikes a call."""

import random
import threading
import time
from collections.abc import Callable, Collection
from dataclasses import dataclass
from enum import StrEnum

from palimpsest.domain.errors import DeadlineExceeded, Throttled, Unavailable


class FaultKind(StrEnum):
    """What can go wrong: no answer comes (the first three), it comes late (`stall`), or it is
    useless. Each model has some of them.
    """

    OUTAGE = "outage"
    TIMEOUT = "timeout"
    THROTTLED = "throttled"
    STALL = "stall"
    REFUSED = "refused"
    RUBBISH = "rubbish"
    TOO_FEW = "too_few"
    ZERO = "zero"
    NOT_FINITE = "not_finite"
    WRONG_WIDTH = "wrong_width"
    UNKNOWN_INDEX = "unknown_index"


@dataclass(frozen=True, slots=True, kw_only=True)
class Fault:
    """A fault: how likely (0 to 1, for each call or text), in which operation (None: all), how
    often at most (None: always), and only for texts that contain `containing`. `seconds` is how
    long a stall lasts.
    """

    kind: FaultKind
    probability: float = 1.0
    operation: str | None = None
    max_count: int | None = None
    containing: str = ""
    seconds: float = 0.0


class Faults:
    """The faults that one model has. Chance repeats with its seed; any thread may ask.

    A fault of a kind that is not `possible` in the model raises `ValueError`: a test that counts on
    it would prove nothing.
    """

    def __init__(self, *faults: Fault, possible: Collection[FaultKind], seed: int = 0) -> None:
        self._possible = frozenset(possible)
        self._random = random.Random(seed)  # noqa: S311  # simulated chance, no secret
        self._lock = threading.Lock()
        self._faults: list[tuple[Fault, int]] = []
        self.inject(*faults)

    def inject(self, *faults: Fault) -> None:
        """Let these faults happen too."""
        for fault in faults:
            if fault.kind not in self._possible:
                raise ValueError(f"this model has no fault of the kind {fault.kind}")
        with self._lock:
            self._faults += [(fault, 0) for fault in faults]

    def heal(self) -> None:
        """No faults from now on."""
        with self._lock:
            self._faults.clear()

    def striking(
        self, text: str, *, kinds: Collection[FaultKind], operation: str | None = None
    ) -> Fault | None:
        """The first fault of these kinds that strikes this text, which is counted; None: none."""
        with self._lock:
            for place, (fault, count) in enumerate(self._faults):
                if (
                    fault.kind in kinds
                    and fault.operation in (None, operation)
                    and fault.containing in text
                    and (fault.max_count is None or count < fault.max_count)
                    and self._random.random() < fault.probability
                ):
                    self._faults[place] = (fault, count + 1)
                    return fault
        return None


def fail(fault: Fault | None, *, timeout: float, stage: str) -> None:
    """Raise the error of a call that gets no answer; where there is no time, in any case."""
    kind = fault.kind if fault else None
    if kind is FaultKind.TIMEOUT or timeout <= 0:
        raise DeadlineExceeded("simulated: no answer in time", stage=stage)
    if kind is FaultKind.OUTAGE:
        raise Unavailable("simulated: no answer", stage=stage)
    if kind is FaultKind.THROTTLED:
        raise Throttled("simulated: too many requests")


def stall(
    fault: Fault | None,
    *,
    timeout: float,
    stage: str,
    sleep: Callable[[float], None] = time.sleep,
) -> None:
    """Wait as long as a stall lasts, at most for `timeout`: then raise `DeadlineExceeded`."""
    if fault is None or fault.kind is not FaultKind.STALL:
        return
    sleep(min(fault.seconds, timeout))
    if fault.seconds >= timeout:
        raise DeadlineExceeded("simulated: no answer in time", stage=stage)
