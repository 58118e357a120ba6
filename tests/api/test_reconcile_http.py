"""`POST /reconcile` with its list in the body, through the handlers."""

from typing import Any

import pytest

from api.conftest import Http
from palimpsest.adapters.simulated import Fault, FaultKind
from palimpsest.services.reconciling import passes as passes_module

OLD = {"a": "Ada keeps bees.", "b": "Ben bakes bread.", "c": "Cleo mends clocks."}
pytestmark = pytest.mark.usefixtures("places")


def items(texts: dict[str, str]) -> list[dict[str, Any]]:
    return [{"id": record_id, "text": text} for record_id, text in texts.items()]


def numbered(count: int) -> list[dict[str, Any]]:
    return items({f"n{n:04}": f"Fact {n}." for n in range(count)})


def counted(report: Any) -> tuple[int, ...]:
    return tuple(report[name] for name in ("added", "updated", "removed", "unchanged"))


@pytest.fixture
def listed(http: Http) -> Http:
    """A tenant whose namespace is a list of R = 5."""
    assert http.reconcile(revision=5, active=items(OLD)).body["applied"]
    return http


def test_a_pass_tells_all_that_it_did(http: Http) -> None:
    answer = http.reconcile(revision=5, active=items(OLD))
    digests = answer.body["verification"]["digests"]
    assert answer.status == 200
    assert answer.body == {
        "applied": True,
        "namespace": "notes",
        "revision": 1,
        "source_revision": 5,
        "dry_run": False,
        "added": 3,
        "updated": 0,
        "removed": 0,
        "unchanged": 0,
        "newer": 0,
        "embedded": 3,
        "reused_vectors": 0,
        "failed": [],
        "usage": {"embedding_calls": 1, "commits": 1},
        "verified": True,
        "verification": {"digests": digests, "wrong": [], "indexed_revision": 1},
        "warnings": [],
    }
    assert digests["list"] == digests["table"]


def test_the_active_records_become_exactly_the_list_whatever_they_were(listed: Http) -> None:
    listed.put("d", {"text": "A client's own."})
    new = {"a": OLD["a"], "b": "Ben bakes cakes.", "e": "Eve plays chess."}
    answer = listed.reconcile(revision=6, active=items(new))
    assert counted(answer.body) == (1, 1, 2, 1)
    assert answer.body["revision"] == listed.clock() == 4  # what is put, then what leaves
    assert listed.active() == new
    assert listed.found("chess", mode="lexical") == ["e"]
    assert listed.found("clocks", mode="lexical") == []
    left = listed.get("c")
    assert (left.status, left.body["status"], left.body["superseded_by"]) == (
        200, "superseded", None,
    )  # fmt: skip


def test_every_field_of_a_record_can_be_on_the_list_and_null_is_not_given(http: Http) -> None:
    given = {
        "text": "Ada keeps bees.", "title": "Bees", "kind": "fact", "subject": "Ada",
        "predicate": "keeps", "aliases": ["A"], "entities": ["bees"], "tags": ["x"],
        "location": "garden", "event_time": "2026-01-01T00:00:00.000Z", "importance": 0.7,
        "source": {"uri": "u", "title": None, "locator": None}, "metadata": {"n": 1, "ok": True},
    }  # fmt: skip
    nothing = dict.fromkeys(("valid_from", "valid_to", "expires_at"))
    body = dict.fromkeys(("active_uri", "source", "mode", "dry_run", "forget"))
    answer = http.reconcile(revision=1, active=[{"id": "a", **given, **nothing}], **body)
    assert answer.body["added"] == 1
    told = http.get("a").body
    assert {name: told[name] for name in given} == given
    again = http.reconcile(revision=2, active=[{"id": "a", **given}])
    assert counted(again.body) == (0, 0, 0, 1)
    http.put("a", given)
    assert http.clock() == 1  # the same record by the other door is no change


def test_without_a_namespace_it_is_the_default_one(http: Http) -> None:
    answer = http.reconcile(namespace=None, revision=1, active=items(OLD))
    assert answer.body["namespace"] == "default"
    assert http.active("default") == OLD


def test_forget_forgets_what_is_not_on_the_list(listed: Http) -> None:
    answer = listed.reconcile(revision=6, active=items({"a": OLD["a"]}), forget=True)
    assert answer.body["removed"] == 2
    listed.get("b").problem(404, "not-found")
    back = listed.reconcile(revision=7, active=items(OLD))
    assert counted(back.body) == (2, 0, 0, 1)


