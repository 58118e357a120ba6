"""Plain text, Markdown and source code: the text comes out as it is, in every encoding."""

import codecs

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from document_files import MARKDOWN, read_here, reason
from palimpsest.adapters.parsers.encoding import known

GERMAN = "Die Größe der Müllerin beträgt fünf Fuß – “ungefähr”."
JAPANESE = (
    "吾輩は猫である。名前はまだ無い。どこで生れたかとんと見当がつかぬ。何でも薄暗いじめじめした所で"
    "ニャーニャー泣いていた事だけは記憶している。吾輩はここで始めて人間というものを見た。しかもあとで聞くと"
    "それは書生という人間中で一番獰悪な種族であったそうだ。この書生というのは時々我々を捕えて煮て食うという話である。"
)[:200]
CHINESE = "北京是中华人民共和国的首都，是全国的政治中心和文化中心。今天天气很好。"
KOREAN = "서울은 대한민국의 수도이다. 오늘은 날씨가 매우 좋습니다. 우리는 학교에 갑니다."
RUSSIAN = "Москва является столицей России. Население города растёт с каждым годом."


@pytest.mark.parametrize("ending", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize(
    "codec", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "utf-32"]
)
def test_g7_unicode_in_every_form_is_read(codec: str, ending: str) -> None:
    text = f"{GERMAN}\n\n{GERMAN} 🌊\n"
    data = text.replace("\n", ending).encode(codec)
    if codec == "utf-16":
        assert data.startswith(codecs.BOM_UTF16)
    read = read_here(data, "a.txt")
    assert read.text == text
    assert read.extraction.removed == 0


def test_g7_utf_16_big_endian_with_a_mark_is_read() -> None:
    assert read_here(codecs.BOM_UTF16_BE + GERMAN.encode("utf-16-be"), "a.txt").text == GERMAN


@pytest.mark.parametrize(
    ("text", "codec"),
    [
        (GERMAN, "cp1252"),
        ("It’s the company’s “best” year — ever… £5 and €6", "cp1252"),
        ("L'élève très zélé a été reçu à l'école où il prépare son œuvre.", "cp1252"),
        ("Probar los siguientes términos: ñandú, ándale, ésta, ¿qué?", "cp1252"),
        ("Räksmörgås på Åland är gott", "cp1252"),
        ("A informação não é válida até amanhã, coração", "cp1252"),
        ("Café", "cp1252"),
        (JAPANESE, "cp932"),
        (JAPANESE, "euc_jp"),
        (JAPANESE, "iso2022_jp"),
        ("製品コード ABC-123 の価格は 1,200 円です。", "cp932"),
        (CHINESE, "gb18030"),
        ("订单 A12 已发货，请查收。", "gb18030"),
        ("臺北是中華民國的首都，今天天氣很好，我們去學校讀書。", "big5"),
        (KOREAN, "euc_kr"),
        ("안녕하세요 여러분", "euc_kr"),
        (RUSSIAN, "cp1251"),
        (RUSSIAN, "koi8_r"),
        ("МОСКВА СТОЛИЦА РОССИИ", "koi8_r"),
        ("Zażółć gęślą jaźń, proszę państwa", "cp1250"),
        ("Příliš žluťoučký kůň úpěl ďábelské ódy", "cp1250"),
        ("Η Αθήνα είναι η πρωτεύουσα της Ελλάδας", "cp1253"),
        ("Türkçe bir yazı: ağaç, ışık, şeker ve İstanbul", "cp1254"),
    ],
    ids=lambda value: value[:6],
)
def test_g7_older_encodings_are_told_by_what_they_read_as(text: str, codec: str) -> None:
    assert read_here(text.encode(codec), "a.txt").text == text
    long = ("Plain lines first.\n" * 100 + text + "\n") * 40
    assert read_here(long.encode(codec), "a.txt").text == long


@pytest.mark.parametrize(
    "data",
    [
        bytes(range(256)) * 8,
        b"MZ\x90\x00\x03\x00\x00\x00" + bytes(200),
        b"\x7fELF\x02\x01\x01" + bytes(100),
        b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR",
        b"\x00\x01\x02\x03" * 100,
        b"text and " + bytes(1000),
        b"\x93\xfa\xff\xfe\xfd\x81\x80" * 30,
    ],
)
def test_g7_a_binary_named_txt_is_no_text(data: bytes) -> None:
    assert reason(data, "a.txt") == "unsupported_type"


