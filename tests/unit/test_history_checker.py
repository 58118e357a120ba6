from dataclasses import replace
from typing import Any

import pytest

from e2e.history import (
    ABSENT,
    ACTIVE,
    DELETED,
    SUPERSEDED,
    Chain,
    Entry,
    History,
    Listing,
    Read,
    Step,
    Table,
    Version,
    Write,
)
from e2e.history_faults import faults

GONE = DELETED, None


def put(
    record_id: str, text: str, began: float, ended: float, *, on: int | None = None, **outcome: Any
) -> Write:
    return Write((Step(record_id, text, on),), began, ended, **outcome)


def forget(
    record_id: str, began: float, ended: float, *, on: int | None = None, **outcome: Any
) -> Write:
    return Write((Step(record_id, None, on),), began, ended, **outcome)


def table(*log: dict[str, Any], clock: int | None = None, erased: tuple[int, ...] = ()) -> Table:
    """A table after these commits, each `{id: text}` or `{id: (status, text)}`."""
    entries, versions, stood = [], {}, dict[str, int]()
    for revision, commit in enumerate(log, 1):
        entries.append(Entry(revision, revision - 1, {i: stood.get(i, 0) for i in commit}))
        for record_id, content in commit.items():
            status, text = content if isinstance(content, tuple) else (ACTIVE, content)
            stood[record_id] = revision
            if revision not in erased:
                versions[record_id, revision] = Version(revision, status, text)
    return Table(len(log) if clock is None else clock, entries, versions)


def seen(record_id: str, began: float, ended: float, revision: int, text: str) -> Read:
    return Read(record_id, began, ended, Version(revision, ACTIVE, text))


def told(history: History | list[Write], found: Table) -> str:
    history = History(writes=history) if isinstance(history, list) else history
    return "\n".join(faults(history, found))


LIFE = [
    put("a", "one", 0, 1, on=0, made=1),
    put("a", "two", 2, 3, on=1, made=2),
    forget("a", 4, 5, on=2, made=3),
    put("a", "three", 6, 7, on=0, made=4),
]
LIVED = table({"a": "one"}, {"a": "two"}, {"a": GONE}, {"a": "three"}, erased=(1, 2))


def test_a_history_that_happened_one_by_one_has_no_faults() -> None:
    history = History(
        writes=[
            *LIFE,
            put("a", "x", 1.5, 3.5, on=1, found={"a": 2}),
            put("a", "y", 4, 8, on=2, found={"a": 0}),
            forget("b", 0, 9, found={"b": 0}),
        ],
        reads=[
            seen("a", 0, 1, 1, "one"),
            Read("a", 0, 1, ABSENT),
            Read("a", 4.5, 6.5, ABSENT),
            Read("a", 4, 5, Version(2, ACTIVE, "two"), as_of=2),
            Read("a", 5.5, 6, ABSENT, as_of=2),
        ],
        listings=[Listing(3.5, 3.9, ("a",)), Listing(5.5, 5.9, ())],
        chains=[
            Chain("a", 3.5, 3.6, (2, 1), whole=True),
            Chain("a", 5.5, 5.6, (3,), whole=True),
            Chain("a", 8, 9, (4,), whole=True),
        ],
    )
    assert told(history, LIVED) == ""


def test_two_winners_on_one_guard_are_found() -> None:
    both = [put("a", "x", 0, 1, on=0, made=1), put("a", "y", 0, 1, on=0, made=2)]
    assert "revision 2 was granted on 0" in told(both, table({"a": "x"}, {"a": "y"}))


def test_a_lost_update_is_found() -> None:
    history = [*LIFE[:2], put("a", "late", 4, 5, on=1, made=3)]
    found = table({"a": "one"}, {"a": "two"}, {"a": "late"})
    assert "revision 3 was granted on 1" in told(history, found)


def test_a_lost_acknowledged_write_is_found() -> None:
    assert "a write was lost" in told(LIFE[:2], table({"a": "one"}))
    assert "was written" in told(LIFE[:2], table({"a": "one"}, {"a": "something else"}))


def test_a_revision_given_out_twice_is_found() -> None:
    history = [put("a", "x", 0, 1, made=1), put("b", "y", 0, 1, made=1)]
    assert "given out twice" in told(history, table({"a": "x"}))


def test_a_guard_granted_on_a_deleted_record_is_found() -> None:
    history = [*LIFE[:3], put("a", "three", 6, 7, on=3, made=4)]
    assert "revision 4 was granted on 3" in told(history, LIVED)


def test_a_delete_of_what_was_not_there_is_found() -> None:
    history = [*LIFE[:3], forget("a", 6, 7, made=4)]
    found = table({"a": "one"}, {"a": "two"}, {"a": GONE}, {"a": GONE})
    assert "revision 4 was granted on None" in told(history, found)


