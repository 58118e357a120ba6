"""The index function, the operator's: makes the index when the stack is deployed, and carries it
over to another model or mapping step by step. No route leads here.

Its event is CloudFormation's (a custom resource), or `{"do": step}` with a step of `STEPS`.
"""

import json
import time
from collections.abc import Callable, Mapping
from dataclasses import asdict
from functools import cache
from typing import Any
from urllib.request import Request, urlopen

from palimpsest.bootstrap import prime
from palimpsest.bootstrap.index import IndexServices, index_services
from palimpsest.domain.errors import PalimpsestError
from palimpsest.domain.generations import Generation
from palimpsest.observability import logger

BACKFILL_S = 600.0
"""Of one call; the function itself may take longer by the projection of one namespace."""

ANSWER_TIMEOUT_S = 10.0
PATIENCE_S, PAUSE_S = 240.0, 5.0


@cache
def services() -> IndexServices:
    """The services of this process."""
    return index_services()


def handler(event: dict[str, Any], _: Any) -> dict[str, Any]:
    """What the step did. Raises what made it fail, so that the caller sees it."""
    if "ResponseURL" in event:
        return _deployed(event)
    step = STEPS.get(str(event.get("do")))
    if step is None:
        raise ValueError(f"do is one of {', '.join(STEPS)}")
    done = step()
    logger.info("index", extra={"step": event["do"], "done": done})
    return done


def _ensure() -> dict[str, Any]:
    return {"reading": asdict(services().carry_over.ensure())}


def _status() -> dict[str, Any]:
    return {"generations": list(map(asdict, services().carry_over.generations.kept()))}


def _begin() -> dict[str, Any]:
    return {"begun": asdict(services().carry_over.begin())}


def _rebuild() -> dict[str, Any]:
    return {"begun": asdict(services().carry_over.rebuild())}


def _backfill() -> dict[str, Any]:
    it = services().carry_over
    return asdict(it.backfill(until=it.clock.monotonic() + BACKFILL_S))


def _prove() -> dict[str, Any]:
    proofs = [
        {"tenant": tenant, "equal": proof.equal, **asdict(proof)}
        for tenant, proof in services().carry_over.prove()
    ]
    return {"equal": all(proof["equal"] for proof in proofs), "namespaces": proofs}


def _switch() -> dict[str, Any]:
    return {"reading": asdict(services().carry_over.switch())}


def _roll_back() -> dict[str, Any]:
    return {"reading": asdict(services().carry_over.roll_back())}


def _drop() -> dict[str, Any]:
    dropped: list[Generation] = services().carry_over.drop()
    return {"dropped": list(map(asdict, dropped))}


def _tidy() -> dict[str, Any]:
    return {"removed": services().carry_over.tidy()}


STEPS: Mapping[str, Callable[[], dict[str, Any]]] = {
    "ensure": _ensure,
    "status": _status,
    "begin": _begin,
    "rebuild": _rebuild,
    "backfill": _backfill,
    "prove": _prove,
    "switch": _switch,
    "roll-back": _roll_back,
    "drop": _drop,
    "tidy": _tidy,
}


def _deployed(event: Mapping[str, Any]) -> dict[str, Any]:
    """CloudFormation's create, update or delete; the latter leaves the index as it is. It always
    gets an answer: without one the deployment would wait for an hour.
    """
    answer: dict[str, Any] = {
        "Status": "SUCCESS",
        "StackId": event["StackId"],
        "RequestId": event["RequestId"],
        "LogicalResourceId": event["LogicalResourceId"],
        "PhysicalResourceId": event.get("PhysicalResourceId") or "search-index",
    }
    if event["RequestType"] != "Delete":
        try:
            answer["Data"] = {"Index": _ensured_when_up().name}
        except Exception as error:  # noqa: BLE001  # CloudFormation is told, whatever it is
            logger.exception("the index could not be made")
            answer |= {"Status": "FAILED", "Reason": f"{type(error).__name__}: {error}"[:1000]}
    request = Request(  # noqa: S310  # CloudFormation's own address
        event["ResponseURL"],
        data=json.dumps(answer).encode(),
        method="PUT",
        headers={"Content-Type": ""},
    )
    with urlopen(request, timeout=ANSWER_TIMEOUT_S):  # noqa: S310
        return answer


def _ensured_when_up() -> Generation:
    """A domain that has just been made, or its access policy, may take minutes to answer."""
    until = time.monotonic() + PATIENCE_S
    while True:
        try:
            return services().carry_over.ensure()
        except PalimpsestError:
            if time.monotonic() >= until:
                raise
            time.sleep(PAUSE_S)


prime(services)
