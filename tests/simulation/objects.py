"""The simulated bucket: objects in memory behind the gate, with an object store's faults."""

from collections.abc import Iterator
from datetime import datetime

from palimpsest.adapters.memory_objects import MemoryObjects
from palimpsest.adapters.s3.client import STAGE
from palimpsest.domain.errors import DeadlineExceeded, Throttled, Unavailable
from palimpsest.domain.uploads import Upload
from simulation.faults import Fault
from simulation.gate import Gate

BUCKET = "bucket"


class SimulatedObjects:
    """`ObjectStore` of one bucket. `held`: what is really in it."""

    def __init__(self, gate: Gate) -> None:
        self._gate = gate
        self.held = MemoryObjects(bucket=BUCKET)

    @property
    def bucket(self) -> str:
        return BUCKET

    def put(self, key: str, data: bytes) -> None:
        fault = self._enter("objects.write", f"put {key}")

        def effect() -> bool:
            self.held.put(key, data)
            return True

        if self._gate.settle(fault, "put", effect) is None:
            raise _lost(fault)

    def get(self, key: str) -> bytes:
        self._enter("objects.read", f"get {key}")
        return self.held.get(key)

    def lines(self, key: str) -> Iterator[bytes]:
        self._enter("objects.read", f"lines {key}")
        yield from self.held.lines(key)

    def size(self, key: str) -> int | None:
        self._enter("objects.read", f"size {key}")
        return self.held.size(key)

    def keys(self, prefix: str) -> Iterator[str]:
        self._enter("objects.read", f"keys {prefix}")
        yield from list(self.held.keys(prefix))

    def erase(self, prefix: str) -> int:
        fault = self._enter("objects.write", f"erase {prefix}")
        done = self._gate.settle(fault, "erase", lambda: self._erased(prefix, fault))
        if done is None:
            raise _lost(fault)
        return done

    def remains(self, prefix: str) -> int:
        self._enter("objects.read", f"remains {prefix}")
        return self.held.remains(prefix)

    def upload_to(self, key: str, *, seconds: int, now: datetime) -> Upload:
        return self.held.upload_to(key, seconds=seconds, now=now)

    def _erased(self, prefix: str, fault: Fault | None) -> int:
        """An erasure whose answer is lost may be broken off half-way."""
        if fault is None:
            return self.held.erase(prefix)
        keys = list(self.held.keys(prefix))
        cut = self._gate.scheduler.chance.randrange(len(keys) + 1)
        return sum(self.held.erase(key) for key in keys[:cut])

    def _enter(self, operation: str, said: str) -> Fault | None:
        return refused(self._gate, operation, said, stage=STAGE)


def refused(gate: Gate, operation: str, said: str, *, stage: str) -> Fault | None:
    """The fault that the caller brings about; those without an effect are raised here."""
    fault = gate.enter(operation, said)
    if fault is Fault.THROTTLED:
        raise Throttled("simulated")
    if fault is Fault.TIMEOUT:
        raise DeadlineExceeded("simulated", stage=stage)
    if fault in {Fault.OUTAGE, Fault.SERVER_ERROR}:
        raise Unavailable("simulated", stage=stage)
    return fault


def _lost(fault: Fault | None) -> Unavailable:
    if fault is Fault.LOST_TIMEOUT:
        return DeadlineExceeded("simulated", stage=STAGE)
    return Unavailable("simulated", stage=STAGE)
