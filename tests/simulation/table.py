"""The simulated table at rest: items, transactions that become visible one item at a time, and
copies of a moment.

What is applied is true at once, for conditions and serializable reads. Until an item of a
transaction is visible, plain reads show what was there before, and a write to it either waits until
it is visible (which it then is) or is refused as a conflict.
"""

import random
from bisect import bisect_left, bisect_right, insort
from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol

Item = dict[str, Any]

LONGEST_HIDDEN_S = 0.3
"""How long an item of a transaction stays hidden at most: less than readers are patient, and than
the eraser takes between its two looks.
"""

SHOWN = 0.06
"""How likely an item comes into view while another call is made."""


class Key(NamedTuple):
    """A primary key."""

    pk: str
    sk: str


class Written(NamedTuple):
    """One item before and after a write; None: it is not there."""

    key: Key
    before: Item | None
    after: Item | None


class Witness(Protocol):
    """Who is told of everything that changes in the table."""

    def written(self, writes: Sequence[Written], *, together: bool) -> None:
        """A write, or a transaction (`together`), has been applied."""

    def visible(self, key: Key) -> None:
        """An item of a transaction can be seen from now on."""


@dataclass(slots=True, eq=False)
class UnderWay:
    """A transaction whose items are not all visible yet. `until`: when they are in any case."""

    hidden: list[Key]
    until: float


class Table:
    """Items by key. `witness` may be set later."""

    def __init__(self, chance: random.Random, now: Callable[[], float]) -> None:
        self._chance = chance
        self._now = now
        self._items: dict[Key, Item] = {}
        self._order: dict[str, list[str]] = defaultdict(list)
        self._hidden: dict[Key, Item | None] = {}
        self._under_way: list[UnderWay] = []
        self.half_seen = 0
        self.witness: Witness | None = None

    def true(self, key: Key) -> Item | None:
        """The item as it is."""
        return self._items.get(key)

    def everything(self) -> dict[Key, Item]:
        """All items as they are."""
        return self._items

    def seen(self, key: Key) -> Item | None:
        """The item as a plain read sees it."""
        if self._hidden and key in self._hidden:
            self.half_seen += 1
            return self._hidden[key]
        return self._items.get(key)

    def is_hidden(self, key: Key) -> bool:
        """Whether its last write cannot be seen yet."""
        return key in self._hidden

    def following(self, pk: str, sk: str, *, backward: bool, beside: bool) -> str | None:
        """The next sort key of a partition; with `beside`, `sk` itself counts."""
        order = self._order.get(pk, [])
        if backward:
            place = (bisect_right(order, sk) if beside else bisect_left(order, sk)) - 1
            return order[place] if place >= 0 else None
        place = bisect_left(order, sk) if beside else bisect_right(order, sk)
        return order[place] if place < len(order) else None

    def write(self, key: Key, after: Item | None) -> None:
        """One write by itself, visible at once."""
        written = Written(key, self._items.get(key), after)
        self._put(key, after)
        if self.witness is not None:
            self.witness.written([written], together=False)

    def transact(self, writes: Sequence[tuple[Key, Item | None]]) -> UnderWay:
        """Apply them all; which of them can be seen at once is a matter of chance."""
        written = [Written(key, self._items.get(key), after) for key, after in writes]
        hidden = [key for key, _ in writes]
        self._chance.shuffle(hidden)
        for key, before, _ in written:
            self._hidden[key] = before
        for key, after in writes:
            self._put(key, after)
        if self.witness is not None:
            self.witness.written(written, together=True)
        under_way = UnderWay(hidden, self._now() + LONGEST_HIDDEN_S)
        if hidden:
            self._under_way.append(under_way)
            left = self._chance.randrange(len(hidden) + 1)
            while len(hidden) > left:
                self.show(hidden[-1], under_way)
        return under_way

    def show(self, key: Key, under_way: UnderWay | None = None) -> None:
        """Let an item be seen."""
        del self._hidden[key]
        if key not in self._items and key.sk in self._order[key.pk]:  # it may never have been there
            self._order[key.pk].remove(key.sk)
        owner = under_way or next(one for one in self._under_way if key in one.hidden)
        owner.hidden.remove(key)
        if not owner.hidden:
            self._under_way.remove(owner)
        if self.witness is not None:
            self.witness.visible(key)

    def show_all(self, under_way: UnderWay) -> None:
        """The writer has its answer: everything can be seen."""
        while under_way.hidden:
            self.show(under_way.hidden[-1], under_way)

    def abandon(self, under_way: UnderWay) -> None:
        """The writer has gone without an answer: the rest becomes visible by itself."""
        left = under_way.until - self._now()
        under_way.until = self._now() + self._chance.random() * left

    def go_on(self) -> None:
        """Time has passed: some of what is hidden becomes visible."""
        for one in list(self._under_way):
            if self._now() >= one.until:
                self.show_all(one)
            elif self._chance.random() < SHOWN:
                self.show(one.hidden[-1], one)

    def copy(self) -> dict[Key, Item]:
        """Everything as it is now, to be put back later."""
        return dict(self._items)

    def put_back(self, copied: dict[Key, Item]) -> None:
        """Nothing but what was there when it was copied."""
        self._items = dict(copied)
        self._order = defaultdict(list)
        for key in sorted(copied):
            self._order[key.pk].append(key.sk)
        self._hidden.clear()
        for one in self._under_way:
            one.hidden.clear()
        self._under_way.clear()

    def _put(self, key: Key, after: Item | None) -> None:
        there = key in self._items
        order = self._order[key.pk]
        if after is not None:
            place = bisect_left(order, key.sk)
            if not there and (place == len(order) or order[place] != key.sk):
                insort(order, key.sk)
            self._items[key] = after
        elif there:
            del self._items[key]
            if key not in self._hidden:
                order.remove(key.sk)
