"""What every search index does. An adapter's test class inherits it and gives it an `index`.

An index takes vectors of three numbers under the fingerprint `FINGERPRINT`.
"""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from palimpsest.domain.entries import (
    Entry,
    EntryState,
    Leg,
    LegQuery,
    LegResult,
    LegStatus,
    WriteOutcome,
)
from palimpsest.domain.filters import Condition, Filter, TimeRange
from palimpsest.domain.records import Content, Source
from palimpsest.domain.vectors import Vector, unit
from palimpsest.ports import SearchIndex

FINGERPRINT = "test:model:3"
NOW = datetime(2026, 6, 1, 12, tzinfo=UTC)
PARTITION = "acme#notes"
HOUR = timedelta(hours=1)

SCRIPTS = {
    "English": "The quick brown fox jumps over the lazy dog",
    "German": "Die Straße am Fluss ist für Fußgänger gesperrt",
    "Vietnamese": "Ông Nguyễn sống ở thành phố Hồ Chí Minh",
    "Greek": "Το ΈΝΑΝ βιβλίο βρίσκεται στο τραπέζι",
    "Russian": "Ещё один документ лежит на столе",
    "Arabic": "الكتاب على الطاولة في المكتبة",
    "Hebrew": "הספר נמצא על השולחן",
    "Hindi": "किताब मेज पर रखी है",
    "Tamil": "புத்தகம் மேசையில் உள்ளது",
    "Georgian": "წიგნი მაგიდაზე დევს",
    "Japanese": "今日は成語しりとりをした",
    "Chinese": "我们使用混合检索来查找记忆",
    "Korean": "오늘은 서울에서 친구를 만났다",
    "Thai": "วันนี้อากาศดีมากในกรุงเทพ",
}
WORDS_INSIDE = {
    "Japanese": "成語",
    "Chinese": "混合检索",
    "Korean": "서울",
    "Thai": "อากาศ",
    "German": "strasse",
    "Vietnamese": "nguyen",
    "Greek": "εναν",
    "Russian": "документы",
}
PLAIN_TEXTS = [
    "a/b", "foo)", '"unbalanced', "title:x", r"C:\repo\main.py", "x* ~ OR NOT y", "C++", "(((", "x^2",
    "NEAR(a b)", "body: {x}", "it's", "10.0.0.1", "v1.2.3-rc1", "snake_case_name", "user@example.com",
    "550e8400-e29b-41d4-a716-446655440000", "§ 14 Abs. 2", "H2O", "100%_", "'; DROP TABLE entries; --",
]  # fmt: skip


def entry(entry_id: str, text: str, revision: int = 1, **options: Any) -> Entry:
    """A record; `vector` and `partition` are the entry's, everything else is its content's."""
    vector: Vector | None = options.pop("vector", None)
    return Entry(
        partition=options.pop("partition", PARTITION),
        id=entry_id,
        revision=revision,
        version=Entry.version_of(revision, complete=vector is not None),
        content=Content(text=text, **options),
        created_at=NOW - HOUR,
        updated_at=NOW,
        vector=vector,
    )


def tombstone(entry_id: str, revision: int, partition: str = PARTITION) -> Entry:
    version = Entry.version_of(revision, complete=True)
    return Entry(partition=partition, id=entry_id, revision=revision, version=version)


def vector(*values: float) -> Vector:
    return unit(values, dimension=len(values))


def by_words(text: str, **options: Any) -> LegQuery:
    known = {"partition": PARTITION, "depth": 100, "now": NOW, **options}
    return LegQuery(leg=Leg.LEXICAL, text=text, **known)


def by_vector(*values: float, **options: Any) -> LegQuery:
    known = {
        "partition": PARTITION,
        "depth": 100,
        "now": NOW,
        "fingerprint": FINGERPRINT,
        **options,
    }
    return LegQuery(leg=Leg.SEMANTIC, vector=vector(*values), **known)


def ask(index: SearchIndex, query: LegQuery) -> LegResult:
    (result,) = index.search([query], timeout=10)
    return result


def ids(index: SearchIndex, query: LegQuery) -> list[str]:
    result = ask(index, query)
    assert result.status is LegStatus.OK, result
    return [candidate.id for candidate in result.candidates]


