"""Invariants of every commit, checked as the table applies it: the clock has no gap, nothing but
what was asked for is written, once, every guard is true of the state it is applied to, and what is
overwritten is kept.
"""

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from simulation.requests import Request, Requests, Told, Wish
from simulation.scheduling import Violated
from simulation.table import Item, Key, Written
from simulation.truth import (
    ABSENT,
    ACTIVE,
    DELETED,
    SUPERSEDED,
    Tick,
    Truth,
    Version,
    version_of,
)

COUNTS = {"n_active": ACTIVE, "n_superseded": SUPERSEDED, "n_deleted": DELETED}
RESTORE = "restore"


@dataclass(frozen=True, slots=True)
class Commit:
    """The items of one transaction that advances a clock."""

    pk: str
    clock: Written
    log: Item
    items: Mapping[str, Item]

    @property
    def revision(self) -> int:
        return _revision(self.clock.after)

    @property
    def by(self) -> str:
        return str(self.log["by"]["S"])

    def records(self) -> dict[str, Item]:
        """The records it writes, by id."""
        found = {sk: item for sk, item in self.items.items() if sk.startswith("R#")}
        return {sk.removeprefix("R#"): item for sk, item in found.items()}


def commit_of(writes: Sequence[Written]) -> Commit | None:
    """The commit that a transaction is; None for another one."""
    clock = next((one for one in writes if one.key.sk == "CLOCK"), None)
    if clock is None:
        return None
    pk = clock.key.pk
    items = {key.sk: after for key, _, after in writes if key.pk == pk and after is not None}
    log = items.get(f"C#{_revision(clock.after):020}")
    if log is None:
        raise Violated("log", f"{pk}: the clock came to {_revision(clock.after)} without an entry")
    return Commit(pk, clock, log, items)


def check(commit: Commit, truth: Truth, requests: Requests) -> Request | None:
    """Raises `Violated`. The request that was applied; None for a jump of the clock."""
    check_clock(commit, truth)
    check_counts(commit, truth)
    records = commit.records()
    if commit.by == RESTORE:
        if records:
            raise Violated("phantom write", f"a jump wrote {sorted(records)}")
        return None
    request = requests.by_name.get(commit.by)
    if request is None or request.pk != commit.pk:
        raise Violated("phantom write", f"{commit.pk} {commit.revision} by {commit.by}")
    if request.applied or request.told is not Told.NOTHING:
        raise Violated("once", f"{request} is applied again at {commit.revision}")
    _check_guards(request, truth)
    expected = dict(expected_of(request, truth))
    found = {i: version_of(item, 0, commit.by) for i, item in records.items()}
    wrong = [
        f"{i}: {found.get(i)} instead of {expected.get(i)}"
        for i in sorted(expected.keys() | found.keys())
        if _differs(found.get(i), expected.get(i), commit.revision)
    ]
    if wrong:
        raise Violated("lost or phantom write", f"{request} at {commit.revision}: {wrong}")
    check_left_behind(commit, truth, {i: one for i, one in expected.items() if i in found})
    return request


def expected_of(request: Request, truth: Truth) -> Iterator[tuple[str, tuple[str, str | None]]]:
    """What a request changes on the present state: status and text by id."""
    for wish in request.wishes:
        before = truth.now(request.names(wish.record_id))
        changed = not stands_as_wished(wish, before)
        if changed:
            yield wish.record_id, (DELETED if wish.text is None else ACTIVE, wish.text)
        for other in wish.supersedes:
            old = truth.now(request.names(other))
            if not old.there and not changed:
                continue
            if not old.there:
                raise Violated("guards", f"{request.by} supersedes {other}, which is not there")
            if (old.status, old.superseded_by) != (SUPERSEDED, wish.record_id):
                yield other, (SUPERSEDED, old.text)


def stands_as_wished(wish: Wish, version: Version) -> bool:
    """Whether a put changes nothing."""
    content = (version.status, version.text, version.supersedes)
    return content == (ACTIVE, wish.text, wish.supersedes)


def guard_holds(wish: Wish, version: Version) -> bool:
    """Whether an operation's guard is true of a record."""
    revision = version.revision if version.there else 0
    if wish.text is None and not revision:
        return False
    return wish.guard in {None, revision} or (wish.guard == "exists" and revision > 0)


