"""What is just small enough for a real engine, and what is not: nothing of it fails a search."""

import pytest

from contract.index_entries import ask, by_vector, by_words, entry, ids, vector
from palimpsest.adapters.opensearch import OpenSearchGenerations, OpenSearchIndex
from palimpsest.adapters.opensearch.tokens import LONGEST_TOKEN
from palimpsest.domain.entries import LegStatus, WriteOutcome
from palimpsest.domain.filters import Compare, Exists, Filter, Not, OneOf, Prefix, Relation

pytestmark = pytest.mark.opensearch
ROOM = LONGEST_TOKEN - 17  # besides the field and the kind
LONG = "x" * 40_960


@pytest.fixture
def index(shared: OpenSearchGenerations) -> OpenSearchIndex:
    return shared.reading(patience_s=20)


def test_the_longest_value_that_is_sent_is_taken_and_found(index: OpenSearchIndex) -> None:
    values = {"a": "x" * ROOM, "b": "x" * (ROOM + 1), "c": LONG}
    entries = [entry(i, "heron", metadata={"k": v}) for i, v in values.items()]
    results = index.write(entries)
    assert [(one.outcome, one.reason) for one in results] == [
        (WriteOutcome.APPLIED, None),
        (WriteOutcome.REJECTED, "value_too_long"),
        (WriteOutcome.REJECTED, "value_too_long"),
    ]
    assert ids(index, by_words("heron", filter=OneOf("metadata.k", (values["a"],)))) == ["a"]
    assert ids(index, by_words("heron", filter=Prefix("metadata.k", values["a"]))) == ["a"]


@pytest.mark.parametrize(
    ("wanted", "found"),
    [
        (OneOf("metadata.k", (LONG, "short")), ["s"]),
        (OneOf("metadata.k", (LONG,)), []),
        (Not(OneOf("metadata.k", (LONG,))), ["s"]),
        (Prefix("metadata.k", LONG), []),
        (Compare("metadata.k", Relation.LT, LONG), ["s"]),
        (Compare("metadata.k", Relation.GTE, LONG), []),
        (Exists(f"metadata.{LONG}"), []),
    ],
)
def test_a_filter_may_ask_for_longer_values_than_there_can_be(
    index: OpenSearchIndex, wanted: Filter, found: list[str]
) -> None:
    other = "acme#long"
    index.write(
        [entry("s", "heron", metadata={"k": "short"}, vector=vector(1, 0, 0), partition=other)]
    )
    for query in (
        by_words("heron", filter=wanted, partitions=(other,)),
        by_vector(1, 0, 0, filter=wanted, partitions=(other,)),
    ):
        result = ask(index, query)
        assert result.status is LegStatus.OK
        assert [one.id for one in result.candidates] == found


def test_ids_of_any_length_stand_beside_each_other(index: OpenSearchIndex) -> None:
    room = 512 - len("acme#ids#")
    names = ["x" * room, "x" * (room + 1), "x" * (room + 2), "é" * room]
    entries = [entry(name, "heron", partition="acme#ids") for name in names]
    assert {one.outcome for one in index.write(entries)} == {WriteOutcome.APPLIED}
    assert [state.id for state in index.walk("acme#ids")] == sorted(names)
    assert sorted(ids(index, by_words("heron", partitions=("acme#ids",)))) == sorted(names)


def test_a_record_of_hundreds_of_metadata_keys_adds_no_field_to_the_index(
    index: OpenSearchIndex, shared: OpenSearchGenerations
) -> None:
    def mapping() -> object:
        return shared.client.indices.get_mapping(index=shared.kept()[0].name)

    before = mapping()
    rich = entry("r", "heron", 9, metadata={f"k{n}": n for n in range(500)}, partition="acme#rich")
    assert index.write([rich])[0].outcome is WriteOutcome.APPLIED
    wanted = Compare("metadata.k499", Relation.GT, 498)
    assert ids(index, by_words("heron", filter=wanted, partitions=("acme#rich",))) == ["r"]
    assert mapping() == before
