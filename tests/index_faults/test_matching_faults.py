"""What passes a filter is told whole or not at all, whatever the engine does."""

import time

import pytest

from contract.index_entries import PARTITION, entry
from contract.test_opensearch_index_strays import plant, source_of
from index_faults import faults
from index_faults.fault_proxy import Fault, FaultProxy
from palimpsest.adapters.opensearch import OpenSearchGenerations, OpenSearchIndex, walking
from palimpsest.domain.errors import DeadlineExceeded, PalimpsestError, Throttled, Unavailable
from palimpsest.domain.filters import OneOf
from palimpsest.domain.records import Source

pytestmark = pytest.mark.opensearch
SEARCH = r"/_search($|\?)"
AT_U = OneOf("source.uri", ("u",))
NAMES = [f"n{n}" for n in range(5)]

FAULTS: dict[str, tuple[Fault, type[PalimpsestError]]] = {
    "unavailable": (faults.answers(503), Unavailable),
    "forbidden": (faults.answers(403), Unavailable),
    "overloaded": (faults.answers(429), Throttled),
    "hangs up": (faults.hangs_up, Unavailable),
    "cut short": (faults.truncates, Unavailable),
    "no JSON": (faults.garbles, Unavailable),
    "empty": (faults.shaped({}), Unavailable),
    "nothing": (faults.shaped(None), Unavailable),
    "all of it empty": (faults.rewritten(lambda it: {key: {} for key in it}), Unavailable),
    "no sort": (faults.rewritten(lambda it: it["hits"]["hits"][0].pop("sort")), Unavailable),
    "partial": (faults.rewritten(lambda it: it["_shards"].update(failed=1)), Unavailable),
    "broken off": (faults.rewritten(lambda it: it.update(timed_out=True)), Unavailable),
}


ENTRIES = [entry(name, "word", source=Source(uri="u")) for name in NAMES]


def filled(made: OpenSearchGenerations) -> OpenSearchIndex:
    index = made.reading(patience_s=5)
    index.write(ENTRIES)
    return index


@pytest.mark.parametrize(("fault", "raised"), FAULTS.values(), ids=FAULTS.keys())
def test_an_engine_that_fails_is_an_error_and_no_empty_list(
    shared: OpenSearchGenerations,
    shared_proxy: FaultProxy,
    fault: Fault,
    raised: type[PalimpsestError],
) -> None:
    index = filled(shared)
    shared_proxy.inject(fault, SEARCH, method="POST|GET")
    with pytest.raises(raised):
        index.matching(PARTITION, AT_U, limit=10)
    shared_proxy.heal()
    assert index.matching(PARTITION, AT_U, limit=10) == NAMES


def test_an_engine_that_does_not_answer_in_time_is_no_empty_list(
    shared: OpenSearchGenerations, shared_proxy: FaultProxy, monkeypatch: pytest.MonkeyPatch
) -> None:
    index = filled(shared)
    monkeypatch.setattr(walking, "TIMEOUT_S", 0.3)
    shared_proxy.inject(faults.stalls(20), SEARCH, method="POST|GET")
    start = time.monotonic()
    with pytest.raises(DeadlineExceeded):
        index.matching(PARTITION, AT_U, limit=10)
    assert time.monotonic() - start < 5


def test_several_round_trips_give_all_of_them_and_each_once(
    shared: OpenSearchGenerations, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(walking, "PAGE", 2)
    index = filled(shared)
    for limit in range(8):
        assert index.matching(PARTITION, AT_U, limit=limit) == NAMES[:limit]
        assert index.matching(PARTITION, AT_U, after="n1", limit=limit) == NAMES[2:][:limit]


def test_an_id_with_documents_beside_its_own_is_told_once_and_ends_no_page(
    behind: OpenSearchGenerations, monkeypatch: pytest.MonkeyPatch
) -> None:
    index = filled(behind)
    for number in range(4):
        plant(index, f"copied-{number}", source_of(ENTRIES[1]))
    for page in (1, 3, 1_000):
        monkeypatch.setattr(walking, "PAGE", page)
        for limit in (1, 2, 3, 5, 9):
            assert index.matching(PARTITION, AT_U, limit=limit) == NAMES[:limit]


def test_an_index_that_was_replaced_meanwhile_is_asked_in_the_place_of_the_former(
    behind: OpenSearchGenerations,
) -> None:
    index, other = filled(behind), behind.reading(patience_s=5)
    other.renew()
    other.write([entry("anew", "word", source=Source(uri="u"))])
    assert index.matching(PARTITION, AT_U, limit=10) == ["anew"]


def test_an_index_that_was_lost_is_an_error_and_not_made_by_asking(
    behind: OpenSearchGenerations,
) -> None:
    index = filled(behind)
    (one,) = behind.kept()
    behind.client.indices.delete(index=one.name)
    for asked in (index, behind.index(one)):
        with pytest.raises(Unavailable, match="not there"):
            asked.matching(PARTITION, AT_U, limit=10)
    assert behind.kept() == []
