"""Faults by chance, each of whose runs can be repeated by its seed."""

import json
import random
from collections.abc import Iterator
from typing import Any

import pytest

from palimpsest.adapters.simulated import (
    Fault,
    FaultKind,
    Operation,
    SimulatedLanguageModel,
    SimulatedReranker,
)
from palimpsest.domain.entries import LegResult, LegStatus
from palimpsest.domain.errors import Unavailable
from palimpsest.domain.queries import SearchAnswer
from search_scene import Around, Scene

HALF = 0.5
SEARCHES = 400
TEXTS = {f"r{n}": f"the heron stands by the river, walk {n}" for n in range(8)}
Told = tuple[list[tuple[str, float]], list[str], str] | str


class Chance:
    """A scene whose models and one leg each fail half of the time, until they are healed."""

    def __init__(self, seed: int, *, leg: bool = False, table: bool = False) -> None:
        outage = Fault(kind=FaultKind.OUTAGE, probability=HALF)
        said = json.dumps({"variations": ["grey bird", "heron walk"]})
        self.model = SimulatedLanguageModel({}, otherwise=said, seed=seed + 1, faults=[outage])
        self.reranker = SimulatedReranker(seed=seed + 2, faults=[outage])
        self.scene = Scene(TEXTS, model=self.model, reranker=self.reranker)
        self.scene.embedder.inject(
            Fault(kind=FaultKind.OUTAGE, probability=HALF, operation=Operation.QUERY)
        )
        self.random, self.broken = random.Random(seed), True
        if leg:
            self.scene.use(index=Around(self.scene.index, search=self._search))
        if table:
            self.scene.use(store=Around(self.scene.table, read=self._read))

    def heal(self) -> None:
        self.broken = False
        for part in (self.model, self.reranker, self.scene.embedder):
            part.heal()

    def _strikes(self) -> bool:
        return self.broken and self.random.random() < HALF

    def _search(self, queries: Any, **options: Any) -> list[LegResult]:
        lexical, *others = self.scene.index.search(queries, **options)
        if self._strikes():
            lexical = LegResult(leg=lexical.leg, status=LegStatus.FAILED, reason="engine_error")
        return [lexical, *others]

    def _read(self, tenant: str, namespace: str, ids: Any = ()) -> Any:
        if ids and self._strikes():
            raise Unavailable("nobody there", stage="table")
        return self.scene.table.read(tenant, namespace, ids)

    def answers(self, **options: Any) -> Iterator[SearchAnswer | None]:
        """Of many different questions, so that nothing is kept; None for an outage."""
        for n in range(SEARCHES):
            try:
                yield self.scene.search(f"heron river number{n}", **options)
            except Unavailable:
                yield None


def told(answer: SearchAnswer | None) -> Told:
    if answer is None:
        return "outage"
    hits = [(hit.record.id, hit.fused.ordering) for hit in answer.hits]
    return hits, list(answer.degraded), answer.score_kind


def share(found: list[Any]) -> Any:
    return pytest.approx(sum(found) / len(found), abs=0.07)


def test_the_same_seed_is_the_same_run_and_another_is_another() -> None:
    options: dict[str, Any] = {"deep": True}
    runs = [
        [told(one) for one in Chance(seed, leg=True, table=True).answers(**options)]
        for seed in (7, 7, 8)
    ]
    assert runs[0] == runs[1]
    assert runs[0] != runs[2]


def test_of_n_stages_that_fail_half_of_the_time_each_is_told_half_of_the_time() -> None:
    answers = [a for a in Chance(1).answers(deep=False) if a is not None]
    assert len(answers) == SEARCHES  # words answer whatever the models do
    for stage in ("semantic", "rerank"):
        assert share([stage in answer.degraded for answer in answers]) == HALF
    assert share([not answer.degraded for answer in answers]) == HALF**2
    assert all(len(answer.hits) == len(TEXTS) for answer in answers)


def test_a_rewriter_that_fails_half_of_the_time_is_told_half_of_the_time() -> None:
    answers = [a for a in Chance(2).answers(deep=True) if a is not None]
    assert share(["rewrite" in answer.degraded for answer in answers]) == HALF
    assert all(answer.outcome.deep.used != ("rewrite" in answer.degraded) for answer in answers)


def test_a_search_is_lost_only_if_both_legs_are() -> None:
    answers = list(Chance(3, leg=True).answers(deep=False))
    assert share([answer is not None for answer in answers]) == 1 - HALF**2
    assert all(answer.hits for answer in answers if answer is not None)


def test_a_search_needs_every_store_it_reads() -> None:
    answers = list(Chance(4, leg=True, table=True).answers(deep=False))
    assert share([answer is not None for answer in answers]) == (1 - HALF**2) * (1 - HALF)
    assert all(answer.hits for answer in answers if answer is not None)


def test_once_faults_stop_every_answer_is_whole_again() -> None:
    chance = Chance(5, leg=True, table=True)
    for _ in chance.answers(deep=True):
        pass
    chance.heal()
    options: dict[str, Any] = {"deep": True}
    plain = Scene(TEXTS, model=chance.model, reranker=SimulatedReranker())
    for n in range(20):
        question = f"heron river number{n}"
        answer = chance.scene.search(question, **options)
        assert answer.degraded == []
        assert told(answer) == told(plain.search(question, **options))
