from datetime import UTC, datetime, timedelta

import pytest

from palimpsest.domain.filters import (
    And,
    Compare,
    Exists,
    Filter,
    FilterValue,
    Leaf,
    Not,
    OneOf,
    Or,
    Prefix,
    Relation,
    TimeRange,
    passes,
)
from palimpsest.domain.records import Content, Record, Source, Status

WHEN = datetime(2026, 1, 1, tzinfo=UTC)
TICK = timedelta(milliseconds=1)
GT, GTE, LT, LTE = Relation.GT, Relation.GTE, Relation.LT, Relation.LTE


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
        metadata={
            "n": 5,
            "f": 5.0,
            "t": True,
            "s": "5",
            "l": ("p", "q"),
            "a.b": "c",
            "nothing": (),
            "blank": "",
            "huge": 2**70,
        },
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
        ("created_at", WHEN + TICK, False),
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
        ("metadata.huge", float(2**70), True),
        ("metadata.huge", 2**70 + 1, False),
    ],
)
def test_equality_is_by_value_and_type(field: str, value: FilterValue, *, expected: bool) -> None:
    asked = OneOf(field, (value,))
    assert passes(WHOLE, asked) is expected
    assert passes(WHOLE, Not(asked)) is not expected


@pytest.mark.parametrize(
    ("leaf", "expected"),
    [
        (Compare("importance", GT, 0.4), True),
        (Compare("importance", GT, 0.5), False),
        (Compare("importance", GTE, 0.5), True),
        (Compare("importance", LT, 1), True),
        (Compare("importance", LTE, 0.5), True),
        (Compare("importance", LT, 0.5), False),
        (Compare("event_time", GTE, WHEN), True),
        (Compare("event_time", GT, WHEN), False),
        (Compare("updated_at", LT, WHEN + TICK), True),
        (Compare("metadata.n", GT, 4.9), True),
        (Compare("metadata.n", GT, "4"), False),
        (Compare("metadata.s", GT, "4"), True),
        (Compare("metadata.s", GT, 4), False),
        (Compare("metadata.t", GTE, 0), False),
        (Compare("metadata.t", GTE, True), False),
        (Compare("metadata.n", GTE, False), False),
        (Compare("metadata.l", GT, "p"), True),
        (Compare("metadata.l", GT, "q"), False),
        (Compare("metadata.huge", GT, 2**70 - 1), True),
        (Compare("metadata.huge", LT, 1e300), True),
        (Compare("metadata.none", LT, "z"), False),
        (Compare("metadata.s", LT, WHEN), False),
        (Prefix("kind", "fa"), True),
        (Prefix("kind", ""), True),
        (Prefix("kind", "Fa"), False),
        (Prefix("kind", "f*"), False),
        (Prefix("tags", "bl"), True),
        (Prefix("metadata.l", "q"), True),
        (Prefix("metadata.n", "5"), False),
        (Prefix("subject", ""), False),
        (Exists("kind"), True),
        (Exists("subject"), False),
        (Exists("aliases"), False),
        (Exists("id"), True),
        (Exists("document.id"), False),
        (Exists("metadata.t"), True),
        (Exists("metadata.blank"), True),
        (Exists("metadata.nothing"), False),
        (Exists("metadata.none"), False),
    ],
)
def test_a_leaf_holds_or_its_negation_does(leaf: Leaf, *, expected: bool) -> None:
    assert passes(WHOLE, leaf) is expected
    assert passes(WHOLE, Not(leaf)) is not expected


YES, NO = OneOf("kind", ("task", "fact")), OneOf("tags", ("green",))


@pytest.mark.parametrize(
    ("wanted", "expected"),
    [
        (None, True),
        (And((YES, YES)), True),
        (And((YES, NO)), False),
        (Or((NO, YES)), True),
        (Or((NO, NO)), False),
        (Not(And((YES, NO))), True),
        (And((Not(NO), Or((NO, Not(Not(YES)))))), True),
    ],
)
def test_parts_combine_as_their_names_say(wanted: Filter | None, *, expected: bool) -> None:
    assert passes(WHOLE, wanted) is expected


def test_strings_are_ordered_by_code_points() -> None:
    stored = record(Content(text="x", metadata={"k": "\uffff"}))
    assert passes(stored, Compare("metadata.k", LT, "\U0001f600"))
    assert passes(stored, Compare("metadata.k", GT, "z"))


def test_a_tombstone_passes_no_filter() -> None:
    assert not passes(record(None), OneOf("id", ("a",)))
    assert not passes(record(None), Not(OneOf("id", ("b",))))
    assert passes(record(None), None)


def test_a_record_without_a_source_has_no_uri() -> None:
    assert not passes(record(Content(text="x")), OneOf("source.uri", ("u",)))
    assert passes(record(Content(text="x")), Not(Exists("source.uri")))


def test_filters_are_values() -> None:
    one = And((Not(Prefix("id", "a")), Or((Exists("kind"), Compare("importance", GT, 0)))))
    other = And((Not(Prefix("id", "a")), Or((Exists("kind"), Compare("importance", GT, 0)))))
    assert len({one, other}) == 1


@pytest.mark.parametrize(
    ("start", "end", "inside"),
    [
        (WHEN, WHEN, True),
        (None, WHEN, True),
        (WHEN, None, True),
        (WHEN + TICK, None, False),
        (None, WHEN - TICK, False),
    ],
)
def test_both_ends_of_a_time_range_are_inclusive(
    start: datetime | None, end: datetime | None, *, inside: bool
) -> None:
    assert TimeRange(start, end).holds(WHEN) is inside
    assert not TimeRange(start, end).holds(None)
