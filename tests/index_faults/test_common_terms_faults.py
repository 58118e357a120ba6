"""What a search makes of counts that go wrong, and of a second round trip that does."""

import json
import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from contract.index_entries import by_vector, by_words, entry, vector
from index_faults import faults
from index_faults.fault_proxy import Exchange, Fault, FaultProxy
from index_faults.messages import Reply
from palimpsest.adapters.opensearch import OpenSearchGenerations, OpenSearchIndex
from palimpsest.domain.entries import LegResult, LegStatus
from palimpsest.domain.errors import Unavailable

pytestmark = pytest.mark.opensearch
MSEARCH = "/_msearch"
CROWD = 120
LEGS = 2
HERE = by_words("rare everywhere", depth=200), by_vector(1, 0, 0)
ADMITTED, ALL = {"r", "it"}, CROWD + 2


@pytest.fixture(scope="module")
def filled(lasting: tuple[FaultProxy, OpenSearchGenerations]) -> OpenSearchGenerations:
    crowd = [entry(f"n{i:03}", "everywhere") for i in range(CROWD)]
    rare = [entry("r", "rare x y", vector=vector(1, 0, 0)), entry("it", "rare everywhere")]
    lasting[1].reading(patience_s=20).write([*crowd, *rare])
    return lasting[1]


@pytest.fixture
def index(filled: OpenSearchGenerations, shared_proxy: FaultProxy) -> Iterator[OpenSearchIndex]:
    """One that knows of no word yet how many documents hold it."""
    index = filled.reading(patience_s=20)
    index.generation()
    shared_proxy.seen.clear()
    yield index
    shared_proxy.heal()


def asked(index: OpenSearchIndex, timeout: float = 10) -> list[LegResult]:
    return index.search(HERE, timeout=timeout)


