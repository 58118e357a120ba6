"""`IndexGenerations` on OpenSearch."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from opensearchpy import OpenSearch

from palimpsest.adapters.opensearch.catalogue import Catalogue
from palimpsest.adapters.opensearch.client import translated
from palimpsest.adapters.opensearch.index import OpenSearchIndex
from palimpsest.adapters.opensearch.index_body import SCHEMA
from palimpsest.domain.generations import Generation
from palimpsest.domain.instants import to_millis

TIDY_S = 600.0
"""Longest time for tidying up one index."""


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

    def tidy(self, one: Generation, *, before: datetime) -> int:
        """As in `IndexGenerations`."""
        old = [
            {"term": {"tombstone": True}},
            {"range": {"removed_at": {"lt": to_millis(before)}}},
        ]
        patient: dict[str, Any] = {"request_timeout": TIDY_S}
        with translated():
            done = self.client.delete_by_query(
                index=one.name,
                body={"query": {"bool": {"filter": old}}},
                params={**patient, "conflicts": "proceed", "refresh": "true"},
            )
            self.client.indices.forcemerge(
                index=one.name, params={**patient, "only_expunge_deletes": "true"}
            )
            return int(done["deleted"])

    def index(self, one: Generation) -> OpenSearchIndex:
        """As in `IndexGenerations`."""
        return OpenSearchIndex(self.client, self.catalogue, pinned=one)

    def reading(self, *, patience_s: float) -> OpenSearchIndex:
        """The index that is read, whichever that is at the time. Writes are tried for
        `patience_s`.
        """
        return OpenSearchIndex(self.client, self.catalogue, patience_s=patience_s)