class VersionsContract:
    """Writes: any order, any number of times, and the same result."""

    def test_what_was_written_is_found_at_once_on_both_legs(self, index: SearchIndex) -> None:
        (result,) = index.write([entry("a", "a brass compass", 7, vector=vector(1, 0, 0))])
        assert (result.id, result.outcome) == ("a", WriteOutcome.APPLIED)
        lexical, semantic = index.search([by_words("compass"), by_vector(1, 0, 0)], timeout=10)
        for leg in (lexical, semantic):
            (found,) = leg.candidates
            assert (found.id, found.revision) == ("a", 7)
            assert found.text_hash == Content(text="a brass compass").text_hash
        assert semantic.candidates[0].score == pytest.approx(1, abs=1e-6)

    def test_a_late_older_write_is_stale_and_changes_nothing(self, index: SearchIndex) -> None:
        index.write([entry("a", "newer words", 9)])
        (result,) = index.write([entry("a", "older words", 4, vector=vector(1, 0, 0))])
        assert result.outcome is WriteOutcome.STALE
        assert ids(index, by_words("newer")) == ["a"]
        assert ids(index, by_words("older")) == ids(index, by_vector(1, 0, 0)) == []

    def test_of_equal_versions_the_later_stands(self, index: SearchIndex) -> None:
        index.write([entry("a", "first words", 3)])
        (result,) = index.write([entry("a", "second thoughts", 3)])
        assert result.outcome is WriteOutcome.APPLIED
        assert ids(index, by_words("first")) == []
        assert ids(index, by_words("second")) == ["a"]

    def test_writing_twice_is_writing_once(self, index: SearchIndex) -> None:
        for _ in range(2):
            index.write([entry("a", "the same"), entry("b", "another thing")])
        assert ids(index, by_words("same")) == ["a"]
        assert [state.id for state in index.walk(PARTITION)] == ["a", "b"]

    def test_a_lexical_write_never_takes_away_the_vector_of_its_revision(
        self, index: SearchIndex
    ) -> None:
        index.write([entry("a", "words", 5, vector=vector(0, 1, 0))])
        (late,) = index.write([entry("a", "words", 5)])
        assert late.outcome is WriteOutcome.STALE
        assert ids(index, by_vector(0, 1, 0)) == ["a"]

    def test_two_versions_in_one_write_count_in_any_order(self, index: SearchIndex) -> None:
        results = index.write([entry("a", "new", 2), entry("a", "old", 1), entry("b", "else", 2)])
        assert [r.outcome.value for r in results] == ["applied", "stale", "applied"]
        assert ids(index, by_words("new")) == ["a"]

    def test_a_rejected_entry_does_not_stop_the_others(self, index: SearchIndex) -> None:
        index.write([entry("z", "fixes the width", vector=vector(1, 0, 0))])
        results = index.write(
            [
                entry("a", "fits", vector=vector(1, 0, 0)),
                entry("b", "too wide", vector=vector(1, 0, 0, 0)),
                entry("c", "fits too", vector=vector(0, 1, 0)),
            ]
        )
        assert [r.outcome.value for r in results] == ["applied", "rejected", "applied"]
        assert results[1].reason == "wrong_width"
        assert {"a", "c"} <= set(ids(index, by_vector(1, 1, 0)))

    def test_a_tombstone_takes_a_record_from_both_legs_for_ever(self, index: SearchIndex) -> None:
        written = entry("a", "to be forgotten", 3, vector=vector(1, 0, 0))
        index.write([written])
        (gone,) = index.write([tombstone("a", 4)])
        assert gone.outcome is WriteOutcome.APPLIED
        (late,) = index.write([written])
        assert late.outcome is WriteOutcome.STALE
        assert ids(index, by_words("forgotten")) == ids(index, by_vector(1, 0, 0)) == []

    def test_a_forgotten_id_can_be_written_again(self, index: SearchIndex) -> None:
        index.write([tombstone("a", 4)])
        index.write([entry("a", "back again", 5)])
        assert ids(index, by_words("again")) == ["a"]

    def test_equal_texts_live_apart(self, index: SearchIndex) -> None:
        twins = [entry(name, "twins", vector=vector(0, 0, 1)) for name in ("a", "b")]
        index.write(twins)
        assert ids(index, by_words("twins")) == ids(index, by_vector(0, 0, 1)) == ["a", "b"]
        index.write([tombstone("a", 2)])
        assert ids(index, by_words("twins")) == ids(index, by_vector(0, 0, 1)) == ["b"]

    def test_a_walk_gives_every_entry_by_id_tombstones_too(self, index: SearchIndex) -> None:
        index.write([entry("b", "two", 2, vector=vector(1, 0, 0)), entry("a", "one", 1)])
        index.write([tombstone("c", 3), entry("~", "last"), entry("B", "capital")])
        assert list(index.walk(PARTITION)) == [
            EntryState("B", 1, 2, tombstone=False, vector=False),
            EntryState("a", 1, 2, tombstone=False, vector=False),
            EntryState("b", 2, 5, tombstone=False, vector=True),
            EntryState("c", 3, 7, tombstone=True, vector=False),
            EntryState("~", 1, 2, tombstone=False, vector=False),
        ]
        assert list(index.walk("acme#elsewhere")) == []

    def test_a_generation_keeps_its_name(self, index: SearchIndex) -> None:
        first = index.generation()
        index.write([entry("a", "x-ray")])
        assert index.generation() == first

    def test_nothing_written_and_nothing_asked_are_fine(self, index: SearchIndex) -> None:
        assert index.write([]) == []
        assert index.search([], timeout=1) == []
        assert ids(index, by_words("anything")) == ids(index, by_vector(1, 0, 0)) == []


