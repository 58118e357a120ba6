"""The proof that an index holds what the table holds, over the plain index."""

import pytest

from palimpsest.adapters.memory import MemoryIndex
from palimpsest.adapters.simulated import Fault, FaultKind, SimulatedEmbedder
from palimpsest.domain.entries import Entry
from palimpsest.domain.errors import Unavailable
from palimpsest.domain.ledger import LedgerEntry, Reason
from palimpsest.domain.records import Content
from palimpsest.services.prove import Proof, ProofService
from quick_world import in_memory
from world import NAMESPACE, TENANT, World

PARTITION = f"{TENANT}#{NAMESPACE}"


def prove(world: World) -> Proof:
    service = ProofService(store=world.store, ledger=world.ledger)
    return service.prove(TENANT, NAMESPACE, world.index)


def seed(world: World) -> None:
    world.put("a", "a heron")
    world.put("b", "an otter")
    world.forget("b")
    world.project()


def test_a_projected_namespace_is_equal_tombstones_included(world: World) -> None:
    seed(world)
    proof = prove(world)
    assert (proof.equal, proof.entries, proof.revision) == (True, 2, 3)
    assert proof.digests[0] == proof.digests[1]
    assert (proof.missing, proof.differing, proof.orphaned) == ((), (), ())


def test_what_is_written_meanwhile_is_left_out(world: World) -> None:
    seed(world)
    world.put("a", "changed")
    world.put("c", "new")
    proof = prove(world)
    assert (proof.equal, proof.entries, proof.revision) == (True, 1, 3)


def test_what_the_ledger_excuses_is_left_out_and_what_it_does_not_is_told(world: World) -> None:
    seed(world)
    world.embedder.inject(Fault(kind=FaultKind.OUTAGE))
    world.put("a", "without a vector yet")
    world.project()
    assert prove(world).equal
    for entry in world.ledger.unsearchable(TENANT, NAMESPACE, world.index.generation()):
        world.ledger.settle(
            TENANT, NAMESPACE, world.index.generation(), add=[], clear={entry.id: entry.revision}
        )
    proof = prove(world)
    assert (proof.equal, proof.differing) == (False, ("a",))


def test_what_the_index_has_rejected_is_excused_but_not_by_an_entry_ahead_of_it(
    world: World,
) -> None:
    seed(world)
    generation = world.index.generation()
    world.put("a", "too large for this index")
    world.ledger.advance(TENANT, NAMESPACE, generation, 4, target=4)
    assert prove(world).differing == ("a",)
    rejected = LedgerEntry("a", 4, Reason.INDEX_REJECTED, "", world.clock.now())
    world.ledger.settle(TENANT, NAMESPACE, generation, add=[rejected], clear={})
    assert prove(world).equal
    world.index.write([Entry(partition=PARTITION, id="a", revision=9, version=19)])
    assert prove(world).differing == ("a",)


def test_a_lost_a_stale_and_an_orphaned_entry_are_each_told(world: World) -> None:
    seed(world)
    stranger = Entry(
        partition=PARTITION, id="nobody", revision=1, version=3, content=Content(text="x")
    )
    ahead = Entry(partition=PARTITION, id="b", revision=9, version=19)
    world.index.write([stranger, ahead])
    proof = prove(world)
    assert (proof.orphaned, proof.differing, proof.missing) == (("nobody",), ("b",), ())
    fresh = MemoryIndex(fingerprint=world.embedder.fingerprint)
    fresh._generation = world.index.generation()
    world.index = fresh
    proof = prove(world)
    assert (proof.equal, proof.missing, proof.digests[0] == proof.digests[1]) == (
        False, ("a",), False,
    )  # fmt: skip


def test_an_index_of_another_model_is_not_projected_into() -> None:
    other = SimulatedEmbedder(dimension=8)
    world = in_memory(index=MemoryIndex(fingerprint=other.fingerprint))
    world.put("a", "a heron")
    with pytest.raises(Unavailable, match="another embedding model"):
        world.project()
    assert list(world.index.walk(PARTITION)) == []
