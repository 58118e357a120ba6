"""Idempotency: whether a write was applied before under the same key."""

from datetime import datetime

from palimpsest.domain.errors import IdempotencyMismatch
from palimpsest.domain.idempotency import Applied, IdempotencyKey
from palimpsest.ports import RecordStore


def applied_before(
    store: RecordStore,
    tenant: str,
    namespace: str,
    key: IdempotencyKey,
    *,
    now: datetime,
    serial: bool = False,
) -> Applied | None:
    """What was applied under this key with this request; None if nothing was, or its time is over.
    Raises `IdempotencyMismatch` if it came with another request.
    """
    found = store.applied(tenant, namespace, key, serial=serial)
    if found is None or not found.stands(now):
        return None
    if found.key.request_hash != key.request_hash:
        raise IdempotencyMismatch("this Idempotency-Key came before with another request")
    return found
