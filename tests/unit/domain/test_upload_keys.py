"""Where the file of a document lies in the bucket, and what can be a path."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from palimpsest.domain.names import NAMESPACE_PATTERN
from palimpsest.domain.upload_keys import UploadPlace, path_fault, upload_place

PATHS = st.text(min_size=1, max_size=60).filter(lambda path: path_fault(path) is None)


@given(st.from_regex(f"^{NAMESPACE_PATTERN}$", fullmatch=True), PATHS)
def test_g1_a_key_leads_back_to_its_place(namespace: str, path: str) -> None:
    place = UploadPlace("u@x:y", namespace, path)
    assert upload_place(place.key) == place


@pytest.mark.parametrize(
    "key",
    [
        *("stray.txt", "uploads/stray.txt", "uploads/acme/stray.txt", "uploads//notes/y.txt"),
        *("uploads/acme//y.txt", "uploads/acme/notes/", "uploads/acme/notes/folder/"),
        "lists/acme/notes/a.txt",
        "uploads/acme/a:b/x.txt",  # not URL-encoded
        "uploads/acme/a%2Fb/x.txt",  # no namespace
        "uploads/a%23b/notes/x.txt",  # no tenant
        "uploads/acme/notes/a/../x.txt",
        "uploads/acme/notes/" + "p" * 513,
    ],
)
def test_other_keys_are_nobody_s(key: str) -> None:
    assert upload_place(key) is None


@pytest.mark.parametrize(
    "path", ["a", "p" * 512, "語" * 170, "a b+%2F", "...", "a/..b", "/a", "a//b", " a ", "\x80a"]
)
def test_a_path_may_be_any_name_of_a_file(path: str) -> None:
    assert path_fault(path) is None


@pytest.mark.parametrize(
    "path",
    [
        "",
        None,
        5,
        "p" * 513,
        "語" * 171,
        "a\0",
        "a\nb",
        "\x1fa",
        "a\x7f",
        "a/",
        ".",
        "..",
        "../a",
        "a/./b",
        "\ud800",
    ],
)
def test_what_leaves_its_place_or_is_no_name_is_none(path: object) -> None:
    assert path_fault(path) is not None
