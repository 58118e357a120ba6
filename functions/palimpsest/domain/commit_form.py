"""The form of a commit: the rules that need no state."""

from collections import Counter

from palimpsest.domain.commit_planning import CommitRequest
from palimpsest.domain.errors import FieldError, InvalidRequest
from palimpsest.domain.names import MAX_OPERATIONS, MAX_SUPERSEDED


def check_form(request: CommitRequest) -> None:
    """The rules that need no state: sizes, no id twice. Raises `InvalidRequest` with all that is
    wrong.
    """
    errors: list[FieldError] = []
    if not 1 <= len(request.operations) <= MAX_OPERATIONS:
        msg = f"a commit has 1 to {MAX_OPERATIONS} operations"
        errors.append(FieldError(("body", "operations"), msg, "operations"))
    seen = Counter(operation.id for operation in request.operations)
    superseded = 0
    for operation in request.operations:
        if seen[operation.id] > 1:
            errors.append(
                FieldError((*operation.loc, "id"), "this id is twice in the commit", "twice")
            )
        for index, old in enumerate(operation.content.supersedes if operation.content else ()):
            superseded += 1
            loc = (*operation.loc, "supersedes", index)
            if old in seen:
                errors.append(FieldError(loc, "this id is written in the same commit", "twice"))
            seen[old] += 1
    if superseded > MAX_SUPERSEDED:
        msg = f"at most {MAX_SUPERSEDED} records are superseded in one commit"
        errors.append(FieldError(("body", "supersedes"), msg, "too_many"))
    if errors:
        raise InvalidRequest(errors)
