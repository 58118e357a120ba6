"""A search index as a whole: the part of its contract about entries beside the one of their id."""

import pytest

from contract.index_entries import (
    PARTITION,
    by_vector,
    by_words,
    entry,
    ids,
    tombstone,
    vector,
)
from palimpsest.ports import SearchIndex


class StraysContract:
    """There are none by this port's own writes, and their removal removes nothing else."""

    @pytest.mark.parametrize("remove", [False, True])
    def test_writes_leave_one_entry_an_id_and_nothing_beside_it(
        self, index: SearchIndex, remove: object
    ) -> None:
        index.write([entry("a", "older", 1), entry("b", "gone", 1), entry("c", "bare", 1)])
        index.write([entry("a", "newer", 2, vector=vector(1, 0, 0)), tombstone("b", 2)])
        index.write([entry("a", "stale", 1)])
        index.write([entry("x" * 256, "long", 1), entry("a", "else", 2, partition="acme#other")])
        before = list(index.walk(PARTITION))
        assert index.strays(PARTITION, remove=bool(remove)) == 0
        assert list(index.walk(PARTITION)) == before
        assert ids(index, by_words("newer")) == ids(index, by_vector(1, 0, 0)) == ["a"]
        assert ids(index, by_words("bare")) == ["c"]
        assert ids(index, by_words("long")) == ["x" * 256]

    @pytest.mark.parametrize("remove", [False, True])
    def test_a_partition_that_was_never_used_has_none(
        self, index: SearchIndex, remove: object
    ) -> None:
        assert index.strays("acme#nowhere", remove=bool(remove)) == 0
