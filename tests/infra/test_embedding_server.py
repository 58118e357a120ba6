"""The local embedding server on the wire."""

import base64
import json
import os
import re
import signal
import struct
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from http.client import HTTPConnection
from pathlib import Path
from typing import Any

import httpx
import pytest

from built_model import model_folder
from contract.serving import embedding_server, replying
from local.embedding_backend import EmbedderBackend, Lanes, Purpose, Served
from local.embedding_requests import Wanted
from palimpsest.adapters.http_models import OpenAICompatibleEmbedder
from palimpsest.adapters.simulated import Fault, FaultKind, SimulatedEmbedder
from palimpsest.domain.errors import DeadlineExceeded, Unavailable

ROOT = Path(__file__).resolve().parents[2]
MODEL = "simulated"


@pytest.fixture
def simulated() -> SimulatedEmbedder:
    return SimulatedEmbedder(dimension=8)


@pytest.fixture
def client(simulated: SimulatedEmbedder) -> Iterator[httpx.Client]:
    with (
        embedding_server(EmbedderBackend(simulated, name=MODEL)) as url,
        httpx.Client(base_url=url.removesuffix("/v1"), trust_env=False) as made,
    ):
        yield made


def embed(client: httpx.Client, **body: Any) -> httpx.Response:
    return client.post("/v1/embeddings", json={"model": MODEL, **body})


def test_a_text_and_a_list_of_texts_are_embedded_in_order(client: httpx.Client) -> None:
    one = embed(client, input="first text").json()
    assert one["object"] == "list"
    assert one["model"] == MODEL
    assert one["usage"] == {"prompt_tokens": 2, "total_tokens": 2}
    many = embed(client, input=["another", "first text", "a much longer text than these"]).json()
    assert [datum["index"] for datum in many["data"]] == [0, 1, 2]
    assert many["data"][1]["embedding"] == one["data"][0]["embedding"]
    assert one["data"][0]["truncated"] is False


def test_base64_is_little_endian_float32(client: httpx.Client) -> None:
    floats = embed(client, input="text").json()["data"][0]["embedding"]
    packed = embed(client, input="text", encoding_format="base64").json()["data"][0]["embedding"]
    assert struct.unpack("<8f", base64.b64decode(packed)) == pytest.approx(floats, abs=1e-6)


def test_a8_a_text_beyond_the_limit_is_flagged() -> None:
    short = SimulatedEmbedder(dimension=8, max_tokens=3)
    with (
        embedding_server(EmbedderBackend(short, name=MODEL)) as url,
        httpx.Client(base_url=url, trust_env=False) as client,
    ):
        body = {"model": MODEL, "input": ["one two three", "one two three four"]}
        data = client.post("/embeddings", json=body).json()["data"]
        assert [datum["truncated"] for datum in data] == [False, True]
        assert data[0]["embedding"] == data[1]["embedding"]


@pytest.mark.parametrize(
    ("body", "status", "param", "code"),
    [
        ({"input": "a", "model": "other"}, 404, "model", "model_not_found"),
        ({"input": "a", "model": 5}, 400, "model", "invalid_type"),
        ({"input": ["a", " "]}, 400, "input", "blank_input"),
        ({"input": []}, 400, "input", "invalid_length"),
        ({"input": ["a"] * 2049}, 400, "input", "invalid_length"),
        ({"input": [1, 2]}, 400, "input", "invalid_type"),
        ({"input": None}, 400, "input", "invalid_type"),
        ({"input": "a\ud800"}, 400, "input", "invalid_unicode"),
        ({"input": "a", "encoding_format": "hex"}, 400, "encoding_format", "invalid_value"),
        ({"input": "a", "input_type": "raw"}, 400, "input_type", "invalid_value"),
        ({"input": "a", "dimensions": 4}, 400, "dimensions", "unsupported_value"),
    ],
)
def test_a_wrong_request_is_answered_with_an_error_object(
    client: httpx.Client, body: dict[str, Any], status: int, param: str, code: str
) -> None:
    content = json.dumps({"model": MODEL, **body})
    answer = client.post("/v1/embeddings", content=content)
    assert answer.status_code == status
    error = answer.json()["error"]
    assert (error["type"], error["param"], error["code"]) == ("invalid_request_error", param, code)
    assert error["message"]


