"""`ReadDocument` whose blocks are held in a file without a name."""

import os
from collections.abc import Iterator
from typing import IO, Final

from palimpsest.adapters.parsers.block_lines import block_of
from palimpsest.domain.byte_lines import lines_of
from palimpsest.domain.extraction import Block, Extraction

_PIECE: Final = 256 * 1024


class HeldDocument:
    """Of blocks as `block_lines` writes them; owns the file."""

    def __init__(self, file: IO[bytes], extraction: Extraction) -> None:
        self._file = file
        self._extraction = extraction

    @property
    def extraction(self) -> Extraction:
        """See `ReadDocument.extraction`."""
        return self._extraction

    def blocks(self) -> Iterator[Block]:
        """See `ReadDocument.blocks`. Walks may go on side by side; each holds one piece of the file
        in memory.
        """
        return map(block_of, lines_of(self._pieces()))

    def close(self) -> None:
        """See `ReadDocument.close`."""
        self._file.close()

    def _pieces(self) -> Iterator[bytes]:
        place = 0
        while piece := os.pread(self._file.fileno(), _PIECE, place):
            place += len(piece)
            yield piece
