"""Which embedder a local stack uses, and the server that stands behind it, if it needs one."""

import json
import os
import re
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass

from local.layout import Layout, plain_environment

MODEL = "multilingual-e5-small"
_SIMULATED = {
    "EmbeddingModel": "simulated",
    "EmbeddingDimension": "256",
    "EmbeddingFingerprint": "simulated-256",
}


@dataclass(frozen=True, slots=True)
class Embedding:
    """The template's parameters, and the command of the local server (empty: none is needed)."""

    parameters: Mapping[str, str]
    server: tuple[str, ...] = ()


def choose(layout: Layout, environment: Mapping[str, str] = os.environ) -> Embedding:
    """The embedder that `EMBEDDER` names.

    `openai` is the model built here, served on the loopback, unless `EMBEDDING_URL` (with `_MODEL`,
    `_DIMENSION`, `_FINGERPRINT`) names an endpoint of yours. `NEXT_EMBEDDER` and its like name the
    one to carry the index over to. Raises `RuntimeError` if it cannot be.
    """
    common = {"Embedder": layout.embedder, **_following(environment)}
    if layout.embedder == "simulated":
        return Embedding(common | _SIMULATED)
    url = environment.get("EMBEDDING_URL")
    if url or layout.embedder != "openai":
        named = {
            "EmbeddingUrl": url or "",
            "EmbeddingModel": environment.get("EMBEDDING_MODEL", ""),
            "EmbeddingDimension": environment.get("EMBEDDING_DIMENSION", ""),
            "EmbeddingFingerprint": environment.get("EMBEDDING_FINGERPRINT", ""),
            "EmbeddingTokenizer": environment.get("EMBEDDING_TOKENIZER", ""),
        }
        return Embedding(common | named)
    return _local_model(layout, common)


def _following(environment: Mapping[str, str]) -> dict[str, str]:
    """The parameters of a second embedder, where `NEXT_EMBEDDER` names one."""
    if not environment.get("NEXT_EMBEDDER"):
        return {}
    names = ("Embedder", "EmbeddingUrl", "EmbeddingModel", "EmbeddingDimension")
    variables = {f"Next{name}": f"NEXT_{_snake(name)}" for name in (*names, "EmbeddingFingerprint")}
    return {name: environment.get(variable, "") for name, variable in variables.items()}


def _snake(name: str) -> str:
    return re.sub(r"(?<=[a-z])(?=[A-Z])", "_", name).upper()


def _local_model(layout: Layout, common: Mapping[str, str]) -> Embedding:
    folder = layout.root / ".cache" / "models" / MODEL
    build = [sys.executable, str(layout.root / "infra" / "models" / "build.py"), MODEL]
    environment = plain_environment()
    tools = str(layout.tool("uv", "uv").parent)
    environment["PATH"] = os.pathsep.join([tools, environment.get("PATH", "")])
    if subprocess.run(build, env=environment, check=False).returncode:
        raise RuntimeError("the embedding model could not be built; EMBEDDER=simulated needs none")
    card = json.loads((folder / "model.json").read_text(encoding="utf-8"))
    parameters = {
        "EmbeddingUrl": f"http://127.0.0.1:{layout.embedding_port}/v1",
        "EmbeddingModel": card["name"],
        "EmbeddingDimension": str(card["dimension"]),
        "EmbeddingFingerprint": card["fingerprint"],
        "EmbeddingTokenizer": "server",
    }
    server = str(layout.root / "infra" / "local" / "embedding_server.py")
    command = (sys.executable, server, "--model-dir", str(folder))
    return Embedding({**common, **parameters}, (*command, "--port", str(layout.embedding_port)))
