"""`.local/env`: what tools and tests read of a running stack, as shell assignments."""

import os
import shlex
from collections.abc import Mapping
from pathlib import Path

import boto3

from cli import keys as key_command
from local.layout import CREDENTIALS, REGION, STACK, Layout
from palimpsest.adapters.dynamodb.keys import DynamoKeyStore
from palimpsest.domain.keys import Token

DEMO_TENANT = "demo"


def members(layout: Layout, outputs: Mapping[str, str]) -> dict[str, str]:
    """What `.local/env` says of the stack that has these outputs; makes the demo key if need be."""
    return {
        "PALIMPSEST_URL": f"{layout.endpoint}/_aws/execute-api/{outputs['ApiId']}/v1",
        "PALIMPSEST_KEY": demo_key(layout, outputs["KeysTableName"]),
        "PALIMPSEST_PID": str(os.getpid()),
        "PORT": str(layout.port),
        "LOCAL_DIR": str(layout.local),
        "STACK_NAME": STACK,
        "TABLE_NAME": outputs["TableName"],
        "KEYS_TABLE_NAME": outputs["KeysTableName"],
        "UPLOADS_BUCKET": outputs["UploadsBucketName"],
        "WAKE_QUEUE_URL": outputs["WakeQueueUrl"],
        "PROJECTOR_FUNCTION": outputs["ProjectorFunctionName"],
        "INDEX_FOLDER": str(layout.index),
        "AWS_ENDPOINT_URL": layout.endpoint,
        "AWS_REGION": REGION,
        "AWS_DEFAULT_REGION": REGION,
        **CREDENTIALS,
    }


def demo_key(layout: Layout, table: str) -> str:
    """The administrator's key of tenant `demo`: the one of the last start if it is still known."""
    store = DynamoKeyStore(boto3.client("dynamodb"), table=table)
    kept = Token.parse(read(layout.env_file).get("PALIMPSEST_KEY", ""))
    if kept is not None:
        known = store.get(kept.key_id)
        if known is not None and known.secret_sha256 == kept.secret_sha256 and not known.disabled:
            return str(kept)
    return str(key_command.make(store, tenant=DEMO_TENANT, scopes="admin"))


def write(path: Path, values: Mapping[str, str]) -> None:
    """Write the file anew, readable by its owner only from its first byte on."""
    fresh = path.with_suffix(".new")
    fresh.unlink(missing_ok=True)
    descriptor = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(descriptor, "w", encoding="utf-8") as file:
        file.writelines(f"{name}={shlex.quote(value)}\n" for name, value in values.items())
    fresh.replace(path)


def read(path: Path) -> dict[str, str]:
    """What `write` has written; nothing if there is no such file."""
    if not path.exists():
        return {}
    pairs = (line.partition("=") for line in path.read_text(encoding="utf-8").splitlines())
    return {name: "".join(shlex.split(value)) for name, _, value in pairs}