def sizes(proxy: FaultProxy) -> list[int]:
    """How many bodies each `_msearch` had since the test began."""
    return [len(one.body.splitlines()) // 2 for one in proxy.seen if MSEARCH in one.path]


def found(results: list[LegResult]) -> set[str]:
    assert [one.status for one in results] == [LegStatus.OK] * LEGS
    assert [one.id for one in results[1].candidates] == ["r"]
    return {one.id for one in results[0].candidates}


def counts(change: Callable[[Any], Any]) -> Fault:
    """The answers to what is counted, changed in place or replaced."""

    def changed(answer: Any) -> None:
        told = answer["responses"]
        told[LEGS:] = [change(one) or one for one in told[LEGS:]]

    return faults.rewritten(changed)


def passes(exchange: Exchange) -> Reply:
    return exchange.forwarded()


def test_two_round_trips_where_a_word_turns_out_to_be_common_and_one_from_then_on(
    index: OpenSearchIndex, shared_proxy: FaultProxy
) -> None:
    assert found(asked(index)) == ADMITTED
    assert sizes(shared_proxy) == [LEGS + 3, 1]  # all documents and two words; the lexical leg
    for _ in range(2):
        assert found(asked(index)) == ADMITTED
    assert sizes(shared_proxy)[2:] == [LEGS, LEGS]


def test_a_word_that_is_new_costs_no_second_round_trip_unless_it_is_common(
    index: OpenSearchIndex, shared_proxy: FaultProxy
) -> None:
    found(asked(index))
    asked_now = [by_words(f"rare {word} everywhere", depth=200) for word in ("new", "other")]
    results = index.search([*asked_now, HERE[1]], timeout=10)
    assert [{c.id for c in one.candidates} for one in results[:2]] == [ADMITTED] * 2
    assert sizes(shared_proxy)[2:] == [3 + 3]  # all documents and two words


def test_both_round_trips_have_the_time_of_one(
    index: OpenSearchIndex, shared_proxy: FaultProxy
) -> None:
    shared_proxy.inject(faults.stalls(1), MSEARCH, times=1)
    assert found(asked(index, timeout=3)) == ADMITTED
    told = [one.body.splitlines()[1::2] for one in shared_proxy.seen if MSEARCH in one.path]
    first, second = (int(json.loads(lines[0])["timeout"].removesuffix("ms")) for lines in told)
    assert second < first - 700


FAILED_COUNTS: dict[str, Callable[[Any], Any]] = {
    "errors": lambda _: {"error": {"type": "rejected_execution_exception"}, "status": 429},
    "another index": lambda _: {"error": {"type": "index_not_found_exception"}, "status": 404},
    "partial": lambda one: one["_shards"].update(failed=1, successful=0),
    "late": lambda one: one.update(timed_out=True),
    "bounds": lambda one: one["hits"]["total"].update(relation="gte"),
    "words": lambda one: one["hits"]["total"].update(value="12"),
    "without totals": lambda one: one["hits"].pop("total") and None,
    "empty": lambda _: {"took": 1},
    "of another kind": lambda _: ["hits"],
}


@pytest.mark.parametrize("change", FAILED_COUNTS.values(), ids=FAILED_COUNTS.keys())
def test_counts_that_fail_teach_nothing_and_leave_the_legs_alone(
    index: OpenSearchIndex, shared_proxy: FaultProxy, change: Callable[[Any], Any]
) -> None:
    shared_proxy.inject(counts(change), MSEARCH)
    for _ in range(2):
        assert len(found(asked(index))) == ALL
    assert sizes(shared_proxy) == [LEGS + 3] * 2
    shared_proxy.heal()
    assert found(asked(index)) == ADMITTED


def test_a_leg_that_failed_the_first_time_is_not_asked_again(
    index: OpenSearchIndex, shared_proxy: FaultProxy
) -> None:
    def broken(answer: Any) -> None:
        answer["responses"][0] = {"error": {"type": "x"}, "status": 500}

    shared_proxy.inject(faults.rewritten(broken), MSEARCH, times=1)
    lexical, semantic = asked(index)
    assert (lexical.status, lexical.reason) == (LegStatus.FAILED, "index_error")
    assert semantic.status is LegStatus.OK
    assert sizes(shared_proxy) == [LEGS + 3]
    assert found(asked(index)) == ADMITTED  # what was counted then is known
    assert sizes(shared_proxy)[1:] == [LEGS]


@pytest.mark.parametrize(
    "fault",
    [
        faults.rewritten(lambda it: {"responses": it["responses"][:-1]}),
        faults.rewritten(lambda it: {"responses": [*it["responses"], it["responses"][-1]]}),
        faults.rewritten(lambda it: {"responses": it["responses"][:LEGS]}),
    ],
    ids=["too few", "too many", "none"],
)
def test_another_number_of_answers_than_was_asked_for_is_an_outage(
    index: OpenSearchIndex, shared_proxy: FaultProxy, fault: Fault
) -> None:
    shared_proxy.inject(fault, MSEARCH)
    with pytest.raises(Unavailable, match="another number of answers"):
        asked(index)


def test_counts_that_stall_are_late_as_the_legs_are_that_they_go_with(
    index: OpenSearchIndex, shared_proxy: FaultProxy
) -> None:
    shared_proxy.inject(faults.stalls(20), MSEARCH)
    assert [one.status for one in asked(index, timeout=1)] == [LegStatus.TIMEOUT] * LEGS
    shared_proxy.heal()
    assert found(asked(index)) == ADMITTED


def test_a_second_round_trip_that_stalls_is_late_on_its_leg_alone(
    index: OpenSearchIndex, shared_proxy: FaultProxy
) -> None:
    shared_proxy.inject(passes, MSEARCH, times=1)
    shared_proxy.inject(faults.stalls(20), MSEARCH)
    start = time.monotonic()
    lexical, semantic = asked(index, timeout=1.5)
    assert time.monotonic() - start < 2.5
    assert (lexical.status, lexical.reason) == (LegStatus.TIMEOUT, "timeout")
    assert list(lexical.candidates) == []
    assert [one.id for one in semantic.candidates] == ["r"]
    shared_proxy.heal()
    assert found(asked(index)) == ADMITTED


SECOND: dict[str, tuple[Fault, str]] = {
    "refused": (faults.answers(503), "index_error"),
    "overloaded": (faults.answers(429), "index_overloaded"),
    "a page": (faults.page(502), "index_error"),
    "hung up": (faults.hangs_up, "index_error"),
    "cut short": (faults.truncates, "index_error"),
    "no JSON": (faults.garbles, "index_error"),
    "no answers": (faults.shaped({"responses": []}), "index_error"),
    "an answer that is nothing": (faults.shaped({"responses": [None]}), "index_error"),
    "an error": (faults.shaped({"responses": [{"error": {"type": "x"}}]}), "index_error"),
}


@pytest.mark.parametrize(("fault", "reason"), SECOND.values(), ids=SECOND.keys())
def test_a_second_round_trip_that_fails_fails_its_leg_alone(
    index: OpenSearchIndex, shared_proxy: FaultProxy, fault: Fault, reason: str
) -> None:
    shared_proxy.inject(passes, MSEARCH, times=1)
    rule = shared_proxy.inject(fault, MSEARCH)
    lexical, semantic = asked(index)
    assert rule.hits > 0
    assert (lexical.status, lexical.reason) == (LegStatus.FAILED, reason)
    assert list(lexical.candidates) == []
    assert [one.id for one in semantic.candidates] == ["r"]
    assert lexical.ms >= semantic.ms > 0


def test_an_index_that_goes_between_the_round_trips_is_not_there_to_be_asked(
    behind: OpenSearchGenerations, proxy: FaultProxy
) -> None:
    index = behind.reading(patience_s=20)
    index.write([entry(f"n{i:03}", "everywhere") for i in range(CROWD)] + [entry("r", "rare")])

    def then_gone(exchange: Exchange) -> Reply:
        reply = exchange.forwarded()
        behind.client.indices.delete(index=behind.kept()[0].name)
        return reply

    proxy.inject(then_gone, MSEARCH, times=1)
    with pytest.raises(Unavailable, match="not there"):
        asked(index)
