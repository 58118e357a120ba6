"""What a deployed stack tells of itself."""

from collections.abc import Callable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from mypy_boto3_cloudformation import CloudFormationClient


def stack_output(
    stack: str, name: str, stacks: Callable[[], "CloudFormationClient"], *, lacking: str = ""
) -> str:
    """One output of a stack. Raises `LookupError` if no stack is named, or if it has none of that
    name, which `lacking` may say in other words. `stacks` makes the client.
    """
    if not stack:
        raise LookupError("no stack: start one with `make up`, or name one with STACK_NAME=")
    described = stacks().describe_stacks(StackName=stack)["Stacks"][0]
    for output in described.get("Outputs", []):
        if output["OutputKey"] == name:
            return output["OutputValue"]
    raise LookupError(f"the stack {stack} has {lacking or f'no output {name}'}")
