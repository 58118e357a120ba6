"""What the template must say, whatever else it comes to say."""

import json
import re
from typing import Any

import pytest

import sam_template

FUNCTIONS = sam_template.resources("AWS::Serverless::Function")
QUEUES = sam_template.resources("AWS::SQS::Queue")
TABLES = sam_template.resources("AWS::DynamoDB::Table")
TEMPLATE = sam_template.load()
GLOBALS = TEMPLATE["Globals"]["Function"]

GATEWAY_SECONDS = 29
INDEX = {
    *("TABLE_NAME", "ENGINE", "INDEX_FOLDER", "EMBEDDER"),
    *("OPENSEARCH_URL", "OPENSEARCH_SIGNING", "INDEX_PREFIX"),
}
MADE = {"OPENSEARCH_KNN", "INDEX_SHARDS", "INDEX_REPLICAS"}


def events(function: str, kind: str) -> list[dict[str, Any]]:
    told = FUNCTIONS[function].get("Events", {}).values()
    return [event["Properties"] for event in told if event["Type"] == kind]


def timeout(function: str) -> int:
    return int(FUNCTIONS[function].get("Timeout", GLOBALS["Timeout"]))


def test_every_log_group_forgets() -> None:
    groups = sam_template.resources("AWS::Logs::LogGroup").values()
    assert all("RetentionInDays" in group for group in groups)
    assert GLOBALS["LoggingConfig"]["LogFormat"] == "JSON"


@pytest.mark.parametrize("function", [f for f in FUNCTIONS if events(f, "Api")])
def test_functions_behind_the_api_end_before_the_gateway_does(function: str) -> None:
    assert timeout(function) < GATEWAY_SECONDS


def test_the_projector_has_time_and_the_authorizer_has_none_to_lose() -> None:
    assert timeout("ProjectorFunction") >= 120
    assert timeout("AuthorizerFunction") <= 5


def test_memory_is_between_512_and_1024_megabytes_at_every_stage() -> None:
    sizes = {stage["Memory"] for stage in TEMPLATE["Mappings"]["Stages"].values()}
    assert sizes <= set(range(512, 1025))


@pytest.mark.parametrize("function", FUNCTIONS)
def test_a_change_of_code_or_layer_publishes_a_version_behind_the_alias(function: str) -> None:
    assert GLOBALS["AutoPublishAlias"] == "live"
    assert FUNCTIONS[function]["AutoPublishAliasAllProperties"] is True
    own = {"IngestFunction": ["ParsersLayer"]}.get(function, [])
    layers = [layer["Ref"] for layer in FUNCTIONS[function]["Layers"]]
    assert layers == ["DependenciesLayer", *own]
    for layer in layers:
        described = sam_template.resources("AWS::Serverless::LayerVersion")[layer]
        assert described["PublishLambdaVersion"] is True
        assert described["RetentionPolicy"] == "Retain"


@pytest.mark.parametrize("function", FUNCTIONS)
def test_the_handler_is_a_file_of_the_shared_code(function: str) -> None:
    module, _, name = FUNCTIONS[function]["Handler"].rpartition(".")
    path = sam_template.PATH.parent / "functions" / f"{module.replace('.', '/')}.py"
    assert path.exists()
    assert name == "handler"
    assert GLOBALS["CodeUri"] == "functions/"