class CandidatesContract:
    """Who is a candidate: partition, filter, time."""

    @pytest.mark.parametrize("name", ["my-group", "a:b", "ap_erp.1", "u@x", "-", "A", "1.0"])
    def test_partitions_with_the_same_ids_never_meet(self, index: SearchIndex, name: str) -> None:
        mine, yours = f"acme#{name}", f"other#{name}"
        near = f"acme#{name}x"
        for partition in (mine, yours, near):
            text = f"a secret of {partition[0:3]}"
            index.write([entry("same", text, partition=partition, vector=vector(1, 0, 0))])
        index.write([tombstone("same", 2, yours)])
        assert ids(index, by_words("secret", partition=mine)) == ["same"]
        assert ids(index, by_words("secret", partition=yours)) == []
        assert ids(index, by_vector(1, 0, 0, partition=yours)) == []
        assert ids(index, by_words(f"{yours} oth", partition=mine)) == []
        assert [state.tombstone for state in index.walk(yours)] == [True]

    @pytest.mark.parametrize(
        ("field", "values", "found"),
        [
            ("kind", ("fact",), "ab"),
            ("kind", ("fact", "note"), "abc"),
            ("kind", ("FACT",), ""),
            ("tags", ("red",), "ac"),
            ("tags", ("re",), ""),
            ("aliases", ("Al",), "b"),
            ("entities", ("Zoë",), "c"),
            ("subject", ("Ann",), "a"),
            ("predicate", ("likes",), "a"),
            ("location", ("Rome",), "b"),
            ("id", ("c", "nobody"), "c"),
            ("importance", (0.5,), "bc"),
            ("importance", (1,), "a"),
            ("event_time", (NOW,), "a"),
            ("updated_at", (NOW,), "abc"),
            ("source.uri", ("s3://b/k",), "b"),
            ("document.id", ("doc_1",), ""),
            ("metadata.n", (5,), "ab"),
            ("metadata.n", (5.0,), "ab"),
            ("metadata.n", ("5",), "c"),
            ("metadata.n", (True,), ""),
            ("metadata.flag", (True,), "a"),
            ("metadata.flag", (1,), "b"),
            ("metadata.list", ("y",), "a"),
            ("metadata.a.b \"c' %_", ("odd",), "c"),
            ("metadata.nobody", ("x",), ""),
            ("tags", ('x" || user_id != "y', "*", "?", '{"$ne": null}', "' OR 1=1 --"), ""),
        ],
    )
    def test_a_filter_is_part_of_the_question(
        self, index: SearchIndex, field: str, values: tuple[Any, ...], found: str
    ) -> None:
        up = vector(1, 0, 0)
        index.write([
            entry("a", "word", vector=up, kind="fact", tags=("red", "blue"), subject="Ann",
                  predicate="likes", importance=1.0, event_time=NOW,
                  metadata={"n": 5, "flag": True, "list": ("x", "y")}),
            entry("b", "word", vector=up, kind="fact", aliases=("Al",), location="Rome",
                  source=Source(uri="s3://b/k"), metadata={"n": 5.0, "flag": 1}),
            entry("c", "word", vector=up, kind="note", tags=("red",), entities=("Zoë",),
                  metadata={"n": "5", 'a.b "c\' %_': "odd"}),
        ])  # fmt: skip
        wanted = Filter((Condition(field, values),))
        assert "".join(sorted(ids(index, by_words("word", filter=wanted)))) == found
        assert "".join(ids(index, by_vector(1, 0, 0, filter=wanted))) == found

    def test_all_conditions_of_a_filter_must_hold(self, index: SearchIndex) -> None:
        index.write([entry("a", "word", kind="fact", tags=("x",)), entry("b", "word", kind="fact")])
        both = Filter((Condition("kind", ("fact",)), Condition("tags", ("x",))))
        assert ids(index, by_words("word", filter=both)) == ["a"]

    def test_a_changed_record_is_filtered_by_what_it_says_now(self, index: SearchIndex) -> None:
        index.write([entry("a", "word", 1, tags=("old",))])
        index.write([entry("a", "word", 2, tags=("new",))])
        for tag, found in (("old", []), ("new", ["a"])):
            assert (
                ids(index, by_words("word", filter=Filter((Condition("tags", (tag,)),)))) == found
            )

    def test_an_old_match_behind_many_others_is_found_by_filter_and_time(
        self, index: SearchIndex
    ) -> None:
        crowd = [
            entry(f"n{i:03}", "word word word", vector=vector(1, 0.001 * i, 0), event_time=NOW)
            for i in range(150)
        ]
        old = entry("old", "a word among many others that are not it", kind="fact",
                    vector=vector(-1, 0, 0.1), event_time=NOW - 1000 * HOUR)  # fmt: skip
        index.write([*crowd, old])
        kind = Filter((Condition("kind", ("fact",)),))
        narrow = TimeRange(NOW - 1001 * HOUR, NOW - 999 * HOUR)
        for limits in ({"filter": kind}, {"time_range": narrow}):
            assert ids(index, by_words("word", depth=10, **limits)) == ["old"]
            assert ids(index, by_vector(1, 0, 0, depth=10, **limits)) == ["old"]

    @pytest.mark.parametrize(
        ("start", "end", "found"),
        [
            (NOW, NOW, "b"),
            (None, NOW, "1ab"),
            (NOW, None, "b9"),
            (NOW - HOUR, NOW - HOUR, "a"),
            (datetime(1, 1, 1, tzinfo=UTC), datetime(1, 1, 1, tzinfo=UTC), "1"),
            (datetime(9999, 12, 31, tzinfo=UTC), None, "9"),
            (NOW + timedelta(milliseconds=1), NOW + HOUR, ""),
            (None, None, "1ab9"),
        ],
    )
    def test_a_time_range_holds_both_its_ends_and_no_record_without_an_event(
        self, index: SearchIndex, start: datetime | None, end: datetime | None, found: str
    ) -> None:
        times = {
            "1": datetime(1, 1, 1, tzinfo=UTC),
            "a": NOW - HOUR,
            "b": NOW,
            "9": datetime(9999, 12, 31, 23, 59, 59, 999000, tzinfo=UTC),
            "none": None,
        }
        up = vector(1, 0, 0)
        index.write([entry(name, "word", vector=up, event_time=t) for name, t in times.items()])
        limits = {"time_range": TimeRange(start, end)}
        assert set(ids(index, by_words("word", **limits))) == set(found)
        assert set(ids(index, by_vector(1, 0, 0, **limits))) == set(found)

    def test_only_what_is_valid_and_unexpired_now_is_found(self, index: SearchIndex) -> None:
        up, tick = vector(1, 0, 0), timedelta(milliseconds=1)
        index.write([
            entry("starts now", "word", vector=up, valid_from=NOW),
            entry("starts later", "word", vector=up, valid_from=NOW + tick),
            entry("ends now", "word", vector=up, valid_to=NOW),
            entry("ends later", "word", vector=up, valid_to=NOW + tick),
            entry("expires now", "word", vector=up, expires_at=NOW),
            entry("expires later", "word", vector=up, expires_at=NOW + tick),
        ])  # fmt: skip
        valid = {"starts now", "ends later", "expires later"}
        assert set(ids(index, by_words("word"))) == set(ids(index, by_vector(1, 0, 0))) == valid


