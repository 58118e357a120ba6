"""One reading of one file: what a reader of a format is given."""

from dataclasses import dataclass
from pathlib import Path

from palimpsest.adapters.parsers.block_writer import BlockWriter
from palimpsest.adapters.parsers.limits import Limits
from palimpsest.domain.extraction import FileName


@dataclass(frozen=True, slots=True)
class Reading:
    """The file at `source`, where its blocks go, and what it may cost."""

    source: Path
    name: FileName
    out: BlockWriter
    limits: Limits
