"""What becomes of texts in the lexical index."""

import time
import unicodedata

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from palimpsest.domain import stemming
from palimpsest.domain.analysis import LONGEST_TERM, STOP_WORDS, spans, terms
from palimpsest.domain.folding import fold
from palimpsest.domain.stemming import stem


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Straße", "STRASSE"), ("İSTANBUL", "istanbul"), ("Nguyễn", "nguyen"), ("ΈΝΑΝ", "εναν"),
        ("ＡＢＣ１２３", "abc123"), ("ｺｰﾋｰ", "コーヒー"), ("ﾊﾞｽ", "バス"),
        ("H₂O", "h2o"), ("ﬁne", "fine"),
        ("cafe\u0301", "café"), ("за́мок", "замок"), ("ещё", "еще"), ("ΣΊΣΥΦΟΣ", "σισυφος"),
        ("عَرَبِيّ", "عربي"), ("أحمد", "احمد"), ("کتاب", "كتاب"), ("שָׁלוֹם", "שלום"), ("٣٤", "34"),
        ("re\u00adsume", "résumé"),
        ("می\u200cخواهم", "ميخواهم"), ("\ufeffword", "word"),
        ("Łódź", "lodz"), ("Ærø", "aero"), ("葛\U000e0100城", "葛城"), ("e\u2011mail", "e-mail"),
    ],
)  # fmt: skip
def test_spellings_of_one_word_have_the_same_terms(one: str, other: str) -> None:
    assert terms(one) == terms(other) != []


@pytest.mark.parametrize(("one", "other"), [("й", "и"), ("か", "が"), ("की", "का"), ("ї", "і")])
def test_marks_that_make_another_letter_stay(one: str, other: str) -> None:
    assert terms(one) != terms(other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("ships", "ship"), ("Running", "run"), ("Nikhil's", "Nikhil"), ("Nikhil’s", "Nikhil"),
        ("документы", "документ"), ("книгами", "книга"), ("الكتاب", "كتاب"), ("we're", "we"),
        ("e-mail", "email"),
    ],
)  # fmt: skip
def test_inflections_of_one_word_share_a_term(one: str, other: str) -> None:
    assert set(terms(one)) & set(terms(other))


@pytest.mark.parametrize(
    ("text", "whole", "parts"),
    [
        ("ZX-4471-Q", "zx-4471-q", ["zx", "4471", "q"]),
        ("INV-2026-00017", "inv-2026-00017", ["inv", "2026", "00017"]),
        ("10.0.0.1", "10.0.0.1", ["10", "0", "0", "1"]),
        ("v1.2.3-rc1", "v1.2.3-rc1", ["v1", "2", "3", "rc1"]),
        ("snake_case_name", "snake_case_name", ["snake", "case", "name"]),
        ("user@example.com", "user@example.com", ["user", "exampl", "com"]),
        (r"C:\repo\main.py", r"c:\repo\main.py", ["c", "repo", "main", "py"]),
        ("https://ex.org/x", "https://ex.org/x", ["https", "ex", "org", "x"]),
        ("C++", "c++", ["c"]),
        ("C#", "c#", ["c"]),
        ("1,000,000", "1,000,000", ["1", "000", "000"]),
        ("O'Brien", "obrien", ["o", "brien"]),
        ("§ 14", "§14", ["14"]),
        ("a/b", "a/b", ["b"]),
        ("550e8400-e29b", "550e8400-e29b", ["550e8400", "e29b"]),
    ],
)
def test_a_compound_is_a_term_and_so_are_its_parts(text: str, whole: str, parts: list[str]) -> None:
    assert terms(text) == [whole, *parts]


def test_the_sentence_around_an_identifier_does_not_change_it() -> None:
    assert "inv-2026-00017" in terms("(see INV-2026-00017, please.)")
    assert "10.0.0.1" in terms("from 10.0.0.1.")


def test_a_contraction_is_a_term() -> None:
    assert terms("don't")[0] == terms("don’t")[0] == "dont"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("混合检索", ["混", "混合", "合", "合检", "检", "检索", "索"]),
        ("水", ["水"]),
        ("しりとり", ["しり", "りと", "とり"]),
        ("は", ["は"]),
        ("Tシャツ", ["t", "シャ", "ャツ"]),
        ("먹었다", ["먹었다", "먹었", "었다"]),
        ("물", ["물"]),
        ("ชาว", ["ชาว"]),
        ("สวัสดี", ["สวั", "วัส", "สดี"]),
        ("नमस्ते दुनिया", ["नमस्ते", "दुनिया"]),
        ("தமிழ் მსოფლიო", ["தமிழ்", "მსოფლიო"]),
    ],
)
def test_each_script_is_cut_in_its_own_way(text: str, expected: list[str]) -> None:
    assert terms(text) == expected


