"""The built embedding model, for tests that are marked `model`."""

import logging
import os
from pathlib import Path

import pytest

from models.build import build, is_built
from models.catalogue import DEFAULT, RECIPES

ROOT = Path(__file__).resolve().parents[1]


def model_folder(name: str = DEFAULT) -> Path:
    """The folder of a built model. In CI it is built if need be; elsewhere the test is skipped."""
    folder, recipe = ROOT / ".cache" / "models" / name, RECIPES[name]
    if not is_built(recipe, folder):
        if not os.environ.get("CI"):
            pytest.skip(f"{name} is not built: python infra/models/build.py {name}")
        build(recipe, folder, say=logging.getLogger(__name__).info)
    return folder
