import importlib
import json
import sys
from collections.abc import Iterator
from dataclasses import replace
from types import ModuleType
from typing import Any

import pytest

from palimpsest.bootstrap.projector import ProjectorServices
from palimpsest.domain.commit_planning import Operation
from palimpsest.domain.entries import WriteResult
from palimpsest.domain.errors import Unavailable
from palimpsest.domain.records import Content
from palimpsest.settings import load
from world import NAMESPACE, TENANT, World


@pytest.fixture
def projector(world: World, monkeypatch: pytest.MonkeyPatch) -> Iterator[ModuleType]:
    """The handler over the services of a test's world."""
    module = importlib.import_module("projector.handler")
    settings = load({"TABLE_NAME": world.table})
    monkeypatch.setattr(
        module,
        "services",
        lambda: ProjectorServices(
            settings, world.store, world.projection, world.projection, world.erasing
        ),
    )
    yield module
    sys.modules.pop("projector.handler")


def message(body: Any, message_id: str = "m1") -> dict[str, Any]:
    return {"messageId": message_id, "body": body if isinstance(body, str) else json.dumps(body)}


def commit(number: int, namespace: str = NAMESPACE) -> dict[str, Any]:
    keys = {"pk": {"S": f"{TENANT}#{namespace}"}, "sk": {"S": f"C#{number:020}"}}
    return {"dynamodb": {"Keys": keys, "SequenceNumber": str(number)}}


def down(_: object) -> list[WriteResult]:
    raise Unavailable("down", stage="index")


def test_a_stream_record_or_a_message_wakes_the_namespace_it_names(
    world: World, projector: ModuleType
) -> None:
    world.put("a", "alpha")
    assert projector.handler({"Records": [commit(1)]}, None) == {"batchItemFailures": []}
    world.put("b", "beta")
    wake = message({"tenant": TENANT, "namespace": NAMESPACE, "revision": 2})
    assert projector.handler({"Records": [wake]}, None) == {"batchItemFailures": []}
    assert {entry.id for entry in world.index.walk(f"{TENANT}#{NAMESPACE}")} == {"a", "b"}


@pytest.mark.parametrize("body", ["no json", "[]", "{}", '{"tenant": "t"}', "null"])
def test_g4_one_poison_message_is_reported_alone(
    world: World, projector: ModuleType, body: str
) -> None:
    world.put("a", "alpha")
    good = message({"tenant": TENANT, "namespace": NAMESPACE}, "good")
    answer = projector.handler({"Records": [message(body, "bad"), good]}, None)
    assert answer == {"batchItemFailures": [{"itemIdentifier": "bad"}]}
    assert world.status.status(TENANT, NAMESPACE).lag == 0


def test_a_namespace_that_fails_is_reported_with_all_its_records(
    world: World, projector: ModuleType
) -> None:
    world.put("a", "alpha")

    world.writes(down)
    answer = projector.handler({"Records": [commit(1), commit(2), commit(3, "empty")]}, None)
    assert answer == {"batchItemFailures": [{"itemIdentifier": "1"}, {"itemIdentifier": "2"}]}


def test_a_sweep_projects_everything_and_erases_what_is_due(
    world: World, projector: ModuleType
) -> None:
    world.put("a", "alpha")
    world.forget("a")
    assert projector.handler({"job": "sweep"}, None) == {"batchItemFailures": []}
    assert world.status.status(TENANT, NAMESPACE).lag == 0
    assert world.erase() == 0


def test_a_sweep_that_could_not_do_everything_fails_so_that_it_is_repeated(
    world: World, projector: ModuleType
) -> None:
    world.put("a", "alpha")

    world.writes(down)
    with pytest.raises(Unavailable):
        projector.handler({"job": "sweep"}, None)


@pytest.mark.parametrize("fault", [ValueError("a poisoned item"), KeyError("rev")])
def test_g4_a_fault_in_one_namespace_holds_up_no_other_in_projection_or_erasure(
    world: World, projector: ModuleType, fault: Exception, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whatever the fault is: it is that namespace's own, reported, and tried again."""
    for namespace in ("bad", "good"):
        operation = Operation(id="a", content=Content(text="alpha"))
        world.commit(operation, namespace=namespace)
        world.commit(replace(operation, content=None), namespace=namespace)
        world.commit(replace(operation, id="b"), namespace=namespace)

    def poisoned(store: Any, name: str) -> Any:
        whole = getattr(store, name)

        def call(tenant: str, namespace: str, *args: Any, **options: Any) -> Any:
            if namespace == "bad":
                raise fault
            return whole(tenant, namespace, *args, **options)

        return call

    monkeypatch.setattr(world.store, "log", poisoned(world.store, "log"))
    erasures: Any = world.erasing.erasures
    monkeypatch.setattr(erasures, "due", poisoned(erasures, "due"))
    told = projector.handler({"Records": [commit(1, "bad"), commit(2, "good")]}, None)
    assert told == {"batchItemFailures": [{"itemIdentifier": "1"}]}
    assert [entry.id for entry in world.index.walk(f"{TENANT}#good")] == ["a", "b"]
    assert world.erasing.erasures.due(TENANT, "good", limit=9) == []
    with pytest.raises(Unavailable):
        projector.handler({"job": "sweep"}, None)
