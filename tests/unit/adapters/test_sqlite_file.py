"""The embedded index's file: damage, loss, other models, several processes, what stays on disk."""

import random
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import apsw
import pytest

from contract.index_entries import (
    FINGERPRINT,
    PARTITION,
    by_vector,
    by_words,
    entry,
    ids,
    tombstone,
    vector,
)
from palimpsest.adapters.sqlite import SqliteIndex, schema
from palimpsest.adapters.sqlite.writing import apply
from palimpsest.domain.errors import Unavailable

FUNCTIONS = Path(__file__).parents[3] / "functions"
TESTS = Path(__file__).parents[2]


@pytest.fixture
def opened(tmp_path: Path) -> Iterator[Callable[..., SqliteIndex]]:
    """Opens indexes in one folder, each as another process would."""
    indexes = []

    def opened(**settings: object) -> SqliteIndex:
        known = {"fingerprint": FINGERPRINT, **settings}
        indexes.append(SqliteIndex(tmp_path, **known))  # type: ignore[arg-type]
        return indexes[-1]

    yield opened
    for index in indexes:
        index.close()


def file_of(folder: Path) -> Path:
    return folder / "index.sqlite"


def overwrite(path: Path, content: bytes, *, at: int = 0) -> None:
    with path.open("r+b") as file:
        file.seek(at)
        file.write(content)


def set_aside(folder: Path) -> list[Path]:
    return [path for path in folder.glob("*.damaged-*") if not path.name.endswith("-wal")]


def test_an_index_survives_being_closed(opened: Callable[..., SqliteIndex]) -> None:
    first = opened()
    first.write([entry("a", "still here", vector=vector(1, 0, 0))])
    generation = first.generation()
    first.close()
    second = opened()
    assert second.generation() == generation
    assert ids(second, by_words("still")) == ids(second, by_vector(1, 0, 0)) == ["a"]


def test_a_generation_is_named_after_the_engine(opened: Callable[..., SqliteIndex]) -> None:
    prefix, digits = opened().generation().split("-")
    assert (prefix, len(digits)) == ("sqlite", 16)
    int(digits, 16)


@pytest.mark.parametrize("rubbish", [b"", b"not a database at all" * 300, b"\0" * 5000])
def test_a_file_that_is_no_index_is_set_aside_and_replaced(
    opened: Callable[..., SqliteIndex], tmp_path: Path, rubbish: bytes
) -> None:
    file_of(tmp_path).write_bytes(rubbish)
    index = opened()
    index.write([entry("a", "word")])
    assert ids(index, by_words("word")) == ["a"]
    (kept,) = set_aside(tmp_path)
    assert kept.read_bytes() == rubbish


def test_somebody_elses_database_is_set_aside_whole(
    opened: Callable[..., SqliteIndex], tmp_path: Path
) -> None:
    foreign = apsw.Connection(str(file_of(tmp_path)))
    schema.run(foreign, "CREATE TABLE precious (x); INSERT INTO precious VALUES (7)")
    foreign.close()
    assert opened().generation()
    (kept,) = set_aside(tmp_path)
    again = apsw.Connection(str(kept))
    assert schema.run(again, "SELECT x FROM precious") == [(7,)]
    again.close()


def test_a_damaged_page_found_at_opening_makes_another_generation(
    opened: Callable[..., SqliteIndex], tmp_path: Path
) -> None:
    first = opened()
    first.write([entry(f"n{i}", "some words") for i in range(300)])
    generation = first.generation()
    first.close()
    overwrite(file_of(tmp_path), b"\xff" * 8192, at=8192)
    second = opened()
    assert second.generation() != generation
    assert ids(second, by_words("words")) == []
    assert len(set_aside(tmp_path)) == 1


