"""The authorizer in front of a keys table that is made from the template."""

import importlib
import subprocess
import sys
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from types import ModuleType
from typing import TYPE_CHECKING, Any

import boto3
import pytest
from botocore.stub import Stubber
from moto import mock_aws

from cli import keys as command
from palimpsest.adapters.dynamodb.keys import DynamoKeyStore
from palimpsest.domain.errors import Unavailable
from palimpsest.domain.keys import Grant, KeyStore, Scope, StoredKey, Token
from template_tables import create_table

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient

ARN = "arn:aws:execute-api:us-east-1:123456789012:abcdef1234/v1/POST/search"
NOW = datetime.now(UTC).replace(microsecond=0)


@pytest.fixture
def client(monkeypatch: pytest.MonkeyPatch) -> "Iterator[DynamoDBClient]":
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
        monkeypatch.setenv(name, "test")
    monkeypatch.setenv("AWS_DEFAULT_REGION", "us-east-1")
    monkeypatch.setenv("KEYS_TABLE_NAME", "KeysTable")
    with mock_aws():
        made = boto3.client("dynamodb")
        create_table(made, "KeysTable")
        yield made


@pytest.fixture
def store(client: "DynamoDBClient") -> KeyStore:
    return DynamoKeyStore(client, table="KeysTable")


@pytest.fixture
def authorizer(client: "DynamoDBClient") -> Iterator[ModuleType]:
    del client
    module = importlib.import_module("authorizer.handler")
    module.key_store.cache_clear()
    yield module
    module.key_store.cache_clear()


def event(authorization: str | None, *, header: str = "Authorization") -> dict[str, Any]:
    headers = {} if authorization is None else {header: authorization}
    return {"type": "REQUEST", "methodArn": ARN, "headers": headers}


def effect(answer: dict[str, Any]) -> str:
    return str(answer["policyDocument"]["Statement"][0]["Effect"])


def test_a_key_allows_the_whole_stage_and_hands_on_its_grant(
    authorizer: ModuleType, store: KeyStore
) -> None:
    token = command.make(store, tenant="acme", scopes="read,write", namespaces="team-*,x", days=1)
    answer = authorizer.handler(event(f"Bearer {token}"), None)
    statement = answer["policyDocument"]["Statement"][0]
    assert statement["Effect"] == "Allow"
    assert statement["Resource"] == "arn:aws:execute-api:us-east-1:123456789012:abcdef1234/v1/*"
    assert answer["principalId"] == token.key_id
    grant = Grant.from_context(answer["context"])
    assert grant.tenant == "acme"
    assert grant.scopes == frozenset({Scope.READ, Scope.WRITE})
    assert grant.namespaces == ("team-*", "x")
    assert grant.expires_at is not None
    assert all(isinstance(value, str) for value in answer["context"].values())


@pytest.mark.parametrize("scheme", ["Bearer ", "bearer ", "BEARER   "])
@pytest.mark.parametrize("header", ["Authorization", "authorization", "AUTHORIZATION"])
def test_scheme_and_header_name_are_read_without_regard_to_case(
    authorizer: ModuleType, store: KeyStore, scheme: str, header: str
) -> None:
    token = command.make(store, tenant="acme")
    assert effect(authorizer.handler(event(f"{scheme}{token}", header=header), None)) == "Allow"


@pytest.mark.parametrize(
    "authorization",
    [
        None,
        "",
        "Bearer",
        "Bearer ",
        "Basic dXNlcjpwYXNz",
        "pal_abc_0123456789abcdef",
        "Bearer something",
        "Bearer pal_abc_short",
        "Bearer pal_abc_0123456789abcdef pal_abc_0123456789abcdef",
    ],
)
def test_credentials_that_cannot_be_read_are_unauthorized(
    authorizer: ModuleType, authorization: str | None
) -> None:
    with pytest.raises(Exception, match=r"^Unauthorized$"):
        authorizer.handler(event(authorization), None)


def test_a_request_without_any_header_is_unauthorized(authorizer: ModuleType) -> None:
    with pytest.raises(Exception, match=r"^Unauthorized$"):
        authorizer.handler({"type": "REQUEST", "methodArn": ARN, "headers": None}, None)


def test_unknown_wrong_disabled_and_expired_keys_are_denied_alike(
    authorizer: ModuleType, store: KeyStore
) -> None:
    good, disabled = (command.make(store, tenant="acme") for _ in range(2))
    assert store.disable(disabled.key_id)
    expired = Token.generate()
    grant = Grant("acme", expired.key_id, frozenset({Scope.READ}), expires_at=NOW)
    store.put(StoredKey(grant, expired.secret_sha256, created_at=NOW - timedelta(days=1)))
    wrong = Token(good.key_id, "0" * 43)
    answers = []
    for token in (Token.generate(), wrong, disabled, expired):
        answer = authorizer.handler(event(f"Bearer {token}"), None)
        assert answer.pop("principalId") == token.key_id
        answers.append(answer)
    assert effect(answers[0]) == "Deny"
    assert "context" not in answers[0]
    assert all(answer == answers[0] for answer in answers)


