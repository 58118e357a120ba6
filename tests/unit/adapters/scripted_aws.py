"""A real botocore client whose requests are answered in this process, one after another."""

import io
from collections.abc import Callable
from typing import Any

import boto3
import pytest
from botocore.awsrequest import AWSPreparedRequest, AWSResponse
from botocore.compat import HTTPHeaders

Reply = tuple[int, dict[str, str], Any]
"""Status, headers, and a body as bytes or as something to `read`."""


class Scripted:
    """Gives each request of a client the next reply, or raises it; the last one again for ever.
    `requests` are those that were sent. botocore waits for nothing between its tries.
    """

    def __init__(self, make_client: Callable[[], Any], *replies: Reply | Exception) -> None:
        self.requests: list[AWSPreparedRequest] = []
        self._replies = list(replies)
        self.client = make_client()
        service = self.client.meta.service_model.service_id.hyphenize()
        self.client.meta.events.register(f"before-send.{service}", self._send)

    def _send(self, request: AWSPreparedRequest, **_: object) -> AWSResponse:
        self.requests.append(request)
        reply = self._replies.pop(0) if len(self._replies) > 1 else self._replies[0]
        if isinstance(reply, Exception):
            raise reply
        status, headers, body = reply
        raw = Body(body) if isinstance(body, bytes) else body
        return AWSResponse(request.url, status, HTTPHeaders.from_pairs(headers.items()), raw)


class Body(io.BytesIO):
    """What botocore reads an answer from."""

    def stream(self, **_: object) -> list[bytes]:
        return [self.read()]


@pytest.fixture
def at_once(aws_session: boto3.Session, monkeypatch: pytest.MonkeyPatch) -> None:
    """No pauses between botocore's tries, and one session."""
    monkeypatch.setattr(boto3, "DEFAULT_SESSION", aws_session)
    monkeypatch.setattr("botocore.endpoint.time.sleep", lambda _seconds: None)
