from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from palimpsest.domain.commits import Clock
from palimpsest.domain.filters import OneOf, TimeRange
from palimpsest.domain.loss import Loss, loss_of
from palimpsest.domain.queries import SearchRequest
from palimpsest.domain.records import Content, Record, Status

NOW = datetime(2026, 6, 1, tzinfo=UTC)
HOUR = timedelta(hours=1)


def record(status: Status = Status.ACTIVE, *, revision: int = 5, **fields: Any) -> Record:
    content = None if status is Status.DELETED else Content(text="a heron", **fields)
    return Record(
        id="a",
        namespace="notes",
        revision=revision,
        status=status,
        content=content,
        created_at=NOW,
        updated_at=NOW,
    )


def loss(one: Record | None, *, text_hash: str | None = None, **asked: Any) -> Loss | None:
    request = SearchRequest(tenant="acme", namespaces=("notes",), query="heron", **asked)
    return loss_of(one, request, Clock(revision=9, floor=2), now=NOW, text_hash=text_hash)


@pytest.mark.parametrize(
    ("one", "expected"),
    [
        (None, Loss.UNKNOWN),
        (record(revision=2), Loss.UNKNOWN),  # purged
        (record(Status.DELETED), Loss.DELETED),
        (record(Status.SUPERSEDED), Loss.SUPERSEDED),
        (record(expires_at=NOW), Loss.EXPIRED),
        (record(valid_to=NOW), Loss.EXPIRED),
        (record(valid_from=NOW + HOUR), Loss.EXPIRED),
        (record(kind="note", event_time=NOW), None),
    ],
)
def test_what_stands_between_a_record_and_its_reader(
    one: Record | None, expected: Loss | None
) -> None:
    assert loss(one) is expected


def test_what_was_not_asked_for_is_filtered() -> None:
    one = record(kind="note", event_time=NOW)
    assert loss(one, filter=OneOf("kind", ("fact",))) is Loss.FILTERED
    assert loss(one, time_range=TimeRange(NOW + HOUR, None)) is Loss.FILTERED
    assert loss(record(), time_range=TimeRange(NOW, None)) is Loss.FILTERED
    assert loss(one, filter=OneOf("kind", ("note",)), time_range=TimeRange(NOW, NOW)) is None


def test_a_text_that_is_not_the_one_that_was_found_is_stale() -> None:
    one = record(Status.ACTIVE, title="any")
    content = one.content
    assert content is not None
    assert loss(one, text_hash=content.text_hash) is None
    assert loss(one, text_hash="of another text") is Loss.STALE


def test_of_several_losses_the_first_in_their_order_is_told() -> None:
    gone = record(Status.SUPERSEDED, expires_at=NOW, kind="note")
    assert loss(gone, filter=OneOf("kind", ("fact",)), text_hash="other") is Loss.SUPERSEDED
    over = record(expires_at=NOW, kind="note")
    assert loss(over, filter=OneOf("kind", ("fact",)), text_hash="other") is Loss.EXPIRED
    assert loss(record(), filter=OneOf("kind", ("x",)), text_hash="other") is Loss.FILTERED
