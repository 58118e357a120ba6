"""A function loads only what it uses: the modules of each handler, seen in a process of its own."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

FUNCTIONS = Path(__file__).resolve().parents[2] / "functions"
SEEN = "import importlib, sys; importlib.import_module(sys.argv[1]); print(*sorted(sys.modules))"
RESOLVER = "aws_lambda_powertools.event_handler"
CLIENT = {
    "boto3", "botocore", "certifi", "dateutil", "jmespath", "s3transfer", "six", "urllib3",
}  # fmt: skip
HTTP = {
    "aws_lambda_powertools", "annotated_types", "pydantic", "pydantic_core", "typing_extensions",
    "typing_inspection",
}  # fmt: skip
INDEX = {"apsw", "numpy"}
LOGGER = {"aws_lambda_powertools", "typing_extensions"}
PACKAGES = {
    "authorizer": CLIENT,
    "records": CLIENT | HTTP,
    "search": CLIENT | HTTP | INDEX,
    "documents": CLIENT | HTTP,
    "ingest": CLIENT | LOGGER | INDEX,
    "tools": CLIENT | HTTP | INDEX,
    "rewrite": HTTP | {"botocore", "jmespath"},  # which Powertools looks at
    "projector": CLIENT | LOGGER | INDEX,
    "reconcile": CLIENT | HTTP | INDEX,
    "jobs": CLIENT | HTTP | INDEX,  # a list's lines are checked as a request's are
}
"""All that each function loads from outside the standard library, with the simulated embedder."""

LANGUAGE = {
    "palimpsest.bootstrap.models", "palimpsest.services.rewrite", "palimpsest.services.reranking",
}  # fmt: skip
LONG_WORK = {
    "palimpsest.adapters.s3.objects", "palimpsest.adapters.step_functions",
    "palimpsest.bootstrap.reconciling",
}  # fmt: skip

HTTPX = {"anyio", "h11", "httpcore", "httpx", "idna"}
COMMAND_LINE = {"click", "markdown_it", "mdurl", "pygments", "rich"}
"""What httpx loads for its command line where it is installed: with the development tools only."""


def loaded(handler: str, folder: Path, **environment: str) -> set[str]:
    done = subprocess.run(
        [sys.executable, "-c", SEEN, handler],
        env={
            "PATH": os.environ["PATH"],
            "PYTHONPATH": str(FUNCTIONS),
            "AWS_DEFAULT_REGION": "us-east-1",
            "AWS_LAMBDA_FUNCTION_NAME": "f",
            "TABLE_NAME": "t",
            "KEYS_TABLE_NAME": "k",
            "INDEX_FOLDER": str(folder),
            "EMBEDDER": "simulated",
            "UPLOADS_BUCKET": "b",
            "INGEST_QUEUE_URL": "https://sqs.us-east-1.amazonaws.com/123456789012/q",
            "JOBS_MACHINE_ARN": "arn:aws:states:us-east-1:123456789012:stateMachine:m",
            **environment,
        },
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return set(done.stdout.split())


@pytest.mark.parametrize(
    ("handler", "needed", "foreign"),
    [
        ("authorizer.handler", {"boto3"}, {RESOLVER, "pydantic", "httpx", "apsw", "numpy"}),
        (
            "records.handler",
            {"boto3", RESOLVER},
            {"httpx", "apsw", "numpy", "snowballstemmer"} | LANGUAGE | LONG_WORK,
        ),
        (
            "search.handler",
            {"boto3", RESOLVER, "apsw"} | LANGUAGE,
            {"httpx", "onnxruntime"} | LONG_WORK,
        ),
        (
            "rewrite.handler",
            {RESOLVER, "palimpsest.services.rewrite"},
            {"boto3", "httpx", "apsw", "numpy", "opensearchpy"} | LONG_WORK,
        ),
        (
            "projector.handler",
            {"boto3", "apsw"},
            {RESOLVER, "pydantic", "httpx", "onnxruntime"} | LANGUAGE | LONG_WORK,
        ),
        (
            "reconcile.handler",
            {"boto3", RESOLVER, "apsw"} | LONG_WORK,
            {"httpx", "onnxruntime", "opensearchpy", "palimpsest.services.search"} | LANGUAGE,
        ),
        (
            "jobs.handler",
            {"boto3", "apsw", "pydantic", "palimpsest.adapters.s3.objects"},
            {RESOLVER, "httpx", "onnxruntime", "opensearchpy", "palimpsest.services.search"}
            | LANGUAGE,
        ),
    ],
)
def test_a_function_loads_only_what_it_uses(
    handler: str, needed: set[str], foreign: set[str], tmp_path: Path
) -> None:
    modules = loaded(handler, tmp_path)
    assert needed - modules == set()
    assert foreign & modules == set()


@pytest.mark.parametrize("name", PACKAGES)
def test_no_package_is_loaded_that_is_not_named_here(name: str, tmp_path: Path) -> None:
    assert packages(loaded(f"{name}.handler", tmp_path)) - {name} == PACKAGES[name]


@pytest.mark.parametrize("name", ["search", "projector", "reconcile", "jobs"])
def test_an_embedder_over_http_brings_its_client_and_nothing_more(
    name: str, tmp_path: Path
) -> None:
    modules = loaded(
        f"{name}.handler",
        tmp_path,
        EMBEDDER="openai",
        EMBEDDING_URL="http://127.0.0.1:9",
        EMBEDDING_MODEL="m",
    )
    assert packages(modules) - COMMAND_LINE - {name} == PACKAGES[name] | HTTPX


def packages(modules: set[str]) -> set[str]:
    """The top-level packages that are neither Python's own nor this project's library."""
    found = {module.partition(".")[0] for module in modules}
    own = {"__main__", "__mp_main__", "palimpsest"}
    return {
        name
        for name in found - own - sys.stdlib_module_names
        if not name.startswith("_sysconfigdata")
    }


def test_an_embedder_is_loaded_in_its_own_branch_only(tmp_path: Path) -> None:
    openai = loaded(
        "projector.handler",
        tmp_path,
        EMBEDDER="openai",
        EMBEDDING_URL="http://127.0.0.1:9",
        EMBEDDING_MODEL="m",
    )
    assert "httpx" in openai
    assert not {m for m in openai if m.endswith(("adapters.bedrock", "simulated"))}


def test_a_missing_variable_stops_a_function_at_its_start_by_name(tmp_path: Path) -> None:
    with pytest.raises(AssertionError, match="TABLE_NAME is not set"):
        loaded("records.handler", tmp_path, TABLE_NAME="")
    for handler in ("reconcile.handler", "jobs.handler"):
        with pytest.raises(AssertionError, match="UPLOADS_BUCKET is not set"):
            loaded(handler, tmp_path, UPLOADS_BUCKET="")
    with pytest.raises(AssertionError, match="JOBS_MACHINE_ARN is not set"):
        loaded("reconcile.handler", tmp_path, JOBS_MACHINE_ARN="")


def test_on_aws_the_embedded_index_is_refused_by_name_not_served_empty(tmp_path: Path) -> None:
    for handler in ("search.handler", "projector.handler", "reconcile.handler", "jobs.handler"):
        with pytest.raises(AssertionError, match="ENGINE is sqlite"):
            loaded(handler, tmp_path, STAGE="prod")


def test_importing_a_handler_outside_lambda_does_nothing(tmp_path: Path) -> None:
    modules = loaded("search.handler", tmp_path, AWS_LAMBDA_FUNCTION_NAME="", TABLE_NAME="")
    assert "apsw" not in modules
