"""A search over parts that a test may take over one by one: the table is a dictionary, the index
the plain one, the models are simulated, and time may be simulated too."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, TypeVar

from palimpsest.adapters.memory import MemoryIndex
from palimpsest.adapters.simulated import SimulatedEmbedder
from palimpsest.bootstrap.searching import SearchParts, make_search
from palimpsest.domain.commits import Clock as NamespaceClock
from palimpsest.domain.entries import Candidate, Entry, Leg, LegQuery, LegResult
from palimpsest.domain.ledger import Progress
from palimpsest.domain.queries import SearchAnswer, SearchRequest
from palimpsest.domain.records import Content, Record, Status
from world import MovableClock, NotedWakes

T = TypeVar("T")
TENANT, NAMESPACE = "acme", "notes"
LONG_AGO = datetime(2026, 1, 1, tzinfo=UTC)


@dataclass(slots=True)
class Table:
    """Records of one namespace at revision 1, and that the index has them all."""

    records: dict[str, Record]
    revision: int = 1

    def read(
        self,
        tenant: str,  # noqa: ARG002
        namespace: str,  # noqa: ARG002
        ids: Sequence[str] = (),
    ) -> tuple[NamespaceClock, dict[str, Record]]:
        found = {one: self.records[one] for one in ids if one in self.records}
        return NamespaceClock(revision=self.revision), found

    def progress(self, tenant: str, namespace: str, generation: str) -> Progress:  # noqa: ARG002
        return Progress(revision=1, target=1)

    def change(self, record_id: str, text: str) -> None:
        """Give a record another text, which the index does not know of yet."""
        self.records[record_id] = record(record_id, text)

    def forget(self, *ids: str) -> None:
        """Make tombstones of these, which the index does not know of yet."""
        for one in ids:
            self.records[one] = record(one, None)


def record(record_id: str, text: str | None, *, revision: int = 1) -> Record:
    return Record(
        id=record_id,
        namespace=NAMESPACE,
        revision=revision,
        status=Status.DELETED if text is None else Status.ACTIVE,
        content=None if text is None else Content(text=text),
        created_at=LONG_AGO,
        updated_at=LONG_AGO,
    )


class Around:
    """A part some of whose members a test has replaced."""

    def __init__(self, part: Any, **instead: Any) -> None:
        self._part, self._instead = part, instead

    def __getattr__(self, name: str) -> Any:
        return self._instead.get(name) or getattr(self._part, name)


@dataclass(slots=True)
class Calls:
    """The questions that reached an index, one list a round trip."""

    index: Any
    asked: list[list[LegQuery]] = field(default_factory=list)

    def search(self, queries: Sequence[LegQuery], **options: Any) -> list[LegResult]:
        self.asked.append(list(queries))
        found: list[LegResult] = self.index.search(queries, **options)
        return found

    def __getattr__(self, name: str) -> Any:
        return getattr(self.index, name)


@dataclass(frozen=True, slots=True)
class Timed:
    """Work that is done when its result is asked for, and took its time since it was submitted."""

    work: Callable[[], Any]
    clock: MovableClock
    submitted: float

    def result(self, timeout: float | None = None) -> Any:
        asked = self.clock.monotonic()
        until = float("inf") if timeout is None else asked + timeout
        try:
            return self.work()
        finally:
            ended = max(asked, self.submitted + self.clock.monotonic() - asked)
            self.clock.move(min(ended, until) - self.clock.monotonic())
            if ended > until:
                raise TimeoutError


@dataclass(frozen=True, slots=True)
class TimedExecutor:
    """Runs all work as if side by side, on a clock that only the work itself moves."""

    clock: MovableClock

    def submit(self, work: Callable[[], T]) -> Timed:
        return Timed(work, self.clock, self.clock.monotonic())


class Scene:
    """A search service over these texts, which are indexed. Parts given replace its own."""

    def __init__(self, texts: Mapping[str, str], **parts: Any) -> None:
        self.table = Table({one: record(one, text) for one, text in texts.items()})
        self.embedder = SimulatedEmbedder(dimension=64)
        self.index = MemoryIndex(fingerprint=self.embedder.fingerprint)
        self.index.write([self._entry(one, text) for one, text in texts.items()])
        self.wakes = NotedWakes()
        self.clock = parts.pop("clock", None) or MovableClock()
        self.parts: dict[str, Any] = {"depth": 100}
        self.use(**parts)

    def use(self, **parts: Any) -> None:
        """From now on search with these parts in place of its own; everything kept is forgotten."""
        self.parts |= parts
        own: dict[str, Any] = {
            "store": self.table,
            "ledger": self.table,
            "index": self.index,
            "embedders": {self.embedder.fingerprint: self.embedder},
            "executor": TimedExecutor(self.clock),
            "clock": self.clock,
            "waker": self.wakes,
        }
        self.searches = make_search(SearchParts(**(own | self.parts)))

    def search(self, query: str, **options: Any) -> SearchAnswer:
        asked: dict[str, Any] = {"tenant": TENANT, "namespaces": (NAMESPACE,), **options}
        return self.searches.search(SearchRequest(query=query, **asked))

    def found(self, query: str, **options: Any) -> list[str]:
        return [hit.record.id for hit in self.search(query, **options).hits]

    def candidates(self, leg: Leg, text: str) -> Sequence[Candidate]:
        """What a leg has for this text where nothing is broken."""
        query = LegQuery(
            leg=leg,
            partitions=(f"{TENANT}#{NAMESPACE}",),
            depth=self.parts["depth"],
            now=MovableClock().now(),
            text=text,
            vector=self.embedder.embed_query(text, timeout=1.0) if leg is Leg.SEMANTIC else None,
            fingerprint=self.embedder.fingerprint,
        )
        (result,) = self.index.search([query], timeout=1.0)
        return result.candidates

    def _entry(self, record_id: str, text: str) -> Entry:
        return Entry(
            partition=f"{TENANT}#{NAMESPACE}",
            id=record_id,
            revision=1,
            version=3,
            content=Content(text=text),
            vector=self.embedder.embed_query(text, timeout=1.0),
        )
