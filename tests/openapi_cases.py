"""Requests drawn from the OpenAPI document, well-formed and not, and what every answer to them is
held to; the transport is a session of `requests`, in process or over HTTP.
"""

from collections.abc import Mapping, Sequence
from http import HTTPStatus
from typing import Any

import requests
import schemathesis
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from schemathesis import GenerationMode
from schemathesis.checks import not_a_server_error
from schemathesis.core.failures import Failure
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    negative_data_rejection,
    response_headers_conformance,
    response_schema_conformance,
    status_code_conformance,
)

from openapi.generate import document


def _valid(told: Any) -> Any:
    """An operation of the document. Raises the fault of one that is not OpenAPI."""
    return told.ok()


SCHEMA = schemathesis.openapi.from_dict(document())
SCHEMA.config.generation.update(with_security_parameters=False)
SCHEMA.config.checks.negative_data_rejection.expected_statuses = [
    "400",
    "404",
    "413",
    "415",
    "422",
]
OPERATIONS: dict[str, Any] = {
    operation.definition.raw["operationId"]: operation
    for operation in (_valid(told) for told in SCHEMA.get_all_operations())
}

BEYOND_SCHEMAS: dict[str, str] = {
    "unknown_id": "whether a record is there to be superseded",
    "too_large": "how large the whole record is",
    "too_long": "bytes, where a schema counts characters",
    "valid_to": "which of two instants is the earlier",
    "time_range": "which of two instants is the earlier",
    "filter_size": "how deep a filter is, how many conditions it has, bytes of a prefix",
    "no_instant": "what an offset makes of the first and the last day there is",
    "too_many": "how many records all operations together supersede",
    "twice": "that two operations, or two records of a list, have the same id",
    "active_uri": "where the lists of a tenant lie",
    "not_there": "whether a list is there",
    "two_guards": "that two headers exclude each other",
    "not_configured": "whether there is a reranker",
    "no_scale": "what scores mode, fusion and reranker give together",
}
"""The rules that no schema can tell, by the kind of error that names them."""


FEW = {"postReconcile": 4, "purgeNamespace": 4, "listTools": 6}
"""Of these only one case in so many is sent: a job takes a machine's time, and of definitions there
are few forms that can be asked for.
"""


LONGEST_WAIT_MS = 100
"""Longer ones, which are as valid, would only make the tests wait."""

SOON_MS = 2_000
"""A search that asked for an answer sooner than this may be told that its time was up."""


def out_of_its_own_time(response: Any, case: Any) -> bool:
    """Whether a search was not done within the short time that it asked for."""
    body = case.body if isinstance(case.body, dict) else {}
    asked = body.get("timeout_ms")
    return (
        response.status_code == HTTPStatus.GATEWAY_TIMEOUT
        and isinstance(asked, int | float)
        and asked < SOON_MS
    )


def no_server_error(context: Any, response: Any, case: Any) -> bool | None:
    """Nothing is answered by a fault of the server, but by its time being up."""
    if out_of_its_own_time(response, case):
        return None
    found: bool | None = not_a_server_error(context, response, case)
    return found


def accepted_if_well_formed(_: Any, response: Any, case: Any) -> None:
    """What the document allows is refused for nothing but the state of things (404, 409, 412) or
    for a rule that no schema can tell.
    """
    status = response.status_code
    if not case.meta.generation.mode.is_positive or status < 400 or status in {404, 409, 412}:
        return
    if out_of_its_own_time(response, case):
        return
    told = response.json()
    kinds = {error["type"] for error in told.get("errors", [])}
    if told["type"].endswith(":cursor-mismatch") or (kinds and kinds <= BEYOND_SCHEMAS.keys()):
        return
    raise Failure(
        operation=case.operation.label,
        title="What the document allows was refused",
        message=response.text,
    )


CHECKS = [
    no_server_error,
    status_code_conformance,
    content_type_conformance,
    response_headers_conformance,
    response_schema_conformance,
    negative_data_rejection,
    accepted_if_well_formed,
]


def varies(name: str) -> bool:
    """Whether an operation takes anything; if not, there is but one request."""
    operation = OPERATIONS[name]
    return bool(operation.body or list(operation.iter_parameters()))


def drawn() -> list[tuple[str, GenerationMode]]:
    """Every operation in every mode; what takes nothing can be given nothing wrong."""
    return [
        (name, mode)
        for name in OPERATIONS
        for mode in GenerationMode
        if mode.is_positive or varies(name)
    ]


def cases_of(name: str, cases: int) -> int:
    """How many of so many cases are sent of an operation."""
    return cases // FEW.get(name, 1) if varies(name) else 1


def undeclared() -> list[tuple[str, str]]:
    """Every path with every method that it does not have."""
    return [
        (method, path)
        for path, item in document()["paths"].items()
        for method in ("GET", "PUT", "POST", "DELETE", "PATCH")
        if method.lower() not in item
    ]


def send(
    name: str,
    mode: GenerationMode,
    *,
    session: requests.Session,
    url: str,
    cases: int,
    known: Mapping[str, Sequence[str]],
) -> int:
    """Send so many cases of an operation, half of the well-formed ones to what is `known` to be
    there, by the name of the parameter or, before that, `operation.parameter`; how many were sent.
    """
    sent = 0
    operation = OPERATIONS[name]

    @settings(
        max_examples=cases,
        derandomize=True,  # the same cases in every run, until the document changes
        deadline=None,
        database=None,
        phases=[Phase.generate, Phase.shrink],
        suppress_health_check=list(HealthCheck),
    )
    @given(case=operation.as_strategy(generation_mode=mode), data=st.data())
    def answered(case: Any, data: st.DataObject) -> None:
        nonlocal sent
        sent += 1
        if mode.is_positive and data.draw(st.booleans()):
            for parameter in case.path_parameters or {}:
                there = known.get(f"{name}.{parameter}", known[parameter])
                case.path_parameters[parameter] = data.draw(st.sampled_from(there))
        if isinstance(case.body, dict) and isinstance(case.body.get("wait_ms"), int | float):
            case.body["wait_ms"] = min(case.body["wait_ms"], LONGEST_WAIT_MS)
        case.call_and_validate(base_url=url, session=session, checks=CHECKS)

    answered()
    return sent
