import threading
from typing import Any

import pytest
from botocore.exceptions import ReadTimeoutError

from palimpsest.domain.commit_planning import Operation
from palimpsest.domain.errors import NotFound, RevisionConflict, TooLarge, Unavailable
from palimpsest.domain.records import Content, Status
from world import NAMESPACE, TENANT, World


@pytest.fixture
def world(tables: dict[str, str]) -> World:
    """Over moto, whose client these tests look into."""
    return World(tables["RecordsTable"])


def put(record_id: str, text: str, **fields: Any) -> Operation:
    return Operation(id=record_id, content=Content(text=text, **fields))


def read(world: World, record_id: str) -> Any:
    return world.store.read(TENANT, NAMESPACE, [record_id])[1].get(record_id)


def test_a_record_comes_back_whole_with_every_kind_of_metadata(world: World) -> None:
    metadata = {
        "s": "x",
        "i": 3,
        "f": 2.5,
        "t": True,
        "l": ("p", "q"),
        "big": 2**53,
        "tiny": -1e-300,
    }
    world.put("a", "text 🙂", metadata=metadata, tags=("x",), importance=0.0)
    content = read(world, "a").content
    assert dict(content.metadata) == metadata
    assert isinstance(content.metadata["t"], bool)
    assert (content.text, content.tags, content.importance) == ("text 🙂", ("x",), 0.0)


def test_each_commit_advances_the_clock_by_one_and_stamps_what_it_touches(world: World) -> None:
    assert world.put("a", "1") == 1
    assert world.commit(put("b", "1"), put("c", "1")).revision == 2
    assert [read(world, i).revision for i in "abc"] == [1, 2, 2]
    log = world.store.log(TENANT, NAMESPACE, after=0, limit=10)
    assert [(e.revision, e.previous, e.record_ids) for e in log] == [
        (1, 0, ("a",)),
        (2, 1, ("b", "c")),
    ]


def test_a_log_with_a_gap_is_read_only_as_far_as_it_is_unbroken(world: World) -> None:
    for n in range(4):
        world.put("a", str(n))
    sk = f"C#{3:020}"
    key = {"pk": {"S": f"{TENANT}#{NAMESPACE}"}, "sk": {"S": sk}}
    world.client.delete_item(TableName=world.table, Key=key)
    assert [e.revision for e in world.store.log(TENANT, NAMESPACE, after=0, limit=10)] == [1, 2]
    assert world.store.log(TENANT, NAMESPACE, after=2, limit=10) == []


def test_reads_as_of_a_revision_give_the_record_as_it_was_then(world: World) -> None:
    world.put("other", "before")
    world.put("a", "v1", title="T1")
    world.put("other", "between")
    world.put("a", "v2")

    def text(revision: int) -> str | None:
        record = world.history.as_of(TENANT, NAMESPACE, "a", revision)
        return record.content.text if record and record.content else None

    assert [text(r) for r in (0, 1, 2, 3, 4, 5)] == [None, None, "v1", "v1", "v2", None]


def test_f1_nothing_from_before_a_forgetting_is_read_also_after_the_id_is_used_again(
    world: World,
) -> None:
    world.put("a", "secret")
    world.put("a", "secret two")
    world.forget("a")
    assert world.put("a", "again") == 4
    for revision in (1, 2, 3):
        assert world.history.as_of(TENANT, NAMESPACE, "a", revision) is None
    assert read(world, "a").content.text == "again"


def test_a_failed_guard_writes_nothing(world: World) -> None:
    world.put("a", "1")
    with pytest.raises(RevisionConflict):
        world.commit(put("b", "x"), Operation(id="a", content=Content(text="2"), guard=0))
    with pytest.raises(NotFound):
        world.commit(put("b", "x"), Operation(id="nobody", content=None))
    assert read(world, "b") is None
    assert world.store.read(TENANT, NAMESPACE)[0].revision == 1


