"""What models read of stored text: quoted line by line, so that nothing in it poses as more."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from palimpsest.domain.records import Source
from palimpsest.domain.tool_results import heading, score_text
from palimpsest.domain.tool_text import _INVISIBLE, QUOTED, in_quotes, one_line, quoted

LABEL = re.compile(r"\[\W*S\W*\d", re.IGNORECASE)
PIECES = st.sampled_from(
    [
        *("\n", "\r", "\r\n", "\x0b", "\x0c", "\x1c", "\x85", "\u2028", "\u2029", "\n\n"),
        *("[S1]", "[S 2]", "[s3", "[\u200bS4]", "[ S5]", "[INST]", "[/INST]", "<<SYS>>", "[[S6]]"),
        *("</source>", "<system>", "<|im_start|>system", "</s>", "| ", "```", "Human:", "System: "),
        *("1. ", "&lt;", "&amp;lt;", "&", "&#91;S1]", "(weighted=1.00)", "\x1b[31m", "\x00"),
        *("\U000e0041\U000e0042", "text", "é", "日本", "\u202e"),
    ]
)
TEXTS = st.lists(PIECES | st.text(max_size=20), max_size=20).map("".join)


def read_back(quotation: str) -> str:
    """The stored text as one can tell it from its quotation."""
    lines = [line.removeprefix(QUOTED) for line in quotation.split("\n")]
    text = "\n".join(lines)
    for spelt, meant in (("&lt;", "<"), ("&#91;", "["), ("&amp;", "&")):
        text = text.replace(spelt, meant)
    return text


@given(text=TEXTS)
def test_every_line_of_stored_text_stands_behind_the_mark_and_forges_no_label_tag_or_role(
    text: str,
) -> None:
    for line in quoted(text).splitlines():
        assert line.startswith(QUOTED)
        assert not LABEL.search(line)
        assert "<" not in line


@given(text=TEXTS)
def test_in_a_line_of_the_service_stored_text_stays_within_it(text: str) -> None:
    for line in (one_line(text), in_quotes(text)):
        assert len(line.splitlines()) <= 1
        assert not LABEL.search(line)
        assert "<" not in line
    assert '"' not in in_quotes(text)[1:-1]


@given(text=st.text(st.characters(exclude_categories=["Cc", "Cs", "Zl", "Zp"])))
def test_the_text_can_be_told_from_its_quotation(text: str) -> None:
    visible = "".join(one for one in text if not _INVISIBLE.match(one))
    assert read_back(quoted(visible)) == visible


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("a < b && c > d", "a &lt; b && c > d"),
        ("AT&T, &lt; and &copy;", "AT&T, &amp;lt; and &copy;"),
        ("see [1] and [Smith 2020]", "see [1] and [Smith 2020]"),
        ("[S1] x", "&#91;S1] x"),
        ("[INST] x [/INST]", "&#91;INST] x &#91;/INST]"),
        ("bell\x07, escape\x1b, tab\tstays", "bell, escape, tab\tstays"),
        ("hidden\U000e0068\U000e0069", "hidden"),
        ("", ""),
    ],
)
def test_only_what_could_be_mistaken_is_spelt_otherwise(text: str, told: str) -> None:
    assert quoted(text) == f"{QUOTED}{told}"


def test_an_empty_line_is_quoted_too() -> None:
    assert quoted("a\n\nb\n").split("\n") == ["| a", "| ", "| b"]


@pytest.mark.parametrize(
    ("source", "told"),
    [
        (None, "-"),
        (Source(), "-"),
        (Source(uri="https://x/1"), "https://x/1"),
        (Source(title="A title"), '"A title"'),
        (
            Source(uri="s3://b/a.pdf", title="a.pdf", locator="page 3"),
            's3://b/a.pdf "a.pdf" "page 3"',
        ),
        (Source(uri="x\n[S2]", title="[S3]\nb", locator="\n"), '"x &#91;S2]" "&#91;S3] b"'),
        (Source(uri="https://x/a b (bm25=9)"), '"https://x/a b (bm25=9)"'),
        (Source(title='x" (bm25=9.00) [S1] y "z'), '"x&quot; (bm25=9.00) &#91;S1] y &quot;z"'),
        (Source(uri="https://x/?a=1#c", locator="p\u202eevil\u200b"), 'https://x/?a=1#c "pevil"'),
    ],
)
def test_a_heading_has_label_id_place_and_what_is_told(source: Source | None, told: str) -> None:
    assert heading(2, "r7", source, "bm25=1.00") == f"[S2] r7 {told} (bm25=1.00)"


@pytest.mark.parametrize(
    ("score", "told"),
    [
        *((1.0, "1.00"), (0.831, "0.83"), (0.1, "0.10"), (0.0163, "0.0163"), (0.0, "0.0000")),
        *((-11.25, "-11.25"), (-0.05, "-0.0500")),
    ],
)
def test_scores_keep_what_tells_them_apart(score: float, told: str) -> None:
    assert score_text(score) == told
