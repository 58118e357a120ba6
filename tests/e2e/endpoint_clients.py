"""Clients of a running stack's own endpoint, and what its deployment calls things."""

from typing import Any

import boto3

from stack import LocalStack


def client_of(stack: LocalStack, service: Any) -> Any:
    """A client of one service of the endpoint; it may be shared between threads."""
    values = stack.values
    return boto3.client(
        service,
        endpoint_url=values["AWS_ENDPOINT_URL"],
        region_name=values["AWS_REGION"],
        aws_access_key_id=values["AWS_ACCESS_KEY_ID"],
        aws_secret_access_key=values["AWS_SECRET_ACCESS_KEY"],
    )


def output_of(stack: LocalStack, name: str) -> str:
    """An output of the deployment."""
    described = client_of(stack, "cloudformation").describe_stacks(
        StackName=stack.values["STACK_NAME"]
    )
    outputs = described["Stacks"][0]["Outputs"]
    return next(str(o["OutputValue"]) for o in outputs if o["OutputKey"] == name)
