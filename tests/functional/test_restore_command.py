"""`make restored`, over moto and an index in a folder."""

from collections.abc import Mapping
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from cli import restore
from palimpsest.services.restore import MARGIN, Jump, Restored
from world import World

FUNCTION = "palimpsest-projector"


@pytest.fixture
def aws(monkeypatch: pytest.MonkeyPatch, tables: dict[str, str], tmp_path: Path) -> dict[str, str]:
    """A stack named `made` whose projector has these variables."""
    variables = {
        "TABLE_NAME": tables["RecordsTable"],
        "STAGE": "local",
        "EMBEDDER": "simulated",
        "EMBEDDING_DIMENSION": "64",
        "INDEX_FOLDER": str(tmp_path),
    }
    outputs = {
        "made": [
            {"OutputKey": "TableName", "OutputValue": tables["RecordsTable"]},
            {"OutputKey": "ProjectorFunctionName", "OutputValue": FUNCTION},
        ],
        "another": [{"OutputKey": "TableName", "OutputValue": "t"}],
        "bare": None,
    }

    def described(*, StackName: str) -> Mapping[str, Any]:  # noqa: N803  # boto3's own name
        found = outputs[StackName]
        return {"Stacks": [{} if found is None else {"Outputs": found}]}

    def configured(*, FunctionName: str) -> Mapping[str, Any]:  # noqa: N803  # boto3's own name
        assert FunctionName == FUNCTION
        return {"Environment": {"Variables": variables}}

    clients = {
        "cloudformation": SimpleNamespace(describe_stacks=described),
        "lambda": SimpleNamespace(get_function_configuration=configured),
    }
    monkeypatch.setattr(restore, "boto3", SimpleNamespace(client=clients.__getitem__))
    monkeypatch.setenv("STACK_NAME", "made")
    return variables


def test_clocks_jump_and_the_index_is_built_again(
    aws: dict[str, str], capsys: pytest.CaptureFixture[str]
) -> None:
    world = World(aws["TABLE_NAME"])
    world.put("a", "alpha")
    world.project()
    assert restore.main() == 0
    first, last = capsys.readouterr().out.splitlines()
    assert first == f"acme notes: 1 -> {1 + MARGIN}"
    assert last.startswith("the revisions of 1 namespace skip 1,000; the index is built again (sq")
    assert world.put("a", "beta") == 2 + MARGIN


@pytest.mark.parametrize(
    ("stack", "said"),
    [("", "no stack"), ("another", "no output Projector"), ("bare", "no output Projector")],
)
def test_without_a_stack_there_is_nothing_to_restore(
    aws: dict[str, str],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    stack: str,
    said: str,
) -> None:
    assert aws
    monkeypatch.setenv("STACK_NAME", stack)
    assert restore.main() == 1
    assert said in capsys.readouterr().err


def test_with_the_embedded_index_it_refuses_on_aws_by_name(
    aws: dict[str, str], capsys: pytest.CaptureFixture[str]
) -> None:
    aws["STAGE"] = "prod"
    assert restore.main() == 1
    assert "ENGINE is sqlite" in capsys.readouterr().err


def test_an_index_that_cannot_answer_is_said(
    aws: dict[str, str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "file").touch()
    aws["INDEX_FOLDER"] = str(tmp_path / "file")
    assert restore.main() == 1
    assert "it may be run again" in capsys.readouterr().err


def test_one_line_says_what_was_done() -> None:
    jumps = (Jump("acme", "notes", 3, 1003), Jump("acme", "more", 1, 1001))
    plain = Restored(ahead=False, jumps=(), renewed=False, generation="g", embedded=0)
    assert restore.told(plain) == ""
    kept = Restored(ahead=False, jumps=jumps, renewed=False, generation="g", embedded=0)
    assert restore.told(kept) == (
        "the revisions of 2 namespaces skip 1,000; the index has nothing that the table has lost"
    )
    ahead = Restored(ahead=True, jumps=jumps[:1], renewed=True, generation="g", embedded=2)
    assert restore.told(ahead) == (
        "the revisions of 1 namespace skip 1,000; the index was ahead of the table and is built "
        "again (g, 2 texts embedded)"
    )
