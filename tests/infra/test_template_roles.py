"""Least privilege: what each function's role allows, to the action and the resource."""

import json
import re
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
INGEST = {"Fn::GetAtt": ["IngestQueue", "Arn"]}
INDICES = "${IndexPrefix}-*"
RECONCILING = ["ReconcileFunction", "JobsFunction"]


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
        elif action.startswith("s3:") and "*" in resource:  # prefixes of this stack's own bucket
            assert re.search(r"UploadsBucket.Arn}/(lists|work|uploads|text)/\*", resource)
        elif action == "states:DescribeExecution":  # executions of this stack's own machine
            assert ":execution:${AWS::StackName}-jobs:*" in resource
        else:
            assert "*" not in resource


def test_search_reads_the_table_and_wakes_the_projection_and_no_more() -> None:
    assert actions_on("SearchFunction", RECORDS) == READING | {"dynamodb:PutItem"}
    (putting,) = [s for s in statements("SearchFunction") if s["Action"] == "dynamodb:PutItem"]
    only = {"ForAllValues:StringEquals": {"dynamodb:LeadingKeys": ["#service"]}}
    assert putting["Condition"] == only  # the key that signs cursors
    assert actions_on("SearchFunction", WAKE) == {"sqs:SendMessage"}
    assert actions_on("SearchFunction", KEYS) == set()


def test_tools_may_what_search_records_and_documents_may_but_place_uploads() -> None:
    assert actions_on("ToolsFunction", RECORDS) == READING | WRITING | {"dynamodb:DeleteItem"}
    assert actions_on("ToolsFunction", WAKE) == {"sqs:SendMessage"}
    assert actions_on("ToolsFunction", KEYS) == set()
    assert paths("ToolsFunction", "es:ESHttpPost") == paths("SearchFunction", "es:ESHttpPost")


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
    # erasures, dropped generations, purges and passes, and what stands beside a document
    documents = {"DocumentsFunction", "IngestFunction", "ToolsFunction"}
    assert erasing == {"ProjectorFunction", "IndexFunction", *RECONCILING, *documents}


def test_search_asks_the_index_and_the_projector_writes_it_and_only_the_operator_makes_it() -> None:
    assert paths("SearchFunction", "es:ESHttpPost") == {"_msearch", "${IndexPrefix}-*/_search"}
    bulk = {"${IndexPrefix}-*/_bulk", "${IndexPrefix}-*/_refresh"}
    assert paths("ProjectorFunction", "es:ESHttpPost") == bulk
    assert {f for f in FUNCTIONS if paths(f, "es:ESHttpPut")} == {"IndexFunction"}
    deleting = {f for f in FUNCTIONS if paths(f, "es:ESHttpDelete")}
    assert deleting == {"IndexFunction", *RECONCILING}
    for function in RECONCILING:  # they read the index through, at a point in time
        walked = {f"{INDICES}/_search", f"{INDICES}/_search/point_in_time", "_search"}
        assert paths(function, "es:ESHttpPost") == bulk | walked
        assert paths(function, "es:ESHttpDelete") == {"_search/point_in_time"}


def test_reconcile_and_jobs_write_the_table_and_only_they_start_jobs() -> None:
    for function in RECONCILING:
        erasing = {"dynamodb:DeleteItem", "dynamodb:BatchWriteItem"}
        assert actions_on(function, RECORDS) == READING | WRITING | erasing
        assert actions_on(function, WAKE) == set()
    starting = {f for f in FUNCTIONS if "states:StartExecution" in dict(allowed(f))}
    assert starting == set(RECONCILING)


@pytest.mark.parametrize(
    ("function", "erased"),
    [
        ("ReconcileFunction", ["lists", "work"]),
        ("JobsFunction", ["lists", "work", "uploads", "text"]),
    ],
)
def test_objects_are_written_and_erased_below_known_prefixes(
    function: str, erased: list[str]
) -> None:
    below = {p: actions_on(function, {"Fn::Sub": f"${{UploadsBucket.Arn}}/{p}/*"}) for p in erased}
    removing = {"s3:DeleteObjectVersion", "s3:DeleteObject"}
    for prefix, actions in below.items():
        kept = {"s3:GetObject", "s3:PutObject"} if prefix in {"lists", "work"} else set()
        assert actions == removing | kept
    bucket = {"Fn::GetAtt": ["UploadsBucket", "Arn"]}
    assert actions_on(function, bucket) == {"s3:ListBucket", "s3:ListBucketVersions"}
    (listing,) = [s for s in statements(function) if "s3:ListBucket" in as_list(s["Action"])]
    assert listing["Condition"] == {"StringLike": {"s3:prefix": [f"{p}/*" for p in erased]}}


@pytest.mark.parametrize(
    ("function", "uploads", "text"),
    [
        (
            "DocumentsFunction",
            {"s3:PutObject", "s3:GetObject", "s3:DeleteObjectVersion", "s3:DeleteObject"},
            {"s3:GetObject"},
        ),
        (
            "ToolsFunction",
            {"s3:GetObject", "s3:DeleteObjectVersion", "s3:DeleteObject"},
            {"s3:GetObject"},
        ),
        (
            "IngestFunction",
            {"s3:GetObject", "s3:GetObjectVersion"},
            {"s3:GetObject", "s3:PutObject", "s3:DeleteObjectVersion", "s3:DeleteObject"},
        ),
    ],
)
def test_documents_takes_files_in_and_ingest_reads_them_and_keeps_their_text(
    function: str, uploads: set[str], text: set[str]
) -> None:
    assert actions_on(function, {"Fn::Sub": "${UploadsBucket.Arn}/uploads/*"}) == uploads
    assert actions_on(function, {"Fn::Sub": "${UploadsBucket.Arn}/text/*"}) == text
    bucket = {"Fn::GetAtt": ["UploadsBucket", "Arn"]}
    assert actions_on(function, bucket) == {"s3:ListBucket", "s3:ListBucketVersions"}
    sending = {f for f in FUNCTIONS if "sqs:SendMessage" in actions_on(f, INGEST)}
    reading = {f for f in FUNCTIONS if "sqs:ReceiveMessage" in actions_on(f, INGEST)}
    assert sending == {"RecordsFunction", "DocumentsFunction", "IngestFunction", "ToolsFunction"}
    assert reading == {"IngestFunction"}


def test_no_other_function_reaches_the_bucket() -> None:
    reaching = {"ReconcileFunction", "JobsFunction", "DocumentsFunction", "IngestFunction"}
    reaching |= {"ToolsFunction"}
    others = FUNCTIONS.keys() - reaching
    assert not any(action.startswith("s3:") for f in others for action, _ in allowed(f))


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