class LexicalContract:
    """The lexical leg."""

    @pytest.mark.parametrize("text", PLAIN_TEXTS)
    def test_any_text_is_a_plain_question_and_finds_the_record_that_holds_it(
        self, index: SearchIndex, text: str
    ) -> None:
        index.write([entry("near", "something else entirely"), entry("it", f"see {text} there")])
        result = ask(index, by_words(text))
        if result.status is LegStatus.SKIPPED:
            assert result.reason == "no_terms"
        else:
            assert [candidate.id for candidate in result.candidates] == ["it"]

    @pytest.mark.parametrize("text", ["a", "the", "to be or not to be", "AND", "*", "~", "🎉", " "])
    def test_a_question_without_terms_is_skipped_with_a_reason(
        self, index: SearchIndex, text: str
    ) -> None:
        index.write([entry("a", f"the {text}")])
        result = ask(index, by_words(text))
        assert (result.status, result.reason) == (LegStatus.SKIPPED, "no_terms")

    def test_a_rare_token_finds_its_record(self, index: SearchIndex) -> None:
        crowd = [entry(f"n{i}", f"part ZX-{i}-Q of the machine") for i in range(30)]
        index.write([*crowd, entry("it", "the part ZX-4471-Q is broken")])
        assert ids(index, by_words("ZX-4471-Q"))[0] == "it"

    @pytest.mark.parametrize(
        ("identifier", "near_misses"),
        [
            ("INV-2026-00017", ["INV-2026-00018", "INV-2025-00017", "00017 2026 INV"]),
            ("10.0.0.1", ["10.0.0.2", "10.0.1.0", "1.0.0.10"]),
            ("v1.2.3-rc1", ["v1.2.3-rc2", "v1.3.2-rc1"]),
            ("C++", ["C", "C#", "C C C"]),
            ("user@example.com", ["user@example.org", "example.com user"]),
            ("550e8400-e29b-41d4-a716-446655440000", ["550e8400-e29b-41d4-a716-446655440001"]),
            ("§ 14 Abs. 2", ["§ 15 Abs. 2", "14. Abs. 2"]),
        ],
    )
    def test_an_identifier_outranks_its_near_misses(
        self, index: SearchIndex, identifier: str, near_misses: list[str]
    ) -> None:
        index.write([entry(f"a{i}", f"about {text}") for i, text in enumerate(near_misses)])
        index.write([entry("it", f"about {identifier}")])
        assert ids(index, by_words(identifier))[0] == "it"

    @pytest.mark.parametrize("script", SCRIPTS)
    def test_in_every_script_a_record_is_first_for_its_own_text(
        self, index: SearchIndex, script: str
    ) -> None:
        index.write([entry(name, text) for name, text in SCRIPTS.items()])
        assert ids(index, by_words(SCRIPTS[script]))[0] == script

    @pytest.mark.parametrize("script", WORDS_INSIDE)
    def test_a_word_inside_a_text_finds_it(self, index: SearchIndex, script: str) -> None:
        index.write([entry(name, text) for name, text in SCRIPTS.items()])
        assert ids(index, by_words(WORDS_INSIDE[script]))[0] == script

    def test_names_and_heads_are_searched_too(self, index: SearchIndex) -> None:
        content = {
            "title": "Kettle", "subject": "Marlow", "predicate": "works_at", "aliases": ("Skipper",),
            "entities": ("Nellie",), "tags": ("river",), "location": "Gravesend",
        }  # fmt: skip
        index.write([entry("a", "nothing of that", **content), entry("b", "other")])
        for word in ("kettle", "Marlow", "works", "skipper", "nellie", "rivers", "gravesend"):
            assert ids(index, by_words(word)) == ["a"], word

    def test_fifteen_hundred_distinct_words_are_one_question(self, index: SearchIndex) -> None:
        words = [f"q{i}" for i in range(1_500)]
        index.write([entry("a", " ".join(words[:40])), entry("b", "q1499 and more")])
        assert ids(index, by_words(" ".join(words))) == ["a", "b"]

    def test_long_texts_and_blobs_are_found_by_a_word_of_theirs(self, index: SearchIndex) -> None:
        blob = "QUJD" * 20_000
        index.write(
            [entry("long", "lorem ipsum " * 8_000 + "needle"), entry("blob", f"{blob} eye")]
        )
        assert ids(index, by_words("needle")) == ["long"]
        assert ids(index, by_words("eye")) == ["blob"]

    def test_a_rarer_word_counts_more(self, index: SearchIndex) -> None:
        index.write([entry(f"c{i}", "common matter here") for i in range(5)])
        index.write([entry("r", "rare matter here")])
        assert ids(index, by_words("common rare"))[0] == "r"


