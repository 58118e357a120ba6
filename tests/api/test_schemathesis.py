"""The handlers in process, asked what the OpenAPI document allows and what it forbids."""

from collections.abc import Iterator

import pytest
import requests
from schemathesis import GenerationMode

import openapi_cases
from api.conftest import Http
from api.gateway import URL, Gateway
from tools.definitions import TOOLS

CASES = 47
KNOWN = {"ns": ["notes"], "id": ["a", "b", "gone"], "name": list(TOOLS)}


def jobs(http: Http) -> list[str]:
    """The ids of a job that waits for its machine, and of one that has ended."""
    waits, ended = (
        http.reconcile(source="canonical", mode="async", namespace=ns).body["job"]["id"]
        for ns in ("waits", "ended")
    )
    http.run(ended)
    return [waits, ended]


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
    session: requests.Session, passes: Http, operation: str, mode: GenerationMode
) -> None:
    cases = openapi_cases.cases_of(operation, CASES)
    known = {**KNOWN, "getJob.id": jobs(passes)} if operation == "getJob" else KNOWN
    sent = openapi_cases.send(operation, mode, session=session, url=URL, cases=cases, known=known)
    assert sent >= cases


def test_there_are_at_least_fifteen_hundred_cases() -> None:
    sent = [openapi_cases.cases_of(name, CASES) for name, _ in openapi_cases.drawn()]
    assert sum(sent) >= 1_500
