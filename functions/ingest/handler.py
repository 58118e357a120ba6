"""Ingest: woken by events of the uploads bucket, by its own messages, and by a schedule.

An event says only which document to look at: what is done is decided by its object as it is now.
"""

import json
from collections.abc import Iterator, Mapping
from functools import cache
from math import ceil
from typing import Any
from urllib.parse import unquote_plus

from palimpsest.bootstrap import prime
from palimpsest.bootstrap.ingest import IngestServices, ingest_services
from palimpsest.domain.upload_keys import UploadPlace, upload_place
from palimpsest.observability import count, logger
from palimpsest.services.ingest.ingest import READING_S

SPARE_S = 30.0
"""Of the function's time: what was begun has to end."""

READING_SHARE = 0.75
"""Of that time a file is always begun to be read, however short the function's limit is: it would
never have more.
"""

BUSY_S = 60.0
"""After so long with one message the others of its batch go back to the queue."""


@cache
def services() -> IngestServices:
    """The services of this process."""
    return ingest_services()


def handler(event: dict[str, Any], context: Any) -> dict[str, Any]:
    """A batch of queue messages, answered with `batchItemFailures`; or a round."""
    begun = services().clock.monotonic()
    until = begun + context.get_remaining_time_in_millis() / 1000 - SPARE_S
    if "Records" not in event:
        return _round(event, until=until)
    reading_s = min(READING_S, READING_SHARE * (until - begun))
    failed = list[dict[str, str]]()
    for record in event["Records"]:
        try:
            busy = services().clock.monotonic() - begun > BUSY_S
            for place, again in _wanted(record):
                _look(place, again=again, until=begun if busy else until, reading_s=reading_s)
        except Exception:  # noqa: BLE001  # reported: no other message waits for this one
            logger.exception("a message failed", extra={"item": record.get("messageId")})
            failed.append({"itemIdentifier": str(record.get("messageId"))})
    return {"batchItemFailures": failed}


def _look(place: UploadPlace, *, again: bool, until: float, reading_s: float) -> None:
    it = services()
    if it.clock.monotonic() >= until:
        it.queue.send(place, again=again)
        return
    after = it.ingesting.look(place, until=until, again=again, reading_s=reading_s)
    extra = {"tenant": place.tenant, "namespace": place.namespace, "again_after": after}
    logger.info("looked at a document", extra=extra)
    if after is not None:
        it.queue.send(place, after=ceil(after))  # a message that comes too early is in vain


def _wanted(record: Mapping[str, Any]) -> Iterator[tuple[UploadPlace, bool]]:
    """The documents that a message asks to be looked at, and whether to read them again. Raises
    `ValueError` or `KeyError` for what is no message of ours.
    """
    body = json.loads(record["body"])
    for key in _keys(body):
        place = upload_place(key)
        if place is None:
            if not key.endswith("/"):  # which is a folder
                logger.warning("an object whose key is no document's")
                count("UploadsIgnored", 1)
        else:
            yield place, bool(body.get("again", False))


def _keys(body: Mapping[str, Any]) -> list[str]:
    """The keys that a message names. EventBridge tells them as they are, S3's own notifications
    URL-encoded; a test event names none.
    """
    if "detail" in body:
        return [str(body["detail"]["object"]["key"])]
    if "Records" in body:
        return [unquote_plus(str(one["s3"]["object"]["key"])) for one in body["Records"]]
    return [] if body.get("Event") == "s3:TestEvent" else [str(body["key"])]


def _round(event: Mapping[str, Any], *, until: float) -> dict[str, Any]:
    rounds = services().rounds
    if event.get("job") == "sweep":
        sent = rounds.sweep(str(event.get("prefix") or "uploads/"))
    else:
        sent = rounds.tend(until=until)
    logger.info("round", extra={"job": event.get("job"), "sent": sent})
    return {"sent": sent}


prime(services)
