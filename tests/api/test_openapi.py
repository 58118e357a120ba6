"""The OpenAPI document: the same made, committed and served; whole; true of the template."""

import json
from typing import Any, get_args, get_type_hints

import pytest
from openapi_spec_validator import OpenAPIV31SpecValidator

import sam_template
from api.conftest import Http
from openapi import generate
from palimpsest.api import problems
from palimpsest.api.problem_shapes import PROBLEMS

DOCUMENT: dict[str, Any] = generate.document()
OPERATIONS: list[dict[str, Any]] = [
    operation for item in DOCUMENT["paths"].values() for operation in item.values()
]


def test_the_committed_document_is_the_one_that_the_handlers_make() -> None:
    assert generate.COMMITTED.read_text("utf-8") == generate.text(), "run `make openapi`"


def test_the_served_document_is_the_committed_one_without_a_key(http: Http) -> None:
    answer = http.request("GET", "/openapi.json", grant=None)
    assert answer.status == 200
    assert answer.headers["content-type"] == "application/json"
    assert answer.raw == generate.COMMITTED.read_text("utf-8")
    assert answer.body["openapi"] == "3.1.0"


def test_the_document_is_where_a_reader_of_infra_looks_for_it() -> None:
    link = generate.COMMITTED.parents[2] / "infra/openapi.json"
    assert link.resolve() == generate.COMMITTED


def test_it_is_valid_openapi_3_1() -> None:
    OpenAPIV31SpecValidator(DOCUMENT).validate()


def test_it_has_the_routes_of_the_template_and_no_other() -> None:
    told = {
        (event["Properties"]["Path"], event["Properties"]["Method"].lower())
        for function in sam_template.resources("AWS::Serverless::Function").values()
        for event in function.get("Events", {}).values()
        if event["Type"] == "Api"
    }
    assert told == {(path, m) for path, item in DOCUMENT["paths"].items() for m in item}


@pytest.mark.parametrize("operation", OPERATIONS, ids=lambda told: told["operationId"])
def test_an_operation_is_told_in_full(operation: dict[str, Any]) -> None:
    assert operation["summary"]
    assert operation["tags"]
    told = operation["responses"]
    assert {"400", "403", "429", "500", "503", "504"} <= told.keys()
    assert (operation["security"] == []) == ("401" not in told)
    assert ("requestBody" in operation) == ({"413", "415"} <= told.keys())
    assert [status for status in told if status.startswith(("2", "3"))]
    for parameter in operation.get("parameters", []):
        schema = parameter["schema"]
        assert schema.keys() & {"pattern", "enum", "maximum", "maxLength", "minLength"} or (
            parameter["name"] == "If-None-Match"
        )


def test_operations_have_names_of_their_own() -> None:
    names = [operation["operationId"] for operation in OPERATIONS]
    assert len(set(names)) == len(names)


def test_only_health_and_the_document_itself_are_open() -> None:
    opened = [
        path for path, item in DOCUMENT["paths"].items() for o in item.values() if not o["security"]
    ]
    assert opened == ["/health", "/openapi.json"]


def test_nothing_of_powertools_own_and_nothing_unused_is_in_it() -> None:
    text = json.dumps(DOCUMENT)
    assert "HTTPValidationError" not in text
    assert "ResponseValidationError" not in text
    for kind in ("schemas", "responses", "headers"):
        for name in DOCUMENT["components"][kind]:
            assert f'"#/components/{kind}/{name}"' in text, name


def test_every_problem_that_can_be_made_has_its_model() -> None:
    made = {(slug, status) for slug, status, _, _ in problems._TABLE.values()}
    made |= {("revision-conflict", 412), ("in-progress", 409)}
    modelled = set()
    for model in PROBLEMS.values():
        (urn,), (status,) = (get_args(get_type_hints(model)[m]) for m in ("type", "status"))
        modelled.add((urn.removeprefix(problems.URN), status))
    assert modelled == made - {("method-not-allowed", 405)}


def test_what_the_gateway_answers_by_itself_is_declared_for_every_operation() -> None:
    (api,) = sam_template.resources("AWS::Serverless::Api").values()
    for response in api["GatewayResponses"].values():
        status, told = str(response["StatusCode"]), response["ResponseTemplates"]
        slug = json.loads(told["application/json"])["type"].removeprefix(problems.URN)
        for operation in OPERATIONS:
            declared = operation["responses"].get(status)
            if declared is None:  # a key, a parameter of the path, a body: what is not there
                assert slug in {"unauthorized", "not-found", "too-large", "unsupported-media-type"}
