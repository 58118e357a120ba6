"""A small reader of UTF-8 text for tests that are about something else: `#` lines are headings,
blank lines end paragraphs; bytes that are no text, or `LOCKED`, are not read."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from palimpsest.domain.extraction import (
    Block,
    BlockKind,
    Extraction,
    FileName,
    Unreadable,
    UnreadableReason,
)

_PIECES = re.compile(r"[^\n]+(?:\n[^\n]+)*\n*|\n+")


@dataclass(frozen=True, slots=True)
class ReadText:
    """A text that has been read."""

    text: str
    extraction: Extraction = field(default_factory=Extraction)

    def blocks(self) -> Iterator[Block]:
        for piece in _PIECES.findall(self.text):
            hashes = len(piece) - len(piece.lstrip("#"))
            kind = BlockKind.HEADING if hashes else BlockKind.PARAGRAPH
            yield Block(kind, piece, level=hashes, title=piece.strip("# \n") if hashes else None)

    def close(self) -> None:
        pass


class PlainReader:
    """Reads text; `read_names` are those of the files it was given."""

    def __init__(self) -> None:
        self.read_names: list[str] = []

    def read(self, source: Path, name: FileName) -> ReadText:
        self.read_names.append(name.name)
        try:
            text = source.read_bytes().decode()
        except UnicodeDecodeError as error:
            raise Unreadable(UnreadableReason.UNSUPPORTED_TYPE, "it is no text") from error
        if text.startswith("LOCKED"):
            raise Unreadable(UnreadableReason.ENCRYPTED, "it is locked")
        if not text.strip():
            raise Unreadable(UnreadableReason.NO_TEXT, "it is empty")
        return ReadText(text)


class Words:
    """Counts words."""

    def count(self, texts: Sequence[str]) -> list[int]:
        return [len(text.split()) for text in texts]
