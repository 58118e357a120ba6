"""How a page becomes commits: so many changes and bytes, under contention, for several models."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import pytest

from palimpsest.adapters.dynamodb import transaction
from palimpsest.domain.errors import Throttled, TooLarge
from palimpsest.domain.jobs import Job
from palimpsest.domain.passes import Displaced, Pass, PlannedChange
from palimpsest.domain.planning import ChangeKind
from palimpsest.domain.records import Content
from palimpsest.domain.vectors import Vector
from palimpsest.services.reconciling import applying
from palimpsest.services.reconciling.applying import ApplyingService
from quick_world import QuickWorld
from reconcile_world import LATER, desired, facts
from world import NAMESPACE, TENANT

MODELS = ("first:1", "second:1", "third:1")


def service(world: QuickWorld, *, models: int = 1) -> ApplyingService:
    return replace(world.steps.applying, models=MODELS[:models])


def apply(
    applying_: ApplyingService,
    one: Pass,
    page: Sequence[PlannedChange],
    made: Mapping[str, tuple[str, Vector]] | None = None,
    *,
    until: float = LATER,
) -> int:
    return applying_.apply(one, page, made or {}, until=until)


def begun(world: QuickWorld) -> Pass:
    return world.beginning.begin(world.request(0), attempt="attempt")


def puts(texts: Mapping[str, str]) -> list[PlannedChange]:
    return [PlannedChange(ChangeKind.ADDED, i, Content(text=text)) for i, text in texts.items()]


def sizes(world: QuickWorld, *, after: int = 0) -> list[int]:
    """How many records each commit changed."""
    log = world.store.log(TENANT, NAMESPACE, after=after, limit=100)
    return [len(entry.record_ids) for entry in log]


@pytest.mark.parametrize(
    ("models", "expected"), [(1, [25, 25, 10]), (2, [23, 23, 14]), (3, [18] * 3 + [6])]
)
def test_a_commit_takes_as_many_changes_as_a_transaction_holds_with_vectors_of_every_model(
    quick: QuickWorld, models: int, expected: list[int]
) -> None:
    made = dict.fromkeys(facts(60), ("hash", (1.0,)))
    assert apply(service(quick, models=models), begun(quick), puts(facts(60)), made) == len(
        expected
    )
    assert sizes(quick) == expected
    assert len(quick.items("V#")) == 60
    removals = [PlannedChange(ChangeKind.REMOVED, i) for i in facts(60)]
    apply(service(quick, models=models), begun(quick), removals)
    assert sizes(quick, after=len(expected)) == expected
    assert quick.items("V#") == {}


def test_what_leaves_loses_the_vectors_of_every_model(quick: QuickWorld) -> None:
    one = begun(quick)
    apply(service(quick), one, puts(facts(2)))
    for model in MODELS:
        held = {"f0000": (Content(text=facts(2)["f0000"]).text_hash, (1.0,))}
        assert quick.vectors.hold(TENANT, NAMESPACE, held, fingerprint=model) == {"f0000"}
    removal = [PlannedChange(ChangeKind.REMOVED, "f0000")]
    apply(service(quick, models=2), begun(quick), removal)
    assert list(quick.items("V#")) == ["V#f0000#third:1"]  # a model that is not kept any more


def test_a_commit_ends_before_it_has_too_many_bytes(
    quick: QuickWorld, monkeypatch: pytest.MonkeyPatch
) -> None:
    texts = {f"r{n}": "x" * 100 for n in range(5)}
    size = Content(text="x" * 100).size
    for most, expected in ((2 * size, [2, 2, 1]), (2 * size - 1, [1] * 5), (size - 1, [1] * 5)):
        monkeypatch.setattr(applying, "COMMIT_BYTES", most)
        apply(service(quick), begun(quick), [PlannedChange(ChangeKind.REMOVED, i) for i in texts])
        before = quick.store.read(TENANT, NAMESPACE)[0].revision
        apply(service(quick), begun(quick), puts(texts))
        assert sizes(quick, after=before) == expected


def test_a_commit_that_is_too_large_with_what_it_replaces_is_halved(
    quick: QuickWorld, monkeypatch: pytest.MonkeyPatch
) -> None:
    quick.put_many({f"r{n}": "long " * 200 for n in range(5)})
    monkeypatch.setattr(transaction, "MAX_TRANSACTION_BYTES", 3_500)
    changes = puts({f"r{n}": "short" for n in range(5)})
    assert apply(service(quick), begun(quick), changes) == 3
    assert sizes(quick, after=1) == [2, 1, 2]
    assert quick.active() == {f"r{n}": "short" for n in range(5)}


def test_one_change_that_is_too_large_by_itself_is_an_error(
    quick: QuickWorld, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(transaction, "MAX_TRANSACTION_BYTES", 500)
    with pytest.raises(TooLarge):
        apply(service(quick), begun(quick), puts({"a": "long " * 200}))


class Busy:
    """A table whose clock another writer moves just before each of the first commits."""

    def __init__(self, store: Any, rival: QuickWorld, times: int) -> None:
        self._store, self._rival, self.times = store, rival, times

    def commit(self, plan: Any) -> bool:
        if self.times:
            self.times -= 1
            self._rival.put("rival", f"Writing, {self.times} to go.")
        return bool(self._store.commit(plan))

    def __getattr__(self, name: str) -> Any:
        return getattr(self._store, name)


def contended(world: QuickWorld, times: int) -> ApplyingService:
    busy: Any = Busy(world.store, QuickWorld(beside=world), times)
    return replace(service(world), store=busy)


def test_a_commit_goes_on_trying_where_clients_write(quick: QuickWorld) -> None:
    one = begun(quick)
    assert apply(contended(quick, 6), one, puts(facts(3))) == 1
    assert quick.active() == facts(3) | {"rival": "Writing, 0 to go."}


def test_a_commit_gives_up_where_clients_never_stop(quick: QuickWorld) -> None:
    one = begun(quick)
    with pytest.raises(Throttled):
        apply(contended(quick, 10_000), one, puts(facts(3)))
    assert 14 <= quick.clock.monotonic() < 14 + 1.6


def test_a_commit_gives_up_where_its_caller_has_no_more_time(quick: QuickWorld) -> None:
    one = begun(quick)
    with pytest.raises(Throttled):
        apply(contended(quick, 10_000), one, puts(facts(3)), until=5)
    assert 5 <= quick.clock.monotonic() < 5 + 1.6


def test_a_pass_of_a_busy_namespace_is_handed_over_in_time(quick: QuickWorld) -> None:
    busy: Any = Busy(quick.store, QuickWorld(beside=quick), 10_000)
    quick.store = busy
    quick.compose()
    job = quick.passes.reconcile(quick.request(1), desired(facts(3)))
    assert isinstance(job, Job)
    assert 14 <= quick.clock.monotonic() < 14 + 1.6
    busy.times = 0
    ended = quick.run(job)
    assert ended.result is not None
    assert (ended.result["added"], ended.result["verified"]) == (3, True)
    assert ended.result["usage"]["embedding_calls"] == 1


def test_a_page_that_is_applied_again_makes_no_commit(quick: QuickWorld) -> None:
    one = begun(quick)
    assert apply(service(quick), one, puts(facts(3))) == 1
    assert apply(service(quick), one, puts(facts(3))) == 0
    assert apply(service(quick), one, []) == 0


def test_a_displaced_pass_learns_it_at_its_next_commit(quick: QuickWorld) -> None:
    one = begun(quick)
    quick.beginning.begin(quick.request(7), attempt="another")
    with pytest.raises(Displaced) as caught:
        apply(service(quick), one, puts(facts(3)))
    assert caught.value.newest == 7
    assert quick.store.read(TENANT, NAMESPACE)[0].revision == 0
