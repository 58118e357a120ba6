from datetime import UTC, datetime

import pytest

from palimpsest.domain.commits import Clock
from palimpsest.domain.records import Content, Record, Status
from palimpsest.domain.walks import RecordsWanted

NOW = datetime(2026, 1, 1, tzinfo=UTC)


def record(status: Status, kind: str | None = None, revision: int = 5) -> Record:
    gone = status is Status.DELETED
    return Record(
        id="a",
        namespace="n",
        revision=revision,
        status=status,
        content=None if gone else Content(text="x", kind=kind),
        created_at=NOW,
        updated_at=NOW,
    )


@pytest.mark.parametrize("status", list(Status))
def test_a_list_shows_its_status_or_any(status: Status) -> None:
    shown = [
        wanted for wanted in Status if RecordsWanted(status=wanted).shows(record(status), Clock())
    ]
    assert shown == [status]
    assert RecordsWanted(status=None).shows(record(status), Clock())


def test_a_tombstone_is_of_no_kind() -> None:
    facts = RecordsWanted(status=None, kind="fact")
    assert facts.shows(record(Status.ACTIVE, "fact"), Clock())
    assert not facts.shows(record(Status.ACTIVE, "task"), Clock())
    assert not facts.shows(record(Status.ACTIVE), Clock())
    assert not facts.shows(record(Status.DELETED), Clock())


def test_what_was_purged_is_on_no_list() -> None:
    wanted = RecordsWanted(status=None)
    assert not wanted.shows(record(Status.ACTIVE, revision=5), Clock(revision=9, floor=5))
    assert wanted.shows(record(Status.ACTIVE, revision=6), Clock(revision=9, floor=5))