class SemanticContract:
    """The semantic leg."""

    def test_the_nearest_come_first_with_their_cosines(self, index: SearchIndex) -> None:
        index.write([
            entry("right", "r", vector=vector(1, 0, 0)),
            entry("half", "h", vector=vector(1, 1, 0)),
            entry("left", "l", vector=vector(-1, 0, 0)),
            entry("wordless", "no vector"),
        ])  # fmt: skip
        found = ask(index, by_vector(1, 0, 0)).candidates
        assert [candidate.id for candidate in found] == ["right", "half", "left"]
        expected = [1, 0.7071, -1]
        assert [candidate.score for candidate in found] == pytest.approx(expected, abs=1e-3)

    def test_vectors_of_another_model_or_width_are_never_compared(self, index: SearchIndex) -> None:
        index.write([entry("a", "word", vector=vector(1, 0, 0))])
        for query in (
            by_vector(1, 0, 0, fingerprint="other:3"),
            by_vector(1, 0, 0, fingerprint=None),
            by_vector(1, 0, 0, 0),
        ):
            result = ask(index, query)
            assert (result.status, result.reason) == (LegStatus.FAILED, "fingerprint_mismatch")
            assert not result.candidates

    def test_one_leg_may_fail_and_the_other_answer(self, index: SearchIndex) -> None:
        index.write([entry("a", "word", vector=vector(1, 0, 0))])
        bad = by_vector(1, 0, 0, fingerprint="other:3")
        failed, lexical = index.search([bad, by_words("word")], timeout=10)
        assert (failed.leg, failed.status) == (Leg.SEMANTIC, LegStatus.FAILED)
        assert (lexical.leg, lexical.status) == (Leg.LEXICAL, LegStatus.OK)
        assert [candidate.id for candidate in lexical.candidates] == ["a"]


