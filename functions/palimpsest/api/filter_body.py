"""A filter as JSON, made the domain's: unknown fields, operators and unfit values are refused by
name.
"""

import math
from datetime import datetime
from typing import Any

from pydantic_core import PydanticCustomError

from palimpsest.api.fields import instant
from palimpsest.domain.clean import is_broken
from palimpsest.domain.filters import (
    FIXED_FIELDS,
    INSTANT_FIELDS,
    METADATA_PREFIX,
    NUMBER_FIELDS,
    Condition,
    Filter,
    FilterValue,
)

MAX_LEAVES = 50
MAX_VALUES = 1_000
OPERATORS = frozenset({"eq", "in"})
LATER = frozenset({"and", "or", "not", "ne", "nin", "gt", "gte", "lt", "lte", "exists", "prefix"})


def parsed_filter(value: Any) -> Filter | None:
    """The filter that a JSON value spells; null and `{}` are none. Raises pydantic's errors, naming
    the field.
    """
    if value is None or value == {}:
        return None
    if not isinstance(value, dict):
        raise _fault("a filter is an object")
    conditions = [
        condition for field, asked in value.items() for condition in _conditions(field, asked)
    ]
    if len(conditions) > MAX_LEAVES:
        raise _fault(f"at most {MAX_LEAVES} conditions")
    return Filter(tuple(conditions))


def _conditions(field: str, asked: Any) -> list[Condition]:
    if field in LATER:
        raise _fault(f"{field}: this version knows only eq and in")
    if field not in FIXED_FIELDS and not (
        field.startswith(METADATA_PREFIX) and len(field) > len(METADATA_PREFIX)
    ):
        raise _fault(f"{field[:128]!r} is no field to filter by")
    if not isinstance(asked, dict):
        return [Condition(field, (_value(field, asked),))]
    if not asked:
        raise _fault(f"{field}: an empty condition")
    return [Condition(field, _operand(field, name, operand)) for name, operand in asked.items()]


def _operand(field: str, operator: str, operand: Any) -> tuple[FilterValue, ...]:
    if operator in LATER:
        raise _fault(f"{field}: this version knows only eq and in, not {operator}")
    if operator not in OPERATORS:
        raise _fault(f"{field}: {operator[:64]!r} is no operator")
    if operator == "eq":
        return (_value(field, operand),)
    if not isinstance(operand, list) or not operand:
        raise _fault(f"{field}: in takes a list with at least one value")
    if len(operand) > MAX_VALUES:
        raise _fault(f"{field}: at most {MAX_VALUES} values")
    return tuple(_value(field, value) for value in operand)


def _value(field: str, value: Any) -> FilterValue:
    if field in INSTANT_FIELDS:
        return _instant(field, value)
    if field in NUMBER_FIELDS:
        if isinstance(value, bool) or not isinstance(value, int | float) or not _finite(value):
            raise _fault(f"{field}: takes a number")
        return value
    if isinstance(value, str) and not is_broken(value):
        return value
    if field in FIXED_FIELDS:
        raise _fault(f"{field}: takes a string")
    if isinstance(value, bool) or (isinstance(value, int | float) and _finite(value)):
        return value
    raise _fault(f"{field}: takes a string, a number or a boolean")


def _instant(field: str, value: Any) -> datetime:
    try:
        return instant(value)
    except PydanticCustomError as error:
        raise _fault(f"{field}: {error.message()}") from error


def _finite(value: float) -> bool:
    try:
        return math.isfinite(float(value))
    except OverflowError:
        return False


def _fault(message: str) -> PydanticCustomError:
    return PydanticCustomError("filter", "{fault}", {"fault": message})
