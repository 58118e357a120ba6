"""The functions' logs as they come: `python -m local.logs`.

Reads CloudWatch Logs once a second with the caller's AWS settings, for every function of the stack
that `STACK_NAME` names.
"""

import json
import os
import signal
import sys
import time
from typing import Any

import boto3
from botocore.exceptions import BotoCoreError, ClientError

from local.layout import STACK

_PLATFORM = ("START ", "END ", "REPORT ", "INIT_START ")


def main() -> int:
    """Follow until Ctrl-C or SIGTERM."""
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: sys.exit(0))
    stack = os.environ.get("STACK_NAME") or STACK
    logs: Any = boto3.client("logs")
    since = int(time.time() * 1000)
    while True:
        try:
            since = follow(logs, stack, since)
        except (BotoCoreError, ClientError) as error:
            print(f"the logs cannot be read: {error}", file=sys.stderr)
        time.sleep(1)


def follow(logs: Any, stack: str, since: int) -> int:
    """Print what came after `since` (epoch milliseconds); the instant to go on from."""
    newest = since
    prefix = f"/aws/lambda/{stack}-"
    for group in logs.describe_log_groups(logGroupNamePrefix=prefix)["logGroups"]:
        name = group["logGroupName"]
        pages = logs.get_paginator("filter_log_events").paginate(
            logGroupName=name, startTime=since + 1
        )
        for event in (event for page in pages for event in page["events"]):
            newest = max(newest, event["timestamp"])
            if not event["message"].startswith(_PLATFORM):
                print(f"{name.removeprefix(prefix)}: {readable(event['message'])}", flush=True)
    return newest


def readable(message: str) -> str:
    """A log line in short: level and message first if it is a JSON object."""
    try:
        told = json.loads(message)
    except ValueError:
        return message.rstrip()
    if not isinstance(told, dict) or "message" not in told:
        return message.rstrip()
    hidden = {"level", "message", "timestamp", "location", "service", "cold_start"}
    rest = {name: value for name, value in told.items() if name not in hidden}
    return f"{told.get('level', '')} {told['message']} {json.dumps(rest, default=str)}"


if __name__ == "__main__":
    sys.exit(main())
