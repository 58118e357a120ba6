"""The REST API's REQUEST authorizer: from an `Authorization` header to a policy and a grant.

The policy is cached by API Gateway for every route of the stage, so it allows (or denies) the whole
stage; scope, namespace and expiry are checked by the handlers from the context given here.
Imports the DynamoDB client and the keys' own modules, nothing more: it stands before every request.
"""

import os
import re
from collections.abc import Mapping
from datetime import UTC, datetime
from functools import cache
from typing import Any

import boto3
from botocore.config import Config

from palimpsest.adapters.dynamodb.keys import DynamoKeyStore
from palimpsest.domain.keys import KeyStore, StoredKey, Token

_BEARER = re.compile(r"bearer +(\S+)", re.IGNORECASE)
# shorter together than the function's own time limit, so that an outage is told as one
_PATIENCE = Config(
    connect_timeout=1, read_timeout=1, retries={"mode": "standard", "total_max_attempts": 3}
)


def handler(event: Mapping[str, Any], _context: object) -> dict[str, Any]:
    """The answer to one REQUEST event of API Gateway.

    Credentials that cannot be read raise `Exception("Unauthorized")`, which the gateway answers
    with 401. A key that is unknown, wrong, disabled or expired is denied: 403, and nothing says
    which. An outage of the table is no denial: `Unavailable` is raised, a 5xx that is not cached.
    """
    token = _token(event.get("headers") or {})
    if token is None:
        raise Exception("Unauthorized")  # noqa: TRY002  # the gateway knows this very text
    key = key_store().get(token.key_id)
    stage = "/".join(str(event["methodArn"]).split("/")[:2]) + "/*"
    if key is None or not key.opened_by(token, now=datetime.now(UTC)):
        return _policy("Deny", stage, principal=token.key_id)
    return _allowed(key, stage)


@cache
def key_store() -> KeyStore:
    """The one store of this process."""
    client = boto3.client("dynamodb", config=_PATIENCE)
    return DynamoKeyStore(client, table=os.environ["KEYS_TABLE_NAME"])


def _token(headers: Mapping[str, str]) -> Token | None:
    """The bearer's key; header names and the scheme are read without regard to case."""
    for name, value in headers.items():
        if name.lower() == "authorization":
            match = _BEARER.fullmatch(value.strip())
            return Token.parse(match[1]) if match else None
    return None


def _allowed(key: StoredKey, stage: str) -> dict[str, Any]:
    policy = _policy("Allow", stage, principal=key.grant.key_id)
    return policy | {"context": key.grant.to_context()}


def _policy(effect: str, resource: str, *, principal: str) -> dict[str, Any]:
    statement = {"Action": "execute-api:Invoke", "Effect": effect, "Resource": resource}
    return {
        "principalId": principal,
        "policyDocument": {"Version": "2012-10-17", "Statement": [statement]},
    }


if "AWS_LAMBDA_FUNCTION_NAME" in os.environ:  # pragma: no cover  # during INIT, when CPU is free
    key_store()
