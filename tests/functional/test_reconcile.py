"""What a pass does: a namespace's active records become exactly a list. D7, F1, F2, F5, F7."""

from collections.abc import Sequence
from itertools import chain
from typing import Any

import pytest

from palimpsest.adapters.simulated import Fault, FaultKind
from palimpsest.domain.entries import Entry, WriteResult
from palimpsest.domain.errors import Unavailable
from palimpsest.domain.queries import Mode
from palimpsest.domain.records import Content, Record, Status
from palimpsest.services.project import entry_of
from quick_world import QuickWorld
from world import NAMESPACE, TENANT

OLD = {"a": "Ada keeps bees.", "b": "Ben bakes bread.", "c": "Cleo mends clocks."}


def record(world: QuickWorld, record_id: str) -> Record:
    return world.store.read(TENANT, NAMESPACE, [record_id])[1][record_id]


def revision(world: QuickWorld) -> int:
    return world.store.read(TENANT, NAMESPACE)[0].revision


@pytest.fixture
def listed(quick: QuickWorld) -> QuickWorld:
    """Three records of a first list, of R = 5."""
    quick.reconcile(5, OLD)
    return quick


def test_the_active_records_become_exactly_the_list(listed: QuickWorld) -> None:
    listed.put("d", "A client's own.")
    new = {"a": OLD["a"], "b": "Ben bakes cakes.", "e": "Eve plays chess."}
    report = listed.reconcile(6, new)
    assert listed.active() == new
    assert (report.added, report.updated, report.removed, report.unchanged) == (1, 1, 2, 1)
    assert (report.applied, report.verified, report.newer) == (True, True, 0)
    assert report.revision == revision(listed)
    clock, _ = listed.store.read(TENANT, NAMESPACE)
    assert clock.counts == {Status.ACTIVE: 3, Status.SUPERSEDED: 2, Status.DELETED: 0}


def test_d7_the_same_pass_again_changes_nothing(listed: QuickWorld) -> None:
    before = revision(listed)
    report = listed.reconcile(5, OLD)
    assert (report.applied, report.verified, report.unchanged) == (True, True, 3)
    assert (report.added, report.updated, report.removed) == (0, 0, 0)
    assert (revision(listed), report.usage["commits"]) == (before, 0)


def test_an_empty_list_takes_everything_out(listed: QuickWorld) -> None:
    report = listed.reconcile(6, {})
    assert (listed.active(), report.removed, report.verified) == ({}, 3, True)


def test_a_namespace_that_was_never_used_takes_an_empty_list(quick: QuickWorld) -> None:
    report = quick.reconcile(1, {})
    assert (report.applied, report.verified, report.revision) == (True, True, 0)


@pytest.mark.parametrize(("given", "applied"), [(1, False), (4, False), (5, True), (6, True)])
def test_a_lower_revision_than_the_newest_is_stale_and_changes_nothing(
    listed: QuickWorld, given: int, *, applied: bool
) -> None:
    before = listed.items()
    report = listed.reconcile(given, {"x": "Another list."})
    assert report.applied is applied
    if not applied:
        assert (report.reason, report.newest, report.revision) == ("stale", 5, 1)
        assert report.source_revision == given
        assert (listed.active(), listed.items()) == (OLD, before)


def test_the_same_revision_with_another_list_applies_it(listed: QuickWorld) -> None:
    assert listed.reconcile(5, {"a": "Ada sells honey."}).applied
    assert listed.active() == {"a": "Ada sells honey."}


def test_0_is_not_ordered_and_moves_no_revision_of_the_fence(listed: QuickWorld) -> None:
    assert listed.reconcile(0, {"a": "Ada sells honey."}).applied
    fence = listed.fences.read(TENANT, NAMESPACE)
    assert (fence.begun, fence.applied) == (5, 5)
    assert not listed.reconcile(4, OLD).applied
    assert listed.reconcile(5, OLD).applied


def test_what_leaves_the_list_is_superseded_by_no_other_and_readable_but_not_found(
    listed: QuickWorld,
) -> None:
    assert listed.found("bread", mode=Mode.LEXICAL) == ["b"]
    listed.reconcile(6, {i: OLD[i] for i in ("a", "c")})
    left = record(listed, "b")
    assert (left.status, left.superseded_by) == (Status.SUPERSEDED, None)
    assert left.content == Content(text=OLD["b"])
    for mode in Mode:
        assert "b" not in listed.found(OLD["b"], mode=mode)
    assert listed.items("V#b") == {}


def test_f1_what_leaves_a_forgetting_pass_is_gone_from_every_read(listed: QuickWorld) -> None:
    listed.reconcile(6, {i: OLD[i] for i in ("a", "c")}, forget=True)
    assert (record(listed, "b").status, record(listed, "b").content) == (Status.DELETED, None)
    for mode in Mode:
        assert "b" not in listed.found(OLD["b"], mode=mode)
    assert listed.history.as_of(TENANT, NAMESPACE, "b", 1) is None
    listed.erase()
    assert listed.items("H#b") == listed.items("V#b") == listed.items("E#b") == {}
    texts = [str(item) for sk, item in listed.items().items() if sk != "R#b"]
    assert not any("bakes" in text for text in texts)