def test_g8_nuls_and_lone_surrogates_are_removed_and_counted() -> None:
    data = b"one\x00two \xed\xa0\xbd three\x00\n\ngr\xc3\xb6\xc3\x9fer \xed\xb2\xa9\n"
    read = read_here(data, "a.txt")
    assert read.text == "onetwo  three\n\ngrößer \n"
    assert read.extraction.removed == 4
    wide = read_here("and\ud83d so on".encode("utf-16-le", "surrogatepass"), "a.txt")
    assert (wide.text, wide.extraction.removed) == ("and so on", 1)


def test_utf_8_with_some_damage_is_still_utf_8() -> None:
    whole = ("Größe und Fülle. " * 20).encode()
    read = read_here(whole[:50] + b"\xff" + whole[50:], "a.txt")
    assert (read.text, read.extraction.removed) == ("Größe und Fülle. " * 20, 1)
    cut = read_here("Größe und Maß".encode()[:-1], "a.txt")
    assert (cut.text, cut.extraction.removed) == ("Größe und Ma", 1)


def test_a_byte_that_is_nothing_does_not_spoil_a_long_text() -> None:
    before, after = b"Only plain words. " * 20, b"\nMore of them.\n"
    read = read_here(before + b"\x9d" + after, "a.log")
    assert (read.text, read.extraction.removed) == ((before + after).decode(), 1)
    assert reason(b"words \x9d", "a.log") == "unsupported_type"


def test_text_that_becomes_junk_later_is_not_read() -> None:
    data = GERMAN.encode("cp1252") * 3000 + b"\x81\x8d\x8f\x90\x9d" * 3000
    assert reason(data, "a.txt") == "unsupported_type"


def test_only_encodings_that_texts_are_written_in_can_be_declared() -> None:
    assert known("ISO-8859-1") == known("latin1") == "cp1252"
    assert known('"shift_jis"') == "cp932"
    for name in ("rot13", "zlib", "unicode_escape", "idna", "no such", "\0", "", None):
        assert known(name) is None


def test_paragraphs_of_a_text_are_parted_by_blank_lines() -> None:
    read = read_here(b"\n\nOne\nline two\n \n\nTwo\nend", "a.txt")
    assert [block.text for block in read.blocks] == ["\n\nOne\nline two\n \n\n", "Two\nend"]
    assert read.places == ["lines 1-4", "lines 7-8"]
    place = read.blocks[0].within(2, 14)
    assert str(place) == "lines 3-4"


def test_a_line_without_end_is_cut_between_words_and_whole_characters() -> None:
    text = "word " * 30_000 + "👩‍👩‍👧‍👦" * 20_000
    read = read_here(text.encode(), "a.txt")
    assert read.text == text
    assert max(len(block.text) for block in read.blocks) <= 32 * 1024
    for block in read.blocks:
        assert not block.text.startswith(("\u200d", "ord", "rd "))
        assert str(block.place) == "line 1"


def test_the_place_of_a_piece_of_a_long_block_is_its_own() -> None:
    read = read_here("".join(f"line {n}\n" for n in range(1, 8001)).encode(), "a.txt")
    for block in read.blocks:
        assert block.place is not None
        assert block.text.startswith(f"line {block.place.first}\n")
        assert block.text.endswith(f"line {block.place.last}\n")


MARKDOWN_SHAPE = [
    ("heading", 1, "# The lighthouse"),
    ("paragraph", 0, "It stands on the *northern* cape.\nIt was built in 1851."),
    ("heading", 2, "Keepers\n-------"),
    ("list_item", 0, "- Ada\n  from London"),
    ("list_item", 1, "  - her son"),
    ("list_item", 0, "1. first"),
    ("list_item", 0, "2. second"),
    ("table_row", 0, "| name | born |\n|------|------|"),
    ("table_row", 0, "| Ada  | 1815 |"),
    ("code", 0, '```python\n# no heading\nlamp = "on"\n```'),
    ("paragraph", 0, "Last words."),
]


