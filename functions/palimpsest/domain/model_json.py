"""JSON in what a language model says, wherever it stands in it."""

import json
import re
from collections.abc import Iterator
from typing import Any, NoReturn

LONGEST = 50_000
"""Characters of an answer that are looked at."""

MOST_BEGINNINGS = 200
"""Places at which a value may begin that are tried."""

_THOUGHT = re.compile(r"<think(?:ing)?>.*?(?:</think(?:ing)?>|\Z)", re.DOTALL | re.IGNORECASE)
_THOUGHT_END = re.compile(r"\A.*</think(?:ing)?>", re.DOTALL | re.IGNORECASE)
_BEGINNING = re.compile(r"[\[{]")


def values_in(answer: str) -> Iterator[Any]:
    """The JSON objects and lists of an answer, outermost ones, in order: in fences, amid prose or
    alone. What a model thinks aloud (`<think>`) is not part of its answer; a value that is cut off
    is none, and nothing inside of it is one.
    """
    said = _THOUGHT_END.sub("", _THOUGHT.sub("", answer[:LONGEST]))
    decoder = json.JSONDecoder(parse_constant=_no_constant)
    place, tried = 0, 0
    while tried < MOST_BEGINNINGS:
        beginning = _BEGINNING.search(said, place)
        if beginning is None:
            return
        tried += 1
        try:
            value, place = decoder.raw_decode(said, beginning.start())
        except RecursionError:
            return
        except ValueError as error:
            if _cut_off(error, said):
                return
            place = beginning.end()
        else:
            yield value


def _cut_off(error: ValueError, said: str) -> bool:
    """Whether a value went on to the end of the answer without coming to its own."""
    if not isinstance(error, json.JSONDecodeError):
        return False
    unfinished = error.msg.startswith("Unterminated string")
    return unfinished or not said[error.pos :].strip().strip("`").strip()


def _no_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is no JSON")
