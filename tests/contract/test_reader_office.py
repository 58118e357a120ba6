"""Word, PowerPoint, Excel and books: structure and places of what is in their archives."""

import io
import zipfile

import pytest

from document_files import read_here, reason
from document_files_office import (
    archive,
    cell,
    docx,
    epub,
    item,
    package,
    paragraph,
    pptx,
    rows_of,
    shape,
    sheet,
    table,
    words,
    xlsx,
)

DRAWING = "http://schemas.openxmlformats.org/drawingml/2006/main"


def protection(method: str) -> str:
    return f'<e><EncryptionMethod Algorithm="{method}"/></e>'


def test_word_headings_lists_and_tables_are_told_by_their_styles() -> None:
    body = (
        paragraph("Contents 1", "TOC1")
        + paragraph("The cape", "Own")
        + paragraph("Words & more", "Normal")
        + paragraph("The lamp", "H2")
        + paragraph("By level", properties='<w:outlineLvl w:val="2"/>')
        + item("first")
        + item("deeper", 1)
        + paragraph("by style", "LB2")
        + table(["name", "born"], ["Ada", "1815"])
        + table(["a frame around text"])
    )
    read = read_here(docx(body, title="About"), "a.docx")
    assert read.shape == [
        ("heading", 1, "The cape"),
        ("paragraph", 0, "Words & more"),
        ("heading", 2, "The lamp"),
        ("heading", 3, "By level"),
        ("list_item", 0, "first"),
        ("list_item", 1, "deeper"),
        ("list_item", 1, "by style"),
        ("table_row", 0, "name | born"),
        ("table_row", 0, "Ada | 1815"),
        ("paragraph", 0, "a frame around text"),
    ]
    assert read.extraction.title == "About"
    assert "Words & more\n\nThe lamp\n\nBy level\n\nfirst\ndeeper" in read.text
    assert "header" not in read.text


def test_word_notes_boxes_and_changes_are_read_once() -> None:
    box = f"<w:txbxContent>{paragraph('In a box')}</w:txbxContent>"
    body = (
        "<w:p><w:r><w:t>Seen</w:t><w:footnoteReference w:id='7'/></w:r>"
        "<w:del><w:r><w:delText>gone</w:delText><w:t>gone</w:t></w:r></w:del>"
        "<w:ins><w:r><w:tab/><w:t>new</w:t><w:br/><w:t>line</w:t></w:r></w:ins></w:p>"
        f"<w:p><w:r><mc:AlternateContent><mc:Choice>{box}</mc:Choice>"
        f"<mc:Fallback>{box}</mc:Fallback></mc:AlternateContent></w:r></w:p>"
    )
    notes = f"<w:footnote w:id='0'>{paragraph('separator')}</w:footnote>"
    notes += f"<w:footnote w:id='7'>{paragraph('A note')}</w:footnote>"
    read = read_here(docx(body, footnotes=notes), "a.docx")
    assert read.text == "Seen[1]\tnew\nline\n\nIn a box\n\n[1] A note\n"


def test_a_table_in_a_table_stays_in_its_cell() -> None:
    inner = table(["x", "y"], ["z", "w"])
    body = f"<w:tbl><w:tr><w:tc>{paragraph('outer')}</w:tc><w:tc>{inner}</w:tc></w:tr></w:tbl>"
    assert read_here(docx(body), "a.docx").text == "outer | x | y z | w\n"


def test_the_title_of_a_word_document_may_be_its_first_heading() -> None:
    body = paragraph("Words") + paragraph("The cape", "berschrift1")
    assert read_here(docx(body), "a.docx").extraction.title == "The cape"


def test_strict_office_documents_are_read_too() -> None:
    space = "http://purl.oclc.org/ooxml/wordprocessingml/main"
    body = "<d:body><d:p><d:r><d:t>Strict</d:t></d:r></d:p></d:body>"
    main = {"word/main.xml": f'<d:document xmlns:d="{space}">{body}</d:document>'}
    assert read_here(archive(package("word/main.xml", main)), "a").text == "Strict\n"


