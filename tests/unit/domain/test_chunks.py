"""What holds of the chunks of any document."""

import itertools
from collections.abc import Iterator, Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from palimpsest.domain.chunks import MOST_BYTES, Chunk, chunked
from palimpsest.domain.embedding import is_blank
from palimpsest.domain.extraction import Block, BlockKind
from palimpsest.domain.whole_characters import whole_end
from unit.domain.chunk_documents import (
    BLOCKS,
    DOCUMENTS,
    HARD,
    SIZES,
    characters,
    paragraphs,
    text_of,
    words,
)

Sizes = tuple[int, int]
unhurried = settings(deadline=None)


def chunks_of(blocks: Sequence[Block], sizes: Sizes) -> list[Chunk]:
    size, overlap = sizes
    return list(chunked(blocks, tokens=characters, size=size, overlap=overlap))


def is_border(text: str, place: int) -> bool:
    """Whether a cut there parts no character; what a text begins with is one, too."""
    return place in {0, len(text)} or whole_end(f"\n{text}", place + 1) == place + 1


@unhurried
@given(DOCUMENTS, SIZES)
def test_chunks_without_their_overlaps_are_the_text(blocks: list[Block], sizes: Sizes) -> None:
    whole, chunks = text_of(blocks), chunks_of(blocks, sizes)
    ends = [0, *(chunk.end for chunk in chunks)]
    own = [chunk.text[end - chunk.start :] for chunk, end in zip(chunks, ends, strict=False)]
    assert "".join(own) == ("" if is_blank(whole) else whole)
    assert all(own)


@unhurried
@given(DOCUMENTS, SIZES)
def test_offsets_are_exact(blocks: list[Block], sizes: Sizes) -> None:
    whole = text_of(blocks)
    for chunk in chunks_of(blocks, sizes):
        assert chunk.text == whole[chunk.start : chunk.end]


@unhurried
@given(DOCUMENTS, SIZES)
def test_ordinals_have_no_gaps_and_no_chunk_is_blank(blocks: list[Block], sizes: Sizes) -> None:
    chunks = chunks_of(blocks, sizes)
    assert [chunk.ordinal for chunk in chunks] == list(range(len(chunks)))
    assert not any(is_blank(chunk.text) for chunk in chunks)


@unhurried
@given(DOCUMENTS, SIZES)
def test_no_chunk_has_too_many_tokens_unless_it_is_one_character(
    blocks: list[Block], sizes: Sizes
) -> None:
    for chunk in chunks_of(blocks, sizes):
        if len(chunk.text) > sizes[0]:
            text = chunk.text
            for place in range(1, len(text)):
                parts = not is_blank(text[:place]) and not is_blank(text[place:])
                assert not (parts and is_border(text, place)), (text, place)


@unhurried
@given(DOCUMENTS, SIZES)
def test_no_character_is_parted(blocks: list[Block], sizes: Sizes) -> None:
    whole = text_of(blocks)
    for chunk in chunks_of(blocks, sizes):
        assert is_border(whole, chunk.start)
        assert is_border(whole, chunk.end)


@unhurried
@given(DOCUMENTS, SIZES)
def test_an_overlap_has_at_most_so_many_tokens_and_is_not_all_of_the_former_chunk(
    blocks: list[Block], sizes: Sizes
) -> None:
    for former, chunk in itertools.pairwise(chunks_of(blocks, sizes)):
        assert former.end - chunk.start <= sizes[1]
        assert former.start < chunk.start <= former.end < chunk.end


@unhurried
@given(DOCUMENTS, SIZES)
def test_the_same_document_gives_the_same_chunks(blocks: list[Block], sizes: Sizes) -> None:
    assert chunks_of(blocks, sizes) == chunks_of(blocks, sizes)


@unhurried
@given(st.lists(st.builds(Block, st.just(BlockKind.PARAGRAPH), st.just("word ")), max_size=9))
def test_how_a_text_lies_in_blocks_of_one_kind_does_not_lose_a_word(blocks: list[Block]) -> None:
    chunks = chunks_of(blocks, (10, 0))
    assert sum(len(chunk.text) for chunk in chunks) == len(text_of(blocks))


@unhurried
@given(DOCUMENTS, SIZES)
def test_no_chunk_goes_on_across_a_top_level_heading(blocks: list[Block], sizes: Sizes) -> None:
    tops, smallest, offset = [], 9, 0
    shown = [Block(b.kind, f"x{b.text}x ", b.level, b.place) for b in blocks]
    for block in shown:
        level = max(block.level, 1)
        if block.kind is BlockKind.HEADING and level <= smallest:
            smallest = level
            tops.append(offset)
        offset += len(block.text)
    for chunk in chunks_of(shown, sizes):
        assert not any(chunk.start < top < chunk.end for top in tops)


