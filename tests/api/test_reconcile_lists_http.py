"""Lists in the bucket: `POST /lists`, and passes over what lies there."""

import json
from typing import Any

import boto3
import pytest
import requests

from api import machine
from api.conftest import Answer, Http

OLD = {"a": "Ada keeps bees.", "b": "Ben bakes bread."}
LIST = b'{"id": "a", "text": "Ada keeps bees."}\n{"id": "b", "text": "Ben bakes bread."}\n'
MOST = 4 * 1024 * 1024
LONGEST_LINE = 2 * 1024 * 1024
PLACE = ["body", "active_uri"]
pytestmark = pytest.mark.usefixtures("places")


def put(http: Http, data: bytes, name: str = "list.jsonl") -> str:
    """A list in the tenant's own place; its uri."""
    key = f"lists/{http.grant['tenant']}/{name}"
    boto3.client("s3").put_object(Bucket=machine.BUCKET, Key=key, Body=data)
    return f"s3://{machine.BUCKET}/{key}"


def passed(http: Http, data: bytes, **members: Any) -> Answer:
    return http.reconcile(**{"revision": 1, "active_uri": put(http, data), **members})


def refused(answer: Answer) -> list[tuple[list[Any], str]]:
    errors = answer.problem(422, "invalid-request")["errors"]
    return [(error["loc"], error["type"]) for error in errors]


@pytest.mark.parametrize("options", [{}, {"raw": ""}, {"body": {}}], ids=["none", "empty", "{}"])
def test_a_list_gets_a_place_that_takes_an_upload_and_is_then_applied(
    http: Http, options: Any
) -> None:
    answer = http.request("POST", "/lists", **options)
    assert answer.status == 201
    uri, upload = answer.body["uri"], answer.body["upload"]
    assert uri.startswith(f"s3://{machine.BUCKET}/lists/{http.grant['tenant']}/")
    assert upload["method"] == "PUT"
    sent = requests.put(upload["url"], data=LIST, headers=upload["headers"], timeout=5)
    assert sent.status_code == 200
    told = http.reconcile(revision=1, active_uri=uri).body
    assert (told["added"], told["verified"], told["warnings"]) == (2, True, [])
    assert http.active() == OLD


def test_every_list_has_a_place_of_its_own(http: Http) -> None:
    assert len({http.request("POST", "/lists").body["uri"] for _ in range(3)}) == 3


@pytest.mark.parametrize("body", [{"name": "x"}, {"tenant": "rival"}, {"namespace": None}])
def test_a_place_takes_no_member(http: Http, body: Any) -> None:
    (name,) = body
    told = refused(http.request("POST", "/lists", body=body))
    assert told == [(["body", name], "extra_forbidden")]


@pytest.mark.parametrize(
    ("raw", "content_type", "status", "slug"),
    [
        ("{", "application/json", 400, "malformed-request"),
        ("{}", "text/plain", 415, "unsupported-media-type"),
        ("[]", "application/json", 422, "invalid-request"),
        ("null", "application/json", 422, "invalid-request"),
        ("{}" + " " * 1024 * 1024, "application/json", 413, "too-large"),
    ],
)
def test_a_body_that_is_no_empty_object_is_refused(
    http: Http, raw: str, content_type: str, status: int, slug: str
) -> None:
    headers = {"Content-Type": content_type}
    http.request("POST", "/lists", raw=raw, headers=headers).problem(status, slug)


@pytest.mark.parametrize(
    "data",
    [
        LIST.rstrip(),
        LIST.replace(b"\n", b"\r\n"),
        b"\n  \n" + LIST.replace(b"\n", b"\n\n\t\n"),
        b"\xef\xbb\xbf" + LIST,
        b"\xef\xbb\xbf\n" + LIST,
    ],
    ids=["no-last-end", "crlf", "blank-lines", "mark", "marked-blank-line"],
)
def test_line_ends_blank_lines_and_a_byte_order_mark_make_no_difference(
    http: Http, data: bytes
) -> None:
    assert passed(http, data).body["added"] == 2
    assert http.active() == OLD


