from collections.abc import Iterator

import pytest

from e2e.client import Client
from stack import LocalStack


@pytest.fixture
def client(local_stack: LocalStack) -> Iterator[Client]:
    """A client with the admin key of the demo tenant."""
    with Client(local_stack.values["PALIMPSEST_URL"], local_stack.values["PALIMPSEST_KEY"]) as made:
        yield made
