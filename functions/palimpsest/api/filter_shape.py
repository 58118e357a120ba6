"""The grammar of filters as a JSON schema, named and recursive, from the same limits that the
parser keeps.

Depth and the number of leaves in all are told in words: a schema cannot count them.
"""

from copy import deepcopy
from typing import Any

from pydantic import BaseModel, GetJsonSchemaHandler
from pydantic_core import CoreSchema

from palimpsest.api.fields import INSTANT, UNBROKEN
from palimpsest.api.filter_body import MAX_DEPTH, MAX_LEAVES
from palimpsest.api.filter_leaves import MAX_PREFIX_BYTES, MAX_VALUES
from palimpsest.domain.filters import INSTANT_FIELDS, LIST_FIELDS, NUMBER_FIELDS, STRING_FIELDS

Json = dict[str, Any]

_STRING: Json = {"type": "string", **UNBROKEN}
_NUMBER: Json = {"type": "number"}
_ANY: Json = {"anyOf": [_STRING, _NUMBER, {"type": "boolean"}]}
_ORDERED: Json = {"anyOf": [_STRING, _NUMBER]}


class Filter(BaseModel):
    """The schema's name and place; filters are read by `filter_body`, never by this."""

    itself: "Filter"

    @classmethod
    def __get_pydantic_json_schema__(
        cls, core_schema: CoreSchema, handler: GetJsonSchemaHandler
    ) -> Json:
        """The grammar, which refers to itself."""
        itself = handler.resolve_ref_schema(handler(core_schema))["properties"]["itself"]
        grammar: Json = deepcopy(_grammar(itself))  # pydantic renames references in place
        return grammar


def _grammar(itself: Json) -> Json:
    inner = {"allOf": [itself], "minProperties": 1}
    several = {"type": "array", "minItems": 1, "items": inner}
    fixed = {
        **dict.fromkeys(STRING_FIELDS | LIST_FIELDS, _asked(_STRING, prefix=True)),
        **dict.fromkeys(NUMBER_FIELDS, _asked(_NUMBER, ordered=_NUMBER)),
        **dict.fromkeys(INSTANT_FIELDS, _asked(INSTANT, ordered=INSTANT)),
    }
    return {
        "type": "object",
        "description": "Equality (or membership, of lists) by field, or operators on a field; "
        "several members all hold. A record without the field passes only `not`, `ne`, `nin` and "
        f"`exists: false`. Filters nest at most {MAX_DEPTH} deep, with at most {MAX_LEAVES} "
        "conditions in all; `{}` is no filter.",
        "properties": {
            "and": several,
            "or": several,
            "not": inner,
            **{name: fixed[name] for name in sorted(fixed)},
        },
        "patternProperties": {r"^metadata\.[^\x00]+$": _asked(_ANY, ordered=_ORDERED, prefix=True)},
        "additionalProperties": False,
    }


def _asked(value: Json, *, ordered: Json | None = None, prefix: bool = False) -> Json:
    """What can be asked of a field: a value, or operators with their operands."""
    several = {"type": "array", "minItems": 1, "maxItems": MAX_VALUES, "items": value}
    operators = {"eq": value, "ne": value, "in": several, "nin": several}
    if ordered is not None:
        operators |= dict.fromkeys(("gt", "gte", "lt", "lte"), ordered)
    if prefix:
        operators["prefix"] = {**_STRING, "maxLength": MAX_PREFIX_BYTES}
    operators["exists"] = {"type": "boolean"}
    conditions = {
        "type": "object",
        "minProperties": 1,
        "properties": operators,
        "additionalProperties": False,
    }
    return {"anyOf": [*value.get("anyOf", [value]), conditions]}
