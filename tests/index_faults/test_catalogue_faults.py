"""Making, switching and finding out about indices, when a request or its answer goes astray."""

import threading
import time
from dataclasses import replace

import pytest

from contract.index_entries import FINGERPRINT, PARTITION, by_vector, by_words, entry, vector
from index_faults import faults
from index_faults.fault_proxy import Exchange, Fault, FaultProxy
from index_faults.messages import Reply
from palimpsest.adapters.opensearch import OpenSearchGenerations
from palimpsest.adapters.opensearch.catalogue import Unsuitable
from palimpsest.domain.entries import LegStatus
from palimpsest.domain.errors import DeadlineExceeded, GenerationGone, Throttled, Unavailable

pytestmark = pytest.mark.opensearch
QUESTIONS = [by_words("heron"), by_vector(1, 0, 0)]
CHOSEN_BY_THE_CLIENT = {
    "error": {
        "type": "illegal_argument_exception",
        "reason": "Document ID is not supported in create/index operation request",
    },
    "status": 400,
}


def made(behind: OpenSearchGenerations, number: int = 2) -> str:
    return behind.create(number, fingerprint=FINGERPRINT, dimension=3).id


def kept(behind: OpenSearchGenerations) -> list[str]:
    return [one.id for one in behind.kept()]


def test_an_endpoint_that_chooses_the_ids_itself_is_refused_with_what_to_use_instead(
    behind: OpenSearchGenerations, proxy: FaultProxy
) -> None:
    rule = proxy.inject(faults.answers(400, CHOSEN_BY_THE_CLIENT), "/_doc/probe", method="PUT|POST")
    before = kept(behind)
    for _ in range(2):  # nothing is left behind that a second attempt would take for good
        with pytest.raises(Unsuitable) as caught:
            made(behind)
        said = str(caught.value)
        assert "refuses documents whose id and version the client chooses" in said
        assert "use an OpenSearch Service domain or a node of your own" in said
        assert "Document ID is not supported" in said
        assert kept(behind) == before
    assert rule.hits == 2


@pytest.mark.parametrize("path", [r"-v2(\?|$)", "/_doc/probe", "."])
@pytest.mark.parametrize("fault", [faults.loses_the_answer, faults.truncates])
def test_an_index_is_made_even_if_the_first_answer_to_each_step_is_lost(
    behind: OpenSearchGenerations, proxy: FaultProxy, path: str, fault: Fault
) -> None:
    for method in ("PUT", "DELETE", "GET"):
        proxy.inject(fault, path, method=method, times=1)
    new = made(behind)
    assert kept(behind)[1:] == [new]
    index = behind.index(behind.kept()[1])
    index.refresh()
    assert list(index.heights()) == []


@pytest.mark.parametrize("status", [403, 429, 500, 503])
def test_an_index_that_cannot_be_made_is_made_by_the_next_attempt(
    behind: OpenSearchGenerations, proxy: FaultProxy, status: int
) -> None:
    proxy.inject(faults.answers(status), method="PUT", times=1)
    with pytest.raises((Unavailable, Throttled)):
        made(behind)
    new = made(behind)
    assert kept(behind)[1:] == [new]


@pytest.mark.parametrize("fault", [faults.hangs_up, faults.loses_the_answer, faults.truncates])
def test_what_is_read_is_switched_once_even_if_the_first_answer_is_lost(
    behind: OpenSearchGenerations, proxy: FaultProxy, fault: Fault
) -> None:
    made(behind)
    old, new = behind.kept()
    proxy.inject(fault, "/_aliases", times=1)
    behind.read_from(new, old=old)
    assert [one.read for one in behind.kept()] == [False, True]
    behind.read_from(old, old=new)
    with pytest.raises(Unavailable):
        behind.read_from(replace(new, id="another"), old=new)
    assert [one.read for one in behind.kept()] == [True, False]


def test_a_search_waits_for_what_is_read_no_longer_than_for_its_answer(
    shared: OpenSearchGenerations, shared_proxy: FaultProxy
) -> None:
    rule = shared_proxy.inject(faults.stalls(20), shared.catalogue.read_alias)
    index = shared.reading(patience_s=1)
    took: dict[float, float] = {}

    def search(timeout: float) -> None:
        start = time.monotonic()
        with pytest.raises(DeadlineExceeded):
            index.search(QUESTIONS, timeout=timeout)
        took[timeout] = time.monotonic() - start

    threads = [threading.Thread(target=search, args=[timeout]) for timeout in (2.0, 0.5, 0.6)]
    threads[0].start()
    while rule.hits == 0:  # the others wait for what the first one asks
        time.sleep(0.01)
    for thread in threads[1:]:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(took) == len(threads)
    assert all(seconds < 2 * timeout for timeout, seconds in took.items())


def test_a_walk_that_was_whole_does_not_fail_for_what_is_tidied_after_it(
    shared: OpenSearchGenerations, shared_proxy: FaultProxy
) -> None:
    index = shared.reading(patience_s=5)
    index.write([entry("a", "heron", vector=vector(1, 0, 0))])
    for fault in (faults.answers(429), faults.answers(404), faults.hangs_up, faults.shaped([])):
        rule = shared_proxy.inject(fault, "/point_in_time", method="DELETE")
        assert [state.id for state in index.walk(PARTITION)] == ["a"]
        assert rule.hits > 0
        shared_proxy.heal()


@pytest.mark.parametrize("meant", [True, False])
def test_a_question_is_asked_again_of_the_index_that_is_read_now_unless_it_was_meant_for_the_other(
    behind: OpenSearchGenerations, proxy: FaultProxy, *, meant: bool
) -> None:
    index = behind.reading(patience_s=5)
    index.write([entry("a", "heron", vector=vector(1, 0, 0))])
    made(behind)
    old, new = behind.kept()
    behind.index(new).write([entry("b", "heron", vector=vector(1, 0, 0))])

    def switched(exchange: Exchange) -> Reply:
        behind.read_from(new, old=old)
        behind.drop(replace(old, read=False))
        return exchange.forwarded()

    proxy.inject(switched, "/_msearch", times=1)
    if meant:
        with pytest.raises(GenerationGone):
            index.search(QUESTIONS, timeout=10, generation=old.id)
    results = index.search(QUESTIONS, timeout=10, generation=new.id if meant else None)
    assert [one.status for one in results] == [LegStatus.OK, LegStatus.OK]
    assert [[c.id for c in one.candidates] for one in results] == [["b"], ["b"]]
