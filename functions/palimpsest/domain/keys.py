"""API keys: how one is written, what it grants, and what is kept of it.

A key is `pal_<key id>_<secret>`. The key itself is shown once, when it is made; only a SHA-256 of
its secret is stored. The secret holds 256 random bits, so a plain hash of it cannot be searched.
"""

import hashlib
import hmac
import re
import secrets
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Protocol

from palimpsest.domain import instants
from palimpsest.domain.errors import InvalidRequest

_TENANT = re.compile(r"[A-Za-z0-9._:@-]{1,64}")
_PATTERN = re.compile(r"[A-Za-z0-9._:@*-]{1,128}")
_TOKEN = re.compile(r"pal_([A-Za-z0-9]{1,64})_([A-Za-z0-9_-]{16,128})")
_ID_BYTES = 8
_SECRET_BYTES = 32


class Scope(StrEnum):
    """What a key may do; each scope includes those before it."""

    READ = "read"
    WRITE = "write"
    ADMIN = "admin"


_INCLUDES = {
    Scope.READ: frozenset({Scope.READ}),
    Scope.WRITE: frozenset({Scope.READ, Scope.WRITE}),
    Scope.ADMIN: frozenset(Scope),
}


@dataclass(frozen=True, slots=True)
class Token:
    """A key as its holder has it. Never stored, never logged."""

    key_id: str
    secret: str

    def __str__(self) -> str:
        return f"pal_{self.key_id}_{self.secret}"

    def __repr__(self) -> str:
        return f"Token({self.key_id})"

    @property
    def secret_sha256(self) -> str:
        """The SHA-256 of the secret, 64 hexadecimal digits: what is stored."""
        return hashlib.sha256(self.secret.encode("ascii")).hexdigest()

    @classmethod
    def generate(cls) -> "Token":
        """A new key from the system's own randomness."""
        return cls(
            secrets.token_hex(_ID_BYTES), secrets.token_hex(_SECRET_BYTES)
        )  # marked whole by a double click

    @classmethod
    def parse(cls, text: str) -> "Token | None":
        """The key that `text` spells, or None if it is not written like one."""
        match = _TOKEN.fullmatch(text)
        return cls(*match.groups()) if match else None


@dataclass(frozen=True, slots=True)
class Grant:
    """What the bearer of a valid key may do, as the authorizer hands it on to the handlers."""

    tenant: str
    key_id: str
    scopes: frozenset[Scope]
    namespaces: tuple[str, ...] = ("*",)
    expires_at: datetime | None = None

    def allows(self, scope: Scope) -> bool:
        """Whether one of the scopes is, or includes, `scope`."""
        return any(scope in _INCLUDES[held] for held in self.scopes)

    def admits(self, namespace: str) -> bool:
        """Whether one of the patterns covers `namespace`."""
        return any(covers(pattern, namespace) for pattern in self.namespaces)

    def expired(self, now: datetime) -> bool:
        """Whether its time is over at `now`; the instant `expires_at` itself is over."""
        return self.expires_at is not None and now >= self.expires_at

    def to_context(self) -> dict[str, str]:
        """The grant as API Gateway carries it: strings; lists with commas, no expiry as ''."""
        return {
            "tenant": self.tenant,
            "key_id": self.key_id,
            "scopes": ",".join(sorted(self.scopes)),
            "namespaces": ",".join(self.namespaces),
            "expires_at": "" if self.expires_at is None else instants.to_text(self.expires_at),
        }

    @classmethod
    def from_context(cls, context: Mapping[str, object]) -> "Grant":
        """The inverse of `to_context`. Raises `KeyError` or `ValueError` for anything else."""
        expires_at = str(context["expires_at"])
        return cls(
            tenant=str(context["tenant"]),
            key_id=str(context["key_id"]),
            scopes=frozenset(map(Scope, str(context["scopes"]).split(","))),
            namespaces=tuple(str(context["namespaces"]).split(",")),
            expires_at=instants.from_text(expires_at) if expires_at else None,
        )


@dataclass(frozen=True, slots=True)
class StoredKey:
    """A key as the table has it: its grant, and the hash by which its bearer is known."""

    grant: Grant
    secret_sha256: str
    created_at: datetime
    disabled: bool = False

    def opened_by(self, token: Token, *, now: datetime) -> bool:
        """Whether `token` is this key and usable at `now`; the comparison takes constant time."""
        same = hmac.compare_digest(self.secret_sha256, token.secret_sha256)
        return same and not self.disabled and not self.grant.expired(now)


class KeyStore(Protocol):
    """Where keys are kept. Every method raises `Unavailable` when the store cannot answer."""

    def get(self, key_id: str) -> StoredKey | None:
        """The key of that id, read consistently; None if there is none."""
        ...

    def put(self, key: StoredKey) -> None:
        """Keep the key, in place of any other of its id."""
        ...

    def disable(self, key_id: str) -> bool:
        """Disable the key of that id; False if there is none."""
        ...

    def all(self) -> Iterator[StoredKey]:
        """Every key, in no particular order."""
        ...


def covers(pattern: str, namespace: str) -> bool:
    """Whether `pattern` matches the whole of `namespace`: `*` is any run, all else itself.

    Linear in the length of the namespace for each part between stars, so no pattern is slow.
    """
    first, *rest = pattern.split("*")
    if not rest:
        return pattern == namespace
    *middle, last = rest
    if not namespace.startswith(first) or len(namespace) < len(first) + len(last):
        return False
    at, end = len(first), len(namespace) - len(last)
    for part in middle:
        found = namespace.find(part, at, end)
        if found < 0:
            return False
        at = found + len(part)
    return namespace.endswith(last)


def checked_tenant(text: str) -> str:
    """The tenant's name itself, if it is one. Raises `InvalidRequest`."""
    if not _TENANT.fullmatch(text):
        raise InvalidRequest.one("tenant", msg="1 to 64 of A-Z a-z 0-9 . _ : @ -")
    return text


def parse_scopes(text: str) -> frozenset[Scope]:
    """Scopes from a comma list. Raises `InvalidRequest` for an unknown or an empty one."""
    try:
        return frozenset(Scope(name) for name in _names(text, "scopes"))
    except ValueError as error:
        raise InvalidRequest.one("scopes", msg="a comma list of read, write, admin") from error


def parse_namespaces(text: str) -> tuple[str, ...]:
    """Namespace patterns from a comma list, in order, each once. Raises `InvalidRequest`."""
    patterns = tuple(dict.fromkeys(_names(text, "namespaces")))
    if not all(_PATTERN.fullmatch(pattern) for pattern in patterns):
        raise InvalidRequest.one(
            "namespaces",
            msg="a comma list of patterns, each 1 to 128 of A-Z a-z 0-9 . _ : @ - and *",
        )
    return patterns


def _names(text: str, field: str) -> Iterable[str]:
    names = [name.strip() for name in text.split(",")]
    if not all(names):
        raise InvalidRequest.one(field, msg="a comma list without empty members")
    return names