def check_clock(commit: Commit, truth: Truth) -> None:
    """The clock goes on by one, and the log says so. Raises `Violated`."""
    before, after = truth.clock(commit.pk), commit.revision
    if after != before + 1 and not (commit.by == RESTORE and after > before):
        raise Violated("clock", f"{commit.pk} went from {before} to {after}")
    if int(commit.log["prev"]["N"]) != before:
        raise Violated("log", f"{commit.pk} {after} says that {commit.log['prev']} was before")


def check_counts(commit: Commit, truth: Truth) -> None:
    """The clock counts the records by status, and the floor stands. Raises `Violated`."""
    after = commit.revision
    floor = int((commit.clock.after or {}).get("fl", {"N": "0"})["N"])
    if floor != truth.floors.get(commit.pk, 0):
        raise Violated("purges", f"{commit.pk} {after} has the floor {floor}")
    statuses = {i: one.status for i, one in truth.records(commit.pk)}
    statuses |= {i: str(item["st"]["S"]) for i, item in commit.records().items()}
    counted = Counter(statuses.values())
    told = {status: int((commit.clock.after or {})[name]["N"]) for name, status in COUNTS.items()}
    if any(counted[status] != told[status] for status in COUNTS.values()):
        raise Violated("counts", f"{commit.pk} {after}: {told} instead of {dict(counted)}")


def _check_guards(request: Request, truth: Truth) -> None:
    clock = truth.clock(request.pk)
    if request.expected not in {None, clock}:
        raise Violated("guards", f"{request} was applied on clock {clock}")
    for wish in request.wishes:
        version = truth.now(request.names(wish.record_id))
        if not guard_holds(wish, version):
            raise Violated("guards", f"{request} was applied on {wish.record_id} {version}")


def _differs(found: Version | None, expected: tuple[str, str | None] | None, revision: int) -> bool:
    if found is None or expected is None:
        return True
    return (found.status, found.text) != expected or found.revision != revision


def check_left_behind(
    commit: Commit, truth: Truth, expected: Mapping[str, tuple[str, str | None]]
) -> None:
    """Former versions, marks of forgettings, and the log's word of what was before."""
    floor = truth.floors.get(commit.pk, 0)
    purged = [sk for sk in commit.items if sk.startswith("H#") and int(sk[-20:]) <= floor]
    if purged:
        raise Violated("purges", f"{commit.pk} {commit.revision} keeps {purged}")
    ids = [one["S"] for one in commit.log["ids"]["L"]]
    was = dict(zip(ids, (int(one["N"]) for one in commit.log["was"]["L"]), strict=True))
    for record_id, (status, _) in expected.items():
        before = truth.now((commit.pk, record_id))
        told = was.get(record_id, -1)
        if told != before.revision and not (
            before.status == ABSENT and 0 <= told <= before.revision
        ):
            raise Violated("log", f"{commit.pk} {commit.revision}: {record_id} was {before}")
        marker = f"E#{record_id}#{commit.revision:020}"
        if status == DELETED and marker not in commit.items:
            raise Violated("forgetting", f"{commit.pk} {commit.revision}: no mark for {record_id}")
        if status == DELETED or not before.there:
            continue
        former = commit.items.get(f"H#{record_id}#{before.revision:020}")
        if former is None or json.loads(former["c"]["S"])["text"] != before.text:
            raise Violated("history", f"{commit.pk} {commit.revision}: {before} is not kept")


def _revision(item: Item | None) -> int:
    return int((item or {})["rev"]["N"])


def applied(commit: Commit, truth: Truth, request: Request | None, moment: int) -> list[Key]:
    """Take a commit into the truth; the keys of what can be seen later than it is true."""
    hidden = [Key(commit.pk, "CLOCK")]
    tick = Tick(commit.revision, moment)
    truth.ticks[commit.pk].append(tick)
    truth.hidden[hidden[0]] = tick
    if commit.by == RESTORE:
        truth.jumps.add((commit.pk, commit.revision))
    if request is not None:
        request.applied.append(commit.revision)
    for record_id, item in commit.records().items():
        version = version_of(item, moment, commit.by)
        truth.versions[commit.pk, record_id].append(version)
        hidden.append(Key(commit.pk, f"R#{record_id}"))
        truth.hidden[hidden[-1]] = version
    return hidden
