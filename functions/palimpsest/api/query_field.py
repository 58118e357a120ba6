"""A question as a body's member: trimmed, not blank, within its limit."""

from typing import Annotated, Any

from pydantic import AfterValidator, BeforeValidator, WithJsonSchema
from pydantic_core import PydanticCustomError

from palimpsest.api.fields import BLANK, limited
from palimpsest.domain import names


def _trimmed(value: Any) -> Any:
    return value.strip() if isinstance(value, str) else value


def _asked(query: str) -> str:
    if not query:
        raise PydanticCustomError("blank", "a query must not be blank")
    return query


_QUERY: dict[str, Any] = {
    "type": "string",
    "pattern": f"^[{BLANK}]*[^{BLANK}]"
    rf"([\s\S]{{0,{names.MAX_QUERY_BYTES - 2}}}[^{BLANK}])?[{BLANK}]*$",
    "description": f"1 to {names.MAX_QUERY_BYTES} bytes of UTF-8 between the space around them.",
}

Query = Annotated[
    str,
    BeforeValidator(_trimmed),
    limited(names.MAX_QUERY_BYTES),
    AfterValidator(_asked),
    WithJsonSchema(_QUERY),
]
