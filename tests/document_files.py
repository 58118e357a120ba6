"""Files of every format for tests, and reading them within the test's own process."""

import io
import tempfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

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
from palimpsest.adapters.parsers.block_lines import block_of
from palimpsest.adapters.parsers.dispatch import read_into
from palimpsest.adapters.parsers.limits import Limits
from palimpsest.domain.extraction import Block, Extraction, FileName, Unreadable, UnreadableReason


@dataclass(frozen=True)
class Read:
    """A file that was read."""

    extraction: Extraction
    blocks: list[Block]

    @property
    def text(self) -> str:
        return "".join(block.text for block in self.blocks)

    @property
    def shape(self) -> list[tuple[str, int, str]]:
        """Kind, level and text of each block, without the white space at its end."""
        return [(block.kind.value, block.level, block.text.rstrip()) for block in self.blocks]

    @property
    def places(self) -> list[str]:
        return [str(block.place) for block in self.blocks]


def read_here(
    data: bytes, name: str, content_type: str | None = None, limits: Limits | None = None
) -> Read:
    """What the reader makes of a file; without a process of its own, which takes far longer."""
    with tempfile.NamedTemporaryFile() as file:
        file.write(data)
        file.flush()
        out = io.BytesIO()
        source, said = Path(file.name), FileName(name, content_type)
        extraction = read_into(out, source, said, limits or Limits())
    blocks = [block_of(line) for line in out.getvalue().splitlines(keepends=True)]
    return Read(extraction, blocks)


def refusal(data: bytes, name: str, content_type: str | None = None) -> Unreadable:
    """Why a file is not read."""
    try:
        read = read_here(data, name, content_type)
    except Unreadable as error:
        return error
    raise AssertionError(f"it was read: {read.text[:200]!r}")


def reason(data: bytes, name: str, content_type: str | None = None) -> UnreadableReason:
    """The reason for which a file is not read."""
    return refusal(data, name, content_type).reason


MARKDOWN: Final = """# The lighthouse

It stands on the *northern* cape.
It was built in 1851.

Keepers
-------

- Ada
  from London
  - her son

1. first
2. second

| name | born |
|------|------|
| Ada  | 1815 |

```python
# no heading
lamp = "on"
```

Last words.
"""

HTML: Final = """<!DOCTYPE html><html><head><title>The lighthouse</title><style>p {}</style>
<script>var hidden = "<p>script text</p>";</script></head><body>
<header class="site-header"><nav><ul><li>Home</li><li>Imprint</li></ul></nav></header>
<div id="sidebar">Sidebar words</div>
<main><h1>The lighthouse</h1><p>It stands on the <b>northern</b>
cape.</p><ul><li>Ada<ul><li>her son</li></ul></li></ul><pre>lamp = "on"
  off</pre><table><tr><th>name</th><th>born</th></tr><tr><td>Ada</td><td>1815</td></tr></table></main>
<div class="advertisement">Buy now</div><footer>Footer words</footer></body></html>"""

EMAIL: Final = """From: =?utf-8?q?J=C3=BCrgen?= <j@example.org>
To: ada@example.org
Subject: =?iso-8859-1?Q?Gr=FC=DFe?= from the cape
Date: Mon, 1 Jan 2024 10:00:00 +0000
MIME-Version: 1.0
Content-Type: multipart/mixed; boundary=outer

--outer
Content-Type: multipart/alternative; boundary=inner

--inner
Content-Type: text/plain; charset=utf-8
Content-Transfer-Encoding: quoted-printable

The lamp burns =C3=BCber all.

Come soon.
--inner
Content-Type: text/html

<p>The lamp in HTML</p>
--inner--
--outer
Content-Type: application/pdf; name="plan.pdf"
Content-Disposition: attachment; filename="plan.pdf"
Content-Transfer-Encoding: base64

c2VjcmV0
--outer--
"""

RTF: Final = r"""{\rtf1\ansi\ansicpg1252{\fonttbl{\f0\fcharset0 Arial;}{\f1\fcharset128 MS Mincho;}}
{\stylesheet{\s1 heading 1;}{\s0 Normal;}}{\info{\title The lighthouse}}{\header Page header}
\pard\s1 The cape\par\pard
Gr\'f6\'dfe \u8364?5 {\b bold} \f1\'93\'fa\'96\'7b\f0  end{\footnote A note\par}\par
\pard\ls1\ilvl0 {\listtext\bullet\tab}first\par\ilvl1 second\par\pard
\trowd\intbl Ada\cell 1815\cell\row\pard
{\*\secret hidden}{\pict 0102}\u-10179?\u-8704? done\par}"""

SAMPLES: Final[Mapping[str, Callable[[], bytes]]] = {
    "a.txt": lambda: "First paragraph, größer.\nStill.\n\nSecond.\n".encode() * 20,
    "latin.txt": lambda: ("Die Größe der Müllerin.\n" * 20).encode("cp1252"),
    "wide.txt": lambda: ("Die Größe der Müllerin.\n" * 20).encode("utf-16"),
    "japanese.txt": lambda: ("吾輩は猫である。名前はまだ無い。\n" * 20).encode("cp932"),
    "a.md": MARKDOWN.encode,
    "a.html": HTML.encode,
    "a.py": lambda: b"import os\n\n\ndef lamp():\n    return os\n" * 20,
    "a.csv": lambda: b'name,born,"a ""note"""\nAda,1815,"two\nlines"\n' * 20,
    "a.json": lambda: b'{"people": [{"name": "Ada", "born": 1815, "x": [1, {"y": null}]}]}',
    "a.jsonl": lambda: b'{"name": "Ada", "tags": ["x", "y"]}\n' * 20,
    "a.eml": EMAIL.encode,
    "a.rtf": RTF.encode,
    "a.docx": lambda: docx(
        paragraph("The cape", "berschrift1") + item("first") + table(["Ada", "1815"])
    ),
    "a.pptx": lambda: pptx([shape("The cape", placeholder="title")], notes={1: "Slowly"}),
    "a.xlsx": lambda: xlsx({"People": sheet(rows_of(["name", "born"], ["Ada", 1815]))}),
    "a.epub": lambda: epub(["<h1>One</h1><p>It was night.</p>", "<p>It was day.</p>"]),
}
"""A file of each format but PDF, whose parser is best kept in a process of its own."""


def sample_pdf() -> bytes:
    """A PDF of two pages."""
    text = "The lighthouse stands on the northern cape of the island."
    return pdf(Pdf([Page(lines_of(text, text)), Page(lines_of(text))], title="The lighthouse"))