def test_an_empty_object_is_an_empty_list(http: Http) -> None:
    http.put("a", {"text": "x"})
    assert passed(http, b"").body["removed"] == 1
    assert http.active() == {}


@pytest.mark.parametrize(
    ("line", "place", "kind"),
    [
        (b'{"id": "c", "text": "x"', [], "json_invalid"),
        (b'{"id": "c", "text": "\xff"}', [], "json_invalid"),
        (b'\xef\xbb\xbf{"id": "c", "text": "x"}', [], "json_invalid"),
        (b'{"id": "c", "text": NaN}', [], "json_invalid"),
        (b'[{"id": "c", "text": "x"}]', [], "model_type"),
        (b"null", [], "model_type"),
        (b'{"id": "c"}', ["text"], "missing"),
        (b'{"text": "x"}', ["id"], "missing"),
        (b'{"id": "doc_c", "text": "x"}', ["id"], "record_id"),
        (b'{"id": "c\\u0000", "text": "x"}', ["id"], "record_id"),
        (b'{"id": "c", "text": " "}', ["text"], "blank"),
        (b'{"id": "c", "text": "x", "supersedes": []}', ["supersedes"], "extra_forbidden"),
        (b'{"id": "c", "text": "x", "status": "active"}', ["status"], "extra_forbidden"),
        (b'{"id": "a", "text": "Ada keeps bees."}', ["id"], "twice"),
        (b'{"id": "c", "text": "' + b"x" * LONGEST_LINE + b'"}', [], "too_long"),
    ],
    ids=lambda value: repr(value[:24]) if isinstance(value, bytes) else None,
)
@pytest.mark.parametrize("mode", [None, "async"])
def test_a_line_that_breaks_a_rule_is_told_with_its_number_and_nothing_begins(
    http: Http, line: bytes, place: list[str], kind: str, mode: str | None
) -> None:
    answer = passed(http, LIST + b"\n" + line + b"\n{}", revision=9, mode=mode)
    expected = [*PLACE, 4, *place]
    if mode is None:
        assert refused(answer) == [(expected, kind)]
    else:
        done = http.run(answer.body["job"]["id"])
        assert (done["status"], done["result"]) == ("failed", None)
        assert done["error"]["type"] == "invalid-request"
        (error,) = done["error"]["errors"]
        assert (error["loc"], error["type"]) == (expected, kind)
    assert http.clock() == 0
    assert passed(http, LIST, revision=1).body["applied"]  # 9 has not begun


def test_what_is_taken_out_of_a_list_is_told_by_its_line(http: Http) -> None:
    data = LIST + b'\n{"id": "c", "text": "x\\u0000", "tags": ["\\ud800y"]}\n'
    code = "broken_characters_removed"
    expected = [{"field": f"active_uri.4.{field}", "code": code} for field in ("text", "tags")]
    assert passed(http, data).body["warnings"] == expected
    begun = passed(http, data, mode="async")
    assert begun.body["warnings"] == []  # nobody has read it yet
    assert http.run(begun.body["job"]["id"])["result"]["warnings"] == expected


@pytest.mark.parametrize("count", [100, 101])
def test_the_first_100_warnings_of_a_list_are_told(http: Http, count: int) -> None:
    lines = "".join(f'{{"id": "n{n}", "text": "x\\u0000"}}\n' for n in range(count))
    told = passed(http, lines.encode(), dry_run=True).body["warnings"]
    assert [one["field"] for one in told] == [f"active_uri.{n}.text" for n in range(1, 101)]


