"""What is left on disk of a forgotten record."""

import random
from collections.abc import Callable
from pathlib import Path

import pytest

from contract.index_entries import (
    PARTITION,
    by_words,
    entry,
    ids,
    tombstone,
)
from palimpsest.adapters.sqlite import SqliteIndex, schema
from palimpsest.domain.entries import WriteOutcome
from palimpsest.domain.errors import Unavailable


def on_disk(folder: Path) -> bytes:
    return b"".join(path.read_bytes() for path in folder.glob("index.sqlite*"))


def test_nothing_of_a_forgotten_record_is_left_in_the_file_or_its_log(
    opened: Callable[..., SqliteIndex], tmp_path: Path
) -> None:
    index = opened()
    chance = random.Random(1)
    for start_at in range(0, 3_000, 100):
        index.write(
            [
                entry(
                    f"r{chance.random()}-{i}",
                    f"the TEXTSECRET{i:05}x is 混合检索{i}",
                    tags=(f"TAGSECRET{i:05}x",),
                    metadata={f"k{i % 7}": f"METASECRET{i:05}x"},
                    location=f"PLACESECRET{i:05}x" + "y" * chance.randrange(200),
                )
                for i in range(start_at, start_at + 100)
            ]
        )
    everyone = [state.id for state in index.walk(PARTITION)]
    chance.shuffle(everyone)
    forgotten = everyone[:1_500]
    for start_at in range(0, 1_500, 300):
        index.write([tombstone(one, 2) for one in forgotten[start_at : start_at + 300]])
    left = on_disk(tmp_path).lower()
    for one in forgotten:
        number = int(one.rpartition("-")[2])
        for kind in ("text", "tag", "meta", "place"):
            assert f"{kind}secret{number:05}x".encode() not in left
    for word in ("secret", "混合", "textsecret"):
        assert (word.encode() in left) == (word == "secret"), "texts are nowhere in the file"
    assert b"tagsecret" in left, "the others are still there"
    index.close()


def test_an_erasure_that_a_reader_holds_up_is_not_reported_as_done(
    opened: Callable[..., SqliteIndex],
) -> None:
    index = opened(busy_seconds=0.05)
    index.write([entry("a", "word"), entry("b", "word")])
    other, _ = opened()._current()
    with other.reading() as connection:
        schema.run(connection, "SELECT count(*) FROM entries")
        with pytest.raises(Unavailable):
            index.write([tombstone("a", 2)])
    (again,) = index.write([tombstone("a", 2)])
    assert again.outcome is WriteOutcome.APPLIED
    assert ids(index, by_words("word")) == ["b"]
