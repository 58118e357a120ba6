"""Carrying the search index over to another generation, for another embedding model or another
mapping, while searches and writes go on.

    begin       a new, empty generation beside the one that is read; the projector fills it too
    rebuild     … for the same model, where the one that is read was damaged
    backfill    every namespace is projected into it, with the vectors that are held
    prove       it is compared with the table, namespace by namespace
    switch      it is read from now on; the former one is kept, and kept up to date
    roll back   the former one is read again
    drop        what is not read goes, with its vectors and its part of the ledger

Beside these: `ensure` makes the first one, `tidy` removes what nobody needs any more.

Every step may be repeated, and be interrupted at any point.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import timedelta

from palimpsest.domain.errors import Unavailable
from palimpsest.domain.generations import Generation
from palimpsest.domain.ledger import Reading
from palimpsest.ports import (
    Clock,
    Embedder,
    GenerationItems,
    GenerationRegister,
    IndexGenerations,
    IndexLedger,
    RecordStore,
)
from palimpsest.services.projections import GenerationProjections
from palimpsest.services.prove import Proof, ProofService

STAGE = "index"
TOMBSTONES_KEPT = timedelta(days=15)
"""Longer than any queue keeps a message: 14 days."""


class NotReady(Unavailable):
    """A step that needs another one first."""

    def __init__(self, message: str) -> None:
        super().__init__(message, stage=STAGE)


@dataclass(frozen=True, slots=True)
class Backfilled:
    """How many namespaces the new generation has, and how many there are."""

    done: int
    namespaces: int


@dataclass(frozen=True, slots=True, kw_only=True)
class CarryOverService:
    """The operator's steps. `embedder` is the one of every day, `following` the next one, where
    there are two.
    """

    store: RecordStore
    ledger: IndexLedger
    register: GenerationRegister
    generations: IndexGenerations
    items: GenerationItems
    projections: GenerationProjections
    embedder: Embedder
    following: Embedder | None
    clock: Clock

    def ensure(self) -> Generation:
        """The generation that is read; where none is, one is made for the embedder of every day,
        or the newest of those that were made for it. Of several that do so at once all get the
        same.
        """
        kept = self.generations.kept()
        reading = _read(kept)
        if reading is not None:
            return reading
        fitting = [one for one in kept if self._serves(one, self.embedder)]
        number = kept[-1].number + 1 if kept else 1
        first = fitting[-1] if fitting else self._made(number, self.embedder)
        self.generations.read_from(first, old=None)
        return self._standing()[1]

    def begin(self) -> Generation:
        """The generation to carry over to: made for the next embedder, or where there is none for
        the mapping of this code; one that was begun already is gone on with. Raises `NotReady`
        where the one that is read is that already.
        """
        kept, reading = self._standing()
        target = self.following or self.embedder
        if self._serves(reading, target):
            raise NotReady(
                f"{reading.name} is already made for this model and mapping: set the next embedder"
                " to carry it over to another one, or rebuild it if it is damaged"
            )
        newer = [one for one in kept if one.number > reading.number and self._serves(one, target)]
        return newer[-1] if newer else self._made(kept[-1].number + 1, target)

    def rebuild(self) -> Generation:
        """A new, empty generation for the very model that is read, to carry over to when the one
        that is read was found damaged.
        """
        kept, reading = self._standing()
        newer = _newer(kept, reading)
        if newer is not None and newer.fingerprint == reading.fingerprint:
            return newer
        return self.generations.create(
            kept[-1].number + 1, fingerprint=reading.fingerprint, dimension=reading.dimension
        )

    def backfill(self, *, until: float) -> Backfilled:
        """Project every namespace into the new generation, until all are or the monotonic clock
        says `until`.
        """
        (target, _), known, done = self._target(), list(self.store.namespaces()), 0
        projection = self.projections.of(target)
        for tenant, namespace in known:
            if self.clock.monotonic() >= until:
                break
            projection.project(tenant, namespace)
            done += 1
        return Backfilled(done, len(known))

    def prove(self) -> Iterator[tuple[str, Proof]]:
        """By tenant, the proof of each namespace of the new generation; where there is none, of
        the one that is read.
        """
        kept, reading = self._standing()
        target = _newer(kept, reading) or reading
        proofs = ProofService(store=self.store, ledger=self.ledger)
        index = self.generations.index(target)
        for tenant, namespace in self.store.namespaces():
            yield tenant, proofs.prove(tenant, namespace, index)

    def switch(self) -> Generation:
        """Read from the new generation, once it has been brought up to date and proved. Raises
        `NotReady` where it is not equal to the table.
        """
        target, reading = self._target()
        projection = self.projections.of(target)
        for tenant, namespace in self.store.namespaces():
            projection.project(tenant, namespace, retry_pending=True)
        wrong = [f"{tenant} {one.namespace}" for tenant, one in self.prove() if not one.equal]
        if wrong:
            raise NotReady(f"{target.name} is not equal to the table: {', '.join(wrong[:5])}")
        return self._read_from(target, old=reading)

    def roll_back(self) -> Generation:
        """Read from the generation before again. Raises `NotReady` where none is kept."""
        kept, reading = self._standing()
        older = [one for one in kept if one.number < reading.number]
        if not older:
            raise NotReady("no former generation is kept")
        projection = self.projections.of(older[-1])
        for tenant, namespace in self.store.namespaces():
            projection.project(tenant, namespace)
        return self._read_from(older[-1], old=reading)

    def drop(self) -> list[Generation]:
        """Remove every generation that is not read, with what the table keeps for it alone."""
        kept, reading = self._standing()
        gone = [one for one in kept if one.id != reading.id]
        for one in gone:
            self.generations.drop(one)
            fingerprint = None if one.fingerprint == reading.fingerprint else one.fingerprint
            for tenant, namespace in self.store.namespaces():
                self.items.remove(tenant, namespace, generation=one.id, fingerprint=fingerprint)
        return gone

    def tidy(self) -> int:
        """In every generation that is kept, remove the tombstone entries that no late write can
        need any more; how many they were.
        """
        before = self.clock.now() - TOMBSTONES_KEPT
        return sum(self.generations.tidy(one, before=before) for one in self.generations.kept())

    def _read_from(self, new: Generation, *, old: Generation) -> Generation:
        self.generations.read_from(new, old=old)
        self.register.use(Reading(new.id, new.fingerprint))
        return self._standing()[1]

    def _made(self, number: int, embedder: Embedder) -> Generation:
        return self.generations.create(
            number, fingerprint=embedder.fingerprint, dimension=embedder.dimension
        )

    def _serves(self, one: Generation, embedder: Embedder) -> bool:
        return (one.fingerprint, one.schema) == (embedder.fingerprint, self.generations.schema)

    def _standing(self) -> tuple[list[Generation], Generation]:
        """All that are kept, and the one of them that is read."""
        kept = self.generations.kept()
        reading = _read(kept)
        if reading is None:
            raise NotReady("there is no index yet")
        return kept, reading

    def _target(self) -> tuple[Generation, Generation]:
        """The one to carry over to, and the one that is read."""
        kept, reading = self._standing()
        target = _newer(kept, reading)
        if target is None:
            raise NotReady("no new generation has been begun")
        return target, reading


def _read(kept: Sequence[Generation]) -> Generation | None:
    return next((one for one in kept if one.read), None)


def _newer(kept: Sequence[Generation], reading: Generation) -> Generation | None:
    """The newest of those that came after the one that is read."""
    newer = [one for one in kept if one.number > reading.number]
    return newer[-1] if newer else None