@pytest.mark.parametrize(
    "uri",
    [
        "s3://{bucket}/lists/rival/list.jsonl",
        "s3://{bucket}/lists/{tenant}x/list.jsonl",
        "s3://{bucket}/lists/{tenant}",
        "s3://{bucket}/lists/{tenant}/",
        "s3://{bucket}/lists/{tenant}/x/",
        "s3://{bucket}/lists/{tenant}/../rival/list.jsonl",
        "s3://{bucket}/lists/{tenant}/./list.jsonl",
        "s3://{bucket}/lists/{tenant}//list.jsonl",
        "s3://{bucket}/uploads/{tenant}/notes/list.jsonl",
        "s3://{bucket}/work/{tenant}/notes/list.jsonl",
        "s3://elsewhere/lists/{tenant}/list.jsonl",
        "S3://{bucket}/lists/{tenant}/list.jsonl",
        "https://{bucket}.s3.amazonaws.com/lists/{tenant}/list.jsonl",
        "lists/{tenant}/list.jsonl",
        "s3://{bucket}",
    ],
)
def test_a_uri_that_is_not_of_the_tenants_own_lists_is_422(http: Http, uri: str) -> None:
    put(http, LIST)
    rival = put(Http(http._modules, tenant="rival"), LIST)
    assert rival.endswith("/lists/rival/list.jsonl")
    asked = uri.format(bucket=machine.BUCKET, tenant=http.grant["tenant"])
    for mode in (None, "async"):
        answer = http.reconcile(revision=1, active_uri=asked, mode=mode)
        assert refused(answer) == [(PLACE, "active_uri")]
    assert http.clock() == 0


@pytest.mark.parametrize("mode", [None, "async"])
def test_a_list_that_is_not_there_is_422(http: Http, mode: str | None) -> None:
    uri = http.request("POST", "/lists").body["uri"]
    answer = http.reconcile(revision=1, active_uri=uri, mode=mode)
    assert refused(answer) == [(PLACE, "not_there")]


@pytest.mark.parametrize("uri", ["", "x" * 2_049, "s3://x\0", 5])
def test_what_is_no_uri_at_all_is_422(http: Http, uri: Any) -> None:
    ((loc, _),) = refused(http.reconcile(revision=1, active_uri=uri))
    assert loc == PLACE


@pytest.mark.parametrize("room", [0, 1])
def test_a_list_over_4_mib_is_read_by_a_job(http: Http, room: int) -> None:
    padded = LIST + (b" " * 65_535 + b"\n") * 63
    data = padded + b" " * (MOST - len(padded) + room)
    answer = passed(http, data)
    assert len(data) == MOST + room
    assert answer.status == (202 if room else 200)
    if room:
        assert http.active() == {}
        done = http.run(answer.body["job"]["id"])
        assert (done["status"], done["result"]["added"]) == ("succeeded", 2)
    assert http.active() == OLD


@pytest.mark.parametrize("mode", [None, "async"])
def test_a_list_of_an_old_revision_is_stale_at_once(http: Http, mode: str | None) -> None:
    assert passed(http, LIST, revision=5).body["applied"]
    answer = passed(http, b"", revision=4, mode=mode)
    told = {name: answer.body[name] for name in ("applied", "reason", "newest")}
    assert (answer.status, told) == (200, {"applied": False, "reason": "stale", "newest": 5})
    assert http.active() == OLD


@pytest.mark.parametrize("mode", [None, "async"])
def test_a_dry_run_of_a_list_changes_nothing(http: Http, mode: str | None) -> None:
    answer = passed(http, LIST, dry_run=True, mode=mode)
    told = http.run(answer.body["job"]["id"])["result"] if mode else answer.body
    assert (told["applied"], told["ids"]["added"]) == (False, ["a", "b"])
    assert http.active() == {}


def test_a_list_in_the_bucket_and_one_in_the_body_mean_the_same(http: Http) -> None:
    passed(http, LIST)
    active = [json.loads(line) for line in LIST.splitlines()]
    assert http.reconcile(revision=2, active=active).body["unchanged"] == 2
