"""`POST /reconcile` from the canonical table, through the handlers."""

from typing import Any

import pytest

from api.conftest import Http
from palimpsest.domain.entries import Entry
from palimpsest.domain.records import Content

pytestmark = pytest.mark.usefixtures("places")
CANONICAL = {"source": "canonical"}


def index_of(http: Http) -> Any:
    return http.reconciling.passes.steps.verifying.index


def entry(http: Http, record_id: str, text: str, revision: int) -> Entry:
    return Entry(
        partition=f"{http.grant['tenant']}#notes",
        id=record_id,
        revision=revision,
        version=Entry.version_of(revision, complete=False),
        content=Content(text=text),
    )


@pytest.fixture
def drifted(http: Http) -> Http:
    """Two records, and an entry of a third that never was."""
    http.put("a", {"text": "Ada keeps bees."})
    http.put("b", {"text": "Ben bakes bread."})
    http.project()
    index_of(http).write([entry(http, "ghost", "Nobody was here.", 1)])
    return http


def test_a_namespace_without_a_fault_is_proved(http: Http) -> None:
    http.put("a", {"text": "Ada keeps bees."})
    http.project()
    answer = http.reconcile(**CANONICAL)
    told = answer.body
    assert (answer.status, told["applied"], told["verified"]) == (200, True, True)
    assert (told["source_revision"], told["revision"], told["warnings"]) == (None, 1, [])
    assert (told["added"], told["updated"], told["removed"], told["unchanged"]) == (0, 0, 0, 1)
    proof = told["verification"]
    assert (proof["revision"], proof["entries"]) == (1, 1)
    assert proof["digests"]["table"] == proof["digests"]["index"]


def test_what_is_not_indexed_yet_is_written(http: Http) -> None:
    http.put("a", {"text": "Ada keeps bees."})
    told = http.reconcile(**CANONICAL).body
    assert (told["verified"], told["embedded"], told["failed"]) == (True, 1, [])
    assert http.found("bees", mode="semantic") == ["a"]


def test_an_entry_without_a_record_is_removed_and_the_revision_stays(drifted: Http) -> None:
    told = drifted.reconcile(**CANONICAL).body
    assert (told["removed"], told["verified"], told["revision"]) == (1, True, 2)
    assert drifted.reconcile(**CANONICAL).body["removed"] == 0
    assert drifted.clock() == 2


def test_a_dry_run_tells_the_drift_and_leaves_it(drifted: Http) -> None:
    for _ in range(2):
        told = drifted.reconcile(**CANONICAL, dry_run=True).body
        assert (told["applied"], told["dry_run"], told["verified"]) == (False, True, False)
        assert told["ids"] == {"added": [], "updated": [], "removed": ["ghost"]}


def test_a_namespace_never_used_is_proved_empty(http: Http) -> None:
    told = http.reconcile(**CANONICAL, namespace="nowhere").body
    assert (told["verified"], told["verification"]["entries"]) == (True, 0)


def test_as_a_job_it_ends_with_the_same_report(drifted: Http) -> None:
    begun = drifted.reconcile(**CANONICAL, mode="async")
    assert (begun.status, begun.body["job"]["kind"]) == (202, "canonical")
    done = drifted.run(begun.body["job"]["id"])
    assert (done["status"], done["error"]) == ("succeeded", None)
    assert (done["result"]["removed"], done["result"]["verified"]) == (1, True)
    same = drifted.reconcile(**CANONICAL).body
    assert done["result"].keys() == same.keys()


def test_a_dry_run_as_a_job_leaves_the_drift_too(drifted: Http) -> None:
    begun = drifted.reconcile(**CANONICAL, mode="async", dry_run=True)
    done = drifted.run(begun.body["job"]["id"])
    assert (done["result"]["applied"], done["result"]["ids"]["removed"]) == (False, ["ghost"])
    assert drifted.reconcile(**CANONICAL).body["removed"] == 1
