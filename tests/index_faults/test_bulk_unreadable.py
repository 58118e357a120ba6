"""Answers to a write that cannot be read: such a write is not done."""

import pytest

from contract.index_entries import entry, tombstone, vector
from index_faults import faults
from index_faults.fault_proxy import Fault, FaultProxy
from palimpsest.adapters.opensearch import OpenSearchGenerations
from palimpsest.domain.entries import WriteOutcome
from palimpsest.domain.errors import Unavailable

pytestmark = pytest.mark.opensearch
BATCH = [
    entry("a", "heron", vector=vector(1, 0, 0)),
    entry("b", "otter"),
    tombstone("c", 4),
    entry("d", "weir", 7),
]

UNREADABLE = {
    "cut short": faults.truncates,
    "no JSON": faults.garbles,
    "no text": faults.blurs,
    "a page": faults.page(200),
    "no object": faults.shaped([]),
    "a word": faults.shaped("ok"),
    "nothing": faults.shaped(None),
    "empty": faults.shaped({}),
    "no items": faults.shaped({"took": 1, "errors": False}),
    "items of another kind": faults.shaped({"items": {"index": {"status": 200}}}),
    "one item too few": faults.rewritten(lambda answer: {"items": answer["items"][1:]}),
    "one item too many": faults.rewritten(lambda answer: {"items": 2 * answer["items"][:1] * 4}),
    "an item of another action": faults.shaped({"items": [{"create": {"status": 201}}] * 4}),
    "items that are nothing": faults.shaped({"items": [None] * 4}),
    "items without a status": faults.shaped({"items": [{"index": {}}] * 4}),
    "a status in words": faults.shaped({"items": [{"index": {"status": "201"}}] * 4}),
    "an error in words": faults.shaped({"items": [{"index": {"status": 503, "error": "x"}}] * 4}),
    "errors as a list": faults.shaped({"items": [{"index": {"status": 400, "error": ["x"]}}] * 4}),
}


@pytest.mark.usefixtures("no_waiting")
@pytest.mark.parametrize("fault", UNREADABLE.values(), ids=UNREADABLE.keys())
def test_an_answer_that_cannot_be_read_is_never_taken_for_done(
    shared: OpenSearchGenerations, shared_proxy: FaultProxy, fault: Fault
) -> None:
    index = shared.reading(patience_s=20)
    rule = shared_proxy.inject(fault, "/_bulk")
    with pytest.raises(Unavailable, match=r"index (gave an|cannot be reached|answered)"):
        index.write(BATCH)
    shared_proxy.heal()
    assert rule.hits > 1
    assert {one.outcome for one in index.write(BATCH, visible=False)} == {WriteOutcome.APPLIED}


@pytest.mark.parametrize(
    "fault",
    [
        faults.shaped({}),
        faults.shaped({"_shards": {"total": 1, "successful": 0, "failed": 1}}),
        faults.garbles,
        faults.answers(503),
    ],
)
def test_a_write_that_did_not_become_visible_says_so(
    shared: OpenSearchGenerations, shared_proxy: FaultProxy, fault: Fault
) -> None:
    index = shared.reading(patience_s=5)
    rule = shared_proxy.inject(fault, "/_refresh")
    with pytest.raises(Unavailable):
        index.write(BATCH)
    assert rule.hits > 0
