"""PDF: the text layer by pages, with headings and paragraphs; images of text have none."""

import pytest

from document_files import read_here, reason, refusal
from document_files_pdf import Line, Page, Pdf, lines_of, pdf

PARAGRAPH = "The lamp of the lighthouse was lit for the first time\nin the autumn of 1851, by hand."


def test_pages_are_read_in_order_with_their_numbers() -> None:
    pages = [Page(lines_of(f"This is page number {n} of three.")) for n in "123"]
    read = read_here(pdf(Pdf(pages)), "a.pdf")
    assert read.places == ["page 1", "page 2", "page 3"]
    assert read.text == "\n\n".join(f"This is page number {n} of three." for n in "123") + "\n"


def test_wider_gaps_and_larger_type_part_paragraphs_and_headings() -> None:
    first = Page([Line("1 The cape", 790, size=18), *lines_of(PARAGRAPH, PARAGRAPH, top=750)])
    heading = Line("1.1 The lamp", 600, size=14)
    second = Page([*lines_of(PARAGRAPH), heading, *lines_of(PARAGRAPH, top=570)])
    read = read_here(pdf(Pdf([first, second], title="On lamps")), "a.pdf")
    assert read.shape == [
        ("heading", 1, "1 The cape"),
        ("paragraph", 0, PARAGRAPH),
        ("paragraph", 0, PARAGRAPH),
        ("paragraph", 0, PARAGRAPH),
        ("heading", 2, "1.1 The lamp"),
        ("paragraph", 0, PARAGRAPH),
    ]
    assert read.extraction.title == "On lamps"


def test_the_outline_names_headings_of_any_size() -> None:
    page = Page(lines_of(f"Keepers\n{PARAGRAPH}", PARAGRAPH))
    read = read_here(pdf(Pdf([page], outline=[("Keepers", 0), ("Elsewhere", 0)])), "a.pdf")
    assert read.shape[:2] == [("heading", 1, "Keepers"), ("paragraph", 0, PARAGRAPH)]


def test_a_document_of_large_type_only_has_no_headings() -> None:
    large = Line("A poster with some large words", 700, size=40)
    page = Page([large, Line("and small ones, which are a few more", 600, size=10)])
    read = read_here(pdf(Pdf([page])), "a.pdf")
    assert [kind for kind, _level, _text in read.shape] == ["paragraph", "paragraph"]


def test_columns_are_read_one_after_another() -> None:
    left = [Line(f"left column line {n}", 700 - 14 * n) for n in range(4)]
    right = [Line(f"right column line {n}", 700 - 14 * n, x=320) for n in range(4)]
    read = read_here(pdf(Pdf([Page([*left, *right])])), "a.pdf")
    assert [text.split()[0] for _kind, _level, text in read.shape] == ["left", "right"]


def test_a_hyphen_at_the_end_of_a_line_stays() -> None:
    text = "It was a very inter-\nesting lamp, well-\nknown to all of us."
    assert read_here(pdf(Pdf([Page(lines_of(text))])), "a.pdf").text == f"{text}\n"


def test_bullets_are_list_items() -> None:
    text = "What there is to be seen here:\n• the lamp and its keeper\n• the stairs\nup to it"
    read = read_here(pdf(Pdf([Page(lines_of(text))])), "a.pdf")
    assert [kind for kind, _level, _text in read.shape] == ["paragraph", "list_item", "list_item"]


WATERMARK = [Line("CONFIDENTIAL", 400, size=40)]


@pytest.mark.parametrize(
    "pages",
    [
        [Page(scan=True)] * 3,
        [Page(WATERMARK, scan=True)],
        [Page(WATERMARK, scan=True)] * 3,
        [Page(WATERMARK)] * 3,
        [Page(WATERMARK)],
        [Page([Line(f"Scan {n}", 20)], scan=True) for n in range(4)],
        [Page([Line("Scanned with an application on 1 May by me", 20)], scan=True)] * 3,
        [Page()],
    ],
)
def test_g5_images_with_or_without_a_mark_have_no_text(pages: list[Page]) -> None:
    assert reason(pdf(Pdf(pages)), "a.pdf") == "no_text"


@pytest.mark.parametrize(
    "pages",
    [
        [Page([Line("Mira drinks green tea.", 700)])],
        [Page(WATERMARK, scan=True)] * 3 + [Page(lines_of(PARAGRAPH, PARAGRAPH))],
        [Page([Line("One thing", 700)]), Page([Line("Another one", 700)])],
        [Page(lines_of(PARAGRAPH, PARAGRAPH), scan=True)],
    ],
)
def test_little_text_is_text(pages: list[Page]) -> None:
    assert read_here(pdf(Pdf(pages)), "a.pdf").text.strip()


def test_g5_a_pdf_with_a_password_is_encrypted() -> None:
    error = refusal(pdf(Pdf([Page(lines_of(PARAGRAPH))], password="secret")), "a.pdf")
    assert (error.reason, error.detail) == ("encrypted", "A password is needed to open it.")


def test_a_pdf_that_anybody_may_open_is_read() -> None:
    document = Pdf([Page(lines_of(PARAGRAPH, PARAGRAPH))], password="", title="Öffentlich")
    read = read_here(pdf(document), "a.pdf")
    assert read.text.startswith(PARAGRAPH)
    assert read.extraction.title == "Öffentlich"


@pytest.mark.parametrize("title", ["untitled", "Microsoft Word - plan.doc", "plan.pdf", ""])
def test_titles_that_programs_fill_in_are_none(title: str) -> None:
    document = Pdf([Page(lines_of(PARAGRAPH))], title=title)
    assert read_here(pdf(document), "a.pdf").extraction.title is None


def test_glyphs_without_characters_are_no_text() -> None:
    names = b"".join(b"/uniE0%02X" % number for number in range(26))
    font = (
        b"<</Type/Font/Subtype/Type1/BaseFont/Own/FirstChar 97/LastChar 122"
        b"/Encoding<</Type/Encoding/Differences[97" + names + b"]>>>>"
    )
    data = pdf(Pdf([Page(lines_of("these words are drawn but nobody knows which they are"))]))
    plain = b"<</Type/Font/Subtype/Type1/BaseFont/Helvetica/Encoding/WinAnsiEncoding>>"
    assert plain in data
    error = refusal(data.replace(plain, font), "a.pdf")
    assert (error.reason, "glyphs" in error.detail) == ("no_text", True)


def test_characters_beyond_16_bits_are_whole() -> None:
    names = b"/u1F600/u1D49C"
    font = (
        b"<</Type/Font/Subtype/Type1/BaseFont/Own/FirstChar 97/LastChar 122"
        b"/Encoding<</Type/Encoding/Differences[120" + names + b"]>>>>"
    )
    data = pdf(Pdf([Page(lines_of("it has an x and a y in the middle of a line", "then more"))]))
    plain = b"<</Type/Font/Subtype/Type1/BaseFont/Helvetica/Encoding/WinAnsiEncoding>>"
    text = read_here(data.replace(plain, font), "a.pdf").text
    assert text == "it has an 😀 and a 𝒜 in the middle of a line\nthen more\n"
