"""What a search makes of answers in which one leg, a part or all of it went wrong."""

import time
from collections.abc import Callable
from typing import Any

import pytest

from contract.index_entries import by_vector, by_words, entry, vector
from index_faults import faults
from index_faults.fault_proxy import Fault, FaultProxy
from palimpsest.adapters.opensearch import OpenSearchGenerations, OpenSearchIndex
from palimpsest.domain.entries import Leg, LegResult, LegStatus
from palimpsest.domain.errors import DeadlineExceeded, PalimpsestError, Throttled, Unavailable

pytestmark = pytest.mark.opensearch
MSEARCH = "/_msearch"
HERE = by_words("heron otter"), by_vector(1, 0, 0)
FOUND = [{"a", "b"}, {"a", "b"}]
OVERLOADED = {"error": {"type": "rejected_execution_exception"}, "status": 429}
BROKEN = {"error": {"type": "search_phase_execution_exception"}, "status": 503}


@pytest.fixture(scope="module")
def index(lasting: tuple[FaultProxy, OpenSearchGenerations]) -> OpenSearchIndex:
    index = lasting[1].reading(patience_s=20)
    index.write(
        [entry("a", "heron", vector=vector(1, 0, 0)), entry("b", "otter", vector=vector(0, 1, 0))]
    )
    assert [{c.id for c in one.candidates} for one in asked(index)] == FOUND
    return index


def asked(index: OpenSearchIndex, timeout: float = 10) -> list[LegResult]:
    return index.search(HERE, timeout=timeout)


def response(place: int, change: Callable[[Any], Any]) -> Fault:
    """The answer to one leg, changed in place, or replaced where `change` returns something."""

    def changed(answer: Any) -> None:
        responses = answer["responses"]
        responses[place] = change(responses[place]) or responses[place]

    return faults.rewritten(changed)


@pytest.mark.parametrize("place", [0, 1])
@pytest.mark.parametrize(
    ("wrong", "reason"),
    [
        (lambda _: OVERLOADED, "index_overloaded"),
        (lambda _: BROKEN, "index_error"),
        (lambda _: {"error": "a sentence", "status": 500}, "index_error"),
        (lambda one: one["_shards"].update(failed=1, successful=0), "index_partial"),
    ],
)
def test_a_leg_that_fails_says_so_and_leaves_the_other_alone(
    index: OpenSearchIndex,
    shared_proxy: FaultProxy,
    place: int,
    wrong: Callable[[Any], Any],
    reason: str,
) -> None:
    shared_proxy.inject(response(place, wrong), MSEARCH)
    results = asked(index)
    failed, fine = results[place], results[1 - place]
    assert (failed.status, failed.reason) == (LegStatus.FAILED, reason)
    assert list(failed.candidates) == []
    assert (fine.status, {c.id for c in fine.candidates}) == (LegStatus.OK, {"a", "b"})
    assert [one.leg for one in results] == [Leg.LEXICAL, Leg.SEMANTIC]


@pytest.mark.parametrize("place", [0, 1])
def test_a_leg_that_the_engine_broke_off_keeps_what_it_had_found(
    index: OpenSearchIndex, shared_proxy: FaultProxy, place: int
) -> None:
    shared_proxy.inject(response(place, lambda one: one.update(timed_out=True)), MSEARCH)
    results = asked(index)
    assert results[place].status is LegStatus.TIMEOUT
    assert results[place].reason == "timeout"
    assert results[1 - place].status is LegStatus.OK
    assert [{c.id for c in one.candidates} for one in results] == FOUND


def hit(change: Callable[[Any], Any]) -> Fault:
    """The first hit of the first leg, changed in place."""
    return response(0, lambda one: change(one["hits"]["hits"][0]))


def of_another(found: Any) -> None:
    found["sort"][2] = "somebody#else"


