import itertools
from collections.abc import Sequence

import pytest

from palimpsest.adapters.simulated import Fault, FaultKind
from palimpsest.domain.entries import Entry, EntryState, WriteOutcome, WriteResult
from palimpsest.domain.errors import Unavailable
from palimpsest.domain.ledger import Reason
from palimpsest.domain.queries import Mode
from palimpsest.domain.vectors import text_hash
from palimpsest.services import project
from world import NAMESPACE, TENANT, World

PARTITION = f"{TENANT}#{NAMESPACE}"


def states(world: World) -> dict[str, EntryState]:
    return {state.id: state for state in world.index.walk(PARTITION)}


def ledger(world: World) -> dict[str, Reason]:
    entries = world.ledger.unsearchable(TENANT, NAMESPACE, world.index.generation())
    return {entry.id: entry.reason for entry in entries}


def indexed(world: World) -> int:
    return world.ledger.progress(TENANT, NAMESPACE, world.index.generation()).revision


def test_projection_carries_records_and_tombstones_under_their_versions(world: World) -> None:
    world.put("a", "alpha")
    world.put("b", "beta")
    world.forget("b")
    world.project()
    found = states(world)
    assert (found["a"].version, found["a"].vector, found["a"].tombstone) == (3, True, False)
    assert (found["b"].version, found["b"].tombstone) == (7, True)
    assert indexed(world) == 3


def test_doing_it_twice_changes_nothing_and_embeds_nothing(world: World) -> None:
    world.put("a", "alpha")
    world.project()
    before, calls = states(world), len(world.embedder.calls)
    world.project()
    assert (states(world), len(world.embedder.calls)) == (before, calls)


def test_a_change_of_other_fields_reuses_the_held_vector(world: World) -> None:
    world.put("a", "alpha")
    world.project()
    calls = len(world.embedder.calls)
    world.put("a", "alpha", kind="fact", metadata={"seen": True})
    world.project()
    assert len(world.embedder.calls) == calls
    assert states(world)["a"].version == 5


def test_a_lost_index_is_rebuilt_from_the_table_without_embedding(world: World) -> None:
    for n in range(5):
        world.put(f"r{n}", f"text {n}")
    world.forget("r3")
    world.project()
    fresh = World(world.table, client=world.client)
    fresh.project()
    assert fresh.embedder.calls == []
    assert states(fresh) == states(world)
    assert indexed(fresh) == 6


def test_d17_an_embedder_outage_loses_nothing_and_blocks_nothing(world: World) -> None:
    world.embedder.inject(Fault(kind=FaultKind.OUTAGE))
    for n in range(6):
        world.put(f"r{n}", f"pangolin number {n}")
    world.project()
    assert indexed(world) == 6
    assert ledger(world) == {f"r{n}": Reason.PENDING for n in range(6)}
    assert states(world)["r0"].version == 2
    assert len(world.found("pangolin", mode=Mode.LEXICAL)) == 6
    world.embedder.heal()
    world.project(retry_pending=True)
    assert ledger(world) == {}
    assert states(world)["r0"].version == 3
    assert len(world.found("pangolin number", mode=Mode.SEMANTIC)) == 6


def test_after_one_outage_the_embedder_is_not_asked_again_in_the_same_pass(world: World) -> None:
    world.embedder.inject(Fault(kind=FaultKind.TIMEOUT, max_count=1))
    world.put_many({f"r{n:03}": f"text {n}" for n in range(130)})
    world.project()
    assert world.embedder.calls == []
    assert len(ledger(world)) == 130


@pytest.mark.parametrize("kind", [FaultKind.ZERO, FaultKind.NOT_FINITE, FaultKind.WRONG_WIDTH])
def test_b1_b2_a_text_without_a_usable_vector_is_found_by_words_and_in_the_ledger(
    world: World, kind: FaultKind
) -> None:
    world.embedder.inject(Fault(kind=kind, containing="cursed"))
    world.put("bad", "cursed pangolin")
    world.put("good", "blessed pangolin")
    world.project()
    assert ledger(world) == {"bad": Reason.EMBEDDING_FAILED}
    assert sorted(world.found("pangolin", mode=Mode.LEXICAL)) == ["bad", "good"]
    assert world.found("pangolin", mode=Mode.SEMANTIC) == ["good"]


