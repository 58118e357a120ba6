"""The life of the search index on OpenSearch, step by step: the operator's command.

    python -m cli.index status | ensure | begin | rebuild | backfill | prove | switch | roll-back
        | drop | tidy

It calls the stack's index function (`STACK_NAME`), which does the work beside the table and the
index. `docs/index-life.md` tells when to do what.
"""

import json
import os
import sys
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import boto3
from botocore.config import Config
from botocore.exceptions import BotoCoreError, ClientError

from cli.stack_output import stack_output

PATIENT = Config(read_timeout=910, retries={"total_max_attempts": 1})
"""Longer than the function's own time limit; a repeated call would be a second one."""

Answer = Mapping[str, Any]


class StepFailed(Exception):
    """The function refused the step or failed in it; the message says why."""


def main(arguments: Sequence[str] | None = None) -> int:
    """The exit code: 0 done, 1 refused or not possible."""
    asked = list(sys.argv[1:] if arguments is None else arguments)
    if len(asked) != 1 or asked[0] not in TOLD:
        print(f"one of: {' '.join(TOLD)}", file=sys.stderr)
        return 1
    try:
        function = index_function(os.environ.get("STACK_NAME", ""))
        done = call(function, asked[0])
        while asked[0] == "backfill" and done["done"] < done["namespaces"]:
            print(TOLD["backfill"](done), flush=True)
            done = call(function, "backfill")
    except (LookupError, StepFailed) as error:
        print(error, file=sys.stderr)
        return 1
    except (BotoCoreError, ClientError) as error:
        print(f"{error}: is the stack running? `make up` starts the local one", file=sys.stderr)
        return 1
    print(TOLD[asked[0]](done))
    return 0 if done.get("equal", True) else 1


def index_function(stack: str) -> str:
    """The index function of a stack. Raises `LookupError` if it has none, or none is named."""
    return stack_output(
        stack,
        "IndexFunctionName",
        lambda: boto3.client("cloudformation"),
        lacking="no index function: its engine is not OpenSearch",
    )


def call(function: str, step: str) -> Answer:
    """What the step did. Raises `StepFailed`."""
    answer = boto3.client("lambda", config=PATIENT).invoke(
        FunctionName=function, Qualifier="live", Payload=json.dumps({"do": step}).encode()
    )
    told: Answer = json.loads(answer["Payload"].read() or b"{}")
    if answer.get("FunctionError"):
        raise StepFailed(str(told.get("errorMessage", told)))
    return told


def _generation(one: Answer) -> str:
    read = "read" if one["read"] else "kept"
    return f"{one['name']}  {read}  {one['fingerprint']}, {one['dimension']} dimensions"


def _generations(done: Answer) -> str:
    return "\n".join(map(_generation, done["generations"])) or "there is no index yet"


def _proved(done: Answer) -> str:
    lines = [
        f"{one['tenant']} {one['namespace']}: {'equal' if one['equal'] else 'NOT EQUAL'} up to"
        f" revision {one['revision']}, {one['entries']} entries, {one['digests'][0][:12]}"
        + "".join(
            f"; {what} {', '.join(one[what][:5])}"
            for what in ("missing", "differing", "orphaned")
            if one[what]
        )
        for one in done["namespaces"]
    ]
    return "\n".join([*lines, "equal" if done["equal"] else "NOT EQUAL"])


TOLD: Mapping[str, Callable[[Answer], str]] = {
    "status": _generations,
    "ensure": lambda done: _generation(done["reading"]),
    "begin": lambda done: f"begun: {_generation(done['begun'])}",
    "rebuild": lambda done: f"begun: {_generation(done['begun'])}",
    "backfill": lambda done: f"{done['done']} of {done['namespaces']} namespaces",
    "prove": _proved,
    "switch": lambda done: f"from now on: {_generation(done['reading'])}",
    "roll-back": lambda done: f"from now on: {_generation(done['reading'])}",
    "tidy": lambda done: f"{done['removed']} old tombstone entries removed",
    "drop": lambda done: "\n".join(map(_generation, done["dropped"])) or "nothing to drop",
}


if __name__ == "__main__":
    sys.exit(main())
