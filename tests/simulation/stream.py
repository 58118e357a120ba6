"""Wake-ups for the projector: the table's stream, which promises order per item only and delivers
late, twice or not at all, and the queue that searches ask through.
"""

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from simulation.gate import Gate

LATEST_S = (0.02, 0.3, 2.0, 20.0)
TRIES = 3
BATCH = 3

Deliver = Callable[[Sequence[Mapping[str, Any]]], Mapping[str, Any]]


class Stream:
    """Delivers events to `deliver`, which answers as the projector's handler does. `lossy`: how
    likely an event is lost.
    """

    def __init__(self, gate: Gate, deliver: Deliver) -> None:
        self._gate = gate
        self._chance = gate.scheduler.chance
        self._deliver = deliver
        self._lossy = self._chance.choice((0.0, 0.1, 0.5))
        self._doubled = self._chance.choice((0.0, 0.2))
        self._waiting: list[Mapping[str, Any]] = []
        self._number = 0
        self.lost = 0

    def committed(self, pk: str, revision: int) -> None:
        """An entry of the log was written: an event with its key."""
        self._number += 1
        keys = {"pk": {"S": pk}, "sk": {"S": f"C#{revision:020}"}}
        event = {"dynamodb": {"Keys": keys, "SequenceNumber": str(self._number)}}
        self._send(event)

    def asked(self, tenant: str, namespace: str, revision: int) -> None:
        """A search has asked for a wake-up."""
        self._number += 1
        body = json.dumps({"tenant": tenant, "namespace": namespace, "revision": revision})
        self._send({"messageId": str(self._number), "body": body})

    def _send(self, event: Mapping[str, Any]) -> None:
        if not self._gate.faults.on:
            return
        if self._chance.random() < self._lossy:
            self.lost += 1
            return
        for _ in range(2 if self._chance.random() < self._doubled else 1):
            self._waiting.append(event)
            after = self._chance.random() * self._chance.choice(LATEST_S)
            self._gate.scheduler.spawn(
                "stream", self._take, process=self._gate.outside, after=after
            )

    def _take(self) -> None:
        """Hand over some of what waits, in any order; what failed comes again, a few times."""
        self._chance.shuffle(self._waiting)
        batch = [self._waiting.pop() for _ in range(min(BATCH, len(self._waiting)))]
        for _ in range(TRIES):
            if not batch:
                return
            failed = {one["itemIdentifier"] for one in self._deliver(batch)["batchItemFailures"]}
            batch = [event for event in batch if _name(event) in failed]
            self._gate.scheduler.sleep(self._chance.random())


class SimulatedWaker:
    """`Waker` through the queue."""

    def __init__(self, stream: Stream) -> None:
        self._stream = stream

    def wake(self, tenant: str, namespace: str, revision: int, *, generation: str) -> None:
        del generation
        self._stream.asked(tenant, namespace, revision)


def _name(event: Mapping[str, Any]) -> str:
    if "dynamodb" in event:
        return str(event["dynamodb"]["SequenceNumber"])
    return str(event["messageId"])
