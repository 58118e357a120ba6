"""An index that takes no writes for a while: a full disk, or an operator's block."""

from collections.abc import Iterator
from dataclasses import dataclass

import pytest

from contract.opensearch_index import generations
from palimpsest.adapters.opensearch import OpenSearchGenerations
from palimpsest.domain.errors import PalimpsestError, Throttled, Unavailable
from palimpsest.services.prove import ProofService
from world import NAMESPACE, TENANT, World

pytestmark = pytest.mark.opensearch
FLOOD_STAGE = "index.blocks.read_only_allow_delete"
BLOCKS = ("index.blocks.read_only", "index.blocks.write", FLOOD_STAGE)
TEXTS = {f"r{n:02}": f"the heron number {n} waits by weir {n % 7}" for n in range(30)}


@dataclass(frozen=True, slots=True)
class Blocked:
    """A world, the same one with less patience, and the indices that its index is one of."""

    world: World
    hasty: World
    generations: OpenSearchGenerations

    def block(self, name: str, *, on: bool) -> None:
        (one,) = self.generations.kept()
        self.generations.client.indices.put_settings(index=one.name, body={name: on or None})

    def revision(self) -> int:
        generation = self.world.index.generation()
        return self.world.ledger.progress(TENANT, NAMESPACE, generation).revision

    def unsearchable(self) -> list[str]:
        generation = self.world.index.generation()
        found = self.world.ledger.unsearchable(TENANT, NAMESPACE, generation)
        return [entry.id for entry in found]


@pytest.fixture
def blocked(tables: dict[str, str], opensearch_url: str, index_prefix: str) -> Iterator[Blocked]:
    plain = World(tables["RecordsTable"])
    made = generations(
        opensearch_url,
        index_prefix,
        fingerprint=plain.embedder.fingerprint,
        dimension=plain.embedder.dimension,
    )
    world, hasty = (
        World(tables["RecordsTable"], index=made.reading(patience_s=patience_s))
        for patience_s in (20, 0.4)
    )
    blocked = Blocked(world, hasty, made)
    yield blocked
    for block in BLOCKS:
        blocked.block(block, on=False)


@pytest.mark.parametrize(
    ("block", "raised", "said"),
    [
        pytest.param(FLOOD_STAGE, Throttled, "asks for patience", id="a disk beyond flood stage"),
        pytest.param("index.blocks.write", Unavailable, "403: cluster_block", id="no writes"),
        pytest.param("index.blocks.read_only", Unavailable, "403: cluster_block", id="read only"),
    ],
)
def test_a_projection_that_may_not_write_moves_nothing_and_catches_up_afterwards(
    blocked: Blocked, block: str, raised: type[PalimpsestError], said: str
) -> None:
    world = blocked.world
    world.put_many(TEXTS)
    world.project()
    reached = blocked.revision()
    world.put("new", "an otter under the bridge")
    world.put("r01", "a kingfisher instead")
    world.forget("r02")
    blocked.block(block, on=True)
    for _ in range(2):
        with pytest.raises(raised, match=said):
            blocked.hasty.project()
    assert blocked.revision() == reached
    assert blocked.unsearchable() == []
    found = world.found("heron number", limit=50)  # what it holds, as far as it still stands
    assert sorted(found) == sorted(TEXTS.keys() - {"r01", "r02"})
    blocked.block(block, on=False)
    assert world.project().revision == reached + 3
    assert blocked.revision() == reached + 3
    assert blocked.unsearchable() == []
    assert world.found("otter kingfisher", limit=2) in (["new", "r01"], ["r01", "new"])
    proof = ProofService(store=world.store, ledger=world.ledger).prove(
        TENANT, NAMESPACE, world.index
    )
    assert proof.equal
    assert proof.entries == 31


def test_a_disk_beyond_flood_stage_lets_nothing_erased_be_taken_for_gone(blocked: Blocked) -> None:
    world = blocked.world
    world.put("a", "the heron waits")
    world.project()
    world.forget("a")
    blocked.block(FLOOD_STAGE, on=True)
    with pytest.raises(Throttled):
        blocked.hasty.project()
    assert world.index.legs(f"{TENANT}#{NAMESPACE}", "a")
    blocked.block(FLOOD_STAGE, on=False)
    world.project()
    assert world.index.legs(f"{TENANT}#{NAMESPACE}", "a") == frozenset()
