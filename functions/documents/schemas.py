"""The HTTP contract of an upload."""

from typing import Annotated, Any

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field
from pydantic_core import PydanticCustomError

from palimpsest.api.fields import Instant
from palimpsest.api.record_body import MetadataShape, checked_metadata
from palimpsest.domain.document_attempts import Granted
from palimpsest.domain.upload_keys import MAX_PATH_BYTES, path_fault

A_FILE = r"^(?!([\s\S]*/)?\.{1,2}(/|(?![\s\S])))[^\x00-\x1f\x7f]*[^/\x00-\x1f\x7f](?![\s\S])"
"""What `path_fault` takes: no control character, no part `.` or `..`, no `/` at the end."""


def _path(value: str) -> str:
    fault = path_fault(value)
    if fault is not None:
        raise PydanticCustomError("path", "{fault}", {"fault": fault})
    return value


class UploadBody(BaseModel):
    """A document that is to be uploaded. null means: not given; what was told of metadata and event
    time before holds on then.
    """

    model_config = ConfigDict(strict=True, extra="forbid")
    path: Annotated[
        str,
        AfterValidator(_path),
        Field(min_length=1, max_length=MAX_PATH_BYTES, json_schema_extra={"pattern": A_FILE}),
    ]
    content_type: (
        Annotated[str, Field(min_length=1, max_length=255, pattern=r"^[!-~][ -~]*$")] | None
    ) = None
    metadata: (
        Annotated[
            dict[str, Any],
            BeforeValidator(checked_metadata, json_schema_input_type=MetadataShape),
        ]
        | None
    ) = None
    event_time: Instant | None = None

    @property
    def told(self) -> Granted | None:
        """What it tells of the document beside its type; None: nothing."""
        if self.metadata is None and self.event_time is None:
            return None
        metadata = {
            name: tuple(value) if isinstance(value, list) else value
            for name, value in (self.metadata or {}).items()
        }
        return Granted(metadata=metadata, event_time=self.event_time)
