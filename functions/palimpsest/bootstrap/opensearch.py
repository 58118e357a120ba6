"""OpenSearch as a stack uses it: one client, the stack's indices on that cluster."""

import boto3

from palimpsest.adapters.opensearch import (
    Catalogue,
    ClusterChoices,
    Endpoint,
    OpenSearchGenerations,
    make_client,
)
from palimpsest.setting_kinds import Signing
from palimpsest.settings import Settings, given


def make_generations(settings: Settings) -> OpenSearchGenerations:
    """The stack's indices at `OPENSEARCH_URL`. Nothing is asked of it yet."""
    given(settings, "opensearch_url")
    session = boto3.Session() if settings.opensearch_signing is not Signing.NONE else None
    endpoint = Endpoint(
        url=settings.opensearch_url,
        signing=settings.opensearch_signing.value,
        region=session.region_name if session else "",
    )
    client = make_client(endpoint, credentials=session.get_credentials() if session else None)
    choices = ClusterChoices(
        engine=settings.opensearch_knn.value,
        shards=settings.index_shards,
        replicas=settings.index_replicas,
    )
    catalogue = Catalogue(client, prefix=settings.index_prefix, choices=choices)
    return OpenSearchGenerations(client, catalogue)
