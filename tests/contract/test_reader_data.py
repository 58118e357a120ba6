"""Values: separated by commas, in JSON, in lines of JSON; and Rich Text."""

import json

import pytest

from document_files import RTF, read_here


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
def test_the_delimiter_is_told_by_the_records(delimiter: str) -> None:
    rows = [["name", "town, country", "born"], ["Ada", "London, England", "1815"]] * 3
    text = "\n".join(delimiter.join(f'"{one}"' for one in row) for row in rows)
    read = read_here(text.encode(), "a.csv")
    assert read.text.splitlines()[1] == "name: Ada; town, country: London, England; born: 1815"
    assert read.places[:2] == ["row 1", "row 2"]


def test_quoted_line_ends_and_quotes_belong_to_the_value() -> None:
    text = 'name,note\r\nAda,"two\r\nlines, ""quoted"""\r\n\r\nBob,\r\n'
    read = read_here(text.encode("utf-8-sig"), "a.csv")
    assert read.text == 'name; note\nname: Ada; note: two lines, "quoted"\nname: Bob\n'
    assert read.places == ["row 1", "row 2", "row 4"]


def test_g8_nuls_in_values_are_removed_and_counted() -> None:
    read = read_here(b"name,born\nA\x00da,1815\n", "a.csv")
    assert (read.blocks[-1].text, read.extraction.removed) == ("name: Ada; born: 1815\n", 1)


def test_a_tsv_is_separated_by_tabs_alone() -> None:
    assert read_here(b"a,b\tc\n1,2\t3\n", "a.tsv").text == "a,b; c\na,b: 1,2; c: 3\n"


def test_records_without_a_header_stay_values() -> None:
    assert read_here(b"1,2\n3,4\n", "a.csv").text == "1; 2\n3; 4\n"
    assert read_here(b"one\ntwo\n", "a.csv").text == "one\ntwo\n"
    assert read_here(b"a@b.org,x\nc@d.org,y\n", "a.csv").text == "a@b.org; x\nc@d.org; y\n"


def test_g7_separated_values_in_an_older_encoding() -> None:
    text = "Name;Straße\nMüller;Königsallee\n"
    read = read_here((text * 10).encode("cp1252"), "a.csv")
    assert read.blocks[1].text == "Name: Müller; Straße: Königsallee\n"


@pytest.mark.parametrize(
    "text", ['a,"never ends\n' + "x,y\n" * 300_000, "x" * 1_200_000 + ",y\n"], ids=["quote", "line"]
)
def test_a_value_without_end_makes_it_plain_text(text: str) -> None:
    read = read_here(text.encode(), "a.csv")
    assert read.text == text


def test_json_values_bear_their_paths_in_words() -> None:
    value = {
        "town": "Reykjavik",
        "address": {"street": "Laugavegur 1", "at": {"ok": True, "no": None}},
        "tags": ["red", "green"],
        "people": [{"name": "Ada", "born": 1815}, {"name": "Bob", "likes": ["tea", "rain"]}],
        "grid": [[1, 2], [3]],
        "empty": {},
    }
    read = read_here(json.dumps(value).encode(), "a.json")
    assert read.text.splitlines() == [
        "town: Reykjavik",
        "address street: Laugavegur 1; address at ok: true; address at no: null",
        "tags: red, green",
        "people name: Ada; people born: 1815",
        "people name: Bob; people likes: tea, rain",
        "grid: 1, 2, 3",
    ]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('[{"town": "Oslo"}, {"town": "Rome"}]', "town: Oslo\ntown: Rome\n"),
        ('"only a text"', "only a text\n"),
        ("[1, 1.50, true]", "1, 1.50, true\n"),
        ('{"a": "x\\u0000y \\ud83d \\ud83d\\ude00"}', "a: xy 😀\n"),
    ],
)
def test_json_of_any_form(text: str, expected: str) -> None:
    assert read_here(text.encode(), "a.json").text == expected


def test_g8_broken_characters_in_json_are_removed_and_counted() -> None:
    read = read_here(b'{"a": "x\\u0000y \\ud83d \\\\ud83d \\ude00"}', "a.json")
    assert (read.text, read.extraction.removed) == ("a: xy \\ud83d\n", 3)
    lines = read_here(b'{"a": "x\\u0000y \\ud83d"}\n', "a.jsonl")
    assert (lines.text, lines.extraction.removed) == ("a: xy \n", 2)
    for size in range(16_370, 16_390):  # at the border of two pieces
        text = json.dumps({"a": "x" * size + "😀"})
        assert read_here(text.encode(), "a.json").text == f"a: {'x' * size}😀\n"


@pytest.mark.parametrize("text", ['{"a": oops}', "just words", '{"a": 1', "{'a': 1}", "[NaN]"])
def test_what_is_no_json_is_plain_text(text: str) -> None:
    assert read_here(text.encode(), "a.json").text == text


def test_json_in_utf_16_is_read() -> None:
    assert read_here('{"stadt": "Zürich"}'.encode("utf-16"), "a.json").text == "stadt: Zürich\n"


def test_each_line_of_json_lines_is_a_block_with_its_number() -> None:
    text = '{"name": "Ada", "at": {"town": "London"}}\nno json\n\n[1, 2]\n'
    read = read_here(text.encode(), "a.jsonl")
    assert read.text == "name: Ada; at town: London\nno json\n1, 2\n"
    assert read.places == ["line 1", "line 2", "line 4"]


def test_rich_text_keeps_its_structure_and_drops_what_is_not_text() -> None:
    read = read_here(RTF.encode(), "a.rtf")
    assert read.shape == [
        ("heading", 1, "The cape"),
        ("paragraph", 0, "Größe €5 bold 日本 end[1]"),
        ("list_item", 0, "first"),
        ("list_item", 1, "second"),
        ("table_row", 0, "Ada | 1815"),
        ("paragraph", 0, "😀 done"),
        ("paragraph", 0, "[1] A note"),
    ]
    assert read.extraction.title == "The lighthouse"


@pytest.mark.parametrize(
    ("rtf", "expected"),
    [
        (r"{\rtf1\ansi\ansicpg1251 \'cf\'f0\'e8\'e2\'e5\'f2\par}", "Привет\n"),
        (r"{\rtf1\ansi\ansicpg932 \'93\'fa\'96\'7b\'8cV\par}", "日本祁\n"),
        (r"{\rtf1\ansi{\fonttbl{\f0\fcharset204 A;}{\f1 B;}}\f0\'cf\f1\'e9\par}", "Пé\n"),
        (r"{\rtf1\uc2\u960 ab\uc0\u960 c\par}", "ππc\n"),
        (r"{\rtf1 a\~b\_c\-d\{e\}\\f\line g\tab h\par}", "a\xa0b-cd{e}\\f\ng\th\n"),
        (r"{\rtf1 a{\v hidden}b{\deleted gone}c\par}", "abc\n"),
        (r"{\rtf1 {\field{\*\fldinst HYPERLINK x}{\fldrslt link}}\par}", "link\n"),
        (r"{\rtf1 {\pict\bin5 }}}{{}a\par} after", "a\n"),
        (r"{\rtf1 {\shp{\*\shpinst{\sp{\sn n}{\sv v}}{\shptxt box\par}}}x\par}", "box\n\nx\n"),
        (r"{\rtf1\outlinelevel0 head\par\pard text", "head\n\ntext\n"),
    ],
)  # fmt: skip
def test_rich_text_in_its_corners(rtf: str, expected: str) -> None:
    assert read_here(rtf.encode(), "a.rtf").text == expected
