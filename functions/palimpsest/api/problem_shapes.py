"""The problem documents of the contract, one for each slug (and for 412 one more)."""

from typing import Annotated, Any, Literal

from pydantic import Field
from typing_extensions import TypedDict

RevisionFound = Annotated[int, Field(ge=0)]
Stage = Annotated[str, Field(description="What fell short.")]


class Problem(TypedDict):
    """What every problem document has (RFC 9457)."""

    title: str
    detail: str
    instance: Annotated[str, Field(description="The request id, as in `X-Request-Id`.")]


class MalformedRequest(Problem):
    """The body, or the request as a whole, cannot be read."""

    type: Literal["urn:palimpsest:problem:malformed-request"]
    status: Literal[400]


class Unauthorized(Problem):
    """Credentials are missing or malformed."""

    type: Literal["urn:palimpsest:problem:unauthorized"]
    status: Literal[401]


class Forbidden(Problem):
    """The key is unknown, disabled or over, or does not allow this; which, is not told."""

    type: Literal["urn:palimpsest:problem:forbidden"]
    status: Literal[403]


class NotFound(Problem):
    """There is nothing of that name, or nothing that this key may know of."""

    type: Literal["urn:palimpsest:problem:not-found"]
    status: Literal[404]


class OperationConflict(TypedDict):
    """One guard of a commit that failed; revision 0 is absence."""

    id: str
    expected_revision: RevisionFound
    revision: RevisionFound


class RevisionConflict(Problem):
    """A guard of a commit failed: `current_revision` is the namespace's clock, `operations` are
    those whose own guard failed.
    """

    type: Literal["urn:palimpsest:problem:revision-conflict"]
    status: Literal[409]
    current_revision: RevisionFound
    operations: list[OperationConflict]


class PreconditionFailed(Problem):
    """`If-Match` or `If-None-Match` failed: `current_revision` is the record's, null where it is
    absent or deleted.
    """

    type: Literal["urn:palimpsest:problem:revision-conflict"]
    status: Literal[412]
    current_revision: RevisionFound | None


class IdempotencyMismatch(Problem):
    """The `Idempotency-Key` came before with another request."""

    type: Literal["urn:palimpsest:problem:idempotency-mismatch"]
    status: Literal[409]


class InProgress(Problem):
    """The first request of this `Idempotency-Key` is still at work."""

    type: Literal["urn:palimpsest:problem:in-progress"]
    status: Literal[409]


class NotReady(Problem):
    """The document has no text yet, or none at all."""

    type: Literal["urn:palimpsest:problem:not-ready"]
    status: Literal[409]


class TooLarge(Problem):
    """More bytes than `limit`."""

    type: Literal["urn:palimpsest:problem:too-large"]
    status: Literal[413]
    limit: Annotated[int, Field(ge=1)]


class UnsupportedMediaType(Problem):
    """The body does not call itself application/json."""

    type: Literal["urn:palimpsest:problem:unsupported-media-type"]
    status: Literal[415]


class BrokenRule(TypedDict):
    """One broken rule: where, what (for a person), and of which kind (for a program)."""

    loc: list[str | int]
    msg: str
    type: str


class InvalidRequest(Problem):
    """The request is understood and breaks a rule."""

    type: Literal["urn:palimpsest:problem:invalid-request"]
    status: Literal[422]
    errors: Annotated[list[BrokenRule], Field(min_length=1)]


class CursorMismatch(Problem):
    """A cursor that was not given out for this request."""

    type: Literal["urn:palimpsest:problem:cursor-mismatch"]
    status: Literal[422]


class Throttled(Problem):
    """Too many requests."""

    type: Literal["urn:palimpsest:problem:throttled"]
    status: Literal[429]


class Internal(Problem):
    """Something failed; of the cause nothing is told."""

    type: Literal["urn:palimpsest:problem:internal"]
    status: Literal[500]


class ProviderError(Problem):
    """A model provider refused, or answered what cannot be used."""

    type: Literal["urn:palimpsest:problem:provider-error"]
    status: Literal[502]
    stage: Stage


class Unavailable(Problem):
    """A dependency cannot answer now."""

    type: Literal["urn:palimpsest:problem:unavailable"]
    status: Literal[503]
    stage: Stage


class DeadlineExceeded(Problem):
    """There was no answer in the time there was."""

    type: Literal["urn:palimpsest:problem:deadline-exceeded"]
    status: Literal[504]
    stage: Stage


PROBLEMS: dict[str, Any] = {
    "malformed-request": MalformedRequest,
    "unauthorized": Unauthorized,
    "forbidden": Forbidden,
    "not-found": NotFound,
    "revision-conflict": RevisionConflict,
    "precondition": PreconditionFailed,
    "idempotency-mismatch": IdempotencyMismatch,
    "in-progress": InProgress,
    "not-ready": NotReady,
    "too-large": TooLarge,
    "unsupported-media-type": UnsupportedMediaType,
    "invalid-request": InvalidRequest,
    "cursor-mismatch": CursorMismatch,
    "throttled": Throttled,
    "internal": Internal,
    "provider-error": ProviderError,
    "unavailable": Unavailable,
    "deadline-exceeded": DeadlineExceeded,
}
"""By slug; `precondition` is the 412 of `revision-conflict`. A declared route never answers
`method-not-allowed`.
"""
