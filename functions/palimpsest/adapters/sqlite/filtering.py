"""Filters on the file: each leaf gives a set of entries, and `And`, `Or`, `Not` are `&`, `|`, `~`
of these sets. What a filter means is `domain.filters.passes`.
"""

from functools import reduce
from operator import and_, or_

import apsw
import numpy as np
import numpy.typing as npt

from palimpsest.adapters.sqlite.leaf_statements import statements
from palimpsest.adapters.sqlite.schema import run
from palimpsest.domain.filters import And, Filter, Leaf, Not, Or

Booleans = npt.NDArray[np.bool_]


def passing(
    connection: apsw.Connection, wanted: Filter, *, partition: int, entries: int
) -> Booleans:
    """By entry number (below `entries`), whether the entry passes, if it is of that partition and
    no tombstone: of other entries nothing is said, and under `Not` they are among those that pass.
    """

    def holding(part: Filter) -> Booleans:
        if isinstance(part, And):
            return reduce(and_, map(holding, part.parts), np.ones(entries, np.bool_))
        if isinstance(part, Or):
            return reduce(or_, map(holding, part.parts), np.zeros(entries, np.bool_))
        if isinstance(part, Not):
            return ~holding(part.part)
        return _found(connection, part, partition=partition, entries=entries)

    return holding(wanted)


def _found(connection: apsw.Connection, leaf: Leaf, *, partition: int, entries: int) -> Booleans:
    found = np.zeros(entries, np.bool_)
    for sql, values in statements(leaf, partition=partition):
        numbers: str | None = run(connection, sql, values)[0][0]
        if numbers is not None:
            found[np.fromstring(numbers, np.int64, sep=",")] = True
    return found
