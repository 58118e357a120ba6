"""The text of a part of a Word document, paragraph by paragraph."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Final, Self

from palimpsest.adapters.parsers.cells import Cells, Piece
from palimpsest.adapters.parsers.docx_styles import Styles
from palimpsest.domain.extraction import BlockKind

_LEFT_OUT: Final = frozenset({"mc:Fallback", "w:del", "w:moveFrom", "w:pPrChange"})
"""What is there twice, or is no longer there."""

_SIGNS: Final = {"w:tab": "\t", "w:br": "\n", "w:cr": "\n", "w:noBreakHyphen": "-"}
_REFERENCES: Final = {"w:footnoteReference": "footnotes", "w:endnoteReference": "endnotes"}
_NOTES: Final = frozenset({"w:footnote", "w:endnote"})
_BODY_LEVEL: Final = 9


class NoteMarks:
    """The numbers of notes, in the order in which the text refers to them: `[1]`."""

    def __init__(self) -> None:
        self._numbers: dict[tuple[str, str], int] = {}
        self._kind = ""

    def of(self, kind: str) -> Self:
        """From here on it is the notes of that kind that are read."""
        self._kind = kind
        return self

    def refer(self, kind: str, note: str) -> str:
        """The mark where the text refers to a note."""
        number = self._numbers.setdefault((kind, note), len(self._numbers) + 1)
        return f"[{number}]"

    def mark_of(self, note: str) -> str | None:
        """The mark of a note that is read; None where nothing refers to it."""
        number = self._numbers.get((self._kind, note))
        return f"[{number}] " if number else None


@dataclass(slots=True)
class _Paragraph:
    parts: list[str] = field(default_factory=list)
    style: str | None = None
    depth: int | None = None
    outline: int | None = None
    is_numbered: bool | None = None


class DocumentText:
    """Takes the events of a part and adds its paragraphs to `cells`."""

    def __init__(self, styles: Styles, cells: Cells, marks: NoteMarks) -> None:
        self._styles = styles
        self._cells = cells
        self._marks = marks
        self._paragraphs: list[_Paragraph] = []
        self._left_out = 0
        self._is_text = False
        self._in_properties = 0
        self._note_mark: str | None = ""
        self._handlers: Mapping[str, Callable[[Mapping[str, str]], None]] = {
            "w:p": lambda _: self._paragraphs.append(_Paragraph()),
            "w:tr": lambda _: self._cells.begin_row(),
            "w:tc": lambda _: self._cells.begin_cell(),
            "w:pStyle": self._style,
            "w:ilvl": self._depth,
            "w:numId": self._numbering,
            "w:outlineLvl": self._outline,
        }

    def start(self, name: str, attributes: Mapping[str, str]) -> None:
        """See `Events.start`."""
        if self._left_out or name in _LEFT_OUT:
            self._left_out += 1
        elif name in {"w:t", "m:t"}:
            self._is_text = True
        elif name in {"w:pPr", "w:tblPr", "w:sectPr"}:
            self._in_properties += 1
        elif name in self._handlers:
            self._handlers[name](attributes)
        elif name in _NOTES:
            self._note_mark = self._marks.mark_of(attributes.get("w:id", ""))
        elif self._paragraphs and not self._in_properties:
            self._sign(name, attributes)

    def end(self, name: str) -> None:
        """See `Events.end`."""
        self._is_text = False
        if self._left_out:
            self._left_out -= 1
        elif name in {"w:pPr", "w:tblPr", "w:sectPr"}:
            self._in_properties -= 1
        elif name == "w:p" and self._paragraphs:
            self._add(self._paragraphs.pop())
        elif name == "w:tr":
            self._cells.end_row()

    def text(self, data: str) -> None:
        """See `Events.text`."""
        if self._is_text and not self._left_out and self._paragraphs:
            self._paragraphs[-1].parts.append(data)

    def _sign(self, name: str, attributes: Mapping[str, str]) -> None:
        if name in _SIGNS:
            self._paragraphs[-1].parts.append(_SIGNS[name])
        elif name in _REFERENCES:
            mark = self._marks.refer(_REFERENCES[name], attributes.get("w:id", ""))
            self._paragraphs[-1].parts.append(mark)

    def _style(self, attributes: Mapping[str, str]) -> None:
        if self._paragraphs:
            self._paragraphs[-1].style = attributes.get("w:val")

    def _depth(self, attributes: Mapping[str, str]) -> None:
        if self._paragraphs:
            self._paragraphs[-1].depth = _number(attributes)

    def _numbering(self, attributes: Mapping[str, str]) -> None:
        if self._paragraphs:
            self._paragraphs[-1].is_numbered = attributes.get("w:val") != "0"

    def _outline(self, attributes: Mapping[str, str]) -> None:
        if self._paragraphs:
            self._paragraphs[-1].outline = _number(attributes)

    def _add(self, paragraph: _Paragraph) -> None:
        text = "".join(paragraph.parts)
        if self._note_mark is None or self._styles.is_contents(paragraph.style):
            return
        if self._note_mark and text.strip():
            text, self._note_mark = self._note_mark + text.strip(), ""
        level = self._styles.heading_level(paragraph.style)
        if paragraph.outline is not None:
            level = paragraph.outline + 1 if paragraph.outline < _BODY_LEVEL else 0
        depth = self._styles.list_level(paragraph.style)
        if paragraph.is_numbered is not None:
            depth = (paragraph.depth or 0) if paragraph.is_numbered else None
        if level:
            self._cells.add(Piece(BlockKind.HEADING, text, level))
        elif depth is not None:
            self._cells.add(Piece(BlockKind.LIST_ITEM, text, depth))
        else:
            self._cells.add(Piece(BlockKind.PARAGRAPH, text))


def _number(attributes: Mapping[str, str]) -> int | None:
    value = attributes.get("w:val", "")
    return int(value) if value.isdigit() and len(value) < _BODY_LEVEL else None
