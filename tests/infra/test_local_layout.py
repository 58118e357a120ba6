"""Settings, ports, orphans and the file of a local stack."""

import os
import socket
import stat
import subprocess
import sys
import time
from pathlib import Path

import pytest

from local import embedding, endpoint, environment, logs
from local.children import Children, command_line
from local.deployment import SOURCES, is_source, source_digest
from local.layout import Layout, plain_environment
from stack import free_ports

SLEEPER = [sys.executable, "-c", "import time; time.sleep(60)", "of this test"]


def layout(**settings: str) -> Layout:
    return Layout.from_environment(settings)


def test_the_defaults_are_those_of_the_makefile() -> None:
    assert layout() == layout(PORT="4566", LOCAL_DIR=".local", ENGINE="sqlite", EMBEDDER="openai")
    assert layout().local == layout().root / ".local"


@pytest.mark.parametrize("port", ["0", "80", "65534", "65535", "-1"])
def test_a_port_that_cannot_be_used_is_refused(port: str) -> None:
    with pytest.raises(ValueError, match="PORT"):
        layout(PORT=port)


def test_an_engine_that_does_not_exist_is_refused() -> None:
    assert layout(ENGINE="opensearch").engine == "opensearch"
    with pytest.raises(ValueError, match="ENGINE is sqlite or opensearch, not elastic"):
        layout(ENGINE="elastic")


def test_two_stacks_with_two_ports_and_folders_share_nothing_that_changes(tmp_path: Path) -> None:
    first = layout(PORT="5000", LOCAL_DIR=str(tmp_path / "a"))
    second = layout(PORT="5003", LOCAL_DIR=str(tmp_path / "b"))
    ports = {p for s in (first, second) for p in (s.port, s.embedding_port, s.opensearch_port)}
    assert len(ports) == 6
    for name in ("index", "opensearch", "state", "build", "env_file", "pid_file", "ready_marker"):
        assert getattr(first, name).is_relative_to(tmp_path / "a")
        assert getattr(second, name).is_relative_to(tmp_path / "b")


def test_a_port_in_use_is_named_before_anything_is_started() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(RuntimeError, match=f"port {port} is in use.*PORT="):
            endpoint.check_ports(layout(PORT=str(port)), embedding=False)


def test_the_node_s_port_is_looked_at_only_if_the_stack_starts_one() -> None:
    stack = layout(PORT=str(free_ports()))
    with socket.create_server(("127.0.0.1", stack.opensearch_port)):
        endpoint.check_ports(stack, embedding=True)
        with pytest.raises(RuntimeError, match=f"port {stack.opensearch_port} is in use"):
            endpoint.check_ports(stack, embedding=True, opensearch=True)


