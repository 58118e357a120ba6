"""The HTTP contract of a reconcile."""

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, FailFast, Field, model_validator
from pydantic_core import PydanticCustomError

from palimpsest.api.fields import Namespace, Unbroken
from palimpsest.api.record_body import ListedRecord
from palimpsest.domain.passes import MAX_REVISION
from palimpsest.services.reconciling.pass_files import Desired

_ONE_SOURCE: dict[str, Any] = {
    "oneOf": [
        {
            "required": ["active", "revision"],
            "properties": {
                "active": {"type": "array"},
                "revision": {"type": "integer"},
                "active_uri": {"type": "null"},
                "source": {"type": "null"},
            },
        },
        {
            "required": ["active_uri", "revision"],
            "properties": {
                "active_uri": {"type": "string"},
                "revision": {"type": "integer"},
                "active": {"type": "null"},
                "source": {"type": "null"},
            },
        },
        {
            "required": ["source"],
            "properties": {
                "source": {"const": "canonical"},
                "active": {"type": "null"},
                "active_uri": {"type": "null"},
                "revision": {"type": "null"},
                "forget": {"type": "null"},
            },
        },
    ]
}


class ReconcileBody(BaseModel):
    """The whole desired state (`active`, or `active_uri` for a list in the uploads bucket) with the
    caller's `revision`; or `source: "canonical"`, which brings the index in line with the records.
    null means: not given.
    """

    model_config = ConfigDict(strict=True, extra="forbid", json_schema_extra=_ONE_SOURCE)
    namespace: Namespace | None = None
    revision: Annotated[int, Field(ge=0, le=MAX_REVISION)] | None = None
    # 4 MB have room for more faults than an answer has: those of the first wrong record are told
    active: Annotated[list[ListedRecord], FailFast()] | None = None
    active_uri: Annotated[Unbroken, Field(min_length=1, max_length=2048)] | None = None
    source: Literal["canonical"] | None = None
    mode: Literal["async"] | None = None
    dry_run: bool | None = None
    forget: bool | None = None

    @model_validator(mode="after")
    def _one_source(self) -> "ReconcileBody":
        given = [self.active is not None, self.active_uri is not None, self.source is not None]
        if sum(given) != 1:
            msg = "exactly one of active, active_uri and source is needed"
            raise PydanticCustomError("source", msg)
        if self.source is None and self.revision is None:
            raise PydanticCustomError("revision", "revision is needed with a list")
        if self.source is not None and (self.revision is not None or self.forget is not None):
            msg = "revision and forget belong to a list"
            raise PydanticCustomError("source", msg)
        return self

    @property
    def desired(self) -> list[Desired]:
        """The list in the domain's form."""
        return [(record.id, record.to_content()) for record in self.active or ()]
