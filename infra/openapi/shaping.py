"""What is mended in a document that was made by a program: noise, lossy numbers, what a parameter
is on the wire, unused parts.
"""

import json
import re
from typing import Any

Json = dict[str, Any]
_DIGITS = re.compile(r"\^\[0-9\]\{1,(\d+)\}\$")
_NUMBERS = {"^([1-9][0-9]?|100)$": (1, 100)}
_REFERENCE = re.compile(r'"#/components/([^/"]+)/([^"]+)"')


def shaped(value: Any) -> Any:
    """Without the titles that pydantic makes from names, whole numbers as such, and descriptions in
    one line.
    """
    if isinstance(value, dict):
        return {
            key: " ".join(inner.split())
            if key == "description" and isinstance(inner, str)
            else shaped(inner)
            for key, inner in value.items()
            if not (key == "title" and isinstance(inner, str))
        }
    if isinstance(value, list):
        return [shaped(inner) for inner in value]
    if isinstance(value, float) and value.is_integer():
        return int(value)
    return value


def parameter(schema: Json) -> Json:
    """A parameter's schema: it is given or not, never null; digits alone are an integer."""
    options = [option for option in schema.get("anyOf", []) if option != {"type": "null"}]
    rest = {key: inner for key, inner in schema.items() if key != "anyOf"}
    told = {**options[0], **rest} if len(options) == 1 else rest
    bounds = _whole_number(told.get("pattern", ""))
    if bounds is None:
        return told
    number: Json = {"type": "integer", "minimum": bounds[0], "maximum": bounds[1]}
    return number | ({"default": int(told["default"])} if "default" in told else {})


def _whole_number(pattern: str) -> tuple[int, int] | None:
    """The least and the greatest number, if a pattern is one of whole numbers."""
    digits = _DIGITS.fullmatch(pattern)
    if digits:
        return 0, 10 ** int(digits[1]) - 1
    return _NUMBERS.get(pattern)


def without_unused(document: Json) -> Json:
    """Only components that the paths reach."""
    components: Json = document["components"]
    used: set[tuple[str, str]] = set()
    fresh = _references(document["paths"])
    while fresh:
        used |= fresh
        reached = [components[kind][name] for kind, name in fresh]
        fresh = _references(reached) - used
    kept = {
        kind: {
            name: part
            for name, part in parts.items()
            if kind == "securitySchemes" or (kind, name) in used
        }
        for kind, parts in components.items()
    }
    return document | {"components": kept}


def camel_case(name: str) -> str:
    """`put_record` as `putRecord`."""
    first, *rest = name.split("_")
    return first + "".join(word.capitalize() for word in rest)


def _references(part: Any) -> set[tuple[str, str]]:
    return set(_REFERENCE.findall(json.dumps(part)))
