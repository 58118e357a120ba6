"""The OpenAPI document, made from the handlers: `make openapi` writes it, a test compares it.

It needs neither AWS nor settings: importing a handler outside Lambda does nothing.
"""

import json
import sys
from functools import cache
from pathlib import Path
from typing import Any

from aws_lambda_powertools.event_handler import APIGatewayRestResolver
from pydantic import TypeAdapter

import documents.app
import documents.handler
import reconcile.app
import reconcile.handler
import records.app
import records.handler
import rewrite.app
import rewrite.handler
import search.app
import search.handler
import tools.app
import tools.handler
from openapi import shaping
from palimpsest import __version__
from palimpsest.api import contract
from palimpsest.api.problem_shapes import PROBLEMS
from palimpsest.api.resolver import PARAMETER, Declared, HttpApi

COMMITTED = Path(__file__).resolve().parents[2] / "functions/records/openapi.json"
APIS: tuple[HttpApi, ...] = (
    documents.app.api,
    reconcile.app.api,
    records.app.api,
    rewrite.app.api,
    search.app.api,
    tools.app.api,
)
"""The handlers, once imported, have registered all their routes there."""

OPERATION = (
    "operationId",
    "summary",
    "description",
    "tags",
    "security",
    "parameters",
    "requestBody",
    "responses",
)
REF = "#/components/schemas/{model}"
INFO = {
    "title": "Palimpsest",
    "version": __version__,
    "description": "Memory and knowledge retrieval for agents: records with revisions, and a "
    "search over them. Problems are RFC 9457 documents; fields may be added to any answer.",
    "license": {"name": "Apache-2.0", "identifier": "Apache-2.0"},
}
KEY = {
    "type": "http",
    "scheme": "bearer",
    "bearerFormat": "pal_<key id>_<secret>",
    "description": "An API key. Tenant, scopes and namespaces come from it alone.",
}

Json = dict[str, Any]


def routes() -> dict[tuple[str, str], Declared]:
    """Every route of the HTTP functions, by resource and method."""
    found = {(resource, m): d for api in APIS for (m, resource), d in api.declared.items()}
    return {key: found[key] for key in sorted(found)}


@cache
def document() -> Json:
    """The whole document."""
    made = _by_powertools()
    paths: Json = {}
    responses: Json = {}
    for (resource, method), declared in routes().items():
        operation = shaping.shaped(made["paths"][resource][method.lower()])
        _completed(operation, resource, method, declared, responses)
        ordered = {key: operation[key] for key in OPERATION if key in operation}
        paths.setdefault(resource, {})[method.lower()] = ordered
    schemas = shaping.shaped(made["components"]["schemas"] | _problem_schemas())
    whole = {
        "openapi": "3.1.0",
        "info": INFO,
        "servers": [{"url": "/v1"}],
        "security": [{"key": []}],
        "tags": [{"name": name} for name in sorted({contract.tag(path) for path in paths})],
        "paths": paths,
        "components": {
            "securitySchemes": {"key": KEY},
            "headers": dict(contract.RESPONSE_HEADERS),
            "responses": dict(sorted(responses.items())),
            "schemas": dict(sorted(schemas.items())),
        },
    }
    return shaping.without_unused(whole)


def text() -> str:
    """The document as it is committed and served."""
    return json.dumps(document(), ensure_ascii=False, indent=2) + "\n"


def _by_powertools() -> Json:
    """Operations, bodies and success models of all routes, from one resolver made for this."""
    resolver = APIGatewayRestResolver()
    for (resource, method), declared in routes().items():
        summary, _, description = (declared.route.__doc__ or "").strip().partition("\n\n")
        resolver.route(
            PARAMETER.sub(r"<\1>", resource),
            method,
            summary=" ".join(summary.split()).rstrip("."),
            description=" ".join(description.split()),
            operation_id=shaping.camel_case(declared.route.__name__),
            tags=[contract.tag(resource)],
            responses={
                status: contract.success_response(status, model, declared)  # type: ignore[misc]
                for status, model in declared.answers.items()
            },
        )(declared.route)
    made: Json = json.loads(resolver.get_openapi_json_schema(title="", version=""))
    return made


def _completed(
    operation: Json, resource: str, method: str, declared: Declared, responses: Json
) -> None:
    """What Powertools does not know: security, headers, the path's rules, problems."""
    operation["security"] = contract.security(declared)
    parameters = [_parameter(told, method, resource) for told in operation.pop("parameters", [])]
    parameters += contract.request_headers(method, declared)
    if parameters:
        operation["parameters"] = parameters
    if declared.access.empty:
        operation["requestBody"] = contract.EMPTY
    told = {status: operation["responses"][str(status)] for status in sorted(declared.answers)}
    for response in told.values():
        if not response["content"]:
            del response["content"]
    for status, models in contract.problems(method, resource, declared).items():
        name = contract.problem_name(models)
        responses[name] = contract.problem_response(status, models)
        told[status] = {"$ref": f"#/components/responses/{name}"}
    operation["responses"] = {str(status): told[status] for status in sorted(told)}


def _parameter(told: Json, method: str, resource: str) -> Json:
    """A parameter of the path by the contract's rule, one of the query by the handler's."""
    in_path = told["in"] == "path"
    schema = contract.path_parameter(told["name"], method, resource) if in_path else None
    schema = shaping.parameter(told["schema"]) if schema is None else schema
    rest: Json = {key: told[key] for key in ("description", "required") if key in told}
    return {"name": told["name"], "in": told["in"], **rest, "schema": schema}


def _problem_schemas() -> Json:
    inputs: Any = [(slug, "validation", TypeAdapter(model)) for slug, model in PROBLEMS.items()]
    _, definitions = TypeAdapter.json_schemas(inputs, ref_template=REF)
    found: Json = definitions["$defs"]
    return found


if __name__ == "__main__":
    COMMITTED.write_text(text(), encoding="utf-8")
    sys.stdout.write(f"wrote {COMMITTED.name}, {len(routes())} operations\n")
