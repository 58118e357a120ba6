"""A pass embeds what has no held vector, and nothing else. H4: it stands a provider that
throttles."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import pytest

from palimpsest.adapters.memory import MemoryIndex
from palimpsest.adapters.simulated import Fault, FaultKind
from palimpsest.domain.errors import Throttled
from palimpsest.domain.jobs import JobStatus
from palimpsest.domain.queries import Mode
from palimpsest.domain.records import Content
from palimpsest.domain.vectors import to_float16
from palimpsest.services import embed_records, embed_texts
from quick_world import PARTITION, QuickWorld
from reconcile_world import LATER, facts
from simulation.table import Key
from world import NAMESPACE, TENANT

LIST = facts(20)


def embedded(world: QuickWorld) -> list[str]:
    return sorted(text for call in world.embedder.calls for text in call)


@pytest.fixture
def listed(quick: QuickWorld) -> QuickWorld:
    """Twenty records whose vectors are held; what was embedded for them is forgotten."""
    quick.reconcile(1, LIST)
    quick.embedder._calls.clear()
    return quick


@pytest.mark.parametrize("changed", [0, 1, 7, 20])
def test_a_pass_with_so_many_changed_texts_embeds_exactly_those(
    listed: QuickWorld, changed: int
) -> None:
    new = LIST | dict(list(facts(20, "second").items())[:changed])
    report = listed.reconcile(2, new)
    assert embedded(listed) == sorted(set(new.values()) - set(LIST.values()))
    assert (report.embedded, report.reused_vectors, report.updated) == (changed, 0, changed)
    assert report.usage["embedding_calls"] == (1 if changed else 0)
    assert report.verified


def test_a_change_of_other_fields_reuses_the_held_vectors(listed: QuickWorld) -> None:
    new = {i: Content(text=text, metadata={"seen": True}) for i, text in LIST.items()}
    report = listed.reconcile(2, new)
    assert embedded(listed) == []
    assert (report.updated, report.embedded, report.reused_vectors) == (20, 0, 20)
    assert listed.found(LIST["f0003"], mode=Mode.SEMANTIC)[0] == "f0003"


def test_the_vectors_of_what_leaves_are_retired_and_those_of_the_rest_are_held(
    listed: QuickWorld,
) -> None:
    listed.reconcile(2, {i: LIST[i] for i in ("f0000", "f0001")})
    assert [sk.split("#")[1] for sk in listed.items("V#")] == ["f0000", "f0001"]


def test_a_lost_index_is_written_again_without_embedding(listed: QuickWorld) -> None:
    fresh = QuickWorld(beside=listed, index=MemoryIndex(fingerprint=listed.embedder.fingerprint))
    report = fresh.reconcile(2, LIST)
    assert (embedded(fresh), report.embedded, report.unchanged, report.verified) == (
        [],
        0,
        20,
        True,
    )
    assert len(fresh.found("fact list", mode=Mode.SEMANTIC, limit=50)) == 20


@pytest.mark.parametrize(
    "payload",
    [
        b"",
        b"\0",
        to_float16((0.0,) * 64),
        to_float16((float("nan"),) * 64),
        to_float16((1.0,) * 32),
    ],
    ids=["empty", "odd", "zero", "not finite", "another width"],
)
def test_a_malformed_held_vector_is_embedded_again(listed: QuickWorld, payload: bytes) -> None:
    (sk,) = listed.items("V#f0005")
    broken = {**listed.items()[sk], "vec": {"B": payload}}
    listed.quick.table.write(Key(PARTITION, sk), broken)
    new = {i: Content(text=text, kind="fact") for i, text in LIST.items()}
    report = listed.reconcile(2, new)
    assert embedded(listed) == [LIST["f0005"]]
    assert (report.embedded, report.reused_vectors, report.verified) == (1, 19, True)
    assert listed.items()[sk]["vec"] != broken["vec"]


def test_vectors_that_were_held_as_changed_ones_are_written_with_the_records(
    quick: QuickWorld,
) -> None:
    """So that no projection embeds a text of the pass a second time."""
    quick.reconcile(1, LIST)
    assert embedded(quick) == sorted(LIST.values())
    assert len(quick.items("V#")) == 20


@dataclass(slots=True)
class Throttling:
    """An embedder that asks for patience at some of its calls. `asked`: when it was called."""

    embedder: Any
    now: Callable[[], float]
    refused: Callable[[int], float | None]
    asked: list[float] = field(default_factory=list)

    def embed_passages(self, texts: Sequence[str], *, timeout: float) -> Any:
        self.asked.append(self.now())
        patience = self.refused(len(self.asked))
        if patience is not None:
            raise Throttled("429", retry_after=patience)
        return self.embedder.embed_passages(texts, timeout=timeout)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.embedder, name)


def throttled(world: QuickWorld, refused: Callable[[int], float | None]) -> Throttling:
    made = Throttling(world.embedder, world.clock.monotonic, refused)
    world.with_embedder(made)
    return made


def unsearchable(world: QuickWorld) -> dict[str, str]:
    entries = world.ledger.unsearchable(TENANT, NAMESPACE, world.index.generation())
    return {entry.id: entry.reason.value for entry in entries}


@pytest.fixture
def fives(monkeypatch: pytest.MonkeyPatch) -> None:
    """Five texts a call."""
    monkeypatch.setattr(embed_texts, "BATCH_TEXTS", 5)
    monkeypatch.setattr(embed_records, "BATCH_TEXTS", 5)


@pytest.mark.usefixtures("fives")
def test_h4_a_provider_that_throttles_half_way_is_asked_again_when_it_says(
    quick: QuickWorld,
) -> None:
    made = throttled(quick, lambda call: 2.0 if call in {3, 4} else None)
    report = quick.reconcile(1, LIST)
    assert made.asked == [0.0, 0.0, 0.0, 2.0, 4.0, 4.0]
    assert (report.usage["embedding_calls"], report.failed) == (6, [])
    assert embedded(quick) == sorted(LIST.values())
    assert (report.verified, unsearchable(quick)) == (True, {})


@pytest.mark.usefixtures("fives")
def test_h4_a_provider_that_goes_on_throttling_leaves_the_exact_ids_pending(
    quick: QuickWorld,
) -> None:
    made = throttled(quick, lambda call: 1.0 if call > 2 else None)
    report = quick.reconcile(1, LIST)
    vectors = {sk.split("#")[1] for sk in quick.items("V#")}
    pending = sorted(LIST.keys() - vectors)
    assert len(pending) == 10
    assert [(one.id, one.reason) for one in report.failed] == [(i, "pending") for i in pending]
    assert unsearchable(quick) == dict.fromkeys(pending, "pending")
    assert (report.applied, report.verified, quick.active()) == (True, True, LIST)
    assert report.usage["embedding_calls"] == 2 + embed_texts.TRIES
    assert len(made.asked) == 2 + embed_texts.TRIES + 1  # the projection's own
    made.refused = lambda _: None
    quick.project(retry_pending=True)
    assert (unsearchable(quick), len(quick.items("V#"))) == ({}, 20)
    assert embedded(quick) == sorted(LIST.values())


@pytest.mark.usefixtures("fives")
def test_h4_a_request_that_cannot_wait_so_long_leaves_the_rest_to_the_projection(
    quick: QuickWorld,
) -> None:
    made = throttled(quick, lambda call: 4.9 if call <= 2 else None)
    report = quick.reconcile(1, LIST)
    assert made.asked[:2] == [0.0, 4.9]  # a third try would be past its nine seconds
    assert report.usage["embedding_calls"] == 2
    assert (quick.active(), report.failed, report.verified) == (LIST, [], True)
    assert embedded(quick) == sorted(LIST.values())


def test_a_provider_that_asks_for_nothing_is_asked_at_growing_intervals(
    quick: QuickWorld,
) -> None:
    made = throttled(quick, lambda call: 0.0 if call < 4 else None)
    quick.reconcile(1, LIST)
    assert made.asked == pytest.approx([0.0, 0.2, 0.6, 1.4])
    assert embedded(quick) == sorted(LIST.values())


@pytest.mark.usefixtures("fives")
def test_h4_a_job_that_was_throttled_goes_on_from_what_it_has(quick: QuickWorld) -> None:
    made = throttled(quick, lambda call: 1.0 if 3 <= call <= 6 else None)
    job = quick.begun(1, LIST)
    quick.pass_jobs.plan(quick.job(job))
    quick.pass_jobs.prepare(quick.job(job), 0, until=LATER)  # gives up after the sixth call
    assert len(made.asked) == 6
    done = quick.run(job)  # and is taken again
    assert len(made.asked) == 8
    assert done.result is not None
    assert (done.status, done.result["failed"]) == (JobStatus.SUCCEEDED, [])
    assert done.result["usage"]["embedding_calls"] == 8
    assert embedded(quick) == sorted(LIST.values())


def test_an_outage_of_the_embedder_holds_up_no_pass(quick: QuickWorld) -> None:
    quick.embedder.inject(Fault(kind=FaultKind.OUTAGE))
    report = quick.reconcile(1, LIST)
    assert (report.applied, quick.active()) == (True, LIST)
    assert {one.reason for one in report.failed} == {"pending"}
    assert quick.found(LIST["f0007"], mode=Mode.LEXICAL)[0] == "f0007"
    assert quick.clock.monotonic() < 9