def test_a_creation_of_what_was_there_is_found() -> None:
    history = [LIFE[0], put("a", "two", 2, 3, on=0, made=2)]
    assert "revision 2 was granted on 0" in told(history, table({"a": "one"}, {"a": "two"}))


@pytest.mark.parametrize("found", [1, 7])
def test_a_refusal_by_what_never_stood_then_is_found(found: int) -> None:
    refused = put("a", "x", 3.2, 3.8, on=9, found={"a": found})
    assert "which did not stand then" in told([*LIFE, refused], LIVED)


def test_a_refusal_by_an_absence_that_was_none_is_found() -> None:
    refused = put("a", "x", 3.2, 3.8, on=9, found={"a": 0})
    assert "which did not stand then" in told([*LIFE, refused], LIVED)


def test_a_refusal_with_what_was_expected_is_found() -> None:
    refused = put("a", "x", 3.2, 3.8, on=2, found={"a": 2})
    assert "refused with 2, which was expected" in told([*LIFE, refused], LIVED)


def test_a_refused_write_that_was_written_is_found() -> None:
    refused = put("b", "x", 8, 9, on=4, found={"b": 0})
    found = table({"a": "one"}, {"a": "two"}, {"a": GONE}, {"a": "three"}, {"b": "x"})
    assert "'x' was refused, and written at 5" in told([*LIFE, refused], found)


def test_a_busy_answer_for_what_was_written_is_found() -> None:
    assert "was refused, and written at 1" in told(
        [put("a", "x", 0, 1, found={})], table({"a": "x"})
    )


def test_an_idempotent_write_made_twice_is_found() -> None:
    once = [put("a", "x", 0, 9, made=1)]
    assert "'x' was written twice, at 2 too" in told(once, table({"a": "x"}, {"b": "x"}))
    unknown = [put("a", "x", 0, 9)]
    assert "'x' was written twice, at 2 too" in told(unknown, table({"a": "x"}, {"a": "x"}))


def test_a_commit_that_nobody_made_is_found() -> None:
    assert "nobody made it" in told(LIFE, table(*[{"a": t} for t in "wxyz"], {"a": "other"}))
    gone = table({"a": GONE}, erased=(1,))
    assert "nobody made it" in told([], gone)
    assert "nobody made it" in told([forget("b", 0, 1)], gone)
    assert told([forget("a", 0, 1)], gone) == ""


def test_an_unknown_outcome_explains_one_commit_at_most_of_those_whose_content_is_gone() -> None:
    found = table({"a": "x"}, {"a": "y"}, {"a": GONE}, erased=(1, 2))
    history = [put("a", "x", 0, 1), forget("a", 4, 5, made=3)]
    assert "revision 2 on ['a']: nobody made it" in told(history, found)
    assert told([put("a", "y", 0, 1), *history], found) == ""


def test_a_guard_granted_on_what_an_unknown_write_made_is_no_fault() -> None:
    history = [
        LIFE[0],
        put("a", "unknown", 2, 3, on=1),
        put("a", "x", 4, 5, on=1, found={"a": 2}),
        put("a", "y", 6, 7, on=2, made=3),
    ]
    assert told(history, table({"a": "one"}, {"a": "unknown"}, {"a": "y"})) == ""


def test_an_unknown_write_that_was_granted_on_another_state_is_found() -> None:
    history = [*LIFE[:2], put("a", "unknown", 2, 3, on=1)]
    found = table({"a": "one"}, {"a": "two"}, {"a": "unknown"})
    assert "revision 3 was granted on 1" in told(history, found)


def test_a_gap_in_the_clock_or_the_log_is_found_but_for_a_recorded_jump() -> None:
    log = (Entry(1, 0, {"a": 0}), Entry(3, 1, {"b": 0}))
    versions = {("a", 1): Version(1, ACTIVE, "x"), ("b", 3): Version(3, ACTIVE, "y")}
    history = [put("a", "x", 0, 1, made=1), put("b", "y", 2, 3, made=3)]
    assert "revision 3 follows 1" in told(history, Table(3, log, versions))
    jumped = (log[0], Entry(2, 1, {}), Entry(3, 2, {"b": 0}))
    assert told(history, Table(3, jumped, versions)) == ""
    assert "the clock is 4" in told(history, Table(4, jumped, versions))
    broken = (log[0], Entry(2, 1, {}), Entry(3, 1, {"b": 0}))
    assert "goes from 2 to 3, which names 1" in told(history, Table(3, broken, versions))


def test_a_log_entry_that_says_something_else_of_what_was_before_is_found() -> None:
    found = table({"a": "one"}, {"a": "two"})
    wrong = replace(found, log=(found.log[0], Entry(2, 1, {"a": 0})))
    assert "its entry says 0" in told(LIFE[:2], wrong)