def test_markdown_is_told_by_its_lines_and_stays_as_it_is() -> None:
    read = read_here(MARKDOWN.encode(), "a.md")
    assert read.shape == MARKDOWN_SHAPE
    assert read.text == MARKDOWN
    assert read.extraction.title == "The lighthouse"
    assert read.places[:3] == ["line 1", "lines 3-4", "lines 6-7"]


def test_front_matter_gives_a_markdown_file_its_title() -> None:
    text = '---\ntitle: "A name: of its own"\ntags: [x]\n---\n\n# Heading\n'
    read = read_here(text.encode(), "a.md")
    assert read.extraction.title == "A name: of its own"
    assert read.shape[1] == ("heading", 1, "# Heading")
    unended = "---\n" + "x: y\n" * 400 + "# Heading\n"
    assert read_here(unended.encode(), "a.md").extraction.title == "Heading"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a\n***\nb\n", [("paragraph", 0, "a"), ("paragraph", 0, "***\nb")]),
        ("#no\n", [("paragraph", 0, "#no")]),
        ("text\n# head #\n", [("paragraph", 0, "text"), ("heading", 1, "# head #")]),
        ("text\n===\n", [("heading", 1, "text\n===")]),
        ("p\n\n    x\n\n    y\n", [("paragraph", 0, "p"), ("code", 0, "    x\n\n    y")]),
        ("~~~\n```\n~~~\nx\n", [("code", 0, "~~~\n```\n~~~"), ("paragraph", 0, "x")]),
        ("```\nnever ends\n\n# x\n", [("code", 0, "```\nnever ends\n\n# x")]),
        ("- a\n\n  still a\n\nb\n", [("list_item", 0, "- a\n\n  still a"), ("paragraph", 0, "b")]),
        ("1) a\n   * b\n2) d\n", [
            ("list_item", 0, "1) a"), ("list_item", 1, "   * b"), ("list_item", 0, "2) d"),
        ]),
        ("a | b\n--|--\n1 | 2\n\nc | d\n", [
            ("table_row", 0, "a | b\n--|--"), ("table_row", 0, "1 | 2"), ("paragraph", 0, "c | d"),
        ]),
        ("p\na | b\n--|--\n", [("paragraph", 0, "p"), ("table_row", 0, "a | b\n--|--")]),
    ],
)  # fmt: skip
def test_markdown_in_its_corners(text: str, expected: list[tuple[str, int, str]]) -> None:
    assert read_here(text.encode(), "a.md").shape == expected


@settings(deadline=None, max_examples=60)
@given(st.lists(st.sampled_from([*"#-=`~|*> \n\n1.x", "\n\n", "    ", "---\n", "```\n", "🌊"])))
def test_no_markdown_loses_a_character(parts: list[str]) -> None:
    text = "x" + "".join(parts)
    for name in ("a.md", "a.txt", "a.py"):
        assert read_here(text.encode(), name).text == text


def test_source_code_is_cut_where_definitions_begin() -> None:
    body = "".join(f"    value_{n} = {n}\n" for n in range(12))
    text = f"import os\n\n\ndef first():\n{body}\n    return 1\n# about\n@own\nclass B:\n{body}\n"
    read = read_here(text.encode(), "a.py")
    assert read.text == text
    assert {kind for kind, _level, _text in read.shape} == {"code"}
    starts = [text.splitlines()[0] for _kind, _level, text in read.shape]
    assert starts == ["import os", "# about"]
    assert read.places[0].startswith("lines 1-")


def test_source_code_may_declare_its_encoding() -> None:
    xml = '<?xml version="1.0" encoding="iso-8859-2"?>\n<a>zażółć gęślą</a>\n'
    assert read_here(xml.encode("iso-8859-2"), "a.xml").text == xml
    python = "# -*- coding: koi8-r -*-\nname = 'ю'\n"
    assert read_here(python.encode("koi8-r"), "a.py").text == python


@pytest.mark.parametrize("name", ["README", "a.log", "a.xyz", ".gitignore", "a.txt"])
def test_text_under_any_name_is_plain_text(name: str) -> None:
    assert read_here(b"# one\n\n# two\n", name).shape == [
        ("paragraph", 0, "# one"),
        ("paragraph", 0, "# two"),
    ]
