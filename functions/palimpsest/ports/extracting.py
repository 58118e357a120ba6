"""What services need for reading files: somebody who makes text of them, and who counts tokens."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Protocol

from palimpsest.domain.extraction import Block, Extraction, FileName


class ReadDocument(Protocol):
    """A file that has been read. The blocks are held on disk, not in memory; they can be walked
    once or more until it is closed.
    """

    @property
    def extraction(self) -> Extraction:
        """What there is beside the blocks."""
        ...

    def blocks(self) -> Iterator[Block]:
        """Every block, in order; at least one has text that is not only white space."""
        ...

    def close(self) -> None:
        """Remove what is held."""
        ...


class DocumentReader(Protocol):
    """Makes text of a file of any kind, whatever it holds: limits of time, memory and output hold,
    nothing is fetched, run or written elsewhere, and this process survives.
    """

    def read(self, source: Path, name: FileName) -> ReadDocument:
        """Read the file at `source`. Raises `Unreadable`; it never raises because of what a file
        holds in any other way.
        """
        ...


class TokenCounter(Protocol):
    """Counts tokens as an embedding model does."""

    def count(self, texts: Sequence[str]) -> Sequence[int]:
        """Tokens of each text by itself, without what the model puts before and after it. Where the
        model's own tokenizer is not at hand, an estimate that is seldom too low. Raises
        `Unavailable`.
        """
        ...
