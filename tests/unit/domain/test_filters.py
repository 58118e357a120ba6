from datetime import UTC, datetime, timedelta

import pytest

from palimpsest.domain.filters import Condition, Filter, FilterValue, TimeRange, passes
from palimpsest.domain.records import Content, Record, Source, Status

WHEN = datetime(2026, 1, 1, tzinfo=UTC)


def record(content: Content | None) -> Record:
    return Record(
        id="a",
        namespace="n",
        revision=1,
        status=Status.ACTIVE if content else Status.DELETED,
        content=content,
        created_at=WHEN,
        updated_at=WHEN,
    )


WHOLE = record(
    Content(
        text="x",
        kind="fact",
        tags=("red", "blue"),
        importance=0.5,
        event_time=WHEN,
        source=Source(uri="u"),
        metadata={"n": 5, "f": 5.0, "t": True, "s": "5", "l": ("p", "q"), "a.b": "c"},
    )
)


@pytest.mark.parametrize(
    ("field", "value", "expected"),
    [
        ("kind", "fact", True),
        ("kind", "task", False),
        ("tags", "blue", True),
        ("tags", "green", False),
        ("subject", "x", False),
        ("id", "a", True),
        ("importance", 0.5, True),
        ("event_time", WHEN, True),
        ("created_at", WHEN + timedelta(milliseconds=1), False),
        ("source.uri", "u", True),
        ("document.id", "doc_x", False),
        ("metadata.n", 5.0, True),
        ("metadata.f", 5, True),
        ("metadata.n", "5", False),
        ("metadata.s", "5", True),
        ("metadata.s", 5, False),
        ("metadata.t", True, True),
        ("metadata.t", 1, False),
        ("metadata.n", True, False),
        ("metadata.l", "q", True),
        ("metadata.a.b", "c", True),
        ("metadata.none", "c", False),
    ],
)
def test_a_condition_compares_by_value_and_type(
    field: str, value: FilterValue, *, expected: bool
) -> None:
    assert passes(WHOLE, Filter((Condition(field, (value,)),))) is expected


def test_any_value_of_a_condition_and_every_condition_of_a_filter_must_hold() -> None:
    either = Condition("kind", ("task", "fact"))
    assert passes(WHOLE, Filter((either, Condition("tags", ("red",)))))
    assert not passes(WHOLE, Filter((either, Condition("tags", ("green",)))))
    assert passes(WHOLE, None)


def test_a_tombstone_passes_no_condition() -> None:
    assert not passes(record(None), Filter((Condition("id", ("a",)),)))


def test_a_record_without_a_source_has_no_uri() -> None:
    assert not passes(record(Content(text="x")), Filter((Condition("source.uri", ("u",)),)))


@pytest.mark.parametrize(
    ("start", "end", "inside"),
    [
        (WHEN, WHEN, True),
        (None, WHEN, True),
        (WHEN, None, True),
        (WHEN + timedelta(milliseconds=1), None, False),
        (None, WHEN - timedelta(milliseconds=1), False),
    ],
)
def test_both_ends_of_a_time_range_are_inclusive(
    start: datetime | None, end: datetime | None, *, inside: bool
) -> None:
    assert TimeRange(start, end).holds(WHEN) is inside
    assert not TimeRange(start, end).holds(None)
