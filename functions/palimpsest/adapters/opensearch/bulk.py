"""One bulk write: sent in parts, each item told apart, what is worth repeating repeated."""

import random
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from opensearchpy import OpenSearch

from palimpsest.adapters.opensearch.client import STAGE, Missing, Unusable, translated
from palimpsest.adapters.opensearch.documents import Prepared
from palimpsest.domain.entries import WriteOutcome, WriteResult
from palimpsest.domain.errors import Throttled, Unavailable

MOST_BYTES = 5 * 2**20
"""Of one request: half of what the smallest managed instances take."""

MOST_ENTRIES = 500
MAX_PAUSE_S = 2.0
FIRST_PAUSE_S = 0.05
LONGEST_REASON = 200

_CONFLICT, _OVERLOADED, _BAD, _MISSING = 409, 429, 400, 404


@dataclass(frozen=True, slots=True, kw_only=True)
class BulkWriter:
    """Writes prepared entries to an index by its write alias. `patience_s` bounds the whole of one
    write with its repetitions, `timeout_s` one request.
    """

    client: OpenSearch
    patience_s: float = 20.0
    timeout_s: float = 10.0

    def write(self, entries: Sequence[Prepared], *, alias: str) -> list[WriteResult]:
        """One result each, in order. Raises `Throttled` or `Unavailable` where the engine could not
        take some of them in time; it may have taken the others, and all may be written again.
        """
        until = time.monotonic() + self.patience_s
        results: dict[int, WriteResult] = {
            place: WriteResult(one.entry.id, WriteOutcome.REJECTED, one.rejection)
            for place, one in enumerate(entries)
            if one.rejection is not None
        }
        for part in _parts(entries):
            self._write_part(entries, part, alias=alias, until=until, results=results)
        return [results[place] for place in range(len(entries))]

    def _write_part(
        self,
        entries: Sequence[Prepared],
        part: Sequence[int],
        *,
        alias: str,
        until: float,
        results: dict[int, WriteResult],
    ) -> None:
        rest, pause = list(part), FIRST_PAUSE_S
        while True:
            rest, problem = self._once(entries, rest, alias=alias, until=until, results=results)
            if problem is None:
                return
            wait = random.uniform(0, pause)  # noqa: S311  # full jitter, not a secret
            if time.monotonic() + wait >= until:
                raise problem
            time.sleep(wait)
            pause = min(2 * pause, MAX_PAUSE_S)

    def _once(
        self,
        entries: Sequence[Prepared],
        places: Sequence[int],
        *,
        alias: str,
        until: float,
        results: dict[int, WriteResult],
    ) -> tuple[list[int], Exception | None]:
        """The places that are still to be written, and why."""
        timeout = max(0.1, min(self.timeout_s, until - time.monotonic()))
        try:
            items = self._sent([entries[place] for place in places], alias=alias, timeout=timeout)
        except Missing:
            raise
        except (Throttled, Unavailable) as error:  # writing twice is writing once
            return list(places), error
        again, problem = [], None
        for place, item in zip(places, items, strict=True):
            result, trouble = _outcome(entries[place].entry.id, item)
            if result is not None:
                results[place] = result
            else:
                again.append(place)
                problem = trouble
        return again, problem

    def _sent(
        self, entries: Sequence[Prepared], *, alias: str, timeout: float
    ) -> Sequence[dict[str, Any]]:
        with translated():
            answer = self.client.bulk(
                body=b"".join(one.lines for one in entries),
                index=alias,
                params={
                    "require_alias": "true",
                    "filter_path": "items.*.status,items.*.error.type,items.*.error.caused_by.type",
                    "request_timeout": timeout,
                },
            )
            items = [_inner(item) for item in answer["items"]]
        if len(items) != len(entries):
            raise Unusable("the index gave another number of answers than it was sent entries")
        return items


def _inner(item: Any) -> dict[str, Any]:
    inner: dict[str, Any] = item["index"]
    if not isinstance(inner["status"], int) or not isinstance(inner.get("error", {}), dict):
        raise Unusable
    return inner


def _outcome(record_id: str, item: dict[str, Any]) -> tuple[WriteResult | None, Exception | None]:
    """What became of one entry, or why it is to be written again. Only what is wrong with the entry
    itself (400) is its own fault: a missing index, a block, a refused signature are not.
    """
    status = item["status"]
    if status < _BAD:
        return WriteResult(record_id, WriteOutcome.APPLIED), None
    if status == _CONFLICT:
        return WriteResult(record_id, WriteOutcome.STALE), None
    error = item.get("error", {})
    if status == _BAD:
        return WriteResult(record_id, WriteOutcome.REJECTED, _reason(error)), None
    if status == _MISSING:
        raise Missing("the index is not there to be written")
    if status == _OVERLOADED:
        return None, Throttled("the index asks for patience")
    return None, Unavailable(f"the index answered {status}: {error.get('type')}", stage=STAGE)


def _reason(error: dict[str, Any]) -> str:
    """The kinds of error that the engine names, at most `LONGEST_REASON` characters. Its sentences
    quote values of the document.
    """
    cause = error.get("caused_by")
    kinds = [error.get("type"), cause.get("type") if isinstance(cause, dict) else None]
    return ": ".join(str(kind) for kind in kinds if kind)[:LONGEST_REASON] or "rejected"


def _parts(entries: Sequence[Prepared]) -> Iterator[list[int]]:
    part: list[int] = []
    size = 0
    for place, one in enumerate(entries):
        if one.rejection is not None:
            continue
        if part and (size + len(one.lines) > MOST_BYTES or len(part) == MOST_ENTRIES):
            yield part
            part, size = [], 0
        part.append(place)
        size += len(one.lines)
    if part:
        yield part
