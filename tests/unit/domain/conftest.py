import pytest


@pytest.fixture(autouse=True)
def no_sockets(socket_disabled: None) -> None:  # the domain talks to nobody
    """A rule of the domain opens no socket."""
