"""A function of a running stack made to reach the table by another address for a while."""

from contextlib import AbstractContextManager

from e2e.changed_functions import changed
from stack import LocalStack

ADDRESS = "AWS_ENDPOINT_URL_DYNAMODB"
"""Read by the SDK itself, before `AWS_ENDPOINT_URL`."""


def table_behind(stack: LocalStack, url: str, *, output: str) -> AbstractContextManager[None]:
    """Behind its alias, the function of that output talks to the table at `url`."""
    return changed(stack, output, variables={ADDRESS: url})
