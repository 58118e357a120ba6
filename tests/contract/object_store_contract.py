"""What every object store does. An adapter's test class inherits it and gives it a `store`, and
what clients do from outside: `deleted` (a plain delete) and `sent` (an upload's request).
"""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from itertools import pairwise

import pytest

from palimpsest.domain.byte_lines import LONGEST_LINE
from palimpsest.domain.errors import InvalidRequest, NotFound
from palimpsest.domain.uploads import Upload
from palimpsest.ports import ObjectStore

NOW = datetime(2026, 6, 1, tzinfo=UTC)
STRANGE = [
    "lists/acme/a b+c%2F&=?#.jsonl",
    "lists/acme/zażółć 会議 🎉",
    "lists/acme/folder/",
    "lists/acme/<&\"'>",
    "lists/acme//./x",
]


class ObjectStoreContract:
    def test_what_was_put_is_read_until_it_is_replaced(self, store: ObjectStore) -> None:
        store.put("work/a", b"one\0\xff")
        assert store.get("work/a") == b"one\0\xff"
        assert store.size("work/a") == 5
        store.put("work/a", b"")
        assert store.get("work/a") == b""
        assert store.size("work/a") == 0

    def test_what_is_not_there_is_not_found(self, store: ObjectStore) -> None:
        store.put("work/ab", b"x")
        assert store.size("work/a") is None
        with pytest.raises(NotFound):
            store.get("work/a")
        with pytest.raises(NotFound):
            list(store.lines("work/a"))

    def test_what_was_deleted_outside_is_not_found_and_remains(
        self, store: ObjectStore, deleted: Callable[[str], None]
    ) -> None:
        store.put("work/a", b"x")
        deleted("work/a")
        assert store.size("work/a") is None
        assert list(store.keys("work/")) == []
        with pytest.raises(NotFound):
            store.get("work/a")
        assert store.remains("work/a") == 2

    @pytest.mark.parametrize("key", STRANGE)
    def test_a_key_is_taken_as_it_is(self, store: ObjectStore, key: str) -> None:
        store.put(key, b"x\ny")
        assert store.get(key) == b"x\ny"
        assert list(store.lines(key)) == [b"x", b"y"]
        assert store.size(key) == 3
        assert list(store.keys("lists/")) == [key]
        assert store.erase(key) == 1

    @pytest.mark.parametrize(
        ("data", "lines"),
        [
            (b"", []),
            (b"\n", [b""]),
            (b"a", [b"a"]),
            (b"a\n", [b"a"]),
            (b"a\r\nb\r\n", [b"a", b"b"]),
            (b"a\n\n\r\nb", [b"a", b"", b"", b"b"]),
            (b"a\rb\r\r\nc\r", [b"a\rb\r", b"c"]),
            ("会議\n🎉".encode(), ["会議".encode(), "🎉".encode()]),
        ],
    )
    def test_lines_come_without_their_ends(
        self, store: ObjectStore, data: bytes, lines: list[bytes]
    ) -> None:
        store.put("lists/a", data)
        assert list(store.lines("lists/a")) == lines

    def test_many_lines_come_in_order_and_whole(self, store: ObjectStore) -> None:
        lines = [b"%d:" % n + b"x" * (n * 37 % 5000) for n in range(2000)]
        store.put("lists/a", b"\r\n".join(lines))
        assert list(store.lines("lists/a")) == lines

    def test_a_line_of_2_mib_is_read_and_a_longer_one_is_refused(self, store: ObjectStore) -> None:
        longest = b"x" * LONGEST_LINE
        store.put("lists/a", b"a\n" + longest + b"\r\n" + longest)
        assert list(store.lines("lists/a")) == [b"a", longest, longest]
        store.put("lists/a", b"a\n" + longest + b"x\nb\n")
        read = store.lines("lists/a")
        assert next(read) == b"a"
        with pytest.raises(InvalidRequest) as caught:
            next(read)
        assert caught.value.errors[0].loc == ("line", 2)

    def test_a_walk_that_is_left_early_harms_nothing(self, store: ObjectStore) -> None:
        store.put("lists/a", b"a\n" * 500_000)
        for _ in range(30):
            assert next(store.lines("lists/a")) == b"a"
        assert store.size("lists/a") == 1_000_000

    def test_an_object_replaced_meanwhile_is_read_to_the_end_as_it_was(
        self, store: ObjectStore
    ) -> None:
        store.put("lists/a", b"a\n" * 500_000)
        read = store.lines("lists/a")
        assert next(read) == b"a"
        store.put("lists/a", b"b\n")
        assert set(read) == {b"a"}

    def test_keys_are_those_below_a_prefix_in_the_order_of_their_bytes(
        self, store: ObjectStore
    ) -> None:
        names = ["work/j/10", "work/j/9", "work/j/é", "work/j/z", "work/j/Z", "work/j/🎉", "work/j"]
        for name in [*names, "work/k/1", "lists/j"]:
            store.put(name, b"x")
        assert list(store.keys("work/j")) == sorted(names, key=str.encode)
        assert list(store.keys("work/j/9")) == ["work/j/9"]
        assert list(store.keys("nothing/")) == []

    def test_more_keys_than_a_page_has_are_all_named_and_all_erased(
        self, store: ObjectStore
    ) -> None:
        for number in range(1_203):
            store.put(f"work/j/{number:05}", b"")
        named = list(store.keys("work/j/"))
        assert len(named) == 1_203
        assert all(a < b for a, b in pairwise(named))
        assert store.remains("work/j/") == 1_203
        assert store.erase("work/j/") == 1_203
        assert store.remains("work/j/") == 0
        assert list(store.keys("work/j/")) == []

    def test_erasing_takes_every_version_and_delete_marker_and_nothing_else(
        self, store: ObjectStore, deleted: Callable[[str], None]
    ) -> None:
        for number in range(3):
            store.put("uploads/acme/notes/a", b"%d" % number)
        deleted("uploads/acme/notes/a")
        store.put("uploads/acme/notes/b", b"b")
        store.put("uploads/acme/notes2/a", b"other")
        assert store.remains("uploads/acme/notes/") == 5
        assert store.erase("uploads/acme/notes/") == 5
        assert store.remains("uploads/acme/notes/") == 0
        assert store.get("uploads/acme/notes2/a") == b"other"

    def test_erasing_again_removes_nothing(self, store: ObjectStore) -> None:
        store.put("work/a", b"x")
        assert store.erase("work/") == 1
        assert store.erase("work/") == 0
        assert store.remains("work/") == 0

    def test_the_whole_bucket_is_never_erased(self, store: ObjectStore) -> None:
        store.put("work/a", b"x")
        with pytest.raises(ValueError, match="empty prefix"):
            store.erase("")
        assert store.remains("") == 1

    @pytest.mark.parametrize("key", ["lists/acme/1", *STRANGE[:-1]])  # clients cut out dots
    def test_an_upload_puts_the_object_from_outside(
        self, store: ObjectStore, sent: Callable[[Upload, bytes], None], key: str
    ) -> None:
        upload = store.upload_to(key, seconds=3600, now=NOW)
        assert upload.method == "PUT"
        assert upload.expires_at == NOW + timedelta(hours=1)
        assert store.size(key) is None
        sent(upload, b"a\nb\n")
        assert list(store.lines(key)) == [b"a", b"b"]

    @pytest.mark.parametrize("seconds", [0, -1, 604_801])
    def test_an_upload_lasts_for_a_second_to_a_week(self, store: ObjectStore, seconds: int) -> None:
        with pytest.raises(ValueError, match="seconds"):
            store.upload_to("lists/a", seconds=seconds, now=NOW)

    def test_the_bucket_has_a_name(self, store: ObjectStore) -> None:
        assert store.bucket.isprintable()
        assert "/" not in store.bucket
