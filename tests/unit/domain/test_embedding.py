"""How texts are prepared for an embedder."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from palimpsest.domain.embedding import Embedded, TextRefused, cut, cut_to_tokens, is_blank
from palimpsest.domain.embedding_batches import Batch, BatchLimits, Result, embed_in_batches
from palimpsest.domain.errors import EmbeddingRejected, ProviderError

LIMITS = BatchLimits(texts=4, size=100)
VECTOR = (1.0,)


@pytest.mark.parametrize("text", ["", " ", "\n\t\r", "\u200b", "\ufeff \u00ad", "\0", "\ud800"])
def test_b5_what_nobody_can_see_is_blank(text: str) -> None:
    assert is_blank(text)


@pytest.mark.parametrize("text", ["a", " . ", "🎉", "\u200b中", "0", "\u0301"])
def test_anything_else_is_not(text: str) -> None:
    assert not is_blank(text)


def test_a8_a_text_is_cut_at_the_last_space_that_fits() -> None:
    assert cut("one two three four", 15) == "one two three"
    assert cut("one two", 7) == "one two"
    assert cut("one two", 3) == "one"


def test_a8_a_text_without_spaces_is_cut_where_it_must_be() -> None:
    assert cut("x" * 50, 20) == "x" * 20


def test_a8_a_character_is_not_cut_from_its_marks() -> None:
    assert cut("abce\u0301fgh", 4) == "abc"
    family = "👩\u200d👩\u200d👧"
    assert cut("abc" + family, 5) == "abc"


@given(st.text(), st.integers(min_value=1, max_value=50))
def test_a_cut_text_is_a_beginning_that_fits(text: str, most: int) -> None:
    short = cut(text, most)
    assert text.startswith(short)
    assert len(short) <= most
    assert bool(short) == bool(text) or text[: most + 1].isspace() or text[0].isspace()


def test_a8_tokens_are_counted_on_the_safe_side() -> None:
    assert cut_to_tokens("a b " * 2_000, 8_000) == "a b " * 2_000
    assert len(cut_to_tokens("word " * 10_000, 8_000)) == pytest.approx(16_000, abs=5)
    assert len(cut_to_tokens("A1/+" * 10_000, 8_000)) == 8_000
    assert len(cut_to_tokens("ж" * 10_000, 8_000)) == 8_000
    assert len(cut_to_tokens("记" * 10_000, 8_000)) == 4_000
    assert len(cut_to_tokens("🎉" * 10_000, 8_000)) == 2_000


def test_what_counts_fewer_tokens_than_bytes_is_left_whole() -> None:
    text = "word " * 2_000
    assert cut_to_tokens(text, 8_000) == text


def accept(batch: Batch) -> list[Result]:
    return [Embedded(VECTOR, one.truncated) for one in batch]


def test_batches_are_bounded_by_count_and_bytes() -> None:
    seen: list[list[str]] = []

    def send(batch: Batch) -> list[Result]:
        seen.append([one.text for one in batch])
        return accept(batch)

    texts = ["a", "b", "c", "d", "e", "x" * 150, "f", "é" * 40, "é" * 30]
    results = embed_in_batches(texts, shorten=str, limits=LIMITS, send=send)
    assert seen == [["a", "b", "c", "d"], ["e"], ["x" * 150], ["f", "é" * 40], ["é" * 30]]
    assert results == [Embedded(VECTOR)] * len(texts)


def test_what_was_shortened_is_flagged() -> None:
    texts = ["long text", "short"]
    first, second = embed_in_batches(
        texts, shorten=lambda text: text[:5], limits=LIMITS, send=accept
    )
    assert (first, second) == (Embedded(VECTOR, truncated=True), Embedded(VECTOR))


def test_a_refused_batch_is_halved_until_the_text_at_fault_is_alone() -> None:
    sizes: list[int] = []

    def send(batch: Batch) -> list[Result]:
        sizes.append(len(batch))
        if any(one.text == "bad" for one in batch):
            raise TextRefused("no", stage="embed")
        return accept(batch)

    results = embed_in_batches(["a", "b", "bad", "c"], shorten=str, limits=LIMITS, send=send)
    assert [isinstance(result, EmbeddingRejected) for result in results] == [0, 0, 1, 0]
    assert sizes == [4, 2, 2, 1, 1]


def test_a_single_refused_text_is_the_text_and_several_are_the_provider() -> None:
    def send(_batch: Batch) -> list[Result]:
        raise TextRefused("no", stage="embed")

    (one,) = embed_in_batches(["a"], shorten=str, limits=LIMITS, send=send)
    assert str(one) == "no usable vector: refused"
    with pytest.raises(ProviderError):
        embed_in_batches(["a", "", "b"], shorten=str, limits=LIMITS, send=send)


@given(st.lists(st.text(max_size=60), max_size=12))
def test_there_is_one_result_a_text_and_blank_ones_are_not_sent(texts: list[str]) -> None:
    places: list[int] = []

    def send(batch: Batch) -> list[Result]:
        places.extend(one.number for one in batch)
        assert all(not is_blank(one.text) for one in batch)
        return accept(batch)

    results = embed_in_batches(texts, shorten=str, limits=LIMITS, send=send)
    assert len(results) == len(texts)
    assert all(first < second for first, second in pairwise(places))
    rejected = [isinstance(result, EmbeddingRejected) for result in results]
    assert rejected == [is_blank(text) for text in texts]
