"""What a client may write of a record, checked field by field."""

import math
from datetime import datetime
from typing import Annotated, Any

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, model_validator
from pydantic_core import PydanticCustomError

from palimpsest.api.fields import SAID, UNBROKEN, Instant, RecordId, limited
from palimpsest.domain import names
from palimpsest.domain.clean import is_broken
from palimpsest.domain.records import Content, Source

Short = Annotated[str, limited(names.MAX_STRING_BYTES)]
Item = Annotated[str, limited(names.MAX_LIST_ITEM_BYTES)]
Items = Annotated[list[Item], Field(max_length=names.MAX_LIST_ITEMS)]
_KEY: dict[str, Any] = {
    "minLength": 1,
    "maxLength": names.MAX_METADATA_KEY_CHARACTERS,
    **UNBROKEN,
}
MetadataShape = Annotated[
    dict[
        str,
        Short
        | bool
        | float
        | Annotated[list[Item], Field(max_length=names.MAX_METADATA_LIST_ITEMS)],
    ],
    Field(max_length=names.MAX_METADATA_KEYS, json_schema_extra={"propertyNames": _KEY}),
]
"""What `_metadata` checks, for the schema alone."""

_SUPERSEDED: dict[str, Any] = {"maxItems": names.MAX_SUPERSEDED, "uniqueItems": True}


def _said(text: str) -> str:
    if not text.strip():
        raise PydanticCustomError("blank", "text must not be blank")
    return text


def _number_fault(value: float) -> str | None:
    try:
        return None if math.isfinite(float(value)) else "is not finite"
    except OverflowError:
        return "is out of range"


def _list_fault(value: list[Any]) -> str | None:
    if len(value) > names.MAX_METADATA_LIST_ITEMS:
        return "has more than 50 entries"
    if not all(isinstance(entry, str) for entry in value):
        return "is a list of something else than strings"
    if any(len(entry.encode()) > names.MAX_LIST_ITEM_BYTES for entry in value):
        return "has an entry longer than 256 bytes"
    return None


def _value_fault(value: Any) -> str | None:
    """What is wrong with a metadata value, if anything."""
    if isinstance(value, str):
        size = len(value.encode())
        return None if size <= names.MAX_STRING_BYTES else "is longer than 1,024 bytes"
    if isinstance(value, int | float):  # booleans too
        return _number_fault(value)
    if isinstance(value, list):
        return _list_fault(value)
    return "is not a string, a finite number, a boolean or a list of strings"


def checked_metadata(value: Any) -> Any:
    """The metadata as they are. Raises `PydanticCustomError` naming what breaks a rule."""
    if not isinstance(value, dict):
        return value  # pydantic says what it should be
    faults = []
    if len(value) > names.MAX_METADATA_KEYS:
        faults.append("there are more than 50 keys")
    for key, entry in value.items():
        if not 1 <= len(key) <= names.MAX_METADATA_KEY_CHARACTERS:
            faults.append(f"the key {key[:128]!r} is not 1 to 128 characters long")
        elif is_broken(key):
            faults.append(f"the key {key!r} has a NUL or a lone surrogate in it")
        elif fault := _value_fault(entry):
            faults.append(f"{key!r} {fault}")
    if faults:
        raise PydanticCustomError("metadata", "{faults}", {"faults": "; ".join(faults)})
    return value


class SourceBody(BaseModel):
    """Where a text comes from."""

    model_config = ConfigDict(strict=True, extra="forbid")
    uri: Short | None = None
    title: Short | None = None
    locator: Short | None = None


class ListedFields(BaseModel):
    """The fields of a record that its client writes, but the links. null means: not given."""

    model_config = ConfigDict(strict=True, extra="forbid")
    text: Annotated[
        str,
        limited(names.MAX_TEXT_BYTES),
        AfterValidator(_said),
        Field(json_schema_extra=SAID),
    ]
    title: Short | None = None
    kind: Short | None = None
    subject: Short | None = None
    predicate: Short | None = None
    aliases: Items | None = None
    entities: Items | None = None
    tags: Items | None = None
    location: Short | None = None
    event_time: Instant | None = None
    valid_from: Instant | None = None
    valid_to: Instant | None = None
    expires_at: Instant | None = None
    importance: Annotated[float, Field(ge=0, le=1)] | None = None
    source: SourceBody | None = None
    metadata: (
        Annotated[
            dict[str, Any], BeforeValidator(checked_metadata, json_schema_input_type=MetadataShape)
        ]
        | None
    ) = None

    @model_validator(mode="after")
    def _whole(self) -> "ListedFields":
        start, end = self.valid_from, self.valid_to
        if isinstance(start, datetime) and isinstance(end, datetime) and end < start:
            raise PydanticCustomError("valid_to", "valid_to is before valid_from")
        if self.to_content().size > names.MAX_RECORD_BYTES:
            raise PydanticCustomError("too_large", "the whole record is larger than 300 KB")
        return self

    def to_content(self) -> Content:
        """The domain's form of it."""
        given = {name: getattr(self, name) for name in self.model_fields_set if name != "id"}
        values = {name: value for name, value in given.items() if value is not None}
        for name in ("aliases", "entities", "tags", "supersedes"):
            if name in values:
                values[name] = tuple(values[name])
        if self.source is not None:
            values["source"] = Source(**self.source.model_dump())
        if self.metadata is not None:
            values["metadata"] = {
                k: tuple(v) if isinstance(v, list) else v for k, v in self.metadata.items()
            }
        return Content(**values)


class RecordBody(ListedFields):
    """The fields of a record that its client writes. null means: not given."""

    supersedes: Annotated[list[RecordId], Field(json_schema_extra=_SUPERSEDED)] | None = None


class ListedRecord(ListedFields):
    """A record on a list of all that shall be active."""

    id: RecordId
