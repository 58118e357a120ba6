"""A node that is killed amid writes and searches, and comes back on what it had kept."""

import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from urllib.parse import urlsplit

import pytest

import opensearch_node
from contract.index_entries import by_vector, by_words, entry, vector
from contract.opensearch_index import generations
from index_faults.fault_proxy import Exchange, FaultProxy, serving
from index_faults.messages import Reply
from opensearch.node import Node
from palimpsest.domain.entries import Entry, Leg, LegQuery, LegStatus, WriteOutcome, WriteResult
from palimpsest.domain.errors import Throttled, Unavailable
from palimpsest.ports import SearchIndex
from palimpsest.services.prove import ProofService
from world import NAMESPACE, TENANT, World

pytestmark = pytest.mark.opensearch
PARTITION = f"{TENANT}#{NAMESPACE}"
SEEDS = {f"seed{n}": f"the heron number {n}" for n in range(5)}
IDS = [f"r{n:02}" for n in range(40)]
LONG_S = 90.0


class OwnNode:
    """A node that may be killed and started again on the same data, at the same address."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.node: Node = opensearch_node.start(folder)

    def start(self) -> None:
        port = urlsplit(self.node.url).port
        self.node = opensearch_node.start(self.folder, f"http.port={port}")


@pytest.fixture
def own(tmp_path: Path) -> Iterator[OwnNode]:
    own = OwnNode(tmp_path / "node")
    yield own
    own.node.kill()


@dataclass
class Writing:
    """Puts, forgets and projects without end. `acknowledged`: the highest version that the index
    said it has, by id.
    """

    world: World
    done: int = 0
    outages: int = 0
    acknowledged: dict[str, int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.world.writes(self._written)

    def _written(self, entries: Sequence[Entry]) -> Sequence[WriteResult]:
        results = self.world.index.write(entries, visible=False)
        for one, result in zip(entries, results, strict=True):
            assert result.outcome is not WriteOutcome.REJECTED
            self.acknowledged[one.id] = max(one.version, self.acknowledged.get(one.id, 0))
        return results

    def run(self, ended: threading.Event) -> None:
        for n in count():
            if ended.is_set():
                return
            now = [IDS[k % len(IDS)] for k in range(5 * n, 5 * n + 5)]
            self.world.put_many(dict.fromkeys(now, f"otter {n}"))
            self.world.forget(now[0])
            try:
                self.world.project()
                self.done += 1
            except (Unavailable, Throttled):
                self.outages += 1
            ended.wait(0.1)


@dataclass
class Searching:
    """Asks both legs without end; whatever is answered holds what was there before."""

    index: SearchIndex
    questions: Sequence[LegQuery]
    found: int = 0
    outages: int = 0

    def run(self, ended: threading.Event) -> None:
        while not ended.wait(0.1):
            try:
                results = self.index.search(self.questions, timeout=2)
            except Unavailable:
                self.outages += 1
                continue
            for result in results:
                if result.status is LegStatus.OK:
                    assert {c.id for c in result.candidates} >= SEEDS.keys(), result
                    self.found += 1
                else:
                    assert not result.candidates
                    self.outages += 1


@contextmanager
def running(*loops: Writing | Searching) -> Iterator[None]:
    """The loops meanwhile, each in a thread; raises what one of them raised."""
    ended, raised = threading.Event(), []

    def run(loop: Writing | Searching) -> None:
        try:
            loop.run(ended)
        except BaseException as error:  # noqa: BLE001  # it is raised again below
            raised.append(error)

    threads = [threading.Thread(target=run, args=[loop]) for loop in loops]
    for thread in threads:
        thread.start()
    try:
        yield
    finally:
        ended.set()
        for thread in threads:
            thread.join()
    for error in raised:
        raise error


def until(reached: Callable[[], bool]) -> None:
    deadline = time.monotonic() + LONG_S
    while not reached():
        assert time.monotonic() < deadline
        time.sleep(0.02)


def killed_at_the_next_bulk(own: OwnNode, proxy: FaultProxy) -> None:
    """While the node has a bulk in its hands."""

    def killing(exchange: Exchange) -> Reply:
        threading.Timer(0.003, own.node.kill).start()
        return exchange.forwarded()

    proxy.inject(killing, "/_bulk", times=1)
    own.node.process.wait(LONG_S)


def test_a_node_killed_amid_writes_and_searches_loses_nothing_and_is_never_taken_for_empty(
    tables: dict[str, str], own: OwnNode
) -> None:
    plain = World(tables["RecordsTable"])
    with serving(own.node.url) as proxy:
        made = generations(
            proxy.url,
            "killed",
            fingerprint=plain.embedder.fingerprint,
            dimension=plain.embedder.dimension,
        )
        world = World(tables["RecordsTable"], index=made.reading(patience_s=2))
        world.put_many(SEEDS)
        world.project()
        writing = Writing(world)
        searching = Searching(world.index, questions(world))
        with running(searching):
            with running(writing):
                until(lambda: writing.done >= 3 and searching.found >= 6)
                killed_at_the_next_bulk(own, proxy)
                until(lambda: writing.outages >= 1 and searching.outages >= 3)
            own.start()
            found = searching.found
            until(lambda: searching.found >= found + 6)
            kept = versions(world)
            lost = {i: v for i, v in writing.acknowledged.items() if kept.get(i, 0) < v}
            world.project()
        proof = ProofService(store=world.store, ledger=world.ledger).prove(
            TENANT, NAMESPACE, world.index
        )
    assert len(writing.acknowledged) >= 15
    assert lost == {}
    assert proof.equal
    assert proof.entries == len(world.store.read(TENANT, NAMESPACE, [*SEEDS, *IDS])[1])


def test_a_node_killed_between_the_two_round_trips_of_a_search_fails_the_leg_that_needed_both(
    own: OwnNode,
) -> None:
    with serving(own.node.url) as proxy:
        index = generations(proxy.url, "between").reading(patience_s=20)
        crowd = [entry(f"n{i:03}", "everywhere") for i in range(120)]
        index.write([*crowd, entry("r", "rare", vector=vector(1, 0, 0))])

        def killing(exchange: Exchange) -> Reply:
            reply = exchange.forwarded()
            own.node.kill()
            return reply

        proxy.inject(killing, "/_msearch", times=1)
        asked = [by_words("rare everywhere"), by_vector(1, 0, 0)]
        lexical, semantic = index.search(asked, timeout=10)
        assert (lexical.status, lexical.reason) == (LegStatus.FAILED, "index_error")
        assert [one.id for one in semantic.candidates] == ["r"]
        with pytest.raises(Unavailable, match="cannot be reached"):
            index.search(asked, timeout=10)
        own.start()
        until(lambda: index.search(asked, timeout=10)[0].status is LegStatus.OK)
        assert [one.id for one in index.search(asked, timeout=10)[0].candidates] == ["r"]


def versions(world: World) -> dict[str, int]:
    return {state.id: state.version for state in world.index.walk(PARTITION)}


def questions(world: World) -> list[LegQuery]:
    return [
        LegQuery(
            leg=leg,
            partitions=(PARTITION,),
            depth=100,
            now=world.clock.now(),
            text="heron",
            vector=world.embedder.embed_query("heron", timeout=5),
            fingerprint=world.embedder.fingerprint,
        )
        for leg in Leg
    ]
