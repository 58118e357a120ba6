"""The embedded index in memory: brought up to date by what changed, the same as read anew."""

import math
import random
import threading
from pathlib import Path

import numpy as np
import pytest

from contract.index_entries import (
    FINGERPRINT,
    ask,
    by_vector,
    by_words,
    entry,
    ids,
    tombstone,
    vector,
)
from palimpsest.adapters.memory import MemoryIndex
from palimpsest.adapters.sqlite import SqliteIndex, partition
from palimpsest.adapters.sqlite.encoding import sign_bits, unusable
from palimpsest.adapters.sqlite.nearest import bit_count, counted_by_table
from palimpsest.domain.entries import Entry
from palimpsest.domain.lexical import FieldWeights

WORDS = ["ship", "kiln", "river", "mortar", "stone", "lamp", "glass", "rope"]


def random_entry(chance: random.Random, revision: int) -> Entry:
    name = f"n{chance.randrange(60)}"
    if chance.random() < 0.2:
        return tombstone(name, revision)
    made = vector(*(chance.uniform(-1, 1) for _ in range(3))) if chance.random() < 0.7 else None
    return entry(name, " ".join(chance.choices(WORDS, k=5)), revision, vector=made)


def test_a_view_kept_up_to_date_answers_as_one_read_anew(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(partition, "_COMPACT_AFTER", 100)
    chance = random.Random(3)
    kept, plain = (
        SqliteIndex(tmp_path, fingerprint=FINGERPRINT),
        MemoryIndex(fingerprint=FINGERPRINT),
    )
    writer = SqliteIndex(tmp_path, fingerprint=FINGERPRINT)
    for revision in range(1, 120):
        batch = [random_entry(chance, revision) for _ in range(chance.randrange(1, 5))]
        assert writer.write(batch) == plain.write(batch)
        questions = [by_words("ship kiln river", depth=20), by_vector(1, 2, 3, depth=20)]
        anew = SqliteIndex(tmp_path, fingerprint=FINGERPRINT)
        for question in questions:
            expected = ask(anew, question)
            assert ask(kept, question).candidates == expected.candidates
            assert [c.id for c in expected.candidates] == [
                c.id for c in ask(plain, question).candidates
            ]
        anew.close()
    kept.close()
    writer.close()


def test_an_earlier_view_is_not_changed_by_later_writes(tmp_path: Path) -> None:
    index = SqliteIndex(tmp_path, fingerprint=FINGERPRINT)
    index.write([entry("a", "word", vector=vector(1, 0, 0))])
    ((asked,),) = index._asked(index._current(), [by_words("word")])
    index.write([tombstone("a", 2), entry("b", "word", vector=vector(1, 0, 0))])
    assert ids(index, by_words("word")) == ["b"]
    assert (asked.view.alive.tolist(), asked.allowed.tolist()) == ([True], [True])
    assert asked.view.vectors.count == 1
    index.close()


def test_vectors_may_come_after_words(tmp_path: Path) -> None:
    index = SqliteIndex(tmp_path, fingerprint=FINGERPRINT)
    index.write([entry("a", "word"), entry("b", "word")])
    assert ids(index, by_vector(1, 0, 0)) == []
    index.write([entry("b", "word", vector=vector(1, 0, 0))])
    assert ids(index, by_vector(1, 0, 0)) == ["b"]
    assert ids(index, by_words("word")) == ["a", "b"]
    index.close()


def test_partitions_beyond_the_capacity_leave_memory_and_come_back(tmp_path: Path) -> None:
    index = SqliteIndex(tmp_path, fingerprint=FINGERPRINT, cached_entries=3)
    for name in "abcd":
        index.write([entry(f"{name}{i}", "word", partition=f"t#{name}") for i in range(2)])
    for name in "abcdabcd":
        assert ids(index, by_words("word", partitions=(f"t#{name}",))) == [f"{name}0", f"{name}1"]
        assert len(index._current()[1]._held) == 1
    index.close()


def test_threads_share_an_index(tmp_path: Path) -> None:
    index = SqliteIndex(tmp_path, fingerprint=FINGERPRINT)
    failures: list[BaseException] = []

    def work(name: str) -> None:
        try:
            for i in range(30):
                index.write([entry(f"{name}{i}", f"shared {name}", vector=vector(1, i, 0))])
                assert f"{name}{i}" in ids(index, by_words(name))
                assert f"{name}{i}" in ids(index, by_vector(1, i, 0))
        except BaseException as error:  # noqa: BLE001 - shown below
            failures.append(error)

    threads = [threading.Thread(target=work, args=(name,)) for name in ("tick", "tock", "tack")]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []
    assert len(ids(index, by_words("shared"))) == 90
    index.close()


def test_common_words_raise_a_record_but_admit_none(tmp_path: Path) -> None:
    crowd = [entry(f"n{i:03}", "everywhere thing") for i in range(150)]
    some = [entry("rare", "rare odd thing that is longer"), entry("both", "rare everywhere thing")]
    indexes = (SqliteIndex(tmp_path, fingerprint=FINGERPRINT), MemoryIndex(fingerprint=FINGERPRINT))
    for index in indexes:
        index.write([*crowd, *some])
        assert ids(index, by_words("everywhere rare")) == ["both", "rare"]
        assert len(ids(index, by_words("everywhere", depth=500))) == 151
        assert len(ids(index, by_words("everywhere unheard", depth=500))) == 151
    indexes[0].close()


def test_weights_are_a_setting_that_needs_no_other_index(tmp_path: Path) -> None:
    named = entry("named", "some text about it", aliases=("lamp",))
    said = entry("said", "some lamp about it", aliases=("it",))
    for names, first in ((3.0, "named"), (0.25, "said")):
        weights = FieldWeights(names=names)
        index = SqliteIndex(tmp_path, fingerprint=FINGERPRINT, weights=weights)
        index.write([named, said])
        assert ids(index, by_words("lamp"))[0] == first
        index.close()


def test_a_shortlist_finds_what_an_exact_search_finds(tmp_path: Path) -> None:
    numbers = np.random.default_rng(5)
    rows = numbers.normal(size=(400, 70))
    made = [entry(f"n{i:03}", "x", vector=vector(*row.tolist())) for i, row in enumerate(rows)]
    short = SqliteIndex(tmp_path, fingerprint=FINGERPRINT, exact_rows=10, shortlist=200)
    short.write(made)
    exact = SqliteIndex(tmp_path, fingerprint=FINGERPRINT)
    shared = 0
    for row in rows[:40]:
        near = by_vector(*(row + numbers.normal(size=70) / 2).tolist(), depth=10)
        shared += len(set(ids(short, near)) & set(ids(exact, near)))
    assert shared >= 0.98 * 400
    short.close()
    exact.close()


def test_bits_are_counted_the_same_with_and_without_numpys_own_function(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    words = np.array([0, 1, 2**64 - 1, 0x5555555555555555], np.uint64)
    assert counted_by_table(words).tolist() == bit_count(words).tolist() == [0, 1, 64, 32]
    monkeypatch.delattr(np, "bitwise_count", raising=False)
    assert bit_count(words).tolist() == [0, 1, 64, 32]


def test_a_sign_bit_is_set_where_a_number_is_not_negative() -> None:
    (word,) = sign_bits(np.array([1.0, -1.0, 0.0])).tolist()
    assert word.bit_count() == 2
    assert sign_bits(np.ones(65)).shape == (2,)


@pytest.mark.parametrize(
    ("values", "reason"),
    [
        ((), "wrong_width"),
        ((1.0, math.nan), "not_finite"),
        ((1.0, math.inf), "not_finite"),
        ((1e300, 1.0), "not_finite"),
        ((0.0, 0.0), "zero"),
        ((1.0, 0.0), None),
    ],
)
def test_vectors_that_are_no_direction_are_refused_by_name(
    values: tuple[float, ...], reason: str | None
) -> None:
    assert unusable(values, dimension=None) == reason
