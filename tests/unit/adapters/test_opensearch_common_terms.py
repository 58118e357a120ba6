"""Counts of terms: what is counted, what an answer tells of it, and how long it is believed."""

import threading
from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from contract.index_entries import by_vector, by_words
from palimpsest.adapters.opensearch import common_terms
from palimpsest.adapters.opensearch.common_terms import (
    BELIEVED_S,
    FRESH_S,
    MOST_COUNTED,
    Count,
    Counting,
    TermCounts,
)
from palimpsest.adapters.opensearch.documents import term_token
from palimpsest.adapters.opensearch.questions import Question
from palimpsest.domain.analysis import terms

HERE = ("acme#notes",)


class Clock:
    """Seconds that pass when a test says so."""

    def __init__(self) -> None:
        self.now = 1_000.0

    def monotonic(self) -> float:
        return self.now


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    clock = Clock()
    monkeypatch.setattr(common_terms, "time", clock)
    return clock


def about(text: str, partitions: Sequence[str] = HERE) -> Question:
    words = [term_token(term) for term in terms(text)]
    return Question(by_words(text, partitions=tuple(partitions)), words=words)


def told(documents: int, **holding: int) -> dict[str, Count]:
    counts = {term_token(word): Count(number, documents) for word, number in holding.items()}
    return {"": Count(documents, documents), **counts}


def common(counts: TermCounts, text: str, partitions: Sequence[str] = HERE) -> set[str]:
    found = counts.common("i", partitions, about(text).words)
    return {word for word in text.split() if term_token(word) in found}


def counted(counts: TermCounts, *questions: Question) -> list[Counting]:
    return counts.unknown("i", questions)


def test_nothing_is_common_as_long_as_nothing_is_known() -> None:
    assert common(TermCounts(), "heron otter") == set()


def test_what_was_learnt_is_told_and_not_counted_again() -> None:
    counts = TermCounts()
    counts.learn("i", HERE, told(1_000, heron=201, otter=200))
    assert common(counts, "heron otter weir") == {"heron"}
    assert counted(counts, about("heron otter")) == []
    assert counted(counts, about("heron weir")) == [Counting(HERE, [term_token("weir")])]


def test_counts_hold_for_one_index_and_one_set_of_partitions() -> None:
    counts = TermCounts()
    counts.learn("i", ("a", "b"), told(1_000, heron=500, otter=1))
    words = about("heron otter").words
    assert counts.common("i", ("b", "a", "b"), words) == {term_token("heron")}
    for index, partitions in (("j", ("a", "b")), ("i", ("a",)), ("i", ("a", "b", "c"))):
        assert counts.common(index, partitions, words) == set()
    (one,) = counted(counts, about("heron otter", ["b", "a"]), about("heron otter", ["a"]))
    assert one == Counting(("a",), words)


def test_of_several_questions_each_word_is_counted_once_and_by_its_partitions() -> None:
    questions = [about("heron otter"), about("otter weir"), about("heron otter", ["x"])]
    first, other = counted(TermCounts(), *questions)
    assert first == Counting(HERE, about("heron otter weir").words)
    assert other == Counting(("x",), about("heron otter").words)


def test_a_question_of_one_word_or_none_needs_no_count() -> None:
    near = Question(by_vector(1, 0, 0))
    assert counted(TermCounts(), about("heron"), near) == []


def test_where_there_are_a_hundred_documents_at_most_nothing_is_counted() -> None:
    counts = TermCounts()
    counts.learn("i", HERE, told(100))
    assert counted(counts, about("heron otter")) == []
    counts.learn("i", HERE, told(101))
    assert counted(counts, about("heron otter")) != []


def test_a_long_question_is_counted_a_part_at_a_time() -> None:
    counts = TermCounts()
    texts = [" ".join(f"w{n}" for n in range(start, start + 100)) for start in (0, 50, 500)]
    questions = [about(text) for text in texts]
    (first,) = counted(counts, *questions)
    assert len(first.words) == MOST_COUNTED
    counts.learn("i", HERE, {word: Count(1, 1_000) for word in first.words})
    (second,) = counted(counts, *questions)
    assert len(second.words) == MOST_COUNTED
    assert not {*first.words} & {*second.words}


def test_the_room_for_counts_is_that_of_all_partitions_together() -> None:
    long = " ".join(f"w{n}" for n in range(MOST_COUNTED))
    (only,) = counted(TermCounts(), about(long), about("heron otter", ["x"]))
    assert only.partitions == HERE


def test_old_counts_are_counted_anew_and_believed_meanwhile_but_not_for_ever(clock: Clock) -> None:
    counts = TermCounts()
    counts.learn("i", HERE, told(1_000, heron=500, otter=1))
    clock.now += FRESH_S - 1
    assert counted(counts, about("heron otter")) == []
    clock.now += 2
    assert counted(counts, about("heron otter")) == [Counting(HERE, about("heron otter").words)]
    assert common(counts, "heron otter") == {"heron"}
    clock.now += BELIEVED_S - FRESH_S
    assert common(counts, "heron otter") == set()


