import pytest


@pytest.fixture(autouse=True)
def no_sockets(socket_disabled: None) -> None:  # what a service needs of the world comes by a port
    """A service alone opens no socket."""
