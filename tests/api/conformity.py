"""Whether what a handler answered, and what it accepted, is what the OpenAPI document says."""

import json
import re
from collections.abc import Mapping
from functools import cache
from typing import Any

from jsonschema import Draft202012Validator
from referencing import Registry, Resource
from referencing.jsonschema import DRAFT202012

from openapi.generate import document

URI = "urn:palimpsest:openapi"


def check(method: str, resource: str, sent: str | None, told: Mapping[str, Any]) -> None:
    """Fail where status, headers, content type or body of an answer are not declared, or where a
    body was accepted that the document does not allow.
    """
    operation = document()["paths"].get(resource, {}).get(method.lower())
    if operation is None:
        assert told["statusCode"] == 404, f"{method} {resource} is not in the document"
        return
    where = f"{method} {resource} {told['statusCode']}"
    headers = {name.lower(): values[0] for name, values in told["multiValueHeaders"].items()}
    response = _resolved(operation["responses"].get(str(told["statusCode"])))
    assert response, f"{where} is not declared: {told['body']}"
    _check_headers(response, headers, where)
    if "content" not in response:
        assert not told["body"], where
    else:
        ((media_type, content),) = response["content"].items()
        assert headers["content-type"] == media_type, where
        fits(json.loads(told["body"]), content["schema"], where)
    if told["statusCode"] < 300 and sent:
        content = operation["requestBody"]["content"]["application/json"]
        fits(json.loads(sent), content["schema"], f"the body accepted by {where}")


def fits(value: Any, schema: Mapping[str, Any], where: str) -> None:
    """Fail with each fault of a value."""
    faults = [
        f"{'/'.join(map(str, error.absolute_path)) or '(whole)'}: {error.message[:300]}"
        for error in validator(json.dumps(schema)).iter_errors(value)
    ]
    assert not faults, f"{where}: {faults}"


@cache
def validator(schema: str) -> Draft202012Validator:
    """A validator of a schema (as JSON) that may refer to the document."""
    resource = Resource.from_contents(document(), default_specification=DRAFT202012)
    registry: Registry[Any] = Registry().with_resource(URI, resource)
    absolute = json.loads(schema.replace('"$ref": "#/', f'"$ref": "{URI}#/'))
    return Draft202012Validator(absolute, registry=registry)


def _check_headers(response: Mapping[str, Any], headers: Mapping[str, str], where: str) -> None:
    for name, reference in response["headers"].items():
        header = _resolved(reference)
        value = headers.get(name.lower())
        if value is None:
            assert not header.get("required"), f"{where} lacks {name}"
        else:
            schema = header["schema"]
            assert re.search(schema.get("pattern", ""), value), f"{where} {name}: {value}"
            assert schema.get("const", value) == value, f"{where} {name}: {value}"
    declared = {name.lower() for name in response["headers"]} | {"content-type"}
    assert headers.keys() <= declared, f"{where} sends {headers.keys() - declared}"


def _resolved(part: Any) -> Any:
    if part is None or "$ref" not in part:
        return part
    found: Any = document()
    for name in part["$ref"].removeprefix("#/").split("/"):
        found = found[name]
    return found