class OrderContract:
    """Order and depth."""

    def test_ties_go_by_id_whatever_the_order_of_writing(self, index: SearchIndex) -> None:
        names = ["m", "z", "a", "k", "B", "10", "9"]
        for name in names:
            index.write([entry(name, "one and the same", vector=vector(0, 1, 0))])
        assert ids(index, by_words("same")) == sorted(names)
        assert ids(index, by_vector(0, 1, 0)) == sorted(names)
        assert ids(index, by_words("same", depth=3)) == sorted(names)[:3]
        assert ids(index, by_vector(0, 1, 0, depth=3)) == sorted(names)[:3]

    def test_cut_says_that_there_were_more(self, index: SearchIndex) -> None:
        index.write([entry(f"n{i}", "word", vector=vector(1, i, 0)) for i in range(5)])
        for depth, cut in ((4, True), (5, False), (6, False)):
            legs = [by_words("word", depth=depth), by_vector(1, 0, 0, depth=depth)]
            for result in index.search(legs, timeout=10):
                assert (len(result.candidates), result.cut) == (min(depth, 5), cut)

    def test_a_smaller_depth_is_the_beginning_of_a_larger_one(self, index: SearchIndex) -> None:
        index.write(
            [entry(f"n{i}", "word " * (i % 7 + 1), vector=vector(1, i % 9, 1)) for i in range(60)]
        )
        for make in (lambda d: by_words("word", depth=d), lambda d: by_vector(0, 1, 0, depth=d)):
            assert ids(index, make(10)) == ids(index, make(60))[:10]

    def test_without_time_a_leg_says_so(self, index: SearchIndex) -> None:
        index.write([entry("a", "word")])
        (result,) = index.search([by_words("word")], timeout=0)
        assert (result.status, bool(result.reason)) == (LegStatus.TIMEOUT, True)


class SearchIndexContract(
    VersionsContract, CandidatesContract, LexicalContract, SemanticContract, OrderContract
):
    """All of it."""
