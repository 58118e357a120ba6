"""Files that are made to do harm, and files that are damaged: each ends in blocks or a reason."""

import io
import struct
import time
import zipfile
from contextlib import closing, suppress
from pathlib import Path
from typing import Final

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from document_files import SAMPLES, read_here, reason, sample_pdf
from document_files_office import (
    archive,
    cell,
    docx,
    epub,
    package,
    paragraph,
    pptx,
    shape,
    sheet,
    xlsx,
)
from document_files_pdf import Page, Pdf, lines_of, pdf
from palimpsest.adapters.parsers.limits import Limits
from palimpsest.adapters.parsers.reader import SandboxedReader
from palimpsest.domain.extraction import FileName, Unreadable

MIB: Final = 1024 * 1024
FEW_SECONDS: Final = 20


def sandboxed(folder: Path, name: str, data: bytes, **limits: float) -> str:
    """What becomes of a file in a process of its own: its text, or the reason."""
    source = folder / name
    source.write_bytes(data)
    reader = SandboxedReader(Limits(**limits))  # type: ignore[arg-type]
    begun = time.monotonic()
    try:
        with closing(reader.read(source, FileName(name))) as document:
            return "".join(block.text for block in document.blocks())
    except Unreadable as error:
        return error.reason.value
    finally:
        assert time.monotonic() - begun < FEW_SECONDS


def becomes_text_or_reason(data: bytes, name: str) -> None:
    """There is a text without broken characters, or a reason; nothing else is ever raised."""
    with suppress(Unreadable):
        read = read_here(data, name)
        assert read.text.strip()
        assert "\0" not in read.text
        assert read.text.encode()  # no lone surrogate


def bomb(name: str) -> bytes:
    """A document of which one part unpacks to a gigabyte."""
    part = io.BytesIO()
    zeros = bytes(MIB)
    parts = package(name, {})
    with zipfile.ZipFile(part, "w", zipfile.ZIP_DEFLATED) as target:
        for member, content in parts.items():
            target.writestr(member, content)
        with target.open(name, "w", force_zip64=True) as file:
            for _ in range(64):
                file.write(zeros)
    return part.getvalue()


def said_to_be(data: bytes, size: int) -> bytes:
    """An archive whose directory says of every member that it unpacks to so many bytes."""
    out = bytearray(data)
    at = out.find(b"PK\x01\x02")
    while at >= 0:
        out[at + 24 : at + 28] = struct.pack("<I", size)
        at = out.find(b"PK\x01\x02", at + 4)
    return bytes(out)


@pytest.mark.parametrize("name", ["word/document.xml", "xl/workbook.xml", "ppt/presentation.xml"])
def test_a_zip_bomb_is_too_large_before_it_is_unpacked(name: str) -> None:
    data = bomb(name)
    assert len(data) < MIB
    begun = time.process_time()
    assert reason(data, "a.docx") == "too_large"
    assert time.process_time() - begun < 1


def test_a_bomb_that_lies_about_its_size_is_corrupt() -> None:
    assert reason(said_to_be(bomb("word/document.xml"), 10), "a.docx") == "corrupt"


def test_many_members_together_are_too_large() -> None:
    book = epub(["<p>x</p>"], more={f"x{n}": "" for n in range(30)})
    assert reason(said_to_be(book, 15 * MIB), "a.epub") == "too_large"
    assert read_here(book, "a.epub").text == "x\n"


def test_an_archive_in_an_archive_is_not_opened() -> None:
    inner = bomb("word/document.xml")
    more = {"word/embeddings/a.docx": inner}
    main = docx(paragraph("Outside"))
    out = io.BytesIO(main)
    with zipfile.ZipFile(out, "a") as target:
        for member, content in more.items():
            target.writestr(member, content)
    assert read_here(out.getvalue(), "a.docx").text == "Outside\n"


