"""Where chunks end, and what they say of where they stand."""

import pytest

from palimpsest.domain.chunks import chunked
from palimpsest.domain.extraction import Block, BlockKind, Place, Unit
from unit.domain.chunk_documents import characters, cut, heading, paragraphs, texts

FIVE = "One two three four five. "


def row(text: str, place: Place | None = None) -> Block:
    return Block(BlockKind.TABLE_ROW, text, place=place)


def item(text: str, level: int = 0) -> Block:
    return Block(BlockKind.LIST_ITEM, text, level=level)


def on(unit: Unit, number: int, text: str, within: str | None = None) -> Block:
    return Block(BlockKind.PARAGRAPH, text, place=Place(unit, number, number, within))


def test_paragraphs_are_packed_whole() -> None:
    blocks = paragraphs(FIVE + "\n\n", FIVE + "\n\n", FIVE)
    assert texts(blocks) == [f"{FIVE}\n\n{FIVE}\n\n", FIVE]


def test_a_chunk_ends_with_a_paragraph_rather_than_full() -> None:
    blocks = paragraphs("One two three four five six seven.\n\n", "Eight nine ten. " * 4)
    assert texts(blocks)[0] == "One two three four five six seven.\n\n"


def test_a_paragraph_that_fills_less_than_half_is_no_reason_to_end() -> None:
    blocks = paragraphs("One two three.\n\n", "Four five six. " * 4)
    assert texts(blocks)[0] == "One two three.\n\n" + "Four five six. " * 3


def test_sentences_are_kept_whole_where_they_fit() -> None:
    whole = (
        "Dr. A. Smith lives in the U.S. today, e.g. here! He left? Yes (he did.) 完了。次の文です。"
    )
    found = texts(paragraphs(whole), size=10)
    assert found == [
        "Dr. A. Smith lives in the U.S. today, e.g. here! ",
        "He left? Yes (he did.) 完了。次の文です。",
    ]


def test_a_long_sentence_ends_behind_a_clause_else_a_word_else_anywhere() -> None:
    clause = "one two three four five six seven eight nine ten, "
    assert texts(paragraphs(clause * 9), size=25) == [clause * 2] * 4 + [clause]
    assert texts(paragraphs("one two three four"), size=3) == ["one two three ", "four"]
    assert [
        chunk.text for chunk in chunked(paragraphs("q" * 10), tokens=characters, size=4, overlap=0)
    ] == ["qqqq", "qqq", "qqq"]


def test_lines_of_a_paragraph_are_no_sentences() -> None:
    wrapped = "The committee met on a\nTuesday and agreed on\nnothing. It had met before\nthat."
    assert texts(paragraphs(wrapped), size=10) == [
        "The committee met on a\nTuesday and agreed on\nnothing. ",
        "It had met before\nthat.",
    ]


def test_a_blank_line_within_a_block_is_a_paragraph() -> None:
    whole = "One two three four five six\n \nseven eight. Nine ten eleven twelve thirteen."
    assert texts(paragraphs(whole))[0] == "One two three four five six\n \n"


def test_code_ends_with_a_line_and_rather_with_a_blank_one() -> None:
    source = "def first():\n    return one\n\ndef second():\n    if two:\n        return two\n"
    code = Block(BlockKind.CODE, source)
    assert texts([code], size=7) == [
        "def first():\n    return one\n\n",
        "def second():\n    if two:\n        return two\n",
    ]
    assert texts([code], size=4) == [
        "def first():\n    return one\n\n",
        "def second():\n    if two:\n",
        "        return two\n",
    ]


def test_a_line_of_code_that_is_too_long_is_cut_within() -> None:
    line = "x = [" + ", ".join(str(number) for number in range(200)) + "]\n"
    found = texts([Block(BlockKind.CODE, line + "y = 1\n")], size=50)
    assert "".join(found) == line + "y = 1\n"
    assert all(text.endswith((", ", "]\n")) for text in found[:-1])


def test_rows_and_items_are_whole_and_a_list_stays_with_its_sentence() -> None:
    rows = [row(f"Item {n} costs {n}\n") for n in range(5)]
    assert texts([*paragraphs("Prices of all of them. "), *rows]) == [
        "Prices of all of them. Item 0 costs 0\n",
        "Item 1 costs 1\nItem 2 costs 2\nItem 3 costs 3\n",
        "Item 4 costs 4\n",
    ]
    listed = [*paragraphs("Many words stand here first.\n", "There are:\n"), item("one two\n")]
    assert texts([*listed, item("three four five six\n")], size=10) == [
        "Many words stand here first.\n",
        "There are:\none two\nthree four five six\n",
    ]


def test_a_nested_item_stays_with_its_parent() -> None:
    blocks = [item("one two\n"), item("three four\n"), item("five six\n", 1), item("seven\n", 1)]
    assert texts(blocks, size=6) == ["one two\nthree four\nfive six\n", "seven\n"]
    assert texts([*blocks[:3], item("seven\n")], size=5) == [
        "one two\nthree four\n",
        "five six\nseven\n",
    ]
    assert texts([item(FIVE), item(FIVE), item("a b\n", 1), item(FIVE)], size=13) == [
        f"{FIVE}{FIVE}a b\n",
        FIVE,
    ]


def test_a_heading_stays_with_what_follows_and_other_headings() -> None:
    blocks = [heading("Title\n"), *paragraphs(FIVE, FIVE), heading("Part\n", 2), heading("A\n", 3)]
    assert texts([*blocks, *paragraphs(FIVE)]) == [
        f"Title\n{FIVE}{FIVE}",
        f"Part\nA\n{FIVE}",
    ]


