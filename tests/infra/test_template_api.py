"""The API of the template: who is asked for a key, and what the gateway answers by itself."""

import json

import pytest

import sam_template

FUNCTIONS = sam_template.resources("AWS::Serverless::Function")
(API,) = sam_template.resources("AWS::Serverless::Api").values()


def test_every_route_but_health_and_the_contract_asks_for_a_key() -> None:
    assert API["Auth"]["DefaultAuthorizer"] == "KeyAuthorizer"
    told = [e for f in FUNCTIONS.values() for e in f.get("Events", {}).values()]
    routes = [event["Properties"] for event in told if event["Type"] == "Api"]
    open_routes = [
        event["Path"] for event in routes if event.get("Auth", {}).get("Authorizer") == "NONE"
    ]
    assert open_routes == ["/health", "/openapi.json"]


def test_the_authorizer_reads_the_authorization_header_and_is_cached_for_300_seconds() -> None:
    authorizer = API["Auth"]["Authorizers"]["KeyAuthorizer"]
    assert authorizer["FunctionPayloadType"] == "REQUEST"
    assert authorizer["Identity"] == {"Headers": ["Authorization"], "ReauthorizeEvery": 300}
    assert authorizer["FunctionArn"] == {"Ref": "AuthorizerFunction.Alias"}


@pytest.mark.parametrize(
    ("kind", "status", "slug"),
    [
        ("UNAUTHORIZED", 401, "unauthorized"),
        ("ACCESS_DENIED", 403, "forbidden"),
        ("MISSING_AUTHENTICATION_TOKEN", 404, "not-found"),
        ("REQUEST_TOO_LARGE", 413, "too-large"),
        ("THROTTLED", 429, "throttled"),
        ("DEFAULT_4XX", 400, "malformed-request"),
        ("AUTHORIZER_FAILURE", 503, "unavailable"),
        ("INTEGRATION_TIMEOUT", 504, "deadline-exceeded"),
        ("DEFAULT_5XX", 500, "internal"),
    ],
)
def test_what_the_gateway_answers_by_itself_has_the_contracts_slug(
    kind: str, status: int, slug: str
) -> None:
    response = API["GatewayResponses"][kind]
    problem = json.loads(response["ResponseTemplates"]["application/json"])
    assert response["StatusCode"] == problem["status"] == status
    assert problem["type"] == f"urn:palimpsest:problem:{slug}"


@pytest.mark.parametrize("kind", API["GatewayResponses"])
def test_what_the_gateway_answers_by_itself_is_a_problem_document(kind: str) -> None:
    response = API["GatewayResponses"][kind]
    headers = response["ResponseParameters"]["Headers"]
    template = response["ResponseTemplates"]["application/json"]
    problem = json.loads(template)
    assert {"type", "title", "status", "detail", "instance"} <= problem.keys()
    assert problem["instance"] == "$context.requestId"
    assert template.isascii()
    assert headers["Content-Type"] == "'application/problem+json'"
    assert headers["X-Request-Id"] == "context.requestId"
    assert ("Retry-After" in headers) == (problem["status"] in {429, 503, 504})
    assert ("WWW-Authenticate" in headers) == (problem["status"] == 401)
