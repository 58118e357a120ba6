"""The projector: woken by the table's stream, by search, by a schedule; whoever wakes it, it does
the same.

Events say only which namespaces to look at: nothing in them is taken for content or order.
"""

import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from palimpsest.bootstrap import projector_services
from palimpsest.domain.errors import Throttled, Unavailable
from palimpsest.observability import logger

services = projector_services()

Names = tuple[str, str]


def handler(event: dict[str, Any], _: Any) -> dict[str, Any]:
    """A batch of stream or queue records, answered with `batchItemFailures`; or a sweep of
    everything.
    """
    if "Records" not in event:
        return _sweep()
    woken: dict[Names, list[str]] = {}
    for names, item in _namespaces(event["Records"]):
        woken.setdefault(names, []).append(item)
    failures = [
        {"itemIdentifier": item}
        for names, items in woken.items()
        if not _project(names)
        for item in items
    ]
    return {"batchItemFailures": failures}


def _namespaces(records: Iterable[Mapping[str, Any]]) -> Iterator[tuple[Names, str]]:
    """The (tenant, namespace) each record speaks of, and by which name to report it as failed."""
    for record in records:
        if "dynamodb" in record:
            pk = record["dynamodb"]["Keys"]["pk"]["S"]
            tenant, _, namespace = pk.partition("#")
            yield (tenant, namespace), record["dynamodb"]["SequenceNumber"]
        else:
            body = json.loads(record["body"])
            yield (body["tenant"], body["namespace"]), record["messageId"]


def _sweep() -> dict[str, Any]:
    """Every namespace: what a lost wake-up left behind, and what waits for the embedder."""
    failed = [
        names for names in services.store.namespaces() if not _project(names, retry_pending=True)
    ]
    if failed:
        raise Unavailable(f"{len(failed)} namespaces could not be projected", stage="projection")
    return {"batchItemFailures": []}


def _project(names: Names, *, retry_pending: bool = False) -> bool:
    try:
        done = services.projection.project(*names, retry_pending=retry_pending)
    except (Throttled, Unavailable):
        logger.exception("projection failed", extra={"tenant": names[0], "namespace": names[1]})
        return False
    logger.info(
        "projected",
        extra={
            "tenant": names[0],
            "namespace": names[1],
            "revision": done.revision,
            "embedded": done.embedded,
        },
    )
    return True