def test_what_is_no_json_object_is_refused(client: httpx.Client) -> None:
    for content in (b"{", b"[]", b"\xff", b""):
        answer = client.post("/v1/embeddings", content=content)
        assert answer.status_code == 400
        assert answer.json()["error"]["code"] == "invalid_json"


def test_unknown_paths_and_methods_are_refused(client: httpx.Client) -> None:
    assert client.get("/v1/other").status_code == 404
    assert client.get("/v1/embeddings").status_code == 405
    assert client.post("/health", json={}).status_code == 405


def test_too_large_and_unmeasured_bodies_are_refused_unread(client: httpx.Client) -> None:
    connection = HTTPConnection("127.0.0.1", client.base_url.port, timeout=10)
    connection.putrequest("POST", "/v1/embeddings")
    connection.putheader("Content-Length", str(2**40))
    connection.endheaders()
    assert connection.getresponse().status == 413
    connection.close()
    pieces = client.post("/v1/embeddings", content=iter([b"{}"]))
    assert pieces.status_code == 411


def test_the_model_and_the_health_are_told(client: httpx.Client) -> None:
    (model,) = client.get("/v1/models").json()["data"]
    assert (model["id"], model["dimension"], model["object"]) == (MODEL, 8, "model")
    health = client.get("/health").json()
    assert health == {
        "status": "ok",
        "model": MODEL,
        "fingerprint": "simulated:0:8",
        "dimension": 8,
    }


@pytest.mark.parametrize(
    ("kind", "status"),
    [
        (FaultKind.OUTAGE, 503),
        (FaultKind.THROTTLED, 429),
        (FaultKind.TOO_FEW, 500),
        (FaultKind.ZERO, 400),
    ],
)
def test_the_backend_s_failures_have_their_status(
    client: httpx.Client, simulated: SimulatedEmbedder, kind: FaultKind, status: int
) -> None:
    simulated.inject(Fault(kind=kind))
    answer = embed(client, input="a")
    assert answer.status_code == status
    assert ("Retry-After" in answer.headers) == (status in (429, 503))


class SlowBackend:
    """A model of which a test sees what runs when."""

    name, fingerprint, dimension, passage_prefix = MODEL, "slow:1", 2, "passage: "
    max_tokens = 512

    def __init__(self) -> None:
        self.order: list[str] = []
        self.started = threading.Event()

    def embed(self, text: str, *, purpose: Purpose) -> Served:
        self.order.append(purpose)
        self.started.set()
        time.sleep(0.01)
        return Served([1.0, float(len(text))], 1, truncated=False)

    def count_tokens(self, texts: Sequence[str]) -> list[int]:
        return [len(text) for text in texts]


def test_a_question_does_not_wait_for_a_batch_of_passages() -> None:
    backend = SlowBackend()
    with (
        embedding_server(backend) as url,
        httpx.Client(base_url=url, trust_env=False) as client,
        ThreadPoolExecutor(1) as threads,
    ):
        batch = {
            "model": MODEL,
            "input": [f"passage {n}" for n in range(50)],
            "input_type": "passage",
        }
        passages = threads.submit(client.post, "/embeddings", json=batch)
        assert backend.started.wait(5)
        question = {"model": MODEL, "input": "question", "input_type": "query"}
        assert client.post("/embeddings", json=question).status_code == 200
        assert not passages.done()
        assert len(passages.result().json()["data"]) == 50
    assert backend.order.index(Purpose.QUERY) < 40


def test_b4_concurrent_questions_each_get_their_own_vector() -> None:
    with (
        embedding_server(SlowBackend()) as url,
        httpx.Client(base_url=url, trust_env=False) as client,
        ThreadPoolExecutor(16) as threads,
    ):

        def length(number: int) -> float:
            body = {"model": MODEL, "input": "x" * number}
            values = client.post("/embeddings", json=body).json()["data"][0]["embedding"]
            return float(values[1])

        assert list(threads.map(length, range(1, 49))) == list(map(float, range(1, 49)))


