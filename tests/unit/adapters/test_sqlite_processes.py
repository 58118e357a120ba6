"""The embedded index's file between several processes."""

import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from contract.index_entries import (
    FINGERPRINT,
    PARTITION,
    by_vector,
    by_words,
    entry,
    ids,
)
from palimpsest.adapters.sqlite import SqliteIndex, schema
from palimpsest.domain.errors import Unavailable

FUNCTIONS = Path(__file__).parents[3] / "functions"
TESTS = Path(__file__).parents[2]


def file_of(folder: Path) -> Path:
    return folder / "index.sqlite"


def set_aside(folder: Path) -> list[Path]:
    return [path for path in folder.glob("*.foreign-*") if not path.name.endswith("-wal")]


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


def test_who_has_a_renewed_index_open_goes_on_with_the_new_one(
    opened: Callable[..., SqliteIndex],
) -> None:
    first, second = opened(), opened()
    second.write([entry("a", "newer word", 9)])
    assert ids(first, by_words("newer")) == ["a"]
    assert second.renew() == first.generation()
    assert ids(first, by_words("newer")) == []
    first.write([entry("a", "older word", 2)])
    assert ids(second, by_words("older")) == ["a"]
    assert dict(second.heights()) == {PARTITION: 2}


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
    assert set_aside(tmp_path) == []
    index.close()