def test_a_heading_is_a_stronger_border_than_a_deeper_one() -> None:
    blocks = [heading("T\n"), *paragraphs(FIVE), heading("Two\n", 2), *paragraphs("Two. ")]
    deeper = [heading("Three\n", 3), *paragraphs("One more two. ")]
    assert texts([*blocks, *deeper], size=11) == [f"T\n{FIVE}", "Two\nTwo. Three\nOne more two. "]


def test_the_first_heading_and_any_as_high_is_top_level() -> None:
    blocks = [
        *paragraphs("Before. "),
        heading("A\n", 3),
        *paragraphs("In A. "),
        heading("B\n", 2),
        *paragraphs("In B. "),
        heading("C\n", 3),
        *paragraphs("In C. "),
        heading("D\n", 2),
        *paragraphs("In D."),
    ]
    assert texts(blocks, size=100) == [
        "Before. ",
        "A\nIn A. ",
        "B\nIn B. C\nIn C. ",
        "D\nIn D.",
    ]


def test_the_path_is_that_of_the_first_text_and_of_the_headings_a_chunk_begins_with() -> None:
    blocks = [
        heading(" The\nTitle \n"),
        *paragraphs(FIVE),
        heading("Part\n", 2),
        heading("Deep\n", 3),
        *paragraphs(FIVE * 4),
        heading("Last\n", 2),
        *paragraphs("End. "),
        heading(" \n", 2),
        heading("Alone\n"),
    ]
    assert [(chunk.heading_path, chunk.text[:5]) for chunk in cut(blocks)] == [
        (("The Title",), " The\n"),
        (("The Title", "Part", "Deep"), "Part\n"),
        (("The Title", "Part", "Deep"), "One t"),
        (("Alone",), "Alone"),
    ]


def test_a_long_heading_is_cut_and_of_a_long_path_the_inner_end_is_kept() -> None:
    long = heading("word " * 100 + "\n")
    (title,) = cut([long], size=200)[0].heading_path
    assert title == "word " * 50 + "word…"
    blocks = [heading("検" * 300, level) for level in range(1, 5)]
    path = cut([*blocks, *paragraphs("text")], size=200)[-1].heading_path
    assert path == ("検" * 255 + "…",)
    assert cut([heading(" " * 2_000 + "x")], size=9)[0].heading_path == ("…",)


def test_levels_out_of_all_bounds_are_taken_as_the_nearest() -> None:
    blocks = [heading("A\n", -3), heading("B\n", 40), heading("C\n", 99), *paragraphs("text")]
    assert [chunk.heading_path for chunk in cut(blocks)] == [("A", "C")]


def test_sheets_and_named_parts_are_never_mixed() -> None:
    rows = [
        row("a b\n", Place(Unit.ROW, 1, 1, "Prices")),
        row("c d\n", Place(Unit.ROW, 2, 2, "Prices")),
        row("e f\n", Place(Unit.ROW, 1, 1, "Sales")),
    ]
    found = cut(rows, size=100)
    assert [chunk.text for chunk in found] == ["a b\nc d\n", "e f\n"]
    assert [str(chunk.place) for chunk in found] == ["sheet Prices, rows 1-2", "sheet Sales, row 1"]


def test_slides_are_mixed_only_while_they_are_tiny() -> None:
    slides = [on(Unit.SLIDE, n, text) for n, text in enumerate(("Title\n", FIVE, FIVE, "End"), 1)]
    found = cut(slides, size=24, overlap=6)
    assert [chunk.text for chunk in found] == [f"Title\n{FIVE}", FIVE, "End"]
    assert [str(chunk.place) for chunk in found] == ["slides 1-2", "slide 3", "slide 4"]


def test_a_sentence_that_goes_on_overleaf_is_not_ended_there() -> None:
    left = on(Unit.PAGE, 1, f"{FIVE}{FIVE}One two three\n")
    right = on(Unit.PAGE, 2, f"four five six seven eight. {FIVE * 2}")
    found = cut([left, right], size=20)
    assert [chunk.text for chunk in found] == [
        f"{FIVE}{FIVE}One two three\nfour five six seven eight. ",
        FIVE * 2,
    ]
    assert [str(chunk.place) for chunk in found] == ["pages 1-2", "page 2"]
    ended = on(Unit.PAGE, 1, f"{FIVE}{FIVE}One two three.\n")
    assert texts([ended, right], size=20)[0] == ended.text


def test_lines_are_counted_to_where_a_chunk_begins_and_ends() -> None:
    source = "one two\nthree\n\nfour five\nsix\n"
    block = Block(BlockKind.CODE, source, place=Place(Unit.LINE, 10, 14))
    found = cut([block], size=3)
    assert [(chunk.text, str(chunk.place)) for chunk in found] == [
        ("one two\nthree\n\n", "lines 10-11"),
        ("four five\nsix\n", "lines 13-14"),
    ]


def test_a_place_that_only_the_end_has_is_not_the_chunk_s() -> None:
    blocks = [*paragraphs("one "), on(Unit.PAGE, 2, "two ")]
    assert [chunk.place for chunk in cut(blocks)] == [None]
    assert [str(chunk.place) for chunk in cut(blocks[::-1])] == ["page 2"]


@pytest.mark.parametrize(
    ("former", "block"),
    [("a", "\u0301b"), ("🇩", "🇪 b"), ("👩\u200d", "👧 b"), ("a\r", "\nb"), ("a", "\u0301")],
)
def test_a_block_that_begins_within_a_character_leaves_it_to_the_former(
    former: str, block: str
) -> None:
    found = texts([*paragraphs(former), heading(block)], size=1)
    assert found[0].startswith(former)
    assert "".join(found) == former + block
    assert not any(text.startswith(("\u0301", "🇪", "👧", "\n")) for text in found)