def test_damage_under_a_running_index_is_reported_once_and_replaced(
    opened: Callable[..., SqliteIndex], tmp_path: Path
) -> None:
    index = opened()
    index.write([entry(f"n{i}", "some words") for i in range(2_000)])
    generation = index.generation()
    index.close()
    index.generation()
    other = opened()
    other.generation()
    overwrite(file_of(tmp_path), b"\xff" * (file_of(tmp_path).stat().st_size - 4096), at=4096)
    with pytest.raises(Unavailable) as raised:
        index.search([by_words("words")], timeout=5)
    assert raised.value.stage == "index"
    assert index.generation() != generation
    assert other.generation() == index.generation()
    index.write([entry("a", "written anew")])
    assert ids(other, by_words("anew")) == ["a"]
    assert len(set_aside(tmp_path)) == 1


def test_bytes_that_are_no_entry_count_as_damage(opened: Callable[..., SqliteIndex]) -> None:
    index = opened()
    index.write([entry("a", "word")])
    generation = index.generation()
    file, _ = index._current()
    with file.writing() as connection:
        schema.run(connection, "UPDATE entries SET terms = x'0102'")
    with pytest.raises(Unavailable):
        index.search([by_words("word")], timeout=5)
    assert index.generation() != generation


def test_only_the_last_damaged_file_is_kept(
    opened: Callable[..., SqliteIndex], tmp_path: Path
) -> None:
    for content in (b"first", b"second"):
        file_of(tmp_path).write_bytes(content * 1000)
        index = opened()
        index.generation()
        index.close()
        time.sleep(0.002)
    (kept,) = set_aside(tmp_path)
    assert kept.read_bytes().startswith(b"second")


@pytest.mark.parametrize("pattern", ["index.sqlite", "index.sqlite*"])
def test_a_file_deleted_under_a_running_index_is_noticed(
    opened: Callable[..., SqliteIndex], tmp_path: Path, pattern: str
) -> None:
    index, other = opened(), opened()
    index.write([entry("a", "word")])
    generation = other.generation()
    for path in tmp_path.glob(pattern):
        path.unlink()
    assert index.generation() != generation
    assert other.generation() == index.generation()
    assert ids(other, by_words("word")) == []
    other.write([entry("b", "word")])
    assert ids(index, by_words("word")) == ["b"]


