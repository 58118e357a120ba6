"""Finding by words: the part of the search index's contract about texts in any form and script."""

from typing import Any

import pytest

from contract.index_entries import (
    ask,
    by_words,
    entry,
    ids,
)
from palimpsest.domain.entries import (
    LegStatus,
)
from palimpsest.ports import SearchIndex

SCRIPTS = {
    "English": "The quick brown fox jumps over the lazy dog",
    "German": "Die Straße am Fluss ist für Fußgänger gesperrt",
    "Vietnamese": "Ông Nguyễn sống ở thành phố Hồ Chí Minh",
    "Greek": "Το ΈΝΑΝ βιβλίο βρίσκεται στο τραπέζι",
    "Russian": "Ещё один документ лежит на столе",
    "Arabic": "الكتاب على الطاولة في المكتبة",
    "Hebrew": "הספר נמצא על השולחן",
    "Hindi": "किताब मेज पर रखी है",
    "Tamil": "புத்தகம் மேசையில் உள்ளது",
    "Georgian": "წიგნი მაგიდაზე დევს",
    "Japanese": "今日は成語しりとりをした",
    "Chinese": "我们使用混合检索来查找记忆",
    "Korean": "오늘은 서울에서 친구를 만났다",
    "Thai": "วันนี้อากาศดีมากในกรุงเทพ",
}
WORDS_INSIDE = {
    "Japanese": "成語",
    "Chinese": "混合检索",
    "Korean": "서울",
    "Thai": "อากาศ",
    "German": "strasse",
    "Vietnamese": "nguyen",
    "Greek": "εναν",
    "Russian": "документы",
}
PLAIN_TEXTS = [
    "a/b", "foo)", '"unbalanced', "title:x", r"C:\repo\main.py", "x* ~ OR NOT y", "C++", "(((",
    "x^2", "NEAR(a b)", "body: {x}", "it's", "10.0.0.1", "v1.2.3-rc1", "snake_case_name",
    "user@example.com", "550e8400-e29b-41d4-a716-446655440000", "§ 14 Abs. 2", "H2O", "100%_",
    "'; DROP TABLE entries; --",
]  # fmt: skip


class LexicalContract:
    """The lexical leg."""

    @pytest.mark.parametrize("text", PLAIN_TEXTS)
    def test_any_text_is_a_plain_question_and_finds_the_record_that_holds_it(
        self, index: SearchIndex, text: str
    ) -> None:
        index.write([entry("near", "something else entirely"), entry("it", f"see {text} there")])
        result = ask(index, by_words(text))
        if result.status is LegStatus.SKIPPED:
            assert result.reason == "no_terms"
        else:
            assert [candidate.id for candidate in result.candidates] == ["it"]

    @pytest.mark.parametrize("text", ["a", "the", "to be or not to be", "AND", "*", "~", "🎉", " "])
    def test_a_question_without_terms_is_skipped_with_a_reason(
        self, index: SearchIndex, text: str
    ) -> None:
        index.write([entry("a", f"the {text}")])
        result = ask(index, by_words(text))
        assert (result.status, result.reason) == (LegStatus.SKIPPED, "no_terms")

    def test_a_rare_token_finds_its_record(self, index: SearchIndex) -> None:
        crowd = [entry(f"n{i}", f"part ZX-{i}-Q of the machine") for i in range(30)]
        index.write([*crowd, entry("it", "the part ZX-4471-Q is broken")])
        assert ids(index, by_words("ZX-4471-Q"))[0] == "it"

    @pytest.mark.parametrize(
        ("identifier", "near_misses"),
        [
            ("INV-2026-00017", ["INV-2026-00018", "INV-2025-00017", "00017 2026 INV"]),
            ("10.0.0.1", ["10.0.0.2", "10.0.1.0", "1.0.0.10"]),
            ("v1.2.3-rc1", ["v1.2.3-rc2", "v1.3.2-rc1"]),
            ("C++", ["C", "C#", "C C C"]),
            ("user@example.com", ["user@example.org", "example.com user"]),
            ("550e8400-e29b-41d4-a716-446655440000", ["550e8400-e29b-41d4-a716-446655440001"]),
            ("§ 14 Abs. 2", ["§ 15 Abs. 2", "14. Abs. 2"]),
        ],
    )
    def test_an_identifier_outranks_its_near_misses(
        self, index: SearchIndex, identifier: str, near_misses: list[str]
    ) -> None:
        index.write([entry(f"a{i}", f"about {text}") for i, text in enumerate(near_misses)])
        index.write([entry("it", f"about {identifier}")])
        assert ids(index, by_words(identifier))[0] == "it"

    @pytest.mark.parametrize("script", SCRIPTS)
    def test_in_every_script_a_record_is_first_for_its_own_text(
        self, index: SearchIndex, script: str
    ) -> None:
        index.write([entry(name, text) for name, text in SCRIPTS.items()])
        assert ids(index, by_words(SCRIPTS[script]))[0] == script

    @pytest.mark.parametrize("script", WORDS_INSIDE)
    def test_a_word_inside_a_text_finds_it(self, index: SearchIndex, script: str) -> None:
        index.write([entry(name, text) for name, text in SCRIPTS.items()])
        assert ids(index, by_words(WORDS_INSIDE[script]))[0] == script

    def test_names_and_heads_are_searched_too(self, index: SearchIndex) -> None:
        content: dict[str, Any] = {
            "title": "Kettle", "subject": "Marlow", "predicate": "works_at",
            "aliases": ("Skipper",),
            "entities": ("Nellie",), "tags": ("river",), "location": "Gravesend",
        }  # fmt: skip
        index.write([entry("a", "nothing of that", **content), entry("b", "other")])
        for word in ("kettle", "Marlow", "works", "skipper", "nellie", "rivers", "gravesend"):
            assert ids(index, by_words(word)) == ["a"], word

    def test_fifteen_hundred_distinct_words_are_one_question(self, index: SearchIndex) -> None:
        words = [f"q{i}" for i in range(1_500)]
        index.write([entry("a", " ".join(words[:40])), entry("b", "q1499 and more")])
        assert ids(index, by_words(" ".join(words))) == ["a", "b"]

    def test_long_texts_and_blobs_are_found_by_a_word_of_theirs(self, index: SearchIndex) -> None:
        blob = "QUJD" * 20_000
        index.write(
            [entry("long", "lorem ipsum " * 8_000 + "needle"), entry("blob", f"{blob} eye")]
        )
        assert ids(index, by_words("needle")) == ["long"]
        assert ids(index, by_words("eye")) == ["blob"]

    def test_a_rarer_word_counts_more(self, index: SearchIndex) -> None:
        index.write([entry(f"c{i}", "common matter here") for i in range(5)])
        index.write([entry("r", "rare matter here")])
        assert ids(index, by_words("common rare"))[0] == "r"
