"""The search index on OpenSearch: a managed domain, or a node of one's own."""

from palimpsest.adapters.opensearch.catalogue import Catalogue, ClusterChoices
from palimpsest.adapters.opensearch.client import Endpoint, make_client
from palimpsest.adapters.opensearch.generations import OpenSearchGenerations
from palimpsest.adapters.opensearch.index import OpenSearchIndex

__all__ = [
    "Catalogue",
    "ClusterChoices",
    "Endpoint",
    "OpenSearchGenerations",
    "OpenSearchIndex",
    "make_client",
]
