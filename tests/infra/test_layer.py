"""The built layer alone carries every function: nothing of this environment, no package by luck."""

import os
import platform
import subprocess
import sys
from pathlib import Path

import pytest

import sam_template
from local.layout import Layout, plain_environment

ROOT = sam_template.PATH.parent
HANDLERS = [
    function["Handler"].rpartition(".")[0]
    for function in sam_template.resources("AWS::Serverless::Function").values()
]
RUNTIME = (sys.version_info[:2], platform.system(), platform.machine())

pytestmark = [
    pytest.mark.stack,
    pytest.mark.skipif(
        RUNTIME != ((3, 13), "Linux", "x86_64"),
        reason="the layer is compiled for Python 3.13 on Linux x86_64",
    ),
]


@pytest.fixture(scope="module")
def layer(tmp_path_factory: pytest.TempPathFactory) -> Path:
    artifacts = tmp_path_factory.mktemp("layer")
    uv = Layout.from_environment({}).tool("uv", "uv")
    subprocess.run(
        ["make", "-s", "-f", str(ROOT / "infra/layer/Makefile"), "build-DependenciesLayer"],
        env={
            **plain_environment(),
            "ARTIFACTS_DIR": str(artifacts),
            "LAYER_MODE": "bundle",
            "PYTHON": sys.executable,
            "UV": str(uv),
        },
        check=True,
    )
    return artifacts / "python"


@pytest.mark.parametrize("handler", HANDLERS)
def test_a_handler_imports_with_nothing_but_the_layer(layer: Path, handler: str) -> None:
    program = (
        "import sys; sys.path[:0] = sys.argv[1:3]; "
        "import importlib; importlib.import_module(sys.argv[3])"
    )
    done = subprocess.run(
        # isolated and without site-packages
        [sys.executable, "-I", "-S", "-c", program, str(ROOT / "functions"), str(layer), handler],
        env={
            "TABLE_NAME": "t",
            "EMBEDDER": "simulated",
            "INDEX_FOLDER": str(layer.parent / "index"),
            "KEYS_TABLE_NAME": "k",
            "AWS_DEFAULT_REGION": "us-east-1",  # Lambda sets it
            "PATH": os.environ["PATH"],
        },
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr


def test_the_layer_has_bytecode_that_unzipping_does_not_spoil(layer: Path) -> None:
    compiled = next(layer.glob("boto3/__pycache__/session.cpython-313.pyc"))
    flags = int.from_bytes(compiled.read_bytes()[4:8], "little")
    assert flags == 0b01  # by hash of the source, unchecked (PEP 552)


def test_the_layer_and_the_code_fit_into_a_function(layer: Path) -> None:
    size = sum(path.stat().st_size for path in layer.rglob("*") if path.is_file())
    assert size < 100_000_000  # of the 250 MB that Lambda allows


def test_what_only_a_laptop_needs_is_not_in_the_layer(layer: Path) -> None:
    assert not any((layer / name).exists() for name in ("numpy", "apsw", "onnxruntime"))
