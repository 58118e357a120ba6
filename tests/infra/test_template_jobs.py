"""Long jobs in the template: their machine, what starts and watches it, and the bucket."""

import json
from typing import Any

import pytest

import sam_template
from jobs_machine import MACHINE

TEMPLATE = sam_template.load()
FUNCTIONS = sam_template.resources("AWS::Serverless::Function")
(DESCRIBED,) = sam_template.resources("AWS::Serverless::StateMachine").values()
(BUCKET,) = sam_template.resources("AWS::S3::Bucket").values()
NAMED = "arn:${AWS::Partition}:states:${AWS::Region}:${AWS::AccountId}"
ARN = {"Fn::Sub": f"{NAMED}:stateMachine:${{AWS::StackName}}-jobs"}
EXECUTIONS = f"{NAMED}:execution:${{AWS::StackName}}-jobs"


def test_the_machine_has_the_name_that_its_arn_is_built_from() -> None:
    assert DESCRIBED["Name"] == {"Fn::Sub": "${AWS::StackName}-jobs"}
    told = FUNCTIONS["ReconcileFunction"]["Environment"]["Variables"]["JOBS_MACHINE_ARN"]
    assert told == ARN


def test_the_machine_keeps_its_executions_and_logs_errors_without_their_data() -> None:
    assert DESCRIBED["Type"] == "STANDARD"
    assert DESCRIBED["Logging"]["Level"] == "ERROR"
    assert DESCRIBED["Logging"]["IncludeExecutionData"] is False
    assert DESCRIBED["Tracing"] == {"Enabled": False}
    (where,) = DESCRIBED["Logging"]["Destinations"]
    log = where["CloudWatchLogsLogGroup"]["LogGroupArn"]["Fn::GetAtt"][0]
    assert log in sam_template.resources("AWS::Logs::LogGroup")


def test_the_machine_calls_one_function_and_reaches_its_own_executions() -> None:
    role = sam_template.resources("AWS::IAM::Role")[DESCRIBED["Role"]["Fn::GetAtt"][0]]
    told = {policy["PolicyName"]: policy["PolicyDocument"] for policy in role["Policies"]}
    (steps,) = told["steps"]["Statement"]
    assert steps["Action"] == "lambda:InvokeFunction"
    assert steps["Resource"] == {"Ref": "JobsFunction.Alias"}
    starting, watching = told["pages"]["Statement"]
    assert (starting["Action"], starting["Resource"]) == ("states:StartExecution", ARN)
    assert watching["Action"] == ["states:DescribeExecution", "states:StopExecution"]
    label = MACHINE["States"]["Prepare"]["Label"]
    own = [{"Fn::Sub": f"{EXECUTIONS}:*"}, {"Fn::Sub": f"{EXECUTIONS}/{label}:*"}]
    assert watching["Resource"] == own
    (logs,) = told["logs"]["Statement"]  # the only actions anywhere that know no resource
    assert all(action.startswith("logs:") for action in logs["Action"])
    assert told.keys() == {"steps", "pages", "logs"}


def test_the_daily_round_starts_once_a_day() -> None:
    (daily,) = DESCRIBED["Events"].values()
    assert daily["Type"] == "Schedule"
    assert daily["Properties"]["Schedule"] == "rate(1 day)"
    assert json.loads(daily["Properties"]["Input"]) == {"kind": "daily"}


def test_what_the_machine_cannot_tell_by_itself_the_function_is_told() -> None:
    ended = FUNCTIONS["JobsFunction"]["Events"]["Ended"]
    pattern = ended["Properties"]["Pattern"]
    assert ended["Type"] == "EventBridgeRule"
    assert pattern["source"] == ["aws.states"]
    assert pattern["detail"]["stateMachineArn"] == [ARN]
    assert set(pattern["detail"]["status"]) == {"FAILED", "TIMED_OUT", "ABORTED"}
    told = ended["Properties"]["InputTransformer"]
    filled = told["InputTemplate"].replace("<status>", '"FAILED"').replace("<input>", '"{}"')
    assert json.loads(filled) == {"step": "ended", "status": "FAILED", "input": "{}"}
    assert told["InputPathsMap"] == {"status": "$.detail.status", "input": "$.detail.input"}


