"""Clients that read under fire: records now and then, histories, lists, the change feed."""

import random
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from e2e.history import Chain, Listing, Version
from e2e.scene import Asked, Scene

SAMPLE = 10
PAGES = 400
FEED_LIMITS = (3, 10, 100, 100)


def read(scene: Scene, seed: int) -> None:
    """Read until the time is over."""
    chance = random.Random(f"reader {seed}")
    kinds = (now, as_of, together, revisions, listed)
    while not scene.over:
        (look,) = chance.choices(kinds, weights=(30, 25, 15, 15, 15))
        look(scene, chance)
        time.sleep(chance.uniform(0, 0.3))


def now(scene: Scene, chance: random.Random) -> None:
    (record_id,) = scene.some(chance)
    _look(scene, record_id, None)


def as_of(scene: Scene, chance: random.Random) -> None:
    """An old state, twice: it stays the same."""
    (record_id,) = scene.some(chance)
    revision = chance.randint(1, max(scene.newest, 1))
    _look(scene, record_id, revision)
    _look(scene, record_id, revision)


def together(scene: Scene, chance: random.Random) -> None:
    """Several records as of one of the last revisions."""
    revision = max(scene.newest - chance.randint(0, 5), 1)
    for record_id in scene.some(chance, 3):
        _look(scene, record_id, revision)


def _look(scene: Scene, record_id: str, revision: int | None) -> None:
    query: dict[str, Any] = {} if revision is None else {"revision": revision}
    answer = scene.patiently(f"/records/{record_id}", **query)
    if answer is None:
        return
    if answer.status == 200:  # shown
        scene.saw(answer.body, answer, as_of=revision)
    else:
        scene.missed(record_id, answer, as_of=revision)


def pages(scene: Scene, path: str, **query: Any) -> Iterator[Asked]:
    """Every page of a walk; one that never was answered ends it, with status 0."""
    cursor: dict[str, str] = {}
    for _ in range(PAGES):
        page = scene.patiently(path, **query, **cursor)
        if page is None:
            break
        yield page
        if page.body["next_cursor"] is None:
            return
        cursor = {"cursor": page.body["next_cursor"]}
    yield Asked(0, {}, 0, 0)


def revisions(scene: Scene, chance: random.Random) -> None:
    """The history of a record, or its first page."""
    (record_id,) = scene.some(chance)
    path, limit = f"/records/{record_id}/revisions", chance.choice((5, 100))
    began, told, whole = time.monotonic(), list[int](), False
    given = scene.patiently(path, limit=limit)
    if given is None or given.status == 404:  # never written
        return
    for n, version in enumerate(given.body["revisions"]):
        scene.saw(version, given, as_of=version["revision"] if n else None)
        told.append(version["revision"])
    whole = given.body["next_cursor"] is None
    chain = Chain(record_id, began, given.ended, tuple(told), whole=whole)
    with scene.lock:
        scene.history.chains.append(chain)


def listed(scene: Scene, chance: random.Random) -> None:
    """A whole list, in either order."""
    order, status = chance.choice(("newest", "oldest")), chance.choice(("active", "any"))
    limit = chance.choice((7, 30, 100))
    began, ids = time.monotonic(), list[str]()
    for page in pages(scene, "/records", order=order, status=status, limit=limit):
        if page.status == 0:
            return
        records = page.body["records"]
        ids += [record["id"] for record in records]
        for record in chance.sample(records, min(SAMPLE, len(records))):
            scene.saw(record, page)
    wanted = None if status == "any" else status
    with scene.lock:
        scene.history.listings.append(Listing(began, time.monotonic(), tuple(ids), wanted))
        scene.counted["lists"] += 1


@dataclass(slots=True)
class Follower:
    """Keeps its own copy of the namespace by the change feed."""

    scene: Scene
    limit: int
    since: int = 0
    copy: dict[str, Version] = field(default_factory=dict)
    faults: list[str] = field(default_factory=list)
    walks: int = 0

    def follow(self) -> None:
        """Walk until the time is over."""
        while not self.scene.over:
            self.walk()
            time.sleep(random.uniform(0, 0.5))

    def walk(self) -> bool:
        """One walk; whether it came to its end."""
        last, upto = self.since, None
        for page in pages(self.scene, "/changes", since=self.since, limit=self.limit):
            if page.status == 0:
                return False
            upto = page.body["revision"] if upto is None else upto
            if page.body["revision"] != upto:
                self.faults.append(f"a walk to {upto} went on to {page.body['revision']}")
            for change in page.body["changes"]:
                self._take(change, last, upto)
                last = change["revision"]
            for change in page.body["changes"][:SAMPLE]:
                self.scene.saw(change, page)
        self.since = self.since if upto is None else upto
        self.walks += 1
        return True

    def _take(self, change: dict[str, Any], last: int, upto: int) -> None:
        revision = change["revision"]
        held = self.copy.get(change["id"])
        if not self.since < revision <= upto or revision < last:
            self.faults.append(f"{revision} after {last} in a walk from {self.since} to {upto}")
        if held is not None and held.revision >= revision:
            self.faults.append(f"{change['id']} at {revision}, and at {held.revision} before")
        self.copy[change["id"]] = Version(revision, change["status"], change["text"])
