import json
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from palimpsest.adapters.simulated import Fault, FaultKind, Operation, SimulatedLanguageModel
from palimpsest.domain.entries import Leg, LegResult, LegStatus
from palimpsest.domain.errors import DeadlineExceeded, Throttled, Unavailable
from palimpsest.domain.queries import Mode, SearchAnswer, SemanticPolicy
from palimpsest.domain.records import Status
from search_scene import Around, Calls, Scene

THIN = SemanticPolicy.WHEN_LEXICAL_THIN
TEXTS = {f"r{n:02}": f"the heron stands by the river, walk {n}" for n in range(12)}
QUESTION = "heron river"
LACKING = "heron pangolin tapir"

Broken = Callable[[], None]


def outage() -> None:
    raise Unavailable("nobody there", stage="test")


def too_late() -> None:
    raise DeadlineExceeded("not in time", stage="test")


def throttled() -> None:
    raise Throttled("patience")


def unanswered(index: Any, leg: Leg, breaks: Broken) -> Around:
    """An index that cannot be asked for a leg at all."""

    def search(queries: Any, **options: Any) -> Any:
        if any(query.leg is leg for query in queries):
            breaks()
        return index.search(queries, **options)

    return Around(index, search=search)


def failing(index: Any, leg: Leg, status: LegStatus) -> Around:
    """An index one of whose legs says that it failed."""

    def search(queries: Any, **options: Any) -> list[LegResult]:
        return [
            LegResult(leg=leg, status=status, reason="broken") if one.leg is leg else one
            for one in index.search(queries, **options)
        ]

    return Around(index, search=search)


def semantic(answer: SearchAnswer) -> tuple[LegStatus, str | None]:
    leg = answer.legs[Leg.SEMANTIC]
    return leg.status, leg.reason


def ids(answer: SearchAnswer) -> list[str]:
    return [hit.record.id for hit in answer.hits]


@pytest.fixture
def scene() -> Scene:
    return Scene(TEXTS)


@pytest.fixture
def calls(scene: Scene) -> Calls:
    found = Calls(scene.index)
    scene.use(index=found)
    return found


def legs_asked(calls: Calls) -> list[list[Leg]]:
    return [[query.leg for query in queries] for queries in calls.asked]


def test_always_asks_both_legs_in_one_round_trip(scene: Scene, calls: Calls) -> None:
    scene.search(QUESTION)
    assert legs_asked(calls) == [[Leg.LEXICAL, Leg.SEMANTIC]]


def test_never_asks_words_alone_and_that_is_no_shortcoming(scene: Scene, calls: Calls) -> None:
    answer = scene.search("pangolin", semantic=SemanticPolicy.NEVER)
    assert (answer.hits, answer.degraded) == ([], [])
    assert semantic(answer) == (LegStatus.SKIPPED, "policy:never")
    assert (legs_asked(calls), answer.usage.embedding_calls) == ([[Leg.LEXICAL]], 0)


def test_words_that_suffice_cost_no_embedding(scene: Scene, calls: Calls) -> None:
    answer = scene.search(QUESTION, semantic=THIN)
    assert semantic(answer) == (LegStatus.SKIPPED, "policy:lexical_suffices")
    assert (legs_asked(calls), answer.usage.embedding_calls) == ([[Leg.LEXICAL]], 0)
    assert (len(answer.hits), answer.score_kind, answer.degraded) == (10, "weighted", [])


@pytest.mark.parametrize(
    ("question", "limit"),
    [(QUESTION, 13), (LACKING, 10), ("to be or not to be", 1)],
)
def test_words_that_find_few_or_cover_little_have_meaning_asked_too(
    scene: Scene, calls: Calls, question: str, limit: int
) -> None:
    answer = scene.search(question, semantic=THIN, limit=limit)
    assert legs_asked(calls) == [[Leg.LEXICAL], [Leg.SEMANTIC]]
    assert (semantic(answer), answer.degraded) == ((LegStatus.OK, None), [])
    always = scene.search(question, limit=limit)
    assert [hit.fused for hit in answer.hits] == [hit.fused for hit in always.hits]
    assert answer.usage.embedding_calls == 1


def best(scene: Scene) -> str:
    return scene.candidates(Leg.LEXICAL, QUESTION)[0].id


@pytest.mark.parametrize("lost", ["forgotten", "superseded", "rewritten", "unknown"])
def test_a_best_match_that_is_not_served_any_more_covers_nothing(scene: Scene, lost: str) -> None:
    one = best(scene)
    record = scene.table.records[one]
    if lost == "forgotten":
        scene.table.forget(one)
    elif lost == "superseded":
        scene.table.records[one] = replace(record, status=Status.SUPERSEDED)
    elif lost == "rewritten":
        scene.table.change(one, "the heron and the river, said in another way")
    else:
        del scene.table.records[one]
    answer = scene.search(QUESTION, semantic=THIN)
    assert semantic(answer) == (LegStatus.OK, None)
    assert one not in ids(answer)


@pytest.mark.parametrize("breaks", [outage, too_late, throttled])
def test_where_the_table_cannot_tell_of_the_best_match_meaning_is_asked(
    scene: Scene, breaks: Broken
) -> None:
    reads: list[list[str]] = []

    def read(tenant: str, namespace: str, wanted: Any = ()) -> Any:
        reads.append(list(wanted))
        if len(reads) == 2:  # after the clock
            breaks()
        return scene.table.read(tenant, namespace, wanted)

    scene.use(store=Around(scene.table, read=read))
    answer = scene.search(QUESTION, semantic=THIN)
    assert reads[1] == [best(scene)]
    assert (semantic(answer), answer.degraded) == ((LegStatus.OK, None), [])


