"""From a file to its blocks: finds out what it is, and has it read by who knows the format."""

from importlib import import_module
from pathlib import Path
from typing import BinaryIO, Final

from palimpsest.adapters.parsers.block_writer import BlockWriter
from palimpsest.adapters.parsers.detection import format_of
from palimpsest.adapters.parsers.limits import Limits
from palimpsest.adapters.parsers.reading import Reading
from palimpsest.adapters.parsers.refusals import empty, reason_of
from palimpsest.domain.clean import without_broken
from palimpsest.domain.extraction import Extraction, FileName

_LONGEST_TITLE: Final = 300


def read_into(file: BinaryIO, source: Path, name: FileName, limits: Limits) -> Extraction:
    """Read the file at `source` and write its blocks to `file`. Raises `Unreadable`, whatever goes
    wrong in a parser, and `ImportError` where the parser is not installed. No process of its own is
    started, and of the limits only those of the output hold.
    """
    try:
        out = BlockWriter(file, limits)
        title = _read(Reading(source, name, out, limits))
        file.flush()
    except ImportError:
        raise
    except Exception as error:  # parsers raise everything there is
        raise reason_of(error) from error
    if not out.has_text:
        raise empty()
    return Extraction(_title(title), out.removed)


def _read(reading: Reading) -> str | None:
    """Only the parser that is needed is loaded."""
    form = format_of(reading.source, reading.name)
    module = import_module(f"palimpsest.adapters.parsers.{form.value}")
    title: str | None = module.read(reading)
    return title


def _title(title: str | None) -> str | None:
    """A title in one line."""
    words = " ".join(without_broken(title or "").split())
    return words[:_LONGEST_TITLE].rstrip() or None
