from typing import Any

import pytest

from api.conftest import RECORD, Http
from http_event import GRANT

ROUTES: list[tuple[str, str, Any, str]] = [
    ("PUT", RECORD, {"text": "x"}, "write"),
    ("GET", RECORD, None, "read"),
    ("DELETE", RECORD, None, "write"),
    ("POST", "/namespaces/{ns}/commits", {"operations": [{"op": "delete", "id": "a"}]}, "write"),
    ("POST", "/namespaces/{ns}/records", {"text": "x"}, "write"),
    ("GET", "/namespaces/{ns}/records", None, "read"),
    ("GET", f"{RECORD}/revisions", None, "read"),
    ("GET", f"{RECORD}/receipt", None, "read"),
    ("GET", "/namespaces/{ns}/changes", None, "read"),
    ("GET", "/namespaces/{ns}", None, "read"),
    ("GET", "/namespaces/{ns}/unsearchable", None, "read"),
    ("POST", "/namespaces/{ns}/unsearchable/retry", None, "write"),
    ("POST", "/search", {"query": "x", "namespace": "notes"}, "read"),
    ("POST", "/search", {"query": "x", "namespaces": ["notes"]}, "read"),
    ("POST", "/explain", {"query": "x", "namespace": "notes", "expected": ["a"]}, "read"),
    ("POST", "/explain", {"query": "x", "namespaces": ["notes"], "expected": ["a"]}, "read"),
    ("POST", "/reconcile", {"namespace": "notes", "revision": 1, "active": []}, "admin"),
    ("POST", "/reconcile", {"namespace": "notes", "source": "canonical"}, "admin"),
    ("DELETE", "/namespaces/{ns}", None, "admin"),
    ("POST", "/namespaces/{ns}/documents", {"path": "a.txt"}, "write"),
    ("GET", "/namespaces/{ns}/documents", None, "read"),
    ("GET", "/namespaces/{ns}/documents/{id}", None, "read"),
    ("GET", "/namespaces/{ns}/documents/{id}/text", None, "read"),
    ("DELETE", "/namespaces/{ns}/documents/{id}", None, "write"),
    ("POST", "/namespaces/{ns}/documents/{id}/reindex", None, "write"),
    ("POST", "/tools/{name}", {"arguments": {"query": "x"}, "namespace": "notes"}, "read"),
]
LESSER = {"read": [], "write": ["read"], "admin": ["read", "write"]}
WITHOUT_NAMESPACE: list[tuple[str, str, Any, str]] = [
    ("GET", "/namespaces", None, "read"),
    ("GET", "/ready", None, "read"),
    ("GET", "/tools", None, "read"),
    ("POST", "/rewrite", {"query": "x"}, "read"),
    ("POST", "/lists", None, "admin"),
]
BY_ITSELF = {("GET", "/jobs/{id}")}
"""Its namespace stands in the id: `test_jobs_http`."""
WITHOUT_KEY = [("GET", "/health"), ("GET", "/openapi.json")]
pytestmark = pytest.mark.usefixtures("places")
PATH = {"ns": "notes", "id": "a", "name": "search_memory"}


def test_every_route_there_is_stands_in_these_tables(http: Http) -> None:
    tried = {(method, resource) for method, resource, _, _ in ROUTES}
    without = {(method, resource) for method, resource, _, _ in WITHOUT_NAMESPACE}
    assert http.routes == tried | without | BY_ITSELF | set(WITHOUT_KEY)


@pytest.mark.parametrize("route", WITHOUT_NAMESPACE, ids=lambda r: f"{r[0]} {r[1]}")
def test_routes_without_a_namespace_want_a_key_that_is_not_over(
    http: Http, route: tuple[str, str, Any, str]
) -> None:
    method, resource, body, scope = route
    http.request(method, resource, body=body, grant=None).problem(401, "unauthorized")
    over = {**http.grant, "expires_at": "2020-01-01T00:00:00.000Z"}
    http.request(method, resource, body=body, grant=over).problem(403, "forbidden")
    for lesser in LESSER[scope]:
        grant = {**http.grant, "scopes": lesser}
        http.request(method, resource, body=body, grant=grant).problem(403, "forbidden")
    for told in ({"scopes": scope}, {"namespaces": "team-*"}):
        answer = http.request(method, resource, body=body, grant={**http.grant, **told})
        assert answer.status in {200, 201}


def test_e2_another_tenants_key_on_every_route_sees_nothing_and_changes_nothing(
    http: Http,
) -> None:
    for text in ("walnutsecret in the cellar", "walnutsecret in the attic"):
        http.put("a", {"text": text})
    http.put("b", {"text": "walnutsecret again"})
    http.project()
    http.delete("b")
    before = http.items_of("notes")
    for method, resource, body, _ in ROUTES:
        asked = {**body, "query": "walnutsecret"} if body and "query" in body else body
        theirs = {**http.grant, "tenant": "rival"}
        answer = http.request(method, resource, path=PATH, body=asked, grant=theirs)
        assert answer.status < 500
        shown = answer.raw.replace('"query":"walnutsecret"', "").replace(
            '"variations":["walnutsecret"]', ""
        )  # which it echoes
        assert "walnutsecret" not in shown
        http.project(tenant="rival")
    assert http.items_of("notes") == before
    assert http.get("a").body["text"] == "walnutsecret in the attic"


