"""One namespace that clients write to, passes reconcile and searches read, all at once."""

import itertools
import random
import threading
import time
from collections import Counter
from dataclasses import dataclass, field
from typing import Any

import httpx

from e2e.client import Client
from e2e.passes_history import UNORDERED, Hit, PassDone, PassesHistory, Put
from e2e.scene import POLITE, impolite

LISTED, OTHERS = 40, 12
WORDS = ("heron", "otter", "lynx", "badger", "falcon", "newt")
BETWEEN_PASSES_S = 6.0
"""How long one who reconciles waits after each pass, on average: of passes without a pause between
them hardly any ends before the next one displaces it.
"""

JOB_PATIENCE_S = 60.0
_serial = itertools.count(1)


@dataclass(slots=True)
class PassesScene:
    """One fire, until `end`, and until `latest` if not enough has happened by then. `strange` has
    every answer that nothing explains.
    """

    client: Client
    namespace: str
    end: float
    latest: float
    history: PassesHistory = field(default_factory=PassesHistory)
    counted: Counter[str] = field(default_factory=Counter)
    strange: list[str] = field(default_factory=list)
    newest: int = 0
    lock: threading.Lock = field(default_factory=threading.Lock)

    @property
    def over(self) -> bool:
        """Whether the time is up and every kind of answer was seen."""
        now = time.monotonic()
        return now >= self.latest or (now >= self.end and self.enough)

    @property
    def enough(self) -> bool:
        """Whether passes were applied and refused, a write acknowledged, something found."""
        with self.lock:
            answers = {one.applied for one in self.history.passes}
            acknowledged = any(put.revision is not None for put in self.history.puts)
            return {True, False} <= answers and acknowledged and bool(self.history.hits)

    def write(self, seed: int) -> None:
        """Put records of the lists and others, one after another."""
        chance = random.Random(f"write {seed}")
        ids = [*listed(), *(f"c{n}" for n in range(OTHERS))]
        while not self.over:
            record_id, text = chance.choice(ids), f"a client saw {chance.choice(WORDS)} {_number()}"
            answer, began, ended = self._ask(
                "PUT", f"namespaces/{self.namespace}/records/{record_id}", {"text": text}
            )
            made = answer["record"]["revision"] if answer else None
            with self.lock:
                self.history.puts.append(Put(record_id, text, began, ended, made))
            time.sleep(chance.uniform(0, 0.4))

    def reconcile(self, seed: int) -> None:
        """Passes over lists of their own: mostly newer ones, some too old, some unordered."""
        chance = random.Random(f"pass {seed}")
        while not self.over:
            self.one_pass(self._revision(chance), some_list(chance))
            time.sleep(chance.expovariate(1 / BETWEEN_PASSES_S))

    def one_pass(self, revision: int, active: dict[str, str]) -> PassDone:
        """One pass, and what became of it."""
        body = {
            "namespace": self.namespace,
            "revision": revision,
            "active": [{"id": i, "text": text} for i, text in active.items()],
        }
        answer, began, ended = self._ask("POST", "reconcile", body)
        if answer is not None and "job" in answer:
            answer, ended = self._ended(answer["job"]["id"])
        done = PassDone(revision, active, began, ended)
        if answer is not None and "applied" in answer:
            done = PassDone(
                revision,
                active,
                began,
                ended,
                applied=answer["applied"],
                verified=answer["verified"],
                newest=answer.get("newest"),
                clock=answer["revision"],
            )
        with self.lock:
            self.history.passes.append(done)
        return done

    def search(self, seed: int) -> None:
        """Searches, each of whose hits is noted."""
        chance = random.Random(f"search {seed}")
        while not self.over:
            body = {"query": chance.choice(WORDS), "namespace": self.namespace, "limit": 20}
            answer, began, ended = self._ask("POST", "search", body)
            hits = answer["hits"] if answer else []
            with self.lock:
                self.history.hits += [
                    Hit(hit["id"], hit["revision"], hit["text"], began, ended) for hit in hits
                ]

    def _ended(self, job: str) -> tuple[dict[str, Any] | None, float]:
        """The report of a pass that became a job (None: it is not known in time), and when it was
        known.
        """
        end = time.monotonic() + JOB_PATIENCE_S
        while time.monotonic() < end:
            answer, _, ended = self._ask("GET", f"jobs/{job}")
            if answer is not None and answer["status"] == "succeeded":
                return answer["result"], ended
            time.sleep(1)
        return None, time.monotonic()

    def _revision(self, chance: random.Random) -> int:
        with self.lock:
            if chance.random() < 0.15:
                return UNORDERED
            if chance.random() < 0.2:
                return max(1, self.newest - chance.randrange(3))
            self.newest += 1
            return self.newest

    def _ask(
        self, method: str, path: str, body: dict[str, Any] | None = None
    ) -> tuple[dict[str, Any] | None, float, float]:
        """The answer of a success, with its time (None: there was none)."""
        began = time.monotonic()
        try:
            answer = self.client.http.request(method, path, json=body)
        except httpx.TransportError:
            answer = None
        ended = time.monotonic()
        status = answer.status_code if answer is not None else 0
        ours = answer is not None and "problem" in answer.headers.get("content-type", "")
        with self.lock:
            self.counted[f"{method} {path.split('/', maxsplit=1)[0]} {status}"] += 1
            if answer is not None and (
                impolite(answer, ours=ours) or (400 <= status < 500 and status not in POLITE)
            ):
                self.strange.append(f"{method} {path}: {status} {answer.text}")
        succeeded = answer is not None and status < 300
        return (answer.json() if answer is not None and succeeded else None), began, ended


def listed() -> list[str]:
    """The ids that stand on lists."""
    return [f"l{n:02}" for n in range(LISTED)]


def some_list(chance: random.Random) -> dict[str, str]:
    """A list of some records, half of them with a text that other lists have too."""
    some = chance.sample(listed(), chance.randint(LISTED // 3, LISTED))
    return {
        record_id: f"the list names {chance.choice(WORDS)} {_number()}"
        if chance.random() < 0.5
        else f"the list has always named {record_id}"
        for record_id in some
    }


def _number() -> int:
    return next(_serial)
