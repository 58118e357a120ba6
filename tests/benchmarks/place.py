"""Where the benchmarks run: a local AWS endpoint and an embedding server of their own, the tables
of the template, and the handlers loaded in this process as a warm function has them.
"""

import importlib
import os
import re
import shutil
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.sentences import Sentences
from local import embedding, endpoint
from local.children import Children
from local.layout import Layout
from palimpsest.domain.commit_planning import CommitRequest, Operation
from palimpsest.domain.embedding import Embedded
from palimpsest.domain.records import Content
from palimpsest.domain.vectors import Vector
from palimpsest.ports import Embedder
from palimpsest.services.commit import Committed
from template_tables import create_tables

TENANT = "demo"
DIMENSION = 384
COMMIT = 25
CENTRES = 64


class MadeVectors:
    """Stands in for the embedder while 10,000 records are loaded: vectors near those of a few dozen
    real sentences, under the real model's fingerprint.
    """

    def __init__(self, embedder: Embedder) -> None:
        self.fingerprint, self.dimension = embedder.fingerprint, embedder.dimension
        self._numbers = np.random.default_rng(7)
        texts = Sentences(seed=7).records(CENTRES)
        made = embedder.embed_passages(texts, timeout=60)
        self._centres = np.array([one.vector for one in made if isinstance(one, Embedded)])

    def embed_passages(self, texts: Sequence[str], *, timeout: float) -> list[Embedded]:  # noqa: ARG002
        near = self._centres[self._numbers.integers(0, len(self._centres), len(texts))]
        rows = near + self._numbers.normal(size=near.shape) * 0.02
        rows /= np.linalg.norm(rows, axis=1, keepdims=True)
        return [Embedded(tuple(row)) for row in rows.tolist()]


class NoVectorsHeld:
    """A vector store that keeps nothing: no search reads one."""

    def held(self, *_: Any, **__: Any) -> dict[str, Vector]:
        return {}

    def hold(self, *_: Any, **__: Any) -> set[str]:
        return set()


@dataclass(slots=True)
class Place:
    """The handlers' modules by name, and the namespaces that were filled, by their size."""

    modules: Mapping[str, Any]
    embedder_name: str
    filled: dict[int, str] = field(default_factory=dict)

    def services(self, name: str) -> Any:
        return self.modules[name].services()

    def commit(self, namespace: str, texts: Mapping[str, str]) -> Committed:
        committed: Committed = self.services("records").commits.commit(request(namespace, texts))
        return committed

    def project(self, namespace: str) -> None:
        self.services("projector").projection.project(TENANT, namespace)

    def namespace_of(self, size: int) -> str:
        """A namespace of that many records, all in the index; made at its first use."""
        if size not in self.filled:
            name = f"filled-{size}"
            texts = Sentences(seed=size).records(size)
            rows = [(f"record-{number:06}", text) for number, text in enumerate(texts)]
            for start in range(0, size, COMMIT):
                self.commit(name, dict(rows[start : start + COMMIT]))
            projection = self.services("projector").projection
            made = replace(
                projection.embedding,
                embedder=MadeVectors(projection.embedding.embedder),
                vectors_held=NoVectorsHeld(),
            )
            replace(projection, embedding=made).project(TENANT, name)
            self.filled[size] = name
        return self.filled[size]


def request(namespace: str, texts: Mapping[str, str]) -> CommitRequest:
    """A commit that puts these texts."""
    operations = [Operation(id=i, content=Content(text=text)) for i, text in texts.items()]
    return CommitRequest(tenant=TENANT, namespace=namespace, operations=operations, by="bench")


@contextmanager
def opened(folder: Path, *, port: int, embedder: str) -> Iterator[Place]:
    """A place in `folder`, on `port` and the one after it; gone at the end."""
    layout = replace(
        Layout.from_environment({"PORT": str(port), "EMBEDDER": embedder}), local=folder
    )
    chosen = embedding.choose(layout, {})
    endpoint.check_ports(layout, embedding=bool(chosen.server))
    # the endpoint writes its whole state every few seconds otherwise, and answers nothing meanwhile
    os.environ["SAVE_SECONDS"] = "86400"
    children = Children(folder / "children.json")
    try:
        endpoint.start(layout, children)
        if chosen.server:
            name = "the embedding server"
            children.start(name, chosen.server, environment=os.environ, log=layout.log("embedding"))
            endpoint.wait_for(f"http://127.0.0.1:{layout.embedding_port}/health", children)
        os.environ.update(_environment(layout, chosen))
        modules = _loaded()
        create_tables(modules["records"].services().store._client)
        yield Place(modules, embedder)
    finally:
        children.stop()
        shutil.rmtree(folder / "state", ignore_errors=True)


def _environment(layout: Layout, chosen: embedding.Embedding) -> dict[str, str]:
    """The functions' own, as the template would have it."""
    named = {_capitals(name): value for name, value in chosen.parameters.items()}
    return {
        **layout.aws_environment(),
        **named,
        "EMBEDDING_DIMENSION": str(DIMENSION),
        "TABLE_NAME": "RecordsTable",
        "STAGE": "local",
        "INDEX_FOLDER": str(layout.index),
        "WAKE_QUEUE_URL": "",
        "POWERTOOLS_TRACE_DISABLED": "1",
    }


def _capitals(name: str) -> str:
    return re.sub(r"(?<=[a-z])(?=[A-Z])", "_", name).upper()


def _loaded() -> dict[str, Any]:
    """The handlers; what they log is written, but to nowhere."""
    modules = {
        name: importlib.import_module(f"{name}.handler")
        for name in ("records", "search", "projector")
    }
    observability = importlib.import_module("palimpsest.observability")
    nowhere = Path(os.devnull).open("w", encoding="utf-8")  # noqa: SIM115  # for the process's life
    observability.logger.registered_handler.setStream(nowhere)
    return modules