@pytest.mark.parametrize("forget", [False, True])
def test_f2_what_comes_back_is_added_under_a_higher_revision(
    listed: QuickWorld, *, forget: bool
) -> None:
    listed.reconcile(6, {i: OLD[i] for i in ("a", "c")}, forget=forget)
    before = record(listed, "b").revision
    report = listed.reconcile(7, OLD)
    assert (report.added, report.updated, report.unchanged) == (1, 0, 2)
    assert record(listed, "b").revision > before
    assert listed.active() == OLD
    assert listed.found("bread", mode=Mode.SEMANTIC)[0] == "b"


def test_f5_of_two_equal_texts_the_one_that_stays_is_found_on_both_legs(
    quick: QuickWorld,
) -> None:
    text = "The spare key hangs behind the shed."
    quick.reconcile(1, {"a": text, "b": text})
    quick.reconcile(2, {"b": text}, forget=True)
    quick.erase()
    for mode in (Mode.LEXICAL, Mode.SEMANTIC):
        assert quick.found(text, mode=mode) == ["b"]


@pytest.mark.parametrize("forget", [False, True])
def test_f7_an_old_wake_up_that_comes_again_brings_nothing_back(
    listed: QuickWorld, *, forget: bool
) -> None:
    stale = record(listed, "b")
    clock, _ = listed.store.read(TENANT, NAMESPACE)
    listed.reconcile(6, {"a": OLD["a"]}, forget=forget)
    vector = listed.embedder.embed_query(OLD["b"], timeout=1)
    listed.index.write([entry_of(f"{TENANT}#{NAMESPACE}", stale, clock, vector)])
    for _ in range(2):
        listed.project(retry_pending=True)
    assert listed.found(OLD["b"], mode=Mode.LEXICAL) == []
    assert listed.found(OLD["b"], mode=Mode.SEMANTIC) == ["a"]


def test_every_field_of_a_record_is_on_the_list(quick: QuickWorld) -> None:
    full = Content(
        text="Ada keeps bees.", title="Bees", tags=("a", "b"), metadata={"n": 1, "t": True}
    )
    quick.reconcile(1, {"a": full})
    assert record(quick, "a").content == full
    assert quick.reconcile(2, {"a": full}).unchanged == 1
    other = Content(
        text="Ada keeps bees.", title="Bees", tags=("a", "b"), metadata={"n": 1.0, "t": True}
    )
    assert quick.reconcile(3, {"a": other}).updated == 1


def test_an_index_that_cannot_answer_is_told_and_the_records_stand(quick: QuickWorld) -> None:
    def broken(_: Sequence[Entry]) -> Sequence[WriteResult]:
        raise Unavailable("no answer", stage="index")

    quick.writes(broken)
    quick.compose()
    report = quick.reconcile(1, OLD)
    assert (report.applied, report.verified) == (True, False)
    assert report.verification["index"] == "Unavailable"
    assert report.verification["indexed_revision"] == 0
    assert quick.active() == OLD


def test_an_index_that_cannot_say_which_it_is_is_told_too(quick: QuickWorld) -> None:
    class Gone:
        def generation(self) -> str:
            raise Unavailable("no answer", stage="index")

        reading = generation

        def __getattr__(self, name: str) -> Any:
            return getattr(inner, name)

    inner, quick.index = quick.index, Gone()  # type: ignore[assignment]
    quick.reproject()
    report = quick.reconcile(1, OLD)
    assert (report.applied, report.verified) == (True, False)
    assert report.verification["indexed_revision"] is None
    assert quick.active() == OLD


def test_b5_a_blank_text_on_the_list_never_reaches_the_embedder_and_stops_no_other(
    quick: QuickWorld,
) -> None:
    wanted = {"blank": "   ", "line": "\n", "emoji": "🐝", "word": "bees"}
    report = quick.reconcile(1, wanted)
    assert quick.active() == wanted
    assert [(one.id, one.reason) for one in report.failed] == [
        ("blank", "embedding_failed"),
        ("line", "embedding_failed"),
    ]
    assert (report.added, report.embedded, report.verified) == (4, 4, True)
    assert sorted(chain(*quick.embedder.calls)) == ["bees", "🐝"]


def test_b5_a_text_without_a_usable_vector_stops_no_other(quick: QuickWorld) -> None:
    quick.embedder.inject(Fault(kind=FaultKind.ZERO, containing="zero"))
    report = quick.reconcile(1, {"a": "zero", "b": "bees"})
    assert [(one.id, one.reason) for one in report.failed] == [("a", "embedding_failed")]
    assert quick.found("zero", mode=Mode.LEXICAL) == ["a"]
    assert quick.found("bees", mode=Mode.SEMANTIC) == ["b"]
