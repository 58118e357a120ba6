"""The leaves of a filter in SQL: each is one or several ranges of the primary key of `attributes`.

That key is (partition, field, kind, value, entry). Strings stand in it by the bytes of their UTF-8,
which is the order of their code points; whole and other numbers compare exactly.
"""

import re
from collections import defaultdict
from collections.abc import Iterator

from palimpsest.adapters.sqlite.encoding import (
    BOOLEAN,
    NUMBER_KINDS,
    STRING,
    kind_and_value,
    storable,
)
from palimpsest.domain.filters import Compare, Exists, Leaf, OneOf, Prefix, Relation

Statement = tuple[str, tuple[object, ...]]
_Range = tuple[str, tuple[object, ...]]

# One row of numbers joined by commas: five times as fast as a row for each of some thousand.
_SELECT = "SELECT group_concat(entry) FROM attributes WHERE partition = ? AND field = ?"
_CHUNK = 10_000  # values in one statement, below SQLite's limit of bound parameters
_SIGNS = {Relation.GT: ">", Relation.GTE: ">=", Relation.LT: "<", Relation.LTE: "<="}
_UPWARD = (Relation.GT, Relation.GTE)
_SURROGATE = re.compile("[\ud800-\udfff]")
_AFTER_SURROGATES = "\ue000"
_LAST_CHARACTER = "\U0010ffff"


def statements(leaf: Leaf, *, partition: int) -> Iterator[Statement]:
    """SQL with bound values that gives the entries for which the leaf holds; several statements
    add up, and an entry may be given more than once.
    """
    if storable(leaf.field):  # no record has a key that is not
        for condition, values in _ranges(leaf):
            yield f"{_SELECT} {condition}", (partition, leaf.field, *values)


def _ranges(leaf: Leaf) -> Iterator[_Range]:
    if isinstance(leaf, OneOf):
        yield from _one_of(leaf)
    elif isinstance(leaf, Compare):
        yield from _compared(leaf)
    elif isinstance(leaf, Prefix):
        yield from _beginning(leaf)
    elif isinstance(leaf, Exists):
        yield "", ()


def _one_of(leaf: OneOf) -> Iterator[_Range]:
    by_kind: dict[str, list[object]] = defaultdict(list)
    for asked in leaf.values:
        found = kind_and_value(asked)
        if found is not None:
            by_kind[found[0]].append(found[1])
    for kind, values in by_kind.items():
        for start in range(0, len(values), _CHUNK):
            chunk = values[start : start + _CHUNK]
            marks = ", ".join("?" * len(chunk))
            yield f"AND kind = ? AND value IN ({marks})", (kind, *chunk)


def _compared(leaf: Compare) -> Iterator[_Range]:
    relation, asked = leaf.relation, leaf.value
    if isinstance(asked, str) and (half := _SURROGATE.search(asked)):
        # the nearest string that can stand in the file, above all that are below `asked`
        asked = asked[: half.start()] + _AFTER_SURROGATES
        relation = Relation.GTE if relation in _UPWARD else Relation.LT
    found = kind_and_value(asked)
    if found is None or found[0] == BOOLEAN:
        return
    kind, value = found
    yield f"AND kind = ? AND value {_SIGNS[relation]} ?", (kind, value)
    if kind in NUMBER_KINDS:
        place = NUMBER_KINDS.index(kind)
        beyond = NUMBER_KINDS[place + 1 :] if relation in _UPWARD else NUMBER_KINDS[:place]
        for other in beyond:
            yield "AND kind = ?", (other,)


def _beginning(leaf: Prefix) -> Iterator[_Range]:
    if not storable(leaf.text):
        return
    end = _next(leaf.text)
    if end is None:
        yield "AND kind = ? AND value >= ?", (STRING, leaf.text)
    else:
        yield "AND kind = ? AND value >= ? AND value < ?", (STRING, leaf.text, end)


def _next(prefix: str) -> str | None:
    """The first string above all that begin with `prefix`; None if there is none."""
    kept = prefix.rstrip(_LAST_CHARACTER)
    if not kept:
        return None
    successor = chr(ord(kept[-1]) + 1)
    return kept[:-1] + (_AFTER_SURROGATES if _SURROGATE.match(successor) else successor)
