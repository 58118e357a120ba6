"""Projection into every generation of the index that is kept, each by itself: the one that is read,
and beside it those that are being built, or kept to go back to.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Protocol

from palimpsest.domain.errors import PalimpsestError, Unavailable
from palimpsest.domain.generations import Generation
from palimpsest.ports import Embedder, IndexGenerations
from palimpsest.services.project import Projected, ProjectService

REMEMBERED_S = 5.0
"""How long the list of generations is taken for true. One made later is carried everything that it
missed.
"""


class Projection(Protocol):
    """Carries a namespace into an index, or into several."""

    def project(
        self,
        tenant: str,
        namespace: str,
        *,
        retry_pending: bool = False,
        upto: float = math.inf,
        until: float = math.inf,
    ) -> Projected:
        """As `ProjectService.project`."""
        ...


@dataclass(slots=True)
class GenerationProjections:
    """A projection for each generation. `pattern` is the projection into the one that is read: the
    others differ by their index and their embedder, which is found by its fingerprint.
    """

    pattern: ProjectService
    generations: IndexGenerations
    embedders: Mapping[str, Embedder]
    _known: Sequence[Generation] = field(default=(), init=False)
    _until: float = field(default=0.0, init=False)

    def project(
        self,
        tenant: str,
        namespace: str,
        *,
        retry_pending: bool = False,
        upto: float = math.inf,
        until: float = math.inf,
    ) -> Projected:
        """Project into all of them, the one that is read first; what that one's projection did.

        Raises what the first failed one raised, once all have been tried: trouble with a generation
        that is being built never holds up the one that is read.
        """
        done, failed = None, None
        for generation in self._kept():
            try:
                it = self.of(generation).project(
                    tenant, namespace, retry_pending=retry_pending, upto=upto, until=until
                )
            except PalimpsestError as error:
                if self._is_gone(generation):
                    continue
                failed = failed or error
            else:
                done = done or it
        if failed is not None:
            raise failed
        if done is None:
            raise Unavailable("there is no index yet", stage="index")
        return done

    def of(self, generation: Generation) -> ProjectService:
        """The projection into one generation. Raises `Unavailable` if its model is not at hand."""
        embedder = self.embedders.get(generation.fingerprint)
        if embedder is None:
            raise Unavailable(f"no embedder is set for {generation.name}", stage="index")
        return replace(
            self.pattern,
            index=self.generations.index(generation),
            embedding=replace(self.pattern.embedding, embedder=embedder),
            read=generation.read,
        )

    def _kept(self) -> Sequence[Generation]:
        now = self.pattern.clock.monotonic()
        if now >= self._until:
            self._known = sorted(self.generations.kept(), key=lambda one: not one.read)
            self._until = now + REMEMBERED_S
        return self._known

    def _is_gone(self, generation: Generation) -> bool:
        """Whether it has been dropped meanwhile, which is no failure."""
        self._until = 0.0
        return generation.id not in {one.id for one in self._kept()}
