"""The partitions that a process holds in memory, brought up to date when they are asked for."""

from collections import OrderedDict
from dataclasses import dataclass, field

import apsw

from palimpsest.adapters.sqlite.partition import View, refreshed
from palimpsest.adapters.sqlite.schema import meta
from palimpsest.adapters.sqlite.writing import partition_number
from palimpsest.domain.lexical import FieldWeights


@dataclass(slots=True, kw_only=True)
class Views:
    """The most recently used partitions, of `capacity` slots in all (and always the last one).

    Used by one thread at a time: whoever holds the reading connection.
    """

    weights: FieldWeights
    capacity: int
    _held: OrderedDict[str, View] = field(default_factory=OrderedDict)

    def of(self, partition: str, connection: apsw.Connection) -> View | None:
        """The partition as of the connection's transaction; None if nothing was ever written."""
        dimension = meta(connection, "dimension") or 0
        view = self._held.pop(partition, None)
        if view is None:
            number = partition_number(connection, partition)
            if number is None:
                return None
            view = View.empty(number, dimension=dimension)
        view = refreshed(view, connection, dimension=dimension, weights=self.weights)
        self._held[partition] = view
        while len(self._held) > 1 and sum(len(v.ids) for v in self._held.values()) > self.capacity:
            self._held.popitem(last=False)
        return view
