"""Office documents and electronic books for tests: zip archives of hand-written XML."""

import io
import zipfile
from collections.abc import Iterable, Mapping, Sequence
from xml.sax.saxutils import escape, quoteattr

_OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_W = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
_S = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
_P = "http://schemas.openxmlformats.org/presentationml/2006/main"
_A = "http://schemas.openxmlformats.org/drawingml/2006/main"
_MC = "http://schemas.openxmlformats.org/markup-compatibility/2006"
_TYPES = '<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"/>'

Related = Mapping[str, tuple[str, str]]
"""By id: the kind of a relationship, and its target."""


def archive(members: Mapping[str, str | bytes], *, packed: bool = True) -> bytes:
    """A zip archive."""
    out = io.BytesIO()
    method = zipfile.ZIP_DEFLATED if packed else zipfile.ZIP_STORED
    with zipfile.ZipFile(out, "w", method) as target:
        for name, content in members.items():
            target.writestr(name, content)
    return out.getvalue()


def _related(related: Related) -> str:
    each = "".join(
        f'<Relationship Id="{one}" Type="{_OFFICE}/{kind}" Target="{target}"/>'
        for one, (kind, target) in related.items()
    )
    space = "http://schemas.openxmlformats.org/package/2006/relationships"
    return f'<Relationships xmlns="{space}">{each}</Relationships>'


def package(
    main: str, members: Mapping[str, str | bytes], title: str = ""
) -> dict[str, str | bytes]:
    """The members of an Office document whose main part has that name."""
    core = (
        f'<p xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:title>{escape(title)}</dc:title></p>'
    )
    return {
        "[Content_Types].xml": _TYPES,
        "_rels/.rels": _related({"rId1": ("officeDocument", main)}),
        "docProps/core.xml": core,
        **members,
    }


def paragraph(text: str, style: str = "", properties: str = "") -> str:
    """A paragraph of Word."""
    named = f'<w:pStyle w:val="{style}"/>' if style else ""
    return (
        f"<w:p><w:pPr>{named}{properties}</w:pPr>"
        f'<w:r><w:t xml:space="preserve">{escape(text)}</w:t></w:r></w:p>'
    )


def item(text: str, depth: int = 0) -> str:
    """A list item of Word."""
    numbering = f'<w:numPr><w:ilvl w:val="{depth}"/><w:numId w:val="1"/></w:numPr>'
    return paragraph(text, properties=numbering)


def table(*rows: Sequence[str]) -> str:
    """A table of Word."""
    return (
        "<w:tbl>"
        + "".join(
            "<w:tr>" + "".join(f"<w:tc>{paragraph(cell)}</w:tc>" for cell in row) + "</w:tr>"
            for row in rows
        )
        + "</w:tbl>"
    )


STYLES = f"""<w:styles xmlns:w="{_W}">
<w:style w:type="paragraph" w:styleId="berschrift1"><w:name w:val="heading 1"/></w:style>
<w:style w:type="paragraph" w:styleId="Own"><w:name w:val="Own"/>
<w:basedOn w:val="berschrift1"/></w:style>
<w:style w:type="paragraph" w:styleId="H2"><w:name w:val="heading 2"/></w:style>
<w:style w:type="paragraph" w:styleId="TOC1"><w:name w:val="toc 1"/></w:style>
<w:style w:type="paragraph" w:styleId="LB2"><w:name w:val="List Bullet 2"/></w:style>
</w:styles>"""


def docx(body: str, *, title: str = "", footnotes: str = "", header: str = "Page header") -> bytes:
    """A Word document of that body."""
    related = {
        "rId1": ("styles", "styles.xml"),
        "rId2": ("footnotes", "footnotes.xml"),
        "rId3": ("header", "header1.xml"),
    }
    spaces = f'xmlns:w="{_W}" xmlns:mc="{_MC}" xmlns:m="{_OFFICE}"'
    members = {
        "word/document.xml": f"<w:document {spaces}><w:body>{body}</w:body></w:document>",
        "word/_rels/document.xml.rels": _related(related),
        "word/styles.xml": STYLES,
        "word/footnotes.xml": f"<w:footnotes {spaces}>{footnotes}</w:footnotes>",
        "word/header1.xml": f"<w:hdr {spaces}>{paragraph(header)}</w:hdr>",
    }
    return archive(package("word/document.xml", members, title))


def words(text: str) -> str:
    """A paragraph of a slide."""
    return f"<a:p><a:r><a:t>{escape(text)}</a:t></a:r></a:p>"


def shape(*paragraphs: str, placeholder: str | None = None) -> str:
    """A shape of a slide."""
    kind = (
        ""
        if placeholder is None
        else f"<p:ph {f'type={quoteattr(placeholder)}' * bool(placeholder)}/>"
    )
    text = "".join(f"<a:p><a:r><a:t>{escape(one)}</a:t></a:r></a:p>" for one in paragraphs)
    return f"<p:sp><p:nvSpPr><p:nvPr>{kind}</p:nvPr></p:nvSpPr><p:txBody>{text}</p:txBody></p:sp>"