@pytest.mark.parametrize(
    ("function", "expected"),
    [
        ("AuthorizerFunction", {"KEYS_TABLE_NAME"}),
        ("RecordsFunction", {"TABLE_NAME", "WAKE_QUEUE_URL", "INGEST_QUEUE_URL"}),
        ("DocumentsFunction", {"TABLE_NAME", "UPLOADS_BUCKET", "INGEST_QUEUE_URL"}),
        ("IngestFunction", INDEX | MADE | {"UPLOADS_BUCKET", "INGEST_QUEUE_URL"}),
        ("ProjectorFunction", INDEX | MADE),
        ("IndexFunction", INDEX | MADE),
        ("JobsFunction", INDEX | MADE | {"UPLOADS_BUCKET", "JOBS_MACHINE_ARN"}),
        ("ReconcileFunction", INDEX | MADE | {"UPLOADS_BUCKET", "JOBS_MACHINE_ARN"}),
        (
            "SearchFunction",
            INDEX | {"WAKE_QUEUE_URL", "CANDIDATE_DEPTH", "LANGUAGE_MODEL", "RERANKER"},
        ),
        ("RewriteFunction", {"LANGUAGE_MODEL"}),
    ],
)
def test_a_function_is_told_what_it_needs_and_no_more(function: str, expected: set[str]) -> None:
    told = FUNCTIONS[function]["Environment"]["Variables"]
    known = ("EMBEDDING_", "NEXT_EMBEDD", "LANGUAGE_MODEL_", "RERANKER_", "POWERTOOLS_")
    rest = {name for name in told if not name.startswith(known)}
    assert rest == expected
    for beginning, kind in (
        ("EMBEDDING_", "EMBEDDER"),
        ("NEXT_EMBEDDING_", "EMBEDDER"),
        ("LANGUAGE_MODEL_", "LANGUAGE_MODEL"),
        ("RERANKER_", "RERANKER"),
    ):
        assert any(n.startswith(beginning) for n in told) == (kind in expected)


def test_the_environment_holds_arns_of_secrets_never_secrets() -> None:
    for function in FUNCTIONS.values():
        for name in function["Environment"]["Variables"]:
            if re.search("SECRET|TOKEN(?!IZER)|PASSWORD|API_KEY", name):
                assert name.endswith("_ARN")


@pytest.mark.parametrize("table", TABLES)
def test_a_table_is_kept_can_be_restored_and_is_encrypted(table: str) -> None:
    resource = TEMPLATE["Resources"][table]
    assert resource["DeletionPolicy"] == resource["UpdateReplacePolicy"] == "Retain"
    described = TABLES[table]
    assert described["BillingMode"] == "PAY_PER_REQUEST"
    assert described["PointInTimeRecoverySpecification"]["PointInTimeRecoveryEnabled"] is True
    assert described["SSESpecification"]["SSEEnabled"] is True
    assert "GlobalSecondaryIndexes" not in described
    assert TEMPLATE["Mappings"]["Stages"]["prod"]["Protect"] == "true"
    assert described["DeletionProtectionEnabled"]["Fn::FindInMap"][2] == "Protect"


def test_the_stream_carries_keys_only_and_the_ttl_is_named_ttl() -> None:
    records = TABLES["RecordsTable"]
    assert records["StreamSpecification"] == {"StreamViewType": "KEYS_ONLY"}
    assert records["TimeToLiveSpecification"] == {"AttributeName": "ttl", "Enabled": True}
    assert "StreamSpecification" not in TABLES["KeysTable"]


def test_the_stream_mapping_is_bounded_and_says_which_records_failed() -> None:
    (mapping,) = events("ProjectorFunction", "DynamoDB")
    assert mapping["StartingPosition"] == "TRIM_HORIZON"
    assert mapping["FunctionResponseTypes"] == ["ReportBatchItemFailures"]
    assert mapping["BisectBatchOnFunctionError"] is True
    assert 0 < mapping["MaximumRetryAttempts"] <= 10
    assert 60 <= mapping["MaximumRecordAgeInSeconds"] <= 24 * 3600
    assert mapping["DestinationConfig"]["OnFailure"]["Type"] == "SQS"
    assert mapping["Enabled"] == {"Fn::If": ["IsLocal", False, True]}


def test_the_wake_queue_waits_six_times_the_projector_and_gives_up_after_three_tries() -> None:
    queue = QUEUES["WakeQueue"]
    assert queue["FifoQueue"] is True
    assert queue["VisibilityTimeout"] >= 6 * timeout("ProjectorFunction")
    assert queue["RedrivePolicy"]["maxReceiveCount"] == 3
    dead = queue["RedrivePolicy"]["deadLetterTargetArn"]["Fn::GetAtt"][0]
    assert QUEUES[dead]["FifoQueue"] is True
    (source,) = events("ProjectorFunction", "SQS")
    assert source["FunctionResponseTypes"] == ["ReportBatchItemFailures"]


