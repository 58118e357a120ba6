"""Identity: the one place where a key's tenant, scope, namespaces and expiry are checked.

The tenant comes from the key alone. The authorizer's policy is cached for the whole stage, so what
a key may do is decided here, before anything else of the body is looked at.
"""

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from palimpsest.domain.errors import Forbidden, InvalidRequest, Unauthorized
from palimpsest.domain.keys import Grant, Scope
from palimpsest.domain.names import DEFAULT_NAMESPACE, checked_namespace


def grant_of(event: Mapping[str, Any], scope: Scope, *, now: datetime) -> Grant:
    """The caller's grant. Raises `Unauthorized` without one, `Forbidden` if it is over or lacks
    `scope`.
    """
    context = (event.get("requestContext") or {}).get("authorizer")
    if not context:
        raise Unauthorized("credentials are missing")
    try:
        grant = Grant.from_context(context)
    except (KeyError, ValueError) as error:
        raise Unauthorized("credentials are missing") from error
    if grant.expired(now) or not grant.allows(scope):
        raise Forbidden("this key does not allow that")
    return grant


def namespaces_of(path: Mapping[str, str], body: Mapping[str, Any] | None) -> list[str]:
    """The namespaces that a request names, each checked by its form; the default if none.

    Raises `InvalidRequest` for one that breaks the rule, with its place.
    """
    if "ns" in path:
        return [checked_namespace(path["ns"], "path", "ns")]
    if body is None:
        return []
    one, several = body.get("namespace"), body.get("namespaces")
    found = [] if one is None else [checked_namespace(one, "body", "namespace")]
    if isinstance(several, list):
        places = enumerate(several)
        return found + [checked_namespace(name, "body", "namespaces", i) for i, name in places]
    if several is not None:
        msg = "namespaces is a list"
        raise InvalidRequest.one("body", "namespaces", msg=msg, kind="list_type")
    return found or [DEFAULT_NAMESPACE]


def check_namespaces(grant: Grant, path: Mapping[str, str], body: Mapping[str, Any] | None) -> None:
    """Raises `Forbidden` if the key's patterns do not cover every namespace the request names."""
    if not all(map(grant.admits, namespaces_of(path, body))):
        raise Forbidden("this key does not allow that")