def test_a_write_to_a_file_that_vanished_meanwhile_is_not_reported_as_done(
    opened: Callable[..., SqliteIndex], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    index = opened()
    index.generation()

    def apply_and_lose(*arguments: object) -> object:
        file_of(tmp_path).unlink()
        return apply(*arguments)  # type: ignore[arg-type]

    monkeypatch.setattr("palimpsest.adapters.sqlite.index.apply", apply_and_lose)
    with pytest.raises(Unavailable):
        index.write([entry("a", "word")])


def test_another_model_is_another_generation(
    opened: Callable[..., SqliteIndex], tmp_path: Path
) -> None:
    first = opened()
    first.write([entry("a", "word", vector=vector(1, 0, 0))])
    generation = first.generation()
    first.close()
    second = opened(fingerprint="other:model:4")
    assert second.generation() != generation
    second.write([entry("a", "word", vector=vector(1, 0, 0, 0))])
    assert ids(second, by_vector(1, 0, 0, 0, fingerprint="other:model:4")) == ["a"]
    assert set_aside(tmp_path) == []


def test_another_schema_is_another_generation(
    opened: Callable[..., SqliteIndex], monkeypatch: pytest.MonkeyPatch
) -> None:
    first = opened()
    generation = first.generation()
    first.close()
    monkeypatch.setattr(schema, "VERSION", schema.VERSION + 1)
    assert opened().generation() != generation


def test_a_writer_that_waits_too_long_is_unavailable_and_readers_go_on(
    opened: Callable[..., SqliteIndex],
) -> None:
    index = opened(busy_seconds=0.05)
    index.write([entry("a", "word")])
    other, _ = opened()._current()
    with other.writing() as connection:
        schema.run(connection, "UPDATE meta SET value = value WHERE name = 'sequence'")
        assert ids(index, by_words("word")) == ["a"]
        with pytest.raises(Unavailable):
            index.write([entry("b", "word")])
    index.write([entry("b", "word")])
    assert ids(index, by_words("word")) == ["a", "b"]


def test_an_index_that_is_being_opened_for_too_long_is_unavailable(
    opened: Callable[..., SqliteIndex], tmp_path: Path
) -> None:
    script = (
        "import fcntl, sys, time; f = open(sys.argv[1], 'a'); fcntl.flock(f, fcntl.LOCK_EX);"
        "print('held', flush=True); time.sleep(30)"
    )
    holder = subprocess.Popen(
        [sys.executable, "-c", script, str(tmp_path / "index.lock")], stdout=subprocess.PIPE
    )
    try:
        assert holder.stdout is not None
        holder.stdout.readline()
        with pytest.raises(Unavailable):
            opened(busy_seconds=0.05).generation()
    finally:
        holder.kill()
        holder.communicate()
    assert opened().generation()


def test_a_folder_that_cannot_be_made_is_unavailable(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(Unavailable):
        SqliteIndex(tmp_path / "file", fingerprint=FINGERPRINT).generation()


WRITER = """
import sys, time
from pathlib import Path
from contract.index_entries import FINGERPRINT, entry, vector
from palimpsest.adapters.sqlite import SqliteIndex
name, count = sys.argv[2], int(sys.argv[3])
index = SqliteIndex(Path(sys.argv[1]), fingerprint=FINGERPRINT)
for i in range(count):
    made = [entry(f"{name}-{i}-{j}", f"shared word{i}", vector=vector(1, i, j)) for j in range(5)]
    index.write(made)
    print(i, flush=True)
"""


def start(folder: Path, name: str, count: int) -> "subprocess.Popen[bytes]":
    return subprocess.Popen(
        [sys.executable, "-c", WRITER, str(folder), name, str(count)],
        env={"PYTHONPATH": f"{FUNCTIONS}:{TESTS}"},
        stdout=subprocess.PIPE,
    )


def test_processes_share_the_file_and_survive_one_being_killed(
    opened: Callable[..., SqliteIndex], tmp_path: Path
) -> None:
    victim = start(tmp_path, "victim", 100_000)
    first, second = start(tmp_path, "first", 30), start(tmp_path, "second", 30)
    index = opened()
    assert victim.stdout is not None
    for _ in range(10):
        victim.stdout.readline()
        whole = [i for i in ids(index, by_words("shared", depth=100_000)) if "victim" in i]
        assert len(whole) % 5 == 0, "a write is seen whole or not at all"
    victim.send_signal(signal.SIGKILL)
    seen = 10 + len(victim.communicate()[0].splitlines())
    for other in (first, second):
        assert len(other.communicate(timeout=60)[0].splitlines()) == 30
        assert other.returncode == 0
    states = [state.id for state in index.walk(PARTITION)]
    assert sum("first" in one for one in states) == sum("second" in one for one in states) == 150
    assert sum("victim" in one for one in states) in (5 * seen, 5 * (seen + 1))
    assert sorted(ids(index, by_words("shared", depth=100_000))) == states
    assert sorted(ids(index, by_vector(1, 0, 0, depth=100_000))) == states
    assert set_aside(tmp_path) == []


def test_exactly_one_process_replaces_a_damaged_file(tmp_path: Path) -> None:
    file_of(tmp_path).write_bytes(b"damaged" * 1000)
    writers = [start(tmp_path, f"w{i}", 2) for i in range(4)]
    for writer in writers:
        writer.communicate(timeout=60)
        assert writer.returncode == 0
    index = SqliteIndex(tmp_path, fingerprint=FINGERPRINT)
    assert len(list(index.walk(PARTITION))) == 40
    assert len(set_aside(tmp_path)) == 1
    index.close()


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
