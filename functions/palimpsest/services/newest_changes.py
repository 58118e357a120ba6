"""Which of a record's changes was its newest when a walk began.

A record that has changed since says little by itself: its former versions name the revisions that
replaced them, and where a forgetting has erased those, the commit log tells what each record was
before.
"""

from collections.abc import Collection, Mapping

from palimpsest.domain.errors import Unavailable
from palimpsest.domain.records import Record
from palimpsest.services.walk_log import (
    REREAD_PAUSE_S,
    REREADS,
    UNSEEN_FORMER,
    LoggedChange,
    LogReader,
)


def newest(
    reader: LogReader,
    changes: Collection[LoggedChange],
    records: Mapping[str, Record],
    *,
    upto: int,
) -> set[LoggedChange]:
    """Those of `changes` after which their record did not change again up to revision `upto`."""
    found = {c for c in changes if records[c.record_id].revision == c.revision}
    unsure = {c for c in changes if records[c.record_id].revision > upto}
    for _ in range(REREADS):
        versions = [(change.record_id, change.revision) for change in unsure]
        replaced = reader.log.replaced(reader.tenant, reader.namespace, versions)
        found |= {c for c in unsure if replaced.get((c.record_id, c.revision), 0) > upto}
        unsure = {c for c in unsure if (c.record_id, c.revision) not in replaced}
        erased = {c for c in unsure if records[c.record_id].history_floor >= c.revision}
        found |= _newest_erased(reader, erased, records, upto=upto)
        unsure -= erased
        if not unsure:
            return found
        # the replacing commit is not wholly seen yet, or the record was forgotten meanwhile
        reader.clock.sleep(REREAD_PAUSE_S)
        _, again = reader.records(unsure)
        records = {**records, **again}
    raise Unavailable(UNSEEN_FORMER, stage="table")


def _newest_erased(
    reader: LogReader,
    changes: Collection[LoggedChange],
    records: Mapping[str, Record],
    *,
    upto: int,
) -> set[LoggedChange]:
    """From what the record is now, backward through the log to `upto`: a record may have come back
    after the forgetting that erased the versions, before `upto` or after it.
    """
    found = set()
    at = {change: records[change.record_id].revision for change in changes}
    while at:
        for change, revision in list(at.items()):
            if revision <= upto:
                del at[change]
                if revision == change.revision:
                    found.add(change)
        entries = reader.commits(set(at.values())) if at else {}
        at = {c: entries[revision].revision_before(c.record_id) for c, revision in at.items()}
    return found