@pytest.mark.parametrize("queue", QUEUES)
def test_queues_are_encrypted_at_rest_and_on_the_way(queue: str) -> None:
    assert QUEUES[queue]["SqsManagedSseEnabled"] is True
    policies = sam_template.resources("AWS::SQS::QueuePolicy").values()
    (policy,) = [one for one in policies if {"Ref": queue} in one["Queues"]]
    told = [one.get("Fn::If", [None, one])[1] for one in policy["PolicyDocument"]["Statement"]]
    (statement,) = [one for one in told if one["Effect"] == "Deny"]
    assert statement["Condition"] == {"Bool": {"aws:SecureTransport": "false"}}


def test_only_the_rule_of_the_bucket_may_send_to_the_queue_of_documents() -> None:
    policy = sam_template.resources("AWS::SQS::QueuePolicy")["IngestQueueSenders"]
    (allowing,) = [s for s in policy["PolicyDocument"]["Statement"] if s.get("Effect") == "Allow"]
    assert allowing["Principal"] == {"Service": "events.amazonaws.com"}
    rule = {"Fn::GetAtt": ["UploadEvents", "Arn"]}
    assert allowing["Condition"] == {"ArnEquals": {"aws:SourceArn": rule}}
    pattern = sam_template.resources("AWS::Events::Rule")["UploadEvents"]["EventPattern"]
    assert pattern["detail"]["object"] == {"key": [{"prefix": "uploads/"}]}
    bucket = sam_template.resources("AWS::S3::Bucket")["UploadsBucket"]
    told = bucket["NotificationConfiguration"]["EventBridgeConfiguration"]
    assert told == {"EventBridgeEnabled": True}


def test_the_sweep_runs_every_minute_and_its_failures_are_kept() -> None:
    (schedule,) = events("ProjectorFunction", "Schedule")
    assert schedule["Schedule"] == "rate(1 minute)"
    assert json.loads(schedule["Input"]) == {"job": "sweep"}
    kept = FUNCTIONS["ProjectorFunction"]["EventInvokeConfig"]["DestinationConfig"]["OnFailure"]
    assert kept["Destination"]["Fn::GetAtt"][0] in QUEUES


@pytest.mark.parametrize("queue", [name for name in QUEUES if name.endswith("Failures")])
def test_work_that_was_given_up_is_kept_for_two_weeks_and_raises_an_alarm(queue: str) -> None:
    assert QUEUES[queue]["MessageRetentionPeriod"] == 1_209_600
    alarms = sam_template.resources("AWS::CloudWatch::Alarm").values()
    watched = [a["Dimensions"][0]["Value"] for a in alarms if a["Namespace"] == "AWS/SQS"]
    assert {"Fn::GetAtt": [queue, "QueueName"]} in watched


def test_production_shifts_traffic_by_canary_and_watches_for_errors() -> None:
    stages = TEMPLATE["Mappings"]["Stages"]
    assert {name for name, stage in stages.items() if stage["Canary"] == "true"} == {"prod"}
    for name in FUNCTIONS.keys() - {"AuthorizerFunction", "IndexFunction"}:
        preference = FUNCTIONS[name]["DeploymentPreference"]
        assert preference["Enabled"]["Fn::FindInMap"][2] == "Canary"
        assert preference["Type"].startswith("Canary")
        assert preference["Alarms"]


def test_the_default_stage_is_local_since_the_emulator_sees_no_other() -> None:
    assert TEMPLATE["Parameters"]["Stage"]["Default"] == "local"


def test_outputs_are_those_that_tools_read() -> None:
    assert {
        "ApiUrl",
        "ApiId",
        "TableName",
        "StreamArn",
        "KeysTableName",
        "WakeQueueUrl",
        "StreamFailuresUrl",
        "ProjectorFunctionName",
        "ReconcileFunctionName",
        "JobsFunctionName",
        "JobsMachineArn",
        "JobFailuresUrl",
        "UploadsBucketName",
    } <= TEMPLATE["Outputs"].keys()