@pytest.mark.parametrize("how", [{}, {"mode": "async"}, {"dry_run": True}])
def test_a_lower_revision_than_the_newest_begun_is_told_as_stale_and_changes_nothing(
    listed: Http, how: Any
) -> None:
    before = listed.items_of("notes")
    answer = listed.reconcile(revision=4, active=items({"x": "Another list."}), **how)
    assert answer.status == 200
    told = {name: answer.body[name] for name in ("applied", "reason", "newest", "source_revision")}
    assert told == {"applied": False, "reason": "stale", "newest": 5, "source_revision": 4}
    assert (answer.body["verified"], answer.body["revision"]) == (False, 1)
    assert counted(answer.body) == (0, 0, 0, 0)
    assert listed.items_of("notes") == before


def test_an_equal_revision_applies_again_and_0_is_not_ordered(listed: Http) -> None:
    assert listed.reconcile(revision=5, active=items({"a": "One."})).body["applied"]
    assert listed.reconcile(revision=0, active=items({"a": "Two."})).body["applied"]
    assert listed.active() == {"a": "Two."}
    stale = listed.reconcile(revision=4, active=[]).body
    assert (stale["applied"], stale["newest"]) == (False, 5)


def test_revisions_of_two_namespaces_and_tenants_do_not_meet(listed: Http) -> None:
    assert listed.reconcile(namespace="other", revision=1, active=[]).body["applied"]
    rival = {**listed.grant, "tenant": "rival"}
    assert listed.reconcile(revision=1, active=[], grant=rival).body["applied"]
    assert listed.active() == OLD


def test_a_dry_run_tells_what_a_pass_would_do_and_does_nothing(listed: Http) -> None:
    new = items({"a": OLD["a"], "b": "Ben bakes cakes.", "e": "Eve plays chess."})
    before = listed.items_of("notes")
    dry = listed.reconcile(revision=6, active=new, dry_run=True).body
    assert listed.items_of("notes") == before
    assert dry["ids"] == {"added": ["e"], "updated": ["b"], "removed": ["c"]}
    assert (dry["applied"], dry["dry_run"], dry["verified"]) == (False, True, False)
    assert listed.reconcile(revision=5, active=items(OLD)).body["applied"]  # 6 has not begun
    done = listed.reconcile(revision=6, active=new).body
    same = ("added", "updated", "removed", "unchanged", "newer", "embedded", "reused_vectors")
    assert {name: dry[name] for name in same} == {name: done[name] for name in same}
    assert "ids" not in done


@pytest.mark.parametrize("count", [100, 101])
def test_a_dry_run_names_the_first_100_ids_of_each_kind(http: Http, count: int) -> None:
    dry = http.reconcile(revision=1, active=numbered(count), dry_run=True).body
    assert dry["added"] == count
    assert dry["ids"]["added"] == [f"n{n:04}" for n in range(100)]


def test_a_text_that_no_model_takes_is_told_as_failed_and_found_by_its_words(
    http: Http,
) -> None:
    embedder = http.reconciling.passes.steps.preparing.embedding.embedder
    embedder.inject(Fault(kind=FaultKind.ZERO, containing="bread"))
    told = http.reconcile(revision=1, active=items(OLD)).body
    assert (told["added"], told["verified"]) == (3, True)  # the records are as the list has them
    assert told["failed"] == [{"id": "b", "reason": "embedding_failed"}]
    assert http.found("bread", mode="lexical") == ["b"]
    assert "b" not in http.found("bread", mode="semantic")


@pytest.mark.parametrize("count", [2, 3])
def test_more_changes_than_a_request_may_make_become_a_job(
    http: Http, monkeypatch: pytest.MonkeyPatch, count: int
) -> None:
    assert passes_module.MOST_CHANGES == 1_000
    monkeypatch.setattr(passes_module, "MOST_CHANGES", 2)
    answer = http.reconcile(revision=1, active=numbered(count))
    assert answer.status == (202 if count > 2 else 200)
    if count > 2:
        assert answer.body["job"]["progress"] == {"done": 0, "total": 3}
        assert http.active() == {}
        done = http.run(answer.body["job"]["id"])
        assert (done["status"], done["result"]["added"]) == ("succeeded", 3)
    assert len(http.active()) == count


def test_1001_changes_are_a_job(http: Http) -> None:
    answer = http.reconcile(revision=1, active=numbered(1_001))
    assert (answer.status, answer.body["job"]["progress"]["total"]) == (202, 1_001)
