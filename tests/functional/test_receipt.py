"""The receipt of a forgetting: every place is asked anew."""

import pytest

from palimpsest.adapters.dynamodb.erasure import DynamoErasures
from palimpsest.adapters.simulated import Fault, FaultKind
from palimpsest.domain.errors import NotFound
from palimpsest.services.receipt import Receipt, ReceiptService
from world import NAMESPACE, TENANT, World

NOTHING = {"lexical": 0, "semantic": 0, "history": 0, "vectors": 0, "ledger": 0}


def receipt(world: World, record_id: str = "a") -> Receipt:
    erasures = DynamoErasures(world.table, world.client)
    service = ReceiptService(world.store, lambda: [world.index], erasures)
    return service.receipt(TENANT, NAMESPACE, record_id)


def test_f1_a_receipt_tells_what_each_place_still_has_until_all_is_erased(world: World) -> None:
    world.put("a", "one")
    world.project()
    world.put("a", "two")
    world.project()
    world.forget("a")
    told = receipt(world)
    found = {"lexical": 1, "semantic": 1, "history": 1, "vectors": 1, "ledger": 0}
    assert (told.id, told.revision, told.found, told.erased) == ("a", 3, found, False)
    world.project()
    assert receipt(world).found == {**found, "lexical": 0, "semantic": 0}
    world.erase()
    assert (receipt(world).found, receipt(world).erased) == (NOTHING, True)


def test_an_erasure_that_is_still_to_be_done_is_not_erased_yet(world: World) -> None:
    world.put("a", "one")
    world.forget("a")
    told = receipt(world)
    assert (told.found["lexical"], told.found["vectors"], told.erased) == (0, 0, False)
    world.erase()
    assert receipt(world).erased


def test_an_entry_of_the_ledger_counts(world: World) -> None:
    world.embedder.inject(Fault(kind=FaultKind.OUTAGE))
    world.put_many({"a": "one", "other": "a"})
    world.project()
    world.forget("a")
    assert receipt(world).found["ledger"] == 1
    world.project()
    assert receipt(world).found["ledger"] == 0


def test_a_record_that_lives_or_never_was_has_no_receipt(world: World) -> None:
    world.put("a", "one")
    for name in ("a", "nobody"):
        with pytest.raises(NotFound):
            receipt(world, name)
    world.forget("a")
    world.put("a", "again")
    with pytest.raises(NotFound):
        receipt(world)
