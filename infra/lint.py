"""The checks of this repository that no linter knows: sizes of files and functions, addresses,
machine paths.
"""

import ast
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
MAX_LINES = 250
MAX_FUNCTION_LINES = 40
"""Thirty is aimed at; docstrings and formatted calls count here."""

TEXT = {".py", ".md", ".yaml", ".toml", ".txt", ".json", ""}
LOCKS = re.compile(r"https?://")
MACHINE = re.compile(r"/(?:home|root|work|Users)/\w")


def main() -> int:
    """Print each fault; 1 if there is any."""
    faults = list(_faults())
    for fault in faults:
        print(fault)
    return bool(faults)


def _faults() -> Iterator[str]:
    names = subprocess.run(
        ["git", "ls-files", "-co", "--exclude-standard"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    ).stdout.splitlines()
    for name in sorted(names):
        path = ROOT / name
        if (
            path.suffix not in {".py", ".md", ".yaml", ".toml", ".txt", ".json", ""}
            or not path.is_file()
        ):
            continue
        text = path.read_text(encoding="utf-8")
        if path.suffix == ".py":
            yield from _sizes(name, text)
        if name.startswith("requirements/") or path.name.endswith(("lock", "lock.json")):
            yield from _matches(name, text, LOCKS, "names an address")
        if name != "infra/lint.py":
            yield from _matches(name, text, MACHINE, "names a path of one machine")


def _sizes(name: str, text: str) -> Iterator[str]:
    lines = text.count("\n")
    if lines > MAX_LINES and not name.startswith("tests/"):
        yield f"{name}: {lines} lines, {MAX_LINES} at most"
    if name.startswith("functions/"):
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, ast.FunctionDef):
                length = (node.end_lineno or node.lineno) - node.lineno + 1
                if length > MAX_FUNCTION_LINES:
                    yield f"{name}:{node.lineno}: {node.name} has {length} lines"


def _matches(name: str, text: str, pattern: re.Pattern[str], what: str) -> Iterator[str]:
    for number, line in enumerate(text.splitlines(), 1):
        if pattern.search(line):
            yield f"{name}:{number}: {what}"


if __name__ == "__main__":
    sys.exit(main())