def pptx(
    slides: Sequence[str], *, notes: Mapping[int, str] | None = None, title: str = ""
) -> bytes:
    """A presentation of slides, each the shapes on it; notes by the number of the slide from 1."""
    spaces = f'xmlns:p="{_P}" xmlns:a="{_A}" xmlns:r="{_OFFICE}" xmlns:mc="{_MC}"'
    # the files are numbered backwards: their order is not that of their names
    names = {number: f"slides/slide{len(slides) - number}.xml" for number in range(len(slides))}
    order = "".join(f'<p:sldId id="{256 + n}" r:id="rId{n}"/>' for n in range(len(slides)))
    members: dict[str, str | bytes] = {
        "ppt/presentation.xml": (
            f"<p:presentation {spaces}><p:sldIdLst>{order}</p:sldIdLst></p:presentation>"
        ),
        "ppt/_rels/presentation.xml.rels": _related(
            {f"rId{n}": ("slide", name) for n, name in names.items()}
        ),
    }
    for number, shapes in enumerate(slides):
        members[f"ppt/{names[number]}"] = (
            f'<p:sld {spaces} show="{int(number != 1)}">'
            f"<p:cSld><p:spTree>{shapes}</p:spTree></p:cSld></p:sld>"
        )
        if text := (notes or {}).get(number + 1):
            name = names[number].rpartition("/")[2]
            members[f"ppt/slides/_rels/{name}.rels"] = _related(
                {"rId1": ("notesSlide", f"../notesSlides/notes{number}.xml")}
            )
            members[f"ppt/notesSlides/notes{number}.xml"] = (
                f"<p:notes {spaces}>{shape('7', placeholder='sldNum')}"
                f"{shape(text, placeholder='body')}</p:notes>"
            )
    return archive(package("ppt/presentation.xml", members, title))


WORKBOOK_STYLES = f"""<styleSheet xmlns="{_S}"><numFmts>
<numFmt numFmtId="164" formatCode="dd/mm/yyyy hh:mm"/>
<numFmt numFmtId="165" formatCode="0.00 &quot;days&quot;"/></numFmts><cellXfs>
<xf numFmtId="0"/><xf numFmtId="14"/><xf numFmtId="164"/><xf numFmtId="165"/>
</cellXfs></styleSheet>"""


def cell(reference: str, value: object, style: int = 0) -> str:
    """A cell with a number, a truth or a text of its own."""
    if isinstance(value, bool):
        return f'<c r="{reference}" t="b"><v>{int(value)}</v></c>'
    if isinstance(value, int | float):
        return f'<c r="{reference}" s="{style}"><v>{value}</v></c>'
    return f'<c r="{reference}" t="inlineStr"><is><t>{escape(str(value))}</t></is></c>'


def sheet(rows: Iterable[tuple[int, Iterable[str]]], dimension: str = "A1") -> str:
    """A sheet of rows with their numbers, each its cells."""
    each = "".join(f'<row r="{number}">{"".join(cells)}</row>' for number, cells in rows)
    head = f'<worksheet xmlns="{_S}"><dimension ref="{dimension}"/>'
    return f"{head}<sheetData>{each}</sheetData></worksheet>"


def rows_of(*rows: Sequence[object]) -> list[tuple[int, list[str]]]:
    """Rows of values from the first column and row on."""
    return [
        (number, [cell(f"{chr(65 + at)}{number}", value) for at, value in enumerate(row)])
        for number, row in enumerate(rows, 1)
    ]


def xlsx(sheets: Mapping[str, str], *, shared: Sequence[str] = (), title: str = "") -> bytes:
    """A workbook of sheets by their names."""
    related = {f"rId{n}": ("worksheet", f"worksheets/sheet{n}.xml") for n in range(len(sheets))}
    related["strings"] = ("sharedStrings", "sharedStrings.xml")
    related["styles"] = ("styles", "styles.xml")
    names = "".join(
        f'<sheet name={quoteattr(name)} sheetId="{n}" r:id="rId{n}"/>'
        for n, name in enumerate(sheets)
    )
    strings = "".join(f"<si><t>{escape(one)}</t></si>" for one in shared)
    members: dict[str, str | bytes] = {
        "xl/workbook.xml": (
            f'<workbook xmlns="{_S}" xmlns:r="{_OFFICE}"><sheets>{names}</sheets></workbook>'
        ),
        "xl/_rels/workbook.xml.rels": _related(related),
        "xl/sharedStrings.xml": f'<sst xmlns="{_S}">{strings}</sst>',
        "xl/styles.xml": WORKBOOK_STYLES,
    }
    for number, content in enumerate(sheets.values()):
        members[f"xl/worksheets/sheet{number}.xml"] = content
    return archive(package("xl/workbook.xml", members, title))


def epub(
    chapters: Sequence[str], *, title: str = "A book", more: Mapping[str, str] | None = None
) -> bytes:
    """A book of chapters, each the body of a page; their files are named backwards."""
    files = [f"text/c{len(chapters) - n}.xhtml" for n in range(len(chapters))]
    items = "".join(
        f'<item id="i{n}" href="{name}" media-type="application/xhtml+xml"/>'
        for n, name in enumerate(files)
    )
    order = "".join(f'<itemref idref="i{n}"/>' for n in range(len(files)))
    package_xml = (
        '<package xmlns="http://www.idpf.org/2007/opf" xmlns:dc="http://purl.org/dc/elements/1.1/">'
        f"<metadata><dc:title>{escape(title)}</dc:title></metadata>"
        f"<manifest>{items}</manifest><spine>{order}</spine></package>"
    )
    container = (
        '<container xmlns="urn:oasis:names:tc:opendocument:xmlns:container"><rootfiles>'
        '<rootfile full-path="OEBPS/content.opf"/></rootfiles></container>'
    )
    return archive(
        {
            "mimetype": "application/epub+zip",
            "META-INF/container.xml": container,
            "OEBPS/content.opf": package_xml,
            **{
                f"OEBPS/{name}": f"<title>{escape(title)}</title><body>{body}</body>"
                for name, body in zip(files, chapters, strict=True)
            },
            **(more or {}),
        }
    )
