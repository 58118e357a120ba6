"""The queue of documents that are to be looked at, on SQS."""

import json
from collections.abc import Callable
from functools import cache
from typing import TYPE_CHECKING

import boto3
from botocore.config import Config
from botocore.exceptions import BotoCoreError, ClientError

from palimpsest.domain.errors import Unavailable
from palimpsest.domain.upload_keys import UploadPlace

if TYPE_CHECKING:
    from mypy_boto3_sqs import SQSClient

MOST_DELAY_S = 900
"""What SQS can delay a message by."""


def make_client() -> "SQSClient":
    """A client whose calls end well before a function's time-out."""
    config = Config(connect_timeout=1, read_timeout=4, retries={"total_max_attempts": 3})
    return boto3.client("sqs", config=config)


class SqsIngestQueue:
    """`IngestQueue` over one queue. `client` makes the client at the first message."""

    def __init__(self, queue_url: str, client: "Callable[[], SQSClient]") -> None:
        self._queue_url = queue_url
        self._client = cache(client)

    def send(self, place: UploadPlace, *, after: float = 0.0, again: bool = False) -> None:
        """See `IngestQueue.send`."""
        body = {"key": place.key, "again": again}
        try:
            self._client().send_message(
                QueueUrl=self._queue_url,
                MessageBody=json.dumps(body, ensure_ascii=False),
                DelaySeconds=min(MOST_DELAY_S, round(after)),
            )
        except (BotoCoreError, ClientError) as error:
            raise Unavailable("the queue of documents cannot be reached", stage="queue") from error
