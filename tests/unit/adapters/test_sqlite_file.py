"""The embedded index's file: damage, loss, other models and schemas."""

from collections.abc import Callable
from pathlib import Path

import apsw
import pytest

from contract.index_entries import (
    by_vector,
    by_words,
    entry,
    ids,
    vector,
)
from palimpsest.adapters.sqlite import SqliteIndex, schema
from palimpsest.adapters.sqlite.writing import apply
from palimpsest.domain.errors import Unavailable


def file_of(folder: Path) -> Path:
    return folder / "index.sqlite"


def overwrite(path: Path, content: bytes, *, at: int = 0) -> None:
    with path.open("r+b") as file:
        file.seek(at)
        file.write(content)


def set_aside(folder: Path) -> list[Path]:
    return [path for path in folder.glob("*.foreign-*") if not path.name.endswith("-wal")]


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


@pytest.mark.parametrize("rubbish", [b"not a database at all" * 300, b"\0" * 5000])
def test_a_file_that_is_no_index_is_replaced(
    opened: Callable[..., SqliteIndex], tmp_path: Path, rubbish: bytes
) -> None:
    file_of(tmp_path).write_bytes(rubbish)
    index = opened()
    index.write([entry("a", "word")])
    assert ids(index, by_words("word")) == ["a"]


def test_f1_of_a_damaged_file_nothing_is_kept_that_may_be_forgotten_later(
    opened: Callable[..., SqliteIndex], tmp_path: Path
) -> None:
    index = opened()
    index.write([entry("a", "word", tags=("plughsecret",))])
    index.close()
    overwrite(file_of(tmp_path), b"\0" * 100)
    assert ids(opened(), by_words("word")) == []
    assert not any(b"plughsecret" in path.read_bytes() for path in tmp_path.iterdir())


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
    assert set_aside(tmp_path) == []


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
    assert set_aside(tmp_path) == []


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


def test_a_write_that_fails_half_way_changes_nothing(
    opened: Callable[..., SqliteIndex], monkeypatch: pytest.MonkeyPatch
) -> None:
    index = opened()

    def apply_and_fail(*arguments: object) -> object:
        apply(*arguments)  # type: ignore[arg-type]
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr("palimpsest.adapters.sqlite.index.apply", apply_and_fail)
        with pytest.raises(KeyboardInterrupt):
            index.write([entry("a", "word")])
    assert ids(index, by_words("word")) == []
    index.write([entry("b", "word")])
    assert ids(index, by_words("word")) == ["b"]


def test_text_that_is_no_unicode_is_rejected_by_name(opened: Callable[..., SqliteIndex]) -> None:
    results = opened().write([entry("a", "half \ud83d of a face"), entry("b", "word")])
    assert [(r.outcome.value, r.reason) for r in results] == [
        ("rejected", "not_unicode"),
        ("applied", None),
    ]
