"""The OpenSearch client as the adapter's writes and its catalogue use it, over the simulated
engine. What it does not understand, and every error of its own, is loud: the adapter takes a
`KeyError` for an answer that cannot be read.
"""

import json
from collections.abc import Callable, Mapping
from functools import wraps
from typing import Any, ParamSpec, TypeVar

from opensearchpy import exceptions as vendor

from simulation import engine as statuses
from simulation.engine import Engine, EngineIndex
from simulation.expressions import NotUnderstood
from simulation.faults import Fault
from simulation.gate import Gate

P = ParamSpec("P")
T = TypeVar("T")

ITEM_FAULTS = {
    statuses.OVERLOADED: "rejected_execution_exception",
    statuses.UNAVAILABLE: "unavailable_shards_exception",
}
_TYPES = {
    statuses.CONFLICT: "version_conflict_engine_exception",
    statuses.BAD: "mapper_parsing_exception",
    statuses.MISSING: "index_not_found_exception",
    **ITEM_FAULTS,
}
WHOLE: Mapping[str, Any] = {"_shards": {"failed": 0}, "timed_out": False}


def loud(method: Callable[P, T]) -> Callable[P, T]:
    """Errors of the simulation itself pass through every `except` of the adapter."""

    @wraps(method)
    def called(*args: P.args, **kwargs: P.kwargs) -> T:
        try:
            return method(*args, **kwargs)
        except vendor.OpenSearchException:
            raise
        except Exception as error:
            raise NotUnderstood(f"{method.__name__}: {error!r}") from error

    return called


class SimulatedOpenSearch:
    """`OpenSearch` with the calls of `BulkWriter` and `Catalogue`."""

    def __init__(self, engine: Engine, gate: Gate) -> None:
        self._engine = engine
        self._gate = gate
        self._chance = gate.scheduler.chance
        self.indices = SimulatedIndices(engine, gate)

    @loud
    def bulk(self, *, body: bytes, index: str, params: Mapping[str, Any]) -> Mapping[str, Any]:
        if params["require_alias"] != "true":
            raise NotUnderstood("a bulk that may make an index")
        lines = body.split(b"\n")[:-1]
        fault = enter(self._gate, "index.bulk", index)

        def effect() -> list[dict[str, Any]]:
            items = []
            for action, source in zip(lines[::2], lines[1::2], strict=True):
                items.append({"index": self._item(index, action, source, fault)})
                if self._chance.random() < 0.05:
                    self._gate.scheduler.pause()
            return items

        items = self._gate.settle(fault, "bulk", effect)
        if items is None:
            raise lost(fault)
        return {"items": items}

    def _item(
        self, alias: str, action: bytes, source: bytes, fault: Fault | None
    ) -> dict[str, Any]:
        status = 0
        if fault is Fault.ITEMS and self._chance.random() < 0.5:
            status = self._chance.choice(list(ITEM_FAULTS))
        indices = [] if status else self._aliased(alias)
        if not status:
            status = self._written(indices[0], action, source) if indices else statuses.MISSING
        return {"status": status} | (
            {"error": {"type": _TYPES[status]}} if status in _TYPES else {}
        )

    def _written(self, index: EngineIndex, action: bytes, source: bytes) -> int:
        ((kind, inner),) = json.loads(action).items()
        if kind != "index":
            raise NotUnderstood(kind)
        return self._engine.write(index, inner, source)

    def _aliased(self, alias: str) -> list[EngineIndex]:
        return [one for one in self._engine.indices.values() if alias in one.aliases]

    def index(self, **asked: Any) -> Mapping[str, Any]:
        """The probe of a new index, which leaves nothing behind."""
        if asked["id"] != "probe":
            raise NotUnderstood(str(asked))
        return WHOLE

    def delete(self, **asked: Any) -> Mapping[str, Any]:
        """The probe's end."""
        if asked["id"] != "probe":
            raise NotUnderstood(str(asked))
        return WHOLE


