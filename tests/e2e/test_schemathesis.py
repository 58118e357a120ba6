"""The running stack, through its gateway and its authorizer, asked what the OpenAPI document allows
and what it forbids.
"""

from collections.abc import Iterator

import pytest
import requests
from schemathesis import GenerationMode

import openapi_cases
from e2e.client import Client
from stack import LocalStack
from tools.definitions import TOOLS

CASES = 16
pytestmark = pytest.mark.stack


@pytest.fixture(scope="module")
def url(local_stack: LocalStack) -> str:
    return local_stack.values["PALIMPSEST_URL"]


@pytest.fixture(scope="module")
def session(local_stack: LocalStack) -> Iterator[requests.Session]:
    """Requests under the key of a tenant that has some records."""
    key = local_stack.key("drawn")
    with Client(local_stack.values["PALIMPSEST_URL"], key) as client:
        client.put("notes", "a", "walnuts").raise_for_status()
        client.put("notes", "a", "walnuts again").raise_for_status()
        client.put("notes", "gone", "hazelnuts").raise_for_status()
        client.delete("notes", "gone").raise_for_status()
    with requests.Session() as made:
        made.headers["Authorization"] = f"Bearer {key}"
        yield made


@pytest.fixture(scope="module")
def known(session: requests.Session, url: str) -> dict[str, list[str]]:
    """What is there: records in `notes`, a job, and a namespace of its own to purge."""
    asked = {"namespace": "mended", "source": "canonical", "mode": "async"}
    begun = session.post(f"{url}/reconcile", json=asked)
    begun.raise_for_status()
    return {
        "ns": ["notes"],
        "id": ["a", "gone"],
        "name": list(TOOLS),
        "getJob.id": [begun.json()["job"]["id"]],
        "purgeNamespace.ns": ["purged"],
    }


@pytest.mark.parametrize(("operation", "mode"), openapi_cases.drawn())
def test_every_answer_over_http_is_what_the_document_says(
    session: requests.Session,
    url: str,
    known: dict[str, list[str]],
    operation: str,
    mode: GenerationMode,
) -> None:
    cases = openapi_cases.cases_of(operation, CASES)
    sent = openapi_cases.send(operation, mode, session=session, url=url, cases=cases, known=known)
    assert sent >= cases


def test_there_are_at_least_five_hundred_cases() -> None:
    sent = [openapi_cases.cases_of(name, CASES) for name, _ in openapi_cases.drawn()]
    assert sum(sent) >= 500


@pytest.mark.parametrize(("method", "path"), openapi_cases.undeclared())
def test_a_method_that_a_path_has_not_is_404_or_405(
    session: requests.Session, url: str, method: str, path: str
) -> None:
    there = path.format(ns="notes", id="a", name="remember")
    answer = session.request(method, url + there, json={"text": "x"})
    assert answer.status_code in {404, 405}
    assert answer.headers["content-type"] == "application/problem+json"
    assert answer.json()["status"] == answer.status_code
    assert answer.json()["instance"] == answer.headers["x-request-id"]
