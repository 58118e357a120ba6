"""Names and limits of the contract: what a namespace and a record id may look like, and how long
things are.
"""

import re

from palimpsest.domain.errors import InvalidRequest

DEFAULT_NAMESPACE = "default"
RESERVED_ID_PREFIX = "doc_"

MAX_QUERY_BYTES = 10_000
MAX_TEXT_BYTES = 100_000
MAX_STRING_BYTES = 1_024
MAX_LIST_ITEMS = 100
MAX_LIST_ITEM_BYTES = 256
MAX_METADATA_KEYS = 50
MAX_METADATA_KEY_CHARACTERS = 128
MAX_METADATA_LIST_ITEMS = 50
MAX_RECORD_BYTES = 300 * 1024
MAX_OPERATIONS = 25
MAX_SUPERSEDED = 20
MAX_NAMESPACES = 10
MAX_TRANSACTION_BYTES = 4 * 1024 * 1024
MAX_BODY_BYTES = 1024 * 1024
MAX_LIST_BYTES = 4 * 1024 * 1024
"""Of a reconcile's body."""

MAX_ANSWER_BYTES = 3_500_000
"""Bytes of records after which a page closes: an answer stays under 4 MB, and a function's own
limit is 6 MB.
"""

NAMESPACE_PATTERN = r"(?!\.)[A-Za-z0-9._:@-]{1,128}"
RECORD_ID_PATTERN = r"(?!\.{1,2}$)[A-Za-z0-9._:@~=,-]{1,256}"
_NAMESPACE = re.compile(NAMESPACE_PATTERN)
_RECORD_ID = re.compile(RECORD_ID_PATTERN)


def checked_namespace(value: object, *loc: str | int) -> str:
    """The namespace as it is, or `InvalidRequest` at `loc`: nothing is ever cut or rewritten."""
    if not isinstance(value, str) or not _NAMESPACE.fullmatch(value):
        rule = "1 to 128 of A-Z a-z 0-9 . _ : @ -, not starting with a dot"
        raise InvalidRequest.one(*loc, msg=f"a namespace is {rule}", kind="namespace")
    return value


def record_id_fault(value: object, *, writing: bool) -> str | None:
    """Why `value` cannot be a record id (None: it can). Ids that begin with `doc_` are the
    service's own.
    """
    if not isinstance(value, str) or not _RECORD_ID.fullmatch(value):
        return "an id is 1 to 256 of A-Z a-z 0-9 . _ : @ ~ = , -, not . or .."
    if writing and value.startswith(RESERVED_ID_PREFIX):
        return f"ids that begin with {RESERVED_ID_PREFIX} are the service's own"
    return None


def checked_record_id(value: object, *loc: str | int, writing: bool = False) -> str:
    """The record id as it is, or `InvalidRequest` at `loc`."""
    fault = record_id_fault(value, writing=writing)
    if fault or not isinstance(value, str):
        raise InvalidRequest.one(*loc, msg=fault or "", kind="record_id")
    return value