def test_slides_come_in_their_order_with_titles_tables_and_notes() -> None:
    rows = "".join(
        "<a:tr>" + "".join(f"<a:tc>{words(one)}</a:tc>" for one in row) + "</a:tr>"
        for row in (("name", "born"), ("Ada", "1815"))
    )
    first = shape("one", "two", placeholder="") + shape("The cape", placeholder="ctrTitle")
    second = shape("hidden slide") + shape("12", placeholder="sldNum")
    third = f"<p:graphicFrame><a:tbl>{rows}</a:tbl></p:graphicFrame>"
    read = read_here(pptx([first, second, third], notes={1: "Speak slowly"}), "a.pptx")
    assert read.shape == [
        ("heading", 1, "The cape"),
        ("list_item", 0, "one"),
        ("list_item", 0, "two"),
        ("paragraph", 0, "Notes: Speak slowly"),
        ("paragraph", 0, "hidden slide"),
        ("table_row", 0, "name | born"),
        ("table_row", 0, "Ada | 1815"),
    ]
    assert read.places == [*["slide 1"] * 4, "slide 2", "slide 3", "slide 3"]
    assert read.extraction.title == "The cape"


def test_rows_of_a_sheet_bear_the_names_of_their_columns() -> None:
    rows = rows_of(["name", "born", "alive"], ["Ada", 1815, False], ["Bob", 0.1 + 0.2, True])
    read = read_here(xlsx({"People": sheet(rows), "Empty": sheet([])}, title="All"), "a.xlsx")
    assert read.shape == [
        ("heading", 1, "People"),
        ("table_row", 0, "name; born; alive"),
        ("table_row", 0, "name: Ada; born: 1815; alive: FALSE"),
        ("table_row", 0, "name: Bob; born: 0.3; alive: TRUE"),
    ]
    assert read.places[1:3] == ["sheet People, row 1", "sheet People, row 2"]
    assert read.extraction.title == "All"


def test_a_title_may_stand_above_the_header_and_values_are_no_header() -> None:
    titled = rows_of(["Members of the club"], [], ["name", "born"], ["Ada", 1815])
    assert read_here(xlsx({"A": sheet(titled)}), "a.xlsx").text.endswith("name: Ada; born: 1815\n")
    values = rows_of(["Ada", 1815], ["Bob", 1820])
    assert read_here(xlsx({"A": sheet(values)}), "a.xlsx").text == "A\n\nAda; 1815\nBob; 1820\n"


@pytest.mark.parametrize(
    ("number", "style", "expected"),
    [
        (44197, 1, "2021-01-01"),
        (44197.5, 2, "2021-01-01 12:00"),
        (44197.75001, 2, "2021-01-01 18:00:01"),
        (0.25, 2, "06:00"),
        (59, 1, "1900-02-28"),
        (61, 1, "1900-03-01"),
        (44197, 0, "44197"),
        (3, 3, "3"),
        (99999999, 1, "99999999"),
    ],
)
def test_numbers_that_are_shown_as_dates_are_iso_dates(
    number: float, style: int, expected: str
) -> None:
    rows = [(1, [cell("A1", "when"), cell("B1", "note")]), (2, [cell("A2", number, style)])]
    assert read_here(xlsx({"A": sheet(rows)}), "a.xlsx").blocks[-1].text == f"when: {expected}\n"


def test_formulas_have_the_value_that_was_saved_and_shared_strings_their_text() -> None:
    cells = [
        '<c r="A1"><f>SUM(B1:B9)</f><v>42</v></c>',
        '<c r="B1" t="s"><v>1</v></c>',
        '<c r="C1" t="str"><f>A1&amp;"x"</f><v>42x</v></c>',
        '<c r="D1" t="s"><v>99</v></c>',
        '<c r="E1" t="e"><v>#N/A</v></c>',
    ]
    read = read_here(xlsx({"A": sheet([(1, cells)])}, shared=["no", "yes"]), "a.xlsx")
    assert read.blocks[-1].text == "42; yes; 42x; #N/A\n"