def call(http: Http, route: tuple[str, str, Any, str], **grant: str) -> Any:
    method, resource, body, _ = route
    return http.request(method, resource, path=PATH, body=body, grant={**http.grant, **grant})


@pytest.mark.parametrize("route", ROUTES, ids=lambda r: f"{r[0]} {r[1]}")
def test_every_route_wants_credentials(http: Http, route: tuple[str, str, Any, str]) -> None:
    method, resource, body, _ = route
    for grant in (None, {}, {"tenant": "demo"}):
        answer = http.request(method, resource, path=PATH, body=body, grant=grant)
        answer.problem(401, "unauthorized")
        assert answer.headers["www-authenticate"] == "Bearer"


@pytest.mark.parametrize("route", ROUTES, ids=lambda r: f"{r[0]} {r[1]}")
def test_a_lesser_scope_another_namespace_or_an_expired_key_is_403_alike(
    http: Http, route: tuple[str, str, Any, str]
) -> None:
    told = set()
    refusals = [{"namespaces": "other,team-*"}, {"expires_at": "2020-01-01T00:00:00.000Z"}]
    refusals += [{"scopes": lesser} for lesser in LESSER[route[3]]]
    for grant in refusals:
        problem = call(http, route, **grant).problem(403, "forbidden")
        told.add((problem["title"], problem["detail"]))
    assert len(told) == 1
    assert call(http, route, scopes=route[3], namespaces="no*").status != 403


def test_scope_and_namespace_are_checked_before_the_rest_of_the_body(http: Http) -> None:
    body = {"query": 5, "namespace": "secret", "nonsense": 1}
    answer = http.request("POST", "/search", body=body, grant={**GRANT, "namespaces": "notes"})
    answer.problem(403, "forbidden")
    answer = http.request(
        "POST", "/search", body={"query": "x"}, grant={**GRANT, "namespaces": "notes"}
    )
    answer.problem(403, "forbidden")  # the default namespace is not covered either


@pytest.mark.parametrize("member", ["tenant", "tenant_id"])
def test_e2_a_tenant_in_any_body_is_422(http: Http, member: str) -> None:
    http.put("a", {"text": "x", member: "other"}).problem(422, "invalid-request")
    http.commit({"operations": [], member: "other"}).problem(422, "invalid-request")
    http.search("x", **{member: "other"}).problem(422, "invalid-request")
    for resource, body in (("/explain", {"query": "x", "expected": ["a"]}),
                           ("/rewrite", {"query": "x"}),
                           ("/reconcile", {"revision": 1, "active": []}),
                           ("/lists", {})):  # fmt: skip
        asked = {**body, member: "other"}
        http.request("POST", resource, body=asked).problem(422, "invalid-request")


def test_c7_two_tenants_with_one_namespace_and_id_never_see_each_other(http: Http) -> None:
    left, right = {**GRANT, "tenant": "left"}, {**GRANT, "tenant": "right"}
    for grant, text in ((left, "the left keeps walnuts"), (right, "the right keeps almonds")):
        http.put("same", {"text": text}, grant=grant)
        http.project(tenant=grant["tenant"])
    assert http.get("same", grant=left).body["text"] == "the left keeps walnuts"
    for mode in ("hybrid", "lexical", "semantic"):
        body = {"query": "the left keeps walnuts", "namespace": "notes", "mode": mode}
        told = http.request("POST", "/search", body=body, grant=right)
        assert "walnuts" not in str(told.body["hits"])
    for route in ROUTES:
        method, resource, body, _ = route
        http.request(method, resource, path={"ns": "notes", "id": "same"}, body=body, grant=right)
    assert http.get("same", grant=left).body["text"] == "the left keeps walnuts"
    assert http.namespace(grant=left).body["revision"] == 1


def test_a_body_that_is_a_list_opens_no_namespace_outside_the_keys_patterns(http: Http) -> None:
    http.put("a", {"text": "zebra"}, ns="secret")
    http.project("secret")
    narrow = {**http.grant, "namespaces": "team-*"}
    body = {"query": "zebra", "namespace": "secret"}
    http.request("POST", "/search", body=body, grant=narrow).problem(403, "forbidden")
    http.request("POST", "/search", body=[body], grant=narrow).problem(422, "invalid-request")
    http.request("POST", "/search", body=[body]).problem(422, "invalid-request")


def test_a_namespace_outside_the_patterns_is_403_whatever_the_body_is_like(http: Http) -> None:
    narrow = {**http.grant, "namespaces": "team-*"}
    for options in ({"raw": "{"}, {"raw": "x", "headers": {"Content-Type": "text/plain"}}):
        answer = http.request("PUT", RECORD, path=PATH, grant=narrow, **options)
        answer.problem(403, "forbidden")
