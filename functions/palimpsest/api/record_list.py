"""Lists of records as JSON Lines, checked as they are read."""

from collections.abc import Iterable, Iterator

from pydantic import ValidationError

from palimpsest.api.body import parse_text
from palimpsest.api.fields import Warnings, cleaned_members
from palimpsest.api.record_body import ListedRecord
from palimpsest.domain.errors import FieldError, InvalidRequest, MalformedRequest
from palimpsest.domain.records import Content

WHERE = ("body", "active_uri")


def listed(lines: Iterable[bytes], warnings: Warnings) -> Iterator[tuple[str, Content]]:
    """Each record of a list, blank lines passed over. What is taken out of texts is told in
    `warnings`. Raises `InvalidRequest` at the first line that breaks a rule.
    """
    for number, line in enumerate(lines, start=1):
        if line.strip():
            yield _record(line, number, warnings)


def _record(line: bytes, number: int, warnings: Warnings) -> tuple[str, Content]:
    try:
        found = parse_text(line)
    except MalformedRequest as error:
        raise InvalidRequest.one(*WHERE, number, msg=str(error), kind="json_invalid") from error
    prefix = f"active.{number}."
    try:
        record = ListedRecord.model_validate(cleaned_members(found, warnings, prefix=prefix))
    except ValidationError as error:
        raise InvalidRequest(
            [
                FieldError((*WHERE, number, *e["loc"]), str(e["msg"]), str(e["type"]))
                for e in error.errors(include_url=False, include_context=False)
            ]
        ) from error
    return record.id, record.to_content()
