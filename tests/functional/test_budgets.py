"""`timeout_ms` in real time: whatever hangs, and however long it was told it may take."""

import fcntl
import json
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from palimpsest.adapters.simulated import SimulatedLanguageModel, SimulatedReranker
from palimpsest.adapters.sqlite import SqliteIndex
from palimpsest.adapters.system import SystemClock, ThreadExecutor
from palimpsest.domain.entries import Leg, LegStatus
from palimpsest.domain.errors import DeadlineExceeded
from palimpsest.domain.queries import SearchAnswer, SemanticPolicy
from search_scene import Around, Scene

BUDGET_MS = 400
GRACE_S = 0.1
HANGS_S = 30.0
THIN = SemanticPolicy.WHEN_LEXICAL_THIN
QUESTION = "who saw the heron?"
VARIATIONS = ["heron by the river", "a grey bird"]
TEXTS = {f"r{n:02}": f"the heron stands by the river, walk {n}" for n in range(40)}
Condition = Callable[..., bool]


def always(*_: Any, **__: Any) -> bool:
    return True


class Hanging:
    """A scene in real time, whose calls hang where a test wants it, until it is over."""

    def __init__(self, executor: ThreadExecutor) -> None:
        said = json.dumps({"variations": VARIATIONS})
        self.over = threading.Event()
        self.scene = Scene(
            TEXTS,
            depth=20,
            model=SimulatedLanguageModel({}, otherwise=said),
            reranker=SimulatedReranker(),
        )
        self.scene.use(executor=executor, clock=SystemClock())

    def hang(self, part: str, method: str, *, where: Condition = always) -> None:
        """Let that method of that part hang in the calls that fulfil a condition."""
        own = self.own(part)

        def late(*arguments: Any, **options: Any) -> Any:
            if where(*arguments, **options):
                self.over.wait(HANGS_S)
            return getattr(own, method)(*arguments, **options)

        around = Around(own, **{method: late})
        self.scene.use(**{part: {own.fingerprint: around} if part == "embedders" else around})

    def own(self, part: str) -> Any:
        scene = self.scene
        return {
            "index": scene.index,
            "store": scene.table,
            "ledger": scene.table,
            "embedders": scene.embedder,
            "waker": scene.wakes,
        }.get(part) or scene.parts[part]

    def search(self, **options: Any) -> SearchAnswer:
        """The answer, which is in time; so is a refusal."""
        start = time.monotonic()
        try:
            return self.scene.search(QUESTION, timeout_ms=BUDGET_MS, **options)
        finally:
            took = time.monotonic() - start
            assert took <= BUDGET_MS / 1000 + GRACE_S

    def fused(self, **options: Any) -> list[str]:
        """The order of a search where nothing hangs, before it is reranked."""
        whole = Scene(TEXTS, depth=20, model=self.scene.parts["model"])
        return whole.found(QUESTION, **options)


@pytest.fixture
def hanging() -> Iterator[Hanging]:
    executor = ThreadExecutor()
    found = Hanging(executor)
    yield found
    found.over.set()
    executor.close()


def ids(answer: SearchAnswer) -> list[str]:
    return [hit.record.id for hit in answer.hits]


def leg(answer: SearchAnswer, one: Leg) -> tuple[LegStatus, str | None]:
    return answer.legs[one].status, answer.legs[one].reason


TIMED_OUT = (LegStatus.TIMEOUT, "timeout")
WITHOUT_VECTOR = (LegStatus.TIMEOUT, "embedder_timeout")


def test_c14_a_reranker_that_takes_much_longer_leaves_the_fused_order_in_time(
    hanging: Hanging,
) -> None:
    hanging.hang("reranker", "rerank")
    answer = hanging.search()
    assert ids(answer) == hanging.fused()
    assert answer.degraded == ["rerank"]
    reranked = answer.outcome.rerank
    assert (reranked.status, reranked.reason) == ("timeout", "reranker_timeout")
    assert answer.score_kind == "weighted"


def test_a_rewriter_that_hangs_leaves_the_question_as_it_is(hanging: Hanging) -> None:
    hanging.hang("model", "complete")
    answer = hanging.search(rerank=False)
    assert answer.degraded == ["rewrite"]
    assert answer.outcome.deep.reason == "rewrite:model_timeout"
    assert ids(answer) == hanging.fused(deep=False)
    assert leg(answer, Leg.SEMANTIC) == (LegStatus.OK, None)


def test_an_embedder_that_hangs_leaves_the_words(hanging: Hanging) -> None:
    hanging.hang("embedders", "embed_query")
    answer = hanging.search(deep=False, rerank=False)
    assert (leg(answer, Leg.SEMANTIC), answer.degraded) == (WITHOUT_VECTOR, ["semantic"])
    assert ids(answer) == [one.id for one in hanging.scene.candidates(Leg.LEXICAL, QUESTION)][:10]


def test_an_embedder_that_hangs_over_a_variation_costs_that_variation(hanging: Hanging) -> None:
    hanging.hang("embedders", "embed_query", where=lambda text, **_: text == VARIATIONS[1])
    answer = hanging.search()
    assert leg(answer, Leg.SEMANTIC) == (LegStatus.OK, "variation:embedder_timeout")
    assert (answer.degraded, len(answer.hits)) == (["semantic"], 10)
    assert answer.outcome.rerank.status == "ok"


