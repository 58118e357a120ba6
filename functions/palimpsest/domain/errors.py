"""The error tree of Palimpsest.

    PalimpsestError
    ├── InvalidRequest            422  the request is understood and breaks a rule (`errors`)
    ├── CursorMismatch            422  a cursor that was not given out for this request
    ├── MalformedRequest          400  the body is not JSON in UTF-8
    ├── UnsupportedMediaType      415
    ├── TooLarge                  413  (`limit`)
    ├── Unauthorized              401
    ├── Forbidden                 403
    ├── NotFound                  404
    ├── MethodNotAllowed          405
    ├── RevisionConflict          409 / 412  (`current_revision`, `operations`)
    ├── IdempotencyMismatch       409  the key came before with another request
    ├── InProgress                409  the first request of a key is still at work (`retry_after`)
    ├── NotReady                  409  a document has no text yet, or none at all (`retry_after`)
    ├── Throttled                 429  a dependency asks for patience (`retry_after`)
    ├── ProviderError             502  a model provider answered with rubbish or refused (`stage`)
    │   └── Refused                    … a language model declined (`domain/language.py`)
    ├── Unavailable               503  a dependency cannot answer (`stage`, `retry_after`)
    │   ├── DeadlineExceeded      504  … in the time there was
    │   └── GenerationGone             the index that was asked has been replaced meanwhile
    └── EmbeddingRejected              one text has no usable vector (`reason`)

Adapters translate a vendor's errors into these; `api/problems.py` maps them to problem documents.
A service may add what it knows; nothing chooses a status by the text of a message.
"""

from collections.abc import Sequence
from dataclasses import dataclass


class PalimpsestError(Exception):
    """The root: everything that Palimpsest raises on purpose."""


@dataclass(frozen=True, slots=True)
class FieldError:
    """One broken rule: where (`loc`), what (`msg`, for a person) and which kind (`type`, for a
    program).
    """

    loc: tuple[str | int, ...]
    msg: str
    type: str


class InvalidRequest(PalimpsestError):
    """The request is well-formed and breaks one or more rules."""

    def __init__(self, errors: Sequence[FieldError]) -> None:
        super().__init__("; ".join(f"{'.'.join(map(str, e.loc))}: {e.msg}" for e in errors))
        self.errors = tuple(errors)

    @classmethod
    def one(cls, *loc: str | int, msg: str, kind: str = "value_error") -> "InvalidRequest":
        """The common case: a single broken rule."""
        return cls([FieldError(loc, msg, kind)])


class CursorMismatch(PalimpsestError):
    """A cursor that is none, or was given out for another request."""


class MalformedRequest(PalimpsestError):
    """The body cannot be read at all: not JSON, NaN or Infinity in it, or not UTF-8."""


class UnsupportedMediaType(PalimpsestError):
    """A body that does not call itself `application/json`."""


class TooLarge(PalimpsestError):
    """More bytes than the limit, which is told."""

    def __init__(self, message: str, limit: int) -> None:
        super().__init__(message)
        self.limit = limit


class Unauthorized(PalimpsestError):
    """No credentials, or none that can be read."""


class Forbidden(PalimpsestError):
    """Credentials that do not allow this. Never says which part was wrong."""


class NotFound(PalimpsestError):
    """Nothing stands under that name (or nothing that this caller may know of)."""


class MethodNotAllowed(PalimpsestError):
    """The path is there, the method is not."""


@dataclass(frozen=True, slots=True)
class OperationConflict:
    """One failed guard of a commit: what was expected and what was found (0: absent)."""

    id: str
    expected_revision: int
    revision: int


class RevisionConflict(PalimpsestError):
    """A guard failed: `current_revision` is the record's (If-Match) or the namespace clock's
    (commits).
    """

    def __init__(
        self,
        message: str,
        *,
        current_revision: int | None,
        operations: Sequence[OperationConflict] = (),
        precondition: bool = False,
    ) -> None:
        super().__init__(message)
        self.current_revision = current_revision
        self.operations = tuple(operations)
        self.precondition = precondition


class IdempotencyMismatch(PalimpsestError):
    """An idempotency key that came before, with another request."""


class InProgress(PalimpsestError):
    """The first request that came with this idempotency key is still at work."""

    def __init__(self, message: str, *, retry_after: float = 1.0) -> None:
        super().__init__(message)
        self.retry_after = retry_after


class NotReady(PalimpsestError):
    """A document whose text was asked for has none, or not yet."""

    def __init__(self, message: str, *, retry_after: float = 5.0) -> None:
        super().__init__(message)
        self.retry_after = retry_after


class Throttled(PalimpsestError):
    """A dependency asks for patience. `retry_after` in seconds."""

    def __init__(self, message: str, *, retry_after: float = 1.0) -> None:
        super().__init__(message)
        self.retry_after = retry_after


class ProviderError(PalimpsestError):
    """A model provider refused the call or answered what cannot be used. `retry_after` in
    seconds.
    """

    def __init__(self, message: str, *, stage: str, retry_after: float = 1.0) -> None:
        super().__init__(message)
        self.stage = stage
        self.retry_after = retry_after


class Unavailable(PalimpsestError):
    """A dependency cannot answer now. `stage` names it, `retry_after` is in seconds."""

    def __init__(self, message: str, *, stage: str, retry_after: float = 1.0) -> None:
        super().__init__(message)
        self.stage = stage
        self.retry_after = retry_after


class DeadlineExceeded(Unavailable):
    """A dependency did not answer in the time there was."""


class GenerationGone(Unavailable):
    """The generation that a question was meant for stands no more: what is read now is another."""


class EmbeddingRejected(PalimpsestError):
    """One text has no usable vector: `reason` is `blank`, `zero`, `not_finite`, `wrong_width` or
    `refused`.
    """

    def __init__(self, reason: str) -> None:
        super().__init__(f"no usable vector: {reason}")
        self.reason = reason
