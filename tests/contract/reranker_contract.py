"""What every reranker does. An adapter's test class inherits it and gives it a `reranker`."""

import math
import random
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import pytest

from palimpsest.domain.errors import DeadlineExceeded
from palimpsest.ports import Reranker

TIMEOUT = 60.0
QUESTION = "which cone does the kiln reach in nine hours"
ANSWER = "The kiln reaches cone six in nine hours."
DOCUMENTS = [
    "Ships report their position every hour.",
    "Der Ofen wird über Nacht gebrannt.",
    ANSWER,
    "会议改到星期四。",
    "def fuse(legs): return sorted(legs)",
]
FIFTY = [f"Note {n}: {'kiln ' * (n % 3)}{'cone ' * (n % 2)}{n}" for n in range(50)]


class RerankerContract:
    """The fixture `requests` tells how many requests have reached the provider."""

    def test_it_has_a_name(self, reranker: Reranker) -> None:
        assert reranker.name.strip()

    def test_every_document_has_a_finite_score(self, reranker: Reranker) -> None:
        scores = reranker.rerank(QUESTION, DOCUMENTS, timeout=TIMEOUT)
        assert len(scores) == len(DOCUMENTS)
        assert all(type(score) is float and math.isfinite(score) for score in scores)

    def test_the_document_that_answers_the_question_has_the_greatest_score(
        self, reranker: Reranker
    ) -> None:
        scores = reranker.rerank(QUESTION, DOCUMENTS, timeout=TIMEOUT)
        assert scores.index(max(scores)) == DOCUMENTS.index(ANSWER)
        assert scores.count(max(scores)) == 1

    def test_scores_follow_their_documents(self, reranker: Reranker) -> None:
        shuffled = random.Random(7).sample(FIFTY, len(FIFTY))
        first = reranker.rerank("kiln cone 7", FIFTY, timeout=TIMEOUT)
        second = reranker.rerank("kiln cone 7", shuffled, timeout=TIMEOUT)
        assert len(first) == len(FIFTY)
        assert len(set(first)) > 2
        found = dict(zip(shuffled, second, strict=True))
        assert [found[text] for text in FIFTY] == pytest.approx(first)

    def test_the_same_document_twice_has_two_scores_alike(self, reranker: Reranker) -> None:
        first, second = reranker.rerank(QUESTION, [ANSWER, ANSWER], timeout=TIMEOUT)
        assert first == pytest.approx(second)

    def test_one_document_has_its_score(self, reranker: Reranker) -> None:
        (score,) = reranker.rerank(QUESTION, [ANSWER], timeout=TIMEOUT)
        assert score == pytest.approx(reranker.rerank(QUESTION, DOCUMENTS, timeout=TIMEOUT)[2])

    def test_no_documents_are_no_scores_and_no_request(
        self, reranker: Reranker, requests: Callable[[], int]
    ) -> None:
        assert reranker.rerank(QUESTION, [], timeout=TIMEOUT) == []
        assert reranker.rerank(QUESTION, [], timeout=0.0) == []
        assert requests() == 0
        reranker.rerank(QUESTION, [ANSWER], timeout=TIMEOUT)
        assert requests() == 1

    def test_no_time_is_an_exceeded_deadline_and_no_request(
        self, reranker: Reranker, requests: Callable[[], int]
    ) -> None:
        with pytest.raises(DeadlineExceeded) as caught:
            reranker.rerank(QUESTION, DOCUMENTS, timeout=0.0)
        assert caught.value.stage == "rerank"
        assert requests() == 0

    def test_blank_and_broken_texts_do_not_take_the_others_along(self, reranker: Reranker) -> None:
        texts = ["", " \n", "\u200b", "\0", "kiln \ud800 kiln", "🎉", ANSWER]
        scores = reranker.rerank(QUESTION + "\ud800\0", texts, timeout=TIMEOUT)
        assert scores.index(max(scores)) == texts.index(ANSWER)

    def test_long_documents_are_judged(self, reranker: Reranker) -> None:
        long = [ANSWER + " mortar" * 10_000, "记忆检索系统" * 10_000, "🎉" * 40_000, "short"]
        scores = reranker.rerank(QUESTION, long, timeout=TIMEOUT)
        assert scores.index(max(scores)) == 0

    def test_concurrent_calls_each_get_their_own_scores(self, reranker: Reranker) -> None:
        def ask(question: str) -> list[float]:
            return reranker.rerank(question, DOCUMENTS, timeout=TIMEOUT)

        alone = [ask(text) for text in DOCUMENTS]
        with ThreadPoolExecutor(8) as threads:
            together = list(threads.map(ask, DOCUMENTS * 4))
        for place, scores in enumerate(together):
            assert scores == pytest.approx(alone[place % len(alone)])
