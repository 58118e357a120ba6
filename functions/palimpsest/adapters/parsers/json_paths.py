"""The values of a JSON document as texts that stand by themselves."""

from collections.abc import Callable, Iterator
from typing import Any, Final

BETWEEN: Final = "; "
_DEEPEST: Final = 200
_LONG: Final = 2000
"""Characters from which on an object is handed on in parts."""


class TooDeep(Exception):
    """Nested deeper than anybody reads."""


class JsonPaths:
    """Takes the events of a document and hands texts on, as `name: Ada; address town: London`.

    One text is an object that stands in a list, or a member of the outermost object. Values of a
    list are put together: `tags: red, green`.
    """

    def __init__(self, hand_on: Callable[[str], None]) -> None:
        self._hand_on = hand_on
        self._path: list[str | None] = []
        """One entry for each object (its present key) and each list (None) that is open."""
        self._held: list[tuple[str, str]] = []
        self._size = 0

    def take(self, event: str, value: Any) -> None:
        """The next event, by the names of `ijson`."""
        if event == "map_key":
            if len(self._path) == 1:
                self._flush()
            self._path[-1] = str(value)
        elif event in {"start_map", "start_array"}:
            if event == "start_map" and self._in_list:
                self._flush()
            self._path.append("" if event == "start_map" else None)
            if len(self._path) > _DEEPEST:
                raise TooDeep
        elif event in {"end_map", "end_array"}:
            self._path.pop()
            if not self._path or (event == "end_map" and self._in_list):
                self._flush()
        else:
            self._add(value)

    @property
    def _in_list(self) -> bool:
        return bool(self._path) and self._path[-1] is None

    def _add(self, value: Any) -> None:
        text = value if isinstance(value, str) else _word(value)
        self._held.append((" ".join(filter(None, self._path)), " ".join(text.split())))
        self._size += len(text)
        if self._size > _LONG or not self._path:
            self._flush()

    def _flush(self) -> None:
        if self._held:
            self._hand_on(BETWEEN.join(_joined(self._held)))
        self._held, self._size = [], 0


def _word(value: Any) -> str:
    if value is None:
        return "null"
    return str(value).lower() if isinstance(value, bool) else str(value)


def events_of(value: Any) -> Iterator[tuple[str, Any]]:
    """The events of a value that has been parsed already."""
    if isinstance(value, dict):
        yield "start_map", None
        for key, one in value.items():
            yield "map_key", key
            yield from events_of(one)
        yield "end_map", None
    elif isinstance(value, list):
        yield "start_array", None
        for one in value:
            yield from events_of(one)
        yield "end_array", None
    else:
        yield "value", value


def _joined(held: list[tuple[str, str]]) -> Iterator[str]:
    """Each path once, where it comes several times in a row."""
    before, values = "", list[str]()
    for path, value in [*held, ("\0", "")]:
        if values and path != before:
            text = ", ".join(filter(None, values))
            yield f"{before}: {text}" if before else text
            values = []
        before = path
        values.append(value)
