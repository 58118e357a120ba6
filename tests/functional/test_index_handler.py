"""The index function: CloudFormation's calls, and the operator's steps, on a real node."""

import importlib
import json
import sys
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from typing import Any

import pytest

from palimpsest.bootstrap.index import index_services
from palimpsest.bootstrap.projector import projector_services
from palimpsest.bootstrap.search import search_services
from palimpsest.domain.queries import SearchRequest
from palimpsest.settings import Settings, SettingsError, load
from world import NAMESPACE, TENANT, World

ON_NODE = pytest.mark.opensearch


@pytest.fixture
def settings(
    tables: dict[str, str], opensearch_url: str, index_prefix: str, monkeypatch: pytest.MonkeyPatch
) -> Settings:
    told = {
        "TABLE_NAME": tables["RecordsTable"],
        "ENGINE": "opensearch",
        "OPENSEARCH_URL": opensearch_url,
        "INDEX_PREFIX": index_prefix,
        "EMBEDDER": "simulated",
        "EMBEDDING_DIMENSION": "64",
        "NEXT_EMBEDDER": "simulated",
        "NEXT_EMBEDDING_DIMENSION": "32",
        "NEXT_EMBEDDING_FINGERPRINT": "simulated:next:32",
    }
    for name, value in told.items():
        monkeypatch.setenv(name, value)
    return load()


@pytest.fixture
def index() -> Iterator[Any]:
    module = importlib.import_module("index.handler")
    module.services.cache_clear()
    yield module
    module.services.cache_clear()
    sys.modules.pop("index.handler")


class Answers(BaseHTTPRequestHandler):
    """Where CloudFormation waits for the answer."""

    def do_PUT(self) -> None:
        size = int(self.headers["Content-Length"])
        self.server.told.append(json.loads(self.rfile.read(size)))  # type: ignore[attr-defined]
        self.send_response(200)
        self.end_headers()

    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture
def waiting() -> Iterator[Any]:
    server = HTTPServer(("127.0.0.1", 0), Answers)
    server.told = []  # type: ignore[attr-defined]
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield server
    server.shutdown()
    thread.join()
    server.server_close()


def deployed(kind: str, server: Any) -> dict[str, Any]:
    return {
        "RequestType": kind,
        "ResponseURL": f"http://127.0.0.1:{server.server_port}/answer?signed",
        "StackId": "stack",
        "RequestId": "request",
        "LogicalResourceId": "SearchIndex",
    }


@ON_NODE
def test_a_deployment_makes_the_index_once_and_its_end_leaves_it(
    settings: Settings, index: Any, waiting: Any
) -> None:
    for kind in ("Create", "Update", "Delete"):
        index.handler(deployed(kind, waiting), None)
    assert [told["Status"] for told in waiting.told] == ["SUCCESS"] * 3
    assert waiting.told[0]["Data"] == {"Index": f"{settings.index_prefix}-v1"}
    assert {told["PhysicalResourceId"] for told in waiting.told} == {"search-index"}
    (made,) = index.handler({"do": "status"}, None)["generations"]
    assert (made["read"], made["dimension"]) == (True, 64)


@ON_NODE
def test_a_deployment_is_told_why_the_index_could_not_be_made(
    settings: Settings, index: Any, waiting: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENSEARCH_URL", "http://127.0.0.1:9")
    monkeypatch.setattr(index, "PATIENCE_S", 0.2)
    monkeypatch.setattr(index, "PAUSE_S", 0.05)
    index.handler(deployed("Create", waiting), None)
    (told,) = waiting.told
    assert told["Status"] == "FAILED"
    assert "cannot be reached" in told["Reason"]
    assert settings.opensearch_url not in told["Reason"]


@ON_NODE
def test_the_steps_carry_the_index_over_to_the_next_embedder(
    settings: Settings, index: Any
) -> None:
    index.handler({"do": "ensure"}, None)
    world = World(settings.table_name)
    world.put("a", "a heron by the weir")
    projector_services(settings).projection.project(TENANT, NAMESPACE)
    begun = index.handler({"do": "begin"}, None)["begun"]
    assert begun["fingerprint"] == "simulated:next:32"
    assert index.handler({"do": "backfill"}, None) == {"done": 1, "namespaces": 1}
    proof = index.handler({"do": "prove"}, None)
    assert (proof["equal"], proof["namespaces"][0]["entries"]) == (True, 1)
    assert index.handler({"do": "switch"}, None)["reading"]["name"] == begun["name"]
    asked = SearchRequest(tenant=TENANT, namespaces=(NAMESPACE,), query="heron weir")
    answer = search_services(settings).search.search(asked)
    assert ([hit.record.id for hit in answer.hits], answer.degraded) == (["a"], [])
    assert index.handler({"do": "roll-back"}, None)["reading"]["dimension"] == 64
    assert index.handler({"do": "switch"}, None)["reading"]["dimension"] == 32
    (dropped,) = index.handler({"do": "drop"}, None)["dropped"]
    assert dropped["dimension"] == 64
    json.dumps(proof)


@ON_NODE
def test_a_step_that_is_none_is_refused_with_those_there_are(
    settings: Settings, index: Any
) -> None:
    with pytest.raises(ValueError, match="ensure, status, begin"):
        index.handler({"do": settings.index_prefix}, None)


def test_the_embedded_index_has_no_steps(tables: dict[str, str]) -> None:
    settings = load(
        {"TABLE_NAME": tables["RecordsTable"], "INDEX_FOLDER": "/x", "EMBEDDER": "simulated"}
    )
    with pytest.raises(SettingsError, match="one generation"):
        index_services(settings)