def test_everything_that_has_a_model_hangs_and_the_words_still_answer(hanging: Hanging) -> None:
    hanging.hang("model", "complete")
    hanging.hang("embedders", "embed_query")
    hanging.hang("reranker", "rerank")
    answer = hanging.search()
    assert answer.degraded == ["semantic", "rewrite", "rerank"]
    assert ids(answer) == [one.id for one in hanging.scene.candidates(Leg.LEXICAL, QUESTION)][:10]


@pytest.mark.parametrize(
    ("part", "method", "where"),
    [
        ("index", "reading", always),
        ("store", "read", always),
        ("ledger", "progress", always),
        ("index", "search", always),
        ("store", "read", lambda _tenant, _namespace, ids=(): bool(ids)),
    ],
    ids=["which index is read", "the clock", "how far the index is", "both legs", "the hits"],
)
def test_what_a_search_cannot_do_without_ends_it_in_time(
    hanging: Hanging, part: str, method: str, where: Condition
) -> None:
    hanging.hang(part, method, where=where)
    with pytest.raises(DeadlineExceeded):
        hanging.search()


def test_a_table_that_hangs_after_the_first_hits_ends_the_page_there(hanging: Hanging) -> None:
    first = threading.Event()

    def after_the_first(_tenant: str, _namespace: str, wanted: Any = ()) -> bool:
        if not wanted:
            return False
        seen = first.is_set()
        first.set()
        return seen

    hanging.hang("store", "read", where=after_the_first)
    answer = hanging.search(limit=40, rerank=False)
    assert answer.degraded == ["hydrate_partial"]
    assert ids(answer) == hanging.fused(limit=25)


def test_legs_that_hang_deeper_down_leave_what_was_found(hanging: Hanging) -> None:
    gone = hanging.fused(limit=40)[1:]
    hanging.scene.table.forget(*gone)
    hanging.hang("index", "search", where=lambda queries, **_: queries[0].depth > 20)
    answer = hanging.search()
    assert (len(answer.hits), answer.degraded) == (1, ["hydrate_partial"])
    assert answer.outcome.rerank.status == "ok"  # of the time of the legs none was taken from it


def test_a_wake_up_that_hangs_is_no_reason_to_be_late(hanging: Hanging) -> None:
    hanging.scene.table.revision = 2  # the index has 1
    hanging.hang("waker", "wake")
    answer = hanging.search()
    assert (answer.degraded, answer.outcome.rerank.status) == ([], "ok")


def test_an_index_that_another_process_is_making_is_not_waited_for_beyond_the_budget(
    hanging: Hanging, tmp_path: Path
) -> None:
    index = SqliteIndex(tmp_path, fingerprint=hanging.scene.embedder.fingerprint)
    hanging.scene.use(index=index)
    with (tmp_path / "index.lock").open("a") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        with pytest.raises(DeadlineExceeded):
            hanging.search()
    index.close()


@pytest.mark.parametrize("one", list(Leg))
def test_either_round_trip_of_two_may_hang_and_the_other_answers(
    hanging: Hanging, one: Leg
) -> None:
    hanging.hang("index", "search", where=lambda queries, **_: queries[0].leg is one)
    answer = hanging.search(semantic=THIN, limit=30, rerank=False, deep=False)
    assert (leg(answer, one), answer.degraded) == (TIMED_OUT, [one.value])
    (other,) = set(Leg) - {one}
    assert ids(answer) == [c.id for c in hanging.scene.candidates(other, QUESTION)]


def test_an_embedder_that_hangs_between_two_round_trips_leaves_the_words(hanging: Hanging) -> None:
    hanging.hang("embedders", "embed_query")
    answer = hanging.search(semantic=THIN, limit=30, rerank=False, deep=False)
    assert (leg(answer, Leg.SEMANTIC), answer.degraded) == (WITHOUT_VECTOR, ["semantic"])
    assert ids(answer) == [c.id for c in hanging.scene.candidates(Leg.LEXICAL, QUESTION)]


def test_a_table_that_hangs_over_the_best_match_has_meaning_asked(hanging: Hanging) -> None:
    hanging.hang("store", "read", where=lambda _tenant, _namespace, ids=(): len(ids) == 1)
    answer = hanging.search(semantic=THIN, limit=10, rerank=False, deep=False)
    assert (leg(answer, Leg.SEMANTIC), answer.degraded) == ((LegStatus.OK, None), [])
    assert len(answer.hits) == 10


def test_what_hung_in_one_search_is_no_burden_to_the_next(hanging: Hanging) -> None:
    hung = threading.Event()

    def first_only(*_: Any, **__: Any) -> bool:
        before = hung.is_set()
        hung.set()
        return not before

    hanging.hang("embedders", "embed_query", where=first_only)
    assert hanging.search(deep=False).degraded == ["semantic"]
    assert hanging.search(deep=False).degraded == []  # the same question, while that call hangs