def test_jobs_whose_machine_was_never_started_are_looked_for_every_hour() -> None:
    resume = FUNCTIONS["JobsFunction"]["Events"]["Resume"]["Properties"]
    assert resume["Schedule"] == "rate(5 minutes)"
    assert json.loads(resume["Input"]) == {"step": "resume"}


def test_an_event_that_the_function_cannot_take_is_kept() -> None:
    kept = FUNCTIONS["JobsFunction"]["EventInvokeConfig"]["DestinationConfig"]["OnFailure"]
    assert kept == {"Type": "SQS", "Destination": {"Fn::GetAtt": ["JobFailures", "Arn"]}}


@pytest.mark.parametrize("metric", ["ExecutionsFailed", "ExecutionsTimedOut"])
def test_a_job_that_fails_raises_an_alarm(metric: str) -> None:
    alarms = sam_template.resources("AWS::CloudWatch::Alarm").values()
    (alarm,) = [a for a in alarms if a["MetricName"] == metric]
    assert alarm["Dimensions"] == [{"Name": "StateMachineArn", "Value": {"Ref": "JobsMachine"}}]


def test_a_step_has_a_functions_longest_time() -> None:
    assert FUNCTIONS["JobsFunction"]["Timeout"] == 900
    assert FUNCTIONS["JobsFunction"]["MemorySize"] == 1024


def test_the_bucket_is_kept_versioned_encrypted_and_closed() -> None:
    resource = TEMPLATE["Resources"]["UploadsBucket"]
    assert resource["DeletionPolicy"] == resource["UpdateReplacePolicy"] == "Retain"
    assert BUCKET["VersioningConfiguration"] == {"Status": "Enabled"}
    (rule,) = BUCKET["BucketEncryption"]["ServerSideEncryptionConfiguration"]
    assert rule["ServerSideEncryptionByDefault"]["SSEAlgorithm"] == "AES256"
    assert len(BUCKET["PublicAccessBlockConfiguration"]) == 4
    assert all(BUCKET["PublicAccessBlockConfiguration"].values())


def test_on_aws_the_bucket_is_reached_over_tls_only() -> None:
    (policy,) = sam_template.resources("AWS::S3::BucketPolicy").values()
    (statement,) = policy["PolicyDocument"]["Statement"]
    assert (statement["Effect"], statement["Action"]) == ("Deny", "s3:*")
    assert statement["Condition"] == {"Bool": {"aws:SecureTransport": "false"}}
    assert len(statement["Resource"]) == 2
    assert TEMPLATE["Resources"]["UploadsOverTls"]["Condition"] == "IsAws"


def rules() -> dict[str, dict[str, Any]]:
    return {
        rule.get("Prefix", ""): rule
        for rule in BUCKET["LifecycleConfiguration"]["Rules"]
        if rule["Status"] == "Enabled"
    }


@pytest.mark.parametrize("prefix", ["lists/", "work/"])
def test_lists_and_pages_go_after_a_day_with_all_their_versions(prefix: str) -> None:
    assert rules()[prefix]["ExpirationInDays"] == 1
    assert rules()[prefix]["NoncurrentVersionExpiration"] == {"NoncurrentDays": 1}


def test_uploads_stay_and_what_was_replaced_or_deleted_goes_after_a_week() -> None:
    uploads = rules()["uploads/"]
    assert "ExpirationInDays" not in uploads
    assert uploads["NoncurrentVersionExpiration"] == {"NoncurrentDays": 7}
    assert uploads["ExpiredObjectDeleteMarker"] is True
    assert rules()[""]["AbortIncompleteMultipartUpload"] == {"DaysAfterInitiation": 1}


def test_a_page_of_any_origin_may_put_what_it_has_an_address_for() -> None:
    (rule,) = BUCKET["CorsConfiguration"]["CorsRules"]
    assert (rule["AllowedMethods"], rule["AllowedOrigins"]) == (["PUT"], ["*"])
