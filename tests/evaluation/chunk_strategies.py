"""Ways of cutting a document, and of what is embedded and what words are found of a chunk."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum

from palimpsest.adapters.onnx import OnnxEmbedder
from palimpsest.domain.chunks import Chunk, chunked
from palimpsest.domain.extraction import Block, BlockKind
from palimpsest.domain.records import Content


class Cutting(StrEnum):
    """`WINDOWS`: so many words' tokens, wherever they end. `SENTENCES`: whole sentences, nothing
    known of headings and paragraphs. `STRUCTURE`: what the service does.
    """

    WINDOWS = "windows"
    SENTENCES = "sentences"
    STRUCTURE = "structure"


class Headings(StrEnum):
    """Where the heading path stands: not at all, before the text, behind it, in the words alone or
    in the embedded text alone.
    """

    NONE = "none"
    BEFORE = "before"
    BEHIND = "behind"
    WORDS = "words only"
    EMBEDDED = "embedded only"


@dataclass(frozen=True, slots=True)
class Strategy:
    """One way."""

    cutting: Cutting
    size: int
    overlap: int
    headings: Headings = Headings.NONE

    @property
    def name(self) -> str:
        """As the table says it."""
        return f"{self.cutting}, {self.size}/{self.overlap}, headings {self.headings}"

    def chunks(self, blocks: Sequence[Block], embedder: OnnxEmbedder) -> list[Chunk]:
        """The chunks of a document."""
        whole = "".join(block.text for block in blocks)
        if self.cutting is Cutting.WINDOWS:
            return list(_windows(whole, embedder.count_tokens, self.size, self.overlap))
        if self.cutting is Cutting.SENTENCES:
            blocks = [Block(BlockKind.PARAGRAPH, whole.replace("\n", " "))]
        return list(
            chunked(blocks, tokens=embedder.count_tokens, size=self.size, overlap=self.overlap)
        )

    def content(self, chunk: Chunk) -> Content:
        """What the words of a chunk are found in."""
        path = " > ".join(chunk.heading_path)
        has_words = self.headings not in {Headings.NONE, Headings.EMBEDDED}
        return Content(text=chunk.text, title=path if path and has_words else None)

    def embedded(self, chunk: Chunk) -> str:
        """What the model reads of a chunk."""
        path = " > ".join(chunk.heading_path)
        if not path or self.headings in {Headings.NONE, Headings.WORDS}:
            return chunk.text
        if self.headings is Headings.BEHIND:
            return f"{chunk.text}\n{path}"
        return f"{path}\n{chunk.text}"


def _windows(
    text: str, count: Callable[[Sequence[str]], Sequence[int]], size: int, overlap: int
) -> Iterator[Chunk]:
    """Windows of words, or of characters where a word is long, each begun `size` - `overlap` tokens
    after the former.
    """
    parts = _small_parts(text)
    counts = count([text[begin:end] for begin, end in parts])
    first = 0
    ordinal = 0
    while first < len(parts):
        end, held = first, 0
        while end < len(parts) and held + counts[end] <= size:
            held += counts[end]
            end += 1
        end = max(end, first + 1)
        start, stop = parts[first][0], parts[end - 1][1]
        yield Chunk(
            ordinal=ordinal,
            start=start,
            end=stop,
            text=text[start:stop],
            heading_path=(),
            place=None,
        )
        ordinal += 1
        if end == len(parts):
            return
        back = 0
        while end - 1 > first and back + counts[end - 1] <= overlap:
            back += counts[end - 1]
            end -= 1
        first = end


def _small_parts(text: str) -> list[tuple[int, int]]:
    """Words with the white space behind them; where there is none for long, single characters."""
    parts: list[tuple[int, int]] = []
    begin = 0
    for place, character in enumerate(text, 1):
        if character.isspace() or character > "\u2e80":
            parts.append((begin, place))
            begin = place
    return [*parts, (begin, len(text))] if begin < len(text) else parts
