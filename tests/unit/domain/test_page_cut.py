import math
import unicodedata
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from palimpsest.domain.entries import Candidate, Leg
from palimpsest.domain.fusion import FusedHit, Part
from palimpsest.domain.page_cut import not_below, tokens_of, within_tokens
from palimpsest.domain.queries import Hit
from palimpsest.domain.records import Content, Record, Status
from palimpsest.domain.whole_characters import LONGEST, whole_end

LONG_AGO = datetime(2026, 1, 1, tzinfo=UTC)
FAMILY = "👩‍👩‍👧‍👦"
ONE_CHARACTER = [
    "e\u0301",
    "क\u094d\u0937\u093f",
    "❤\ufe0f",
    "👍🏽",
    FAMILY,
    "🇫🇷",
    "🏴\U000e0067\U000e0062\U000e0073\U000e0063\U000e0074\U000e007f",
    "\u1112\u1161\u11ab",
    "ｶ\uff9e",
    "1\ufe0f\u20e3",
    "\r\n",
    "a" + "\u0301" * 40,
]


def hit(text: str | None, score: float = 1.0, relevance: float | None = None) -> Hit:
    fused = FusedHit(
        score,
        {Leg.LEXICAL: Part(1, score, 1.0, 1.0, score)},
        Candidate("acme#notes", "r", score, 1, "h"),
        relevance,
    )
    content = None if text is None else Content(text=text)
    status = Status.DELETED if text is None else Status.ACTIVE
    record = Record(
        id="r",
        namespace="notes",
        revision=1,
        status=status,
        content=content,
        created_at=LONG_AGO,
        updated_at=LONG_AGO,
    )
    return Hit(fused, record, "")


def texts(hits: list[Hit]) -> list[str]:
    return [
        one.text if one.text is not None else one.record.content.text if one.record.content else ""
        for one in hits
    ]


@pytest.mark.parametrize(("length", "tokens"), [(0, 0), (1, 1), (4, 1), (5, 2), (8, 2), (9, 3)])
def test_four_characters_are_a_token_rounded_up(length: int, tokens: int) -> None:
    assert tokens_of("語" * length) == tokens


def test_without_a_budget_every_hit_stays() -> None:
    hits = [hit("x" * 1000), hit("y")]
    assert within_tokens(hits, None) == hits
    assert within_tokens([], 5) == []


def test_a_hit_that_fits_exactly_stays_and_one_character_more_ends_the_page() -> None:
    fits = [hit("a" * 40), hit("b" * 40), hit("c")]
    assert within_tokens(fits, 20) == fits[:2]
    assert within_tokens([hit("a" * 40), hit("b" * 41)], 20) == fits[:1]
    assert within_tokens(fits, 21) == fits


def test_a_smaller_hit_behind_one_that_is_too_large_is_not_preferred() -> None:
    hits = [hit("a" * 40), hit("b" * 400), hit("c")]
    assert within_tokens(hits, 50) == hits[:1]


def test_c17_a_first_hit_that_is_too_large_is_cut_to_exactly_the_budget() -> None:
    (kept,) = within_tokens([hit("x" * 600), hit("y")], 80)
    assert kept.text == "x" * 320
    assert tokens_of(kept.text) == 80
    (whole,) = within_tokens([hit("x" * 320)], 80)
    assert whole.text is None
    (smallest,) = within_tokens([hit("words")], 1)
    assert smallest.text == "word"


def test_a_hit_without_content_takes_nothing() -> None:
    assert texts(within_tokens([hit(None), hit("x" * 8)], 2)) == ["", "x" * 8]


@pytest.mark.parametrize("character", ONE_CHARACTER, ids=lambda c: unicodedata.name(c[0], "return"))
@pytest.mark.parametrize("tokens", [1, 2, 3, 8, 20])
def test_a_cut_within_what_a_reader_sees_as_one_character_is_made_before_it(
    character: str, tokens: int
) -> None:
    for lead in range(1, 4 * tokens + 1):
        whole = "x" * lead + character + "y" * 200
        (kept,) = within_tokens([hit(whole)], tokens)
        end = 4 * tokens
        inside = lead < end < lead + len(character)
        assert kept.text == whole[: lead if inside else end]


def test_the_middle_of_many_flags_is_found() -> None:
    flags = "🇫🇷🇩🇪🇯🇵"
    assert [whole_end(flags, end) for end in range(1, 7)] == [1, 2, 2, 4, 4, 6]
    assert whole_end("x" + flags, 4) == 3


def test_something_is_left_of_a_text_that_begins_with_a_character_too_long_for_it() -> None:
    (kept,) = within_tokens([hit(FAMILY * 3)], 1)
    assert kept.text == FAMILY[:4]
    assert whole_end("x" + "\u0301" * 100, 50) == 50


def test_an_endless_character_is_cut_where_the_budget_ends() -> None:
    text = "some words and then x" + "\u0301" * (LONGEST + 30) + "y"
    end = len(text) - 5
    assert whole_end(text, end) == end
    assert whole_end(text, 21 + LONGEST - 1) == 20


@given(st.text(max_size=30), st.integers(0, 40))
def test_a_whole_end_is_never_beyond_and_never_at_the_beginning(text: str, end: int) -> None:
    found = whole_end(text, end)
    assert found <= end
    assert found > 0 or end == 0
    if end >= len(text):
        assert found == end


@given(st.lists(st.floats(-5, 5), max_size=10), st.none() | st.floats(-5, 5))
def test_what_is_not_below_is_the_ordered_list_up_to_the_score(
    scores: list[float], least: float | None
) -> None:
    ordered = [hit("x", score).fused for score in sorted(scores, reverse=True)]
    bound = -math.inf if least is None else least
    assert not_below(ordered, least) == [one for one in ordered if one.score >= bound]


def test_a_rerankers_score_is_the_one_that_counts() -> None:
    ordered = [hit("x", 0.1, relevance=0.9).fused, hit("x", 0.9, relevance=0.1).fused]
    assert not_below(ordered, 0.5) == ordered[:1]
