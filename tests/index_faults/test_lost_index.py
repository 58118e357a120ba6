"""Aliases and indices that are not there, or not the same any more; and connections that died."""

import threading
from collections.abc import Callable
from typing import Any

import pytest

from contract.index_entries import FINGERPRINT, PARTITION, ask, by_vector, by_words, entry, vector
from index_faults import faults
from index_faults.fault_proxy import Fault, FaultProxy
from palimpsest.adapters.opensearch import OpenSearchGenerations, OpenSearchIndex
from palimpsest.adapters.opensearch.catalogue import write_alias
from palimpsest.domain.entries import LegStatus, WriteOutcome
from palimpsest.domain.errors import Unavailable

pytestmark = pytest.mark.opensearch
HERON = entry("a", "heron", vector=vector(1, 0, 0))
QUESTIONS = [by_words("heron"), by_vector(1, 0, 0)]


def names(made: OpenSearchGenerations) -> set[str]:
    return set(made.client.indices.get(index=f"{made.catalogue._prefix}*"))


def lookups(made: OpenSearchGenerations) -> str:
    """The path by which it is found out which index is read."""
    return f"/{made.catalogue.read_alias}"


def test_without_the_alias_that_is_read_nothing_can_be_asked(
    behind: OpenSearchGenerations,
) -> None:
    index = behind.reading(patience_s=1)
    index.write([HERON])
    (one,) = behind.kept()
    behind.client.indices.delete_alias(index=one.name, name=behind.catalogue.read_alias)
    fresh = behind.reading(patience_s=1)
    for work in (
        fresh.generation,
        fresh.reading,
        fresh.refresh,
        fresh.renew,
        lambda: fresh.search(QUESTIONS, timeout=5),
        lambda: fresh.write([HERON]),
        lambda: fresh.legs(PARTITION, "a"),
        lambda: list(fresh.walk(PARTITION)),
        lambda: list(fresh.heights()),
    ):
        with pytest.raises(Unavailable, match="not there"):
            work()
    assert names(behind) == {one.name}


def test_without_the_alias_that_is_written_nothing_is_written_and_no_index_comes_to_be(
    behind: OpenSearchGenerations, proxy: FaultProxy
) -> None:
    index = behind.reading(patience_s=1)
    (one,) = behind.kept()
    behind.client.indices.delete_alias(index=one.name, name=write_alias(one.name))
    with pytest.raises(Unavailable, match="not there to be written"):
        index.write([HERON])
    assert names(behind) == {one.name}
    (sent,) = [asked.path for asked in proxy.seen if "/_bulk" in asked.path]
    assert "require_alias=true" in sent  # this node makes no index by a write anyway
    assert [list(result.candidates) for result in index.search(QUESTIONS, timeout=5)] == [[], []]


def test_an_index_that_was_lost_cannot_be_written_or_asked_and_is_not_made_by_that(
    behind: OpenSearchGenerations,
) -> None:
    index = behind.reading(patience_s=1)
    index.write([HERON])
    (one,) = behind.kept()
    behind.client.indices.delete(index=one.name)
    for work in (
        lambda: index.search(QUESTIONS, timeout=5),
        lambda: index.write([HERON]),
        lambda: behind.index(one).search(QUESTIONS, timeout=5),
        lambda: behind.index(one).write([HERON]),
        lambda: list(behind.index(one).walk(PARTITION)),
    ):
        with pytest.raises(Unavailable, match="not there"):
            work()
    assert behind.kept() == []


def test_an_index_made_again_under_its_name_is_another_generation(
    behind: OpenSearchGenerations,
) -> None:
    (lost,) = behind.kept()
    behind.client.indices.delete(index=lost.name)
    made = behind.create(lost.number, fingerprint=FINGERPRINT, dimension=3)
    behind.read_from(made, old=None)
    assert made.name == lost.name
    assert behind.reading(patience_s=1).generation() == made.id != lost.id


@pytest.mark.parametrize("end", ["closed", "expired"])
def test_connections_that_died_while_idle_are_replaced_unnoticed(
    shared: OpenSearchGenerations, shared_proxy: FaultProxy, end: str
) -> None:
    index = shared.reading(patience_s=5)
    index.write([HERON])
    kept_busy(shared, shared_proxy)
    before = shared_proxy.opened
    if end == "closed":
        shared_proxy.close_all()
    else:
        shared_proxy.expire()
    for _ in range(6):
        assert [one.status for one in index.search(QUESTIONS, timeout=5)] == [LegStatus.OK] * 2
        assert ask(index, by_words("heron")).candidates[0].id == "a"
    assert index.write([HERON])[0].outcome is WriteOutcome.APPLIED
    assert shared_proxy.opened > before


def kept_busy(made: OpenSearchGenerations, proxy: FaultProxy) -> None:
    """Several connections at once, which are kept open then."""
    slow = proxy.inject(faults.stalls(0.3), "/_msearch")
    index = made.reading(patience_s=5)
    index.generation()
    threads = [threading.Thread(target=index.search, args=[QUESTIONS], kwargs={"timeout": 9})
               for _ in range(4)]  # fmt: skip
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert slow.hits == len(threads)
    proxy.heal()


UNREADABLE: dict[str, Fault] = {
    "cut short": faults.truncates,
    "no JSON": faults.garbles,
    "a page": faults.page(200),
    "empty": faults.shaped({}),
    "no object": faults.shaped([1]),
    "nothing": faults.shaped(None),
    "of another kind": faults.rewritten(lambda it: dict.fromkeys(it, 1)),
    "all of it empty": faults.rewritten(lambda it: {key: {} for key in it}),
    "refused": faults.answers(401),
    "forbidden": faults.answers(403),
}


@pytest.mark.parametrize("fault", UNREADABLE.values(), ids=UNREADABLE.keys())
def test_what_is_read_is_never_guessed_from_an_answer_that_cannot_be_read(
    shared: OpenSearchGenerations, shared_proxy: FaultProxy, fault: Fault
) -> None:
    shared_proxy.inject(fault, lookups(shared))
    index = shared.reading(patience_s=1)
    for work in (index.generation, lambda: index.search(QUESTIONS, timeout=5)):
        with pytest.raises(Unavailable):
            work()


PARTIAL = faults.rewritten(lambda it: it["_shards"].update(failed=1))


@pytest.mark.parametrize("fault", [*UNREADABLE.values(), PARTIAL], ids=[*UNREADABLE, "partial"])
@pytest.mark.parametrize(
    ("path", "work"),
    [
        ("/_search/point_in_time", lambda index: list(index.walk(PARTITION))),
        (r"/_search($|\?)", lambda index: list(index.walk(PARTITION))),
        (r"/_search($|\?)", lambda index: list(index.heights())),
        (r"/_search($|\?)", lambda index: index.legs(PARTITION, "a")),
    ],
)
def test_entries_are_read_whole_or_not_at_all(
    shared: OpenSearchGenerations,
    shared_proxy: FaultProxy,
    path: str,
    work: Callable[[OpenSearchIndex], Any],
    fault: Fault,
) -> None:
    index = shared.reading(patience_s=5)
    index.generation()
    shared_proxy.inject(fault, path, method="POST|GET")
    with pytest.raises(Unavailable):
        work(index)