def test_chapters_come_in_the_order_of_the_book() -> None:
    more = {"META-INF/encryption.xml": protection("http://www.idpf.org/2008/embedding")}
    chapters = ["<h1>One</h1><p>It was&nbsp;night.</p>", "<p>It was day.</p>"]
    read = read_here(epub(chapters, title="The lamp", more=more), "a.epub")
    assert read.shape == [
        ("heading", 1, "One"),
        ("paragraph", 0, "It was night."),
        ("paragraph", 0, "It was day."),
    ]
    assert read.places == ["One, part 1", "One, part 1", "part 2"]
    assert read.extraction.title == "The lamp"


def test_a_protected_book_is_encrypted() -> None:
    more = {"META-INF/encryption.xml": protection("http://www.w3.org/2001/04/xmlenc#aes128-cbc")}
    assert reason(epub(["<p>x</p>"], more=more), "a.epub") == "encrypted"


def test_a_very_long_paragraph_comes_in_pieces() -> None:
    text = "A long sentence without an end, " * 3000
    read = read_here(docx(paragraph(text)), "a.docx")
    assert read.text == text.strip() + "\n"
    assert len(read.blocks) == 3
    assert all(
        block.text.startswith(("A ", "long ", "sentence ", "without ", "an ", "end,"))
        for block in read.blocks
    )


def test_slides_have_breaks_levels_fields_and_drawn_lists() -> None:
    inside = (
        "<a:p><a:pPr lvl='2'/><a:r><a:t>deep</a:t></a:r><a:br/><a:r><a:t>\x0aline</a:t></a:r>"
        "<a:fld type='slidenum'><a:t>12</a:t></a:fld></a:p>"
    )
    body = f"<p:sp><p:nvPr><p:ph/></p:nvPr>{inside}</p:sp>"
    drawn = {
        "ppt/slides/_rels/slide1.xml.rels": (
            '<r><Relationship Id="d" Type="x/diagramData" Target="../diagrams/data1.xml"/>'
            '<Relationship Id="e" Type="x/notesSlide" TargetMode="External" Target="http://x"/></r>'
        ),
        "ppt/diagrams/data1.xml": f"<d xmlns:a='{DRAWING}'>{words('drawn')}</d>",
    }
    with zipfile.ZipFile(io.BytesIO(pptx([body]))) as whole:
        members = {one: whole.read(one) for one in whole.namelist()}
    read = read_here(archive({**members, **drawn}), "a.pptx")
    assert read.shape == [("list_item", 2, "deep\n\nline"), ("paragraph", 0, "drawn")]


def test_a_workbook_in_its_corners() -> None:
    cells = [
        "<c><is><t>first</t><rPh><t>phonetic</t></rPh></is></c>",
        '<c t="b"><v>2</v></c>',
        "<c><v>no number</v></c>",
        '<c s="2"><v>0.7507</v></c>',
        '<c t="d"><v>2020-01-01</v></c>',
        '<c s="99"><v>1.5</v></c>',
    ]
    read = read_here(xlsx({"A": sheet([(1, cells)])}), "a.xlsx")
    assert read.blocks[-1].text == "first; 2; no number; 18:01; 2020-01-01; 1.5\n"
    with zipfile.ZipFile(io.BytesIO(xlsx({"A": sheet([(1, [cell("A1", 10, 1)])])}))) as whole:
        members = {one: whole.read(one) for one in whole.namelist()}
    old = members["xl/workbook.xml"].replace(b"<sheets>", b'<workbookPr date1904="1"/><sheets>')
    read = read_here(archive({**members, "xl/workbook.xml": old}), "a.xlsx")
    assert read.blocks[-1].text == "1904-01-11\n"


def test_parts_that_are_named_in_other_letters_or_not_at_all_are_found() -> None:
    with zipfile.ZipFile(io.BytesIO(docx(paragraph("Inside")))) as whole:
        members = {one: whole.read(one) for one in whole.namelist()}
    moved = {name: data for name, data in members.items() if not name.startswith("_rels")}
    moved["word/DOCUMENT.xml"] = moved.pop("word/document.xml")
    assert read_here(archive(moved), "a.docx").text == "Inside\n"
