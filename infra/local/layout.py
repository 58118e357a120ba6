"""Where one local stack keeps its things, which ports it takes, and how its tools are called.

Everything follows from four settings (`PORT`, `LOCAL_DIR`, `ENGINE`, `EMBEDDER`), so two stacks
with two ports and two folders never meet. What they share, below `.cache`, never changes in place.
"""

import os
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

STACK = "palimpsest"
REGION = "us-east-1"
ENGINES = ("sqlite", "opensearch")
CREDENTIALS = {"AWS_ACCESS_KEY_ID": "local", "AWS_SECRET_ACCESS_KEY": "local"}
_ROOT = Path(__file__).resolve().parents[2]
_EXE = "Scripts" if sys.platform == "win32" else "bin"


@dataclass(frozen=True, slots=True)
class Layout:
    """One stack. Folders are absolute; ports are on the loopback."""

    root: Path
    local: Path
    port: int
    engine: str = "sqlite"
    embedder: str = "openai"

    @classmethod
    def from_environment(cls, environment: Mapping[str, str] = os.environ) -> "Layout":
        """The stack that the caller's settings name. Raises `ValueError` for a bad setting."""
        port = int(environment.get("PORT") or 4566)
        if not 1024 <= port < 65534:  # noqa: PLR2004  # the two ports after it are used too
            raise ValueError(f"PORT is between 1024 and 65533, not {port}")
        engine = environment.get("ENGINE") or "sqlite"
        if engine not in ENGINES:
            raise ValueError(f"ENGINE is {' or '.join(ENGINES)}, not {engine}")
        return cls(
            root=_ROOT,
            local=(_ROOT / (environment.get("LOCAL_DIR") or ".local")).resolve(),
            port=port,
            engine=engine,
            embedder=environment.get("EMBEDDER") or "openai",
        )

    @property
    def endpoint(self) -> str:
        """The local AWS endpoint."""
        return f"http://127.0.0.1:{self.port}"

    @property
    def embedding_port(self) -> int:
        """Where the local embedding server listens."""
        return self.port + 1

    @property
    def opensearch_port(self) -> int:
        """Where the stack's own OpenSearch node listens."""
        return self.port + 2

    @property
    def index(self) -> Path:
        """The folder of the embedded index."""
        return self.local / "index"

    @property
    def opensearch(self) -> Path:
        """The folder of the OpenSearch node's data."""
        return self.local / "opensearch"

    @property
    def state(self) -> Path:
        """The folder of the endpoint's saved state."""
        return self.local / "state"

    @property
    def build(self) -> Path:
        """The folder that `sam build` fills."""
        return self.local / "build"

    @property
    def env_file(self) -> Path:
        """What tools and tests read of the running stack."""
        return self.local / "env"

    @property
    def pid_file(self) -> Path:
        """The supervisor's process id."""
        return self.local / "pid"

    @property
    def running_marker(self) -> Path:
        """There while the stack runs, and afterwards only if it was not stopped cleanly."""
        return self.local / "running"

    @property
    def ready_marker(self) -> Path:
        """There while the stack answers searches."""
        return self.local / "ready"

    @property
    def closed_marker(self) -> Path:
        """There while the API refuses every request: until table and index are in line."""
        return self.local / "closed"

    @property
    def pushed_marker(self) -> Path:
        """There since code was pushed into the functions, until the next deployment."""
        return self.local / "pushed"

    @property
    def deployed_marker(self) -> Path:
        """There once a deployment has come to its end."""
        return self.local / "deployed"

    def log(self, name: str) -> Path:
        """The log file of one child."""
        return self.local / "logs" / f"{name}.log"

    def tool(self, environment: str, program: str) -> Path:
        """A program of one of the tool environments."""
        return self.root / ".cache" / "tools" / environment / _EXE / program

    def aws_environment(self) -> dict[str, str]:
        """What an AWS client needs to reach this stack and nothing else."""
        return {
            **CREDENTIALS,
            "AWS_ENDPOINT_URL": self.endpoint,
            "AWS_REGION": REGION,
            "AWS_DEFAULT_REGION": REGION,
            "AWS_EC2_METADATA_DISABLED": "true",
        }


def plain_environment() -> dict[str, str]:
    """The caller's environment without what would lead a child elsewhere or slow it down."""
    dropped = {"PYTHONDONTWRITEBYTECODE", "PYTHONPATH", "VIRTUAL_ENV"}
    return {k: v for k, v in os.environ.items() if k not in dropped and not k.startswith("AWS_")}
