"""Shapes that the answers of several routes share.

They are typed dictionaries, which cost a cold start almost nothing: an answer is made by the
handlers as it is sent and not validated again; `make openapi` and the API tests hold it to its
shape. Fields may be added to any of them.
"""

from typing import Annotated, Literal

from pydantic import Field
from typing_extensions import TypedDict

Instant = Annotated[
    str,
    Field(
        pattern=r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$",
        json_schema_extra={"format": "date-time"},
    ),
]
Count = Annotated[int, Field(ge=0)]
Revision = Annotated[int, Field(ge=0, description="A value of the namespace's clock.")]
Cursor = Annotated[str | None, Field(description="Gives the next page; null on the last.")]
MetadataValue = str | bool | float | list[str]


class Warning(TypedDict):  # noqa: A001  # the contract's word
    """Something that was mended on the way in, or a page that was closed early."""

    field: str
    code: str


class Source(TypedDict):
    """Where a text comes from."""

    uri: str | None
    title: str | None
    locator: str | None


class ChunkPlace(TypedDict):
    """Where in a document a chunk stands."""

    id: str
    generation: int
    ordinal: Count
    heading_path: list[str]
    start: Count
    end: Count


class Upload(TypedDict):
    """The request that uploads an object, good until `expires_at`."""

    method: Literal["PUT"]
    url: Annotated[str, Field(json_schema_extra={"format": "uri"})]
    headers: dict[str, str]
    expires_at: Instant


class Progress(TypedDict):
    """How many chunks of a reading are written, of how many."""

    done: Count
    total: Count


class Document(TypedDict):
    """A document as it is; a deleted one, in the change feed only, has no path. `reason` and
    `detail` say why it cannot be read; `chunks`, `characters` and `generation` are those that
    readers see by now, `bytes` and `version` its object's. `progress` is of a reading under way.
    """

    id: str
    namespace: str
    path: str
    state: Literal["pending", "indexing", "ready", "no_text", "failed", "deleted"]
    reason: str | None
    detail: str | None
    title: str | None
    content_type: str | None
    bytes: Count | None
    version: str | None
    chunks: Count
    characters: Count
    progress: Progress | None
    generation: Count
    revision: Revision
    metadata: dict[str, MetadataValue]
    event_time: Instant | None
    created_at: Instant
    updated_at: Instant
