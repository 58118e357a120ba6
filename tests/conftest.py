import os
from collections.abc import Iterator

import boto3
import pytest
from hypothesis import settings
from moto import mock_aws

import opensearch_node
from opensearch_node import index_prefix, opensearch_url
from stack import local_stack
from template_tables import create_tables

__all__ = ["index_prefix", "local_stack", "opensearch_url"]

os.environ.update(
    AWS_ACCESS_KEY_ID="test",
    AWS_SECRET_ACCESS_KEY="test",
    AWS_DEFAULT_REGION="us-east-1",
    AWS_EC2_METADATA_DISABLED="true",
    POWERTOOLS_TRACE_DISABLED="1",
    POWERTOOLS_METRICS_NAMESPACE="Palimpsest",
    STAGE="local",
)
os.environ.pop("AWS_ENDPOINT_URL", None)

# derandomized, so that more examples in every run would be the same ones each time
settings.register_profile("ci", derandomize=True, max_examples=40)
if os.environ.get("CI"):
    settings.load_profile("ci")


@pytest.fixture(scope="session")
def aws_session() -> boto3.Session:
    """One session for all tests: each new one reads the service descriptions anew."""
    return boto3.Session()


@pytest.fixture
def aws(aws_session: boto3.Session, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """An empty AWS of moto's."""
    with mock_aws():
        monkeypatch.setattr(boto3, "DEFAULT_SESSION", aws_session)
        yield


@pytest.fixture
def tables(aws: None) -> dict[str, str]:  # noqa: ARG001  # to be there
    """Both tables in moto, made from the template's own properties: names by logical id."""
    return create_tables(boto3.client("dynamodb"))


UNCOUNTED = (
    "tests/e2e/",
    "tests/infra/",
    "tests/index_faults/",
    "tests/simulation/",
    "tests/api/test_schemathesis",
    "tests/api/test_schema_limits",
    "tests/contract/test_search_index",
    "tests/contract/test_opensearch_index",
    "tests/contract/test_index_filters",
)
"""Tests whose lines others run too, or that run the code in another process: counting lines would
nearly double what they take. Threads that begin in such a test are never counted, so none of them
shares a function's services with others.
"""


@pytest.hookimpl(tryfirst=True)  # before xdist looks for groups
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Tests of a running stack share one worker, one after another: their fires take all of the
    machine; the others fill the rest. The longest of all, which has a stack of its own and mostly
    waits, begins first.
    """
    for item in items:
        if any(part in item.nodeid for part in UNCOUNTED):
            item.add_marker(pytest.mark.no_cover)
    items.sort(key=lambda item: "test_long_lists" not in item.nodeid)
    for item in items:
        if item.get_closest_marker("stack"):
            own = "long lists" if "test_long_lists" in item.nodeid else "stack"
            item.add_marker(pytest.mark.xdist_group(own))


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    """Before any fixture: one that needs a node would only fail in a worse way."""
    if item.get_closest_marker("opensearch"):
        opensearch_node.require()