def test_a_part_under_a_password_or_packed_strangely_is_not_read() -> None:
    data = bytearray(docx(paragraph("x")))
    at = data.find(b"PK\x01\x02")
    while at >= 0:
        data[at + 8] |= 1
        at = data.find(b"PK\x01\x02", at + 4)
    assert reason(bytes(data), "a.docx") == "encrypted"
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_LZMA) as target:
        for member, content in package("word/document.xml", {"word/document.xml": "<x/>"}).items():
            target.writestr(member, content)
    assert reason(out.getvalue(), "a.docx") == "unsupported_type"


def test_no_name_in_an_archive_is_ever_written(tmp_path: Path) -> None:
    absolute = tmp_path.parent / "escaped"
    escapes = {"../escaped.txt": "x", str(absolute): "x", "word/../../e": "x"}
    main = docx(paragraph("Inside"))
    out = io.BytesIO(main)
    with zipfile.ZipFile(out, "a") as target:
        for member, content in escapes.items():
            target.writestr(member, content)
    before = set(tmp_path.parent.iterdir())
    assert sandboxed(tmp_path, "a.docx", out.getvalue()) == "Inside\n"
    assert set(tmp_path.parent.iterdir()) == before


LAUGHS: Final = (
    '<?xml version="1.0"?><!DOCTYPE x [<!ENTITY a "ha">'
    + "".join(f'<!ENTITY a{n} "{f"&a{n - 1 or str()};" * 10}">' for n in range(1, 12))
    + "]><w:document>&a11;</w:document>"
)
EXTERNAL: Final = (
    '<?xml version="1.0"?><!DOCTYPE x [<!ENTITY a SYSTEM "file:///etc/hostname">]>'
    "<w:document>&a;</w:document>"
)


@pytest.mark.parametrize("xml", [LAUGHS, EXTERNAL])
def test_xml_that_declares_entities_is_corrupt(xml: str) -> None:
    assert (
        reason(archive(package("word/document.xml", {"word/document.xml": xml})), "a") == "corrupt"
    )
    assert reason(archive(package("xl/workbook.xml", {"xl/workbook.xml": xml})), "a") == "corrupt"
    svg = read_here(xml.encode(), "a.xml").text
    assert svg == xml  # as source code it is only text


def test_nesting_without_end_costs_little(tmp_path: Path) -> None:
    many = 100_000
    xml = f"<w:document>{'<a>' * many}{'</a>' * many}</w:document>"
    main = archive(package("word/document.xml", {"word/document.xml": xml}))
    assert sandboxed(tmp_path, "a.docx", main) == "corrupt"
    assert sandboxed(tmp_path, "b.json", b"[" * many + b"]" * many).startswith("[[")
    assert sandboxed(tmp_path, "b.jsonl", b"[" * many + b"]" * many).startswith("[[")
    page = "<p>start</p>" + "<div>" * many + "deep" + "</div>" * many
    assert sandboxed(tmp_path, "c.html", page.encode()) == "start\n\ndeep\n"
    assert sandboxed(tmp_path, "d.rtf", b"{\\rtf1 " + b"{" * many + b"x") == "corrupt"
    parts = "".join(
        f"Content-Type: multipart/mixed; boundary=b{n}\n\n--b{n}\n" for n in range(2000)
    )
    assert sandboxed(tmp_path, "e.eml", f"Subject: x\n{parts}".encode()) in {
        "corrupt",
        "Subject: x\n",
    }
    arrays = sample_pdf().replace(b"/MediaBox", b"/X" + b"[" * many + b"]" * many + b"/MediaBox")
    assert sandboxed(tmp_path, "f.pdf", arrays)
    markdown = "".join(f"{' ' * n}- x\n" for n in range(1000)) + "> " * many + "x\n"
    assert sandboxed(tmp_path, "g.md", markdown.encode()) == markdown


def test_a_page_nested_too_deeply_loses_its_structure_not_its_text() -> None:
    page = "<script>no</script>" + "<div>" * 1500 + "a &amp; b<style>no</style><p>c</p>" + "</div>"
    read = read_here(page.encode(), "a.html")
    assert read.shape == [("paragraph", 0, "a & b"), ("paragraph", 0, "c")]


