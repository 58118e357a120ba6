"""Keys that must not, tried on every route of the OpenAPI document, against the running stack."""

import json
import re
import secrets
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import pytest

from e2e.client import Client
from e2e.index_at_rest import table
from openapi.generate import document, routes
from palimpsest.adapters.dynamodb import items
from palimpsest.domain.keys import Scope
from stack import Answer, LocalStack
from tools.definitions import TOOLS

pytestmark = pytest.mark.stack

SECRET = "quincewood"
KEPT, FORGOTTEN = "vault-kept", "vault-gone"
PARAMETERS = {
    "ns": "the namespace that is asked for",
    "id": "a record of it",
    "name": "a tool, each of which is a route here",
}
BODIES: Mapping[str, list[dict[str, Any] | None]] = {
    "putRecord": [{"text": "a stranger was here"}],
    "postRecord": [{"text": "a stranger was here"}],
    "postCommit": [
        {"operations": [{"op": "put", "id": "$id", "record": {"text": "a stranger was here"}}]},
        {"operations": [{"op": "delete", "id": "$id"}]},
    ],
    "postSearch": [
        {"query": "where is the strongbox", "namespace": "$ns"},
        {"query": "where is the strongbox", "namespaces": ["$ns"]},
        {"query": "where is the strongbox", "namespaces": ["$inside", "$ns"]},
    ],
    "postExplain": [
        {"query": "where is the strongbox", "namespace": "$ns", "expected": ["$id"]},
        {"query": "where is the strongbox", "namespaces": ["$ns"], "expected": ["$id"]},
    ],
    "postRewrite": [{"query": "where is the strongbox"}],
    "postReconcile": [
        {
            "namespace": "$ns",
            "revision": 1,
            "active": [{"id": "stranger", "text": "a stranger was here"}],
        },
        {"namespace": "$ns", "source": "canonical"},
    ],
    "postTool:search_memory": [
        {"arguments": {"query": "where is the strongbox"}, "namespace": "$ns"}
    ],
    "postTool:read_source": [{"arguments": {"source": "$id"}, "namespace": "$ns"}],
    "postTool:remember": [{"arguments": {"text": "a stranger was here"}, "namespace": "$ns"}],
    "postTool:forget": [{"arguments": '{"source": "$id"}', "namespace": "$ns"}],
    "postTool:reindex_source": [{"arguments": {"source": "$id"}, "namespace": "$ns"}],
    "postList": [None, {}],
    "reindexDocument": [None, {}],
    "postDocument": [{"path": "stranger.txt", "metadata": {"by": "a stranger"}}],
}
"""The bodies of every route that takes one: `$ns` and `$id` are what is asked for, `$inside` is a
namespace that the key may use.
"""
NEVER = "9f9d2e6c-3c66-4c8b-9f1c-0c1c7f9d5a11"
"""Of a job that there never was."""
CACHED = {"embedding_calls", "embedding_cache_hits"}  # by what the same tenant has asked before
INDEXING = {"embedded", "reused_vectors", "verification"}  # by how far the projection was
UNLIKE = CACHED | INDEXING | {"instance", "ms", "timings_ms", "created_at", "updated_at", "since",
                              "url", "expires_at"}  # fmt: skip
"""What no two answers have in common."""
GENERATED = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")


@dataclass(frozen=True, slots=True)
class Route:
    """One operation of the document; a scope of None needs no key."""

    name: str
    method: str
    path: str
    scope: Scope | None

    @property
    def bodies(self) -> list[dict[str, Any] | None]:
        return [*BODIES.get(self.name, [None])]

    @property
    def names_a_namespace(self) -> bool:
        return "{ns}" in self.path or "$ns" in json.dumps(self.bodies) or self.is_of_jobs

    @property
    def is_of_jobs(self) -> bool:
        return self.path.startswith("/jobs/")


def told_routes() -> Iterator[Route]:
    """Every operation; a call of a tool once for each."""
    for (path, method), told in routes().items():
        name = document()["paths"][path][method.lower()]["operationId"]
        if "{name}" in path:
            for tool in TOOLS.values():
                named = path.replace("{name}", tool.name)
                yield Route(f"{name}:{tool.name}", method, named, tool.scope)
        else:
            yield Route(name, method, path, told.access.scope)


ROUTES = sorted(
    told_routes(),
    key=lambda route: (route.scope is not Scope.READ, route.method == "DELETE"),
)
"""Reading ones first: they are asked while there is nothing of the asker's own."""
WITH_A_KEY = [route for route in ROUTES if route.scope is not None]
WITH_A_NAMESPACE = [route for route in WITH_A_KEY if route.names_a_namespace]


@dataclass(frozen=True, slots=True)
class Owner:
    """A tenant that has something to hide."""

    tenant: str
    key: str
    namespace: str
    job: str
    """Of that namespace; it has ended."""