def test_children_see_no_aws_settings_and_may_write_bytecode(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("AWS_PROFILE", "mine")
    monkeypatch.setenv("PYTHONDONTWRITEBYTECODE", "1")
    told = plain_environment()
    assert "PATH" in told
    assert not any(name.startswith("AWS_") for name in told)
    assert "PYTHONDONTWRITEBYTECODE" not in told


def test_the_env_file_is_the_owners_alone_and_is_read_back(tmp_path: Path) -> None:
    path = tmp_path / "env"
    values = {"A": "plain", "B": "with 'quotes' and spaces", "C": ""}
    environment.write(path, values)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert environment.read(path) == values
    shown = subprocess.run(
        ["sh", "-c", f'. "{path}"; printf %s "$B"'], capture_output=True, text=True, check=True
    )
    assert shown.stdout == values["B"]


def test_a_missing_env_file_says_nothing(tmp_path: Path) -> None:
    assert environment.read(tmp_path / "env") == {}


def test_children_are_stopped_by_their_ids_and_no_note_is_left(tmp_path: Path) -> None:
    children = Children(tmp_path / "note")
    children.start("a sleeper", SLEEPER, environment=os.environ, log=tmp_path / "logs" / "a.log")
    assert children.ended() is None
    assert children.stop()
    assert not (tmp_path / "note").exists()


def test_a_child_that_ends_by_itself_is_told_and_is_no_clean_stop(tmp_path: Path) -> None:
    children = Children(tmp_path / "note")
    children.start(
        "a quitter",
        [sys.executable, "-c", "raise SystemExit(3)"],
        environment=os.environ,
        log=tmp_path / "a.log",
    )
    children.running["a quitter"].wait()
    assert children.ended() == "a quitter has ended (exit code 3)"
    assert not children.stop()


def test_the_children_of_a_killed_supervisor_are_ended_by_the_next(tmp_path: Path) -> None:
    lost = Children(tmp_path / "note")
    lost.start("a sleeper", SLEEPER, environment=os.environ, log=tmp_path / "a.log")
    orphan = lost.running["a sleeper"]
    while not command_line(orphan.pid):  # it is there a moment before its arguments are
        time.sleep(0.01)
    found = Children(tmp_path / "note").stop_orphans()
    assert found == 1
    assert orphan.wait(10) < 0


def test_a_process_that_has_taken_over_an_id_is_left_alone(tmp_path: Path) -> None:
    note = tmp_path / "note"
    note.write_text(f'{{"{os.getpid()}": "some other program"}}')
    assert Children(note).stop_orphans() == 0
    assert not note.exists()


def test_a_second_embedder_is_named_by_the_environment() -> None:
    following = {"NEXT_EMBEDDER": "openai", "NEXT_EMBEDDING_URL": "http://127.0.0.1:1/v1"}
    following |= {"NEXT_EMBEDDING_DIMENSION": "384", "NEXT_EMBEDDING_FINGERPRINT": "m:384"}
    chosen = embedding.choose(layout(EMBEDDER="simulated"), following).parameters
    assert {name: value for name, value in chosen.items() if name.startswith("Next")} == {
        "NextEmbedder": "openai",
        "NextEmbeddingUrl": "http://127.0.0.1:1/v1",
        "NextEmbeddingModel": "",
        "NextEmbeddingDimension": "384",
        "NextEmbeddingFingerprint": "m:384",
    }
    alone = embedding.choose(layout(EMBEDDER="simulated"), {}).parameters
    assert not any(name.startswith("Next") for name in alone)


def test_the_simulated_embedder_needs_no_server() -> None:
    chosen = embedding.choose(layout(EMBEDDER="simulated"), {})
    assert chosen.server == ()
    assert chosen.parameters["Embedder"] == "simulated"


def test_an_endpoint_of_ones_own_needs_no_server() -> None:
    mine = {"EMBEDDING_URL": "http://models/v1", "EMBEDDING_MODEL": "m"}
    chosen = embedding.choose(layout(EMBEDDER="openai"), mine)
    assert chosen.server == ()
    assert chosen.parameters["EmbeddingUrl"] == "http://models/v1"


def test_bytecode_and_hidden_files_are_no_source(tmp_path: Path) -> None:
    for name in ("a.py", "__pycache__/a.pyc", ".cache/x"):
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.touch()
    found = [path.name for path in tmp_path.rglob("*") if is_source(path, tmp_path)]
    assert found == ["a.py"]


def test_the_digest_of_the_sources_changes_with_any_of_them(tmp_path: Path) -> None:
    for name in SOURCES:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).touch()
    code = tmp_path / "functions" / "a.py"
    code.parent.mkdir()
    code.write_text("1")
    first = source_digest(tmp_path)
    assert source_digest(tmp_path) == first
    digests = {first}
    for path in (code, *(tmp_path / name for name in SOURCES)):
        path.write_text("2")
        digests.add(source_digest(tmp_path))
    assert len(digests) == 2 + len(SOURCES)


@pytest.mark.parametrize(
    ("line", "shown"),
    [
        ("plain\n", "plain"),
        ('{"level":"INFO","message":"m","timestamp":"t","a":1}', 'INFO m {"a": 1}'),
        ("[1]", "[1]"),
    ],
)
def test_a_log_line_is_shown_in_short(line: str, shown: str) -> None:
    assert logs.readable(line) == shown
