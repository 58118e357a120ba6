"""One file of each format: 20 pages of made sentences, no two alike, some 40 KB of text. What has
rows, records or slides instead of pages holds as much.
"""

import csv
import io
import json
import textwrap
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from email.message import EmailMessage
from html import escape

from benchmarks.sentences import Sentences
from document_files_office import (
    docx,
    epub,
    item,
    paragraph,
    pptx,
    rows_of,
    shape,
    sheet,
    table,
    xlsx,
)
from document_files_pdf import Page, Pdf, lines_of, pdf

PAGES = 20
PARAGRAPHS = 7
"""Of a page, which has some 2,000 characters with its heading and its items."""

ROWS = 160
WIDTH = 95
"""Characters of a line of a PDF."""


@dataclass(frozen=True, slots=True)
class Sample:
    """A file: its name, its bytes, and how many `units` of its kind it has."""

    name: str
    data: bytes
    count: int
    unit: str = "pages"


@dataclass(frozen=True, slots=True)
class Written:
    """A page before it is in any format."""

    title: str
    paragraphs: list[str]
    items: list[str]


def _pages(sentences: Sentences) -> list[Written]:
    return [
        Written(
            sentences.question().rstrip("?"),
            sentences.records(PARAGRAPHS),
            [sentences.question() for _ in range(3)],
        )
        for _ in range(PAGES)
    ]


def _rows(sentences: Sentences) -> list[dict[str, str | int]]:
    pick = sentences.random.randrange
    return [
        {"number": n, "price": pick(10_000), "asked": sentences.question(), "note": note}
        for n, note in enumerate(sentences.records(ROWS), 1)
    ]


def _txt(sentences: Sentences) -> Sample:
    pages = [[one.title, *one.paragraphs, *one.items] for one in _pages(sentences)]
    text = "\n\n\n".join("\n\n".join(page) for page in pages)
    return Sample("report.txt", text.encode(), PAGES)


def _markdown(sentences: Sentences) -> Sample:
    parts = ["# The roastery's year"]
    for page in _pages(sentences):
        items = "\n".join(f"- {one}" for one in page.items)
        parts += [f"## {page.title}", *page.paragraphs, items]
    return Sample("report.md", "\n\n".join(parts).encode(), PAGES)


def _body(page: Written) -> str:
    paragraphs = "".join(f"<p>{escape(one)}</p>\n" for one in page.paragraphs)
    items = "".join(f"<li>{escape(one)}</li>" for one in page.items)
    return f"<h2>{escape(page.title)}</h2>\n{paragraphs}<ul>{items}</ul>\n"


def _html(sentences: Sentences) -> Sample:
    body = "".join(f'<div class="section">{_body(page)}</div>\n' for page in _pages(sentences))
    text = (
        "<!DOCTYPE html><html><head><title>The roastery</title>"
        "<style>p { margin: 0 }</style></head>"
        '<body><header class="site-header"><nav><ul><li>Home</li><li>Shop</li></ul></nav></header>'
        f"<main><h1>The roastery's year</h1>{body}</main><footer>All rights reserved</footer>"
        "</body></html>"
    )
    return Sample("report.html", text.encode(), PAGES)


def _pdf(sentences: Sentences) -> Sample:
    pages = []
    for page in _pages(sentences):
        heading = lines_of(page.title, size=16)
        texts = [textwrap.fill(one, WIDTH) for one in page.paragraphs]
        bullets = "\n".join(f"• {one}" for one in page.items)
        pages.append(Page([*heading, *lines_of(*texts, bullets, top=730)]))
    return Sample("report.pdf", pdf(Pdf(pages, title="The roastery's year")), PAGES)


def _docx(sentences: Sentences) -> Sample:
    parts = [paragraph("The roastery's year", "berschrift1")]
    for page in _pages(sentences):
        parts += [paragraph(page.title, "H2"), *map(paragraph, page.paragraphs[1:])]
        parts += [
            *map(item, page.items),
            table(*([page.title, one] for one in page.paragraphs[:1])),
        ]
    return Sample("report.docx", docx("".join(parts), title="The roastery's year"), PAGES)


def _pptx(sentences: Sentences) -> Sample:
    slides, notes = list[str](), dict[int, str]()
    for number, page in enumerate(_pages(sentences), 1):
        half = PARAGRAPHS // 2
        body = shape(*page.paragraphs[:half], *page.items, placeholder="body")
        slides.append(shape(page.title, placeholder="title") + body)
        notes[number] = " ".join(page.paragraphs[half:])
    return Sample("report.pptx", pptx(slides, notes=notes), PAGES, "slides")


def _xlsx(sentences: Sentences) -> Sample:
    rows = _rows(sentences)
    cells = rows_of(list(rows[0]), *(list(row.values()) for row in rows))
    return Sample("report.xlsx", xlsx({"Year": sheet(cells)}), ROWS, "rows")


def _csv(sentences: Sentences) -> Sample:
    rows, out = _rows(sentences), io.StringIO()
    writer = csv.writer(out)
    writer.writerow(rows[0])
    writer.writerows(row.values() for row in rows)
    return Sample("report.csv", out.getvalue().encode(), ROWS, "rows")


def _json_lines(sentences: Sentences) -> Sample:
    lines = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in _rows(sentences))
    return Sample("report.jsonl", lines.encode(), ROWS, "records")


def _email(sentences: Sentences) -> Sample:
    """The same text twice, plain and as HTML, as mail programs send it."""
    pages = _pages(sentences)
    mail = EmailMessage()
    mail["From"], mail["To"], mail["Subject"] = "mira@example.org", "ivo@example.org", "The year"
    texts = [[one.title, *one.paragraphs, *one.items] for one in pages]
    mail.set_content("\n\n".join("\n\n".join(page) for page in texts))
    mail.add_alternative("".join(map(_body, pages)), subtype="html")
    return Sample("report.eml", mail.as_bytes(), PAGES)


def _epub(sentences: Sentences) -> Sample:
    return Sample("report.epub", epub([*map(_body, _pages(sentences))]), PAGES)


def _rtf(sentences: Sentences) -> Sample:
    head = r"{\rtf1\ansi\ansicpg1252{\fonttbl{\f0\fcharset0 Arial;}}{\stylesheet{\s1 heading 1;}}"
    parts = []
    for page in _pages(sentences):
        parts.append(rf"\pard\s1\b {page.title}\b0\par\pard" + "\n")
        parts += [rf"\f0\fs22 {one}\par" + "\n" for one in (*page.paragraphs, *page.items)]
    data = "".join(parts).encode("cp1252")
    escaped = b"".join(b"\\'%02x" % b if b > 127 else bytes([b]) for b in data)
    return Sample("report.rtf", head.encode() + escaped + b"}", PAGES)


SAMPLES: Mapping[str, Callable[[Sentences], Sample]] = {
    "txt": _txt,
    "markdown": _markdown,
    "html": _html,
    "pdf": _pdf,
    "docx": _docx,
    "pptx": _pptx,
    "xlsx": _xlsx,
    "csv": _csv,
    "jsonl": _json_lines,
    "eml": _email,
    "epub": _epub,
    "rtf": _rtf,
}
"""By format, what makes a file of it."""
