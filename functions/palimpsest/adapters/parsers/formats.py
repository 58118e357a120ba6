"""The formats that are read, and what names and types they go by."""

from enum import Enum
from typing import Final

from palimpsest.domain.extraction import FileName


class Format(Enum):
    """A format; its value is the module that reads it."""

    TEXT = "plain_text"
    MARKDOWN = "markdown"
    SOURCE_CODE = "source_code"
    HTML = "html_page"
    PDF = "pdf"
    DOCX = "docx"
    PPTX = "pptx"
    XLSX = "xlsx"
    SEPARATED = "separated_values"
    JSON = "json_values"
    JSON_LINES = "json_lines"
    EMAIL = "email_message"
    EPUB = "epub"
    RTF = "rtf"


_CODE_EXTENSIONS_LISTED: Final = """
asm awk bash bat c cc cfg clj cljs cmake cmd conf cpp cs css cu cxx d dart diff dockerfile
editorconfig el elm erl ex exs f90 fish fs gd glsl go gradle graphql groovy h hcl hh hpp hrl hs
hxx ini ipp java jl js jsx kt kts less lisp lua m mjs mk ml mm nim nix patch php pl pm po pro
properties proto ps1 py pyi pyx r rb rs s sass sbt scala scm scss sh sol sql svelte swift tcl
tex tf thrift toml ts tsx v vb vhd vim vue wat xml xsd xsl yaml yml zig zsh
"""
CODE_EXTENSIONS: Final = frozenset(_CODE_EXTENSIONS_LISTED.split())
_CODE_NAMES: Final = frozenset({"dockerfile", "makefile", "jenkinsfile", "rakefile", "gemfile"})

_EXTENSIONS: Final = {
    **dict.fromkeys(CODE_EXTENSIONS, Format.SOURCE_CODE),
    **dict.fromkeys(("txt", "text", "log", "rst", "adoc", "asc", "srt", "vtt", "org"), Format.TEXT),
    **dict.fromkeys(("md", "markdown", "mdown", "mkd", "mdx"), Format.MARKDOWN),
    **dict.fromkeys(("html", "htm", "xhtml", "xht"), Format.HTML),
    **dict.fromkeys(("csv", "tsv", "tab"), Format.SEPARATED),
    **dict.fromkeys(("json", "geojson", "jsonld", "ipynb", "webmanifest"), Format.JSON),
    **dict.fromkeys(("jsonl", "ndjson", "jsonlines"), Format.JSON_LINES),
    **dict.fromkeys(("eml", "mht", "mhtml"), Format.EMAIL),
}
_TYPES: Final = {
    "text/markdown": Format.MARKDOWN,
    "text/x-markdown": Format.MARKDOWN,
    "text/html": Format.HTML,
    "application/xhtml+xml": Format.HTML,
    "text/csv": Format.SEPARATED,
    "text/tab-separated-values": Format.SEPARATED,
    "application/json": Format.JSON,
    "application/jsonl": Format.JSON_LINES,
    "application/x-ndjson": Format.JSON_LINES,
    "message/rfc822": Format.EMAIL,
    "text/xml": Format.SOURCE_CODE,
    "application/xml": Format.SOURCE_CODE,
    "application/javascript": Format.SOURCE_CODE,
}


def text_format_by_name(name: FileName) -> Format | None:
    """Which format of those that are text a file says to be, by its extension, then by its type;
    `Format.TEXT` only where its extension says so.
    """
    found = _EXTENSIONS.get(name.extension)
    if found is None and name.name.rpartition("/")[2].lower() in _CODE_NAMES:
        return Format.SOURCE_CODE
    if found is None and name.content_type:
        kind = name.content_type.partition(";")[0].strip().lower()
        found = _TYPES.get(kind)
        if found is None and kind.startswith("text/x-"):
            return Format.SOURCE_CODE
    return found