def test_a_sheet_with_cells_far_apart_costs_what_is_in_it(tmp_path: Path) -> None:
    far = sheet(
        [(1, [cell("A1", "near")]), (1_048_576, [cell("XFD1048576", "far")])], "A1:XFD1048576"
    )
    assert sandboxed(tmp_path, "a.xlsx", xlsx({"A": far})) == "A\n\nnear\nfar\n"
    empty = "".join(f'<c r="{chr(65 + n % 26)}1"/>' for n in range(200_000))
    wide = sheet([(1, [empty, cell("B1", "value")])])
    assert sandboxed(tmp_path, "b.xlsx", xlsx({"A": wide})) == "A\n\nvalue\n"
    beyond = sheet([(99_999_999, [cell("ZZZZ1", "x"), '<c r="" t="s"><v>-1</v></c>'])])
    assert sandboxed(tmp_path, "c.xlsx", xlsx({"A": beyond})) == "A\n\nx\n"


def test_a_line_without_end_is_bounded(tmp_path: Path) -> None:
    line = b"x" * (6 * MIB)
    for name in ("a.txt", "a.md", "a.py", "a.csv", "a.json", "a.jsonl"):
        text = sandboxed(tmp_path, name, line)
        assert text.count("x") == len(line)
        assert len(text) < len(line) + 10
    assert sandboxed(tmp_path, "b.txt", line, characters=MIB) == "too_large"


