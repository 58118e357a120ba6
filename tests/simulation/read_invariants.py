"""Invariants of reads of single records: each shows what was true at some moment of the read, and
nothing that was forgotten before it.
"""

from collections.abc import Sequence
from itertools import pairwise
from typing import TYPE_CHECKING

from palimpsest.domain.records import Record
from palimpsest.services.receipt import Receipt
from simulation.scheduling import Violated
from simulation.truth import DELETED, Names, Truth, Version

if TYPE_CHECKING:
    from simulation.world import World


def check_clock(pk: str, revision: int, truth: Truth, began: float, ended: float) -> None:
    """A clock as it was read."""
    seen = truth.ticked(pk, began, ended)
    if revision not in seen:
        raise Violated("reads", f"{pk}: clock {revision} instead of one of {seen}")


def shows(record: Record | None, version: Version) -> bool:
    """Whether a record is shown as that version is; a tombstone may be shown or be absent."""
    if record is None:
        return not version.there
    text = record.content.text if record.content else None
    shown = (record.revision, record.status.value, text, record.superseded_by)
    return shown == (version.revision, version.status, version.text, version.superseded_by)


def check_current(
    pk: str, record_id: str, record: Record | None, truth: Truth, began: float, ended: float
) -> None:
    """A record as it was read."""
    seen = truth.seen((pk, record_id), began, ended)
    if not any(shows(record, version) for version in seen):
        raise Violated("reads", f"{pk} {record_id}: {record} instead of one of {seen}")


def check_as_of(
    names: Names,
    revision: int,
    record: Record | None,
    truth: Truth,
    began: float,
    ended: float,
) -> None:
    """A record as it was at a revision. One that was forgotten meanwhile, or a clock that has not
    been seen that far, may be absent or not.
    """
    standing = truth.standing(names)
    then = [one for one in standing if one.revision <= revision][-1]
    later = [one for one in standing if one.ends and one.revision >= then.revision]
    gone_before = any(one.visible < began for one in later)
    gone_after = any(one.applied < ended for one in later)
    far = max(truth.ticked(names[0], began, ended)) >= revision
    certain = min(truth.ticked(names[0], began, ended)) >= revision
    may_be_absent = not then.there or gone_after or not certain or then.visible > began
    may_be_there = then.there and not gone_before and far
    if record is None:
        # until it can be seen everywhere, the version before may be what was read, and be nothing
        if not may_be_absent:
            raise Violated("as-of reads", f"{names} at {revision} was {then}, not absent")
        return
    fits = may_be_there and shows(record, then)
    if not fits and not _seen_before(record, revision, standing, began):
        raise Violated("as-of reads", f"{names} at {revision} was {then}, not {record}")


def _seen_before(record: Record, revision: int, standing: Sequence[Version], began: float) -> bool:
    """Whether it is what stood before a version that could not be seen yet when the read began."""
    for one, following in pairwise(standing):
        if shows(record, one) and one.revision <= revision and following.visible > began:
            return True
    return False


def check_history(
    names: Names, records: Sequence[Record], truth: Truth, began: float, ended: float
) -> None:
    """All versions of a record from the present one down to the last forgetting."""
    standing = truth.standing(names)
    heads = [one for one in truth.seen(names, began, ended) if shows(records[0], one)]
    if not heads:
        raise Violated("histories", f"{names}: {records[0]} was never the present one")
    place = max(n for n, one in enumerate(standing) if one.revision == heads[0].revision)
    expected: list[Version] = []
    for one in reversed(standing[: place + 1]):
        if one.revision == 0 or (one.ends and (expected or one.status != DELETED)):
            break
        expected.append(one)
    if heads[0].status == DELETED:
        expected = expected[:1]
    forgotten = any(
        one.ends and one.applied < ended and one.visible > began for one in standing[place:]
    )
    fits = all(shows(record, one) for record, one in zip(records, expected, strict=False))
    whole = len(records) == len(expected) or (forgotten and len(records) < len(expected))
    if not fits or not whole:
        raise Violated("histories", f"{names}: {records} instead of {expected}")


def check_receipt(names: Names, receipt: Receipt, world: "World", began: float) -> None:
    """What a receipt calls erased was nowhere to be found, but for what came there meanwhile."""
    pk, record_id = names
    if not receipt.erased or world.truth.now(names).revision != receipt.revision:
        return
    left = [
        key.sk
        for key in world.table.everything()
        if key.pk == pk and key.sk.startswith((f"H#{record_id}#", f"V#{record_id}#"))
    ]
    left += [
        index.name
        for index in world.engine.indices.values()
        for one in index.of(pk)
        if one.id == record_id and not one.tombstone and one.moment < began
    ]
    if left:
        raise Violated("receipts", f"{names} is called erased, but {left}")
