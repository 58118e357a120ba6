"""The tables as the template describes them, made in whatever DynamoDB a test has before it."""

from typing import TYPE_CHECKING, Any

import sam_template

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient

_TAKEN = ("BillingMode", "AttributeDefinitions", "KeySchema")


def create_tables(client: "DynamoDBClient") -> dict[str, str]:
    """Both tables; their names by logical id (`RecordsTable`, `KeysTable`)."""
    return {name: create_table(client, name) for name in ("RecordsTable", "KeysTable")}


def create_table(client: "DynamoDBClient", logical_id: str) -> str:
    """One table, named by its logical id, with the template's keys, stream and time-to-live."""
    described = sam_template.resources("AWS::DynamoDB::Table")[logical_id]
    wanted: dict[str, Any] = {name: described[name] for name in _TAKEN}
    if "StreamSpecification" in described:
        wanted["StreamSpecification"] = {"StreamEnabled": True, **described["StreamSpecification"]}
    client.create_table(TableName=logical_id, **wanted)
    if "TimeToLiveSpecification" in described:
        client.update_time_to_live(
            TableName=logical_id, TimeToLiveSpecification=described["TimeToLiveSpecification"]
        )
    return logical_id
