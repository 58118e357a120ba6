"""The model of truth: what every record was, from which moment on and to whom visible, built from
the writes as the simulated table applied them, and from nothing of the code under test.
"""

import json
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from simulation.table import Item, Key

ACTIVE, SUPERSEDED, DELETED, ABSENT = "active", "superseded", "deleted", "absent"
NEVER = float("inf")
Names = tuple[str, str]
"""A partition and a record id."""


@dataclass(slots=True, eq=False)
class Version:
    """A record at a revision. `text` is None where there is none; `applied` and `visible` are the
    moments at which it became true, and could be seen by every read. `lost`: with a restore.
    """

    revision: int
    status: str
    text: str | None
    applied: float
    visible: float = NEVER
    by: str = ""
    supersedes: tuple[str, ...] = ()
    superseded_by: str | None = None
    lost: bool = False

    @property
    def there(self) -> bool:
        """Whether it can be read."""
        return self.status in {ACTIVE, SUPERSEDED}

    @property
    def ends(self) -> bool:
        """Whether nothing from before is ever shown: it was forgotten, or purged."""
        return self.status == DELETED or (self.status == ABSENT and self.revision > 0)

    def __str__(self) -> str:
        return f"{self.status}@{self.revision} {self.text!r}"


@dataclass(slots=True, eq=False)
class Tick:
    """A value of a clock, and from when on it was seen."""

    revision: int
    applied: float
    visible: float = NEVER
    purged: tuple[Version, ...] = ()
    """What every record was from then on, and is seen to be with this value: it purged them."""


@dataclass(slots=True)
class Truth:
    """Everything that ever was, by record and by namespace, in the order of its application."""

    versions: dict[Names, list[Version]] = field(default_factory=lambda: defaultdict(_absent))
    ticks: dict[str, list[Tick]] = field(default_factory=lambda: defaultdict(_unwound))
    hidden: dict[Key, Version | Tick] = field(default_factory=dict)
    jumps: set[tuple[str, int]] = field(default_factory=set)
    floors: dict[str, int] = field(default_factory=dict)

    def now(self, names: Names) -> Version:
        """The record as it is."""
        return self.versions[names][-1] if names in self.versions else _absent()[0]

    def clock(self, pk: str) -> int:
        """The clock as it is."""
        return self.ticks[pk][-1].revision if pk in self.ticks else 0

    def partitions(self) -> list[str]:
        """Every namespace that was ever written to."""
        return list(self.ticks)

    def records(self, pk: str) -> Iterator[tuple[str, Version]]:
        """The records of a namespace as they are, those that ever were."""
        for (partition, record_id), found in self.versions.items():
            if partition == pk:
                yield record_id, found[-1]

    def seen(self, names: Names, began: float, ended: float) -> list[Version]:
        """The versions that a read could see at some moment between the two."""
        return _between(self.versions.get(names) or _absent(), began, ended)

    def ticked(self, pk: str, began: float, ended: float) -> list[int]:
        """The values that a read of the clock could see between the two."""
        found = _between(self.ticks.get(pk) or _unwound(), began, ended)
        return [tick.revision for tick in found]

    def standing(self, names: Names) -> list[Version]:
        """The versions of a record that no restore has lost, oldest first."""
        return [one for one in self.versions.get(names, _absent()) if not one.lost]

    def forgotten(self) -> Iterator[tuple[Names, set[str]]]:
        """Of each record, the texts that were forgotten and not written again since."""
        for names in self.versions:
            gone: set[str] = set()
            held: set[str] = set()
            for one in self.standing(names):
                if one.ends:
                    gone |= held
                    held = set()
                elif one.text is not None:
                    held.add(one.text)
                    gone.discard(one.text)
            if gone:
                yield names, gone

    def purge(self, pk: str, floor: int, moment: int, by: str) -> None:
        """Every record of a namespace is absent from now on. The value of the clock that says so
        has been taken in.
        """
        self.floors[pk] = floor
        gone = []
        for names, found in self.versions.items():
            if names[0] == pk:
                gone.append(Version(floor, ABSENT, None, moment, by=by))
                found.append(gone[-1])
        self.ticks[pk][-1].purged = tuple(gone)

    def shown(self, key: Key, moment: int) -> None:
        """An item can be seen by every read from now on."""
        hidden = self.hidden.pop(key, None)
        if hidden is None:
            return
        hidden.visible = moment
        for one in hidden.purged if isinstance(hidden, Tick) else ():
            one.visible = moment

    def put_back(self, items: Mapping[Key, Item], moment: int) -> None:
        """The table has been put back to an older point: what came after is lost."""
        self.hidden.clear()
        clocks = {key.pk: item for key, item in items.items() if key.sk == "CLOCK"}
        floors = {pk: int(item["fl"]["N"]) for pk, item in clocks.items() if "fl" in item}
        self.floors = floors
        for names, found in self.versions.items():
            item = items.get(Key(names[0], f"R#{names[1]}"))
            kept = max(int(item["rev"]["N"]) if item else 0, floors.get(names[0], 0))
            for one in found:
                one.lost = one.lost or one.revision > kept
                one.visible = min(one.visible, moment)
            last = [one for one in found if not one.lost][-1]
            if found[-1] is not last:
                again = replace(last, applied=moment, visible=moment)
                last.lost = True
                found.append(again)
        for pk, ticks in self.ticks.items():
            item = items.get(Key(pk, "CLOCK"))
            for tick in ticks:
                tick.visible = min(tick.visible, moment)
            ticks.append(Tick(int(item["rev"]["N"]) if item else 0, moment, moment))


def version_of(item: Mapping[str, Any], moment: int, by: str) -> Version:
    """A record's item as the version it is."""
    content = json.loads(item["c"]["S"]) if "c" in item else {}
    return Version(
        int(item["rev"]["N"]),
        item["st"]["S"],
        content.get("text"),
        moment,
        by=by,
        supersedes=tuple(content.get("supersedes", ())),
        superseded_by=item["sb"]["S"] if "sb" in item else None,
    )


def _absent() -> list[Version]:
    return [Version(0, ABSENT, None, 0, 0)]


def _unwound() -> list[Tick]:
    return [Tick(0, 0, 0)]


def _between(found: list[Any], began: float, ended: float) -> list[Any]:
    """Those whose time of being seen meets that from `began` to `ended`."""
    those, until = [], NEVER
    for one in reversed(found):
        if one.visible <= ended and until >= began:
            those.append(one)
        until = min(until, one.visible)
        if until < began:
            break
    return those
