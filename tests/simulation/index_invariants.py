"""Invariants of the index, checked as the engine takes a document and as the table is told how far
a generation is: no older pass undoes a newer one, an entry is what its record was, and what is said
to be indexed can be found or stands in the ledger.
"""

from collections.abc import Iterator

from palimpsest.adapters.opensearch.documents import document_id
from palimpsest.domain.vectors import text_hash
from simulation.embedding import vector_of
from simulation.engine import NOBODY, Document, Engine, EngineIndex
from simulation.scheduling import Violated
from simulation.table import Key, Table, Written
from simulation.truth import ABSENT, ACTIVE, Truth, Version

NEAR = 2e-3
"""How much a vector's numbers may differ from the model's: they are held in sixteen bits."""


def check_document(index: EngineIndex, name: str, document: Document, truth: Truth) -> None:
    """Raises `Violated` where a document may not stand in the index, or undoes a newer one."""
    highest = index.highest.get(name, 0)
    if document.version < highest:
        said = f"{index.name} {name}: {document.version} over {highest}"
        raise Violated("an older pass undoes a newer", said)
    revision = int(document.source["revision"])
    if document.id == NOBODY and document.tombstone:
        return
    were = truth.versions.get((document.partition, document.id), [])
    if not any(is_of(document, one) for one in were if one.revision == revision):
        raise Violated("entries", f"{index.name} {name}: {document.source} was never true")


def is_of(document: Document, version: Version) -> bool:
    """Whether an entry is what a version of its record makes it, complete or not."""
    complete = document.version == 2 * version.revision + 1
    if document.tombstone:
        return version.status != ACTIVE and complete
    if version.status != ACTIVE or version.text is None:
        return False
    vector = document.source.get("vector")
    if document.version != 2 * version.revision + (vector is not None):
        return False
    return document.source["text_hash"] == text_hash(version.text) and (
        vector is None or is_vector_of(vector, version.text)
    )


def is_vector_of(vector: list[float], text: str) -> bool:
    """Whether these numbers are the model's for a text."""
    told = vector_of(text, len(vector))
    return all(abs(a - b) < NEAR for a, b in zip(vector, told, strict=True))


def check_progress(written: Written, table: Table, engine: Engine, truth: Truth) -> None:
    """Raises `Violated` where a generation is said to be further than it is."""
    (pk, sk), before, after = written
    if after is None or "rev" not in after:
        return
    revision = int(after["rev"]["N"])
    if before is not None and int(before["rev"]["N"]) > revision:
        raise Violated("progress", f"{pk} {sk} went back to {revision}")
    generation = sk.removeprefix("INDEX#")
    index = next((one for one in engine.indices.values() if one.generation == generation), None)
    if index is None or before == after:
        return
    wrong = sorted(_not_found(pk, revision, index, table, truth))
    if wrong:
        raise Violated("progress", f"{pk} {sk} is said to be at {revision}, but {wrong}")


def _not_found(pk: str, upto: int, index: EngineIndex, table: Table, truth: Truth) -> Iterator[str]:
    """The records up to a revision that neither a search finds nor the ledger names."""
    visible = {one.id: one for one in index.visible.values() if one.partition == pk}
    for record_id, version in truth.records(pk):
        if not 0 < version.revision <= upto or version.status == ABSENT:
            continue
        entry = table.true(Key(pk, f"U#{index.generation}#{record_id}"))
        if entry is not None and int(entry["rev"]["N"]) >= version.revision:
            continue
        document = visible.get(record_id)
        if document_id(pk, record_id) in index.damaged:
            continue
        if document is None or document.version < 2 * version.revision + 1:
            yield f"{record_id} {version} is {document and document.version}"
