"""What is wrong with a history: every way in which it could not have happened one by one, or in
which the table does not say what was acknowledged.
"""

from collections import Counter, defaultdict
from collections.abc import Iterator

from e2e.history import (
    ABSENT,
    ACTIVE,
    DELETED,
    SUPERSEDED,
    Chain,
    History,
    Listing,
    Read,
    Step,
    Table,
    Timeline,
    Version,
    Write,
)
from e2e.history_authors import explained


def faults(history: History, table: Table) -> list[str]:
    """Every fault of a history on a namespace that ended as `table`; empty if there is none."""
    told = [*_log_faults(table), *_double_faults(history)]
    written, unexplained = explained(history, table)
    timeline = Timeline(table, written)
    told += unexplained
    told += _order_faults(table, timeline)
    told += _content_faults(table, timeline)
    for revision, write in written.items():
        told += _guard_faults(revision, write, timeline)
    for write in history.writes:
        told += _refusal_faults(write, timeline)
    for read in history.reads:
        told += _read_faults(read, timeline)
    for listing in history.listings:
        told += _listing_faults(listing, timeline)
    for chain in history.chains:
        told += _chain_faults(chain, timeline)
    return told


def _log_faults(table: Table) -> Iterator[str]:
    """The log has every revision once, and says what each record was before. Only an entry without
    records, a recorded jump, skips revisions.
    """
    last, stood = 0, defaultdict[str, int](int)
    for entry in table.log:
        if entry.previous != last:
            yield f"the log goes from {last} to {entry.revision}, which names {entry.previous}"
        if entry.revision != last + 1 and (entry.before or entry.revision <= last):
            yield f"revision {entry.revision} follows {last} in the log"
        last = entry.revision
        for record_id, before in entry.before.items():
            if before != stood[record_id]:
                yield (
                    f"{record_id}: revision {last} replaced {stood[record_id]}, its entry says "
                    f"{before}"
                )
            stood[record_id] = last
    if last != table.clock:
        yield f"the clock is {table.clock}, the log ends at {last}"


def _double_faults(history: History) -> Iterator[str]:
    times = Counter(write.made for write in history.writes if write.made is not None)
    for revision, count in times.items():
        if count > 1:
            yield f"revision {revision} was given out twice"


def _order_faults(table: Table, timeline: Timeline) -> Iterator[str]:
    for entry in table.log:
        if timeline.latest(entry.revision) < timeline.earliest(entry.revision):
            yield f"revision {entry.revision} ended before an earlier one began"


def _content_faults(table: Table, timeline: Timeline) -> Iterator[str]:
    """What the table holds of an acknowledged write is what was written."""
    for record_id, chain in timeline.records.items():
        for version in chain[1:]:
            held = table.versions.get((record_id, version.revision))
            if held is not None and version.status is not None and held != version:
                yield f"{record_id}: the table holds {held}, and {version} was written"


def _guard_faults(revision: int, write: Write, timeline: Timeline) -> Iterator[str]:
    """Each success was granted on what stood."""
    for step in write.steps:
        before, _ = timeline.upto(step.record_id, revision - 1)
        if not _granted(step, before):
            yield (
                f"{step.record_id}: revision {revision} was granted on {step.expected}, and "
                f"{before} stood there"
            )


def _granted(step: Step, before: Version) -> bool:
    if step.expected == 0:
        return before.maybe_absent
    if step.expected is not None:
        return before.revision == step.expected and before.maybe_there
    return before.maybe_there or (step.text is not None and not step.superseded)


def _refusal_faults(write: Write, timeline: Timeline) -> Iterator[str]:
    """What was found differs from what was expected, and stood at some moment of the call."""
    for step in write.steps:
        found = (write.found or {}).get(step.record_id)
        if found is None:
            continue
        if found == step.expected or (step.expected is None and found != 0):
            yield f"{step.record_id}: refused with {found}, which was expected"
        standing = timeline.standing(step.record_id, write.began, write.ended)
        if not any(_shows(version, found) for version in standing):
            yield f"{step.record_id}: found {found}, which did not stand then"


def _shows(version: Version, revision: int) -> bool:
    """Whether a reader of this version sees that revision (0: nothing)."""
    if revision == 0:
        return version.maybe_absent
    return version.revision == revision and version.maybe_there


def _read_faults(read: Read, timeline: Timeline) -> Iterator[str]:
    if read.as_of is not None:
        yield from _as_of_faults(read, read.as_of, timeline)
        return
    standing = timeline.standing(read.record_id, read.began, read.ended)
    if not any(_same(version, read.version) for version in standing):
        yield f"{read.record_id}: showed {read.version}, which did not stand then"


def _same(version: Version, shown: Version) -> bool:
    """Whether what was shown is this version, of which not all may be known."""
    if shown == ABSENT:
        return version.maybe_absent
    return (
        version.revision == shown.revision
        and version.status in {None, shown.status}
        and (version.status is None or version.text == shown.text)
    )


def _as_of_faults(read: Read, revision: int, timeline: Timeline) -> Iterator[str]:
    version, later = timeline.upto(read.record_id, revision)
    gone = [v for v in later if v.maybe_absent and timeline.earliest(v.revision) <= read.ended]
    forgotten = [
        v for v in later if v.status == DELETED and timeline.latest(v.revision) < read.began
    ]
    told = f"{read.record_id} as of {revision}: showed {read.version}"
    if read.version == ABSENT:
        if not (version.maybe_absent or gone or timeline.latest(revision) >= read.began):
            yield f"{told}, and {version} stood"
    elif not _same(version, read.version):
        yield f"{told}, and {version} stood"
    elif forgotten:
        yield f"{told}, which was forgotten at {forgotten[0].revision}"
    elif timeline.earliest(revision) > read.ended:
        yield f"{told}, of a revision still to come"


def _listing_faults(listing: Listing, timeline: Timeline) -> Iterator[str]:
    """No record twice; none missing that was there from before the walk to after it."""
    if len(listing.ids) != len(set(listing.ids)):
        twice = [i for i, count in Counter(listing.ids).items() if count > 1]
        yield f"listed twice: {twice}"
    for record_id in timeline.records.keys() - set(listing.ids):
        standing = timeline.standing(record_id, listing.began, listing.ended)
        wanted = {listing.status} if listing.status else {ACTIVE, SUPERSEDED, DELETED}
        if all(v.revision > 0 and v.status in wanted for v in standing):
            yield f"{record_id} was not listed, and {standing} stood all the time"


def _chain_faults(chain: Chain, timeline: Timeline) -> Iterator[str]:
    """A record's history has no gap, and ends at its beginning or at a forgetting."""
    newest, later = timeline.upto(chain.record_id, chain.revisions[0])
    if any(v.maybe_absent and timeline.earliest(v.revision) <= chain.ended for v in later):
        return  # it may have been forgotten while it was told
    known = [version.revision for version in timeline.records.get(chain.record_id, [ABSENT])]
    end = known.index(newest.revision) + 1
    if list(chain.revisions) != known[max(end - len(chain.revisions), 0) : end][::-1]:
        yield f"{chain.record_id}: the history {chain.revisions} is not that of {known}"
    oldest, _ = timeline.upto(chain.record_id, chain.revisions[-1] - 1)
    if chain.whole and newest.status != DELETED and not oldest.maybe_absent:
        yield f"{chain.record_id}: its history ends at {chain.revisions[-1]}, after {oldest}"
