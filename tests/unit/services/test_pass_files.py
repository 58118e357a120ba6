from datetime import UTC, datetime

import pytest

from palimpsest.adapters.memory_objects import MemoryObjects
from palimpsest.domain.errors import NotFound
from palimpsest.domain.passes import Pass, PlannedChange, Prepared
from palimpsest.domain.planning import ChangeKind
from palimpsest.domain.records import Content, Source
from palimpsest.services.reconciling.beginning import PassRequest
from palimpsest.services.reconciling.pass_files import PassFiles, work_prefix
from palimpsest.services.reconciling.pass_state import PassState
from palimpsest.services.reconciling.planning import Planned

FULL = Content(
    text="Ada keeps bees.\nÄäh “…” \u2028 🐝",
    title="Bees",
    aliases=("a", "b"),
    event_time=datetime(2026, 6, 1, 12, 0, 0, 1000, tzinfo=UTC),
    importance=1.0,
    source=Source(uri="x:y", title=None),
    metadata={"n": 1, "x": 1.0, "t": True, "l": ("p", "q")},
)
REQUEST = PassRequest(tenant="acme", namespace="notes", revision=2**53 - 1, forget=True, by="key")
PLANNED = Planned(
    counts={ChangeKind.ADDED: 1, ChangeKind.UPDATED: 2, ChangeKind.REMOVED: 3},
    unchanged=4,
    newer=5,
    listed=2**300,
    kept=2**255 + 1,
    embedded=6,
    reused=7,
    pages=8,
    ids={ChangeKind.ADDED: ["a"], ChangeKind.UPDATED: [], ChangeKind.REMOVED: []},
)
BEGUN = Pass(
    tenant="acme",
    namespace="notes",
    revision=2**53 - 1,
    attempt="attempt",
    base=9,
    floor=3,
    forget=True,
    by="key",
)


@pytest.fixture
def files() -> PassFiles:
    return PassFiles(MemoryObjects(), work_prefix("acme", "notes", "reconcile-1"))


def test_a_list_is_read_as_it_was_kept(files: PassFiles) -> None:
    rows = [("a", FULL), ("b", Content(text="Ben bakes bread."))]
    files.keep_list(rows)
    assert list(files.kept_list()) == rows
    hashes = [content.content_hash for _, content in files.kept_list()]
    assert hashes == [content.content_hash for _, content in rows]
    files.keep_list([])
    assert list(files.kept_list()) == []


def test_blank_lines_of_a_list_are_passed_over(files: PassFiles) -> None:
    files.objects.put(files.list_key, b'\n{"id":"a","text":"x"}\n\n')
    assert [record_id for record_id, _ in files.kept_list()] == ["a"]


def test_a_page_is_read_as_it_was_kept(files: PassFiles) -> None:
    page = [
        PlannedChange(ChangeKind.ADDED, "a", FULL),
        PlannedChange(ChangeKind.UPDATED, "b", Content(text="x")),
        PlannedChange(ChangeKind.REMOVED, "c"),
    ]
    files.keep_page(7, page)
    assert files.page(7) == page
    with pytest.raises(NotFound):
        files.page(8)


def test_vectors_are_read_as_they_were_kept_and_none_before(files: PassFiles) -> None:
    assert files.vectors(3) == Prepared(complete=False)
    made = Prepared({"a": ("hash", (0.0, 1.0))}, 4, complete=False)
    files.keep_vectors(3, made)
    assert files.vectors(3) == made
    files.keep_vectors(3, Prepared(made.vectors, 5))
    assert files.vectors(3).complete


def test_a_malformed_vector_is_passed_over_to_be_embedded_again(files: PassFiles) -> None:
    files.keep_vectors(0, Prepared({"a": ("hash", (1.0,)), "b": ("hash", (0.0, 0.0))}, 1))
    assert list(files.vectors(0).vectors) == ["a"]


@pytest.mark.parametrize(
    "state",
    [
        PassState(request=REQUEST, attempt="attempt"),
        PassState(
            request=REQUEST,
            attempt="attempt",
            dry_run=True,
            key="lists/acme/x",
            begun=BEGUN,
            planned=PLANNED,
            warnings=({"field": "active.1.text", "message": "…"},),
            newest=7,
        ).with_page(2, 3),
    ],
    ids=["new", "half-way"],
)
def test_the_state_of_a_pass_is_read_as_it_was_kept(files: PassFiles, state: PassState) -> None:
    with pytest.raises(NotFound):
        files.state()
    files.keep_state(state.to_json())
    assert PassState.from_json(files.state()) == state


def test_files_move_as_a_whole_to_another_store(files: PassFiles) -> None:
    files.keep_list([("a", FULL)])
    files.keep_page(0, [PlannedChange(ChangeKind.REMOVED, "c")])
    files.objects.put(f"{work_prefix('acme', 'notes', 'reconcile-2')}state.json", b"{}")
    moved = files.moved_to(MemoryObjects())
    assert (list(moved.kept_list()), len(moved.page(0))) == ([("a", FULL)], 1)
    assert list(moved.objects.keys("")) == list(files.objects.keys(files.prefix))


def test_files_of_one_pass_are_erased_without_those_of_another(files: PassFiles) -> None:
    other = PassFiles(files.objects, work_prefix("acme", "notes", "reconcile-10"))
    for some in (files, other):
        some.keep_list([("a", FULL)])
    files.erase()
    assert list(files.objects.keys(work_prefix("acme", "notes"))) == [other.list_key]
