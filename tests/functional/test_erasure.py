import json
from typing import Any

import pytest

from palimpsest.domain.commit_planning import Operation
from palimpsest.domain.vectors import text_hash
from world import NAMESPACE, TENANT, World


def everything(world: World) -> str:
    return json.dumps(world.client.scan(TableName=world.table)["Items"], default=repr)


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
    assert world.erasing.erase(TENANT, NAMESPACE) == 1
    assert "zebrasecret" not in everything(world)
    assert keys(world, "V#") == [f"V#b#{world.embedder.fingerprint}"]
    assert keys(world, "H#") == keys(world, "E#") == []
    assert keys(world, "R#") == ["R#a", "R#b"]
    assert world.erasing.erase(TENANT, NAMESPACE) == 0


def test_a_new_record_of_the_same_id_keeps_its_own_history_and_vector(world: World) -> None:
    world.put("a", "old")
    world.project()
    world.forget("a")
    world.put("a", "new one")
    world.put("a", "new two")
    world.project()
    assert world.erasing.erase(TENANT, NAMESPACE) == 1
    assert keys(world, "H#") == [f"H#a#{3:020}"]
    held = world.vectors.held(
        TENANT, NAMESPACE, {"a": text_hash("new two")}, fingerprint=world.embedder.fingerprint
    )
    assert list(held) == ["a"]
    old = world.store.as_of(TENANT, NAMESPACE, "a", 3)
    assert old is not None
    assert old.content is not None
    assert old.content.text == "new one"


def test_an_erasure_that_was_killed_half_way_is_taken_up_again(world: World) -> None:
    world.put("a", "zebrasecret one")
    world.put("a", "zebrasecret two")
    world.forget("a")
    delete, calls = world.client.delete_item, []

    def killed(**request: Any) -> Any:
        calls.append(request)
        if len(calls) == 2:
            raise KeyboardInterrupt
        return delete(**request)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(world.client, "delete_item", killed)
        with pytest.raises(KeyboardInterrupt):
            world.erasing.erase(TENANT, NAMESPACE)
    assert keys(world, "E#") != []
    assert world.erasing.erase(TENANT, NAMESPACE) == 1
    assert "zebrasecret" not in everything(world)


def test_more_than_a_batch_of_forgettings_is_worked_off(world: World) -> None:
    world.put_many({f"r{n:03}": f"text {n}" for n in range(110)})
    for start in range(0, 110, 22):
        world.commit(*(Operation(id=f"r{n:03}", content=None) for n in range(start, start + 22)))
    assert world.erasing.erase(TENANT, NAMESPACE) == 110
