import pytest

from world import World


@pytest.fixture
def world(tables: dict[str, str]) -> World:
    return World(tables["RecordsTable"])
