from collections.abc import Mapping, Sequence

from hypothesis import given
from hypothesis import strategies as st

from palimpsest.domain.planning import (
    ChangeKind,
    PassPlan,
    Standing,
    digest,
    digest_text,
    plan_pass,
)
from palimpsest.domain.records import Status

NEWEST = 12
IDS = st.sampled_from([f"r{n}" for n in range(9)])
HASHES = st.sampled_from(["aa", "bb", "cc"])
DESIRED = st.dictionaries(IDS, HASHES)
SETS = st.dictionaries(st.text("ab1", min_size=1, max_size=3), HASHES, min_size=1)


@st.composite
def standing(draw: st.DrawFn) -> list[Standing]:
    """The records of a namespace in any order, some of them chunks of documents."""
    ids = draw(st.sets(st.one_of(IDS, st.sampled_from(["doc_1", "doc_2"]))))
    found = []
    for record_id in draw(st.permutations(sorted(ids))):
        status = draw(st.sampled_from(Status))
        hash_ = None if status is Status.DELETED else draw(HASHES)
        revision = draw(st.integers(1, NEWEST))
        found.append(Standing(record_id, revision, status, hash_))
    return found


@st.composite
def moments(draw: st.DrawFn) -> tuple[int, int]:
    """A base and a floor that is not above it."""
    base = draw(st.integers(0, NEWEST))
    return base, draw(st.integers(0, base))


def active(current: Sequence[Standing], *, above: int) -> dict[str, str | None]:
    """What clients have written that is active above a revision."""
    return {
        one.id: one.content_hash
        for one in current
        if one.status is Status.ACTIVE and one.revision > above and not one.id.startswith("doc_")
    }


def applied(
    plan: PassPlan, current: Sequence[Standing], desired: Mapping[str, str], *, floor: int
) -> dict[str, str | None]:
    """The active records once a plan is carried out to the letter."""
    after = active(current, above=floor)
    for record_id in plan.removed:
        del after[record_id]
    return after | {i: desired[i] for i in (*plan.added, *plan.updated)}


@given(standing(), DESIRED, moments())
def test_a_plan_makes_the_list_true_but_for_what_clients_changed_after_the_base(
    current: list[Standing], desired: dict[str, str], when: tuple[int, int]
) -> None:
    base, floor = when
    plan = plan_pass(current, desired, base=base, floor=floor)
    changed = {one.id for one in current if one.revision > base}
    theirs = active(current, above=base)
    wanted = {i: hash_ for i, hash_ in desired.items() if i not in changed}
    assert applied(plan, current, desired, floor=floor) == {**wanted, **theirs}


@given(standing(), DESIRED, moments())
def test_the_numbers_of_a_plan_add_up_and_no_id_is_in_it_twice(
    current: list[Standing], desired: dict[str, str], when: tuple[int, int]
) -> None:
    base, floor = when
    plan = plan_pass(current, desired, base=base, floor=floor)
    every = [*plan.added, *plan.updated, *plan.removed, *plan.newer]
    assert len(every) == len(set(every))
    assert all(list(ids) == sorted(ids) for ids in (*plan.ids.values(), plan.newer))
    newer = set(plan.newer)
    listed = len(plan.added) + len(plan.updated) + plan.unchanged + len(newer & desired.keys())
    assert listed == len(desired)
    there = active(current, above=floor)
    standing_ = len(plan.updated) + len(plan.removed) + plan.unchanged + len(newer & there.keys())
    assert standing_ == len(there)
    assert plan.ids == {
        ChangeKind.ADDED: plan.added,
        ChangeKind.UPDATED: plan.updated,
        ChangeKind.REMOVED: plan.removed,
    }


