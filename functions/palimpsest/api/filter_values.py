"""The values of a filter, by the type of the field that they are asked of."""

import math
from datetime import datetime
from typing import Any

from pydantic_core import PydanticCustomError

from palimpsest.api.fields import instant
from palimpsest.domain.clean import is_broken
from palimpsest.domain.filters import FIXED_FIELDS, INSTANT_FIELDS, NUMBER_FIELDS, FilterValue


def value_for(field: str, value: Any) -> FilterValue:
    """The value as it is compared, or the fault of one that the field cannot have."""
    name = shown(field)
    if field in INSTANT_FIELDS:
        return _instant(name, value)
    if field in NUMBER_FIELDS:
        if isinstance(value, bool) or not _is_finite(value):
            raise fault(f"{name}: takes a number")
        number: int | float = value
        return number
    if isinstance(value, str) and not is_broken(value):
        return value
    if field in FIXED_FIELDS:
        raise fault(f"{name}: takes a string")
    if isinstance(value, bool) or _is_finite(value):
        other: bool | int | float = value
        return other
    raise fault(f"{name}: takes a string, a number or a boolean")


def shown(field: str) -> str:
    """The field's name as messages tell it."""
    return field[:160]


def fault(message: str) -> PydanticCustomError:
    """What is wrong with a filter, as pydantic reports it."""
    return PydanticCustomError("filter", "{fault}", {"fault": message})


def too_much(message: str) -> PydanticCustomError:
    """The fault of a filter that is larger, as a whole or in bytes, than any schema can tell."""
    return PydanticCustomError("filter_size", "{fault}", {"fault": message})


def _instant(name: str, value: Any) -> datetime:
    try:
        return instant(value)
    except PydanticCustomError as error:
        raise fault(f"{name}: {error.message()}") from error


def _is_finite(value: Any) -> bool:
    try:
        return isinstance(value, int | float) and math.isfinite(float(value))
    except OverflowError:
        return False