def test_too_few_vectors_leave_every_text_of_the_call_pending(world: World) -> None:
    world.embedder.inject(Fault(kind=FaultKind.TOO_FEW, max_count=1))
    world.put("a", "alpha")
    world.put("b", "beta")
    world.project()
    assert ledger(world) == {"a": Reason.PENDING, "b": Reason.PENDING}
    world.project(retry_pending=True)
    assert ledger(world) == {}


def test_a_late_projection_of_an_old_state_never_undoes_a_newer_one(world: World) -> None:
    world.put("a", "old words")
    late = World(world.table, index=world.index, client=world.client)
    stale_clock, stale_records = world.store.read(TENANT, NAMESPACE, ["a"])
    world.put("a", "new words")
    world.project()
    late.store.read = lambda *_, **__: (stale_clock, stale_records)  # type: ignore[method-assign]
    late.projection._carry(TENANT, NAMESPACE, world.index.generation(), {"a": 1}, outage=None)
    assert states(world)["a"].version == 5
    assert world.found("new words", mode=Mode.LEXICAL) == ["a"]
    assert world.found("old words", mode=Mode.LEXICAL) == ["a"]  # by `words`, with the new text
    assert world.search("words", mode=Mode.LEXICAL).hits[0].record.revision == 2


def test_f7_old_wake_ups_and_index_writes_in_any_order_never_bring_a_record_back(
    world: World,
) -> None:
    index, written = world.index, list[Entry]()

    def noted(entries: Sequence[Entry]) -> Sequence[WriteResult]:
        written.extend(entries)
        return index.write(entries)

    world.writes(noted)
    for text in ("the heron by the weir", "the otter by the weir"):
        world.put("a", text)
        world.project()
    world.forget("a")
    world.project()
    world.erase()
    world.clock.move(120)  # an engine forgets a plain delete after 60 s
    assert [entry.version for entry in written] == [3, 5, 7]
    gone, old = states(world), list(written)
    for order in itertools.permutations(old):
        for entry in order:
            index.write([entry])
            world.project()
            assert states(world) == gone
            for mode in Mode:
                assert world.found("by the weir", mode=mode) == []

    world.put("a", "the lynx by the weir")
    world.project()
    again = states(world)
    index.write(old)
    assert states(world) == again
    assert [hit.record.revision for hit in world.search("weir").hits] == [4]


def test_a_vector_is_not_kept_for_a_text_that_has_changed_or_been_forgotten(world: World) -> None:
    world.put("a", "first")
    world.put("b", "second")
    vector = world.embedder.embed_query("x", timeout=1)
    world.forget("b")
    made = {
        "a": (text_hash("first"), vector),
        "b": (text_hash("second"), vector),
        "c": (text_hash("never"), vector),
    }
    kept = world.vectors.hold(TENANT, NAMESPACE, made, fingerprint="m")
    assert kept == {"a"}
    held = world.vectors.held(
        TENANT, NAMESPACE, {i: h for i, (h, _) in made.items()}, fingerprint="m"
    )
    assert list(held) == ["a"]
    assert world.vectors.held(TENANT, NAMESPACE, {"a": "other"}, fingerprint="m") == {}
    assert world.vectors.held(TENANT, NAMESPACE, {"a": text_hash("first")}, fingerprint="n") == {}


def test_sixty_vectors_are_kept_in_batches_of_a_transaction(world: World) -> None:
    world.put_many({f"r{n:03}": f"text {n}" for n in range(60)})
    world.project()
    wanted = {f"r{n:03}": text_hash(f"text {n}") for n in range(60)}
    held = world.vectors.held(TENANT, NAMESPACE, wanted, fingerprint=world.embedder.fingerprint)
    assert held.keys() == wanted.keys()


def test_a_record_that_lags_behind_its_log_entry_is_read_again_never_passed_over(
    world: World,
) -> None:
    world.put("a", "old")
    before = world.store.read(TENANT, NAMESPACE, ["a"])
    world.put("a", "new")
    read, seen = world.store.read, []

    def one_by_one(*args: object, **options: object) -> object:
        seen.append(args)
        return before if len(seen) == 1 else read(*args, **options)  # type: ignore[arg-type]

    world.store.read = one_by_one  # type: ignore[method-assign,assignment]
    world.project()
    assert states(world)["a"].version == 5