@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("a.txt", b"x" * (MIB // 4) + "Größe\n".encode("cp1252") * 50),
        ("a.txt", (b"x" * 100_000 + "Größe\n".encode("cp1252")) * 10),
        ("a.md", (b"`" * 16_000 + b"x`\n") * 60),
        ("a.md", b"a | b\n- " + b" " * 16_000 + b"x\n"),
        ("a.html", b"<div>" * 1500 + b"<" + b"a" * (MIB // 4)),
        ("a.html", b"<div class='advert" + b"_" * 5000 + b"!'>x</div>"),
        ("a.html", b"<" * (MIB // 4) + b"x"),
        ("a.csv", b'"' * (MIB // 4) + b",x\n"),
        ("a.json", b'"' + b"\\" * (MIB // 4) + b'"'),
        ("a.rtf", b"{\\rtf1 " + b"\\" * (MIB // 4)),
        ("a.eml", b"Subject: " + b"=?" * (MIB // 4) + b"\n\nx"),
        ("a.eml", b"Content-Type: text/plain" + b";" * (MIB // 4) + b"\n\nx"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_no_pattern_takes_more_than_its_time(name: str, data: bytes) -> None:
    begun = time.process_time()
    becomes_text_or_reason(data, name)
    assert time.process_time() - begun < 5


def test_memory_that_a_page_needs_is_bounded(tmp_path: Path) -> None:
    page = b"<p>" + b"<i>x</i>" * 800_000
    assert sandboxed(tmp_path, "a.html", page, memory=100 * MIB) == "too_large"


def test_a_pdf_of_a_thousand_pages_is_read(tmp_path: Path) -> None:
    pages = [Page(lines_of(f"This is page {n} of a long document.")) for n in range(1000)]
    text = sandboxed(tmp_path, "a.pdf", pdf(Pdf(pages)))
    assert text.count("of a long document.") == 1000
    assert text.endswith("This is page 999 of a long document.\n")


@pytest.mark.parametrize(
    ("what", "instead"),
    [
        (b"/Kids[6 0 R 8 0 R]", b"/Kids[2 0 R 2 0 R]"),  # a tree that is its own branch
        (b"/Count 2", b"/Count 2000000000"),
        (b"/Contents 7 0 R", b"/Contents 6 0 R"),
        (b"/Parent 2 0 R", b"/Parent 6 0 R"),
        (b"/Length ", b"/Length 9"),
        (b"startxref", b"startxxxx"),
        (b"xref\n0", b"xref\n9"),
    ],
)
def test_a_pdf_that_leads_in_circles_comes_to_an_end(
    tmp_path: Path, what: bytes, instead: bytes
) -> None:
    data = sample_pdf()
    assert what in data
    assert sandboxed(tmp_path, "a.pdf", data.replace(what, instead), seconds=15.0)


def test_an_outline_that_leads_in_circles_comes_to_an_end(tmp_path: Path) -> None:
    page = Page(lines_of("Some words that stand on the page of this document."))
    data = pdf(Pdf([page], outline=[("One", 0), ("Two", 0)]))
    assert b"/Next 10 0 R" in data
    circle = data.replace(b"/Next 10 0 R", b"/Next 9 0 R ")
    assert "Some words" in sandboxed(tmp_path, "a.pdf", circle)


@pytest.mark.parametrize(
    "data",
    [
        b"{\\rtf1 \\u99999999999?\\uc-5\\'zz\\bin99999999 x\\par}",
        b"{\\rtf1" + b"}" * 1000 + b"text",
        b"{\\rtf" + b"\\" * 1000,
        b"{\\rtf1 \\cell\\cell\\row\\nestcell\\ls-1\\ilvl-5\\s-1\\outlinelevel-9 x\\par}",
    ],
)
def test_broken_rich_text_does_no_harm(data: bytes) -> None:
    becomes_text_or_reason(data, "a.rtf")


@pytest.mark.parametrize(
    "members",
    [
        {},
        {"word/document.xml": ""},
        {"word/document.xml": "<w:document/>"},
        {"word/other.xml": "<x/>"},
        {"word/document.xml": "<x></y>"},
    ],
)
def test_documents_without_their_parts_have_a_reason(members: dict[str, str | bytes]) -> None:
    expected = {"no_text", "corrupt"}
    assert reason(archive(package("word/document.xml", {"word/x": "", **members})), "a") in expected
    assert reason(archive({"mimetype": "application/epub+zip", **members}), "a") == "corrupt"


def test_slides_and_sheets_that_are_missing_are_passed_over() -> None:
    with zipfile.ZipFile(io.BytesIO(pptx([shape("kept"), shape("lost")]))) as whole:
        left = {one: whole.read(one) for one in whole.namelist() if one != "ppt/slides/slide1.xml"}
    assert read_here(archive(left), "a").text == "kept\n"
    assert (
        reason(archive(package("xl/workbook.xml", {"xl/workbook.xml": "<x/>"})), "a") == "no_text"
    )


ALL: Final = {name: make() for name, make in SAMPLES.items()}


@settings(deadline=None, max_examples=250)
@given(name=st.sampled_from(sorted(ALL)), share=st.floats(0, 1))
def test_any_beginning_of_any_file_is_text_or_has_a_reason(name: str, share: float) -> None:
    becomes_text_or_reason(ALL[name][: round(share * len(ALL[name]))], name)


@settings(deadline=None, max_examples=350)
@given(
    name=st.sampled_from(sorted(ALL)),
    flips=st.lists(st.tuples(st.floats(0, 0.999), st.integers(0, 255)), min_size=1, max_size=4),
)
def test_any_file_with_any_byte_changed_is_text_or_has_a_reason(
    name: str, flips: list[tuple[float, int]]
) -> None:
    data = bytearray(ALL[name])
    for share, byte in flips:
        data[int(share * len(data))] = byte
    becomes_text_or_reason(bytes(data), name)


@settings(deadline=None, max_examples=20)
@given(
    share=st.floats(0, 1),
    flips=st.lists(st.tuples(st.floats(0, 0.999), st.integers(0, 255)), max_size=6),
)
def test_any_damaged_pdf_is_text_or_has_a_reason(
    tmp_path_factory: pytest.TempPathFactory, share: float, flips: list[tuple[float, int]]
) -> None:
    data = bytearray(sample_pdf())
    for place, byte in flips:
        data[int(place * len(data))] = byte
    if not flips:
        data = data[: round(share * len(data))]
    text = sandboxed(tmp_path_factory.mktemp("pdf"), "a.pdf", bytes(data), seconds=15.0)
    assert text.strip()
