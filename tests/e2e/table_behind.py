"""A function of a running stack made to reach the table by another address for a while."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import boto3

from stack import LocalStack

ADDRESS = "AWS_ENDPOINT_URL_DYNAMODB"
"""Read by the SDK itself, before `AWS_ENDPOINT_URL`."""


@contextmanager
def table_behind(stack: LocalStack, url: str, *, output: str) -> Iterator[None]:
    """Behind its alias, the function of that output talks to the table at `url`."""
    functions = _client(stack, "lambda")
    name = _output(stack, output)
    before = functions.get_function_configuration(FunctionName=name)["Environment"]
    variables = before["Variables"] | {ADDRESS: url}
    functions.update_function_configuration(FunctionName=name, Environment={"Variables": variables})
    version = functions.publish_version(FunctionName=name)["Version"]
    (alias,) = functions.list_aliases(FunctionName=name)["Aliases"]
    served = {"FunctionName": name, "Name": alias["Name"]}
    functions.update_alias(**served, FunctionVersion=version)
    try:
        yield
    finally:
        functions.update_alias(**served, FunctionVersion=alias["FunctionVersion"])
        functions.update_function_configuration(
            FunctionName=name, Environment={"Variables": before["Variables"]}
        )


def _output(stack: LocalStack, name: str) -> str:
    described = _client(stack, "cloudformation").describe_stacks(
        StackName=stack.values["STACK_NAME"]
    )
    outputs = described["Stacks"][0]["Outputs"]
    return next(str(o["OutputValue"]) for o in outputs if o["OutputKey"] == name)


def _client(stack: LocalStack, service: Any) -> Any:
    values = stack.values
    return boto3.client(
        service,
        endpoint_url=values["AWS_ENDPOINT_URL"],
        region_name=values["AWS_REGION"],
        aws_access_key_id=values["AWS_ACCESS_KEY_ID"],
        aws_secret_access_key=values["AWS_SECRET_ACCESS_KEY"],
    )