def test_the_index_revision_is_never_lowered(world: World) -> None:
    generation = world.index.generation()
    world.ledger.advance(TENANT, NAMESPACE, generation, 7, target=7)
    world.ledger.advance(TENANT, NAMESPACE, generation, 5, target=5)
    assert indexed(world) == 7


def test_an_older_ledger_entry_never_replaces_or_removes_a_newer_one(world: World) -> None:
    world.embedder.inject(Fault(kind=FaultKind.OUTAGE))
    world.put("a", "one")
    world.put("a", "two")
    world.project()
    generation = world.index.generation()
    world.ledger.settle(TENANT, NAMESPACE, generation, add=[], clear={"a": 1})
    assert ledger(world) == {"a": Reason.PENDING}
    world.ledger.settle(TENANT, NAMESPACE, generation, add=[], clear={"a": 2})
    assert ledger(world) == {}


def test_the_status_tells_counts_lag_model_and_generation(world: World) -> None:
    assert world.status.status(TENANT, NAMESPACE).index_generation is None
    world.put("a", "one")
    world.put("b", "two", supersedes=("a",))
    world.project()
    world.put("c", "three")
    status = world.status.status(TENANT, NAMESPACE)
    assert (status.revision, status.indexed_revision, status.lag) == (3, 2, 1)
    assert status.embedding_model == world.embedder.fingerprint
    assert status.index_generation == world.index.generation()
    assert status.counts == {
        "active": 2,
        "superseded": 1,
        "deleted": 0,
        "documents": 0,
        "unsearchable": 0,
    }


def test_a_commit_made_while_projecting_is_carried_too(world: World) -> None:
    world.put("a", "one")
    commit = world.ledger.advance
    seen: list[object] = []

    def meanwhile(*args: object, **options: object) -> None:
        if not seen:
            seen.append(args)
            world.put("b", "two")
        commit(*args, **options)  # type: ignore[arg-type]

    world.ledger.advance = meanwhile  # type: ignore[method-assign]
    world.project()
    assert indexed(world) == 2


def test_a_commit_whose_records_never_show_is_an_outage_not_a_skip(world: World) -> None:
    world.put("a", "old")
    before = world.store.read(TENANT, NAMESPACE, ["a"])
    world.put("a", "new")
    world.store.read = lambda *_, **__: before  # type: ignore[method-assign]
    with pytest.raises(Unavailable):
        world.project()
    assert indexed(world) == 0


def test_what_the_index_rejects_is_in_the_ledger_and_does_not_stop_the_others(
    world: World,
) -> None:
    write = world.index.write

    def reject(entries: Sequence[Entry]) -> list[WriteResult]:
        told = write([entry for entry in entries if entry.id != "bad"])
        results = {result.id: result for result in told}
        return [
            results.get(e.id, WriteResult(e.id, WriteOutcome.REJECTED, "too odd")) for e in entries
        ]

    world.writes(reject)
    world.put_many({"bad": "one", "good": "two"})
    world.project()
    assert ledger(world) == {"bad": Reason.INDEX_REJECTED}
    assert (indexed(world), list(states(world))) == (1, ["good"])


def test_records_of_several_batches_are_all_carried_and_each_outcome_is_told(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(project, "WRITE_BATCH", 2)
    write, sizes = world.index.write, list[int]()

    def reject(entries: Sequence[Entry]) -> list[WriteResult]:
        sizes.append(len(entries))
        told = write([entry for entry in entries if not entry.id.startswith("bad")])
        results = {result.id: result for result in told}
        return [results.get(e.id, WriteResult(e.id, WriteOutcome.REJECTED, "no")) for e in entries]

    world.writes(reject)
    world.put_many({name: name for name in ("a", "bad1", "c", "d", "bad2", "f", "g")})
    world.project()
    assert sizes == [2, 2, 2, 1]
    assert ledger(world) == dict.fromkeys(("bad1", "bad2"), Reason.INDEX_REJECTED)
    assert (indexed(world), list(states(world))) == (1, ["a", "c", "d", "f", "g"])
