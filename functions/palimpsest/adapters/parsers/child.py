"""Reads one file, in a process that has been confined first."""

import json
import os
from pathlib import Path
from typing import Any, BinaryIO

from palimpsest.adapters.parsers.confinement import confine
from palimpsest.adapters.parsers.dispatch import read_into
from palimpsest.adapters.parsers.limits import Limits
from palimpsest.domain.extraction import FileName, Unreadable


def main(request: dict[str, Any]) -> None:
    """Read what the request of `reader.py` names, and end this process. Says that it is there
    before it looks at the file; what comes then is one object of JSON: what was read, why it was
    not, or that a part of this program is missing.
    """
    limits, answers = Limits(**request["limits"]), request["answers"]
    source, name = Path(request["source"]), FileName(request["name"], request["content_type"])
    with os.fdopen(request["blocks"], "wb") as file:
        confine(limits)
        os.write(answers, b"\n")
        answer = _answer(file, source, name, limits)
    os.write(answers, json.dumps(answer).encode())
    os._exit(0)  # what the parsers leave behind is not worth the time of clearing it up


def _answer(file: BinaryIO, source: Path, name: FileName, limits: Limits) -> dict[str, Any]:
    try:
        extraction = read_into(file, source, name, limits)
    except Unreadable as unreadable:
        return {"reason": unreadable.reason.value, "detail": unreadable.detail}
    except ImportError as error:
        return {"missing": error.name}
    return {"title": extraction.title, "removed": extraction.removed}
