"""Wake-ups for the projection through an SQS FIFO queue, where equal ones within 5
minutes are one.
"""

import hashlib
import json
import logging
from collections.abc import Callable
from functools import cache
from typing import TYPE_CHECKING

import boto3
from botocore.config import Config
from botocore.exceptions import BotoCoreError, ClientError

if TYPE_CHECKING:
    from mypy_boto3_sqs import SQSClient

logger = logging.getLogger(__name__)


def make_client() -> "SQSClient":
    """A client that gives up soon: a wake-up is a hint."""
    return boto3.client(
        "sqs",
        config=Config(connect_timeout=0.5, read_timeout=1, retries={"total_max_attempts": 1}),
    )


class SqsWaker:
    """`Waker` over one FIFO queue. The same namespace at the same revision is asked for once for
    each index generation. `client` makes the client at the first wake-up: most calls need none.
    """

    def __init__(self, queue_url: str, client: "Callable[[], SQSClient]") -> None:
        self._queue_url = queue_url
        self._client = cache(client)
        self._asked: dict[tuple[str, str, str], int] = {}

    def wake(self, tenant: str, namespace: str, revision: int, *, generation: str) -> None:
        """See `Waker.wake`. A queue that cannot be reached is logged, and the schedule does the
        work.
        """
        asked = (tenant, namespace, generation)
        if self._asked.get(asked, 0) >= revision:
            return
        body = {"tenant": tenant, "namespace": namespace, "revision": revision}
        group = _digest(f"{tenant}#{namespace}")
        try:
            self._client().send_message(
                QueueUrl=self._queue_url,
                MessageBody=json.dumps(body),
                MessageGroupId=group,
                MessageDeduplicationId=_digest(f"{group}#{generation}#{revision}"),
            )
        except (BotoCoreError, ClientError):
            logger.warning("a wake-up could not be sent", exc_info=True)
            return
        self._asked[asked] = revision


class NoWaker:
    """`Waker` where there is no queue: the schedule alone wakes the projection."""

    def wake(self, tenant: str, namespace: str, revision: int, *, generation: str) -> None:
        """Nothing to do."""


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()
