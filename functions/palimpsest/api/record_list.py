"""Lists of records, checked as they are read: those of a body, and those of JSON Lines."""

from codecs import BOM_UTF8
from collections.abc import Iterable, Iterator
from typing import Any

from pydantic import ValidationError

from palimpsest.api.body import parse_text
from palimpsest.api.fields import Warnings, cleaned_members
from palimpsest.api.record_body import ListedRecord
from palimpsest.domain.errors import FieldError, InvalidRequest, MalformedRequest
from palimpsest.domain.records import Content

WHERE = ("body", "active_uri")
WARNINGS_TOLD = 100
"""Of one list: a list of 4 MB may have a hundred thousand, and an answer has room for less."""


def cleaned_record(record: Any, warnings: Warnings, where: str) -> Any:
    """A record of a list without broken characters; the first warnings of a list are told."""
    found: Warnings = []
    mended = cleaned_members(record, found, prefix=f"{where}.")
    warnings += found[: max(0, WARNINGS_TOLD - len(warnings))]
    return mended


def listed(lines: Iterable[bytes], warnings: Warnings) -> Iterator[tuple[str, Content]]:
    """Each record of a list, blank lines passed over, and a byte order mark at its beginning. What
    is taken out of texts is told in `warnings`. Raises `InvalidRequest`, with the number of the
    line, at the first that breaks a rule or has an id that was there before.
    """
    seen: set[str] = set()
    for number, line in _numbered(lines):
        record = _record(line, number, warnings)
        if record.id in seen:
            msg = "this id is on the list twice"
            raise InvalidRequest.one(*WHERE, number, "id", msg=msg, kind="twice")
        seen.add(record.id)
        yield record.id, record.to_content()


def _numbered(lines: Iterable[bytes]) -> Iterator[tuple[int, bytes]]:
    """Every line that is not blank, with its number from 1."""
    try:
        for number, line in enumerate(lines, start=1):
            said = line.removeprefix(BOM_UTF8) if number == 1 else line
            if said.strip():
                yield number, said
    except InvalidRequest as error:  # of a line that is too long, by its own name for the place
        raise InvalidRequest(
            [FieldError((*WHERE, *e.loc[1:]), e.msg, e.type) for e in error.errors]
        ) from error


def _record(line: bytes, number: int, warnings: Warnings) -> ListedRecord:
    try:
        found = parse_text(line)
    except MalformedRequest as error:
        msg = str(error).replace("the body", "the line")
        raise InvalidRequest.one(*WHERE, number, msg=msg, kind="json_invalid") from error
    try:
        return ListedRecord.model_validate(cleaned_record(found, warnings, f"{WHERE[-1]}.{number}"))
    except ValidationError as error:
        raise InvalidRequest(
            [
                FieldError((*WHERE, number, *e["loc"]), str(e["msg"]), str(e["type"]))
                for e in error.errors(include_url=False, include_context=False)
            ]
        ) from error
