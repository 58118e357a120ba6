"""Commits at their limits: operations, superseded records, and the 4 MB of a transaction."""

from typing import Any

import pytest

from api.conftest import Http

# some 290 KB: metadata of 24 lists of 50 strings
LARGE = {f"k{n:02}": [f"{n}-{i} " + "v" * 235 for i in range(50)] for n in range(24)}
IN_ONE_TRANSACTION = 14


def put(record_id: str, **record: Any) -> dict[str, Any]:
    return {"op": "put", "id": record_id, "record": {"text": "x", **record}}


@pytest.mark.parametrize("count", [1, 25])
def test_a_commit_takes_1_to_25_operations(http: Http, count: int) -> None:
    assert http.commit({"operations": [put(f"r{n}") for n in range(count)]}).status == 200


@pytest.mark.parametrize("count", [0, 26])
def test_fewer_or_more_operations_are_422_and_write_nothing(http: Http, count: int) -> None:
    operations = [put(f"r{n}") for n in range(count)]
    http.commit({"operations": operations}).problem(422, "invalid-request")
    assert http.clock() == 0


def test_20_records_are_superseded_in_one_commit_and_not_21(http: Http) -> None:
    old = [f"old{n}" for n in range(21)]
    http.commit({"operations": [put(name) for name in old]})
    both = [put("a", supersedes=old[:10]), put("b", supersedes=old[10:])]
    http.commit({"operations": both}).problem(422, "invalid-request")
    both[1] = put("b", supersedes=old[10:20])
    assert http.commit({"operations": both}).status == 200
    assert http.namespace().body["counts"] == {
        "active": 3, "superseded": 20, "deleted": 0, "documents": 0, "unsearchable": 0,
    }  # fmt: skip


def test_a_commit_over_the_4_mb_of_a_transaction_is_413_and_writes_nothing(http: Http) -> None:
    for n in range(IN_ONE_TRANSACTION + 1):
        assert http.put(f"r{n:02}", {"text": "x", "metadata": LARGE}).status == 201
    # the histories of what it replaces count too
    over = [put(f"r{n:02}", kind="changed") for n in range(IN_ONE_TRANSACTION + 1)]
    problem = http.commit({"operations": over}).problem(413, "too-large")
    assert problem["limit"] == 4 * 1024 * 1024
    assert http.clock() == IN_ONE_TRANSACTION + 1
    assert http.get("r00").body["kind"] is None
    assert http.commit({"operations": over[:-1]}).status == 200
    assert http.get("r00").body["kind"] == "changed"
