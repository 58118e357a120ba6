"""Faults by type and operation, each with its likelihood, drawn at every call of a port.

A port asks `Faults.strike` before it does its work and brings the fault about itself, since only it
knows what the vendor raises. `LOST` kinds take effect and lose the answer; `LATE` ones take effect
after the caller has given up.
"""

import random
from collections import Counter
from collections.abc import Sequence
from enum import StrEnum


class Fault(StrEnum):
    """What may go wrong with one call."""

    THROTTLED = "throttled"
    OUTAGE = "outage"
    SERVER_ERROR = "server error"
    TIMEOUT = "time-out, no effect"
    LOST_ERROR = "server error, effect"
    LOST_TIMEOUT = "time-out, effect"
    LATE = "time-out, late effect"
    REPEATED = "sent twice"
    UNPROCESSED = "left undone"
    CONFLICT = "transaction conflict"
    ITEMS = "some items fail"
    SLOW = "slow"
    RUBBISH = "rubbish"
    CRASH_BEFORE = "crash before"
    CRASH_AFTER = "crash after"


BROKEN = (Fault.THROTTLED, Fault.OUTAGE, Fault.SERVER_ERROR, Fault.TIMEOUT)
LOST = (Fault.LOST_ERROR, Fault.LOST_TIMEOUT, Fault.LATE)
CRASHES = (Fault.CRASH_BEFORE, Fault.CRASH_AFTER)

BY_OPERATION: dict[str, tuple[Fault, ...]] = {
    "table.get": (*BROKEN, Fault.CRASH_BEFORE, Fault.SLOW),
    "table.batch_get": (*BROKEN, Fault.UNPROCESSED, Fault.CRASH_BEFORE, Fault.SLOW),
    "table.query": (*BROKEN, Fault.CRASH_BEFORE, Fault.SLOW),
    "table.transact_get": (*BROKEN, Fault.CONFLICT, Fault.CRASH_BEFORE, Fault.SLOW),
    "table.write": (*BROKEN, *LOST, Fault.REPEATED, *CRASHES, Fault.SLOW),
    "table.batch_write": (*BROKEN, *LOST, *4 * (Fault.UNPROCESSED,), *CRASHES, Fault.SLOW),
    "table.transact": (
        *(*BROKEN, Fault.THROTTLED, *2 * LOST, *3 * (Fault.CONFLICT,)),
        *(*CRASHES, Fault.CRASH_AFTER, Fault.SLOW),
    ),
    "index.bulk": (*BROKEN, *LOST, Fault.ITEMS, *CRASHES, Fault.SLOW),
    "index.admin": (*BROKEN, *LOST[:2], *CRASHES, Fault.SLOW),
    "index.refresh": (*BROKEN, Fault.LOST_TIMEOUT, *CRASHES, Fault.SLOW),
    "index.read": (*BROKEN, Fault.CRASH_BEFORE, Fault.SLOW),
    "embedder.embed": (
        *(Fault.THROTTLED, Fault.OUTAGE, Fault.TIMEOUT, Fault.RUBBISH),
        *(Fault.CRASH_BEFORE, Fault.SLOW),
    ),
    "objects.read": (*BROKEN, Fault.CRASH_BEFORE, Fault.SLOW),
    "objects.write": (*BROKEN, *LOST[:2], *CRASHES, Fault.SLOW),
    "jobs.start": (*BROKEN, *LOST[:2], *CRASHES, Fault.SLOW),
    "jobs.run": (Fault.OUTAGE, Fault.TIMEOUT),
}
"""Which faults each operation of a port has; one that is named more than once is likelier."""

PORTS = ("table", "index", "embedder", "objects", "jobs")
LEVELS = (0.0, 0.01, 0.03, 0.1, 0.2)
"""How likely a fault is at one call of a port, in one run."""

STORMY, IN_A_STORM = 0.5, 0.6
"""How likely a fault is the first of several, and how likely one then is at each of the next calls.
"""

STINGY, LEFT_UNDONE = 0.1, 0.4
"""How likely a run's table leaves much of its batches undone, and how likely each of them then."""

MOST = 50
"""Faults in one run, so that it ends."""

CRASH_SHARE = 2
"""One in so many of the crashes that are drawn strikes: a crash ends more than other faults do."""


class Faults:
    """Which fault strikes a call. `without` names kinds that never do; `counts` those that did."""

    def __init__(self, chance: random.Random, *, without: Sequence[str] = ()) -> None:
        self._chance = chance
        self._levels = {port: 0.0 if port in without else chance.choice(LEVELS) for port in PORTS}
        self._kinds = {
            operation: tuple(kind for kind in kinds if kind not in without)
            for operation, kinds in BY_OPERATION.items()
        }
        self._left = 0 if chance.random() < 0.2 else MOST
        self._storms = dict.fromkeys(PORTS, 0)
        stingy = Fault.UNPROCESSED not in without and chance.random() < STINGY
        self._left_undone = self._left > 0 and stingy
        self.on = True
        self.counts: Counter[tuple[str, Fault]] = Counter()

    def strike(self, operation: str) -> Fault | None:
        """The fault of this call, if there is one."""
        if not self.on or not self._left:
            return None
        if self._left_undone and Fault.UNPROCESSED in self._kinds[operation]:
            if self._chance.random() >= LEFT_UNDONE:
                return None
            self.counts[operation, Fault.UNPROCESSED] += 1
            return Fault.UNPROCESSED
        port = operation.partition(".")[0]
        level = self._levels[port]
        if self._storms[port]:
            self._storms[port] -= 1
            level = IN_A_STORM
        if self._chance.random() >= level:
            return None
        kinds = self._kinds[operation]
        kind = self._chance.choice(kinds) if kinds else None
        if kind is None or (kind in CRASHES and self._chance.random() * CRASH_SHARE >= 1):
            return None
        self._left -= 1
        if self._chance.random() < STORMY:
            self._storms[port] = self._chance.randint(1, 6)
        self.counts[operation, kind] += 1
        return kind
