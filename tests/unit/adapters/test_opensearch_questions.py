"""Legs as bodies of one search: what each must hold, whatever is asked."""

import json
from collections.abc import Collection, Iterable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from contract.index_entries import FINGERPRINT, HOUR, NOW, PARTITION, by_vector, by_words
from contract.index_strategies import WORDS
from contract.test_index_filters import fields_of, filters
from palimpsest.adapters.opensearch.documents import term_token
from palimpsest.adapters.opensearch.questions import (
    MOST_TERMS,
    TIE_ROOM,
    Question,
    engine_time,
    payload,
    question,
)
from palimpsest.domain.entries import Leg, LegQuery, LegStatus
from palimpsest.domain.filters import Filter, Not, OneOf, TimeRange
from palimpsest.domain.instants import to_millis

MILLIS = to_millis(NOW)
STANDING = [
    {"range": {"valid_from": {"gt": MILLIS}}},
    {"range": {"until": {"lte": MILLIS}}},
]
LEGS = {Leg.LEXICAL: by_words("heron otter"), Leg.SEMANTIC: by_vector(1, 2, 3)}


def asked(query: LegQuery, timeout: float = 1.0, common: Iterable[str] = ()) -> Question:
    """The question, where so many of its words as are among `common` are known to be common."""
    known = {term_token(word) for word in common}

    def judged(words: Collection[str]) -> set[str]:
        return known.intersection(words)

    return question(query, fingerprint=FINGERPRINT, dimension=3, timeout=timeout, common=judged)


def sent(*questions: Question, index: str = "i") -> bytes:
    return payload([body for one in questions for body in one.bodies], index=index)


def of(leg: Leg, **options: Any) -> LegQuery:
    return (
        by_words("heron otter", **options) if leg is Leg.LEXICAL else by_vector(1, 2, 3, **options)
    )


def inside(body: dict[str, Any]) -> dict[str, Any]:
    """The part of a body that decides what may be found at all."""
    found = body["query"]
    if "knn" in found:
        assert found.keys() == {"knn"}
        inner: dict[str, Any] = found["knn"]["vector"]["filter"]["bool"]
        return inner
    assert found.keys() == {"bool"}
    assert found["bool"].keys() == {"must", "filter", "must_not"}
    return dict(found["bool"])


wanted_filters = st.none() | filters(fields_of([]))
ranges = st.sampled_from([None, TimeRange(), TimeRange(NOW - HOUR, NOW), TimeRange(end=NOW)])


@given(st.sampled_from(Leg), wanted_filters, ranges, st.integers(1, 3))
def test_every_body_asks_within_its_partitions_and_for_what_is_valid_now(
    leg: Leg, wanted: Filter | None, time_range: TimeRange | None, count: int
) -> None:
    partitions = tuple(f"acme#n{n}" for n in range(count))
    (body,) = asked(of(leg, partitions=partitions, filter=wanted, time_range=time_range)).bodies
    within = inside(body)
    one = {"term": {"partition": partitions[0]}}
    assert within["filter"][0] == (one if count == 1 else {"terms": {"partition": [*partitions]}})
    assert within["must_not"][:2] == STANDING
    assert ({"term": {"tombstone": True}} in within["must_not"]) == (wanted is not None)
    assert "should" not in within


@pytest.mark.parametrize("leg", LEGS)
def test_a_filter_and_a_time_range_narrow_beside_the_partition(leg: Leg) -> None:
    plain, narrow = (
        inside(asked(of(leg, **options)).bodies[0])["filter"]
        for options in (
            {},
            {"filter": Not(OneOf("kind", ("fact",))), "time_range": TimeRange(NOW, None)},
        )
    )
    assert plain == [{"term": {"partition": PARTITION}}]
    assert narrow[:2] == [*plain, {"range": {"event_time": {"gte": MILLIS}}}]
    assert narrow[2].keys() == {"bool"}
    assert len(narrow) == 3


@pytest.mark.parametrize("leg", LEGS)
def test_every_body_is_ordered_by_score_id_and_partition_and_returns_no_source(leg: Leg) -> None:
    (body,) = asked(LEGS[leg]).bodies
    assert body["sort"] == [{"_score": "desc"}, {"id": "asc"}, {"partition": "asc"}]
    assert body["stored_fields"] == "_none_"
    assert body["docvalue_fields"] == ["revision", "text_hash"]
    assert "_source" not in body


@pytest.mark.parametrize("leg", LEGS)
def test_one_more_than_the_depth_is_asked_for_and_of_the_nearest_some_more(leg: Leg) -> None:
    (body,) = asked(of(leg, depth=7)).bodies
    assert body["size"] == 8
    if leg is Leg.SEMANTIC:
        assert body["query"]["knn"]["vector"]["k"] == 8 + TIE_ROOM


@pytest.mark.parametrize(("seconds", "told"), [(1.5, "1500ms"), (0.0004, "1ms"), (0, "1ms")])
def test_the_engines_own_time_is_never_without_end(seconds: float, told: str) -> None:
    for query in LEGS.values():
        (body,) = asked(query, timeout=seconds).bodies
        assert body["timeout"] == told