@pytest.mark.parametrize(
    "text",
    ["", " ", "the", "to be or not to be", "AND", "*", "~", "🎉", "❤️ 👨‍👩‍👧",
     "( ) \" '", "___", "\u0301",
     "\u0301-\u0301", "\x00\ud800"],
)  # fmt: skip
def test_stop_words_symbols_and_emoji_give_no_term(text: str) -> None:
    assert terms(text) == []
    assert list(spans(text)) == []


def test_there_are_33_stop_words() -> None:
    assert len(STOP_WORDS) == 33


def test_spans_point_into_the_text_as_it_was_given() -> None:
    text = "Ｓee the Straße at C:\\repo, 混合检索!"
    found = [(term, text[start:end]) for term, start, end in spans(text)]
    assert found == [
        ("see", "Ｓee"), ("strass", "Straße"), (r"c:\repo", r"C:\repo"), ("c", "C"),
        ("repo", "repo"),
        ("混", "混"), ("混合", "混合"), ("合", "合"), ("合检", "合检"), ("检", "检"),
        ("检索", "检索"), ("索", "索"),
    ]  # fmt: skip


@settings(max_examples=300, deadline=None)
@given(st.text(max_size=60) | st.text("aB1ё한が字ก\u0e31\u0301\u200d-_.'’§+#/: ", max_size=40))
def test_terms_and_spans_agree_on_any_text(text: str) -> None:
    found = list(spans(text))
    assert [term for term, _, _ in found] == terms(text)
    for term, start, end in found:
        assert 0 <= start < end <= len(text)
        assert 0 < len(term) <= 4 * LONGEST_TERM
        assert not term.isspace()


@settings(max_examples=300, deadline=None)
@given(st.text(max_size=30))
def test_folding_twice_is_folding_once(text: str) -> None:
    assert fold(fold(text)) == fold(text)


def test_long_runs_are_cut_and_long_identifiers_are_found_by_their_parts() -> None:
    assert [len(term) for term in terms("x" * 600)] == [LONGEST_TERM, LONGEST_TERM, 90]
    assert terms("ab-" * 200 + "cd") == ["ab"] * 200 + ["cd"]
    assert stem("x" * 60) == "x" * 60
    assert terms("물" * 300) == ["물물"] * 299


@pytest.mark.parametrize(
    "text",
    ["word " * 20_000, "QUJD+/==" * 12_500, "a-" * 50_000, "記" * 33_000, "-" * 100_000,
     "'a" * 50_000,
     "_" * 100_000, "e\u0301" * 33_000, "§" * 50_000, "\u0e31" * 33_000, "1," * 50_000],
    ids=lambda text: text[:4],
)  # fmt: skip
def test_a_hundred_thousand_bytes_of_anything_take_no_long_time(text: str) -> None:
    began = time.perf_counter()
    terms(text)
    assert time.perf_counter() - began < 3


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("ក្រុមបានជួបគ្នានៅភ្នំពេញ", "ភ្នំពេញ"),
        ("วันนี้ฉันกินข้าวผัดที่ตลาด", "ข้าวผัด"),
        ("ມື້ນີ້ຂ້ອຍກິນເຂົ້າຢູ່ຕະຫຼາດ", "ຕະຫຼາດ"),
        ("ယနေ့ ကျွန်ုပ် ဈေးသို့ သွားသည်", "ဈေးသို့"),
    ],
)
def test_a11_scripts_without_spaces_are_found_by_a_word_inside(text: str, word: str) -> None:
    asked = set(terms(word))
    assert asked
    assert asked <= set(terms(text))


def test_a11_no_letter_of_a_script_without_spaces_is_lost() -> None:
    ranges = ((0x0E00, 0x0EFF), (0x1000, 0x109F), (0x1780, 0x17FF))
    letters = [
        chr(code)
        for first, last in ranges
        for code in range(first, last + 1)
        if unicodedata.category(chr(code)) == "Lo"
    ]
    assert [letter for letter in letters if not terms(letter * 2)] == []


def test_a_hangul_run_that_is_too_long_for_a_term_is_found_by_its_bigrams() -> None:
    run = "가나" * (LONGEST_TERM // 2 + 1)
    assert set(terms(run)) == {"가나", "나가"}
    assert run[:LONGEST_TERM] in terms(run[:LONGEST_TERM])


def test_stemmers_of_two_languages_are_of_one_package() -> None:
    assert stemming._package() is stemming._package()
    assert (stem("кошки"), stem("الكتاب")) == (
        stem("кошка"),
        stem("كتاب"),
    )
