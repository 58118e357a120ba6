"""Random records and entries for property tests of search indexes."""

import math
from datetime import UTC, datetime
from typing import Any

from hypothesis import strategies as st

from contract.index_entries import NOW, entry, tombstone
from palimpsest.domain.entries import Entry
from palimpsest.domain.records import Content, Record, Source, Status
from palimpsest.domain.vectors import unit

WORDS = ["ship", "mortar", "kiln", "river", "stone", "ships", "INV-17", "成語", "the", "Ещё"]
texts = st.lists(st.sampled_from(WORDS), min_size=1, max_size=12).map(" ".join)
vectors = st.tuples(*[st.floats(-1, 1, width=16)] * 3).filter(lambda v: math.hypot(*v) > 0.1)
names = st.sampled_from(["a", "b", "c", "d", "e", "f"])
scalar_values = st.one_of(
    st.booleans(), st.integers(-3, 3), st.sampled_from([0.0, -0.0, 1.0, 2.5, -3.0, 0.1, 5e-324]),
    st.sampled_from([2.0**70, 1e300, -1e300, 2.0**63, -(2.0**63), 2.0**53]),
    st.sampled_from([2**53 + 1, 2**63 - 1, 2**63, -(2**63), -(2**63) - 1, 2**70, 2**70 + 1,
                     -(2**70), 10**300, -(10**299)]),
    st.sampled_from(["", "1", "true", "x", "xy", "X", "x*", "x?", "%", "é", "e\u0301", "\ud7ff",
                     "\ue000", "\uffff", "x\U0010ffff", "x\U0010ffffy", "\U0001f600"]),
)  # fmt: skip
lists = st.lists(st.sampled_from(["1", "x", "y"]), max_size=3).map(tuple)
metadata_values = scalar_values | lists
keys = st.one_of(
    st.sampled_from(["k", "k.k", "K", "'", '"', "%"]),
    st.text(st.characters(exclude_categories=["C"]), min_size=1, max_size=3),
)
instants = st.sampled_from(
    [NOW, datetime(1, 1, 1, tzinfo=UTC), datetime(9999, 12, 31, tzinfo=UTC), None]
)
contents = st.builds(
    Content,
    text=texts,
    title=st.none() | texts,
    kind=st.none() | st.sampled_from(["fact", "note", ""]),
    subject=st.none() | st.sampled_from(WORDS),
    tags=st.lists(st.sampled_from(WORDS), max_size=3).map(tuple),
    entities=st.lists(st.sampled_from(WORDS), max_size=2).map(tuple),
    event_time=instants,
    importance=st.sampled_from([0.0, 0.5, 1.0]),
    source=st.none() | st.builds(Source, uri=st.none() | st.sampled_from(["u", "v"])),
    metadata=st.dictionaries(keys, metadata_values, max_size=4),
)


def written(entry_id: str, revision: int, content: Content | None, vector: Any) -> Entry:
    if content is None:
        return tombstone(entry_id, revision)
    made = None if vector is None else unit(vector, dimension=3)
    plain = entry(entry_id, "", revision, vector=made)
    return Entry(
        partition=plain.partition,
        id=entry_id,
        revision=revision,
        version=plain.version,
        content=content,
        created_at=NOW,
        updated_at=NOW,
        vector=made,
    )


entries = st.builds(written, names, st.integers(1, 5), st.none() | contents, st.none() | vectors)


def record(of: Entry) -> Record:
    return Record(
        id=of.id,
        namespace="notes",
        revision=of.revision,
        status=Status.ACTIVE,
        content=of.content,
        created_at=NOW,
        updated_at=NOW,
    )
