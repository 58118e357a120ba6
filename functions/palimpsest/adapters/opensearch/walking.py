"""Reading an index outside of searches: entries in order, those that pass a filter, how high each
partition is, the legs of one id.
"""

import contextlib
from collections.abc import Iterator
from typing import Any

from opensearchpy import OpenSearch

from palimpsest.adapters.opensearch.client import translated, whole
from palimpsest.adapters.opensearch.filtering import filter_query, partition_query
from palimpsest.domain.entries import EntryState, Leg
from palimpsest.domain.errors import PalimpsestError
from palimpsest.domain.filters import Filter

PAGE = 1_000
KEEP_ALIVE = "2m"
TIMEOUT_S = 10.0
COMPLETE = 2
"""An entry with a vector, and a tombstone entry, has an odd version."""


def entries(client: OpenSearch, index: str, partition: str) -> Iterator[EntryState]:
    """Every entry of a partition by id, as of the moment at which the walk begins."""
    with translated():
        made = client.create_pit(index=index, params={"keep_alive": KEEP_ALIVE})
        pit = whole(made)["pit_id"]
    try:
        after: list[Any] | None = None
        while True:
            hits = _page(client, pit, partition, after)
            yield from hits
            if len(hits) < PAGE:
                return
            after = [hits[-1].id]
    finally:
        with contextlib.suppress(PalimpsestError), translated():  # it ends by itself too
            client.delete_pit(body={"pit_id": [pit]})


def matching(
    client: OpenSearch, index: str, partition: str, where: Filter, *, after: str, limit: int
) -> list[str]:
    """The ids of entries that pass a filter, in order. Of documents that stand beside the one of
    their id, each id is told once.
    """
    found: dict[str, None] = {}
    while len(found) < limit:
        size = min(PAGE, limit - len(found))
        body = {
            "size": size,
            "query": {
                "bool": {
                    "filter": [partition_query((partition,)), filter_query(where)],
                    "must_not": [{"term": {"tombstone": True}}],  # what `Not` would let through
                }
            },
            "sort": [{"id": "asc"}],
            "search_after": [after],
            "stored_fields": "_none_",
            "track_total_hits": False,
        }
        with translated():
            hits = _search(client, body, index=index)["hits"]["hits"]
            ids = [str(hit["sort"][0]) for hit in hits]
        found |= dict.fromkeys(ids)
        if len(ids) < size:
            break
        after = ids[-1]
    return list(found)


def heights(client: OpenSearch, index: str) -> Iterator[tuple[str, int]]:
    """Each partition with the highest revision that the version of an entry is made of."""
    after: dict[str, Any] | None = None
    while True:
        pages: dict[str, Any] = {
            "size": PAGE,
            "sources": [{"partition": {"terms": {"field": "partition"}}}],
        }
        if after is not None:
            pages["after"] = after
        highest = {"highest": {"max": {"field": "version"}}}
        body = {"size": 0, "aggs": {"partitions": {"composite": pages, "aggs": highest}}}
        with translated():
            found = _search(client, body, index=index)["aggregations"]["partitions"]
            heights = [
                (str(bucket["key"]["partition"]), int(bucket["highest"]["value"]) // COMPLETE)
                for bucket in found["buckets"]
            ]
            after = found.get("after_key")
        yield from heights
        if after is None:
            return


def legs(client: OpenSearch, index: str, partition: str, record_id: str) -> frozenset[Leg]:
    """The legs on which an id can be found, by what each leg looks at."""
    own = [{"term": {"partition": partition}}, {"term": {"id": record_id}}]
    found = set()
    for leg, field in ((Leg.LEXICAL, "terms"), (Leg.SEMANTIC, "vector")):
        there = {"bool": {"filter": [*own, {"exists": {"field": field}}]}}
        body = {"size": 1, "query": there, "_source": False}
        with translated():
            if _search(client, body, index=index)["hits"]["hits"]:
                found.add(leg)
    return frozenset(found)


def _page(
    client: OpenSearch, pit: str, partition: str, after: list[Any] | None
) -> list[EntryState]:
    body: dict[str, Any] = {
        "size": PAGE,
        "query": {"bool": {"filter": [{"term": {"partition": partition}}]}},
        "pit": {"id": pit, "keep_alive": KEEP_ALIVE},
        "sort": [{"id": "asc"}],
        "stored_fields": "_none_",
        "docvalue_fields": ["revision", "version", "tombstone"],
        "track_total_hits": False,
    }
    if after is not None:
        body["search_after"] = after
    with translated():
        return [_state(hit) for hit in _search(client, body)["hits"]["hits"]]


def _state(hit: dict[str, Any]) -> EntryState:
    fields = hit["fields"]
    version, gone = int(fields["version"][0]), bool(fields["tombstone"][0])
    complete = version % COMPLETE == 1
    return EntryState(
        str(hit["sort"][0]),
        int(fields["revision"][0]),
        version,
        tombstone=gone,
        vector=complete and not gone,
    )


def _search(client: OpenSearch, body: dict[str, Any], *, index: str | None = None) -> Any:
    """An answer of all shards; a partial one is none. To be read where errors are translated."""
    return whole(client.search(index=index, body=body, params={"request_timeout": TIMEOUT_S}))