@pytest.fixture(scope="module")
def owner(local_stack: LocalStack) -> Owner:
    tenant, namespace = f"owner-{time.time_ns():x}", Client.fresh("cellar")
    key = local_stack.key(tenant)
    with Client(local_stack.values["PALIMPSEST_URL"], key) as client:
        for record_id in (KEPT, KEPT, FORGOTTEN):
            text = f"the strongbox is behind the {SECRET} panel {secrets.token_hex(4)}"
            client.put(namespace, record_id, text, tags=[SECRET]).raise_for_status()
        client.delete(namespace, FORGOTTEN).raise_for_status()
        client.wait(namespace)
        assert client.found(namespace, "where is the strongbox") == [KEPT]
    return Owner(tenant, key, namespace, ended_job(local_stack, key, namespace))


def ended_job(stack: LocalStack, key: str, namespace: str) -> str:
    """The id of a job that has been done in a namespace."""
    asked = {"namespace": namespace, "source": "canonical", "mode": "async"}
    begun = stack.call("POST", "/reconcile", asked, key=key)
    assert begun.status == 202, begun.body
    job_id = str(begun.json()["job"]["id"])
    until = time.monotonic() + 120
    while time.monotonic() < until:
        job = stack.call("GET", f"/jobs/{job_id}", key=key).json()
        if job["finished_at"]:
            assert job["status"] == "succeeded", job
            return job_id
        time.sleep(0.2)
    pytest.fail(f"{job_id} has not ended")


@pytest.fixture
def untouched(local_stack: LocalStack, owner: Owner) -> Iterator[None]:
    """All that the table and the index have of the owner is the same before and after."""
    before = items_of(local_stack, owner)
    yield
    assert items_of(local_stack, owner) == before
    with Client(local_stack.values["PALIMPSEST_URL"], owner.key) as client:
        assert client.found(owner.namespace, "where is the strongbox") == [KEPT]


def items_of(stack: LocalStack, owner: Owner) -> list[Any]:
    """Everything of the owner's namespace, but for erasures, which end by themselves."""
    pages = (
        table(stack)
        .get_paginator("query")
        .paginate(
            TableName=stack.values["TABLE_NAME"],
            ConsistentRead=True,
            KeyConditionExpression="pk = :pk",
            ExpressionAttributeValues={
                ":pk": {"S": items.partition(owner.tenant, owner.namespace)}
            },
        )
    )
    found = [item for page in pages for item in page["Items"]]
    return [item for item in found if not item["sk"]["S"].startswith("E#")]


def ask(
    stack: LocalStack,
    route: Route,
    *,
    key: str | None,
    ns: str,
    record_id: str = KEPT,
    inside: str | None = None,
    job: str | None = None,
) -> list[Answer]:
    """The answers of a route for each of its bodies. `job`: which is asked for, else one that never
    was in that namespace.
    """
    own = (job or f"{ns}~reconcile-{NEVER}") if route.is_of_jobs else record_id
    names = {"ns": ns, "id": own, "inside": inside or ns}
    path = re.sub(r"{(\w+)\+?}", lambda found: names[found[1]], route.path)
    answers = []
    for body in route.bodies:
        text = re.sub(r"\$(\w+)", lambda found: names[found[1]], json.dumps(body))
        sent = json.loads(text)
        if sent and len(set(sent.get("namespaces", []))) < len(sent.get("namespaces", [])):
            continue
        answers.append(stack.call(route.method, path, sent, key=key))
    return answers


def statuses(answers: list[Answer]) -> set[int]:
    return {answer.status for answer in answers}


def problem(answer: Answer, status: int, slug: str) -> None:
    assert answer.status == status, answer.body
    assert answer.headers["content-type"] == "application/problem+json"
    assert answer.json()["type"] == f"urn:palimpsest:problem:{slug}"
    assert answer.json()["instance"] == answer.headers["x-request-id"]


def scrubbed(value: Any, names: Mapping[str, str]) -> Any:
    """An answer without what differs between any two, and with names in place of `names`."""
    if isinstance(value, dict):
        kept = {key: inner for key, inner in value.items() if key not in UNLIKE}
        return {names.get(key, key): scrubbed(inner, names) for key, inner in kept.items()}
    if isinstance(value, list):
        return [scrubbed(inner, names) for inner in value]
    if isinstance(value, str):
        for name, told in names.items():
            value = value.replace(name, told)
        return GENERATED.sub("*", value)
    return value


def test_every_parameter_and_every_body_of_the_document_stands_in_these_tables() -> None:
    operations = {
        o["operationId"]: o for item in document()["paths"].values() for o in item.values()
    }
    bodies = {name for name, told in operations.items() if "requestBody" in told}
    parameters = {name for path in document()["paths"] for name in re.findall(r"{(\w+)", path)}
    assert bodies == {name.partition(":")[0] for name in BODIES}
    assert parameters == PARAMETERS.keys()
    for name, told in operations.items():
        schema = json.dumps(told.get("requestBody", {}))
        named = re.search(r"schemas/(\w+)", schema)
        members = document()["components"]["schemas"][named[1]]["properties"] if named else {}
        tried = [
            body or {} for key in BODIES if key.partition(":")[0] == name for body in BODIES[key]
        ]
        for member in {"namespace", "namespaces"} & members.keys():
            assert any(member in body for body in tried), (name, member)


