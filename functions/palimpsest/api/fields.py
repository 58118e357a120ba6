"""Field types that the HTTP contracts share: ids, instants, strings limited in bytes, broken
characters.
"""

import re
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from typing import Annotated, Any

from pydantic import (
    AfterValidator,
    BeforeValidator,
    GetCoreSchemaHandler,
    GetJsonSchemaHandler,
    WithJsonSchema,
)
from pydantic_core import CoreSchema, PydanticCustomError, core_schema

from palimpsest.domain import names
from palimpsest.domain.clean import is_broken, without_broken
from palimpsest.domain.instants import from_millis, from_text, to_millis
from palimpsest.domain.names import record_id_fault

_RFC3339 = (
    "(?!0000)[0-9]{4}-[0-9]{2}-[0-9]{2}[Tt ][0-9]{2}:[0-9]{2}:[0-5][0-9]([.][0-9]+)?"
    "([Zz]|[+-]([01][0-9]|2[0-3]):[0-5][0-9])"
)
_SPELT = re.compile(_RFC3339)

Warnings = list[dict[str, str]]
REMOVED = "broken_characters_removed"
_NO_TEXT = frozenset({"id", "supersedes", "event_time", "valid_from", "valid_to", "expires_at"})
"""Ids and instants: with a broken character in it, one is another or none, so it is refused."""


INSTANT: dict[str, Any] = {
    "anyOf": [
        {
            "type": "string",
            "format": "date-time",
            "pattern": f"^{_RFC3339}$",
            "description": "RFC 3339 with an offset; kept to the millisecond.",
        },
        {
            "type": "integer",
            "minimum": to_millis(datetime.min.replace(tzinfo=UTC)),
            "maximum": to_millis(datetime.max.replace(tzinfo=UTC)),
            "description": "Milliseconds since 1970-01-01T00:00:00Z.",
        },
    ]
}


NAMESPACE: dict[str, Any] = {
    "type": "string",
    "minLength": 1,
    "maxLength": 128,
    "pattern": f"^{names.NAMESPACE_PATTERN}$",
}
BLANK = r"\x00\t-\r\x1c- \x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000"
"""What `str.strip` takes off, and NUL, which is removed before: for a class of a pattern. Written
out, since `\\s` is not the same in Python and in ECMAScript.
"""
SAID: dict[str, Any] = {"minLength": 1, "pattern": f"[^{BLANK}]"}
"""A text that is not only white space."""
UNBROKEN: dict[str, Any] = {"pattern": r"^[^\x00]*$"}
"""A text without NUL; half a surrogate pair cannot be in a document in UTF-8."""
RECORD_ID: dict[str, Any] = {
    "type": "string",
    "minLength": 1,
    "maxLength": 256,
    "pattern": f"^(?!{names.RESERVED_ID_PREFIX}){names.RECORD_ID_PATTERN}$",
    "description": "Ids that begin with `doc_` are the service's own and cannot be written.",
}


READ_ID: dict[str, Any] = {
    "type": "string",
    "minLength": 1,
    "maxLength": 256,
    "pattern": f"^{names.RECORD_ID_PATTERN}$",
}


@dataclass(frozen=True, slots=True)
class limited:  # noqa: N801  # used as `AfterValidator` and its like are, by a verb
    """A string of at most `limit` bytes of UTF-8. In a schema, which counts characters, the same
    number is what bounds them.
    """

    limit: int

    def __get_pydantic_core_schema__(
        self, source: Any, handler: GetCoreSchemaHandler
    ) -> CoreSchema:
        return core_schema.no_info_after_validator_function(self._checked, handler(source))

    def __get_pydantic_json_schema__(
        self, schema: CoreSchema, handler: GetJsonSchemaHandler
    ) -> dict[str, Any]:
        return {**handler(schema), "maxLength": self.limit}

    def _checked(self, text: str) -> str:
        size = len(text.encode("utf-8", "surrogatepass"))
        if size > self.limit:
            raise PydanticCustomError(
                "too_long",
                "at most {limit} bytes, not {size}",
                {"limit": self.limit, "size": size},
            )
        return text


def instant(value: Any) -> datetime:
    """The instant that a JSON value spells, or pydantic's error."""
    try:
        if isinstance(value, str) and _SPELT.fullmatch(value):
            return from_text(value.upper())
        if isinstance(value, int) and not isinstance(value, bool):
            return from_millis(value)
    except ValueError as error:
        raise PydanticCustomError("no_instant", "no such instant") from error
    raise PydanticCustomError(
        "instant", "an instant is RFC 3339 with an offset, or epoch milliseconds as an integer"
    )


def _record_id(value: str, *, writing: bool = True) -> str:
    fault = record_id_fault(value, writing=writing)
    if fault:
        raise PydanticCustomError("record_id", "{fault}", {"fault": fault})
    return value


def _unbroken(value: str) -> str:
    if is_broken(value):
        raise PydanticCustomError("broken", "there is a NUL or a lone surrogate in it")
    return value


Instant = Annotated[datetime, BeforeValidator(instant), WithJsonSchema(INSTANT)]
ReadId = Annotated[str, AfterValidator(partial(_record_id, writing=False)), WithJsonSchema(READ_ID)]
"""An id that is only read: the service's own are among them."""
RecordId = Annotated[str, AfterValidator(_record_id), WithJsonSchema(RECORD_ID)]
Unbroken = Annotated[str, AfterValidator(_unbroken)]
Namespace = Annotated[Unbroken, WithJsonSchema(NAMESPACE)]
"""Its form is checked before the rest of the body, in `identity`."""


def cleaned(value: Any, field: str, warnings: Warnings) -> Any:
    """The value with every string in it freed of NULs and lone surrogates; each field that had one
    is added to `warnings` once. Keys are left alone.
    """
    if isinstance(value, str) and is_broken(value):
        warning = {"field": field, "code": REMOVED}
        if warning not in warnings:
            warnings.append(warning)
        return without_broken(value)
    if isinstance(value, list):
        return [cleaned(entry, field, warnings) for entry in value]
    if isinstance(value, dict):
        return {k: cleaned(v, f"{field}.{k}", warnings) for k, v in value.items()}
    return value


def cleaned_members(body: Any, warnings: Warnings, *, prefix: str = "") -> Any:
    """Each member of a record that is text cleaned under its own name; anything else as it is."""
    if not isinstance(body, dict):
        return body
    return {
        k: v if k in _NO_TEXT else cleaned(v, f"{prefix}{k}", warnings) for k, v in body.items()
    }
