"""Which OpenSearch node a stack uses, what it is started with, and who is told of it."""

import io
import json
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import boto3
import pytest

from local import search_node
from local.children import Children
from local.layout import Layout
from local.supervisor import Supervisor
from opensearch import distribution
from opensearch.distribution import Distribution
from opensearch.java import Jdk


@pytest.fixture
def layout(tmp_path: Path) -> Layout:
    chosen = {"ENGINE": "opensearch", "PORT": "5000", "LOCAL_DIR": str(tmp_path)}
    return Layout.from_environment(chosen)


@dataclass(slots=True)
class Functions:
    """Lambda, with one answer to every invocation."""

    answer: Mapping[str, Any]
    asked: list[Mapping[str, Any]] = field(default_factory=list)

    def invoke(self, **call: Any) -> Mapping[str, Any]:
        self.asked.append(call)
        return self.answer


def test_another_engine_needs_no_node(layout: Layout) -> None:
    named = {"OPENSEARCH_URL": "http://mine:9200"}
    assert search_node.choose(replace(layout, engine="sqlite"), named) is None


def test_without_a_setting_the_stack_has_a_node_of_its_own(layout: Layout) -> None:
    chosen = search_node.choose(layout, {"INDEX_PREFIX": "another"})
    assert chosen is not None
    assert chosen.ours
    assert chosen.parameters == {
        "OpenSearchUrl": "http://127.0.0.1:5002",
        "IndexPrefix": "palimpsest",
    }


def test_a_node_of_ones_own_is_used_as_it_is(layout: Layout) -> None:
    named = {"OPENSEARCH_URL": "http://mine:9200/"}
    chosen = search_node.choose(layout, named)
    assert chosen is not None
    assert not chosen.ours
    assert chosen.parameters == {"OpenSearchUrl": "http://mine:9200", "IndexPrefix": "palimpsest"}
    chosen = search_node.choose(layout, named | {"INDEX_PREFIX": "team-a"})
    assert chosen is not None
    assert chosen.parameters["IndexPrefix"] == "team-a"


def test_what_a_stack_has_written_into_its_env_file_leads_back_to_its_own_node(
    layout: Layout,
) -> None:
    chosen = search_node.choose(layout, {})
    assert chosen is not None
    written = chosen.members({"IndexFunctionName": "palimpsest-index"})
    assert written == {
        "ENGINE": "opensearch",
        "OPENSEARCH_URL": "http://127.0.0.1:5002",
        "INDEX_PREFIX": "palimpsest",
        "INDEX_FUNCTION": "palimpsest-index",
    }
    assert search_node.choose(layout, written) == chosen


def test_the_node_is_java_itself_with_port_folder_and_heap_of_the_stack(
    layout: Layout, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    java = tmp_path / "jdk" / "bin" / "java"
    java.parent.mkdir(parents=True)
    java.write_text('#!/bin/sh\nprintf "%s\\n" "$@"\n')
    java.chmod(0o700)
    made = Distribution(tmp_path / "made", Jdk(tmp_path / "jdk", "25.0.3"))
    monkeypatch.setattr(distribution, "prepare", lambda **_: made)
    monkeypatch.setenv("OPENSEARCH_HEAP", "1g")
    monkeypatch.setenv("OPENSEARCH_JAVA_OPTS", "-Da=1 -Db='2 3'")
    children, said = Children(tmp_path / "note"), list[str]()
    search_node.start(layout, children, say=said.append)
    process = children.running["OpenSearch"]
    assert process.wait(10) == 0
    assert said == ["starting OpenSearch on port 5002"]
    told = layout.log("opensearch").read_text().splitlines()
    assert told[-3:] == ["LocalNode", f"path.data={tmp_path}/opensearch", "http.port=5002"]
    assert {"-Xmx1g", "-Da=1", "-Db=2 3"} <= set(told)
    assert f"-XX:SharedArchiveFile={made.archive}" in told
    assert children.stop()


def test_the_index_is_asked_for_and_a_refusal_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    functions = Functions({"Payload": io.BytesIO(b"{}")})
    monkeypatch.setattr(boto3, "client", lambda *_, **__: functions)
    search_node.ensure_index("palimpsest-index")
    (call,) = functions.asked
    assert call["FunctionName"] == "palimpsest-index"
    assert json.loads(call["Payload"]) == {"do": "ensure"}
    said = io.BytesIO(b'{"errorMessage": "a mapping of another version"}')
    functions.answer = {"FunctionError": "Unhandled", "Payload": said}
    with pytest.raises(RuntimeError, match=r"not be made.*a mapping of another version"):
        search_node.ensure_index("palimpsest-index")


def test_a_node_s_data_lasts_as_long_as_the_endpoint_s_state(layout: Layout) -> None:
    layout.deployed_marker.touch()
    layout.state.mkdir()
    layout.opensearch.mkdir()
    Supervisor(layout, say=lambda _: None)._recover()
    assert layout.opensearch.exists()
    layout.state.rmdir()
    Supervisor(layout, say=lambda _: None)._recover()
    assert not layout.opensearch.exists()
