"""Where in the uploads bucket a document's file lies: `uploads/{tenant}/{namespace}/{path}`, tenant
and namespace URL-encoded, the path as it is.
"""

import re
from typing import NamedTuple
from urllib.parse import quote, unquote

from palimpsest.domain.errors import InvalidRequest
from palimpsest.domain.keys import checked_tenant
from palimpsest.domain.names import checked_namespace

UPLOADS = "uploads"
MAX_PATH_BYTES = 512
_CONTROL = re.compile(r"[\x00-\x1f\x7f]")


class UploadPlace(NamedTuple):
    """Whose document a file is, and at which path."""

    tenant: str
    namespace: str
    path: str

    @property
    def key(self) -> str:
        """The object's key."""
        return f"{upload_prefix(self.tenant, self.namespace)}{self.path}"


def upload_prefix(tenant: str, namespace: str) -> str:
    """What the keys of a namespace's files begin with."""
    return f"{UPLOADS}/{quote(tenant, safe='')}/{quote(namespace, safe='')}/"


def upload_place(key: str) -> UploadPlace | None:
    """Whose document the object under a key is; None where it is nobody's: a folder, or a key that
    no tenant, namespace and path make.
    """
    first, *rest = key.split("/", 3)
    if first != UPLOADS or len(rest) != 3 or not all(rest) or key.endswith("/"):  # noqa: PLR2004  # the parts of a place
        return None
    tenant, namespace, path = unquote(rest[0]), unquote(rest[1]), rest[2]
    place = UploadPlace(tenant, namespace, path)
    if place.key != key or path_fault(path) is not None:
        return None
    try:
        checked_tenant(tenant)
        checked_namespace(namespace)
    except InvalidRequest:
        return None
    return place


def path_fault(path: object) -> str | None:
    """Why this cannot be the path of a document; None where it can. What an object's key may be
    otherwise, a path may be too.
    """
    if not isinstance(path, str) or not path:
        return "a path is a string that is not empty"
    try:
        size = len(path.encode())
    except UnicodeEncodeError:
        return "a path is Unicode text"
    if size > MAX_PATH_BYTES:
        return f"a path is at most {MAX_PATH_BYTES} bytes of UTF-8"
    if _CONTROL.search(path):
        return "a path has no control characters in it"
    if path.endswith("/") or any(part in {".", ".."} for part in path.split("/")):
        return "a path names a file below its namespace: no part . or .., no / at its end"
    return None
