"""A commit that may have been applied without our hearing of it, and what comes after."""

from collections.abc import Callable
from typing import Any

import pytest
from botocore.exceptions import ClientError, ReadTimeoutError

from palimpsest.adapters.dynamodb import transaction
from palimpsest.domain.errors import RevisionConflict, Unavailable
from world import NAMESPACE, TENANT, World

Attempt = Callable[[Callable[[], Any]], Any]


@pytest.fixture
def world(tables: dict[str, str]) -> World:
    """Over moto, whose client these tests look into."""
    return World(tables["RecordsTable"])


def refusal(world: World, code: str, **members: Any) -> ClientError:
    answer: Any = {
        "Error": {"Code": code, "Message": "no"},
        "ResponseMetadata": {"HTTPStatusCode": 400},
        **members,
    }
    kind = getattr(world.writer.exceptions, code, ClientError)
    error: ClientError = kind(answer, "TransactWriteItems")
    return error


def lost_after(apply: Callable[[], Any]) -> None:
    apply()
    raise ReadTimeoutError(endpoint_url="table")


def lost_before(_: Callable[[], Any]) -> None:
    raise ReadTimeoutError(endpoint_url="table")


def refused(error: ClientError) -> Attempt:
    def attempt(_: Callable[[], Any]) -> None:
        raise error

    return attempt


class Attempts:
    """The table's client, whose transactions go as they are told; then as they would."""

    def __init__(self, client: Any, *attempts: Attempt) -> None:
        self._client, self._attempts = client, list(attempts)
        self.exceptions = client.exceptions
        self.tokens: list[str] = []

    def transact_write_items(self, **request: Any) -> Any:
        self.tokens.append(request["ClientRequestToken"])

        def apply() -> Any:
            return self._client.transact_write_items(**request)

        return self._attempts.pop(0)(apply) if self._attempts else apply()


def commits(world: World, *attempts: Attempt) -> Attempts:
    made = Attempts(world.writer, *attempts)
    world.store._writer = made  # type: ignore[assignment]
    return made


@pytest.mark.parametrize("throttled", [1, 9])
def test_d1_a_commit_that_was_applied_unheard_is_no_refusal_when_the_table_throttles_then(
    world: World, throttled: int
) -> None:
    throttling = refused(refusal(world, "ThrottlingException"))
    commits(world, lost_after, *[throttling] * throttled)
    assert world.put("a", "x", guard=0) == 1
    assert world.store.read(TENANT, NAMESPACE)[0].revision == 1


def test_d1_a_commit_of_which_the_log_cannot_be_asked_at_first_is_settled_by_it_later(
    world: World,
) -> None:
    commits(world, lost_after)
    get, asked = world.client.get_item, []

    def throttled_once(**request: Any) -> Any:
        asked.append(request["Key"]["sk"]["S"])
        if asked.count(f"C#{1:020}") == 1:
            raise refusal(world, "ProvisionedThroughputExceededException")
        return get(**request)

    world.client.get_item = throttled_once  # type: ignore[method-assign]
    assert world.put("a", "x", guard=0) == 1
    assert world.store.read(TENANT, NAMESPACE)[0].revision == 1


def test_d1_a_commit_of_which_the_log_can_never_be_asked_is_not_planned_again(
    world: World,
) -> None:
    made = commits(world, lost_after)
    get = world.client.get_item

    def throttled(**request: Any) -> Any:
        if request["Key"]["sk"]["S"].startswith("C#"):
            raise refusal(world, "ThrottlingException")
        return get(**request)

    world.client.get_item = throttled  # type: ignore[method-assign]
    with pytest.raises(Unavailable):
        world.put("a", "x", guard=0)
    assert len(set(made.tokens)) == 1
    assert world.store.read(TENANT, NAMESPACE)[0].revision == 1


def test_a_commit_in_doubt_is_given_up_in_time_for_an_answer(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(transaction, "DOUBTFUL_S", 0)
    made = commits(world, lost_before, lost_before)
    with pytest.raises(Unavailable):
        world.put("a", "x")
    assert len(made.tokens) == 1


def test_a_doubtful_commit_that_meets_another_is_repeated_under_the_same_token(
    world: World,
) -> None:
    reasons = [{"Code": "TransactionConflict"}]
    conflict = refusal(world, "TransactionCanceledException", CancellationReasons=reasons)
    made = commits(world, lost_before, refused(conflict))
    assert world.put("a", "x", guard=0) == 1
    assert len(made.tokens) == 3
    assert len(set(made.tokens)) == 1


def test_a_throttled_doubtful_commit_whose_revision_another_took_is_planned_again(
    world: World,
) -> None:
    rival = World(world.table)

    def rival_wins(_: Callable[[], Any]) -> None:
        rival.put("a", "the rival's")
        raise ReadTimeoutError(endpoint_url="table")

    made = commits(world, rival_wins)
    with pytest.raises(RevisionConflict):
        world.put("a", "mine", guard=0)
    assert len(made.tokens) == 1
    made = commits(world, rival_wins)
    rival.forget("a")
    assert world.put("b", "mine", guard=0) == 4
    assert len(set(made.tokens)) == 2
