"""Invariants at rest, when nothing fails any more and everything has been projected and erased:
table and index are equal, nothing acknowledged is lost, and what was forgotten is nowhere.
"""

import json
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from palimpsest.adapters.dynamodb.index_ledger import DynamoIndexLedger
from palimpsest.domain.vectors import text_hash
from palimpsest.services.prove import ProofService
from simulation import job_invariants, purge_invariants
from simulation.embedding import UNSPEAKABLE
from simulation.engine import INDIGESTIBLE, NOBODY, EngineIndex
from simulation.index_invariants import is_of
from simulation.requests import Told
from simulation.scheduling import Violated
from simulation.services import TABLE
from simulation.table import Item, Key
from simulation.truth import ABSENT, ACTIVE, Version, version_of

if TYPE_CHECKING:
    from simulation.world import World


def check(world: "World") -> None:
    """Raises `Violated`."""
    _check_table(world)
    _check_requests(world)
    for index in world.engine.indices.values():
        _check_index(index, world)
    _check_forgotten(world)
    _check_proofs(world)
    purge_invariants.check_rest(world)
    job_invariants.check_rest(world)


def _check_table(world: "World") -> None:
    """The table holds exactly what commits have made of it: records, clocks, the log."""
    table = world.table
    for names, versions in world.truth.versions.items():
        item = table.true(Key(names[0], f"R#{names[1]}"))
        held = version_of(item, 0, "") if item else None
        now = versions[-1]
        absent = (now.revision if now.ends else 0, ABSENT, None)
        told = (held.revision, held.status, held.text) if held else absent
        if told != (now.revision, now.status, now.text):
            raise Violated("lost or phantom write", f"{names} is {held} instead of {now}")
    for pk in world.truth.partitions():
        clock = table.true(Key(pk, "CLOCK"))
        told_clock = int(clock["rev"]["N"]) if clock else 0
        if told_clock != world.truth.clock(pk):
            raise Violated("clock", f"{pk} is at {told_clock}, not {world.truth.clock(pk)}")
        _check_log(pk, world)


def _check_log(pk: str, world: "World") -> None:
    revision = world.truth.clock(pk)
    while revision:
        item = world.table.true(Key(pk, f"C#{revision:020}"))
        if item is None:
            raise Violated("log", f"{pk} has no entry {revision}")
        previous = int(item["prev"]["N"])
        if previous != revision - 1 and (pk, revision) not in world.truth.jumps:
            raise Violated("clock", f"{pk} has a gap between {previous} and {revision}")
        revision = previous


def _check_requests(world: "World") -> None:
    for request in world.requests.by_name.values():
        if len(request.applied) > 1 or (request.told is Told.REFUSED and request.applied):
            raise Violated("once", str(request))


def _check_index(index: EngineIndex, world: "World") -> None:
    """Every record stands in the index as it is, or the ledger says why not; nothing else does."""
    index.refresh()
    rejected = {INDIGESTIBLE: "index_rejected", UNSPEAKABLE: "embedding_failed"}
    found = {(one.partition, one.id): one for one in index.documents.values()}
    for names, versions in world.truth.versions.items():
        now, document = versions[-1], found.pop(names, None)
        entry = world.table.true(Key(names[0], f"U#{index.generation}#{names[1]}"))
        reason = str(entry["why"]["S"]) if entry else None
        expected = _reason(names[1], now, rejected)
        if reason != expected:
            raise Violated("ledger", f"{index.name} {names} {now}: {reason}, not {expected}")
        if document is None:
            if now.status == ACTIVE and reason is None:
                raise Violated("index = table", f"{index.name} lacks {names} {now}")
            continue
        complete = document.tombstone or "vector" in document.source
        fits = is_of(document, now) and (complete or reason == "embedding_failed")
        if not fits and reason != "index_rejected":
            raise Violated("index = table", f"{index.name} {names}: {document} is not {now}")
    found = {names: one for names, one in found.items() if names[1] != NOBODY or not one.tombstone}
    if found or index.strays:
        raise Violated("index = table", f"{index.name} has {sorted(found)} beside the table's")


def _reason(record_id: str, now: Version, rejected: dict[str, str]) -> str | None:
    """Why a record cannot be found on every leg."""
    if now.status != ACTIVE or now.text is None:
        return None
    if record_id.startswith(INDIGESTIBLE):
        return rejected[INDIGESTIBLE]
    return rejected[UNSPEAKABLE] if UNSPEAKABLE in now.text else None


def _check_forgotten(world: "World") -> None:
    """Forgotten texts are in no item of the table, no vector and no entry of any generation."""
    for names, texts in world.truth.forgotten():
        hashes = {text_hash(text) for text in texts}
        for key, item in world.table.everything().items():
            if key.pk == names[0] and _is_about(key, names[1]) and _holds(item, texts, hashes):
                raise Violated("forgotten", f"{key} still holds one of {texts}")
        for index in world.engine.indices.values():
            for one in index.documents.values():
                same = (one.partition, one.id) == names
                if same and one.source.get("text_hash") in hashes:
                    raise Violated("forgotten", f"{index.name} {names} is still of {texts}")


def _is_about(key: Key, record_id: str) -> bool:
    return record_id in key.sk.split("#")


def _holds(item: Item, texts: set[str], hashes: set[str]) -> bool:
    text = json.loads(item["c"]["S"])["text"] if "c" in item else None
    return text in texts or ("eh" in item and item["eh"]["S"] in hashes)


def _check_proofs(world: "World") -> None:
    """The code's own proof agrees, of every generation."""
    made = world.composition
    client: Any = world.client
    proofs = ProofService(store=made.store(), ledger=DynamoIndexLedger(TABLE, client))
    generations = made.generations()
    for generation in generations.kept():
        for pk in _written(world):
            tenant, _, namespace = pk.partition("#")
            proof = proofs.prove(tenant, namespace, generations.index(generation))
            if not proof.equal or proof.revision != world.truth.clock(pk):
                raise Violated("index = table", f"{generation.name} {pk}: {proof}")


def _written(world: "World") -> Iterator[str]:
    return (pk for pk in world.truth.partitions() if world.truth.clock(pk))
