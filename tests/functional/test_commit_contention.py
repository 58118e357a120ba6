from typing import Any

import pytest
from botocore.exceptions import ClientError

from palimpsest.domain.commit_planning import Operation
from palimpsest.domain.errors import Throttled, Unavailable
from palimpsest.domain.records import Content
from palimpsest.domain.visibility import stands
from world import NAMESPACE, TENANT, World


@pytest.fixture
def world(tables: dict[str, str]) -> World:
    """Over moto, whose client these tests look into."""
    return World(tables["RecordsTable"])


def refusal(code: str, operation: str, status: int = 400) -> ClientError:
    answer: Any = {
        "Error": {"Code": code, "Message": "no"},
        "ResponseMetadata": {"HTTPStatusCode": status},
    }
    return ClientError(answer, operation)


def test_a_namespace_that_stays_busy_is_told_after_the_commits_patience(world: World) -> None:
    world.store.commit = lambda _: False  # type: ignore[method-assign,assignment]
    with pytest.raises(Throttled) as raised:
        world.put("a", "x")
    assert raised.value.retry_after > 0
    assert world.clock.elapsed >= world.commits.patience_s


def test_a_throttled_read_is_tried_again(world: World) -> None:
    read, calls = world.store.read, []

    def throttled_once(*args: Any, **options: Any) -> Any:
        calls.append(options)
        if len(calls) == 1:
            raise Throttled("patience")
        return read(*args, **options)

    world.store.read = throttled_once  # type: ignore[method-assign]
    assert world.put("a", "x") == 1


def test_a_table_that_throttles_a_transaction_says_so(world: World) -> None:
    def throttle(**_: Any) -> None:
        raise refusal("ThrottlingException", "TransactWriteItems")

    world.store._writer.transact_write_items = throttle  # type: ignore[method-assign,assignment]
    with pytest.raises(Throttled):
        world.put("a", "x")


def test_a_transaction_that_can_never_succeed_is_not_repeated(world: World) -> None:
    calls = []

    def refuse(**_: Any) -> None:
        calls.append(1)
        error = world.writer.exceptions.TransactionCanceledException
        answer: Any = {
            "Error": {"Code": "TransactionCanceledException", "Message": "no"},
            "CancellationReasons": [{"Code": "ValidationError"}],
        }
        raise error(answer, "TransactWriteItems")

    world.store._writer.transact_write_items = refuse  # type: ignore[method-assign,assignment]
    with pytest.raises(ClientError):
        world.put("a", "x")
    assert len(calls) == 1


@pytest.mark.parametrize(
    ("code", "status", "expected"),
    [
        ("InternalServerError", 500, Unavailable),
        ("ProvisionedThroughputExceededException", 400, Throttled),
        ("AccessDeniedException", 400, ClientError),
    ],
)
def test_what_the_table_answers_becomes_what_it_means(
    world: World, code: str, status: int, expected: type[Exception]
) -> None:
    def fail(**_: Any) -> None:
        raise refusal(code, "GetItem", status)

    world.client.get_item = fail  # type: ignore[method-assign,assignment]
    with pytest.raises(expected):
        world.store.read(TENANT, NAMESPACE)


def test_that_nothing_changes_is_said_only_of_records_that_stood_together(world: World) -> None:
    world.put_many({"a": "x", "b": "x"})
    together, calls = world.store.stood_together, []

    def meanwhile(*args: Any, **options: Any) -> bool:
        calls.append(args)
        if len(calls) == 1:
            World(world.table).put("a", "changed by another")
        return together(*args, **options)

    world.store.stood_together = meanwhile  # type: ignore[method-assign]
    world.put_many({"a": "x", "b": "x"})
    clock, records = world.store.read(TENANT, NAMESPACE, ["a", "b"])
    assert (clock.revision, len(calls)) == (3, 1)
    assert [records[i].revision for i in "ab"] == [3, 1]


def test_large_records_do_not_hinder_a_refusal_or_an_unchanged_commit(world: World) -> None:
    large = {f"k{n:02}": tuple(f"{n}-{i} " + "v" * 235 for i in range(50)) for n in range(20)}
    for n in range(20):
        world.put(f"r{n:02}", "large", metadata=large)
    again = [
        Operation(id=f"r{n:02}", content=Content(text="large", metadata=large)) for n in range(20)
    ]
    assert not any(outcome.changed for outcome in world.commit(*again).outcomes)


def test_reads_that_stay_undone_are_no_missing_records(world: World) -> None:
    world.put("a", "x")

    def half(**request: Any) -> Any:
        return {"Responses": {}, "UnprocessedKeys": request["RequestItems"]}

    world.client.batch_get_item = half  # type: ignore[method-assign]
    with pytest.raises(Throttled):
        world.store.read(TENANT, NAMESPACE, ["a"])


def test_reads_left_undone_once_are_asked_for_again(world: World) -> None:
    world.put("a", "x")
    batch, calls = world.client.batch_get_item, []

    def slow(**request: Any) -> Any:
        calls.append(1)
        if len(calls) == 1:
            return {"Responses": {}, "UnprocessedKeys": request["RequestItems"]}
        return batch(**request)

    world.client.batch_get_item = slow  # type: ignore[method-assign]
    clock, found = world.store.read(TENANT, NAMESPACE, ["a"])
    assert stands(found["a"], clock)
