"""The checker of passes under fire finds what is planted, and nothing in a run without a fault."""

from collections.abc import Mapping
from dataclasses import replace

import pytest

from e2e.history import Entry, Table, Version
from e2e.passes_history import Hit, PassDone, PassesHistory, Put, faults, unproved

LISTED = {"l0": "first list l0", "l1": "first list l1"}


def table(
    versions: Mapping[tuple[str, int], tuple[str, str | None]], clock: int | None = None
) -> Table:
    revisions = sorted({revision for _, revision in versions})
    log = [Entry(revision, revision - 1, {}) for revision in revisions]
    found = {at: Version(at[1], status, text) for at, (status, text) in versions.items()}
    return Table(revisions[-1] if clock is None else clock, log, found)


def history() -> PassesHistory:
    return PassesHistory(
        puts=[Put("c0", "a client", 0.0, 1.0, 1)],
        passes=[PassDone(5, LISTED, 2.0, 3.0, applied=True, verified=True, clock=3)],
        hits=[Hit("l0", 2, "first list l0", 4.0, 5.0)],
    )


def right() -> dict[tuple[str, int], tuple[str, str | None]]:
    return {
        ("c0", 1): ("active", "a client"),
        ("l0", 2): ("active", "first list l0"),
        ("l1", 2): ("active", "first list l1"),
        ("c0", 3): ("superseded", "a client"),
    }


def test_a_run_without_a_fault_has_none() -> None:
    assert faults(history(), table(right())) == []


def test_a_gap_in_the_clock_is_found() -> None:
    gapped = {at: told for at, told in right().items() if at[1] != 2}
    gapless = PassesHistory(puts=history().puts)
    assert any("comes 3" in fault for fault in faults(gapless, table(gapped)))
    assert any("clock says 9" in fault for fault in faults(history(), table(right(), clock=9)))


@pytest.mark.parametrize("instead", [None, ("active", "another text")])
def test_an_acknowledged_write_that_is_lost_is_found(
    instead: tuple[str, str | None] | None,
) -> None:
    versions = right()
    del versions["c0", 1]
    if instead is not None:
        versions["c0", 1] = instead
    assert any("was acknowledged" in fault for fault in faults(history(), table(versions)))


def test_a_text_that_nobody_wrote_is_found() -> None:
    versions = right() | {("l1", 2): ("active", "out of nowhere")}
    assert any("nobody wrote" in fault for fault in faults(history(), table(versions)))


def test_an_older_pass_that_writes_after_a_newer_one_is_found() -> None:
    told = history()
    told.passes.append(PassDone(4, {"l0": "older list l0"}, 1.0, 9.0))
    late = right() | {("l0", 4): ("active", "older list l0")}
    assert any("is of pass 4, after pass 5" in fault for fault in faults(told, table(late)))
    early = {
        ("l0", 1): ("active", "older list l0"),
        ("c0", 2): ("active", "a client"),
        ("l0", 3): ("active", "first list l0"),
    }
    told.puts = [Put("c0", "a client", 0.0, 1.0, 2)]
    told.hits = []
    assert faults(told, table(early)) == []


def test_a_text_of_several_lists_may_be_of_the_newest() -> None:
    told = history()
    told.passes.append(PassDone(9, LISTED, 4.0, 5.0, applied=True, verified=True, clock=4))
    again = right() | {("l1", 4): ("active", "first list l1")}
    told.hits = []
    assert faults(told, table(again)) == []


def test_what_an_unordered_pass_writes_is_not_judged_by_its_order() -> None:
    told = history()
    told.passes.append(PassDone(0, {"l0": "no order l0"}, 4.0, 5.0))
    told.hits = []
    assert faults(told, table(right() | {("l0", 4): ("active", "no order l0")})) == []


def test_a_pass_that_is_stale_beside_an_older_one_is_found() -> None:
    told = history()
    told.passes.append(PassDone(6, LISTED, 4.0, 5.0, applied=False, newest=5))
    assert any("was stale beside 5" in fault for fault in faults(told, table(right())))


def test_an_older_pass_that_is_applied_after_a_newer_one_had_ended_is_found() -> None:
    told = history()
    told.passes.append(PassDone(4, {}, 3.5, 5.0, applied=True, verified=True, clock=3))
    assert any("was applied after 5" in fault for fault in faults(told, table(right())))


def test_a_hit_that_was_never_true_is_found() -> None:
    told = history()
    told.hits = [replace(told.hits[0], text="something else")]
    assert any("was found as" in fault for fault in faults(told, table(right())))


def test_a_hit_that_had_been_replaced_before_its_search_is_found() -> None:
    told = history()
    told.hits = [Hit("c0", 1, "a client", 3.5, 5.0)]
    assert any("stood before the search" in fault for fault in faults(told, table(right())))
    told.hits = [Hit("c0", 1, "a client", 2.5, 5.0)]
    assert faults(told, table(right())) == []


def test_an_applied_pass_without_proof_is_told() -> None:
    (done,) = history().passes
    assert unproved([done, replace(done, applied=False, verified=False)]) == []
    assert unproved([replace(done, verified=False)]) == [replace(done, verified=False)]
