"""The projector: woken by the table's stream, by search, by a schedule; whoever wakes it, it does
the same.

Events say only which namespaces to look at: nothing in them is taken for content or order.
"""

import json
import time
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

from palimpsest.bootstrap import prime
from palimpsest.bootstrap.projector import ProjectorServices, projector_services
from palimpsest.domain.errors import Unavailable
from palimpsest.observability import logger

Names = tuple[str, str]
PROJECT_S = 30.0
"""Of one namespace: where others go on writing into it, their own wake-ups go on with it."""

ERASE_ON_WAKE_S = 2.0
ERASE_ON_SWEEP_S = 30.0


@cache
def services() -> ProjectorServices:
    """The services of this process."""
    return projector_services()


def handler(event: dict[str, Any], _: Any) -> dict[str, Any]:
    """A batch of stream or queue records, answered with `batchItemFailures`; or a sweep of
    everything.
    """
    if "Records" not in event:
        return _sweep()
    woken: dict[Names, list[str]] = {}
    failed: list[str] = []
    for record in event["Records"]:
        item, names = _item(record), _names(record)
        if names is None:
            logger.error("a wake-up names no namespace", extra={"item": item})
            failed.append(item)
        else:
            woken.setdefault(names, []).append(item)
    failed += [item for names, items in woken.items() if not _project(names) for item in items]
    _erase(list(woken), seconds=ERASE_ON_WAKE_S)
    return {"batchItemFailures": [{"itemIdentifier": item} for item in failed]}


def _item(record: Mapping[str, Any]) -> str:
    """By which name a record is reported as failed."""
    if "dynamodb" in record:
        return str(record["dynamodb"]["SequenceNumber"])
    return str(record["messageId"])


def _names(record: Mapping[str, Any]) -> Names | None:
    """The (tenant, namespace) a record speaks of; None if it cannot be told."""
    if "dynamodb" in record:
        tenant, _, namespace = record["dynamodb"]["Keys"]["pk"]["S"].partition("#")
        return tenant, namespace
    try:
        body = json.loads(record["body"])
        return str(body["tenant"]), str(body["namespace"])
    except (ValueError, KeyError, TypeError):
        return None


def _sweep() -> dict[str, Any]:
    """Every namespace: what a lost wake-up left behind, and what waits for the embedder."""
    known = list(services().store.namespaces())
    failed = [names for names in known if not _project(names, retry_pending=True)]
    failed += _erase(known, seconds=ERASE_ON_SWEEP_S)
    if failed:
        raise Unavailable(f"{len(set(failed))} namespaces are not in line", stage="projection")
    return {"batchItemFailures": []}


def _erase(woken: Sequence[Names], *, seconds: float) -> list[Names]:
    """Work off forgettings when everything is projected, and only so long: the markers keep the
    rest for the next wake or sweep, and nobody's indexing waits for it. Those that failed.
    """
    until, failed = time.monotonic() + seconds, list[Names]()
    for tenant, namespace in woken:
        try:
            erased = services().erasing.erase(tenant, namespace, until=until)
        except Exception:  # noqa: BLE001  # whatever it is, it is this namespace's own
            logger.exception("erasing failed", extra={"tenant": tenant, "namespace": namespace})
            failed.append((tenant, namespace))
            continue
        if erased:
            extra = {"tenant": tenant, "namespace": namespace, "erased": erased}
            logger.info("erased", extra=extra)
    return failed


def _project(names: Names, *, retry_pending: bool = False) -> bool:
    try:
        until = time.monotonic() + PROJECT_S
        done = services().projection.project(*names, retry_pending=retry_pending, until=until)
    except Exception:  # noqa: BLE001  # reported and tried again; no other namespace waits
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


prime(services)
