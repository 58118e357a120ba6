"""What a write makes of a node's bad days, item by item."""

import time
from typing import Any

import pytest

from contract.index_entries import PARTITION, by_words, entry, ids, tombstone, vector
from index_faults import faults
from index_faults.fault_proxy import Fault, FaultProxy
from palimpsest.adapters.opensearch import OpenSearchGenerations, OpenSearchIndex
from palimpsest.adapters.opensearch.bulk import LONGEST_REASON
from palimpsest.domain.entries import EntryState, WriteOutcome
from palimpsest.domain.errors import Throttled, Unavailable

pytestmark = pytest.mark.opensearch
Told = tuple[str, WriteOutcome, str | None]
BULK = r"/_bulk\?"
BATCH = [
    entry("a", "heron", vector=vector(1, 0, 0)),
    entry("b", "otter"),
    tombstone("c", 4),
    entry("d", "weir", 7),
]
STANDING = [
    EntryState("a", 1, 3, tombstone=False, vector=True),
    EntryState("b", 1, 2, tombstone=False, vector=False),
    EntryState("c", 4, 9, tombstone=True, vector=False),
    EntryState("d", 7, 14, tombstone=False, vector=False),
]
APPLIED: list[Told] = [(one.id, WriteOutcome.APPLIED, None) for one in BATCH]
SECRET = "zebrasecret"


@pytest.fixture
def index(behind: OpenSearchGenerations) -> OpenSearchIndex:
    """One that gives up late."""
    return behind.reading(patience_s=20)


def told(index: OpenSearchIndex) -> list[Told]:
    return [(one.id, one.outcome, one.reason) for one in index.write(BATCH)]


def item(place: int, status: int, **error: Any) -> Fault:
    """One item of the answer fails like that, though the others are done."""

    def change(answer: Any) -> None:
        answer["errors"] = True
        answer["items"][place]["index"] = {"_id": "x", "status": status, "error": error}

    return faults.rewritten(change)


@pytest.mark.parametrize("status", [429, 502, 503])
def test_a_request_that_is_refused_is_sent_again(
    index: OpenSearchIndex, proxy: FaultProxy, status: int
) -> None:
    rule = proxy.inject(faults.answers(status), BULK, times=3)
    assert told(index) == APPLIED
    assert rule.hits == 3
    assert list(index.walk(PARTITION)) == STANDING


@pytest.mark.usefixtures("no_waiting")
def test_a_node_that_asks_for_more_patience_than_there_is_throttles(
    index: OpenSearchIndex, proxy: FaultProxy
) -> None:
    rule = proxy.inject(faults.answers(429), BULK)
    with pytest.raises(Throttled, match="asks for patience"):
        index.write(BATCH)
    assert rule.hits > 2
    proxy.heal()
    assert list(index.walk(PARTITION)) == []


@pytest.mark.parametrize("status", [429, 503])
def test_items_that_are_refused_are_sent_again_without_the_others(
    index: OpenSearchIndex, proxy: FaultProxy, status: int
) -> None:
    proxy.inject(item(1, status, type="es_rejected_execution_exception"), BULK, times=1)
    proxy.inject(item(0, status, type="es_rejected_execution_exception"), BULK, times=2)
    assert told(index) == APPLIED
    sizes = [one.body.count(b'{"index":') for one in proxy.seen if "/_bulk" in one.path]
    assert sizes == [4, 1, 1, 1]
    assert list(index.walk(PARTITION)) == STANDING


@pytest.mark.usefixtures("no_waiting")
@pytest.mark.parametrize(("status", "raised"), [(429, Throttled), (503, Unavailable)])
def test_an_item_that_is_always_refused_fails_the_write_and_undoes_nothing(
    index: OpenSearchIndex, proxy: FaultProxy, status: int, raised: type[Exception]
) -> None:
    proxy.inject(item(2, status, type="x"), BULK, times=1)
    proxy.inject(faults.answers(status), BULK)
    with pytest.raises(raised):
        index.write(BATCH)
    proxy.heal()
    index.refresh()
    assert list(index.walk(PARTITION)) == STANDING
    assert told(index) == APPLIED


