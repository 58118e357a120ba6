"""Plans drawn from a seed."""

import random
from itertools import count

from simulation.drawing_passes import DrawingPasses
from simulation.embedding import UNSPEAKABLE
from simulation.engine import INDIGESTIBLE
from simulation.plans import (
    CARRY_OVER,
    RESTORE,
    SCENARIOS,
    Ask,
    Do,
    Operation,
    Plan,
    PlannedActor,
    PlannedGuard,
    PlannedWish,
    Send,
)

WORDS = ("amber", "birch", "cedar", "delta", "ember", "fjord")
TENANTS = ("acme", "bolt")
NAMESPACES = ("notes", "plans")
MODES = ("hybrid", "lexical", "semantic")
GUARDS: tuple[PlannedGuard, ...] = ("none", "none", "seen", "seen", "absent", "exists")
CARRY_OVER_STEPS = ("begin", "backfill", "switch", "roll back", "backfill", "switch", "drop")
RESTORES = ("renew", "jump")
MOST_WISHES = 4


class Drawing:
    """Draws one plan."""

    def __init__(self, seed: int) -> None:
        self._seed = seed
        self._chance = random.Random(f"plan {seed}")
        self._number = count(1)
        self._texts: list[str] = []
        several = self._chance.choice((1, 2, 3, 5))
        self._ids = ["a", "b", "c", "d", "e"][:several]
        if self._chance.random() < 0.15:
            self._ids.append(INDIGESTIBLE)

    def plan(self, scenario: str | None = None) -> Plan:
        """The plan; its scenario is drawn too where none is asked for."""
        drawn = self._chance.choices(SCENARIOS, (7, 1, 1, 2, 1))[0]
        scenario = scenario or drawn
        actors = [
            *self._several("client", (1, 2, 2, 3, 4), (3, 10)),
            *self._several("reader", (0, 1, 2, 2), (2, 7)),
            *self._several("searcher", (0, 1, 2), (2, 6)),
            *self._several("sweeper", (0, 1), (1, 3)),
        ]
        if scenario == RESTORE:
            actors.append(self._actor("restorer", (Do(self._chance.choice(RESTORES)),)))
            actors += self._several("late client", (1, 2), (2, 6))
        if scenario == CARRY_OVER:
            first = self._chance.choice((("begin",), ("rebuild",)))
            steps = (*first, *CARRY_OVER_STEPS[1 : self._chance.randrange(2, 8)])
            actors.append(self._actor("operator", tuple(map(Do, steps))))
        actors += DrawingPasses(self._seed, self._ids, self._texts).actors(scenario)
        following = scenario == CARRY_OVER and self._chance.random() < 0.7
        return Plan(scenario, tuple(actors), following=following)

    def _several(
        self, kind: str, numbers: tuple[int, ...], lengths: tuple[int, int]
    ) -> list[PlannedActor]:
        made = []
        for _ in range(self._chance.choice(numbers)):
            length = self._chance.randint(*lengths)
            operations = tuple(self._operation(kind) for _ in range(length))
            made.append(self._actor(kind, operations))
        return made

    def _actor(self, kind: str, operations: tuple[Operation, ...]) -> PlannedActor:
        tenant = TENANTS[self._chance.random() < 0.15]
        namespace = NAMESPACES[self._chance.random() < 0.1]
        return PlannedActor(kind, tenant, namespace, operations)

    def _operation(self, kind: str) -> Operation:
        chance = self._chance
        if kind in {"client", "late client"}:
            return self._send()
        if kind == "sweeper":
            return Do("sweep")
        record_id = chance.choice(self._ids)
        if kind == "searcher":
            words = chance.choice(self._texts) if self._texts else WORDS[0]
            mode = chance.choice(MODES)
            return Ask(mode, words=words, waits=chance.random() < 0.3)
        what = chance.choice(
            (
                "get",
                "get",
                "as of",
                "revisions",
                "newest",
                "newest",
                "oldest",
                "all",
                "changes",
                "receipt",
            )
        )
        number = {"as of": chance.randrange(5), "changes": chance.randrange(6)}.get(what)
        return Ask(what, record_id, number=chance.choice((1, 3, 50)) if number is None else number)

    def _send(self) -> Send:
        chance = self._chance
        several = chance.choices(range(1, MOST_WISHES + 1), (8, 2, 1, 1))[0]
        ids = chance.sample(self._ids, min(several, len(self._ids)))
        wishes = tuple(self._wish(record_id, ids) for record_id in ids)
        superseded = [one for wish in wishes for one in wish.supersedes]
        if len(set(superseded)) < len(superseded):
            wishes = wishes[:1]
        return Send(wishes, clock_guarded=chance.random() < 0.08, keyed=chance.random() < 0.4)

    def _wish(self, record_id: str, put: list[str]) -> PlannedWish:
        chance = self._chance
        guard = chance.choice(GUARDS) if chance.random() < 0.5 else "none"
        if chance.random() < 0.25:
            return PlannedWish(record_id, None, guard)
        others = [one for one in self._ids if one not in put]
        supersedes = (chance.choice(others),) if others and chance.random() < 0.12 else ()
        return PlannedWish(record_id, self._text(), guard, supersedes)

    def _text(self) -> str:
        chance = self._chance
        if self._texts and chance.random() < 0.2:
            return chance.choice(self._texts[-6:])
        number = next(self._number)
        said = [f"mark{number}", *chance.sample(WORDS, 2)]
        if chance.random() < 0.05:
            said.append(UNSPEAKABLE)
        self._texts.append(" ".join(said))
        return self._texts[-1]
