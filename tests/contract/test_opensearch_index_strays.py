"""Documents that stand beside the one of their id, on a real OpenSearch node: copied in from
outside, or written under a routing.
"""

import json
from dataclasses import replace
from typing import Any

import pytest

from contract.index_entries import NOW, PARTITION, by_vector, by_words, entry, ids, vector
from contract.opensearch_index import reading
from palimpsest.adapters.opensearch import OpenSearchIndex, strays
from palimpsest.adapters.opensearch.documents import document_id, prepared
from palimpsest.domain.entries import Entry
from palimpsest.domain.lexical import FieldWeights

pytestmark = pytest.mark.opensearch
OTHER = "acme#other"
A = entry("a", "heron", 3, vector=vector(1, 0, 0))
B = entry("b", "otter", 4)
C = entry("c", "stoat", 4)


@pytest.fixture
def index(opensearch_url: str, index_prefix: str) -> OpenSearchIndex:
    """An index with two entries, and one of another partition."""
    made = reading(opensearch_url, index_prefix)
    made.write([A, B, replace(A, partition=OTHER)])
    return made


def name_of(index: OpenSearchIndex) -> str:
    return index._standing().name


def source_of(one: Entry) -> Any:
    """The document of an entry, which no index gives out again."""
    ready = prepared(one, dimension=3, weights=FieldWeights(), now=NOW)
    return json.loads(ready.lines.splitlines()[1])


def plant(index: OpenSearchIndex, _id: str, source: Any, **options: str) -> None:
    index._client.index(
        index=name_of(index), id=_id, body=source, params={"refresh": "true", **options}
    )


def documents(index: OpenSearchIndex) -> set[tuple[str, str | None]]:
    """What there is of any partition: ids of documents and their routings."""
    body = {"size": 1_000, "query": {"match_all": {}}, "_source": False}
    hits = index._client.search(index=name_of(index), body=body)["hits"]["hits"]
    return {(hit["_id"], hit.get("_routing")) for hit in hits}


def test_a_copy_under_another_id_and_one_under_a_routing_are_counted_and_removed(
    index: OpenSearchIndex,
) -> None:
    before, states = documents(index), list(index.walk(PARTITION))
    source = source_of(A)
    plant(index, "copied-from-elsewhere", source)
    plant(index, "routed", source, routing="r1")
    plant(index, f"{document_id(PARTITION, 'a')} ", source, routing="r2")
    for _ in range(2):
        assert index.strays(PARTITION) == 3
    assert len(documents(index)) == len(before) + 3
    assert index.strays(PARTITION, remove=True) == 3
    assert documents(index) == before
    assert index.strays(PARTITION) == index.strays(PARTITION, remove=True) == 0
    assert list(index.walk(PARTITION)) == states
    assert ids(index, by_words("heron")) == ids(index, by_vector(1, 0, 0)) == ["a"]


def test_a_copy_of_an_id_that_has_no_document_of_its_own_goes_too(
    index: OpenSearchIndex,
) -> None:
    plant(index, "x", source_of(C))
    assert index.strays(PARTITION, remove=True) == 1
    assert [state.id for state in index.walk(PARTITION)] == ["a", "b"]


def test_the_right_id_under_a_routing_is_none_of_this_ports_own(index: OpenSearchIndex) -> None:
    own = document_id(PARTITION, "c")
    plant(index, own, source_of(C), routing="r1")
    assert index.strays(PARTITION) == 1
    assert index.strays(PARTITION, remove=True) == 1
    assert {_id for _id, _ in documents(index)} & {own} == set()


def test_those_of_another_partition_are_left_to_it(index: OpenSearchIndex) -> None:
    plant(index, "copied-from-elsewhere", source_of(replace(A, partition=OTHER)))
    assert index.strays(PARTITION, remove=True) == 0
    assert index.strays(OTHER, remove=True) == 1


def test_more_than_a_page_of_them_are_all_removed(
    index: OpenSearchIndex, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also where a page ends within the documents of one id."""
    monkeypatch.setattr(strays, "PAGE", 3)
    before = documents(index)
    for one in (A, B):
        for number in range(4):
            plant(index, f"{one.id}-{number}", source_of(one))
    assert index.strays(PARTITION, remove=True) == 8
    assert documents(index) == before


def test_what_is_newer_than_its_copies_stays_as_it_is(index: OpenSearchIndex) -> None:
    plant(index, "older", source_of(A))
    index.write([entry("a", "egret", 9, vector=vector(0, 1, 0))])
    assert index.strays(PARTITION, remove=True) == 1
    assert ids(index, by_words("egret")) == ["a"]
    assert ids(index, by_words("heron")) == []
