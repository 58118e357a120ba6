"""Clients that write: commits under guards, repeated under an idempotency key where their outcome
is not known.
"""

from typing import TYPE_CHECKING

from palimpsest.domain.commit_planning import CommitRequest, Operation
from palimpsest.domain.errors import PalimpsestError
from palimpsest.domain.idempotency import IdempotencyKey
from palimpsest.domain.records import Content
from simulation import answer_invariants
from simulation.plans import PlannedActor, PlannedWish, Send
from simulation.requests import Guard, Request, Told, Wish
from simulation.scheduling import Died, Violated

if TYPE_CHECKING:
    from simulation.world import World

TRIES = 3


def client(world: "World", planned: PlannedActor, name: str) -> None:
    """Send one commit after another, remembering the revisions that were told."""
    seen: dict[str, int] = {}
    clock = 0
    for number, send in enumerate(planned.operations):
        assert isinstance(send, Send)
        world.pause()
        request = _request(send, planned, f"{name}.{number}", seen, clock)
        world.requests.by_name[request.by] = request
        request.began = world.scheduler.event()
        for attempt in range(TRIES if send.keyed else 1):
            told = _sent(world, request, first=attempt == 0)
            seen |= told
            clock = max((clock, *told.values()))
            if request.told is not Told.NOTHING:
                break
            world.pause()
        request.ended = world.scheduler.event()


def _request(
    send: Send, planned: PlannedActor, by: str, seen: dict[str, int], clock: int
) -> Request:
    wishes = tuple(
        Wish(
            wish.record_id,
            None if wish.text is None else f"{wish.text} {planned.tenant}{planned.namespace}",
            _guard(wish, seen),
            wish.supersedes,
        )
        for wish in send.wishes
    )
    return Request(
        by,
        planned.pk,
        wishes,
        expected=clock if send.clock_guarded else None,
        key=by if send.keyed else None,
    )


def _guard(wish: PlannedWish, seen: dict[str, int]) -> Guard:
    if wish.guard == "none":
        return None
    if wish.guard == "exists":
        return "exists"
    return seen.get(wish.record_id, 0) if wish.guard == "seen" else 0


def _sent(world: "World", request: Request, *, first: bool) -> dict[str, int]:
    """One attempt; the revisions of records that it told."""
    tenant, _, namespace = request.pk.partition("#")
    asked = CommitRequest(
        tenant=tenant,
        namespace=namespace,
        operations=[
            Operation(
                id=wish.record_id,
                content=None
                if wish.text is None
                else Content(text=wish.text, supersedes=wish.supersedes),
                guard=wish.guard,
            )
            for wish in request.wishes
        ],
        by=request.by,
        expected_revision=request.expected,
        idempotency=IdempotencyKey(request.key, request.key) if request.key else None,
    )
    began = world.scheduler.event()
    struck, done = world.faults.counts.total(), bool(request.applied)
    try:
        committed = world.call("records", lambda services: services.commits.commit(asked))
    except (PalimpsestError, Died) as error:
        world.scheduler.note("refused", request.by, repr(error))
        if done and struck == world.faults.counts.total():
            raise Violated("answered again", f"{request}: {error!r}") from error
        ended = world.scheduler.event()
        return answer_invariants.refused(
            request, error, world.truth, began=began, ended=ended, first=first
        )
    world.scheduler.note("committed", request.by, committed.revision)
    ended = world.scheduler.event()
    return answer_invariants.acknowledged(request, committed, world.truth, ended=ended)