@pytest.mark.parametrize("status", [LegStatus.FAILED, LegStatus.TIMEOUT])
def test_a_lexical_leg_that_failed_is_thin(scene: Scene, status: LegStatus) -> None:
    scene.use(index=failing(scene.index, Leg.LEXICAL, status))
    answer = scene.search(QUESTION, semantic=THIN)
    assert answer.legs[Leg.LEXICAL].status is status
    assert (semantic(answer), answer.degraded) == ((LegStatus.OK, None), ["lexical"])
    assert ids(answer) == [one.id for one in scene.candidates(Leg.SEMANTIC, QUESTION)][:10]


@pytest.mark.parametrize(
    ("breaks", "status", "reason"),
    [
        (outage, LegStatus.FAILED, "index_error"),
        (throttled, LegStatus.FAILED, "index_error"),
        (too_late, LegStatus.TIMEOUT, "timeout"),
    ],
)
@pytest.mark.parametrize("leg", list(Leg))
def test_a_round_trip_that_fails_leaves_the_answer_of_the_other(
    scene: Scene, leg: Leg, breaks: Broken, status: LegStatus, reason: str
) -> None:
    scene.use(index=unanswered(scene.index, leg, breaks))
    answer = scene.search(LACKING, semantic=THIN)
    assert (answer.legs[leg].status, answer.legs[leg].reason) == (status, reason)
    assert (answer.degraded, answer.score_kind) == ([leg.value], "weighted")
    (other,) = set(Leg) - {leg}
    expected = scene.candidates(other, LACKING)
    assert ids(answer) == [one.id for one in expected][:10]
    assert all(leg not in hit.fused.parts for hit in answer.hits)


@pytest.mark.parametrize("leg", list(Leg))
def test_a_round_trip_that_stalls_leaves_time_for_the_other(scene: Scene, leg: Leg) -> None:
    scene.use(index=unanswered(scene.index, leg, lambda: scene.clock.move(3600)))
    answer = scene.search(LACKING, semantic=THIN, timeout_ms=5000)
    assert (answer.legs[leg].status, answer.legs[leg].reason) == (LegStatus.TIMEOUT, "timeout")
    assert (answer.degraded, len(answer.hits)) == ([leg.value], 10)
    assert scene.clock.elapsed <= 5.0


@pytest.mark.parametrize(
    ("kind", "told"),
    [
        (FaultKind.OUTAGE, (LegStatus.FAILED, "embedder_unavailable")),
        (FaultKind.THROTTLED, (LegStatus.FAILED, "embedder_throttled")),
        (FaultKind.TIMEOUT, (LegStatus.TIMEOUT, "embedder_timeout")),
        (FaultKind.ZERO, (LegStatus.FAILED, "embedding_zero")),
    ],
)
def test_an_embedder_that_fails_after_the_words_leaves_their_answer(
    scene: Scene, kind: FaultKind, told: tuple[LegStatus, str]
) -> None:
    scene.embedder.inject(Fault(kind=kind, operation=Operation.QUERY))
    answer = scene.search(LACKING, semantic=THIN)
    assert (semantic(answer), answer.degraded) == (told, ["semantic"])
    assert len(answer.hits) == 10
    scene.embedder.heal()
    assert [one.id for one in scene.candidates(Leg.LEXICAL, LACKING)][:10] == ids(answer)


@pytest.mark.parametrize(
    ("breaks", "raised"), [(outage, Unavailable), (too_late, DeadlineExceeded)]
)
@pytest.mark.parametrize("policy", list(SemanticPolicy))
def test_where_no_leg_can_be_asked_it_is_an_outage(
    scene: Scene, policy: SemanticPolicy, breaks: Broken, raised: type[Exception]
) -> None:
    def search(*_: Any, **__: Any) -> None:
        breaks()

    scene.use(index=Around(scene.index, search=search))
    with pytest.raises(Unavailable) as outage_:
        scene.search(LACKING, semantic=policy)
    assert type(outage_.value) is raised


def test_a_deep_question_asks_all_variations_of_each_leg_it_asks(
    scene: Scene, calls: Calls
) -> None:
    said = json.dumps({"variations": ["egret by the stream", "a bird at the water"]})
    scene.use(model=SimulatedLanguageModel({}, otherwise=said))
    answer = scene.search(LACKING, semantic=THIN, deep=True)
    assert legs_asked(calls) == [[Leg.LEXICAL] * 3, [Leg.SEMANTIC] * 3]
    assert (answer.usage.embedding_calls, answer.degraded) == (3, [])


@pytest.mark.parametrize("mode", [Mode.LEXICAL, Mode.SEMANTIC])
@pytest.mark.parametrize("policy", list(SemanticPolicy))
def test_a_mode_of_one_leg_ignores_the_policy(
    scene: Scene, calls: Calls, mode: Mode, policy: SemanticPolicy
) -> None:
    answer = scene.search(QUESTION, mode=mode, semantic=policy)
    assert legs_asked(calls) == [[Leg(mode.value)]]
    assert (len(answer.hits), list(answer.legs)) == (10, [Leg(mode.value)])
