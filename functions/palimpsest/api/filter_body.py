"""A filter as JSON, made the domain's: whatever is not of its grammar is refused, naming the field.

`{"kind": "fact"}` is of depth 1, and each `and`, `or`, `not` around it adds 1. A leaf is one
operator on one field; a plain value is the operator `eq`.
"""

from dataclasses import dataclass
from typing import Any

from palimpsest.api.filter_leaves import leaf
from palimpsest.api.filter_values import fault, shown, too_much
from palimpsest.domain.clean import is_broken
from palimpsest.domain.filters import FIXED_FIELDS, METADATA_PREFIX, And, Filter, Not, Or

MAX_DEPTH = 5
MAX_LEAVES = 50


def parsed_filter(value: Any) -> Filter | None:
    """The filter that a JSON value spells; null and `{}` are none. Raises pydantic's errors."""
    if value is None or value == {}:
        return None
    return _Parsing().whole(value, depth=1)


@dataclass(slots=True)
class _Parsing:
    """One filter being read, and how many leaves it has so far."""

    leaves: int = 0

    def whole(self, value: Any, *, depth: int) -> Filter:
        """An object: everything that it says must hold."""
        if not isinstance(value, dict):
            raise fault("a filter is an object")
        if not value:
            raise fault("a filter within another must not be empty")
        if depth > MAX_DEPTH:
            raise too_much(f"filters nest at most {MAX_DEPTH} deep")
        parts = [part for name, asked in value.items() for part in self._member(name, asked, depth)]
        return parts[0] if len(parts) == 1 else And(tuple(parts))

    def _member(self, name: str, asked: Any, depth: int) -> list[Filter]:
        if name in ("and", "or"):
            if not isinstance(asked, list) or not asked:
                raise fault(f"{name}: takes a list with at least one filter")
            inner = tuple(self.whole(one, depth=depth + 1) for one in asked)
            return [And(inner) if name == "and" else Or(inner)]
        if name == "not":
            if not isinstance(asked, dict) or not asked:
                raise fault("not: takes a filter that is not empty")
            return [Not(self.whole(asked, depth=depth + 1))]
        return self._field(name, asked)

    def _field(self, field: str, asked: Any) -> list[Filter]:
        if not _is_field(field):
            raise fault(f"{field[:128]!r} is no field to filter by")
        if not isinstance(asked, dict):
            asked = {"eq": asked}
        if not asked:
            raise fault(f"{shown(field)}: an empty condition")
        self.leaves += len(asked)
        if self.leaves > MAX_LEAVES:
            raise too_much(f"at most {MAX_LEAVES} conditions in all")
        return [leaf(field, name, operand) for name, operand in asked.items()]


def _is_field(name: str) -> bool:
    key = name.removeprefix(METADATA_PREFIX) if name.startswith(METADATA_PREFIX) else ""
    return name in FIXED_FIELDS or (key != "" and not is_broken(key))
