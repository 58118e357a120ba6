"""DynamoDB's condition, update and projection expressions, as far as the adapters use them; what is
not understood raises.

A comparison with an attribute that is not there is false, but for `<>`, which is true; values of
different types are unequal and without order.

Source: Amazon DynamoDB developer guide, "Comparison operator and function reference" and "Using
update expressions in DynamoDB".
"""

import re
from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Any, NamedTuple

Item = dict[str, Any]
Value = Mapping[str, Any] | None


class Place(NamedTuple):
    """What an expression is evaluated on."""

    item: Mapping[str, Any]
    names: Mapping[str, str]
    values: Mapping[str, Any]


Truth = Callable[[Place], bool]
Operand = Callable[[Place], Value]

_TOKEN = re.compile(r"\s*(<=|>=|<>|[=<>(),+\-]|[#:]?[A-Za-z_][A-Za-z0-9_]*)")
_COMPARED: Mapping[str, Callable[[Any, Any], bool]] = {
    "<": lambda a, b: a < b,
    "<=": lambda a, b: a <= b,
    ">": lambda a, b: a > b,
    ">=": lambda a, b: a >= b,
}


class NotUnderstood(BaseException):
    """An expression, or a part of a request, that this simulation does not know. No `except
    Exception` of the code under test hides it.
    """


def holds(condition: str | None, place: Place) -> bool:
    """Whether a condition is true of an item (an empty one where there is none)."""
    return condition is None or _condition(condition)(place)


def updated(update: str, place: Place) -> Item:
    """The item after an update expression."""
    item = dict(place.item)
    for name, operand in _update(update):
        target = named(name, place.names)
        value = None if operand is None else operand(place)
        if value is not None:
            item[target] = value
        elif operand is None:
            item.pop(target, None)
        else:
            raise NotUnderstood(f"{update}: a value that is not there")
    return item


def projected(item: Item, projection: str | None, names: Mapping[str, str]) -> Item:
    """A copy with the attributes of a projection expression; all of them where there is none."""
    if projection is None:
        return dict(item)
    wanted = (named(name.strip(), names) for name in projection.split(","))
    return {name: item[name] for name in wanted if name in item}


def named(name: str, names: Mapping[str, str]) -> str:
    """The attribute that a name or a placeholder stands for."""
    return names[name] if name.startswith("#") else name


def _tokens(text: str) -> list[str]:
    tokens, place = [], 0
    while place < len(text.rstrip()):
        found = _TOKEN.match(text, place)
        if found is None:
            raise NotUnderstood(text)
        tokens.append(found.group(1))
        place = found.end()
    return tokens


class _Reader:
    """Reads an expression from left to right."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.left = _tokens(text)[::-1]

    def next_is(self, word: str) -> bool:
        return bool(self.left) and self.left[-1].upper() == word

    def take(self, word: str | None = None) -> str:
        if not self.left or (word is not None and not self.next_is(word)):
            raise NotUnderstood(self.text)
        return self.left.pop()

    def either(self) -> Truth:
        found = [self.every()]
        while self.next_is("OR"):
            self.take()
            found.append(self.every())
        return found[0] if len(found) == 1 else lambda place: any(one(place) for one in found)

    def every(self) -> Truth:
        found = [self.negated()]
        while self.next_is("AND"):
            self.take()
            found.append(self.negated())
        return found[0] if len(found) == 1 else lambda place: all(one(place) for one in found)

    def negated(self) -> Truth:
        if self.next_is("NOT"):
            self.take()
            inner = self.negated()
            return lambda place: not inner(place)
        if self.next_is("("):
            self.take()
            inner = self.either()
            self.take(")")
            return inner
        for function, wanted in (("ATTRIBUTE_EXISTS", True), ("ATTRIBUTE_NOT_EXISTS", False)):
            if self.next_is(function):
                self.take()
                self.take("(")
                name = self.take()
                self.take(")")
                return _there(name, wanted=wanted)
        return self.compared()

    def compared(self) -> Truth:
        first, sign = self.operand(), self.take()
        if sign.upper() == "BETWEEN":
            low = self.operand()
            self.take("AND")
            high = self.operand()
            lower, upper = _ordered(first, ">=", low), _ordered(first, "<=", high)
            return lambda place: lower(place) and upper(place)
        second = self.operand()
        if sign == "=":
            return lambda place: _same(first(place), second(place))
        if sign == "<>":
            return lambda place: not _same(first(place), second(place))
        if sign not in _COMPARED:
            raise NotUnderstood(self.text)
        return _ordered(first, sign, second)

    def operand(self) -> Operand:
        name = self.take()
        if name.lower() == "if_not_exists":
            self.take("(")
            there, other = self.operand(), None
            self.take(",")
            other = self.operand()
            self.take(")")
            return lambda place: there(place) or other(place)
        if not re.match(r"[#:]?\w", name):
            raise NotUnderstood(self.text)
        if name.startswith(":"):
            return lambda place: place.values[name]
        return lambda place: place.item.get(named(name, place.names))

    def value(self) -> Operand:
        first = self.operand()
        if not (self.next_is("+") or self.next_is("-")):
            return first
        sign, second = (1 if self.take() == "+" else -1), self.operand()
        return lambda place: {"N": str(_number(first(place)) + sign * _number(second(place)))}


@lru_cache(maxsize=1024)
def _condition(text: str) -> Truth:
    reader = _Reader(text)
    found = reader.either()
    if reader.left:
        raise NotUnderstood(text)
    return found


@lru_cache(maxsize=1024)
def _update(text: str) -> list[tuple[str, Operand | None]]:
    reader, found = _Reader(text), list[tuple[str, Operand | None]]()
    while reader.left:
        clause, more = reader.take().upper(), True
        if clause not in {"SET", "REMOVE"}:
            raise NotUnderstood(text)
        while more:
            name = reader.take()
            if clause == "SET":
                reader.take("=")
            found.append((name, reader.value() if clause == "SET" else None))
            more = reader.next_is(",")
            if more:
                reader.take()
    return found


def _there(name: str, *, wanted: bool) -> Truth:
    return lambda place: (named(name, place.names) in place.item) is wanted


def _ordered(first: Operand, sign: str, second: Operand) -> Truth:
    compare = _COMPARED[sign]

    def ordered(place: Place) -> bool:
        a, b = first(place), second(place)
        if a is None or b is None or a.keys() != b.keys():
            return False
        return compare(_bare(a), _bare(b))

    return ordered


def _same(a: Value, b: Value) -> bool:
    if a is None or b is None or a.keys() != b.keys():
        return False
    return bool(_bare(a) == _bare(b))


def _bare(value: Mapping[str, Any]) -> Any:
    ((kind, inner),) = value.items()
    return int(inner) if kind == "N" else inner


def _number(value: Value) -> int:
    if value is None or "N" not in value:
        raise NotUnderstood("a sum of what is no number")
    return int(value["N"])
