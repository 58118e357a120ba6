"""The handlers in process, asked what the OpenAPI document allows and what it forbids."""

from collections.abc import Iterator
from typing import Any

import pytest
import requests
from schemathesis import GenerationMode

import openapi_cases
from api.conftest import Http
from api.gateway import URL, Gateway

CASES = 47
KNOWN = {"ns": ["notes"], "id": ["a", "b", "gone"]}


@pytest.fixture
def jobs(passes: Http) -> list[Any]:
    """A job that waits for its machine, and one that has ended."""
    begun = [
        passes.reconcile(source="canonical", mode="async", namespace=ns).body["job"]
        for ns in ("waits", "ended")
    ]
    return [begun[0], passes.run(begun[1]["id"])]


@pytest.fixture
def session(http: Http) -> Iterator[requests.Session]:
    """Requests to the gateway under the key of a tenant that has some records."""
    for record_id, text in (("a", "walnuts"), ("a", "walnuts again"), ("b", "almonds")):
        assert http.put(record_id, {"text": text, "kind": "fact"}).status in {200, 201}
    http.put("gone", {"text": "hazelnuts"})
    assert http.delete("gone").status == 200
    http.project()
    with requests.Session() as made:
        made.mount(URL, Gateway(http._modules, grant=http.grant))
        yield made


@pytest.mark.parametrize(("operation", "mode"), openapi_cases.drawn())
def test_every_answer_is_what_the_document_says(
    session: requests.Session, jobs: list[Any], operation: str, mode: GenerationMode
) -> None:
    cases = openapi_cases.cases_of(operation, CASES)
    known = {**KNOWN, "getJob.id": [job["id"] for job in jobs]}
    sent = openapi_cases.send(operation, mode, session=session, url=URL, cases=cases, known=known)
    assert sent >= cases


def test_there_are_at_least_fifteen_hundred_cases() -> None:
    sent = [openapi_cases.cases_of(name, CASES) for name, _ in openapi_cases.drawn()]
    assert sum(sent) >= 1_500
