"""What a file is: told by what it holds, then by its name, then by the type it was sent with."""

import re

import pytest

from document_files import HTML, MARKDOWN, RTF, SAMPLES, read_here, reason, refusal, sample_pdf
from document_files_office import archive, docx, paragraph
from palimpsest.domain.extraction import FileName

OLE = bytes.fromhex("d0cf11e0a1b11ae1") + bytes(504)


@pytest.mark.parametrize("name", ["a.txt", "a", "a.docx", "a.html", "a.csv"])
def test_what_a_file_holds_comes_before_its_name(name: str) -> None:
    assert read_here(sample_pdf(), name).places[0] == "page 1"
    assert read_here(docx(paragraph("Inside")), name).text == "Inside\n"
    assert "done" in read_here(RTF.encode(), name).text


def test_an_extension_comes_before_the_type_and_the_type_before_nothing() -> None:
    text = b"# one\n"
    assert read_here(text, "a.txt", "text/markdown").shape == [("paragraph", 0, "# one")]
    assert read_here(text, "a", "text/markdown; charset=utf-8").shape == [("heading", 1, "# one")]
    assert read_here(text, "a.md", "application/octet-stream").shape == [("heading", 1, "# one")]
    assert read_here(text, "a.bin", "text/x-python").shape == [("code", 0, "# one")]
    assert read_here(text, "Makefile").shape == [("code", 0, "# one")]


def test_a_web_page_in_a_text_file_is_read_as_one() -> None:
    assert "script text" not in read_here(HTML.encode(), "a.txt").text
    assert read_here(HTML.encode(), "saved").extraction.title == "The lighthouse"
    assert read_here(HTML.encode(), "a.php").text == HTML
    assert read_here(MARKDOWN.encode(), "a.html").text  # no tags: all of it is text


def test_a_pdf_may_begin_within_the_first_kilobyte() -> None:
    assert read_here(b"\r\n" * 100 + sample_pdf(), "a.pdf").places[0] == "page 1"
    assert read_here(b"junk " * 100 + sample_pdf(), "a.bin").places[0] == "page 1"
    about = b"A file that begins with %PDF-1.4 is a PDF.\n"
    assert read_here(about, "a.txt").text == about.decode()


@pytest.mark.parametrize(
    ("data", "word"),
    [
        (b"\x89PNG\r\n\x1a\n" + bytes(40), "image"),
        (b"\xff\xd8\xff\xe0" + bytes(40), "image"),
        (b"MZ\x90\x00" + bytes(40), "program"),
        (b"\x7fELF" + bytes(40), "program"),
        (b"\x1f\x8b\x08\x00" + bytes(40), "archive"),
        (b"7z\xbc\xaf\x27\x1c" + bytes(40), "archive"),
        (b"name" + bytes(253) + b"ustar\x0000", "archive"),
        (archive({"a.txt": "text", "../b.txt": "x"}), "archive"),
        (archive({"mimetype": "application/vnd.oasis.opendocument.text"}), "OpenDocument"),
        (archive({"[Content_Types].xml": "", "xl/workbook.bin": ""}), "binary Excel"),
        (OLE + "WordDocument\0".encode("utf-16-le"), r"\.docx"),
        (OLE + "Workbook\0".encode("utf-16-le"), r"\.xlsx"),
        (OLE + "PowerPoint Document\0".encode("utf-16-le"), r"\.pptx"),
        (OLE, "new format"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
@pytest.mark.parametrize("name", ["a.txt", "a.pdf", "a.docx", "a"])
def test_what_is_not_read_is_named_whatever_it_is_called(data: bytes, word: str, name: str) -> None:
    error = refusal(data, name)
    assert error.reason == "unsupported_type"
    assert re.search(word, error.detail)


def test_an_office_document_under_a_password_is_encrypted() -> None:
    data = OLE + "EncryptedPackage\0".encode("utf-16-le")
    assert reason(data, "a.docx") == "encrypted"


def test_what_is_two_things_has_one_reading() -> None:
    document, book = sample_pdf(), docx(paragraph("Inside"))
    assert read_here(document + book, "a.docx").places[0] == "page 1"
    assert read_here(book + document, "a.pdf").text == "Inside\n"
    page = b"<!doctype html><p>page</p><!--" + book + b"-->"
    assert reason(page, "a.html") == "unsupported_type"  # no text in any encoding


@pytest.mark.parametrize("name", [*SAMPLES, "a.pdf"])
@pytest.mark.parametrize("other", ["txt", "pdf", "docx", "xlsx", "json", "eml", "html", "epub"])
def test_a_wrong_extension_never_breaks_anything(name: str, other: str) -> None:
    data = sample_pdf() if name == "a.pdf" else SAMPLES[name]()
    assert read_here(data, f"a.{other}").text.strip()


def test_names_are_told_by_their_last_extension() -> None:
    assert FileName("a/b.tar/c.MD").extension == "md"
    assert FileName(".md").extension == ""
