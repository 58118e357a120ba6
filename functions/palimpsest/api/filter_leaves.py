"""One operator on one field: what it takes, which fields it fits, and the domain's form of it."""

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from palimpsest.api.filter_values import fault, shown, too_much, value_for
from palimpsest.domain.filters import (
    INSTANT_FIELDS,
    METADATA_PREFIX,
    NUMBER_FIELDS,
    Compare,
    Exists,
    Filter,
    Not,
    OneOf,
    Prefix,
    Relation,
)

MAX_VALUES = 1_000
MAX_PREFIX_BYTES = 1_024


def leaf(field: str, operator: str, operand: Any) -> Filter:
    """The filter `{field: {operator: operand}}`. Raises the fault of an unknown operator, or of one
    that does not fit the field.
    """
    made = OPERATORS.get(operator)
    if made is None:
        raise fault(f"{shown(field)}: {operator[:64]!r} is no operator")
    return made(field, operand)


def _eq(field: str, operand: Any) -> OneOf:
    return OneOf(field, (value_for(field, operand),))


def _in(field: str, operand: Any) -> OneOf:
    if not isinstance(operand, list) or not operand:
        raise fault(f"{shown(field)}: in and nin take a list with at least one value")
    if len(operand) > MAX_VALUES:
        raise fault(f"{shown(field)}: at most {MAX_VALUES} values")
    return OneOf(field, tuple(value_for(field, value) for value in operand))


def _compare(relation: Relation, field: str, operand: Any) -> Compare:
    if not (field in NUMBER_FIELDS | INSTANT_FIELDS or field.startswith(METADATA_PREFIX)):
        raise fault(f"{shown(field)}: {relation.value} does not fit it: it has no order")
    value = value_for(field, operand)
    if isinstance(value, bool):
        raise fault(f"{shown(field)}: {relation.value} takes a number or a string")
    return Compare(field, relation, value)


def _prefix(field: str, operand: Any) -> Prefix:
    if field in NUMBER_FIELDS | INSTANT_FIELDS:
        raise fault(f"{shown(field)}: prefix does not fit it: it is no string")
    text = value_for(field, operand)
    if not isinstance(text, str):
        raise fault(f"{shown(field)}: prefix takes a string")
    if len(text.encode()) > MAX_PREFIX_BYTES:
        raise too_much(f"{shown(field)}: a prefix of at most {MAX_PREFIX_BYTES} bytes")
    return Prefix(field, text)


def _exists(field: str, operand: Any) -> Filter:
    if not isinstance(operand, bool):
        raise fault(f"{shown(field)}: exists takes true or false")
    return Exists(field) if operand else Not(Exists(field))


OPERATORS: Mapping[str, Callable[[str, Any], Filter]] = {
    "eq": _eq,
    "ne": lambda field, operand: Not(_eq(field, operand)),
    "in": _in,
    "nin": lambda field, operand: Not(_in(field, operand)),
    **{relation.value: partial(_compare, relation) for relation in Relation},
    "prefix": _prefix,
    "exists": _exists,
}
