"""A function loads only what it uses: the modules of each handler, seen in a process of its own."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

FUNCTIONS = Path(__file__).resolve().parents[2] / "functions"
SEEN = "import importlib, sys; importlib.import_module(sys.argv[1]); print(*sorted(sys.modules))"
RESOLVER = "aws_lambda_powertools.event_handler"


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
        ("records.handler", {"boto3", RESOLVER}, {"httpx", "apsw", "numpy", "snowballstemmer"}),
        ("search.handler", {"boto3", RESOLVER, "apsw"}, {"httpx", "onnxruntime"}),
        ("projector.handler", {"boto3", "apsw"}, {RESOLVER, "pydantic", "httpx", "onnxruntime"}),
    ],
)
def test_a_function_loads_only_what_it_uses(
    handler: str, needed: set[str], foreign: set[str], tmp_path: Path
) -> None:
    modules = loaded(handler, tmp_path)
    assert needed - modules == set()
    assert foreign & modules == set()


def test_an_embedder_is_loaded_in_its_own_branch_only(tmp_path: Path) -> None:
    openai = loaded(
        "projector.handler",
        tmp_path,
        EMBEDDER="openai",
        EMBEDDING_URL="http://127.0.0.1:9",
        EMBEDDING_MODEL="m",
    )
    assert "httpx" in openai
    assert not {m for m in openai if m.endswith(("bedrock_embeddings", "simulated"))}


def test_a_missing_variable_stops_a_function_at_its_start_by_name(tmp_path: Path) -> None:
    with pytest.raises(AssertionError, match="TABLE_NAME is not set"):
        loaded("records.handler", tmp_path, TABLE_NAME="")


def test_on_aws_the_embedded_index_is_refused_by_name_not_served_empty(tmp_path: Path) -> None:
    for handler in ("search.handler", "projector.handler"):
        with pytest.raises(AssertionError, match="ENGINE is sqlite"):
            loaded(handler, tmp_path, STAGE="prod")


def test_importing_a_handler_outside_lambda_does_nothing(tmp_path: Path) -> None:
    modules = loaded("search.handler", tmp_path, AWS_LAMBDA_FUNCTION_NAME="", TABLE_NAME="")
    assert "apsw" not in modules
