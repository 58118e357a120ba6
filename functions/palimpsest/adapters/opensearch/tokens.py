"""Filter values as sortable tokens, so that one keyword field holds every field's values, typed.

A token is the field (16 hex digits of its hash), a letter for the kind of value, and the value in a
form whose order by UTF-8 bytes, which is how a keyword field sorts, is the order of the values.
Metadata of any number of keys therefore adds nothing to the mapping, and numbers compare exactly,
whatever their size.
"""

import math
import re
from collections.abc import Iterator
from datetime import datetime
from decimal import Decimal
from functools import lru_cache
from hashlib import blake2b

from palimpsest.domain.entries import Entry
from palimpsest.domain.filterable import filterable
from palimpsest.domain.instants import to_millis
from palimpsest.domain.records import Content

BOOLEAN, EXISTS, NUMBER, STRING, INSTANT = "b", "e", "n", "s", "t"

LONGEST_TOKEN = 32_766
"""Bytes; Lucene refuses a document with a longer term."""

_SURROGATE = re.compile("[\ud800-\udfff]")
_AFTER_SURROGATES = "\ue000"
_COMPLEMENT = str.maketrans("0123456789", "9876543210")
_EXPONENTS = 100_000  # added to an exponent, so that it is not negative and has six digits
_INSTANTS = 10**15  # added to milliseconds, likewise


@lru_cache(maxsize=4_096)
def field_token(field: str) -> str:
    """What stands for a field: 64 bits in hex."""
    return blake2b(field.encode(errors="surrogatepass"), digest_size=8).hexdigest()


def kind_of(value: object) -> str | None:
    """The letter of a value's kind; values of different kinds never compare. None: no value."""
    if isinstance(value, bool):
        return BOOLEAN
    if isinstance(value, datetime):
        return INSTANT
    if isinstance(value, str):
        return STRING
    if isinstance(value, int) or (isinstance(value, float) and not math.isnan(value)):
        return NUMBER
    return None


def sortable(value: object) -> str:
    """A value (of a known kind) in a form that sorts as the values do."""
    if isinstance(value, bool):
        return str(int(value))
    if isinstance(value, datetime):
        return f"{to_millis(value) + _INSTANTS:016}"
    if isinstance(value, int | float):
        return _number(Decimal(value))
    return str(value)


def token(field: str, value: object) -> str | None:
    """The token of a field's value; None for a value that nothing can equal."""
    kind = kind_of(value)
    if kind is None or (isinstance(value, str) and _SURROGATE.search(value)):
        return None
    return f"{field_token(field)}{kind}{sortable(value)}"


def exists_token(field: str) -> str:
    """The token of every record that has the field."""
    return field_token(field) + EXISTS


def string_bound(text: str) -> tuple[str, bool]:
    """What to compare strings with in place of `text`, and whether it is still `text` itself: no
    stored string has half of a surrogate pair, and the first one above such a text is known.
    """
    broken = _SURROGATE.search(text)
    if broken is None:
        return text, True
    return text[: broken.start()] + _AFTER_SURROGATES, False


def entry_tokens(entry: Entry, content: Content) -> Iterator[str]:
    """Everything of an entry that a filter may ask for. Raises `UnicodeEncodeError` for a string or
    a metadata key that is none.
    """
    for field, values in filterable(entry, content):
        found = [one for one in (token(field, value) for value in values) if one is not None]
        if found:
            yield exists_token(field)
            yield from found


def _number(value: Decimal) -> str:
    """Sign, exponent, digits. `-`, `0` and `1` sort in this order; of a negative number every digit
    is turned round, and `~`, above all digits, ends it.
    """
    if not value.is_finite():
        return "2" if value > 0 else ","
    sign, digits, _ = value.as_tuple()
    text = "".join(map(str, digits)).lstrip("0")
    if not text:
        return "0"
    exponent = value.adjusted() + _EXPONENTS
    body = f"{exponent:06}{text.rstrip('0')}"
    return f"-{body.translate(_COMPLEMENT)}~" if sign else f"1{body}"
