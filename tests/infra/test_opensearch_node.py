"""A real node: who reaches it, what it keeps, what it refuses."""

import json
import os
import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.error import HTTPError
from urllib.request import Request, urlopen

import pytest

import opensearch_node
from opensearch import node
from opensearch.node import Node
from stack import ROOT

FAISS = {"type": "knn_vector", "dimension": 2, "method": {"name": "hnsw", "engine": "faiss"}}
SILENT = {"type": "knn_vector", "dimension": 2}
LUCENE = {"type": "knn_vector", "dimension": 2, "method": {"name": "hnsw", "engine": "lucene"}}


# as the kernel writes 127.0.0.1, for either kind of socket
LOOPBACK = {"0100007F", "0000000000000000FFFF00000100007F"}


def call(url: str, method: str, path: str, body: object = None) -> tuple[int, Any]:
    data = None if body is None else json.dumps(body).encode()
    request = Request(url + path, data=data, method=method)
    request.add_header("Content-Type", "application/json")
    try:
        with urlopen(request, timeout=60) as answer:
            return answer.status, json.loads(answer.read() or b"null")
    except HTTPError as error:
        with error:
            return error.code, json.loads(error.read() or b"null")


def index(vector: object) -> dict[str, object]:
    settings = {"index.knn": True, "number_of_replicas": 0}
    return {"settings": settings, "mappings": {"dynamic": "strict", "properties": {"v": vector}}}


@contextmanager
def ended(started: Node) -> Iterator[Node]:
    try:
        yield started
    finally:
        started.stop()


def listening(pid: int) -> set[str]:
    """The local addresses on which a process listens, as the kernel writes them."""
    links = (os.readlink(f"/proc/{pid}/fd/{fd}") for fd in os.listdir(f"/proc/{pid}/fd"))  # noqa: PTH115, PTH208
    sockets = {found[1] for link in links if (found := re.fullmatch(r"socket:\[(\d+)\]", link))}
    rows = [
        line.split()
        for table in ("tcp", "tcp6")
        for line in Path(f"/proc/{pid}/net/{table}").read_text().splitlines()[1:]
    ]
    return {row[1].partition(":")[0] for row in rows if row[3] == "0A" and row[9] in sockets}


@pytest.mark.opensearch
def test_a_node_is_the_loopback_s_alone_and_keeps_what_it_acknowledged(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    data, log = tmp_path / "data", tmp_path / "log"
    monkeypatch.setenv("PYTHONPATH", "infra")
    monkeypatch.chdir(ROOT)
    with ended(opensearch_node.start(tmp_path, "network.host=0.0.0.0")) as first:
        if Path("/proc/self").exists():
            assert listening(first.pid)
            assert listening(first.pid) <= LOOPBACK
        assert call(first.url, "PUT", "/kept", index(LUCENE))[0] == 200
        assert call(first.url, "PUT", "/kept/_doc/a", {"v": [1, 0]})[0] == 201
        assert first.stop()
    command = [sys.executable, "-m", "opensearch.node", "--data", str(data), "--port", "0"]
    with ended(node.start(command, log=log)) as second:  # the same, as a person starts it
        assert call(second.url, "GET", "/kept/_doc/a")[1]["_source"] == {"v": [1, 0]}
        assert call(second.url, "PUT", "/kept/_doc/b", {"v": [0, 1]})[0] == 201
        second.kill()
    with ended(opensearch_node.start(tmp_path)) as third:
        assert call(third.url, "POST", "/kept/_refresh")[0] == 200
        nearest = {"query": {"knn": {"v": {"vector": [0, 2], "k": 2}}}}
        hits = call(third.url, "POST", "/kept/_search", nearest)[1]["hits"]["hits"]
        assert [hit["_id"] for hit in hits] == ["b", "a"]


@pytest.mark.opensearch
@pytest.mark.parametrize("vector", [FAISS, SILENT])
def test_a_vector_field_of_another_engine_is_refused(
    opensearch_url: str, index_prefix: str, vector: object
) -> None:
    status, told = call(opensearch_url, "PUT", f"/{index_prefix}-v1", index(vector))
    assert status == 400
    assert "method.engine must be lucene" in json.dumps(told)
    assert call(opensearch_url, "GET", "/_cluster/health")[1]["status"] == "green"


@pytest.mark.opensearch
def test_a_write_makes_no_index(opensearch_url: str, index_prefix: str) -> None:
    status, told = call(opensearch_url, "PUT", f"/{index_prefix}-v1/_doc/a", {"x": 1})
    assert (status, told["error"]["type"]) == (404, "index_not_found_exception")


def test_a_node_that_is_never_ready_is_ended_and_its_log_told(tmp_path: Path) -> None:
    command = [sys.executable, "-c", "import time; print('READY?', flush=True); time.sleep(60)"]
    with pytest.raises(RuntimeError, match=r"not ready within 2 s:\nREADY\?"):
        node.start(command, log=tmp_path / "log", seconds=2)


def test_the_ready_line_of_a_former_start_is_not_believed(tmp_path: Path) -> None:
    log = tmp_path / "log"
    log.write_text("READY http://127.0.0.1:1 3.5.0 GREEN\n")
    command = [sys.executable, "-c", "import time; time.sleep(0.5); raise SystemExit(4)"]
    with pytest.raises(RuntimeError, match=r"ended \(exit code 4\)"):
        node.start(command, log=log)


def test_a_node_that_is_gone_has_not_ended_as_asked(tmp_path: Path) -> None:
    ready = "print('READY http://127.0.0.1:1 3.5.0 GREEN', flush=True); import time; time.sleep(60)"
    started = node.start([sys.executable, "-c", ready], log=tmp_path / "log")
    assert started.url == "http://127.0.0.1:1"
    started.kill()
    assert not started.stop()
