"""A call: the tool by its name, its arguments checked, its answer or what is told of a failure."""

import json
from collections.abc import Callable, Mapping
from dataclasses import asdict
from typing import Any

from palimpsest.domain import errors
from palimpsest.domain.idempotency import IdempotencyKey
from palimpsest.domain.keys import Grant
from palimpsest.domain.tool_results import ToolResult
from palimpsest.observability import count, logger
from palimpsest.services.answer_once import Answered
from palimpsest.services.tools.caller import ToolCaller
from palimpsest.services.tools.failures import is_ours, is_outage, sentence
from tools.app import services
from tools.arguments import NamedSource, ReadSource, Remember, SearchMemory
from tools.coercion import checked
from tools.definitions import TOOLS, Tool

Key = IdempotencyKey | None
_PROTOCOL = (errors.IdempotencyMismatch, errors.InProgress)
"""Faults of the host's, not of the model's: these are problems."""


def tool_named(name: str, grant: Grant) -> Tool:
    """The tool. Raises `NotFound`, and `Forbidden` where the key may not call it."""
    tool = TOOLS.get(name)
    if tool is None:
        raise errors.NotFound("no such tool")
    if not grant.allows(tool.scope):
        raise errors.Forbidden("this key does not allow that")
    return tool


def call(
    tool: Tool, given: Mapping[str, Any] | str | None, caller: ToolCaller, key: Key = None
) -> ToolResult:
    """What the tool answers. A failure is an answer too, but for those of an idempotency key; what
    is no fault of the model's is logged and counted.
    """
    try:
        return _CALLS[tool.name](caller, checked(tool, given), key)
    except _PROTOCOL:
        raise
    except Exception as error:  # noqa: BLE001  # the boundary: the model is told of every failure
        if is_outage(error) or is_ours(error):
            logger.error("tool failed", exc_info=error, extra={"tool": tool.name})
            count("ToolFailures", 1)
        return ToolResult(sentence(error), is_error=True)


def _search(caller: ToolCaller, told: SearchMemory, _: Key) -> ToolResult:
    return services().search.search(caller, told.query.strip())


def _read(caller: ToolCaller, told: ReadSource, _: Key) -> ToolResult:
    return services().read.read(caller, told.source, told.page or 1)


def _remember(caller: ToolCaller, told: Remember, key: Key) -> ToolResult:
    return services().remember.remember(caller, told.text, key=key)


def _forget(caller: ToolCaller, told: NamedSource, key: Key) -> ToolResult:
    return _once(caller, key, lambda: services().forget.forget(caller, told.source))


def _reindex(caller: ToolCaller, told: NamedSource, key: Key) -> ToolResult:
    return _once(caller, key, lambda: services().reindex.reindex(caller, told.source))


def _once(caller: ToolCaller, key: Key, work: Callable[[], ToolResult]) -> ToolResult:
    """What the work answers; under a key, what it answered first."""

    def answered() -> Answered:
        return Answered(report=json.dumps(asdict(work())))

    done = services().once.answer(caller.tenant, caller.namespace, key, answered)
    return ToolResult(**json.loads(done.report))


_CALLS: Mapping[str, Callable[[ToolCaller, Any, Key], ToolResult]] = {
    "search_memory": _search,
    "read_source": _read,
    "remember": _remember,
    "forget": _forget,
    "reindex_source": _reindex,
}
