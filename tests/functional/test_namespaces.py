"""A tenant's namespaces, as far as a key may see them."""

import pytest

from palimpsest.adapters.dynamodb.directory import DynamoDirectory
from palimpsest.domain.commit_planning import Operation
from palimpsest.domain.records import Content
from palimpsest.services import namespaces as module
from palimpsest.services.namespaces import NamespaceListService
from world import TENANT, World


@pytest.fixture
def listing(world: World) -> NamespaceListService:
    for name in ("a", "a-b", "a.b", "a:b", "b", "c", "d"):
        world.commit(Operation(id="x", content=Content(text="x")), namespace=name)
    return NamespaceListService(DynamoDirectory(world.table, world.client))


def walk(listing: NamespaceListService, limit: int, hidden: str = "") -> list[str]:
    found: list[str] = []
    after: str | None = ""
    while after is not None:
        page = listing.page(TENANT, lambda n: n not in hidden.split(), limit=limit, after=after)
        found += [name for name, _ in page.namespaces]
        after = page.after
    return found


@pytest.mark.parametrize("limit", [1, 2, 3, 7, 100])
@pytest.mark.parametrize("at_once", [1, 2, 500])
def test_pages_add_up_to_the_names_in_order_without_those_a_key_may_not_see(
    listing: NamespaceListService, limit: int, at_once: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "READ_AT_ONCE", at_once)
    assert walk(listing, limit) == ["a", "a-b", "a.b", "a:b", "b", "c", "d"]
    assert walk(listing, limit, "a a-b c") == ["a.b", "a:b", "b", "d"]
    assert walk(listing, limit, "a a-b a.b a:b b c d") == []


def test_a_page_looks_at_its_share_of_names_only(
    listing: NamespaceListService, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "READ_AT_ONCE", 2)
    monkeypatch.setattr(module, "MAX_READ", 4)
    page = listing.page(TENANT, lambda name: name == "d", limit=10)
    assert (list(page.namespaces), page.after) == ([], "a:b")
    assert walk(listing, 10, "a a-b a.b a:b b c") == ["d"]


def test_revisions_are_those_of_now(listing: NamespaceListService, world: World) -> None:
    world.commit(Operation(id="x", content=Content(text="y")), namespace="b")
    page = listing.page(TENANT, lambda name: name in "bc", limit=10)
    assert list(page.namespaces) == [("b", 2), ("c", 1)]
