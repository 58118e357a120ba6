"""What the rules of a `FaultProxy` may do to a request."""

import json
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from index_faults.fault_proxy import Exchange, Fault
from index_faults.messages import Reply


def answers(status: int, body: object = None) -> Fault:
    """This instead of the node's answer."""
    told = {"error": {"type": "injected", "reason": "injected"}, "status": status}

    def fault(exchange: Exchange) -> Reply:
        exchange.asked()
        return Reply(status, json.dumps(told if body is None else body).encode())

    return fault


def page(status: int) -> Fault:
    """A page for people, as a gateway writes it."""

    def fault(exchange: Exchange) -> Reply:
        exchange.asked()
        return Reply(status, b"<html>sorry</html>", "text/html")

    return fault


def stalls(seconds: float) -> Fault:
    """The request reaches the node that much later."""

    def fault(exchange: Exchange) -> Reply:
        exchange.asked()
        exchange.wait(seconds)
        return exchange.forwarded()

    return fault


def hangs_up(exchange: Exchange) -> None:
    """The connection ends; the node has heard nothing."""
    exchange.asked()


def resets(exchange: Exchange) -> None:  # its body is left unread
    """The connection is reset amid the request."""


def loses_the_answer(exchange: Exchange) -> None:
    """The connection ends; the node has done what it was asked."""
    exchange.forwarded()


def truncates(exchange: Exchange) -> Reply:
    """The answer ends half way."""
    reply = exchange.forwarded()
    return replace(reply, sent=len(reply.body) // 2)


def garbles(exchange: Exchange) -> Reply:
    """The answer is whole by its length, and no JSON."""
    reply = exchange.forwarded()
    return replace(reply, body=reply.body[: len(reply.body) // 2])


def blurs(exchange: Exchange) -> Reply:
    """The answer is not even text."""
    return replace(exchange.forwarded(), body=b'{"\xff\xfe')


def shaped(value: object) -> Fault:
    """The request is done, and this is said of it."""

    def fault(exchange: Exchange) -> Reply:
        return replace(exchange.forwarded(), status=200, body=json.dumps(value).encode())

    return fault


def rewritten(change: Callable[[Any], Any]) -> Fault:
    """The node's answer, changed in place, or replaced where `change` returns something."""

    def fault(exchange: Exchange) -> Reply:
        reply = exchange.forwarded()
        answer = json.loads(reply.body)
        changed = change(answer)
        body = answer if changed is None else changed
        return replace(reply, body=json.dumps(body).encode())

    return fault
