"""What every embedder does. An adapter's test class inherits it and gives it an `embedder`."""

import math
import re
from concurrent.futures import ThreadPoolExecutor
from typing import ClassVar

import pytest

from palimpsest.domain.embedding import Embedded
from palimpsest.domain.errors import DeadlineExceeded, EmbeddingRejected
from palimpsest.domain.vectors import Vector
from palimpsest.ports import Embedder

TIMEOUT = 60.0

LONG_TEXTS = {
    "9,875 words": "mortar " * 9_875,
    "20,000 Chinese characters": "记忆检索系统" * 3_334,
    "a base64 blob": "".join(f"{n * 2654435761 % 2**32:06x}Zq/+" for n in range(10_000)),
}
SHORT_TEXTS = [
    "The kiln reaches cone six in nine hours.",
    "Ships report their position every hour.",
    "Der Ofen wird über Nacht gebrannt.",
    "会议改到星期四。",
    "def fuse(legs): return sorted(legs)",
]


def cosine(first: Vector, second: Vector) -> float:
    return math.fsum(a * b for a, b in zip(first, second, strict=True))


def embedded(result: Embedded | EmbeddingRejected) -> Embedded:
    assert isinstance(result, Embedded), result
    return result


def vector_of(result: Embedded | EmbeddingRejected) -> Vector:
    return embedded(result).vector


class EmbedderContract:
    """`same` is the cosine at which two vectors of one text count as the same."""

    same = 0.999_999
    long_texts: ClassVar = LONG_TEXTS

    def test_the_fingerprint_is_made_of_safe_characters(self, embedder: Embedder) -> None:
        assert re.fullmatch(r"[A-Za-z0-9._:-]{3,200}", embedder.fingerprint)

    def test_a_question_becomes_a_unit_vector_of_the_told_width(self, embedder: Embedder) -> None:
        vector = embedder.embed_query("how hot does the kiln get", timeout=TIMEOUT)
        assert len(vector) == embedder.dimension
        assert cosine(vector, vector) == pytest.approx(1.0, abs=1e-9)

    def test_every_passage_becomes_a_unit_vector_in_its_place(self, embedder: Embedder) -> None:
        together = embedder.embed_passages(SHORT_TEXTS, timeout=TIMEOUT)
        assert len(together) == len(SHORT_TEXTS)
        for text, result in zip(SHORT_TEXTS, together, strict=True):
            (alone,) = embedder.embed_passages([text], timeout=TIMEOUT)
            vector = vector_of(result)
            assert len(vector) == embedder.dimension
            assert cosine(vector, vector) == pytest.approx(1.0, abs=1e-9)
            assert cosine(vector, vector_of(alone)) > self.same
            assert not embedded(result).truncated

    def test_a_question_is_nearest_to_the_passage_that_answers_it(self, embedder: Embedder) -> None:
        question = embedder.embed_query("which cone does the kiln reach in hours", timeout=TIMEOUT)
        passages = embedder.embed_passages(SHORT_TEXTS, timeout=TIMEOUT)
        scores = [cosine(question, vector_of(passage)) for passage in passages]
        assert scores.index(max(scores)) == 0

    def test_no_texts_are_no_vectors(self, embedder: Embedder) -> None:
        assert embedder.embed_passages([], timeout=TIMEOUT) == []

    def test_b5_blank_passages_are_rejected_and_the_others_embedded(
        self, embedder: Embedder
    ) -> None:
        texts = ["", SHORT_TEXTS[0], " \n\t", "🎉🎉", "\u200b\ufeff", SHORT_TEXTS[1]]
        results = embedder.embed_passages(texts, timeout=TIMEOUT)
        rejected = [isinstance(result, EmbeddingRejected) for result in results]
        assert rejected == [True, False, True, False, True, False]
        assert {str(results[place]) for place in (0, 2, 4)} == {"no usable vector: blank"}

    def test_b5_a_blank_question_is_rejected(self, embedder: Embedder) -> None:
        with pytest.raises(EmbeddingRejected) as caught:
            embedder.embed_query(" \n", timeout=TIMEOUT)
        assert caught.value.reason == "blank"

    def test_a8_a_text_beyond_the_limit_is_embedded_from_its_beginning_and_flagged(
        self, embedder: Embedder
    ) -> None:
        texts = [*self.long_texts.values(), SHORT_TEXTS[0]]
        *long, short = embedder.embed_passages(texts, timeout=TIMEOUT)
        for name, result in zip(self.long_texts, long, strict=True):
            assert len(vector_of(result)) == embedder.dimension, name
            assert embedded(result).truncated, name
        assert not embedded(short).truncated

    def test_a8_what_follows_the_cut_does_not_change_the_vector(self, embedder: Embedder) -> None:
        begin = "the tide tables of the harbour " * 20_000
        texts = [begin + "alpha", begin + "omega"]
        first, second = embedder.embed_passages(texts, timeout=TIMEOUT)
        assert cosine(vector_of(first), vector_of(second)) > self.same

    def test_b4_concurrent_questions_each_get_their_own_vector(self, embedder: Embedder) -> None:
        questions = [f"{text} {number}" for number in range(4) for text in SHORT_TEXTS]
        alone = [embedder.embed_query(question, timeout=TIMEOUT) for question in questions]
        with ThreadPoolExecutor(8) as threads:
            together = list(
                threads.map(lambda text: embedder.embed_query(text, timeout=TIMEOUT), questions)
            )
        for expected, found in zip(alone, together, strict=True):
            assert cosine(expected, found) > self.same

    def test_no_time_is_an_exceeded_deadline(self, embedder: Embedder) -> None:
        with pytest.raises(DeadlineExceeded):
            embedder.embed_query("how hot", timeout=0.0)
        with pytest.raises(DeadlineExceeded):
            embedder.embed_passages(SHORT_TEXTS, timeout=0.0)

    def test_broken_characters_do_not_stop_the_others(self, embedder: Embedder) -> None:
        results = embedder.embed_passages(["kiln \ud800 kiln", SHORT_TEXTS[0]], timeout=TIMEOUT)
        assert not any(isinstance(result, EmbeddingRejected) for result in results)