@given(standing(), DESIRED, moments())
def test_what_is_kept_has_the_digest_of_the_records_that_are_as_the_list_has_them(
    current: list[Standing], desired: dict[str, str], when: tuple[int, int]
) -> None:
    base, floor = when
    plan = plan_pass(current, desired, base=base, floor=floor)
    kept = active(current, above=floor).items() & desired.items()
    assert plan.unchanged == len(kept)
    total = sum(digest(i, hash_) for i, hash_ in kept if hash_ is not None)
    assert digest_text(plan.kept_digest) == digest_text(total)


@given(standing(), moments())
def test_a_list_of_what_is_active_already_changes_nothing(
    current: list[Standing], when: tuple[int, int]
) -> None:
    base, floor = when
    there = {i: hash_ for i, hash_ in active(current, above=floor).items() if hash_ is not None}
    plan = plan_pass(current, there, base=base, floor=floor)
    assert (plan.added, plan.updated, plan.removed) == ((), (), ())
    assert (plan.newer, plan.unchanged) == ((), len(there))


@given(standing(), DESIRED, moments(), st.randoms(use_true_random=False))
def test_a_plan_does_not_depend_on_the_order_of_either_side(
    current: list[Standing], desired: dict[str, str], when: tuple[int, int], chance: object
) -> None:
    base, floor = when
    plan = plan_pass(current, desired, base=base, floor=floor)
    rows = list(desired.items())
    chance.shuffle(rows)  # type: ignore[attr-defined]
    assert plan_pass(current[::-1], dict(rows), base=base, floor=floor) == plan


@given(SETS, st.randoms(use_true_random=False))
def test_the_digest_of_a_set_does_not_depend_on_its_order(
    some: dict[str, str], chance: object
) -> None:
    rows = list(some.items())
    chance.shuffle(rows)  # type: ignore[attr-defined]
    assert sum(digest(*row) for row in rows) == sum(digest(*row) for row in some.items())


@given(SETS, SETS)
def test_sets_that_differ_have_other_digests(one: dict[str, str], other: dict[str, str]) -> None:
    digests = [digest_text(sum(digest(*row) for row in some.items())) for some in (one, other)]
    assert (digests[0] == digests[1]) == (one == other)


def test_a_digest_is_told_in_64_digits_whatever_the_sum() -> None:
    assert digest_text(0) == "0" * 64
    assert digest_text(2**256 - 1) == "f" * 64
    assert digest_text(2**256 + 5) == "0" * 63 + "5"
    assert digest_text(-1) == "f" * 64


def of(record_id: str, revision: int, status: Status = Status.ACTIVE) -> Standing:
    return Standing(record_id, revision, status, None if status is Status.DELETED else "aa")


def test_a_record_counts_as_a_clients_later_one_only_above_the_base() -> None:
    for revision, newer in ((5, ()), (6, ("a",))):
        plan = plan_pass([of("a", revision)], {}, base=5, floor=0)
        assert (plan.newer, plan.removed) == (newer, () if newer else ("a",))


def test_a_record_is_there_only_above_the_floor() -> None:
    for revision, added in ((3, ("a",)), (4, ())):
        plan = plan_pass([of("a", revision)], {"a": "aa"}, base=9, floor=3)
        assert (plan.added, plan.unchanged) == (added, 0 if added else 1)


def test_what_was_superseded_or_forgotten_before_comes_back_as_added() -> None:
    for status in (Status.SUPERSEDED, Status.DELETED):
        plan = plan_pass([of("a", 4, status)], {"a": "aa"}, base=9, floor=0)
        assert (plan.added, plan.updated, plan.newer) == (("a",), (), ())


def test_what_a_client_has_taken_away_meanwhile_stays_away() -> None:
    for status in (Status.SUPERSEDED, Status.DELETED):
        plan = plan_pass([of("a", 10, status)], {"a": "aa"}, base=9, floor=0)
        assert (plan.added, plan.newer) == ((), ("a",))


def test_chunks_of_documents_are_no_concern_of_a_pass() -> None:
    plan = plan_pass([of("doc_7", 1), of("doc_8", 11)], {}, base=9, floor=0)
    assert (plan.removed, plan.newer, plan.unchanged) == ((), (), 0)
