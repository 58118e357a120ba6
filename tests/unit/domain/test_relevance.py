"""A reranker's scores in the order of the documents, or none at all."""

import json
import math
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from palimpsest.domain.errors import ProviderError
from palimpsest.domain.relevance import in_order, presentable


def ranks(*pairs: tuple[object, object]) -> list[dict[str, object]]:
    return [{"index": index, "score": score} for index, score in pairs]


@given(st.lists(st.floats(allow_nan=False, allow_infinity=False)), st.randoms())
def test_scores_in_any_order_come_back_in_the_order_of_the_documents(
    scores: list[float], chance: random.Random
) -> None:
    found = ranks(*enumerate(scores))
    chance.shuffle(found)
    assert in_order(found, len(scores), member="score") == scores


def test_a_whole_number_is_a_score() -> None:
    (score,) = in_order(ranks((0, -3)), 1, member="score")
    assert score == -3.0
    assert isinstance(score, float)


def test_other_members_do_not_matter() -> None:
    found = [{"index": 0, "relevance_score": 0.5, "score": None, "document": {"text": "a"}}]
    assert in_order(found, 1, member="relevance_score") == [0.5]


@pytest.mark.parametrize(
    "score",
    [None, True, False, "0.5", "NaN", math.nan, math.inf, -math.inf, 10**400, [], {}, [0.5]],
    ids=repr,
)
def test_a_score_that_is_no_finite_number_makes_all_useless(score: object) -> None:
    with pytest.raises(ProviderError) as caught:
        in_order(ranks((0, 0.5), (1, score)), 2, member="score")
    assert caught.value.stage == "rerank"


@pytest.mark.parametrize("index", [0, 2, -1, 10**30, 1.0, "1", None, True, [1], math.nan], ids=repr)
def test_an_index_that_is_not_the_missing_one_makes_all_useless(index: object) -> None:
    with pytest.raises(ProviderError) as caught:
        in_order(ranks((0, 0.5), (index, 0.5)), 2, member="score")
    assert caught.value.stage == "rerank"


@pytest.mark.parametrize(
    "found",
    [
        None,
        {},
        {"results": []},
        "text",
        0,
        [],
        ranks((0, 0.5)),
        ranks((0, 0.5), (1, 0.5), (2, 0.5)),
        ranks((0, 0.5), (1, 0.5), (1, 0.5)),
        [0.5, 0.5],
        [[0, 0.5], [1, 0.5]],
        [{"index": 0, "score": 0.5}, None],
        [{"index": 0, "score": 0.5}, {"index": 1}],
        [{"index": 0, "score": 0.5}, {"score": 0.5}],
        [{"index": 0, "score": 0.5}, {"index": 1, "relevance_score": 0.5}],
    ],
    ids=json.dumps,
)
def test_anything_but_one_score_a_document_is_useless(found: object) -> None:
    with pytest.raises(ProviderError) as caught:
        in_order(found, 2, member="score")
    assert caught.value.stage == "rerank"


def test_no_documents_have_no_scores() -> None:
    assert in_order([], 0, member="score") == []


@given(st.text(alphabet=st.characters(exclude_categories=[])), st.integers(1, 20))
def test_what_is_presented_can_be_sent_is_not_empty_and_not_too_long(
    text: str, characters: int
) -> None:
    shown = presentable(text, characters=characters)
    assert shown.encode()
    assert 0 < len(shown) <= characters


@pytest.mark.parametrize("text", ["", " \n", "\0", "\ud800", "\u200b\ufeff"])
def test_a_text_with_nothing_to_judge_is_presented_as_a_dash(text: str) -> None:
    assert presentable(text) == "-"


def test_a_text_is_cut_between_characters_and_their_marks() -> None:
    assert presentable("ab" + "e\u0301" * 3, characters=5) == "abe\u0301"
    assert presentable("mortar " * 3, characters=13) == "mortar mortar"
    assert presentable("mortar " * 3) == "mortar " * 3
