"""The ledger as its readers see it, and having it tried again."""

from palimpsest.adapters.simulated import Fault, FaultKind
from palimpsest.domain.ledger import Reason
from palimpsest.domain.queries import Mode
from world import NAMESPACE, TENANT, World


def reasons(world: World) -> dict[str, Reason]:
    page = world.unsearchable.page(TENANT, NAMESPACE, limit=100)
    return {entry.id: entry.reason for entry in page.records}


def test_before_the_first_projection_there_is_no_ledger_and_nothing_to_retry(world: World) -> None:
    page = world.unsearchable.page(TENANT, NAMESPACE, limit=10)
    assert ((*page.documents, *page.records), page.following) == ((), None)
    assert world.unsearchable.retry(TENANT, NAMESPACE) == 0
    assert world.wakes.asked == []


def test_the_ledger_is_paged_in_the_order_of_ids_that_sort_last_too(world: World) -> None:
    world.embedder.inject(Fault(kind=FaultKind.OUTAGE))
    names = ["~z", "b", "a", "a,1", "B", "a.2"]
    world.put_many(dict.fromkeys(names, "x"))
    world.project()
    found: list[str] = []
    place: tuple[str, str] | None = ("", "")
    while place is not None:
        generation, after = place
        page = world.unsearchable.page(
            TENANT, NAMESPACE, limit=2, after=after, generation=generation
        )
        found += [entry.id for entry in page.records]
        place = page.following
    assert found == sorted(names)


def test_d17_a_retry_tries_what_failed_for_good_as_well_and_only_once_asked(world: World) -> None:
    world.embedder.inject(Fault(kind=FaultKind.ZERO, containing="cursed"))
    world.put_many({"a": "cursed", "b": "fine"})
    world.project()
    assert reasons(world) == {"a": Reason.EMBEDDING_FAILED}
    world.embedder.heal()
    world.project(retry_pending=True)
    assert reasons(world) == {"a": Reason.EMBEDDING_FAILED}
    assert world.unsearchable.retry(TENANT, NAMESPACE) == 1
    assert world.wakes.asked == [(TENANT, NAMESPACE, 1)]
    world.project()
    assert reasons(world) == {}
    calls = len(world.embedder.calls)
    world.project()
    assert len(world.embedder.calls) == calls
    assert "a" in world.found("cursed", mode=Mode.SEMANTIC)


def test_a_retry_while_the_embedder_is_down_stays_asked_for(world: World) -> None:
    world.embedder.inject(Fault(kind=FaultKind.OUTAGE))
    world.put("a", "x")
    world.project()
    world.unsearchable.retry(TENANT, NAMESPACE)
    world.project()
    assert reasons(world) == {"a": Reason.PENDING}
    world.embedder.heal()
    world.project(retry_pending=True)
    assert reasons(world) == {}


def test_a_wish_that_came_while_one_was_being_fulfilled_stays(world: World) -> None:
    world.put("a", "x")
    world.project()
    generation = world.index.generation()
    first = world.clock.now()
    world.ledger.ask_retry(TENANT, NAMESPACE, generation, at=first)
    world.clock.move(1)
    world.ledger.ask_retry(TENANT, NAMESPACE, generation, at=world.clock.now())
    world.ledger.retry_done(TENANT, NAMESPACE, generation, asked=first)
    progress = world.ledger.progress(TENANT, NAMESPACE, generation)
    assert progress.retry_asked == world.clock.now()
    world.ledger.retry_done(TENANT, NAMESPACE, generation, asked=world.clock.now())
    assert world.ledger.progress(TENANT, NAMESPACE, generation).retry_asked is None
