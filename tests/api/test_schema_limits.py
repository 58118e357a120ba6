"""H7: the document promises neither less nor more than the handlers: for each limit in it, values
on both sides of it are sent, and its verdict must be theirs.
"""

import json
from collections.abc import Iterator, Mapping
from typing import Any

import pytest

from api import conformity
from api.conftest import Answer, Http
from api.probes import probes, sample
from openapi.generate import document

ELSEWHERE = {"unknown_id", "too_large", "not_configured", "no_scale", "active_uri", "not_there"}
"""What no schema can know: whether an id exists, how large the whole is, whether there is a
reranker, and so of what kind the scores are; where a tenant's lists lie, and whether one is there.
"""

OPERATIONS = {
    operation["operationId"]: (method.upper(), path, operation)
    for path, item in document()["paths"].items()
    for method, operation in item.items()
}
PATH = {"ns": "notes", "id": "a", "name": "search_memory"}
TOGETHER = {
    "postSearch": [
        {"query": "x", "namespaces": ["a", "b"], "namespace": "a"},
        {"query": "x", "namespaces": ["a", "b"], "namespace": None},
        {"query": "x", "namespaces": ["a", "b"], "min_revision": 0},
        {"query": "x", "namespaces": ["a", "b"], "min_revision": None},
        {"query": "x", "fusion": {"lexical": 0, "semantic": 0}},
        {"query": "x", "fusion": {"lexical": 0}},
    ],
    "postReconcile": [
        {"source": "canonical"},
        {"source": "canonical", "active": None, "active_uri": None, "revision": None},
        {"source": "canonical", "active": []},
        {"source": "canonical", "active_uri": "s3://x"},
        {"source": "canonical", "revision": 1},
        {"source": "canonical", "forget": False},
        {"source": "canonical", "forget": None},
        {"active": [], "active_uri": "s3://x", "revision": 1},
        {"active": [], "active_uri": None, "source": None, "revision": 1},
        {"active_uri": "s3://x", "revision": 1, "forget": True},
        {"active_uri": "s3://x"},
        {"active": []},
        {"active": [], "revision": None},
        {"active": [{"id": "x", "text": "x", "supersedes": []}], "revision": 1},
        {"active": [{"id": "x", "text": "x", "supersedes": None}], "revision": 1},
        {"active": [{"id": "x", "text": "x", "status": "active"}], "revision": 1},
        {"revision": 1},
        {},
    ],
    "postCommit": [
        {"operations": [{"op": "delete", "id": "x", "record": {"text": "x"}}]},
        {"operations": [{"op": "delete", "id": "x", "record": None}]},
        {"operations": [{"op": "delete", "id": "x"}]},
        {"operations": [{"op": "put", "id": "x", "record": None}]},
        {"operations": [{"op": "put", "id": "x"}]},
    ],
}
"""Members that go together, or do not."""
BESIDE: Mapping[str, Mapping[str, Any]] = {"postReconcile": {"dry_run": True}}
"""Members of every body that does not name them: what passes changes nothing."""
BODIES = {
    json.dumps(told["requestBody"]): name
    for name, (_, _, told) in OPERATIONS.items()
    if "requestBody" in told
}.values()
"""One operation of those that share a body."""
ANY_ID = {
    ("getJob", "id"),
    ("postTool", "name"),
    *((name, "id") for name in OPERATIONS if "/documents/" in OPERATIONS[name][1]),
}
"""An id that none can have is 404 as any unknown one: `test_jobs_http`, `test_documents_http`,
`test_tools_http`.
"""
PARAMETERS = [
    pytest.param(name, parameter, id=f"{name}-{parameter['name']}")
    for name, (_, _, told) in OPERATIONS.items()
    for parameter in told.get("parameters", [])
    if (name, parameter["name"]) not in ANY_ID
]


pytestmark = pytest.mark.usefixtures("places")


def path(resource: str) -> dict[str, str]:
    return {name: value for name, value in PATH.items() if f"{{{name}}}" in resource}


def body_schema(operation: Mapping[str, Any]) -> dict[str, Any] | None:
    body = operation.get("requestBody")
    found: dict[str, Any] | None = body and body["content"]["application/json"]["schema"]
    return found


def allowed(schema: Mapping[str, Any], value: Any) -> bool:
    valid: bool = conformity.validator(json.dumps(schema)).is_valid(value)
    return valid


def accepted(answer: Answer) -> bool:
    """Whether a request broke no rule that a schema could tell."""
    assert answer.status < 500 or answer.status in {503, 504}, answer.body
    if answer.status != 422 or "errors" not in answer.body:  # a cursor's form is no schema's
        return True
    return {error["type"] for error in answer.body["errors"]} <= ELSEWHERE


def distinct(values: Iterator[Any]) -> list[Any]:
    return list({json.dumps(value): value for value in values}.values())


@pytest.mark.parametrize("name", BODIES)
def test_h7_a_body_is_accepted_exactly_where_the_document_allows_it(http: Http, name: str) -> None:
    method, resource, operation = OPERATIONS[name]
    schema = body_schema(operation)
    assert schema is not None
    wrong, verdicts = [], set()
    known = frozenset({"RecordBody"} if name == "postCommit" else ())  # probed by itself
    for probe in [*distinct(probes(schema, known)), *TOGETHER.get(name, ())]:
        body = {**BESIDE.get(name, {}), **probe} if isinstance(probe, dict) else probe
        # a guard that never holds: what passes is not written
        options = {"headers": {"If-Match": '"999"'}} if name == "putRecord" else {}
        answer = http.request(
            method, resource, path=path(resource), raw=json.dumps(body), **options
        )
        verdict = allowed(schema, body)
        verdicts.add(verdict)
        if accepted(answer) != verdict:
            wrong.append((str(body)[:200], f"document: {verdict}", answer.status, answer.raw[:300]))
    assert verdicts == {True, False}
    assert wrong == []


@pytest.mark.parametrize(("name", "parameter"), PARAMETERS)
def test_h7_a_parameter_is_accepted_exactly_where_the_document_allows_it(
    http: Http, name: str, parameter: dict[str, Any]
) -> None:
    method, resource, operation = OPERATIONS[name]
    schema = body_schema(operation)
    body = sample(schema) if schema else None
    wrong = []
    for probe in distinct(probes(parameter["schema"])):
        if isinstance(probe, bool | list | dict | None):
            continue  # a parameter is a string on its way
        sent = {parameter["name"]: str(probe)}
        options: dict[str, Any] = {
            "path": {"path": PATH | sent},
            "query": {"path": path(resource), "query": sent},
            "header": {"path": path(resource), "headers": sent},
        }[parameter["in"]]
        answer = http.request(method, resource, body=body, **options)
        typed = int(probe) if _is_whole(parameter, probe) else str(probe)
        verdict = allowed(parameter["schema"], typed)
        if accepted(answer) != verdict:
            wrong.append((sent, f"document: {verdict}", answer.status, answer.raw[:300]))
    assert wrong == []


def _is_whole(parameter: Mapping[str, Any], probe: Any) -> bool:
    return parameter["schema"].get("type") == "integer" and str(probe).strip("-").isdigit()
