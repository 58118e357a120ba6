"""Places in documents, as citations say them; names of files."""

import pytest

from palimpsest.domain.extraction import Block, BlockKind, FileName, Place, Unit


@pytest.mark.parametrize(
    ("place", "said"),
    [
        (Place(Unit.PAGE, 3, 3), "page 3"),
        (Place(Unit.PAGE, 3, 4), "pages 3-4"),
        (Place(Unit.LINE, 12, 40), "lines 12-40"),
        (Place(Unit.ROW, 14, 20, "Prices"), "sheet Prices, rows 14-20"),
        (Place(Unit.ROW, 14, 14), "row 14"),
        (Place(Unit.PART, 2, 2, "Chapter One"), "Chapter One, part 2"),
    ],
)
def test_a_place_is_said_as_a_citation_says_it(place: Place, said: str) -> None:
    assert str(place) == said


def test_a_place_goes_on_to_a_later_one_of_its_kind() -> None:
    first = Place(Unit.ROW, 2, 3, "Prices")
    assert first.upto(Place(Unit.ROW, 5, 6, "Prices")) == Place(Unit.ROW, 2, 6, "Prices")
    assert first.upto(Place(Unit.ROW, 5, 6, "Sums")) == first
    assert first.upto(Place(Unit.PAGE, 5, 6)) == first


def test_lines_are_told_within_a_block_and_other_units_are_not() -> None:
    text = "one\ntwo\nthree\nfour\n"
    lines = Block(BlockKind.CODE, text, place=Place(Unit.LINE, 10, 13))
    assert lines.within(0, 4) == Place(Unit.LINE, 10, 10)
    assert lines.within(4, len(text)) == Place(Unit.LINE, 11, 13)
    assert Block(BlockKind.CODE, text, place=Place(Unit.PAGE, 2, 2)).within(4, 8) == Place(
        Unit.PAGE, 2, 2
    )
    assert Block(BlockKind.CODE, text).within(0, 4) is None


@pytest.mark.parametrize(
    ("name", "extension"),
    [("a.TXT", "txt"), ("d.x/a", ""), (".profile", ""), ("a.tar.gz", "gz"), ("d/a.b.md", "md")],
)
def test_the_extension_is_the_last_ending_of_the_name(name: str, extension: str) -> None:
    assert FileName(name).extension == extension
