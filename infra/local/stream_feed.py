"""The program that feeds the projector from the table's stream: `python -m local.stream_feed`.

A child of the stack's own: killed at any moment it is started again, and goes on from the position
that is kept in a file. What it had delivered and not noted yet it delivers once more.
"""

import os
import sys
import time

import boto3
from botocore.config import Config
from botocore.exceptions import BotoCoreError, ClientError

from local.deployment import stack_outputs
from local.layout import REGION, STACK, Layout
from local.stream_settings import StreamSettings
from local.stream_source import StreamSource

# longer than the projector's time limit; a repeated call would be a second one
_PATIENT = Config(read_timeout=150, retries={"total_max_attempts": 1})
_IDLE_SECONDS = (0.05, 0.25)  # between two looks at the stream: after a find, at rest


def main() -> int:
    """Never returns by itself; ends with the supervisor that started it."""
    parent = os.getppid()
    layout = Layout.from_environment()
    source, rest = stream_source(layout), _IDLE_SECONDS[0]
    while os.getppid() == parent:
        try:
            found = source.poll()
        except (BotoCoreError, ClientError) as error:
            print(f"the stream could not be read: {error}", flush=True)
            found, rest = 0, 1.0
        rest = _IDLE_SECONDS[0] if found else min(rest * 1.5, _IDLE_SECONDS[1])
        time.sleep(rest)
    return 0


def stream_source(layout: Layout) -> StreamSource:
    """The stand-in for the table's stream mapping."""
    stream = stack_outputs(STACK)["StreamArn"]
    functions = boto3.client("lambda", config=_PATIENT)
    queues = boto3.client("sqs")
    settings = StreamSettings.of_mapping(stream, functions=functions, queues=queues)
    return StreamSource(
        settings=settings,
        streams=boto3.client("dynamodbstreams", region_name=REGION),
        functions=functions,
        queues=queues,
        position_file=layout.local / "stream-position",
    )


if __name__ == "__main__":
    sys.exit(main())
