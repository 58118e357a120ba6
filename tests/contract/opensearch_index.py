"""OpenSearch indexes for tests: of three dimensions, under the tests' fingerprint."""

from contract.index_entries import FINGERPRINT
from palimpsest.adapters.opensearch import (
    Catalogue,
    Endpoint,
    OpenSearchGenerations,
    OpenSearchIndex,
    make_client,
)


def generations(url: str, prefix: str, *, fingerprint: str = FINGERPRINT, dimension: int = 3,
                connections: int = 4) -> OpenSearchGenerations:  # fmt: skip
    """The generations of a prefix, the first one made and read."""
    client = make_client(Endpoint(url=url, connections=connections))
    made = OpenSearchGenerations(client, Catalogue(client, prefix=prefix))
    first = made.create(1, fingerprint=fingerprint, dimension=dimension)
    if not any(one.read for one in made.kept()):
        made.read_from(first, old=None)
    return made


def reading(url: str, prefix: str, *, patience_s: float = 10.0) -> OpenSearchIndex:
    """The index that is read."""
    return generations(url, prefix).reading(patience_s=patience_s)