def test_growth_since_a_word_was_counted_makes_no_word_common() -> None:
    counts = TermCounts()
    counts.learn("i", HERE, told(200, heron=150))
    counts.learn("i", HERE, told(10_000, otter=1, weir=1_900))
    assert common(counts, "heron otter weir") == set()
    assert common(counts, "heron otter") == set()


def test_what_was_asked_for_least_lately_goes_first() -> None:
    counts = TermCounts(most=3)
    counts.learn("i", HERE, {"a": Count(1, 9), "b": Count(1, 9), "c": Count(1, 9)})
    counts.common("i", HERE, ["a"])
    counts.learn("i", HERE, {"d": Count(1, 9)})
    question = Question(by_words("x", partitions=HERE), words=["a", "b", "c", "d"])
    assert counted(counts, question) == [Counting(HERE, ["b"])]


@given(st.lists(st.tuples(st.sampled_from("abcdefgh"), st.integers(0, 9)), max_size=40))
def test_no_more_is_kept_than_there_is_room_for(learnt: list[tuple[str, int]]) -> None:
    counts = TermCounts(most=4)
    for word, number in learnt:
        counts.learn("i", HERE, {word: Count(number, 9)})
    assert len(counts._kept) <= 4


def test_many_threads_may_learn_and_ask_at_once() -> None:
    counts, raised = TermCounts(most=50), list[BaseException]()

    def work(number: int) -> None:
        try:
            for n in range(300):
                words = [f"{number}-{n}", f"s{n % 60}"]
                counts.learn("i", HERE, {word: Count(1, 1_000) for word in words})
                assert counts.common("i", HERE, words) == set()
                counted(counts, Question(by_words("x", partitions=HERE), words=words))
        except BaseException as error:  # noqa: BLE001  # it is looked at below
            raised.append(error)

    threads = [threading.Thread(target=work, args=[number]) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert raised == []
    assert len(counts._kept) == 50


def test_a_counting_asks_within_its_partitions_for_what_is_no_tombstone() -> None:
    words = about("heron otter").words
    bodies = Counting(("a", "b"), words).bodies(timeout=3.987)
    for body, word in zip(bodies, [None, *words], strict=True):
        within: list[Any] = [{"terms": {"partition": ["a", "b"]}}]
        wanted = [*within, {"term": {"terms": word}}] if word else within
        gone = [{"term": {"tombstone": True}}]
        assert body == {
            "size": 0,
            "query": {"bool": {"filter": wanted, "must_not": gone}},
            "track_total_hits": True,
            "timeout": "3900ms",
        }
    (one, *_) = Counting(HERE, words).bodies(timeout=0.05)
    assert one["query"]["bool"]["filter"] == [{"term": {"partition": HERE[0]}}]
    assert one["timeout"] == "50ms"


def answer(value: Any, **fields: Any) -> dict[str, Any]:
    hits = {"total": {"value": value, "relation": "eq"}, "hits": []}
    return {"timed_out": False, "_shards": {"failed": 0}, "hits": hits, "status": 200, **fields}


def test_each_answer_tells_of_its_word() -> None:
    counting = Counting(HERE, ["a", "b"])
    read = counting.read([answer(9), answer(4), answer(0)])
    assert read == {"": Count(9, 9), "a": Count(4, 9), "b": Count(0, 9)}


USELESS: dict[str, Any] = {
    "an error": {"error": {"type": "rejected_execution_exception"}, "status": 429},
    "an error beside hits": answer(1, error={"type": "x"}),
    "late": answer(1, timed_out=True),
    "partial": answer(1, _shards={"failed": 1}),
    "shards in words": answer(1, _shards={"failed": "0"}),
    "without shards": {"timed_out": False, "hits": answer(1)["hits"]},
    "without a time": {"_shards": {"failed": 0}, "hits": answer(1)["hits"]},
    "at least": answer(0, hits={"total": {"value": 1, "relation": "gte"}}),
    "without a total": answer(0, hits={"hits": []}),
    "an old total": answer(0, hits={"total": 3}),
    "hits of another kind": answer(0, hits=[1]),
    "a text": answer("1"),
    "a truth": answer(True),
    "a fraction": answer(1.5),
    "negative": answer(-1),
    "more than there are": answer(10),
    "nothing": None,
    "a list": [],
    "a word": "hits",
}


@pytest.mark.parametrize("useless", USELESS.values(), ids=USELESS.keys())
def test_an_answer_that_is_not_whole_or_makes_no_sense_tells_nothing(useless: Any) -> None:
    counting = Counting(HERE, ["a", "b"])
    read = counting.read([answer(9), useless, answer(4)])
    assert read == {"": Count(9, 9), "b": Count(4, 9)}


def test_without_the_number_of_documents_nothing_is_learnt() -> None:
    assert Counting(HERE, ["a"]).read([answer(1, timed_out=True), answer(1)]) == {}
