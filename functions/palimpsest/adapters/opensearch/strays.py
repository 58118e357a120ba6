"""Documents that stand beside the one of their id: copied in from outside, or under a routing."""

import json
from collections.abc import Iterator
from typing import Any

from opensearchpy import OpenSearch

from palimpsest.adapters.opensearch.client import translated, whole
from palimpsest.adapters.opensearch.documents import document_id
from palimpsest.domain.errors import Unavailable

PAGE = 1_000
TIMEOUT_S = 10.0
ROUNDS = 3
"""A page may end within the documents of one id: what it leaves is found in the next round."""


def strays(client: OpenSearch, index: str, partition: str, *, remove: bool) -> int:
    """How many there are of a partition; with `remove` they are gone on return."""
    found = 0
    for _ in range(ROUNDS):
        beside = list(_beside(client, index, partition))
        found += len(beside)
        if not (beside and remove):
            break
        _removed(client, index, beside)
    return found


def _beside(client: OpenSearch, index: str, partition: str) -> Iterator[dict[str, Any]]:
    after: list[Any] | None = None
    while True:
        body: dict[str, Any] = {
            "size": PAGE,
            "query": {"bool": {"filter": [{"term": {"partition": partition}}]}},
            "sort": [{"id": "asc"}],
            "_source": False,
            "track_total_hits": False,
        }
        if after is not None:
            body["search_after"] = after
        with translated():
            answer = client.search(index=index, body=body, params={"request_timeout": TIMEOUT_S})
            hits = whole(answer)["hits"]["hits"]
        for hit in hits:
            own = document_id(partition, str(hit["sort"][0]))
            if hit["_id"] != own or "_routing" in hit:
                yield hit
        if len(hits) < PAGE:
            return
        after = hits[-1]["sort"]


def _removed(client: OpenSearch, index: str, hits: list[dict[str, Any]]) -> None:
    lines = []
    for hit in hits:
        routing = {"routing": hit["_routing"]} if "_routing" in hit else {}
        lines.append(json.dumps({"delete": {"_id": hit["_id"], **routing}}))
    with translated():
        answer = client.bulk(body="\n".join(lines) + "\n", index=index, params={"refresh": "true"})
        failed = [
            item["delete"]["status"]
            for item in answer["items"]
            if item["delete"]["status"] not in {200, 404}
        ]
    if failed:
        raise Unavailable("the engine did not remove what is there twice", stage="index")