UNUSABLE = {
    "cut short": faults.truncates,
    "no JSON": faults.garbles,
    "no text": faults.blurs,
    "a page": faults.page(200),
    "empty": faults.shaped({}),
    "no object": faults.shaped([1]),
    "nothing": faults.shaped(None),
    "responses of another kind": faults.shaped({"responses": {"a": 1, "b": 2}}),
    "one answer too few": faults.rewritten(lambda it: {"responses": it["responses"][:1]}),
    "one answer too many": faults.rewritten(lambda it: {"responses": it["responses"] * 2}),
    "no answers": faults.shaped({"responses": []}),
    "answers that are nothing": faults.shaped({"responses": [None, None]}),
    "answers without shards": faults.shaped({"responses": [{"hits": {"hits": []}}] * 2}),
    "shards in words": response(0, lambda one: one.update(_shards={"failed": "0"})),
    "answers without hits": faults.shaped({"responses": [{"_shards": {"failed": 0}}] * 2}),
    "hits of another kind": response(0, lambda one: one.update(hits={"hits": {"a": 1}})),
    "a hit without its order": hit(lambda found: found.pop("sort") and None),
    "a hit without its fields": hit(lambda found: found.pop("fields") and None),
    "a hit without a score": hit(lambda found: found["sort"].__setitem__(0, None)),
    "a score that is no number": hit(lambda found: found["sort"].__setitem__(0, "NaN")),
    "a hit of another partition": hit(of_another),
}


@pytest.mark.parametrize("fault", UNUSABLE.values(), ids=UNUSABLE.keys())
def test_an_answer_that_cannot_be_used_is_an_outage_and_no_list(
    index: OpenSearchIndex, shared_proxy: FaultProxy, fault: Fault
) -> None:
    rule = shared_proxy.inject(fault, MSEARCH)
    with pytest.raises(Unavailable, match=r"index (gave (an|entries)|cannot be reached)"):
        asked(index)
    assert rule.hits > 0


@pytest.mark.parametrize(
    ("status", "raised"),
    [(status, Unavailable) for status in (400, 401, 403, 413, 500, 502, 503, 504)]
    + [(429, Throttled)],
)
@pytest.mark.parametrize("told", [faults.answers, faults.page])
def test_a_node_that_refuses_the_whole_search_makes_it_an_outage(
    index: OpenSearchIndex,
    shared_proxy: FaultProxy,
    status: int,
    raised: type[PalimpsestError],
    told: Callable[[int], Fault],
) -> None:
    shared_proxy.inject(told(status), MSEARCH)
    with pytest.raises(raised) as caught:
        asked(index)
    assert not isinstance(caught.value, DeadlineExceeded)


def test_a_refusal_in_another_shape_than_the_engine_ever_has_is_an_outage_too(
    index: OpenSearchIndex, shared_proxy: FaultProxy
) -> None:
    shared_proxy.inject(faults.answers(503, ["no"]), MSEARCH)
    with pytest.raises(Unavailable):
        asked(index)


@pytest.mark.parametrize(
    "fault", [faults.hangs_up, faults.resets, faults.loses_the_answer, faults.truncates]
)
def test_a_connection_that_ends_once_is_replaced_and_one_that_always_ends_is_an_outage(
    index: OpenSearchIndex, shared_proxy: FaultProxy, fault: Fault
) -> None:
    shared_proxy.inject(fault, MSEARCH, times=1)
    assert [{c.id for c in one.candidates} for one in asked(index)] == FOUND
    shared_proxy.inject(fault, MSEARCH)
    with pytest.raises(Unavailable, match="cannot be reached"):
        asked(index)


def test_a_node_that_does_not_answer_in_time_is_late_on_both_legs(
    index: OpenSearchIndex, shared_proxy: FaultProxy
) -> None:
    shared_proxy.inject(faults.stalls(20), MSEARCH)
    start = time.monotonic()
    results = asked(index, timeout=1)
    assert time.monotonic() - start < 2
    assert [(one.status, one.reason) for one in results] == [(LegStatus.TIMEOUT, "timeout")] * 2
    assert [list(one.candidates) for one in results] == [[], []]
