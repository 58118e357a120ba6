from collections.abc import Iterator
from typing import TYPE_CHECKING

import boto3
import pytest
from moto import mock_aws

from palimpsest.adapters.wake_queue import NoWaker, SqsWaker, make_client

if TYPE_CHECKING:
    from mypy_boto3_sqs import SQSClient


@pytest.fixture
def sqs() -> "Iterator[SQSClient]":
    with mock_aws():
        yield boto3.client("sqs")


def queue(sqs: "SQSClient") -> str:
    return sqs.create_queue(QueueName="wake.fifo", Attributes={"FifoQueue": "true"})["QueueUrl"]


def received(sqs: "SQSClient", url: str) -> list[str]:
    answer = sqs.receive_message(QueueUrl=url, MaxNumberOfMessages=10)
    return [message["Body"] for message in answer.get("Messages", [])]


def test_the_same_namespace_at_the_same_revision_is_asked_for_once(sqs: "SQSClient") -> None:
    url = queue(sqs)
    waker, another = SqsWaker(url, make_client), SqsWaker(url, make_client)
    for one in (waker, waker, another):
        one.wake("t", "n", 3, generation="g")
    waker.wake("t", "n", 2, generation="g")
    assert received(sqs, url) == ['{"tenant": "t", "namespace": "n", "revision": 3}']


def test_a_later_revision_and_another_namespace_are_asked_for_too(sqs: "SQSClient") -> None:
    url = queue(sqs)
    waker = SqsWaker(url, make_client)
    waker.wake("t", "n", 3, generation="g")
    waker.wake("t", "m", 3, generation="g")
    assert len(received(sqs, url)) == 2


def test_a_rebuilt_index_is_asked_for_anew_at_the_same_revision(sqs: "SQSClient") -> None:
    url = queue(sqs)
    waker = SqsWaker(url, make_client)
    for generation in ("old", "new", "old", "new"):
        waker.wake("t", "n", 3, generation=generation)
    assert len(received(sqs, url)) == 2


def test_a_queue_that_is_not_there_costs_time_and_never_an_answer(sqs: "SQSClient") -> None:
    SqsWaker(f"{queue(sqs)}-gone", make_client).wake("t", "n", 1, generation="g")
    NoWaker().wake("t", "n", 1, generation="g")