def test_where_a_word_is_common_the_others_admit_and_all_of_them_count() -> None:
    words = [term_token(word) for word in ("heron", "otter", "weir")]
    query = by_words("heron otter weir otter", filter=OneOf("kind", ("fact",)))
    plain, narrow = (inside(asked(query, common=common).bodies[0]) for common in ([], ["otter"]))
    assert (
        narrow["must"]
        == plain["must"]
        == [{"match": {"terms": {"query": " ".join(words), "operator": "or"}}}]
    )
    assert narrow["must_not"] == plain["must_not"]
    admitting = narrow["filter"].pop()
    assert admitting == {"terms": {"terms": [words[0], words[2]]}}
    assert narrow["filter"] == plain["filter"]


def test_a_question_knows_its_distinct_words_and_which_of_them_are_common() -> None:
    known = asked(by_words("otter heron otter"), common=["otter", "elsewhere"])
    assert known.words == [term_token("otter"), term_token("heron")]
    assert known.common == {term_token("otter")}
    assert asked(LEGS[Leg.SEMANTIC]).words == ()


def test_every_part_of_a_long_question_admits_by_the_words_of_all_parts() -> None:
    words = [f"w{n}" for n in range(MOST_TERMS + 5)]
    bodies = asked(by_words(" ".join(words)), common=words[MOST_TERMS:]).bodies
    admitting = [inside(body)["filter"][-1]["terms"]["terms"] for body in bodies]
    assert admitting == [[term_token(word) for word in words[:MOST_TERMS]]] * 2


@given(st.floats(0, 100), st.integers(1, 500))
def test_a_time_out_is_told_in_whole_steps_where_it_is_one_and_never_longer_than_it_is(
    seconds: float, step_ms: int
) -> None:
    told = int(engine_time(seconds, step_ms=step_ms).removesuffix("ms"))
    assert 1 <= told <= max(1, 1000 * seconds)
    assert told % step_ms == 0 or told < step_ms
    assert told > 1000 * seconds - step_ms - 1


@given(st.integers(1, 2_500))
def test_a_long_question_is_asked_in_parts_that_miss_and_repeat_no_word(count: int) -> None:
    text = " ".join([f"w{n}" for n in range(count)] * 2)
    bodies = asked(by_words(text, partitions=(PARTITION,))).bodies
    parts = [body["query"]["bool"]["must"][0]["match"]["terms"]["query"].split() for body in bodies]
    assert all(len(part) <= MOST_TERMS for part in parts)
    assert len(parts) == -(-count // MOST_TERMS)
    said = [word for part in parts for word in part]
    assert len(said) == len(set(said)) == count
    assert {inside(body)["filter"][0]["term"]["partition"] for body in bodies} == {PARTITION}


@pytest.mark.parametrize(
    ("query", "status", "reason"),
    [
        (by_words(" ... "), LegStatus.SKIPPED, "no_terms"),
        (LegQuery(leg=Leg.SEMANTIC, partitions=(PARTITION,), depth=1, now=NOW), LegStatus.SKIPPED,
         "no_vector"),
        (by_vector(1, 0, 0, fingerprint="other"), LegStatus.FAILED, "fingerprint_mismatch"),
        (by_vector(1, 0), LegStatus.FAILED, "fingerprint_mismatch"),
    ],
)  # fmt: skip
def test_what_the_engine_cannot_be_asked_is_told_without_asking(
    query: LegQuery, status: LegStatus, reason: str
) -> None:
    known = asked(query)
    assert known.bodies == ()
    assert known.answer is not None
    assert (known.answer.status, known.answer.reason) == (status, reason)
    assert known.words == ()
    assert sent(known) == b"\n"


@pytest.mark.parametrize("numbers", [(0.0, 0.0, 0.0), (float("nan"), 1.0, 0.0)])
def test_a_vector_without_direction_is_never_sent(numbers: tuple[float, ...]) -> None:
    query = LegQuery(leg=Leg.SEMANTIC, partitions=(PARTITION,), depth=1, now=NOW, vector=numbers,
                     fingerprint=FINGERPRINT)  # fmt: skip
    known = asked(query)
    assert known.answer is not None
    assert known.answer.reason == "unusable_vector"


def test_all_bodies_go_in_one_request_and_each_names_the_very_index() -> None:
    lines = sent(*(asked(LEGS[leg]) for leg in Leg), index="p-v3").split(b"\n")
    assert lines.pop() == b""
    said = [json.loads(line) for line in lines]
    assert said[0::2] == [{"index": "p-v3"}] * 2
    assert ["knn" in body["query"] for body in said[1::2]] == [False, True]


def test_the_words_of_a_question_leave_only_as_hashes() -> None:
    for word in WORDS:
        for common in ((), (word,)):
            told = sent(asked(by_words(f"{word} zebrasecret"), common=common)).decode()
            assert "zebra" not in told
            assert word not in told