@pytest.mark.usefixtures("untouched")
@pytest.mark.parametrize("record_id", [KEPT, FORGOTTEN])
def test_e2_a_second_tenants_key_learns_and_changes_nothing_on_any_route(
    local_stack: LocalStack, owner: Owner, record_id: str
) -> None:
    """Every answer is the one that a namespace nobody ever used gives."""
    rival, nowhere = local_stack.key(Client.fresh("rival")), Client.fresh("nowhere")
    for route in ROUTES:
        told = []
        for ns, asked, job in (
            (owner.namespace, record_id, owner.job),
            (nowhere, "never-there", None),
        ):
            answers = ask(local_stack, route, key=rival, ns=ns, record_id=asked, job=job)
            assert SECRET not in str(answers), route
            names = {ns: "ns", asked: "id"}
            told.append([(a.status, scrubbed(a.json(), names)) for a in answers])
        assert told[0] == told[1], route


@pytest.mark.usefixtures("untouched")
def test_a_reading_key_reads_on_every_route_and_writes_on_none(
    local_stack: LocalStack, owner: Owner
) -> None:
    key = local_stack.key(owner.tenant, scopes="read")
    for route in ROUTES:
        answers = ask(local_stack, route, key=key, ns=owner.namespace, job=owner.job)
        if route.scope in {None, Scope.READ}:
            assert statuses(answers) <= {200, 404}, route
        else:
            for answer in answers:
                problem(answer, 403, "forbidden")


@pytest.mark.usefixtures("untouched")
def test_a_writing_key_is_refused_where_an_administrators_is_wanted(
    local_stack: LocalStack, owner: Owner
) -> None:
    key = local_stack.key(owner.tenant, scopes="write")
    for route in ROUTES:
        if route.scope is Scope.ADMIN:
            for answer in ask(local_stack, route, key=key, ns=owner.namespace):
                problem(answer, 403, "forbidden")


@pytest.mark.usefixtures("untouched")
def test_a_key_with_patterns_works_inside_them_and_nowhere_else(
    local_stack: LocalStack, owner: Owner
) -> None:
    inside = Client.fresh("team")
    key = local_stack.key(owner.tenant, namespaces="team-*")
    for route in WITH_A_NAMESPACE:
        for outside in (owner.namespace, "default"):
            for answer in ask(local_stack, route, key=key, ns=outside, inside=inside):
                problem(answer, 403, "forbidden")
    for route in WITH_A_KEY:
        answers = ask(local_stack, route, key=key, ns=inside)
        assert statuses(answers) <= {200, 201, 202, 404}, route
    unnamed = local_stack.call("POST", "/search", {"query": "where is the strongbox"}, key=key)
    problem(unnamed, 403, "forbidden")
    listed = local_stack.call("GET", "/namespaces", key=key).json()["namespaces"]
    assert [entry["namespace"] for entry in listed] == [inside]


@pytest.mark.usefixtures("untouched")
def test_a_key_that_is_unknown_wrong_disabled_or_over_is_403_on_every_route(
    local_stack: LocalStack, owner: Owner
) -> None:
    disabled = local_stack.key(owner.tenant)  # never used before: the gateway remembers for 300 s
    local_stack.make("key-disable", f"KEY_ID={disabled.split('_')[1]}")
    told = local_stack.make("key", f"TENANT={owner.tenant}", "SCOPES=admin", "EXPIRES=0.00001")
    over = told.splitlines()[-1]
    unknown = f"pal_{secrets.token_hex(8)}_{secrets.token_urlsafe(32)}"
    wrong = "_".join([*owner.key.split("_")[:2], secrets.token_urlsafe(32)])
    time.sleep(1)
    refused = set()
    for key in (unknown, wrong, disabled, over):
        for route in WITH_A_KEY:
            for answer in ask(local_stack, route, key=key, ns=owner.namespace):
                problem(answer, 403, "forbidden")
                refused.add((answer.json()["title"], answer.json()["detail"]))
    assert len(refused) == 1  # which of the four it was is not told


@pytest.mark.usefixtures("untouched")
def test_without_credentials_every_route_but_the_open_ones_is_401(
    local_stack: LocalStack, owner: Owner
) -> None:
    for route in ROUTES:
        for answer in ask(local_stack, route, key=None, ns=owner.namespace):
            if route.scope is None:
                assert answer.status == 200, route
            else:
                problem(answer, 401, "unauthorized")
                assert answer.headers["www-authenticate"] == "Bearer"


@pytest.mark.parametrize("sent", ["Bearer nonsense", "Basic cGFsOng=", "Bearer"])
def test_credentials_that_cannot_be_read_are_401(local_stack: LocalStack, sent: str) -> None:
    answer = local_stack.call("GET", "/namespaces", headers={"Authorization": sent})
    problem(answer, 401, "unauthorized")
    assert answer.headers["www-authenticate"] == "Bearer"
