from typing import Any

import pytest
from botocore.exceptions import ClientError

from palimpsest.domain.errors import Throttled, Unavailable
from palimpsest.domain.visibility import stands
from world import NAMESPACE, TENANT, World


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


def test_a_snapshot_that_meets_a_writer_asks_for_patience(world: World) -> None:
    def cancelled(**_: Any) -> None:
        error = world.client.exceptions.TransactionCanceledException
        answer: Any = {"Error": {"Code": "TransactionCanceledException", "Message": "no"}}
        raise error(answer, "TransactGetItems")

    world.client.transact_get_items = cancelled  # type: ignore[method-assign,assignment]
    with pytest.raises(Throttled):
        world.store.read(TENANT, NAMESPACE, ["a"], atomic=True)


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