def test_a_batch_that_nobody_waits_for_any_more_is_given_up_and_goes_on_when_asked_again() -> None:
    backend = SlowBackend()
    texts = [f"passage {number:03}" for number in range(60)]
    with embedding_server(backend) as url:
        embedder = OpenAICompatibleEmbedder(base_url=url, model=MODEL, dimension=2)
        with pytest.raises(DeadlineExceeded):
            embedder.embed_passages(texts, timeout=0.2)
        time.sleep(0.1)
        done = len(backend.order)
        time.sleep(0.1)
        assert len(backend.order) == done < 60
        assert len(embedder.embed_passages(texts, timeout=30)) == 60
        assert len(backend.order) == 60
        embedder.close()


@pytest.mark.parametrize(
    ("purpose", "texts", "urgent"),
    [
        (Purpose.QUERY, ["a", "b"], True),
        (Purpose.PASSAGE, ["a"], False),
        (Purpose.RAW, ["query: a"], True),
        (Purpose.RAW, ["passage: a"], False),
        (Purpose.RAW, ["a", "b"], False),
    ],
)
def test_what_may_be_a_question_is_urgent(
    purpose: Purpose, texts: list[str], *, urgent: bool
) -> None:
    wanted = Wanted(texts=texts, purpose=purpose, as_base64=False)
    assert wanted.is_urgent("passage: ") is urgent


def test_a_lane_lets_one_through_at_a_time_in_order_and_the_other_is_free() -> None:
    lanes = Lanes()
    order: list[int] = []
    inside: list[int] = []

    def take(number: int) -> None:
        with lanes.turn(urgent=False):
            inside.append(number)
            assert inside == [number]
            order.append(number)
            inside.remove(number)

    with ThreadPoolExecutor(4) as threads:
        with lanes.turn(urgent=False):
            waiting = []
            for number in range(4):
                waiting.append(threads.submit(take, number))
                time.sleep(0.02)
            with lanes.turn(urgent=True):
                assert order == []
        for one in waiting:
            one.result()
    assert order == [0, 1, 2, 3]


def test_an_answer_that_trickles_in_is_broken_off_at_the_deadline() -> None:
    release = threading.Event()

    def reply(_body: dict[str, Any]) -> tuple[int, dict[str, str], bytes]:
        release.wait(5)
        return 200, {}, b"{}"

    with replying(reply) as url:
        embedder = OpenAICompatibleEmbedder(base_url=url, model="m", dimension=2)
        began = time.monotonic()
        with pytest.raises(DeadlineExceeded):
            embedder.embed_query("why", timeout=0.2)
        assert time.monotonic() - began < 2
        release.set()
        embedder.close()


def test_a_refused_connection_is_an_outage() -> None:
    with embedding_server(SlowBackend()) as url:
        pass
    embedder = OpenAICompatibleEmbedder(base_url=url, model=MODEL, dimension=2)
    with pytest.raises(Unavailable) as caught:
        embedder.embed_query("why", timeout=2)
    assert type(caught.value) is Unavailable
    embedder.close()


def start(*arguments: str) -> subprocess.Popen[str]:
    command = [sys.executable, str(ROOT / "infra" / "local" / "embedding_server.py"), *arguments]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def test_without_a_model_the_program_says_how_to_build_one(tmp_path: Path) -> None:
    process = start("--model-dir", str(tmp_path / "all-minilm-l6-v2"), "--port", "0")
    _, errors = process.communicate(timeout=60)
    assert process.returncode == 1
    assert "python infra/models/build.py all-minilm-l6-v2" in errors


@pytest.mark.model
def test_the_program_says_when_it_is_ready_and_ends_on_sigterm() -> None:
    process = start("--model-dir", str(model_folder()), "--port", "0", "--threads", "1")
    assert process.stdout is not None
    line = process.stdout.readline()
    url = re.search(r"http://127\.0\.0\.1:\d+/v1", line)
    assert url, line
    body = {"model": "multilingual-e5-small", "input": "ready?", "input_type": "query"}
    answer = httpx.post(f"{url[0]}/embeddings", json=body, timeout=30, trust_env=False)
    assert len(answer.json()["data"][0]["embedding"]) == 384
    os.kill(process.pid, signal.SIGTERM)
    rest, errors = process.communicate(timeout=30)
    assert (process.returncode, rest, errors) == (0, "", "")
