"""What a chunk repeats of the former one."""

import itertools

from palimpsest.domain.chunks import chunked
from palimpsest.domain.extraction import Block, BlockKind, Place, Unit
from unit.domain.chunk_documents import characters, heading, paragraphs, texts

FIVE = "One two three four five. "
SIX = "Alpha beta gamma delta epsilon zeta. "


def test_whole_sentences_are_repeated() -> None:
    found = texts(paragraphs((FIVE + SIX) * 3), size=18, overlap=7)
    assert found == [FIVE + SIX + FIVE, FIVE + SIX + FIVE, FIVE + SIX]


def test_where_the_last_sentence_is_too_long_its_last_words_are() -> None:
    sentence = " ".join(f"word{number:03}" for number in range(100)) + ". "
    found = texts(paragraphs(sentence), size=40, overlap=10)
    for former, text in itertools.pairwise(found):
        shared = next(n for n in range(len(former)) if text.startswith(former[n:]))
        assert 0 < len(former[shared:].split()) <= 10
        assert former[shared - 1] == " "


def test_nothing_is_repeated_below_another_heading() -> None:
    blocks = [heading("T\n"), *paragraphs(FIVE), heading("Part\n", 2), *paragraphs(SIX)]
    assert texts(blocks, size=9, overlap=5) == [f"T\n{FIVE}", f"Part\n{SIX}"]


def test_a_heading_is_not_repeated() -> None:
    blocks = [heading("T\n"), *paragraphs("One two. ", "A b c d e f. ")]
    assert texts(blocks, size=8, overlap=6) == ["T\nOne two. ", "One two. A b c d e f. "]


def test_nothing_of_another_slide_is_repeated() -> None:
    first = Block(BlockKind.PARAGRAPH, "Hi. ", place=Place(Unit.SLIDE, 1, 1))
    second = Block(BlockKind.PARAGRAPH, FIVE * 4, place=Place(Unit.SLIDE, 2, 2))
    assert texts([first, second], size=30, overlap=29) == [f"Hi. {FIVE * 4}"]
    found = texts([first, second], size=16, overlap=15)
    assert found == [f"Hi. {FIVE * 3}", f"{FIVE * 3}"[len(FIVE) :] + FIVE]


def test_what_has_no_words_is_not_repeated() -> None:
    chunks = list(chunked(paragraphs("q" * 500), tokens=characters, size=100, overlap=30))
    assert [chunk.start for chunk in chunks[1:]] == [chunk.end for chunk in chunks[:-1]]


def test_where_the_next_sentence_needs_the_room_less_is_repeated() -> None:
    long = "a b c d e f g h i j k l m n o p q. "
    found = texts(paragraphs(FIVE, FIVE, FIVE, long), size=20, overlap=10)
    assert found == [FIVE * 3, long]
