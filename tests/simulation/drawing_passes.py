"""Passes, purges and canonical reconciles drawn from a seed, over the ids of its clients."""

import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from simulation.planned_passes import DAMAGES, Canonical, Pass, Purge
from simulation.plans import (
    MIXED,
    PURGES,
    RECONCILE,
    Operation,
    PlannedActor,
    PlannedWish,
    Send,
)

RECONCILERS, CANONICAL = 0.5, 0.25
PURGERS = {MIXED: 0.2, RECONCILE: 0.6}
"""The shares of plans with each of them."""

WRITING = 0.7
"""How likely purges have clients beside them that write, and not the same list again and again."""

REPEATED, FRESH = 0.35, 0.3
"""How likely a list is one that was drawn before, and has ids that never were."""

WORDS = ("glade", "heath", "islet", "knoll")
MORE_IDS = ("f", "g", "h", "i", "j", "k", "l", "m")
WAYS = ("at once", "at once", "at once", "as a job", "uploaded")
NEWEST = 6


class DrawingPasses:
    """Draws the actors that come beside a plan's clients."""

    def __init__(self, seed: int, ids: Sequence[str], texts: Sequence[str]) -> None:
        self._chance = random.Random(f"passes {seed}")
        several = self._chance.choice((0, 2, 5, 8))
        self._ids = [*ids, *MORE_IDS[:several]]
        self._texts = list(texts)
        self._lists: list[tuple[tuple[str, str], ...]] = []
        self._number = 0

    def actors(self, scenario: str) -> list[PlannedActor]:
        """Those of a scenario."""
        chance = self._chance
        if scenario == PURGES:
            writers = [self._writer(number) for number in range(chance.randint(1, 3))]
            purgers = [self._actor("purger") for _ in range(chance.randint(1, 3))]
            return [*writers, *purgers] if chance.random() < WRITING else [self._renewer()]
        several = {MIXED: chance.random() < RECONCILERS, RECONCILE: chance.randint(2, 4)}
        found = [self._actor("reconciler") for _ in range(several.get(scenario, 0))]
        if chance.random() < PURGERS.get(scenario, 0.0):
            found.append(self._actor("purger"))
        if scenario in several and chance.random() < CANONICAL:
            found.append(self._actor("canonical"))
        return found

    def _renewer(self) -> PlannedActor:
        """Passes of one list and newer revisions, with a purge between each two."""
        listed = self._list()
        passes = [replace(self._pass(), revision=n, listed=listed) for n in (1, 2, 3)]
        first, *others = (replace(one, dry_run=False) for one in passes)
        operations: list[Operation] = [first]
        for one in others[: self._chance.randint(1, 2)]:
            operations += [self._purge(), one]
        return PlannedActor("renewer", "acme", "notes", tuple(operations))

    def _writer(self, number: int) -> PlannedActor:
        """A client that writes a record of another id each time."""
        several = self._chance.randint(4, 12)
        wishes = [PlannedWish(f"w{number}{place}", self._text()) for place in range(several)]
        sends = tuple(Send((wish,)) for wish in wishes)
        return PlannedActor("client", "acme", "notes", sends)

    def _actor(self, kind: str) -> PlannedActor:
        chance = self._chance
        most = {"reconciler": 4, "purger": 4, "canonical": 3}[kind]
        draw: Mapping[str, Callable[[], Operation]] = {
            "reconciler": self._pass,
            "purger": self._purge,
            "canonical": self._canonical,
        }
        operations = tuple(draw[kind]() for _ in range(chance.randint(1, most)))
        return PlannedActor(kind, "acme", "notes", operations)

    def _pass(self) -> Pass:
        chance = self._chance
        return Pass(
            revision=chance.randint(0, NEWEST),
            listed=self._list(),
            forget=chance.random() < 0.3,
            dry_run=chance.random() < 0.08,
            way=chance.choice(WAYS),  # type: ignore[arg-type]
            keyed=chance.random() < 0.4,
        )

    def _list(self) -> tuple[tuple[str, str], ...]:
        chance = self._chance
        if self._lists and chance.random() < REPEATED:
            return chance.choice(self._lists)
        ids = chance.sample(self._ids, chance.randint(0, len(self._ids)))
        if chance.random() < FRESH:
            ids += [f"n{len(self._lists)}{letter}" for letter in "xyz"[: chance.randint(1, 3)]]
        found = tuple((record_id, self._text()) for record_id in ids)
        self._lists.append(found)
        return found

    def _text(self) -> str:
        chance = self._chance
        if self._texts and chance.random() < 0.4:
            return chance.choice(self._texts)
        self._number += 1
        self._texts.append(f"list{self._number} {chance.choice(WORDS)}")
        return self._texts[-1]

    def _purge(self) -> Purge:
        return Purge(keyed=self._chance.random() < 0.5)

    def _canonical(self) -> Canonical:
        chance = self._chance
        damages = chance.sample(DAMAGES, chance.choice((0, 1, 1, 2, 3)))
        return Canonical(
            tuple(damages),  # type: ignore[arg-type]
            dry_run=chance.random() < 0.2,
            job=chance.random() < 0.3,
        )
