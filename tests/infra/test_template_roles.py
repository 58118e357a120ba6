"""Least privilege: what each function's role allows, to the action and the resource."""

import json
from collections.abc import Iterator
from typing import Any

import pytest

import sam_template

FUNCTIONS = sam_template.resources("AWS::Serverless::Function")
ROLES = sam_template.resources("AWS::IAM::Role")

READING = {"dynamodb:GetItem", "dynamodb:BatchGetItem", "dynamodb:Query"}
WRITING = {"dynamodb:PutItem", "dynamodb:UpdateItem", "dynamodb:ConditionCheckItem"}
RECORDS = {"Fn::GetAtt": ["RecordsTable", "Arn"]}
KEYS = {"Fn::GetAtt": ["KeysTable", "Arn"]}
WAKE = {"Fn::GetAtt": ["WakeQueue", "Arn"]}


def role_of(function: str) -> str:
    return str(FUNCTIONS[function]["Role"]["Fn::GetAtt"][0])


def statements(function: str) -> Iterator[dict[str, Any]]:
    """Every statement of a function's role, those under a condition too."""
    for policy in ROLES[role_of(function)]["Policies"]:
        inner = policy["Fn::If"][1] if "Fn::If" in policy else policy
        yield from inner["PolicyDocument"]["Statement"]


def allowed(function: str) -> list[tuple[str, str]]:
    """(action, resource) pairs, each resource as JSON."""
    return [
        (action, json.dumps(resource, sort_keys=True))
        for one in statements(function)
        for action in as_list(one["Action"])
        for resource in as_list(one["Resource"])
    ]


def actions_on(function: str, resource: dict[str, Any]) -> set[str]:
    told = json.dumps(resource, sort_keys=True)
    return {action for action, on in allowed(function) if on == told}


def as_list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value]


@pytest.mark.parametrize("function", FUNCTIONS)
def test_each_function_has_a_role_of_its_own(function: str) -> None:
    others = [role_of(other) for other in FUNCTIONS if other != function]
    assert role_of(function) not in others
    assert "Policies" not in FUNCTIONS[function]
    assert "ManagedPolicyArns" not in ROLES[role_of(function)]


@pytest.mark.parametrize("function", FUNCTIONS)
def test_no_role_names_everything(function: str) -> None:
    for action, resource in allowed(function):
        assert "*" not in action
        if action == "dynamodb:ListStreams":  # of one table: the streams' names change
            assert "RecordsTable.Arn" in resource
        elif action.startswith("es:"):  # paths of this stack's own domain
            assert ":domain/${AWS::StackName}/" in resource
        else:
            assert "*" not in resource


def test_search_reads_the_table_and_wakes_the_projection_and_no_more() -> None:
    assert actions_on("SearchFunction", RECORDS) == READING | {"dynamodb:PutItem"}
    (putting,) = [s for s in statements("SearchFunction") if s["Action"] == "dynamodb:PutItem"]
    only = {"ForAllValues:StringEquals": {"dynamodb:LeadingKeys": ["#service"]}}
    assert putting["Condition"] == only  # the key that signs cursors
    assert actions_on("SearchFunction", WAKE) == {"sqs:SendMessage"}
    assert actions_on("SearchFunction", KEYS) == set()


def test_rewrite_reaches_no_table_no_queue_and_no_index() -> None:
    reached = {action.partition(":")[0] for action, _ in allowed("RewriteFunction")}
    assert reached == {"logs", "bedrock", "secretsmanager"}


def test_records_writes_the_table_and_erases_nothing() -> None:
    assert actions_on("RecordsFunction", RECORDS) == READING | WRITING
    assert actions_on("RecordsFunction", WAKE) == {"sqs:SendMessage"}
    assert actions_on("RecordsFunction", KEYS) == set()


def test_only_the_projector_deletes_items_and_reads_stream_and_queue() -> None:
    erasing = {f for f in FUNCTIONS if "dynamodb:DeleteItem" in actions_on(f, RECORDS)}
    reading = {f for f in FUNCTIONS if "sqs:ReceiveMessage" in actions_on(f, WAKE)}
    stream = {"Fn::GetAtt": ["RecordsTable", "StreamArn"]}
    following = {f for f in FUNCTIONS if "dynamodb:GetRecords" in actions_on(f, stream)}
    assert reading == following == {"ProjectorFunction"}
    assert erasing == {"ProjectorFunction", "IndexFunction"}  # the latter: dropped generations


def test_search_asks_the_index_and_the_projector_writes_it_and_only_the_operator_makes_it() -> None:
    assert paths("SearchFunction", "es:ESHttpPost") == {"_msearch", "${IndexPrefix}-*/_search"}
    bulk = {"${IndexPrefix}-*/_bulk", "${IndexPrefix}-*/_refresh"}
    assert paths("ProjectorFunction", "es:ESHttpPost") == bulk
    for verb in ("es:ESHttpPut", "es:ESHttpDelete"):
        assert {f for f in FUNCTIONS if paths(f, verb)} == {"IndexFunction"}


def paths(function: str, action: str) -> set[str]:
    """The paths of the domain that a function may call with an action."""
    told = [resource for one, resource in allowed(function) if one == action]
    return {json.loads(resource)["Fn::Sub"].split("${AWS::StackName}/")[1] for resource in told}


def test_the_authorizer_gets_keys_and_nothing_else() -> None:
    told = {action for action, _ in allowed("AuthorizerFunction")}
    assert told == {"dynamodb:GetItem", "logs:CreateLogStream", "logs:PutLogEvents"}
    assert actions_on("AuthorizerFunction", KEYS) == {"dynamodb:GetItem"}


@pytest.mark.parametrize("function", FUNCTIONS)
def test_a_function_writes_to_its_own_log_group_only(function: str) -> None:
    group = FUNCTIONS[function]["LoggingConfig"]["LogGroup"]["Ref"]
    arn = {"Fn::GetAtt": [group, "Arn"]}
    assert actions_on(function, arn) == {"logs:CreateLogStream", "logs:PutLogEvents"}
