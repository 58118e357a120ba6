"""Documents for tests of chunks: of any blocks, of the text that is hardest to cut."""

from collections.abc import Iterable, Sequence

from hypothesis import strategies as st

from palimpsest.domain.chunks import Chunk, chunked
from palimpsest.domain.extraction import Block, BlockKind, Place, Unit

HARD = (
    *"ab Z.!?,:;\n\t\r\u00a0\u3000\u2028",
    "\r\n",
    "\n\n",
    "  ",
    "e\u0301",
    "\u0301",
    "\u200d",
    "\u200b",
    "\ufeff",
    "👩‍👩‍👧‍👦",
    "👍🏽",
    "🇩🇪",
    "🇫",
    "ᄒ",
    "ᅡ",
    "ᆫ",
    "क्षि",
    "検索。",
    "索，",
    "ไม่ได้",
    "؟",
    "!\ufe0f",
    "Dr. A. word",
    "Yes. No",
)
TEXTS = st.lists(st.sampled_from(HARD), max_size=40).map("".join) | st.text(max_size=60)
PLACES = st.none() | st.builds(
    Place,
    st.sampled_from(Unit),
    st.integers(1, 3),
    st.just(3),
    st.sampled_from([None, "Prices", "Sales"]),
)
BLOCKS = st.builds(
    Block,
    kind=st.sampled_from(BlockKind),
    text=TEXTS,
    level=st.integers(0, 4),
    place=PLACES,
)
DOCUMENTS = st.lists(BLOCKS, max_size=8)
SIZES = st.integers(1, 40).flatmap(lambda size: st.tuples(st.just(size), st.integers(0, size - 1)))


def characters(texts: Sequence[str]) -> list[int]:
    """A tokenizer of which each code point is a token."""
    return [len(text) for text in texts]


def words(texts: Sequence[str]) -> list[int]:
    """One of which each word is one."""
    return [len(text.split()) for text in texts]


def text_of(blocks: Iterable[Block]) -> str:
    return "".join(block.text for block in blocks)


def paragraphs(*texts: str) -> list[Block]:
    return [Block(BlockKind.PARAGRAPH, text) for text in texts]


def heading(text: str, level: int = 1) -> Block:
    return Block(BlockKind.HEADING, text, level=level)


def texts(blocks: Iterable[Block], *, size: int = 12, overlap: int = 0) -> list[str]:
    """The texts of chunks of so many words."""
    return [chunk.text for chunk in cut(blocks, size=size, overlap=overlap)]


def cut(blocks: Iterable[Block], *, size: int = 12, overlap: int = 0) -> list[Chunk]:
    """Chunks of so many words."""
    return list(chunked(blocks, tokens=words, size=size, overlap=overlap))