def test_a_commit_beyond_four_megabytes_is_refused_and_writes_nothing(world: World) -> None:
    large = {f"k{n:02}": tuple(f"{n}-{i} " + "v" * 235 for i in range(50)) for n in range(20)}
    ids = tuple(f"r{n:02}" for n in range(20))
    for record_id in ids:
        world.put(record_id, "large", metadata=large)
    with pytest.raises(TooLarge):
        world.put("new", "x", supersedes=ids)
    assert world.store.read(TENANT, NAMESPACE)[0].counts[Status.SUPERSEDED] == 0
    assert world.put("new", "x", supersedes=ids[:3]) == 21


class Interfering:
    """The table's client, with something happening around each transaction."""

    def __init__(
        self, client: Any, *, before: Any = None, after: Any = None, times: int = 1
    ) -> None:
        self._client, self._before, self._after, self._left = client, before, after, times
        self.exceptions = client.exceptions

    def transact_write_items(self, **request: Any) -> Any:
        interfere, self._left = self._left > 0, self._left - 1
        if interfere and self._before:
            self._before()
        answer = self._client.transact_write_items(**request)
        if interfere and self._after:
            self._after()
        return answer


def time_out() -> None:
    raise ReadTimeoutError(endpoint_url="table")


@pytest.mark.parametrize("times", [1, 2])
def test_a_time_out_after_the_write_is_settled_by_the_commit_id_in_the_log(
    world: World, times: int
) -> None:
    # moto applies a repeated token again, which its own conditions then refuse: the harder case
    world.store._writer = Interfering(world.writer, after=time_out, times=times)  # type: ignore[assignment]
    assert world.put("a", "x", guard=0) == 1
    assert world.store.read(TENANT, NAMESPACE)[0].revision == 1
    assert len(world.store.log(TENANT, NAMESPACE, after=0, limit=10)) == 1


def test_a_time_out_before_the_write_is_repeated_until_it_is_written(world: World) -> None:
    world.store._writer = Interfering(world.writer, before=time_out, times=2)  # type: ignore[assignment]
    assert world.put("a", "x", guard=0) == 1


def test_a_time_out_followed_by_anothers_commit_is_not_taken_for_ours(world: World) -> None:
    rival = World(world.table)

    def rival_wins() -> None:
        rival.put("a", "the rival's")
        time_out()

    world.store._writer = Interfering(world.writer, before=rival_wins)  # type: ignore[assignment]
    with pytest.raises(RevisionConflict) as raised:
        world.put("a", "mine", guard=0)
    assert raised.value.operations[0].revision == 1
    assert read(world, "a").content.text == "the rival's"


def test_an_outcome_that_stays_unknown_is_an_outage_not_a_success(world: World) -> None:
    world.store._writer = Interfering(world.writer, before=time_out, times=99)  # type: ignore[assignment]
    with pytest.raises(Unavailable):
        world.put("a", "x")


def test_a_commit_that_meets_another_plans_again_on_what_it_found(world: World) -> None:
    rival = World(world.table)
    world.store._writer = Interfering(world.writer, before=lambda: rival.put("b", "x"))  # type: ignore[assignment]
    assert world.put("a", "y") == 2
    assert [e.record_ids for e in world.store.log(TENANT, NAMESPACE, after=0, limit=9)] == [
        ("b",),
        ("a",),
    ]


def test_the_directory_names_every_namespace_of_every_tenant_once(world: World) -> None:
    for namespace in ("n1", "n2", "n1"):
        world.commit(put(f"r-{threading.get_ident()}", namespace), namespace=namespace)
    assert sorted(world.store.namespaces()) == [(TENANT, "n1"), (TENANT, "n2")]


def test_history_keeps_former_versions_and_forgetting_marks_an_erasure(world: World) -> None:
    world.put("a", "1")
    world.put("a", "2")
    world.forget("a")
    items = world.client.scan(TableName=world.table)["Items"]
    keys = sorted(item["sk"]["S"] for item in items)
    assert f"H#a#{1:020}" in keys
    assert f"E#a#{3:020}" in keys
    tombstone = next(item for item in items if item["sk"]["S"] == "R#a")
    assert "c" not in tombstone