def test_an_outage_of_the_table_is_not_a_denial(
    authorizer: ModuleType, client: "DynamoDBClient"
) -> None:
    client.delete_table(TableName="KeysTable")
    with pytest.raises(Unavailable):
        authorizer.handler(event(f"Bearer {Token.generate()}"), None)


def test_the_store_keeps_a_key_whole(store: KeyStore) -> None:
    grant = Grant("a:b", "k1", frozenset(Scope), ("x-*", "y"), NOW)
    key = StoredKey(grant, "0" * 64, created_at=NOW, disabled=True)
    store.put(key)
    assert store.get("k1") == key
    assert list(store.all()) == [key]


def test_no_secret_is_in_the_table(store: KeyStore, client: "DynamoDBClient") -> None:
    token = command.make(store, tenant="acme")
    assert token.secret not in str(client.scan(TableName="KeysTable")["Items"])


def test_disabling_an_unknown_key_makes_none(store: KeyStore) -> None:
    assert not store.disable("nobody")
    assert store.get("nobody") is None


def test_the_authorizer_imports_no_more_than_the_dynamodb_client_needs() -> None:
    program = "import sys; import authorizer.handler; print(*sys.modules)"
    told = subprocess.run(
        [sys.executable, "-c", program],
        env={"PYTHONPATH": "functions"},
        capture_output=True,
        text=True,
        check=True,
    )
    loaded = set(told.stdout.split())
    for name in ("aws_lambda_powertools", "pydantic", "httpx", "palimpsest.ports", "numpy"):
        assert name not in loaded


def test_the_command_makes_lists_and_disables(
    store: KeyStore, capsys: pytest.CaptureFixture[str]
) -> None:
    assert command.main(["make", "--tenant", "acme", "--scopes", "admin", "--expires", "7"]) == 0
    token = Token.parse(capsys.readouterr().out.splitlines()[-1])
    assert token is not None
    assert command.main(["disable", token.key_id]) == 0
    key = store.get(token.key_id)
    assert key is not None
    assert key.disabled
    assert command.main(["list"]) == 0
    listed = capsys.readouterr().out
    assert f"{token.key_id}  acme  admin  *  disabled" in listed
    assert token.secret not in listed


@pytest.mark.parametrize(
    "arguments",
    [
        ["make", "--tenant", "a b"],
        ["make", "--tenant", "acme", "--scopes", "owner"],
        ["make", "--tenant", "acme", "--namespaces", "a/b"],
        ["make", "--tenant", "acme", "--expires", "0"],
        ["disable", "nobody"],
    ],
)
def test_the_command_refuses_in_one_line(
    arguments: list[str], store: KeyStore, capsys: pytest.CaptureFixture[str]
) -> None:
    assert command.main(arguments) == 1
    shown = capsys.readouterr()
    assert shown.out == ""
    assert len(shown.err.splitlines()) == 1
    assert list(store.all()) == []


def test_the_command_needs_a_table_or_a_stack(
    store: KeyStore, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    del store
    monkeypatch.delenv("KEYS_TABLE_NAME")
    monkeypatch.delenv("STACK_NAME", raising=False)
    assert command.main(["make", "--tenant", "acme"]) == 1
    assert "make up" in capsys.readouterr().err


@pytest.mark.parametrize("there", [True, False])
def test_the_table_is_found_in_the_outputs_of_a_named_stack(
    monkeypatch: pytest.MonkeyPatch, *, there: bool
) -> None:
    monkeypatch.delenv("KEYS_TABLE_NAME", raising=False)
    monkeypatch.setenv("STACK_NAME", "cloud")
    stacks = boto3.client("cloudformation", region_name="us-east-1")
    output = {"OutputKey": "KeysTableName" if there else "ApiUrl", "OutputValue": "the-table"}
    stack = {
        "StackName": "cloud",
        "CreationTime": NOW,
        "StackStatus": "CREATE_COMPLETE",
        "Outputs": [output],
    }
    with Stubber(stacks) as stub:
        stub.add_response("describe_stacks", {"Stacks": [stack]}, {"StackName": "cloud"})
        if there:
            assert command.table_name(stacks) == "the-table"
        else:
            with pytest.raises(LookupError, match="KeysTableName"):
                command.table_name(stacks)
