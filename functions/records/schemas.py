"""The HTTP contract of commits."""

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, model_validator
from pydantic_core import PydanticCustomError

from palimpsest.api.fields import RecordId
from palimpsest.api.record_body import RecordBody
from palimpsest.domain import names
from palimpsest.domain.commit_planning import Guard, Operation

MAX_REVISION = 2**53 - 1
_FITTING: dict[str, Any] = {
    "if": {"properties": {"op": {"const": "put"}}},
    "then": {"required": ["record"], "properties": {"record": {"type": "object"}}},
    "else": {"properties": {"record": {"type": "null"}}},
}


class OperationBody(BaseModel):
    """One operation of a commit."""

    model_config = ConfigDict(strict=True, extra="forbid", json_schema_extra=_FITTING)
    op: Literal["put", "delete"]
    id: RecordId
    record: RecordBody | None = None
    expected_revision: Annotated[int, Field(ge=0, le=MAX_REVISION)] | None = None

    @model_validator(mode="after")
    def _fitting(self) -> "OperationBody":
        if self.op == "put" and self.record is None:
            raise PydanticCustomError("record", "a put needs a record")
        if self.op == "delete" and self.record is not None:
            raise PydanticCustomError("record", "a delete has no record")
        return self

    def to_operation(self, index: int) -> Operation:
        """The domain's form of it, at its place in the request."""
        guard: Guard = self.expected_revision
        content = self.record.to_content() if self.record else None
        loc = ("body", "operations", index)
        return Operation(id=self.id, content=content, guard=guard, loc=loc)


class CommitBody(BaseModel):
    """A commit: 1 to 25 operations, all or nothing."""

    model_config = ConfigDict(strict=True, extra="forbid")
    operations: Annotated[list[OperationBody], Field(min_length=1, max_length=names.MAX_OPERATIONS)]
    expected_revision: Annotated[int, Field(ge=0, le=MAX_REVISION)] | None = None