class SimulatedIndices:
    """The client's calls about whole indices."""

    def __init__(self, engine: Engine, gate: Gate) -> None:
        self._engine = engine
        self._gate = gate

    @loud
    def get(self, *, index: str, params: Mapping[str, Any]) -> dict[str, Any]:
        del params
        enter(self._gate, "index.read", index)
        found = self._engine.named(index)
        if not found and not index.endswith("*"):
            raise missing()
        return {
            one.name: {
                "aliases": {alias: {} for alias in sorted(one.aliases)},
                "mappings": {"_meta": one.meta},
                "settings": {"index": {"uuid": one.uuid}},
            }
            for one in found
        }

    @loud
    def create(self, *, index: str, body: Mapping[str, Any], params: Mapping[str, Any]) -> Any:
        del params

        def effect() -> Mapping[str, Any]:
            if index in self._engine.indices:
                raise vendor.RequestError(400, "resource_already_exists_exception", {})
            self._engine.create(index, body)
            return WHOLE

        return self._changed(f"create {index}", effect)

    @loud
    def delete(self, *, index: str, params: Mapping[str, Any]) -> Any:
        def effect() -> Mapping[str, Any]:
            if self._engine.indices.pop(index, None) is None and not params["ignore_unavailable"]:
                raise missing()
            return WHOLE

        return self._changed(f"delete {index}", effect)

    @loud
    def update_aliases(self, *, body: Mapping[str, Any], params: Mapping[str, Any]) -> Any:
        del params

        def effect() -> Mapping[str, Any]:
            changes = [next(iter(action.items())) for action in body["actions"]]
            for kind, one in changes:
                index = self._engine.indices.get(one["index"])
                if index is None or (kind == "remove" and one["alias"] not in index.aliases):
                    raise missing()
            for kind, one in changes:
                aliases = self._engine.indices[one["index"]].aliases
                (aliases.add if kind == "add" else aliases.remove)(one["alias"])
            return WHOLE

        return self._changed(f"aliases {body['actions']}", effect)

    @loud
    def refresh(self, *, index: str) -> Mapping[str, Any]:
        fault = enter(self._gate, "index.refresh", index)

        def effect() -> Mapping[str, Any]:
            found = self._engine.named(index)
            if not found:
                raise missing()
            for one in found:
                one.refresh()
            return WHOLE

        done = self._gate.settle(fault, "refresh", effect)
        if done is None:
            raise lost(fault)
        return done

    def _changed(self, said: str, effect: Callable[[], Mapping[str, Any]]) -> Mapping[str, Any]:
        fault = enter(self._gate, "index.admin", said)
        done = self._gate.settle(fault, said, effect)
        if done is None:
            raise lost(fault)
        return done


def enter(gate: Gate, operation: str, said: str) -> Fault | None:
    """The fault that the caller brings about; those without an effect are raised here."""
    fault = gate.enter(operation, said)
    if fault is Fault.THROTTLED:
        raise vendor.TransportError(statuses.OVERLOADED, "es_rejected_execution_exception", {})
    if fault is Fault.OUTAGE:
        raise vendor.ConnectionError("N/A", "no connection", {})
    if fault is Fault.SERVER_ERROR:
        raise vendor.TransportError(statuses.UNAVAILABLE, "cluster_block_exception", {})
    if fault is Fault.TIMEOUT:
        raise vendor.ConnectionTimeout("TIMEOUT", "no answer", {})
    return fault


def lost(fault: Fault | None) -> vendor.TransportError:
    """What the caller hears of an answer that was lost."""
    if fault is Fault.LOST_ERROR:
        return vendor.TransportError(statuses.UNAVAILABLE, "simulated", {})
    return vendor.ConnectionTimeout("TIMEOUT", "no answer", {})


def missing() -> vendor.NotFoundError:
    """No such index."""
    return vendor.NotFoundError(statuses.MISSING, "index_not_found_exception", {})
