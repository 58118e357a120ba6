"""`IndexGenerations` on OpenSearch."""

from dataclasses import dataclass

from opensearchpy import OpenSearch

from palimpsest.adapters.opensearch.catalogue import Catalogue
from palimpsest.adapters.opensearch.index import OpenSearchIndex
from palimpsest.adapters.opensearch.index_body import SCHEMA
from palimpsest.domain.generations import Generation


@dataclass(frozen=True, slots=True)
class OpenSearchGenerations:
    """The stack's indices on one cluster, each with its reads and writes."""

    client: OpenSearch
    catalogue: Catalogue

    @property
    def schema(self) -> int:
        """As in `IndexGenerations`."""
        return SCHEMA

    def kept(self) -> list[Generation]:
        """As in `IndexGenerations`."""
        return self.catalogue.kept()

    def create(self, number: int, *, fingerprint: str, dimension: int) -> Generation:
        """As in `IndexGenerations`."""
        return self.catalogue.create(number, fingerprint=fingerprint, dimension=dimension)

    def read_from(self, new: Generation, *, old: Generation | None) -> None:
        """As in `IndexGenerations`."""
        self.catalogue.read_from(new, old=old)

    def drop(self, one: Generation) -> None:
        """As in `IndexGenerations`."""
        self.catalogue.drop(one)

    def index(self, one: Generation) -> OpenSearchIndex:
        """As in `IndexGenerations`."""
        return OpenSearchIndex(self.client, self.catalogue, pinned=one)

    def reading(self, *, patience_s: float) -> OpenSearchIndex:
        """The index that is read, whichever that is at the time. Writes are tried for
        `patience_s`.
        """
        return OpenSearchIndex(self.client, self.catalogue, patience_s=patience_s)
