"""What the clients of one fire share: the namespace, what is known of it, what was seen."""

import itertools
import random
import threading
import time
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from http import HTTPStatus
from typing import Any

import httpx

from e2e.client import Client
from e2e.history import ABSENT, History, Read, Version, Write

RECORDS = 16
PATIENCE_S = 60.0
POLITE = frozenset({429, 503, 504})
PROBLEM = "application/problem+json"
_serial = itertools.count(1)


@dataclass(frozen=True, slots=True)
class Asked:
    """An answer with its time; status 0: there was none. `location` is the id it was made under."""

    status: int
    body: Any
    began: float
    ended: float
    location: str = ""

    @property
    def unknown(self) -> bool:
        """Whether a write that was answered so may have happened."""
        return self.status == 0 or (self.status >= HTTPStatus.INTERNAL_SERVER_ERROR)


@dataclass(slots=True)
class Scene:
    """One fire, until `end`, and until `latest` if not `enough` has happened by then. `strange` has
    every answer that nothing explains.
    """

    client: Client
    namespace: str
    end: float
    latest: float
    enough: Callable[[int], bool]
    history: History = field(default_factory=History)
    counted: Counter[str] = field(default_factory=Counter)
    strange: list[str] = field(default_factory=list)
    known: dict[str, int] = field(default_factory=dict)
    newest: int = 0
    lock: threading.Lock = field(default_factory=threading.Lock)

    def __post_init__(self) -> None:
        self.known = {f"r{n}": 0 for n in range(RECORDS)}

    @property
    def over(self) -> bool:
        now = time.monotonic()
        return now >= self.latest or (now >= self.end and self.enough(self.newest))

    def ask(self, method: str, path: str, **options: Any) -> Asked:
        """One request; an answer that must not be is noted."""
        began = time.monotonic()
        try:
            answer = self.client.http.request(
                method, f"namespaces/{self.namespace}{path}", **options
            )
        except httpx.TransportError:
            answer = None
        ended = time.monotonic()
        status = answer.status_code if answer is not None else 0
        ours = answer is not None and answer.headers.get("content-type") == PROBLEM
        body = answer.json() if answer is not None else {}
        with self.lock:
            self.counted[f"{method} {status}"] += 1
            if status >= HTTPStatus.INTERNAL_SERVER_ERROR:
                self.counted[str(body.get("detail", body))] += 1
            if answer is not None and impolite(answer, ours=ours):
                self.strange.append(f"{method} {path}: {status} {answer.text}")
        location = answer.headers.get("location", "") if answer is not None else ""
        return Asked(status, body, began, ended, location.rpartition("/")[2])

    def patiently(self, path: str, **query: Any) -> Asked | None:
        """A read, repeated until it is answered, with 404 if so; None if it never was."""
        given_up = time.monotonic() + PATIENCE_S
        while time.monotonic() < given_up:
            answer = self.ask("GET", path, params=query)
            if answer.status in {200, 404}:
                return answer
            if (
                answer.status
                and answer.status < HTTPStatus.INTERNAL_SERVER_ERROR
                and (answer.status not in POLITE)
            ):
                self.odd(f"GET {path} {query}", answer)
                return None
            time.sleep(random.uniform(0, 0.3))
        return None

    def odd(self, what: str, answer: Asked) -> None:
        """Note an answer that must not be."""
        with self.lock:
            self.strange.append(f"{what}: {answer.status} {answer.body}")

    def wrote(self, write: Write) -> None:
        """Note a write and what it tells of its records."""
        deleted = {step.record_id for step in write.steps if step.text is None}
        deleted -= {step.record_id for step in write.steps if step.superseded}
        with self.lock:
            self.history.writes.append(write)
            if write.made is not None:
                self.newest = max(self.newest, write.made)
                for record_id in write.ids:
                    self.known[record_id] = 0 if record_id in deleted else write.made
            self.known.update(write.found or {})

    def saw(self, record: Mapping[str, Any], answer: Asked, *, as_of: int | None = None) -> None:
        """Note a record that was shown."""
        version = Version(record["revision"], record["status"], record["text"])
        read = Read(record["id"], answer.began, answer.ended, version, as_of)
        with self.lock:
            self.history.reads.append(read)

    def missed(self, record_id: str, answer: Asked, *, as_of: int | None = None) -> None:
        """Note a record that was not there."""
        with self.lock:
            self.history.reads.append(Read(record_id, answer.began, answer.ended, ABSENT, as_of))

    def some(self, chance: random.Random, count: int = 1) -> list[str]:
        """Some of the records: mostly the few that everybody changes."""
        with self.lock:
            ids = list(self.known)
        pool = ids[:RECORDS] if chance.random() < 0.8 else ids
        return chance.sample(pool, count)


def text() -> str:
    """A text that no other write has."""
    return f"text number {next(_serial)}"


def impolite(answer: httpx.Response, *, ours: bool) -> bool:
    """Whether no service should answer so, however badly its table behaves. The gateway answers
    502 and 500 for workers that were killed, and for those that ran out of time on a machine that
    is busy otherwise.
    """
    if answer.status_code in POLITE:
        return ours and not answer.headers.get("retry-after")
    if ours:
        return answer.status_code >= HTTPStatus.INTERNAL_SERVER_ERROR
    killed = ("Worker process died", "Internal server error", "Broken pipe", "Task timed out")
    return answer.status_code >= HTTPStatus.INTERNAL_SERVER_ERROR and not any(
        word in answer.text for word in killed
    )
