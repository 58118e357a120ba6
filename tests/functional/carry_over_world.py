"""Every service over one table and a real OpenSearch node, with a second model at hand."""

from typing import Any

from contract.opensearch_index import generations
from palimpsest.adapters.dynamodb.generation_items import DynamoGenerationItems
from palimpsest.adapters.simulated import SimulatedEmbedder
from palimpsest.ports import Embedder
from palimpsest.services.carry_over import CarryOverService
from palimpsest.services.projections import GenerationProjections
from palimpsest.services.prove import ProofService
from world import NAMESPACE, TENANT, World


class CarryOverWorld(World):
    """A world whose index can be carried over from `embedder`'s model to `following`'s."""

    def __init__(
        self,
        table: str,
        *,
        url: str,
        prefix: str,
        embedder: Embedder | None = None,
        following: Embedder | None = None,
    ) -> None:
        embedder = embedder or SimulatedEmbedder(dimension=64)
        self.generations = generations(
            url, prefix, fingerprint=embedder.fingerprint, dimension=embedder.dimension
        )
        index = self.generations.reading(patience_s=10)
        super().__init__(table, index=index, embedder=embedder)
        self.following: Any = following or SimulatedEmbedder(dimension=32)
        self.embedders = {e.fingerprint: e for e in (self.embedder, self.following)}
        self.searches_with(embedders=self.embedders)
        self.every = GenerationProjections(self.projection, self.generations, self.embedders)
        self.proofs = ProofService(store=self.store, ledger=self.ledger)
        self.carry_over = CarryOverService(
            store=self.store,
            ledger=self.ledger,
            register=self.register,
            generations=self.generations,
            items=DynamoGenerationItems(table, self.client),
            projections=self.every,
            embedder=self.embedder,
            following=self.following,
            clock=self.clock,
        )

    def project_all(self) -> None:
        """What the projector does: into every generation."""
        self.every._until = 0.0  # the list of generations is looked up anew
        self.every.project(TENANT, NAMESPACE)
