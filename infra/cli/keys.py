"""Make, list and disable API keys: the operator's command, with AWS credentials and no HTTP route.

    python -m cli.keys make --tenant acme --scopes read,write --namespaces 'team-*' [--expires DAYS]
    python -m cli.keys disable KEY_ID
    python -m cli.keys list

The table is named by `KEYS_TABLE_NAME`, else found in the outputs of the stack `STACK_NAME`.
A new key stands on the last line of the output and is never shown again.
"""

import argparse
import os
import sys
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import boto3
from botocore.exceptions import BotoCoreError, ClientError

from cli.stack_output import stack_output
from palimpsest.adapters.dynamodb.keys import DynamoKeyStore
from palimpsest.domain import instants, keys
from palimpsest.domain.errors import InvalidRequest, Unavailable

if TYPE_CHECKING:
    from mypy_boto3_cloudformation import CloudFormationClient


MAX_DAYS = 36_500


def main(arguments: Sequence[str] | None = None) -> int:
    """The exit code: 0 done, 1 refused or not possible."""
    asked = _parser().parse_args(arguments)
    try:
        store = DynamoKeyStore(boto3.client("dynamodb"), table=table_name())
        if asked.verb == "make":
            token = make(
                store,
                tenant=asked.tenant,
                scopes=asked.scopes,
                namespaces=asked.namespaces,
                days=asked.expires,
            )
            print(token)
        elif asked.verb == "disable":
            return _disable(store, asked.key_id)
        else:
            _list(store)
    except (InvalidRequest, LookupError) as error:
        print(error, file=sys.stderr)
        return 1
    except (Unavailable, BotoCoreError, ClientError) as error:
        told = f"{error}: is the stack running? `make up` starts the local one"
        print(f"{told} (PORT and LOCAL_DIR tell which)", file=sys.stderr)
        return 1
    return 0


def make(
    store: keys.KeyStore,
    *,
    tenant: str,
    scopes: str = "read",
    namespaces: str = "*",
    days: float | None = None,
) -> keys.Token:
    """Keep a new key, valid for `days` or until it is disabled. Raises `InvalidRequest`."""
    now = instants.whole(datetime.now(UTC))
    if days is not None and not 0 < days <= MAX_DAYS:  # NaN is neither
        raise InvalidRequest.one("expires", msg=f"days, above 0 and at most {MAX_DAYS:,}")
    token = keys.Token.generate()
    grant = keys.Grant(
        tenant=keys.checked_tenant(tenant),
        key_id=token.key_id,
        scopes=keys.parse_scopes(scopes),
        namespaces=keys.parse_namespaces(namespaces),
        expires_at=None if days is None else instants.whole(now + timedelta(days=days)),
    )
    store.put(keys.StoredKey(grant, secret_sha256=token.secret_sha256, created_at=now))
    return token


def table_name(stacks: "CloudFormationClient | None" = None) -> str:
    """The table of keys. Raises `LookupError` if neither it nor a stack is named."""
    named = os.environ.get("KEYS_TABLE_NAME")
    if named:
        return named
    return stack_output(
        os.environ.get("STACK_NAME", ""),
        "KeysTableName",
        lambda: stacks or boto3.client("cloudformation"),
    )


def _disable(store: keys.KeyStore, key_id: str) -> int:
    if not key_id:
        print("which key? KEY_ID=", file=sys.stderr)
        return 1
    if not store.disable(key_id):
        print(f"no key {key_id}", file=sys.stderr)
        return 1
    print(f"{key_id} is disabled; an answer that the gateway has cached lasts up to 300 s")
    return 0


def _list(store: keys.KeyStore) -> None:
    for key in sorted(store.all(), key=lambda key: key.created_at):
        grant = key.grant
        until = instants.to_text(grant.expires_at) if grant.expires_at else "no end"
        state = "disabled" if key.disabled else f"until {until}"
        scopes = ",".join(sorted(grant.scopes))
        print(f"{grant.key_id}  {grant.tenant}  {scopes}  {','.join(grant.namespaces)}  {state}")


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="keys", description="API keys of one stack")
    verbs = parser.add_subparsers(dest="verb", required=True)
    new = verbs.add_parser("make", help="make a key and print it")
    new.add_argument("--tenant", required=True)
    new.add_argument("--scopes", default="read", help="comma list of read, write, admin")
    new.add_argument("--namespaces", default="*", help="comma list of patterns, * for any run")
    new.add_argument("--expires", type=float, help="days until it expires; never, if not given")
    old = verbs.add_parser("disable", help="disable a key")
    old.add_argument("key_id")
    verbs.add_parser("list", help="all keys, without their secrets")
    return parser


if __name__ == "__main__":
    sys.exit(main())
