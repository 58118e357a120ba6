import json
from typing import Any

import pytest

from palimpsest.domain.commit_planning import Operation
from palimpsest.domain.errors import Throttled
from palimpsest.domain.vectors import text_hash
from palimpsest.services import erase as erasing
from world import NAMESPACE, TENANT, World


@pytest.fixture
def world(tables: dict[str, str]) -> World:
    """Over moto, whose client these tests look into."""
    return World(tables["RecordsTable"])


def everything(world: World) -> str:
    return json.dumps(world.client.scan(TableName=world.table)["Items"], default=repr)


def items_of(world: World) -> list[Any]:
    return list(world.client.scan(TableName=world.table)["Items"])


def keys(world: World, prefix: str) -> list[str]:
    items = world.client.scan(TableName=world.table)["Items"]
    return sorted(item["sk"]["S"] for item in items if item["sk"]["S"].startswith(prefix))


def test_f1_after_the_eraser_nothing_of_a_forgotten_record_is_in_the_table(world: World) -> None:
    world.put("a", "zebrasecret one", title="zebrasecret", metadata={"k": "zebrasecret"})
    world.put("a", "zebrasecret two", tags=("zebrasecret",))
    world.put("b", "stays")
    world.project()
    world.forget("a")
    assert "zebrasecret" in everything(world)
    assert world.erase() == 1
    assert "zebrasecret" not in everything(world)
    assert keys(world, "V#") == [f"V#b#{world.embedder.fingerprint}"]
    assert keys(world, "H#") == keys(world, "E#") == []
    assert keys(world, "R#") == ["R#a", "R#b"]
    assert world.erase() == 0


def test_a_new_record_of_the_same_id_keeps_its_own_history_and_vector(world: World) -> None:
    world.put("a", "old")
    world.project()
    world.forget("a")
    world.put("a", "new one")
    world.put("a", "new two")
    world.project()
    assert world.erase() == 1
    assert keys(world, "H#") == [f"H#a#{3:020}"]
    held = world.vectors.held(
        TENANT, NAMESPACE, {"a": text_hash("new two")}, fingerprint=world.embedder.fingerprint
    )
    assert list(held) == ["a"]
    old = world.history.as_of(TENANT, NAMESPACE, "a", 3)
    assert old is not None
    assert old.content is not None
    assert old.content.text == "new one"


def test_an_erasure_that_was_killed_half_way_is_taken_up_again(world: World) -> None:
    world.put("a", "zebrasecret one")
    world.put("a", "zebrasecret two")
    world.forget("a")
    delete, calls = world.client.batch_write_item, []

    def killed(**request: Any) -> Any:
        calls.append(request)
        if len(calls) == 2:
            raise KeyboardInterrupt
        return delete(**request)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(world.client, "batch_write_item", killed)
        with pytest.raises(KeyboardInterrupt):
            world.erase()
    assert keys(world, "E#") != []
    assert world.erase() == 1
    assert "zebrasecret" not in everything(world)


def test_f1_what_comes_into_view_after_the_first_look_is_erased_by_the_second(world: World) -> None:
    world.put("a", "zebrasecret one")
    world.put("a", "zebrasecret two")
    (former,) = [i for i in items_of(world) if i["sk"]["S"].startswith("H#")]
    world.client.delete_item(TableName=world.table, Key={k: former[k] for k in ("pk", "sk")})
    world.forget("a")
    erase, looks = world.erasing.erasures.erase, list[int]()

    def between(*args: Any) -> Any:
        seen = erase(*args)
        looks.append(len(seen))
        if len(looks) == 1:
            world.client.put_item(TableName=world.table, Item=former)
        return seen

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(world.erasing.erasures, "erase", between)
        assert world.erase() == 1
    assert looks == [1, 1]
    assert "zebrasecret" not in everything(world)


def test_a_mark_that_is_seen_before_its_tombstone_waits_for_it(world: World) -> None:
    world.put("a", "zebrasecret")
    world.project()
    (before,) = [i for i in items_of(world) if i["sk"]["S"] == "R#a"]
    world.forget("a")
    (tombstone,) = [i for i in items_of(world) if i["sk"]["S"] == "R#a"]
    world.client.put_item(TableName=world.table, Item=before)
    assert world.erase() == 0
    assert keys(world, "E#") != []
    world.client.put_item(TableName=world.table, Item=tombstone)
    assert world.erase() == 1
    assert "zebrasecret" not in everything(world)


def test_erasing_ends_when_its_time_is_over_and_the_markers_keep_the_rest(world: World) -> None:
    world.put_many({f"r{n:03}": f"text {n}" for n in range(30)})
    for start in range(0, 30, 15):
        world.commit(*(Operation(id=f"r{n:03}", content=None) for n in range(start, start + 15)))
    erase = world.erasing.erasures.erase

    def slow(*args: Any) -> Any:
        world.clock.move(40)
        return erase(*args)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(erasing, "BATCH", 25)
        patch.setattr(world.erasing.erasures, "erase", slow)
        assert world.erasing.erase(TENANT, NAMESPACE, until=30) == 25
    assert len(keys(world, "E#")) == 5
    assert world.erase() == 5


def test_deletions_left_undone_are_asked_for_again_with_patience(world: World) -> None:
    world.put("a", "x")
    world.forget("a")
    delete, calls = world.client.batch_write_item, []

    def undone_once(**request: Any) -> Any:
        calls.append(request)
        if len(calls) == 1:
            return {"UnprocessedItems": request["RequestItems"]}
        return delete(**request)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(world.client, "batch_write_item", undone_once)
        assert world.erase() == 1
    assert keys(world, "E#") == []
    world.put("b", "y")
    world.forget("b")
    with pytest.MonkeyPatch.context() as patch:
        never = {"batch_write_item": lambda **r: {"UnprocessedItems": r["RequestItems"]}}
        patch.setattr(world.client, "batch_write_item", never["batch_write_item"])
        with pytest.raises(Throttled):
            world.erase()
    assert len(keys(world, "E#")) == 1


def test_more_than_a_batch_of_forgettings_is_worked_off(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(erasing, "BATCH", 10)
    world.put_many({f"r{n:03}": f"text {n}" for n in range(22)})
    world.commit(*(Operation(id=f"r{n:03}", content=None) for n in range(22)))
    assert world.erase() == 22


def test_an_id_that_was_forgotten_twice_before_its_erasure_is_erased_once(world: World) -> None:
    for text in ("one", "two", "three"):
        world.put("a", text)
        world.put("a", f"{text} changed")
        world.forget("a")
    assert world.erase() == 3
    left = {item["sk"]["S"] for item in world.client.scan(TableName=world.table)["Items"]}
    assert not [sk for sk in left if sk.startswith(("H#", "E#", "V#"))]