def test_an_entry_that_the_index_refuses_is_rejected_and_the_others_are_applied(
    index: OpenSearchIndex, proxy: FaultProxy
) -> None:
    reason = f"failed to parse field [terms]. Preview of field's value: '{SECRET}'"
    cause = {"type": "illegal_argument_exception", "reason": f'For input string: "{SECRET}"'}
    wrong = item(1, 400, type="mapper_parsing_exception", reason=reason, caused_by=cause)
    proxy.inject(wrong, BULK, times=1)
    expected = list(APPLIED)
    expected[1] = (
        "b",
        WriteOutcome.REJECTED,
        "mapper_parsing_exception: illegal_argument_exception",
    )
    assert told(index) == expected


def test_what_a_real_node_says_of_a_broken_entry_is_told_without_its_values(
    behind: OpenSearchGenerations, monkeypatch: pytest.MonkeyPatch
) -> None:
    module = "palimpsest.adapters.opensearch.documents._instants"
    monkeypatch.setattr(module, lambda _: {"event_time": SECRET})
    index = behind.reading(patience_s=5)
    results = index.write([entry("a", "heron"), tombstone("b", 1)])
    assert [one.outcome for one in results] == [WriteOutcome.REJECTED, WriteOutcome.APPLIED]
    reason = results[0].reason or ""
    assert reason.startswith("mapper_parsing_exception")
    assert SECRET not in reason
    assert len(reason) <= LONGEST_REASON


@pytest.mark.parametrize("fault", [faults.loses_the_answer, faults.truncates, faults.garbles])
def test_a_write_whose_answer_is_lost_is_repeated_to_the_same_end(
    index: OpenSearchIndex, proxy: FaultProxy, fault: Fault
) -> None:
    rule = proxy.inject(fault, BULK, times=3)
    assert told(index) == APPLIED
    assert rule.hits == 3
    assert list(index.walk(PARTITION)) == STANDING
    assert ids(index, by_words("heron otter weir")) == ["a", "b", "d"]


def test_what_became_newer_before_the_repetition_stays(
    index: OpenSearchIndex, behind: OpenSearchGenerations, proxy: FaultProxy
) -> None:
    newer = entry("b", "kingfisher", 9)
    other = behind.reading(patience_s=5)

    def overtaken(exchange: Any) -> None:
        exchange.forwarded()
        other.write([newer])

    proxy.inject(overtaken, BULK, times=1)
    results = index.write(BATCH)
    assert [one.outcome for one in results] == [
        WriteOutcome.APPLIED,
        WriteOutcome.STALE,
        WriteOutcome.APPLIED,
        WriteOutcome.APPLIED,
    ]
    assert ids(index, by_words("kingfisher otter")) == ["b"]
    assert ids(index, by_words("otter")) == []


@pytest.mark.usefixtures("no_waiting")
@pytest.mark.parametrize("fault", [faults.hangs_up, faults.resets])
def test_a_connection_that_ends_amid_a_write_is_replaced(
    index: OpenSearchIndex, proxy: FaultProxy, fault: Fault
) -> None:
    rule = proxy.inject(fault, BULK, times=3)
    assert told(index) == APPLIED
    assert rule.hits == 3
    proxy.inject(fault, BULK)
    with pytest.raises(Unavailable, match="cannot be reached"):
        index.write(BATCH)


def test_a_node_that_does_not_answer_is_not_waited_for_beyond_patience(
    behind: OpenSearchGenerations, proxy: FaultProxy
) -> None:
    index = behind.reading(patience_s=1)
    index.generation()
    proxy.inject(faults.stalls(20), BULK)
    start = time.monotonic()
    with pytest.raises(Unavailable):
        index.write(BATCH)
    assert time.monotonic() - start < 2.5


def test_many_faults_at_once_change_nothing_of_what_is_written_in_the_end(
    index: OpenSearchIndex, proxy: FaultProxy
) -> None:
    for fault in (faults.answers(429), faults.loses_the_answer, faults.garbles, faults.hangs_up,
                  faults.page(502), item(0, 429, type="x"), item(0, 503, type="x")):  # fmt: skip
        proxy.inject(fault, BULK, chance=0.15)
    batches = [[entry(f"r{n}", "heron", 1 + n % 3) for n in range(k, 40, 4)] for k in range(4)]
    for batch in (*batches, *reversed(batches)):
        outcomes = {one.outcome for one in index.write(batch, visible=False)}
        assert outcomes == {WriteOutcome.APPLIED}
    proxy.heal()
    index.refresh()
    versions = {one.id: one.version for one in index.walk(PARTITION)}
    assert versions == {f"r{n}": 2 * (1 + n % 3) for n in range(40)}
