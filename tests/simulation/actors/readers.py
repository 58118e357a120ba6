"""Readers of the canonical table: single records, as-of reads, histories, lists, the change feed,
and receipts.
"""

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from palimpsest.domain.errors import NotFound, PalimpsestError
from palimpsest.domain.records import Record, Status
from palimpsest.domain.visibility import exists
from palimpsest.domain.walks import Order, Position, RecordsWanted, WalkPage
from simulation import read_invariants, walk_invariants
from simulation.plans import Ask, PlannedActor
from simulation.scheduling import Died

if TYPE_CHECKING:
    from simulation.world import World

MOST_VERSIONS = 50
Reading = Callable[["World", PlannedActor, Ask], object]


def reader(world: "World", planned: PlannedActor, name: str) -> None:
    """Ask one thing after another; an outage is no answer and no fault."""
    del name
    for ask in planned.operations:
        assert isinstance(ask, Ask)
        world.pause()
        try:
            said = READINGS[ask.what](world, planned, ask)
        except (PalimpsestError, Died) as error:
            said = repr(error)
        world.scheduler.note("read", str(ask), str(said))


def _get(world: "World", planned: PlannedActor, ask: Ask) -> object:
    names = planned.tenant, planned.namespace
    began = world.scheduler.event()
    clock, found = world.call("records", lambda it: it.store.read(*names, [ask.record_id]))
    ended = world.scheduler.event()
    read_invariants.check_clock(planned.pk, clock.revision, world.truth, began, ended)
    record = found.get(ask.record_id)
    record = record if record is not None and exists(record, clock) else None  # as the route does
    read_invariants.check_current(planned.pk, ask.record_id, record, world.truth, began, ended)
    return record and record.revision


def _as_of(world: "World", planned: PlannedActor, ask: Ask) -> object:
    revision = max(1, world.truth.clock(planned.pk) - ask.number)
    names = planned.tenant, planned.namespace, ask.record_id
    began = world.scheduler.event()
    record: Record | None = world.call("records", lambda it: it.history.as_of(*names, revision))
    ended = world.scheduler.event()
    asked = (planned.pk, ask.record_id)
    read_invariants.check_as_of(asked, revision, record, world.truth, began, ended)
    return record and record.revision


def _revisions(world: "World", planned: PlannedActor, ask: Ask) -> object:
    names = planned.tenant, planned.namespace, ask.record_id
    asked = (planned.pk, ask.record_id)
    began = world.scheduler.event()
    try:
        page = world.call("records", lambda it: it.history.revisions(*names, limit=MOST_VERSIONS))
    except NotFound:
        ended = world.scheduler.event()
        read_invariants.check_current(*asked, None, world.truth, began, ended)
        return None
    ended = world.scheduler.event()
    read_invariants.check_history(asked, page.records, world.truth, began, ended)
    return [record.revision for record in page.records]


def _walked(
    world: "World", page: Callable[[Any, Position | None], WalkPage[Any]]
) -> tuple[list[Record], int]:
    """All pages of a walk, and its revision."""
    found: list[Record] = []
    position = None
    while True:
        one = world.call("records", lambda it, at=position: page(it, at))  # type: ignore[misc]
        found += one.records
        position = one.following
        if position is None:
            return found, one.revision


def _listed(world: "World", planned: PlannedActor, ask: Ask) -> object:
    names = planned.tenant, planned.namespace
    status = None if ask.what == "all" else Status.ACTIVE
    order = Order.NEWEST if ask.what == "newest" else Order.OLDEST

    def page(services: Any, position: Position | None) -> WalkPage[Any]:
        found: WalkPage[Any] = services.walks.records(
            *names, RecordsWanted(status=status), order=order, limit=ask.number, position=position
        )
        return found

    began = world.scheduler.event()
    records, upto = _walked(world, page)
    ended = world.scheduler.event()
    walk = walk_invariants.Walk(planned.pk, began, ended, upto, records)
    walk_invariants.check_list(walk, world.truth, status=status and status.value)
    return [(record.id, record.revision) for record in records]


def _changes(world: "World", planned: PlannedActor, ask: Ask) -> object:
    names = planned.tenant, planned.namespace
    since = max(0, world.truth.clock(planned.pk) - ask.number)

    def page(services: Any, position: Position | None) -> WalkPage[Any]:
        found: WalkPage[Any] = services.walks.changes(
            *names, since=since, limit=2, position=position
        )
        return found

    began = world.scheduler.event()
    records, upto = _walked(world, page)
    ended = world.scheduler.event()
    walk = walk_invariants.Walk(planned.pk, began, ended, upto, records)
    walk_invariants.check_feed(walk, world.truth, since=since)
    return [(record.id, record.revision) for record in records]


def _receipt(world: "World", planned: PlannedActor, ask: Ask) -> object:
    names = planned.tenant, planned.namespace, ask.record_id
    began = world.scheduler.event()
    receipt = world.call("search", lambda it: it.receipts.receipt(*names))
    read_invariants.check_receipt((planned.pk, ask.record_id), receipt, world, began)
    return receipt


READINGS: Mapping[str, Reading] = {
    "get": _get,
    "as of": _as_of,
    "revisions": _revisions,
    "newest": _listed,
    "oldest": _listed,
    "all": _listed,
    "changes": _changes,
    "receipt": _receipt,
}
