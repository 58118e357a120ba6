"""The built embedding model, for tests that are marked `model`."""

import os
from pathlib import Path

import pytest

from models.build import build
from models.catalogue import DEFAULT, RECIPES

ROOT = Path(__file__).resolve().parents[1]


def model_folder(name: str = DEFAULT) -> Path:
    """The folder of a built model. In CI it is built if it is not there; elsewhere the test skips."""
    folder = ROOT / ".cache" / "models" / name
    if os.environ.get("CI"):
        build(RECIPES[name], folder, say=lambda line: print(line, flush=True))
    elif not (folder / "model.json").is_file():
        pytest.skip(f"{name} is not built: python infra/models/build.py {name}")
    return folder
