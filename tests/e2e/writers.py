"""Clients that write under fire: puts, creations, commits, supersessions, deletes."""

import json
import random
import time
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from e2e.history import Step, Write
from e2e.scene import PATIENCE_S, Asked, Scene, text

KEYED = 0.3
ASKED_AGAIN = 0.15
UNGUARDED = 0.3


@dataclass(frozen=True, slots=True)
class Request:
    """One write as it is sent."""

    method: str
    path: str
    steps: tuple[Step, ...]
    body: Mapping[str, Any] | None = None
    headers: Mapping[str, str] = field(default_factory=dict)

    def send(self, scene: Scene) -> Asked:
        content = json.dumps(self.body).encode() if self.body is not None else None
        sent = {"Content-Type": "application/json", **self.headers}
        return scene.ask(self.method, self.path, content=content, headers=sent)


def write(scene: Scene, seed: int) -> None:
    """Write until the time is over."""
    chance = random.Random(f"writer {seed}")
    kinds = (put, create, commit, supersede)
    while not scene.over:
        (make,) = chance.choices(kinds, weights=(50, 10, 25, 15))
        send(scene, make(scene, chance), chance)


def delete(scene: Scene, seed: int) -> None:
    """Delete until the time is over."""
    chance = random.Random(f"deleter {seed}")
    while not scene.over:
        (record_id,) = scene.some(chance)
        expected = _guard(scene, chance, record_id) or None
        headers = _if_match(expected)
        step = Step(record_id, None, expected)
        send(scene, Request("DELETE", f"/records/{record_id}", (step,), headers=headers), chance)
        time.sleep(chance.uniform(0, 0.5))


def put(scene: Scene, chance: random.Random) -> Request:
    (record_id,) = scene.some(chance)
    expected = _guard(scene, chance, record_id)
    step = Step(record_id, text(), expected)
    return Request(
        "PUT", f"/records/{record_id}", (step,), {"text": step.text}, _if_match(expected)
    )


def create(scene: Scene, chance: random.Random) -> Request:  # noqa: ARG001  # as the others
    step = Step("", text(), 0)
    return Request("POST", "/records", (step,), {"text": step.text})


def commit(scene: Scene, chance: random.Random) -> Request:
    """Two to five records at once, at most one of them forgotten."""
    ids = scene.some(chance, chance.randint(2, 5))
    forgotten = ids[0] if chance.random() < 0.2 else None
    steps = tuple(
        Step(i, None if i == forgotten else text(), _guard(scene, chance, i)) for i in ids
    )
    steps = tuple(s if s.text or s.expected else replace(s, expected=None) for s in steps)
    return Request("POST", "/commits", steps, {"operations": list(map(_operation, steps))})


def supersede(scene: Scene, chance: random.Random) -> Request:
    """A put that marks another record superseded."""
    record_id, old = scene.some(chance, 2)
    step = Step(record_id, text(), _guard(scene, chance, record_id))
    body = {"text": step.text, "supersedes": [old]}
    marked = Step(old, superseded=True)
    return Request("PUT", f"/records/{record_id}", (step, marked), body, _if_match(step.expected))


def send(scene: Scene, request: Request, chance: random.Random) -> None:
    """Send a write, some under an idempotency key: those are repeated until they are answered."""
    if chance.random() >= KEYED:
        answer = request.send(scene)
        scene.wrote(outcome(scene, request, answer, began=answer.began, certain=True))
        return
    key = {"Idempotency-Key": f"key {time.time_ns()} {chance.random()}"}
    request = replace(request, headers={**request.headers, **key})
    began, certain = time.monotonic(), True
    given_up = began + PATIENCE_S
    while True:
        answer = request.send(scene)
        certain = certain and not answer.unknown
        done = outcome(scene, request, answer, began=began, certain=certain)
        settled = done.made is not None or done.found
        if settled or time.monotonic() > given_up:
            break
        scene.counted["repeated"] += 1
        time.sleep(chance.uniform(0, 0.2))
    scene.wrote(done)
    if done.made is not None and chance.random() < ASKED_AGAIN:
        _ask_again(scene, request, done)


def _ask_again(scene: Scene, request: Request, done: Write) -> None:
    """An applied request under its key is answered as before."""
    answer = request.send(scene)
    again = outcome(scene, request, answer, began=answer.began, certain=False)
    if (
        not answer.unknown
        and answer.status != 429
        and (again.made, again.ids)
        != (
            done.made,
            done.ids,
        )
    ):
        scene.odd(f"repeated {request} first made {done.made}", answer)


def outcome(scene: Scene, request: Request, answer: Asked, *, began: float, certain: bool) -> Write:
    """What an answer says of a write. `certain`: nothing was sent before of unknown outcome, so
    that a busy answer means that nothing was written.
    """
    done = Write(request.steps, began, answer.ended)
    if answer.status in {200, 201}:
        return _made(scene, request, answer, done)
    if answer.status == 429:  # busy
        return replace(done, found={}) if certain else done
    found = None if answer.unknown else _refused(request, answer)
    if found is None and not answer.unknown:
        scene.odd(f"{request}", answer)
    return replace(done, found=found)


def _made(scene: Scene, request: Request, answer: Asked, done: Write) -> Write:
    revision, body = int(answer.body["revision"]), answer.body
    results = body.get("results", [body])
    told = all(r.get("changed", True) and r["revision"] == revision for r in results)
    record = body.get("record")
    if not told or (record is not None and record["text"] != request.steps[0].text):
        scene.odd(f"{request}", answer)
    if request.path == "/records":
        step = replace(request.steps[0], record_id=answer.location)
        return replace(done, made=revision, steps=(step,))
    return replace(done, made=revision)


def _refused(request: Request, answer: Asked) -> dict[str, int] | None:
    """The revisions that refused a write; None if that is no answer to it."""
    body, last = answer.body, request.steps[-1]
    if answer.status == 412:  # one record's guard
        return {request.steps[0].record_id: body["current_revision"] or 0}
    if answer.status == 409 and "operations" in body:  # a commit's guards
        return {o["id"]: o["revision"] for o in body["operations"]} or None
    unguarded = [
        s for s in request.steps if s.text is None and s.expected is None and not s.superseded
    ]
    if answer.status == 404 and len(unguarded) == 1:  # a delete of nothing
        return {unguarded[0].record_id: 0}
    unknown = "unknown_id" in str(body.get("errors"))
    if answer.status == 422 and last.superseded and unknown:
        return {last.record_id: 0}
    return None


def _guard(scene: Scene, chance: random.Random, record_id: str) -> int | None:
    """A guard as a client would choose it: mostly what was last known, sometimes older, or none."""
    if chance.random() < UNGUARDED:
        return None
    known = scene.known[record_id]
    return chance.randint(0, known) if chance.random() < 0.05 else known


def _if_match(expected: int | None) -> dict[str, str]:
    if expected is None:
        return {}
    return {"If-Match": f'"{expected}"'} if expected else {"If-None-Match": "*"}


def _operation(step: Step) -> dict[str, Any]:
    put_ = {"op": "put", "record": {"text": step.text}}
    operation = put_ if step.text is not None else {"op": "delete"}
    guarded = {} if step.expected is None else {"expected_revision": step.expected}
    return {**operation, "id": step.record_id, **guarded}
