from palimpsest.domain.pass_report import Failure, PassReport
from palimpsest.domain.planning import ChangeKind


def test_a_report_tells_every_number_and_neither_ids_nor_a_reason_it_does_not_have() -> None:
    report = PassReport(
        applied=True,
        namespace="notes",
        revision=9,
        source_revision=3,
        dry_run=False,
        added=1,
        updated=2,
        removed=3,
        unchanged=4,
        newer=5,
        embedded=6,
        reused_vectors=7,
        failed=[Failure(id="a", reason="pending")],
        usage={"embedding_calls": 8},
        verified=True,
        verification={"wrong": []},
    )
    assert report.to_json() == {
        "applied": True,
        "namespace": "notes",
        "revision": 9,
        "source_revision": 3,
        "dry_run": False,
        "added": 1,
        "updated": 2,
        "removed": 3,
        "unchanged": 4,
        "newer": 5,
        "embedded": 6,
        "reused_vectors": 7,
        "failed": [{"id": "a", "reason": "pending"}],
        "usage": {"embedding_calls": 8},
        "verified": True,
        "verification": {"wrong": []},
    }


def told(**members: object) -> dict[str, object]:
    return PassReport(
        applied=False,
        namespace="notes",
        revision=9,
        source_revision=None,
        dry_run=True,
        **members,  # type: ignore[arg-type]
    ).to_json()


def test_a_dry_run_tells_the_first_hundred_ids_of_each_kind() -> None:
    for count, kept in ((99, 99), (100, 100), (101, 100)):
        ids = [f"r{n:03}" for n in range(count)]
        assert told(ids={ChangeKind.REMOVED: ids})["ids"] == {"removed": ids[:kept]}


def test_a_stale_pass_tells_the_newest_one_even_if_that_is_0() -> None:
    report = told(reason="stale", newest=0)
    assert (report["reason"], report["newest"]) == ("stale", 0)
    assert "newest" not in told()