def test_a_revision_against_the_order_of_time_is_found() -> None:
    history = [put("a", "x", 5, 6, made=1), put("b", "y", 1, 2, made=2)]
    assert "ended before an earlier one began" in told(history, table({"a": "x"}, {"b": "y"}))


def test_a_commit_of_which_only_a_part_was_written_is_found() -> None:
    steps = (Step("a", "x"), Step("b", "y"))
    half = table({"a": "x"})
    assert "did not change what its write says" in told([Write(steps, 0, 1, made=1)], half)
    assert "a part of its write only" in told([Write(steps, 0, 1)], half)
    assert told([Write(steps, 0, 1)], table({"a": "x", "b": "y"})) == ""


def test_a_supersession_keeps_the_text_and_needs_a_record() -> None:
    mark = Write((Step("b", "new", 0), Step("a", superseded=True)), 2, 3, made=2)
    found = table({"a": "one"}, {"b": "new", "a": (SUPERSEDED, "one")})
    assert told([LIFE[0], mark], found) == ""
    changed = table({"a": "one"}, {"b": "new", "a": (SUPERSEDED, "other")})
    assert "was written" in told([LIFE[0], mark], changed)
    again = Write((Step("b", "newer", 2), Step("a", superseded=True)), 4, 5, made=3)
    unmoved = table({"a": "one"}, {"b": "new", "a": (SUPERSEDED, "one")}, {"b": "newer"})
    assert told([LIFE[0], mark, again], unmoved) == ""  # what it superseded before stays as it was
    other = table({"a": "one"}, {"b": "new", "a": (SUPERSEDED, "one")}, {"a": "newer"})
    assert "did not change what its write says" in told([LIFE[0], mark, again], other)
    nothing = Write((Step("b", "new", 0), Step("a", superseded=True)), 2, 3, made=1)
    assert "granted on None" in told([nothing], table({"b": "new", "a": (SUPERSEDED, None)}))


@pytest.mark.parametrize(
    "read",
    [
        seen("a", 3.2, 3.8, 1, "one"),
        seen("a", 3.2, 3.8, 2, "other"),
        Read("a", 3.2, 3.8, ABSENT),
        Read("a", 3.2, 3.8, Version(2, SUPERSEDED, "two")),
        seen("b", 3.2, 3.8, 1, "one"),
    ],
)
def test_a_read_of_what_did_not_stand_is_found(read: Read) -> None:
    assert "did not stand then" in told(History(writes=LIFE, reads=[read]), LIVED)


def test_a_resurrected_record_is_found() -> None:
    read = seen("a", 5.2, 5.8, 2, "two")
    assert "did not stand then" in told(History(writes=LIFE, reads=[read]), LIVED)


@pytest.mark.parametrize(
    ("read", "fault"),
    [
        (Read("a", 4, 5, Version(2, ACTIVE, "other"), as_of=2), "stood"),
        (Read("a", 4, 5, Version(1, ACTIVE, "one"), as_of=2), "stood"),
        (Read("a", 3.2, 3.8, ABSENT, as_of=2), "stood"),
        (Read("a", 5.2, 5.8, Version(2, ACTIVE, "two"), as_of=2), "which was forgotten at 3"),
        (Read("a", 5.2, 5.8, Version(4, ACTIVE, "three"), as_of=4), "still to come"),
    ],
)
def test_an_as_of_read_of_another_text_or_of_a_forgotten_one_is_found(
    read: Read, fault: str
) -> None:
    assert fault in told(History(writes=LIFE, reads=[read]), LIVED)


def test_a_record_listed_twice_or_left_out_is_found() -> None:
    twice = Listing(3.2, 3.8, ("a", "a"))
    assert "listed twice: ['a']" in told(History(writes=LIFE, listings=[twice]), LIVED)
    without = Listing(3.2, 3.8, ())
    assert "a was not listed" in told(History(writes=LIFE, listings=[without]), LIVED)
    tombstone = Listing(5.2, 5.8, (), status=None)
    assert "a was not listed" in told(History(writes=LIFE, listings=[tombstone]), LIVED)


@pytest.mark.parametrize(
    ("revisions", "whole", "fault"),
    [
        ((3, 1), False, "is not that of"),
        ((9, 3), False, "is not that of"),
        ((3, 2), True, "ends at 2"),
        ((3, 2), False, ""),
        ((3, 2, 1), True, ""),
    ],
)
def test_a_history_with_a_gap_is_found(
    revisions: tuple[int, ...],
    whole: bool,  # noqa: FBT001  # handed in by name
    fault: str,
) -> None:
    writes = [put("a", str(n), n, n + 0.5, made=n) for n in (1, 2, 3)]
    found = table(*({"a": str(n)} for n in (1, 2, 3)))
    chain = Chain("a", 5, 6, revisions, whole=whole)
    answer = told(History(writes=writes, chains=[chain]), found)
    assert fault in answer
    assert bool(fault) == bool(answer)
