"""The local AWS endpoint of one stack: ministack with its state, started and awaited."""

import contextlib
import shutil
import socket
import time
import urllib.error
import urllib.request
from collections.abc import Callable

from local.children import Children
from local.layout import Layout, plain_environment

_START_SECONDS = 60.0


def check_ports(layout: Layout, *, embedding: bool, opensearch: bool = False) -> None:
    """Raises `RuntimeError` naming a port of this stack that something else listens on."""
    wanted = {
        layout.port: True,
        layout.embedding_port: embedding,
        layout.opensearch_port: opensearch,
    }
    for port in (port for port, used in wanted.items() if used):
        with socket.socket() as probe:
            probe.settimeout(1)
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                raise RuntimeError(
                    f"port {port} is in use: stop what listens there, or choose another with PORT= "
                    "(the two ports after it are used too)"
                )


def start(layout: Layout, children: Children) -> None:
    """Start the endpoint from its last saved state and wait until it answers."""
    temporary = layout.local / "tmp"
    shutil.rmtree(temporary, ignore_errors=True)  # unzipped functions of former starts
    temporary.mkdir(parents=True)
    environment = {
        **plain_environment(),
        **layout.aws_environment(),
        "TMPDIR": str(temporary),
        "BIND_HOST": "127.0.0.1",
        "GATEWAY_PORT": str(layout.port),
        "IOT_MTLS_ENABLED": "0",
        "SFTP_ENABLED": "0",
        "LOG_LEVEL": "WARNING",
        "AUTH": "true",
        "PERSIST_STATE": "1",
        "S3_PERSIST": "1",
        "STATE_DIR": str(layout.state),
        "S3_DATA_DIR": str(layout.local / "s3"),
        "API_CLOSED_BY": str(layout.closed_marker),
    }
    del environment["AWS_ENDPOINT_URL"]  # it is the endpoint
    emulator = layout.root / "infra" / "local" / "emulator.py"
    # the folder is there only to tell this process from another stack's (see `children.py`)
    command = [str(layout.tool("emulator", "python")), str(emulator), str(layout.local)]
    children.start(
        "the local AWS endpoint", command, environment=environment, log=layout.log("emulator")
    )
    wait_for(f"{layout.endpoint}/_ministack/health", children)


def wait_for(url: str, children: Children, *, seconds: float = _START_SECONDS) -> None:
    """Wait until a GET of `url` answers 200. Raises `RuntimeError` if a child ends, or late."""

    def answers() -> bool:
        with contextlib.suppress(OSError):
            return bool(urllib.request.urlopen(url, timeout=5).status == 200)  # noqa: PLR2004
        return False

    wait_until(answers, children, seconds=seconds, what=url)


def wait_until(done: Callable[[], bool], children: Children, *, seconds: float, what: str) -> None:
    """Wait until `done`, looking ten times a second. Raises `RuntimeError` as `wait_for` does."""
    deadline = time.monotonic() + seconds
    while not done():
        ended = children.ended()
        if ended:
            raise RuntimeError(f"{ended}; its log is in the stack's folder, under logs")
        if time.monotonic() > deadline:
            raise RuntimeError(f"{what} has not answered within {seconds:.0f} s")
        time.sleep(0.1)
