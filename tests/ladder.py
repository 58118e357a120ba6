"""Every dependency of a search in every state, and what the contract then promises."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Any

from palimpsest.adapters.simulated import (
    Fault,
    FaultKind,
    Operation,
    SimulatedLanguageModel,
    SimulatedReranker,
)
from palimpsest.domain.entries import Candidate, Leg, LegQuery, LegResult, LegStatus
from palimpsest.domain.errors import DeadlineExceeded, Unavailable
from palimpsest.domain.fusing_variations import fuse_variations
from palimpsest.domain.fusion import Fusion, fuse
from search_scene import Around, Scene

QUESTION = "who saw the heron by the river?"
VARIATIONS = ["grey bird at the water", "heron river sighting"]
LIMIT, SLICE = 40, 25
PLACES = ("at the water", "by the river")
TEXTS = {f"r{n:02}": f"the heron {PLACES[n % 2]} {'seen ' * (n % 5)}walk {n}" for n in range(44)}


class State(StrEnum):
    """How a dependency fares. `later`: the table answers its first slice of hits and no other."""

    HEALTHY = "healthy"
    FAILING = "failing"
    STALLING = "stalling"
    RUBBISH = "rubbish"
    FAILING_LATER = "failing later"
    STALLING_LATER = "stalling later"


COMMON = (State.HEALTHY, State.FAILING, State.STALLING, State.RUBBISH)
STATES: Mapping[str, Sequence[State]] = {
    "model": COMMON,
    "embedder": COMMON,
    "lexical": COMMON,
    "semantic": COMMON,
    "reranker": COMMON,
    "table": tuple(State),
}
States = Mapping[str, State]
HEALTHY: States = dict.fromkeys(STATES, State.HEALTHY)

LEG_TOLD: Mapping[State, tuple[LegStatus, str | None]] = {
    State.FAILING: (LegStatus.FAILED, "engine_error"),
    State.STALLING: (LegStatus.TIMEOUT, "timeout"),
}
EMBEDDER_REASON = {
    State.FAILING: "embedder_unavailable",
    State.STALLING: "embedder_timeout",
    State.RUBBISH: "embedding_not_finite",
}
MODEL_REASON = {
    State.FAILING: "rewrite:model_unavailable",
    State.STALLING: "rewrite:model_timeout",
    State.RUBBISH: "rewrite:no_json",
}
RERANKER_REASON = {
    State.FAILING: "reranker_unavailable",
    State.STALLING: "reranker_timeout",
    State.RUBBISH: "reranker_error",
}


class Ladder:
    """A scene whose dependencies take the states they are given."""

    def __init__(self) -> None:
        self.scene = Scene(TEXTS)
        self.model = SimulatedLanguageModel({}, otherwise=json.dumps({"variations": VARIATIONS}))
        self.reranker = SimulatedReranker()
        self._reads = 0
        ways = (QUESTION, *VARIATIONS)
        self.found = {(leg, way): self.scene.candidates(leg, way) for leg in Leg for way in ways}
        self.relevance = dict(
            zip(TEXTS, self.reranker.rerank(QUESTION, list(TEXTS.values()), timeout=1), strict=True)
        )

    def put(self, states: States) -> Scene:
        """The scene with its dependencies in these states."""
        faults = {State.FAILING: FaultKind.OUTAGE, State.RUBBISH: FaultKind.RUBBISH}
        self._inject(self.model, faults.get(states["model"]))
        faults[State.RUBBISH] = FaultKind.NOT_FINITE
        self._inject(self.scene.embedder, faults.get(states["embedder"]), Operation.QUERY)
        self._inject(self.reranker, faults.get(states["reranker"]))
        embedder = self._slow(self.scene.embedder, "embed_query", states["embedder"])
        self._reads = 0
        self.scene.use(
            model=self._slow(self.model, "complete", states["model"]),
            embedders={embedder.fingerprint: embedder},
            reranker=self._slow(self.reranker, "rerank", states["reranker"]),
            index=Around(self.scene.index, search=self._legs(states)),
            store=Around(self.scene.table, read=self._table(states["table"])),
        )
        return self.scene

    def _inject(self, part: Any, kind: FaultKind | None, operation: str | None = None) -> None:
        part.heal()
        if kind is not None:
            part.inject(Fault(kind=kind, operation=operation))

    def _slow(self, part: Any, method: str, state: State) -> Any:
        """A part that, where it stalls, takes an hour, whatever it was told."""
        if state is not State.STALLING:
            return part

        def late(*arguments: Any, **options: Any) -> Any:
            self.scene.clock.move(3600)
            return getattr(part, method)(*arguments, **options)

        return Around(part, **{method: late})

    def _legs(self, states: States) -> Any:
        def search(queries: Sequence[LegQuery], *, timeout: float, generation: str) -> Any:
            if State.STALLING in {states[query.leg.value] for query in queries}:
                self.scene.clock.move(timeout)
            found = self.scene.index.search(queries, timeout=timeout, generation=generation)
            return [_leg(one, states[one.leg.value]) for one in found]

        return search

    def _table(self, state: State) -> Any:
        first = 1 if state in (State.FAILING_LATER, State.STALLING_LATER) else 0

        def read(tenant: str, namespace: str, ids: Sequence[str] = ()) -> Any:
            clock, records = self.scene.table.read(tenant, namespace, ids)
            self._reads += bool(ids)
            if not ids or state is State.HEALTHY or self._reads <= first:
                return clock, records
            if state is State.RUBBISH:  # half of what was found says something else by now
                return clock, {one: records[one] for one in records if one in kept_in(TEXTS)}
            if state in (State.STALLING, State.STALLING_LATER):
                self.scene.clock.move(3600)
            raise Unavailable("nobody there", stage="table")

        return read


def kept_in(ids: Any) -> set[str]:
    """What a table full of rubbish still has."""
    return {one for one in ids if int(one[1:]) % 3}


def _ghosts(candidates: Sequence[Candidate]) -> list[Candidate]:
    """What a leg full of rubbish finds: ids that nobody has ever written."""
    return [one._replace(id=f"ghost-{one.id}") for one in candidates]


def _leg(result: LegResult, state: State) -> LegResult:
    if state in LEG_TOLD:
        status, reason = LEG_TOLD[state]
        return LegResult(leg=result.leg, status=status, reason=reason)
    if state is State.RUBBISH:
        return replace(result, candidates=_ghosts(result.candidates))
    return result


@dataclass(frozen=True, slots=True)
class Promised:
    """What an answer must be."""

    ids: list[str]
    degraded: list[str]
    score_kind: str
    legs: dict[str, tuple[LegStatus, str | None]]
    deep: str
    rerank: tuple[str, str | None]


def promised(ladder: Ladder, states: States) -> Promised | type[Unavailable]:
    """What the contract says of these states, or which error it has for them."""
    legs = {leg.value: _told(leg, states) for leg in Leg}
    down = [told for told in legs.values() if told[0] is not LegStatus.OK]
    if len(down) == len(Leg):
        late = all(status is LegStatus.TIMEOUT for status, _ in down)
        return DeadlineExceeded if late else Unavailable
    served, partial = _served(_fused(ladder, states, legs), states["table"])
    if isinstance(served, type):
        return served
    stages = {
        "lexical": legs["lexical"][0] is not LegStatus.OK,
        "semantic": legs["semantic"][0] is not LegStatus.OK,
        "rewrite": states["model"] is not State.HEALTHY,
        "rerank": states["reranker"] is not State.HEALTHY and bool(served),
        "hydrate_partial": partial,
    }
    whole = states["reranker"] is State.HEALTHY
    if whole:
        served = sorted(served, key=lambda one: -ladder.relevance[one])  # equal ones as they stood
    return Promised(
        ids=served[:LIMIT],
        degraded=[stage for stage, short in stages.items() if short],
        score_kind="rerank:simulated" if whole and served else "weighted",
        legs=legs,
        deep=MODEL_REASON.get(states["model"], "router:interrogative"),
        rerank=_reranked(states["reranker"], served),
    )


def _told(leg: Leg, states: States) -> tuple[LegStatus, str | None]:
    embedder = states["embedder"]
    if leg is Leg.SEMANTIC and embedder is not State.HEALTHY:
        late = embedder is State.STALLING
        return LegStatus.TIMEOUT if late else LegStatus.FAILED, EMBEDDER_REASON[embedder]
    return LEG_TOLD.get(states[leg.value], (LegStatus.OK, None))


def _fused(
    ladder: Ladder, states: States, legs: Mapping[str, tuple[LegStatus, str | None]]
) -> list[str]:
    """The fused order of what is left."""
    ways = [QUESTION, *(VARIATIONS if states["model"] is State.HEALTHY else [])]
    rankings: dict[Leg, dict[int, Sequence[Candidate]]] = {}
    for leg in Leg:
        lost = states[leg.value] is State.RUBBISH
        if legs[leg.value][0] is LegStatus.OK:
            several = [ladder.found[leg, way] for way in ways]
            rankings[leg] = dict(enumerate(map(_ghosts, several) if lost else several))
    if len(ways) > 1:
        return [hit.id for hit in fuse_variations(rankings, Fusion())]
    return [hit.id for hit in fuse({leg: by[0] for leg, by in rankings.items()}, Fusion())]


def _served(fused: list[str], table: State) -> tuple[list[str] | type[Unavailable], bool]:
    """What the table confirms of a list, and whether it stopped to answer."""
    known = kept_in(TEXTS) if table is State.RUBBISH else set(TEXTS)
    if table in (State.HEALTHY, State.RUBBISH):
        return [one for one in fused if one in known], False
    late = table in (State.STALLING, State.STALLING_LATER)
    error = DeadlineExceeded if late else Unavailable
    if table in (State.FAILING, State.STALLING):
        return error, False
    first = [one for one in fused[:SLICE] if one in known]
    return (first, True) if first else (error, False)


def _reranked(state: State, served: Sequence[str]) -> tuple[str, str | None]:
    if not served:
        return "skipped", "no_candidates"
    if state is State.HEALTHY:
        return "ok", None
    return "timeout" if state is State.STALLING else "failed", RERANKER_REASON[state]
