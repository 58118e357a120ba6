"""Arguments as models really send them, made into what they meant. No other route does this.

Taken: an object, or the JSON text of one (once more wrapped in a string, too); nothing for an
optional argument as null, "" or by leaving it out; a whole number as text or as `2.0`; a single
value in a list, and, but for free text, in the JSON text of a list. Broken characters are left out
of free text. Everything else is left for the check to refuse.
"""

import json
from collections.abc import Mapping
from typing import Any

from pydantic import ValidationError

from palimpsest.api.body import parse_text
from palimpsest.domain.clean import without_broken
from palimpsest.domain.errors import MalformedRequest
from palimpsest.domain.tool_results import ToolRefused
from palimpsest.domain.tool_text import in_quotes
from tools.arguments import Arguments
from tools.definitions import Tool

FREE_TEXT = frozenset({"query", "text"})
LONGEST_NUMBER = 10
SHOWN = 60
"""Characters of an unknown argument's name that are repeated."""


def checked(tool: Tool, given: Mapping[str, Any] | str | None) -> Arguments:
    """The arguments of a call. Raises `ToolRefused`, telling what is wrong with the first one."""
    schema = tool.schema
    found = _object(tool, given)
    meant = {name: _meant(name, value, schema) for name, value in found.items()}
    required = schema["required"]
    meant = {k: v for k, v in meant.items() if v is not None or k in required}
    try:
        return tool.arguments.model_validate(meant)
    except ValidationError as error:
        first = error.errors(include_url=False, include_context=False, include_input=False)[0]
        name, kind = str(first["loc"][0]) if first["loc"] else "", first["type"]
        raise ToolRefused(_sentence(tool, name, kind, first["msg"])) from error


def _object(tool: Tool, given: Any) -> Mapping[str, Any]:
    if isinstance(given, str) and given.strip():
        given = _parsed(tool, given)
        if isinstance(given, str) and given.strip().startswith("{"):
            given = _parsed(tool, given)
    if given is None or (isinstance(given, str) and not given.strip()):
        return {}
    if not isinstance(given, dict):
        raise ToolRefused(f"The arguments of {tool.name} must be one JSON object.")
    return given


def _parsed(tool: Tool, text: str) -> Any:
    try:
        return parse_text(text.encode("utf-8", "surrogatepass"))
    except MalformedRequest as error:
        raise ToolRefused(
            f"The arguments of {tool.name} are not valid JSON. Send one JSON object."
        ) from error


def _meant(name: str, value: Any, schema: Mapping[str, Any]) -> Any:
    free = name in FREE_TEXT
    if isinstance(value, str) and not free and value.strip().startswith("["):
        value = _list_in(value)
    if isinstance(value, list) and len(value) == 1:
        (value,) = value
    if isinstance(value, str):
        return _of_text(name, value, schema)
    return value


def _list_in(text: str) -> Any:
    """The one value of the list that a text spells, the text itself where it spells none."""
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        return text
    return found if isinstance(found, list) and len(found) == 1 else text


def _of_text(name: str, text: str, schema: Mapping[str, Any]) -> Any:
    kind = schema["properties"].get(name, {}).get("type")
    if name in FREE_TEXT:
        return without_broken(text)
    if not text.strip() and name not in schema["required"]:
        return None
    whole = text.strip().removesuffix(".0")
    if kind == "integer" and whole.isdecimal() and len(whole) <= LONGEST_NUMBER:
        return int(whole)
    return text


def _sentence(tool: Tool, name: str, kind: str, msg: str) -> str:
    known = " and ".join(tool.schema["properties"])
    if kind == "missing":
        told = tool.schema["properties"][name]["description"]
        return f"{tool.name} needs the argument {name}: {told}"
    if kind == "extra_forbidden":
        return f"{tool.name} has no argument {in_quotes(name[:SHOWN])}; it takes only {known}."
    return f"The argument {name} of {tool.name} cannot be used: {msg}."
