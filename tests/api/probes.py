"""Values on both sides of every limit that a schema names."""

import json
from collections.abc import Callable, Iterator
from typing import Any

from openapi.generate import document

WRONG = (None, True, 7, "wrong", ["wrong"], {"wrong": 1})
"""One of each type: most schemas allow few of them."""

ODD = ("", " ", "x", ".", "..", "a b", "a/b", "é", "*", ' "1" ', '"0"', 'W/"1"', "1", "doc_x", "\n")
UNUSUAL = ("\0", "x\0", "\x1c", "\x85", "\ufeff")
"""NUL, and what Python and ECMAScript do not both take for white space."""


def probes(schema: dict[str, Any], seen: frozenset[str] = frozenset()) -> Iterator[Any]:
    """Values that fit a schema as tightly as can be, and values that fall short of it by one."""
    if "$ref" in schema:
        name = schema["$ref"].rsplit("/")[-1]
        if name not in seen:
            yield from probes(_named(name), seen | {name})
        return
    yield from WRONG
    for option in (*schema.get("anyOf", ()), *schema.get("allOf", ())):
        yield from probes(option, seen)
    yield from schema.get("enum", ())
    kind = KINDS.get(schema.get("type", ""))
    if kind is not None:
        yield from kind(schema, seen)


def sample(schema: dict[str, Any]) -> Any:
    """The simplest value that fits."""
    if "$ref" in schema:
        name = schema["$ref"].rsplit("/")[-1]
        return {"kind": "x"} if name == "Filter" else sample(_named(name))
    options = schema.get("anyOf") or schema.get("allOf")
    if options:
        return sample(options[0])
    if "enum" in schema or "const" in schema:
        return schema.get("const", schema.get("enum", [None])[0])
    simple: dict[str, Callable[[], Any]] = {
        "object": lambda: _smallest(schema),
        "array": lambda: [sample(schema["items"])] * schema.get("minItems", 0),
        "string": lambda: "2026-01-01T00:00:00Z" if "format" in schema else "x",
        "boolean": lambda: True,
        "null": lambda: None,
    }
    return simple.get(schema["type"], lambda: schema.get("minimum", 0))()


def _smallest(schema: dict[str, Any]) -> Any:
    first: dict[str, Any] = next(iter(schema.get("oneOf", ())), {})
    needed = [*schema.get("required", ()), *first.get("required", ())]
    found = {name: sample(schema["properties"][name]) for name in needed}
    return {**found, "record": {"text": "x"}} if found.get("op") == "put" else found


def _named(name: str) -> dict[str, Any]:
    found: dict[str, Any] = document()["components"]["schemas"][name]
    return found


def _strings(schema: dict[str, Any], _: frozenset[str]) -> Iterator[Any]:
    yield from (*ODD, *UNUSUAL) if "pattern" in schema else ()
    yield sample(schema)
    for limit in (schema.get("maxLength"), schema.get("minLength")):
        if limit is not None:
            yield from ("x" * size for size in (limit - 1, limit, limit + 1) if size >= 0)


def _numbers(schema: dict[str, Any], _: frozenset[str]) -> Iterator[Any]:
    for limit in (schema.get("minimum"), schema.get("maximum")):
        if limit is not None:
            yield from (limit - 1, limit, limit + 1)
    yield from (0.5, 1.0, -1, 0, 1, "1")


def _arrays(schema: dict[str, Any], seen: frozenset[str]) -> Iterator[Any]:
    items = schema["items"]
    one = sample(items)
    for limit in (schema.get("minItems"), schema.get("maxItems")):
        if limit is not None:
            sizes = [size for size in (limit - 1, limit, limit + 1) if size >= 0]
            yield from ([_distinct(one, n) for n in range(size)] for size in sizes)
    yield from ([probe] for probe in probes(items, seen))
    if schema.get("uniqueItems"):
        yield [one, one]


def _distinct(value: Any, number: int) -> Any:
    if isinstance(value, str) and len(value) == 1:
        return f"{value}{number}"
    if isinstance(value, dict) and "id" in value:
        return {**value, "id": f"x{number}"}
    return value


def _objects(schema: dict[str, Any], seen: frozenset[str]) -> Iterator[Any]:
    base = sample({**schema, "properties": schema.get("properties", {})})
    yield base
    yield {**base, "unheard_of": "x"}
    for name in base:
        yield {key: value for key, value in base.items() if key != name}
    properties = schema.get("properties", {})
    if "Filter" in seen:  # many fields of few kinds
        properties = {json.dumps(inner): (name, inner) for name, inner in properties.items()}
        properties = dict(properties.values())
    for name, inner in properties.items():
        yield from ({**base, name: probe} for probe in probes(inner, seen))
    for inner in schema.get("patternProperties", {}).values():
        yield {**base, "metadata.x\0": "x"}
        yield from ({**base, "metadata.x": probe} for probe in probes(inner, seen))
    values = schema.get("additionalProperties")
    if isinstance(values, dict):
        yield from ({**base, "k": probe} for probe in probes(values, seen))
    most = schema.get("maxProperties")
    if most is not None:
        yield from ({f"k{n}": "x" for n in range(size)} for size in (most, most + 1))
    if "pattern" in schema.get("propertyNames", {}):
        yield {"k\0": "x"}
    longest = schema.get("propertyNames", {}).get("maxLength")
    if longest is not None:
        yield from ({"k" * size: "x"} for size in (0, 1, longest, longest + 1))


KINDS: dict[str, Callable[[dict[str, Any], frozenset[str]], Iterator[Any]]] = {
    "string": _strings,
    "integer": _numbers,
    "number": _numbers,
    "array": _arrays,
    "object": _objects,
}