@unhurried
@given(st.lists(BLOCKS.filter(lambda block: block.kind is BlockKind.HEADING), max_size=6))
def test_a_heading_path_is_bounded_and_has_no_empty_heading(blocks: list[Block]) -> None:
    for chunk in chunks_of(blocks, (20, 5)):
        assert all(chunk.heading_path)
        assert sum(len(title.encode()) for title in chunk.heading_path) <= 1_024


@pytest.mark.parametrize("hard", HARD)
def test_a_long_run_of_one_character_is_cut_between_characters(hard: str) -> None:
    whole = "a" + hard * 3_000
    chunks = list(chunked(paragraphs(whole), tokens=characters, size=100, overlap=20))
    ends = [0, *(chunk.end for chunk in chunks)]
    assert all(is_border(whole, chunk.end) for chunk in chunks)
    for chunk, end in zip(chunks, ends, strict=False):
        assert chunk.start <= end
    assert whole.startswith(
        "".join(c.text[e - c.start :] for c, e in zip(chunks, ends[:-1], strict=True))
    )


def test_a_chunk_is_no_longer_than_a_record_may_be() -> None:
    def one_each(several: Sequence[str]) -> list[int]:
        return [1] * len(several)

    blocks = paragraphs("検" * 400_000, ("a" + "\u3000" * 4_000) * 90)
    chunks = list(chunked(blocks, tokens=one_each, size=5_000))
    assert max(len(chunk.text.encode()) for chunk in chunks) <= MOST_BYTES
    assert all(former.end < chunk.end for former, chunk in itertools.pairwise(chunks))
    assert chunks[-1].end == len(text_of(blocks))


def test_chunks_come_while_an_endless_document_is_read() -> None:
    read = 0

    def endless() -> Iterator[Block]:
        nonlocal read
        while True:
            read += 1
            yield Block(
                BlockKind.PARAGRAPH, "One more sentence of ten words stands here, for now.\n"
            )

    chunks = chunked(endless(), tokens=words)
    first = [next(chunks) for _ in range(3)]
    assert first[2].end > 3_000
    assert read < 700


def test_texts_are_counted_some_hundreds_at_a_time() -> None:
    calls: list[int] = []

    def counting(several: Sequence[str]) -> list[int]:
        calls.append(len(several))
        return words(several)

    list(chunked(paragraphs(*["A sentence of six words only. "] * 5_000), tokens=counting))
    assert len(calls) == 10
    assert max(calls) == 512


@pytest.mark.parametrize(("size", "overlap"), [(10, 10), (10, 11), (10, -1), (0, 0)])
def test_an_overlap_that_leaves_nothing_is_refused(size: int, overlap: int) -> None:
    with pytest.raises(ValueError, match="overlap"):
        list(chunked([], tokens=words, size=size, overlap=overlap))


def test_a_blank_document_has_no_chunk() -> None:
    assert list(chunked(paragraphs("", " \n", "\u200b\ufeff"), tokens=words)) == []


@pytest.mark.parametrize("blank", [" ", "\n", " \n\t", "\u200b"])
def test_of_a_very_long_run_of_white_space_only_some_is_in_a_chunk(blank: str) -> None:
    whole = "one " + blank * 200_000 + " two"
    first, second = chunked(paragraphs(whole), tokens=words, size=10, overlap=0)
    assert first.text == whole[: first.end]
    assert second.text == whole[second.start :]
    assert is_blank(whole[first.end : second.start])
    assert 4_000 < len(first.text) < 9_000


def test_blank_blocks_belong_to_what_they_follow_and_the_first_to_what_follows() -> None:
    blank = [*paragraphs("\n", " "), *paragraphs("One two. ", "\n", "\n", "Three four.", "\n")]
    first, second = chunked(blank, tokens=words, size=2, overlap=0)
    assert (first.text, second.text) == ("\n One two. \n\n", "Three four.\n")


def test_long_runs_of_blank_blocks_are_bounded_too() -> None:
    blank = paragraphs(*["\n"] * 9_000)
    first, second = chunked([*paragraphs("One. "), *blank, *paragraphs("Two.")], tokens=words)
    assert 8_000 < len(first.text) < 9_000
    assert (second.start, second.text) == (9_005, "Two.")
    (only,) = chunked([*blank, *paragraphs("Two.")], tokens=words)
    assert only.text == "\n" * 4_096 + "Two."


def test_white_space_that_is_left_out_ends_between_characters() -> None:
    joined = "  \u200d" * 3_000 + "👧 girl."
    (chunk,) = chunked(paragraphs(joined), tokens=words, size=10_000)
    assert chunk.end == len(joined)
    assert chunk.text.startswith(" \u200d")
    assert 4_000 < len(chunk.text) < 4_300
