"""The text of an RTF document, paragraph by paragraph."""

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Final

from palimpsest.adapters.parsers import rtf_words as words
from palimpsest.adapters.parsers.cells import BETWEEN, Piece
from palimpsest.adapters.parsers.rtf_tables import Tables
from palimpsest.domain.extraction import BlockKind

_BODY_LEVEL: Final = 9
_TABLES: Final = frozenset({"fonttbl", "stylesheet"})


@dataclass(frozen=True, slots=True)
class _Group:
    """What a group has of its own; its end brings the former back."""

    destination: str = ""
    codec: str = "cp1252"
    fallback: int = 1
    is_hidden: bool = False


@dataclass(slots=True)
class _Format:
    """Of the paragraph that is being written."""

    style: int = 0
    outline: int = _BODY_LEVEL
    depth: int = 0
    is_item: bool = False
    is_in_table: bool = False


@dataclass(slots=True)
class _Place:
    """Where text goes: to the document, or to a note."""

    parts: list[str] = field(default_factory=list)


class RtfText:
    """Takes the tokens of a document; `pieces` gives what was finished since it was last asked."""

    def __init__(self) -> None:
        self._tables = Tables()
        self._groups: list[_Group] = []
        self._group = _Group()
        self._format = _Format()
        self._body, self._notes = _Place(), list[_Place]()
        self._pending = bytearray()
        self._to_skip = 0
        self._star = False
        self._cells: list[str] = []
        self._done: list[Piece] = []
        self.title = ""

    def pieces(self) -> Iterator[Piece]:
        """What is finished."""
        done, self._done = self._done, []
        return iter(done)

    def end(self) -> None:
        """No more comes: what was begun ends, and the notes follow."""
        self._end_paragraph()
        self._end_row()
        for number, note in enumerate(self._notes, 1):
            text = " ".join("".join(note.parts).split())
            self._done.append(Piece(BlockKind.PARAGRAPH, f"[{number}] {text}" if text else ""))

    def open(self) -> None:
        """A group begins."""
        self._decode()
        self._to_skip = 0
        self._groups.append(self._group)

    def close(self) -> None:
        """A group ends."""
        self._decode()
        self._to_skip = 0
        if self._groups:
            self._group = self._groups.pop()

    def bytes(self, data: bytes) -> None:
        """Characters in the encoding of the font."""
        self._star = False
        skipped = min(self._to_skip, len(data))
        self._to_skip -= skipped
        self._pending += data[skipped:]

    def symbol(self, sign: str) -> None:
        """A backslash with a character that is no letter."""
        self._decode()
        self._star = sign == "*"
        if sign in words.SYMBOLS:
            self._add(words.SYMBOLS[sign])
        elif sign in "\r\n":
            self._end_paragraph()

    def word(self, word: str, number: int | None) -> None:
        """A control word."""
        self._decode()
        star, self._star = self._star, False
        if word == "u" and number is not None:
            self._add(chr(number % 0x10000))
            self._to_skip = self._group.fallback
        elif word == "uc":
            self._group = replace(self._group, fallback=min(max(0, number or 0), 8))
        elif word in words.CHARACTERS:
            self._add(words.CHARACTERS[word])
        elif self._group.destination in _TABLES:
            self._tables.word(self._group.destination, word, number)
        elif self._is_destination(word, star=star):
            self._enter(word)
        elif not self._set_characters(word, number):
            self._set_paragraph(word, number)

    def _is_destination(self, word: str, *, star: bool) -> bool:
        if star and word not in words.KEPT_WITH_STAR:
            return True
        return word in words.LEFT_OUT or word in _TABLES or word in {"info", "title", "footnote"}

    def _enter(self, word: str) -> None:
        if word == "footnote" and not self._group.destination:
            self._notes.append(_Place())
            self._add(f"[{len(self._notes)}]")
        inside = self._group.destination
        keeps = not inside or (inside == "info" and word == "title")
        self._group = replace(self._group, destination=word if keeps else inside)

    def _set_characters(self, word: str, number: int | None) -> bool:
        """Whether a word is about characters, and nothing more is to be done."""
        if word == "f":
            codec = self._tables.codec_of_font(number)
            self._group = replace(self._group, codec=codec)
        elif word == "ansicpg":
            self._tables.set_codec(number)
            self._group = replace(self._group, codec=self._tables.codec)
        elif word in {"v", "deleted"}:
            self._group = replace(self._group, is_hidden=number != 0)
        elif word == "plain":
            self._group = replace(self._group, is_hidden=False)
        else:
            return False
        return True

    def _set_paragraph(self, word: str, number: int | None) -> None:
        if self._group.destination:
            if word in words.ENDS_PARAGRAPH:
                self._add(" ")
        elif word in words.ENDS_PARAGRAPH:
            self._end_paragraph()
        elif word in {"cell", "nestcell"}:
            self._end_cell()
        elif word in {"row", "nestrow"}:
            self._end_row()
        else:
            self._set_format(word, number)

    def _set_format(self, word: str, number: int | None) -> None:
        value = number or 0
        if word == "pard":
            self._format = _Format()
        elif word == "s":
            self._format.style = value
        elif word == "intbl":
            self._format.is_in_table = True
        elif word == "outlinelevel":
            self._format.outline = value
        elif word == "ls":
            self._format.is_item = value > 0
        elif word == "ilvl":
            self._format.depth = min(max(0, value), _BODY_LEVEL)

    def _add(self, text: str) -> None:
        destination = self._group.destination
        if destination == "title":
            self.title += text
        elif destination in _TABLES:
            self._tables.text(destination, text)
        elif destination == "footnote" and not self._group.is_hidden:
            self._notes[-1].parts.append(text)
        elif not destination and not self._group.is_hidden:
            self._body.parts.append(text)

    def _decode(self) -> None:
        """Bytes of one font, which may be parts of characters, as text."""
        if self._pending:
            data, self._pending = bytes(self._pending), bytearray()
            self._add(data.decode(self._group.codec, "ignore"))

    def _taken(self) -> str:
        """The text of the document that is not finished; halves of surrogate pairs are joined."""
        self._decode()
        text, self._body.parts = "".join(self._body.parts), []
        return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")

    def _end_cell(self) -> None:
        self._cells.append(" ".join(self._taken().split()))

    def _end_row(self) -> None:
        if any(self._cells):
            self._done.append(Piece(BlockKind.TABLE_ROW, BETWEEN.join(self._cells)))
        self._cells = []

    def _end_paragraph(self) -> None:
        self._decode()
        if self._format.is_in_table:
            self._body.parts.append(" ")
            return
        self._end_row()
        level = self._tables.heading_level(self._format.style)
        if self._format.outline < _BODY_LEVEL:
            level = self._format.outline + 1
        text = self._taken()
        if level:
            self._done.append(Piece(BlockKind.HEADING, text, level))
        elif self._format.is_item:
            self._done.append(Piece(BlockKind.LIST_ITEM, text, self._format.depth))
        else:
            self._done.append(Piece(BlockKind.PARAGRAPH, text))
